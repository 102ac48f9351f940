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

// MultiRunAudit checks a privacy claim about a training from the scores of many runs in two worlds: A with the record
// and B without it. The claim is (ε, δ)-DP or Gaussian differential privacy for adding or removing one record.
// Outputs are finite numbers, or objects with a finite number under "score". Any number of runs gives a verdict; with
// few runs it is inconclusive.
//
// With an event, all runs count. The event is tested for A over B and for B over A, each at half of alpha. Without an
// event, each of two parts of the runs chooses a threshold. The runs outside the part test this threshold at half of
// alpha. The claim's trade-off function bounds both orders of the worlds, so alpha is not divided further.
//
// If Anytime is true, the audit is a sequential test. It takes one run of each world at a time, in file order, and
// stops as soon as the claim is refuted. Each bet uses only earlier runs, so a longer recording continues the same
// test. The error probability over all looks together is at most alpha.
//
// The claim is consistent if the event is fixed and a violation by a quarter of the claimed parameter would have been
// refuted. This is computed at the measured probability of the event or of its complement, whichever is rarer.
type MultiRunAudit struct {
	A, B      outputs.Recording
	Guarantee privacy.Guarantee
	Event     Event // fixed before the scores were read; the zero value means no event
	Anytime   bool
	// Described is the trade-off function of the training's account. It is tested in addition to the claim, each at
	// half of alpha.
	Described *Described
}

// Check returns an error that names an invalid parameter.
func (a MultiRunAudit) Check() error {
	return checkGuarantee(a.Guarantee, "the scores of runs", "few runs")
}

// FewRuns is the number of runs in each world below which an audit of arbitrary outputs is not possible.
const FewRuns = 200

// AllNumbers reports whether all outputs of a recording are scores, finite or not.
func AllNumbers(r outputs.Recording) bool {
	for _, o := range r.Outputs {
		if _, err := number(o); err != nil {
			return false
		}
	}
	return true
}

// number returns the score in an output.
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
	return 0, fmt.Errorf("an output of %.40v is not a score: want a number, or an object with a number under score",
		output)
}

// finite returns the score in an output, or an error if it is not finite.
func finite(output any) (float64, error) {
	x, err := number(output)
	if err == nil && x-x != 0 {
		err = fmt.Errorf("a score of %v: want a finite number (replace an infinite score by the largest finite one)", x)
	}
	return x, err
}

// scores holds the scores of the runs with the record, and without it.
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

// figures counts the scores of the two worlds.
func (s scores) figures() Figures {
	return figures(slices.Sorted(slices.Values(s[0])), slices.Sorted(slices.Values(s[1])))
}

// Prepare counts or bets, and judges the result. No sampling is necessary.
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

// dependence describes evidence that the runs are not independent. If bad is true, the runs do not allow a verdict.
func (a MultiRunAudit) dependence() (words []string, bad bool) {
	see := func(word string, decides bool) {
		if word != "" {
			words, bad = append(words, word), bad || decides
		}
	}
	see(outputs.CopiedWord(a.A, a.B), true)
	for _, r := range []outputs.Recording{a.A, a.B} {
		word, sorted := r.Dependence()
		see(word, !sorted || a.Anytime) // the bets use the order of the runs
	}
	return words, bad
}

// view holds the counts of an event in the runs that test it.
type view struct {
	Event   Event `json:"event"`
	Swapped bool  `json:"swapped,omitempty"` // the event is evidence of a run without the record
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

// count counts an event in the runs.
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
