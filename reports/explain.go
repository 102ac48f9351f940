package reports

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Explanation is a claim before its run, with the plan of the run.
type Explanation struct {
	Claim   verify.Claim
	Options verify.Options
	Alpha   float64        // the claim's share
	Plan    empirical.Plan // of its trial
	// Decided is the evidence of a claim that needs no samples; nil otherwise.
	Decided *verify.Evidence
	// Unprepared says why the check could not be prepared; "" if it could.
	Unprepared string
}

// Explain says what a claim states, how it is measured, how certain the verdict is and how it could be wrong.
func Explain(e Explanation) Sheet {
	c := e.Claim
	s := section{Level: 1, Title: words(mono(c.ID))}
	s.Add(quotation(words(format.Sentence(c.Statement))))
	s.Say(c.Source + ". Kind: " + string(c.Kind) + ".")
	if c.Place != "" {
		s.Say(format.Sentence(c.Origin.Words() + ": " + c.Place))
	}
	control := section{Level: 2, Title: words("Evidence that the check can fail")}
	control.Say(controlText(c.Control))
	if c.Corrected != "" {
		control.Say("The corrected statement is a claim of its own: ", mono(c.Corrected), ".")
	}
	s.Add(e.measured(), control,
		section{Level: 2, Title: words("How the verdict could be wrong"), Blocks: []block{couldBeWrong(e)}},
		section{Level: 2, Title: words("Run it"), Blocks: []block{command(Reproduce(c.ID, e.Options))}})
	return Sheet{Body: s}
}

// controlText describes the control of a claim, and the verdict that the check must give it.
func controlText(c verify.Control) string {
	if c.Check == nil {
		return "It has no control: the statement has no observable consequence."
	}
	wanted := make([]string, len(c.Want))
	for i, v := range c.Want {
		wanted[i] = string(v)
	}
	must := "its verdict must be " + strings.Join(wanted, " or ")
	if sound, ok := strings.CutPrefix(c.Fault, "none: "); ok {
		return "The same check is run on a control without the fault; " + must + ". The control: " +
			format.Stopped(sound)
	}
	return "The same check is run on a control with a known fault; " + must + ". The fault: " +
		format.Stopped(c.Fault)
}

func (e Explanation) measured() section {
	s := section{Level: 2, Title: words("How it is measured")}
	if e.Decided == nil || e.Decided.Method == "" {
		s.Say(measuredHow(e.Claim.Kind))
	}
	switch {
	case e.Unprepared != "":
		s.Say("The check cannot be prepared: " + format.Stopped(e.Unprepared))
	case e.Decided != nil:
		if m := e.Decided.Method; m != "" {
			s.Say(format.Sentence(m))
		}
		if e.Decided.Quantity != "" {
			s.Say("The figure: " + format.Stopped(e.Decided.Quantity))
		}
		if look := secondLook(*e.Decided); look != nil {
			s.Say(look.Line())
		}
		s.Say(fmt.Sprintf("It is computed, not sampled: its share of α, %s of %s, is not spent.", format.Probability(e.Alpha),
			format.Shortest(e.Options.Alpha)))
	default:
		drawn := drawnNoun(e.Claim.Kind) + "s"
		if e.Claim.Kind == verify.Privacy {
			drawn += " of each input"
		}
		s.Say(fmt.Sprintf("Up to %s %s in %s at the %s budget. The verdict errs with probability at most %s, the "+
			"claim's share of α = %s.",
			format.Count(e.Plan.Samples()), drawn, plural(e.Plan.Shards, "shard"), e.Options.Budget,
			format.Probability(e.Alpha), format.Shortest(e.Options.Alpha)))
		if e.Plan.Power > 0 {
			s.Say(fmt.Sprintf("Power: a violation of size %s would be detected with probability at least %s.",
				figureOf(e.Plan.Effect), figureOf(e.Plan.Power)))
		} else {
			s.Say("This budget guarantees no power: if nothing is refuted, the verdict may be inconclusive.")
		}
	}
	return s
}

func figureOf(x float64) string { return format.Figure(verify.Num(x)) }

// couldBeWrong lists the ways in which a verdict can be wrong.
func couldBeWrong(e Explanation) (items listing) {
	var list []string
	if e.Decided == nil && e.Unprepared == "" {
		list = append(list, fmt.Sprintf("By chance: with probability at most %s. Each run with another seed "+
			"adds the same error probability.", format.Probability(e.Alpha)))
	} else {
		list = append(list, "Not by chance. A bound on the rounding error could be too small, or the argument that the "+
			"evaluated points decide the domain could be wrong. Without such an argument the verdict covers only "+
			"these points.")
	}
	switch e.Claim.Kind {
	case verify.Privacy:
		list = append(list,
			"A verdict other than refuted covers only the pairs of inputs and the events that were tried; a leak "+
				"through rarer events, timing or memory is not detected.",
			"The tested adjacency, which the statement names, may differ from the intended one.")
	case verify.Unbiasedness:
		list = append(list, "The verdict covers only the inputs and dimensions that were tried. If the bound on the "+
			"output is too small, the interval is invalid; the bound is checked on each sample.")
	case verify.Sensitivity:
		list = append(list, "The search can miss the worst pair: the largest change found is a lower bound, unless the "+
			"maximum is derived.")
	case verify.Rate:
		list = append(list, "A finite range of sizes cannot refute a rate without a constant, nor show that the rate "+
			"continues beyond the range.")
	case verify.Identity, verify.Consistency:
		list = append(list, "The authors may have meant another reading of the formula. Other readings are separate "+
			"claims.")
	case verify.Law:
		list = append(list, "The verdict covers only the input that was tried; differences smaller than the "+
			"power statement covers are not detected.")
	case verify.Experiment:
		list = append(list, "Details that the paper leaves open (preparation of the data, parameters) were chosen here, "+
			"and are stated with the result.")
	}
	list = append(list, "The code under test may differ from the authors' code: it follows the printed lines, which its "+
		"comments cite.")
	for _, s := range list {
		items = append(items, item{Head: words(s)})
	}
	return items
}

// measuredHow describes the measurement of claims of a kind.
func measuredHow(k verify.Kind) string {
	switch k {
	case verify.Privacy:
		return "Privacy is measured on pairs of neighboring inputs, in both directions: the privacy loss is computed if " +
			"the distributions of the outputs are known, else the probabilities of events under both inputs are bounded " +
			"from samples."
	case verify.Unbiasedness:
		return "The mean output is compared with its target, along the target and across it: by computation if the mean " +
			"is known, else by confidence intervals from samples."
	case verify.Sensitivity:
		return "A search finds the largest change of the output between neighboring inputs, beginning with the extreme " +
			"ones, and the change is compared with the stated sensitivity."
	case verify.Rate:
		return "The error is measured at growing sizes and its slope, with an interval, is compared with the stated rate."
	case verify.Identity:
		return "Both sides of the formula are evaluated over the domain and compared at the worst point, with a bound on " +
			"the rounding error."
	case verify.Consistency:
		return "Two statements of the paper are evaluated over the domain and compared; if they disagree, the paper " +
			"contradicts itself."
	case verify.Law:
		return "Samples are compared with the stated distribution: the whole distribution function by a simultaneous " +
			"confidence band, and the probabilities of values or tails by exact tests."
	case verify.Experiment:
		return "The paper's experiment is run on the given data, repeated, and compared with what the paper reports."
	}
	return "By the check of the claim."
}
