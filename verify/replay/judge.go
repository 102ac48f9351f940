package replay

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

// judge judges the search's part on one comparison.
func (s *replaying[D]) judge(c comparison) (m shown, err error) {
	worst, step := c.steps()
	m.value = math.Min(worst, 1) // guides the search while nothing is broken
	switch {
	case s.part == Sensitivity:
		if step >= 0 {
			call := c.a.Calls[step]
			m.value, m.broken, m.how, m.at, m.claimed = worst, true, c.step(step), step, call.Sensitivity
			m.measured, m.slack = c.moves[step].distance, c.moves[step].slack
			m.quantity = fmt.Sprintf("%s distance between the values given to %s", call.Norm, call.Kind)
		}
		for i, moved := range c.moves {
			if step < 0 && moved.distance > 0 && c.a.Calls[i].Sensitivity == NoSensitivity {
				s.notClear(named(i, c.a.Calls[i]) + " declares no sensitivity")
				break
			}
		}
		return m, nil
	case c.undecided != "":
	case s.part == Flow:
		if c.parted {
			m.value, m.broken, m.how, m.at = math.Inf(1), true, c.parting(), len(c.moves)
		}
	case c.parted:
		s.notClear("the calls are not the same in both runs; see the part flow")
	case s.part == Release:
		if c.outputs != "" {
			m.value, m.broken, m.how = math.Inf(1), true, fmt.Sprintf("with the same values released by every call, %s, "+
				"in %s and in %s", c.outputs, c.names[0], c.names[1])
			if slices.ContainsFunc(c.a.Calls, func(c Call) bool { return c.Kind == primitive.Public }) {
				m.how += "; public coins do not count as noise"
			}
			m.at = len(c.moves)
		}
	case s.part == Account:
		return s.bill(c)
	}
	return m, nil
}

// bill accounts for the calls of a comparison and judges the account.
func (s *replaying[D]) bill(c comparison) (m shown, err error) {
	b, err := s.accounts.bill(c)
	if err != nil {
		return m, err
	}
	return s.billed(c, b), nil
}

// billed compares the cost in a bill with the claim.
func (s *replaying[D]) billed(c comparison, b bill) (m shown) {
	m = shown{value: b.observed.Lower, broken: b.broken, at: len(c.moves) - 1,
		claimed: s.Claim.Value(), measured: b.observed.Estimate,
		slack: b.observed.Estimate - b.observed.Lower, quantity: s.Claim.Quantity()}
	if b.broken {
		m.how = fmt.Sprintf("the calls given different values in B, %d of them, have a total privacy loss of %.6g by "+
			"the distances between these values, but %.6g is claimed: %s", b.calls, b.observed.Lower, s.Claim.Value(),
			c.moving())
		return m
	}
	m.value = math.Min(m.value, s.Claim.Value())
	switch {
	case b.within:
	case b.replaced:
		s.notClear(fmt.Sprintf("the calls cost up to %.6g, and %.6g is claimed; they follow a Poisson sample in which "+
			"one record is replaced: the savings depend on what it adds to the others, which two runs do not show; "+
			"neighbors that differ by one additional record can be judged", b.declared.Upper, s.Claim.Value()))
	case b.sampled:
		s.notClear(fmt.Sprintf("the calls cost up to %.6g, and %.6g is claimed; there are random samples or orders, and "+
			"a replay cannot compute by how much they reduce the cost", b.declared.Upper, s.Claim.Value()))
	case math.IsInf(b.declared.Upper, 1):
		s.notClear(fmt.Sprintf("there are calls that declare no sensitivity, or whose cost has no limit; on this pair "+
			"they cost %.6g by the distances between the values given to them", b.observed.Lower))
	default:
		s.notClear(fmt.Sprintf("the calls cost up to %.6g by their declared sensitivities, and %.6g is claimed; on this "+
			"pair they differ by less, at a cost of %.6g, for example because each call concerns other records",
			b.declared.Upper,
			s.Claim.Value(),
			b.observed.Lower))
	}
	return m
}

// named describes a call by its number, primitive and place: "call 3, laplace at count.go:12".
func named(i int, c Call) string { return fmt.Sprintf("call %d, %s%s", i+1, c.Kind, at(c.Place)) }

