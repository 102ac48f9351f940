package training

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// MultiRunAudit checks a claim about a training, (ε, δ)-DP or Gaussian privacy for one record more or less, on the
// scores
// of its runs in two worlds: A with the record and B without. Outputs are finite numbers, or objects that have one
// under "score". Any number of runs is enough for an answer, which is that nothing was shown where they are few.
//
// With an event all runs count, A over B on it and B over A, each at half of alpha. Without one two parts of the
// runs choose a threshold each, and the runs outside of that part certify it, each at half of alpha. Both
// orders of the worlds are in a trade-off function, at one alpha.
//
// Anytime bets against the claim, a run of either world at a time in the order of the files, and stops as soon as it
// is refuted. The bets on a run follow from those before it: the same on a longer recording is the same
// test gone on, and errs with probability at most alpha over all looks together.
//
// The claim is consistent where an event is fixed and a violation by a quarter of the claimed parameter would have
// been refuted, on that event at the probability that it has, or on its complement, whichever is rarer.
type MultiRunAudit struct {
	A, B      outputs.Recording
	Guarantee privacy.Guarantee
	Event     Event // fixed before the scores were read; the zero value is none
	Anytime   bool
	// Described is what the account of the training allows, which is tested beside the claim, each at half of alpha.
	Described *Described
}

// Check returns an error that names what is out of its domain.
func (a MultiRunAudit) Check() error {
	return checkGuarantee(a.Guarantee, "the scores of runs", "few runs")
}

// FewRuns is how many runs of a world are fewer than an audit of outputs of any kind takes.
const FewRuns = 200

// AllNumbers tells whether all outputs of a recording are what a score is, or would be if they were finite.
func AllNumbers(r outputs.Recording) bool {
	for _, o := range r.Outputs {
		if _, err := number(o); err != nil {
			return false
		}
	}
	return true
}

// number is the score that an output is.
func number(output any) (float64, error) {
	switch o := output.(type) {
	case float64:
		return o, nil
	case json.Number:
		return strconv.ParseFloat(o.String(), 64)
	case map[string]any:
		if inner, there := o["score"]; there {
			if _, nested := inner.(map[string]any); !nested {
				return number(inner)
			}
		}
	case string:
		switch o {
		case "nan", "inf", "-inf":
			return strconv.ParseFloat(o, 64)
		}
	}
	return 0, fmt.Errorf("an output of %.40v is no score: want a number, or an object with one under score", output)
}

// finite is the score that an output is, where it is one to order.
func finite(output any) (float64, error) {
	x, err := number(output)
	if err == nil && x-x != 0 {
		err = fmt.Errorf("a score of %v: want a finite number (of an infinite one, the largest that stands for it)", x)
	}
	return x, err
}

// scores are the runs with the record, and without.
type scores [worlds][]float64

func (a MultiRunAudit) scores() (s scores, err error) {
	for world, from := range []outputs.Recording{a.A, a.B} {
		for i, o := range from.Outputs {
			x, err := finite(o)
			if err != nil {
				return s, fmt.Errorf("%s: run %d: %w", from.Name, i+1, err)
			}
			s[world] = append(s[world], x)
		}
		if len(s[world]) == 0 {
			return s, fmt.Errorf("%s has no runs: want at least one in each world", from.Name)
		}
	}
	return s, nil
}

// figures of the runs.
func (s scores) figures() Figures {
	return figures(slices.Sorted(slices.Values(s[0])), slices.Sorted(slices.Values(s[1])))
}

// Prepare counts, or bets, and decides: there is nothing to sample.
func (a MultiRunAudit) Prepare(_ context.Context, s verify.Settings) (verify.Trial, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	own, err := a.scores()
	if err != nil {
		return nil, err
	}
	e, err := a.evidence(s, own, nil)
	if err != nil {
		return nil, err
	}
	return verify.Decided(e), nil
}

// dependence says how runs are evidently not independent; bad is whether nothing can rest on them.
func (a MultiRunAudit) dependence() (words []string, bad bool) {
	see := func(word string, decides bool) {
		if word != "" {
			words, bad = append(words, word), bad || decides
		}
	}
	see(outputs.CopiedWord(a.A, a.B), true)
	for _, r := range []outputs.Recording{a.A, a.B} {
		word, sorted := r.Dependence()
		see(word, !sorted || a.Anytime) // bets take the runs in their order
	}
	return words, bad
}

// view is an event with its counts in the runs that certify it.
type view struct {
	Event   Event `json:"event"`
	Swapped bool  `json:"swapped,omitempty"` // it is evidence of a run without the record
	confidence.Attack
}

func (v view) String() string {
	worlds := [2]string{"with the record", "without"}
	if v.Swapped {
		worlds[0], worlds[1] = worlds[1], worlds[0]
	}
	return fmt.Sprintf("%s in %d of %d runs %s and in %d of %d %s", v.Event, v.Hits, v.Runs, worlds[0], v.FalseHits,
		v.OtherRuns, worlds[1])
}

// count an event in runs.
func (s scores) count(e Event, swapped bool) view {
	if swapped {
		s[0], s[1] = s[1], s[0]
	}
	hits := func(values []float64) (n int64) {
		for _, x := range values {
			if e.Holds(x) {
				n++
			}
		}
		return n
	}
	return view{e, swapped, confidence.Attack{Hits: hits(s[0]), Runs: int64(len(s[0])), FalseHits: hits(s[1]),
		OtherRuns: int64(len(s[1]))}}
}