// step describes how far the value of a call moves, and the sensitivity that it declares.
func (c comparison) step(i int) string {
	x, y := c.a.Calls[i], c.b.Calls[i]
	return fmt.Sprintf("%s, is given %s in %s and %s in %s: they differ by %.6g in the norm %s, but the declared "+
		"sensitivity is %.6g", named(i, x), vector(x.Value), c.names[0], vector(y.Value), c.names[1], c.moves[i].distance,
		x.Norm, x.Sensitivity)
}

// vector formats values, at most the first eight.
func vector(v []float64) string {
	const most = 8
	if len(v) == 1 {
		return fmt.Sprintf("%.12g", v[0])
	}
	var parts []string
	for _, x := range v[:min(most, len(v))] {
		parts = append(parts, fmt.Sprintf("%.12g", x))
	}
	if len(v) > most {
		parts = append(parts, fmt.Sprintf("… of %d", len(v)))
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// parting describes the first call at which the two runs differ.
func (c comparison) parting() string {
	i := len(c.moves)
	has := func(r Run) string {
		if i >= len(r.Calls) {
			return "ends"
		}
		x := r.Calls[i]
		text := fmt.Sprintf("calls %s%s", x.Kind, at(x.Place))
		if coin(x.Kind) {
			return text
		}
		return text + fmt.Sprintf(" with %s, scale %.9g and sensitivity %.9g", verify.Plural(len(x.Value), "value"),
			x.Scale,
			x.Sensitivity)
	}
	return fmt.Sprintf("after %s that release the same values, the run on %s %s, and the run on %s %s", verify.Plural(i,
		"call"),
		c.names[0], has(c.a), c.names[1], has(c.b))
}

// moving lists the first calls that are given different values.
func (c comparison) moving() string {
	const most = 4
	var parts []string
	for i, m := range c.moves {
		if m.distance > 0 && len(parts) < most {
			parts = append(parts, fmt.Sprintf("%s, differs by %.6g at scale %.6g", named(i, c.a.Calls[i]), m.distance,
				c.a.Calls[i].Scale))
		}
	}
	return strings.Join(parts, "; ")
}

// method returns the method text of a part.
func method(p Part) string {
	if p == Account {
		return compared + ". " + charging
	}
	return compared
}

const (
	// compared is the method text of all parts.
	compared = "a run was recorded on one input and replayed on its neighbor: every primitive released its recorded " +
		"value again, and the values given to it were compared; a replay on the input itself reproduced the run. " +
		"Differences are computed, not sampled. A finding concerns the claim that the release is private because of the " +
		"primitives that it calls, with the sensitivities that they declare"
	// charging adds when the account charges a call.
	charging = "A call is charged only if the output determined its released value in all of the replays that were " +
		"tried, in which other calls released other values. This is evidence from a limited number of replays, not a proof"
)

// finding turns the result of the search into evidence.
func (s *replaying[D]) finding(found inputs.PairSearchResult[D, shown]) (out Finding[D], err error) {
	f := statistics{Part: s.part, Tried: found.Tried, Unclear: s.unclear, Reason: s.reason}
	if !found.Worst.Shows.broken {
		f.Largest = found.Worst.Shows.value
		out.Evidence, err = verify.JudgeStatistics(Method, f, verify.Settings{})
		return out, err
	}
	of := func(m inputs.MeasuredPair[D, shown]) *broken {
		b := broken{Inputs: m.Inputs(), How: m.Shows.how, Quantity: m.Shows.quantity}
		if b.Quantity != "" {
			b.Claimed, b.Measured, b.Slack = m.Shows.claimed, m.Shows.measured, m.Shows.slack
		}
		return &b
	}
	f.Worst, f.Smallest = of(found.Worst), of(found.Smallest)
	out = Finding[D]{Smallest: &found.Smallest.Pair, How: found.Smallest.Shows.how}
	out.Evidence, err = verify.JudgeStatistics(Method, f, verify.Settings{})
	return out, err
}

// look describes the search to a reviewer of the evidence.
type look struct {
	tried             int64
	smallest, nearest verify.Cell
	needed            string
}

func (l look) Tried() verify.Tried {
	return verify.Tried{Cases: max(1, l.tried), Case: "pair", Nearest: l.nearest}
}

func (l look) Attempt() string { return "" } // the search does not confirm a claim

func (l look) Counterexample() verify.Counterexample {
	return verify.Counterexample{Cell: l.smallest, Choice: "the smallest pair found"}
}

func (l look) Needed() string { return l.needed }
