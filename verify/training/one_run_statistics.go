package training

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
)

// OneRunMethod names the statistics of [OneRunAudit].
var OneRunMethod = verify.RegisterStatistics[oneRunStatistics]("canary/one-run")

// oneRunStatistics holds the counts from which the evidence follows. It omits the scores. A reader therefore cannot
// check that the guessed canaries have the most extreme scores.
type oneRunStatistics struct {
	Guarantee privacy.Guarantee `json:"guarantee"`
	Chance    float64           `json:"chance,omitempty"` // 0 for fair coins
	Event     Event             `json:"event,omitzero"`
	Described *Described        `json:"described,omitempty"`
	Score     Score             `json:"score,omitzero"`
	Coins     coins             `json:"coins"`
	Guesses   []guesses         `json:"guesses"`         // largest number of guesses first
	Fixed     []guesses         `json:"fixed,omitempty"` // with an event: for fixed numbers of guesses
	Cuts      []int64           `json:"cuts,omitempty"`  // see response.cuts
	Misfit    float64           `json:"misfit,omitzero"` // see Scores.misfit
	Reached   Figures           `json:"reached"`
	Assumed   *assumedCounts    `json:"assumed,omitempty"` // nil in reports of older versions
}

// guesses counts guesses and the right ones among them.
type guesses struct {
	Guessed int64 `json:"guessed"`
	Right   int64 `json:"right"`
	picked        // ranks of their scores
}

// claimed returns an error if the claim or the inclusion probability is invalid.
func (f oneRunStatistics) claimed() error {
	if !(f.Chance >= 0 && f.Chance < 1) {
		return fmt.Errorf("canaries included with probability %v: want a number above 0 and below 1", f.Chance)
	}
	return checkGuarantee(f.Guarantee, "canaries", "one run")
}

// Check returns an error unless the counts agree with the number of canaries and the coins.
func (f oneRunStatistics) Check() error {
	if err := f.claimed(); err != nil {
		return err
	}
	if f.Score != (Score{}) {
		if err := f.Score.check(); err != nil {
			return err
		}
	}
	if err := f.Reached.Check(); err != nil {
		return err
	}
	c := f.Coins
	all := func(pairs int) bool { return pairs == 0 || 2*pairs == c.Canaries }
	switch {
	case c.Included != f.Reached.Included || c.Canaries != f.Reached.Included+f.Reached.Excluded:
		return fmt.Errorf("%d of %d canaries included, and figures of %d and %d: want the same numbers", c.Included,
			c.Canaries, f.Reached.Included, f.Reached.Excluded)
	case !all(c.Opposite[0]) || !all(c.Opposite[1]) || c.Repeated < 0 || c.Repeated > c.Canaries/2 ||
		c.Opposite != [2]int{} && 2*c.Included != c.Canaries:
		return fmt.Errorf("%v pairs and %d scores that repeat one another, of %d canaries: want all pairs, or 0, "+
			"and no more than half", c.Opposite, c.Repeated, c.Canaries)
	case !(f.Misfit >= 0 && f.Misfit <= 1) || f.Misfit > 0 && !f.Score.trained() && f.Score.Kind != GaussianScore:
		return fmt.Errorf("the scores differ by %v from the distribution of %q: want 0 to 1, and 0 if it has no shape",
			f.Misfit,
			f.Score.Kind)
	}
	if err := f.checkAssumed(); err != nil {
		return err
	}
	if err := f.checkCuts(); err != nil {
		return err
	}
	_, _, err := f.tests()
	return err
}

// tests returns the test of the claim, and the test on fixed numbers of guesses if there is one.
func (f oneRunStatistics) tests() (own, fixed test, err error) {
	c := f.Coins
	list, chance, in := f.numbers(c.Canaries)
	kind := c.Included // canaries of the guessed kind
	switch {
	case f.Event != (Event{}):
		chance = f.Chance
		if len(f.Guesses) == 1 {
			list = []rung{{f.Guesses[0].Guessed, 1}}
		}
	case chance == 0:
		kind = c.Canaries
	case !in:
		kind = c.Canaries - c.Included
	}
	if own, err = f.test(f.Guesses, list, kind, chance); err != nil {
		return own, fixed, err
	}
	if f.curved() {
		fixed, err = f.test(f.Fixed, halves(c.Canaries), c.Included, f.Chance)
	} else if len(f.Fixed) > 0 {
		err = errors.New("guesses of fixed numbers are not used in this audit")
	}
	return own.with(f.null()), fixed, err
}

// checkCuts returns an error if the numbers of answers of randomized response are impossible.
func (f oneRunStatistics) checkCuts() error {
	cuts, canaries := f.Cuts, int64(f.Coins.Canaries)
	if len(cuts) == 0 {
		return nil
	}
	r, ok := f.near()
	if ok && len(cuts) == 2 {
		least, most := confidence.BinomialRange(canaries, r.answers(), rankMiss/2)
		ok = cuts[0] >= max(1, least) && cuts[0] <= cuts[1] && cuts[1] <= min(most, canaries-1)
	}
	if !ok || len(cuts) != 2 {
		return fmt.Errorf("%v answers of randomized response on %d canaries: want two possible numbers, or none", cuts,
			canaries)
	}
	return nil
}

// test returns a test from guess counts for each rung. At most kind guesses can be right. The canaries of a smaller
// number of guesses are among those of a larger one.
func (f oneRunStatistics) test(of []guesses, list []rung, kind int, chance float64) (t test, err error) {
	canaries := f.Coins.Canaries
	if len(of) != len(list) {
		return t, fmt.Errorf("%d numbers of guesses: want %d", len(of), len(list))
	}
	for i, g := range of {
		if g.Guessed != list[i].guesses || g.Guessed < 1 || g.Guessed > int64(canaries) || g.Right < 0 ||
			g.Right > min(g.Guessed, int64(kind)) || kind < canaries && g.Guessed-g.Right > int64(canaries-kind) {
			return t, fmt.Errorf("%d right of %d guesses on %d canaries, %d of the kind: want %d guesses, and possible "+
				"numbers of right and wrong ones", g.Right, g.Guessed, canaries, kind, list[i].guesses)
		}
		if !g.picked.possible(g.Guessed, int64(canaries)) {
			return t, fmt.Errorf("%+v are the ranks of %d guesses on %d canaries: want as many as there are guesses",
				g.picked,
				g.Guessed, canaries)
		}
		if i > 0 && (g.Right > of[i-1].Right || g.Guessed-g.Right > of[i-1].Guessed-of[i-1].Right) {
			return t, fmt.Errorf("%d right of %d guesses, and %d of %d of a larger number: want at most as many right and "+
				"wrong ones",
				g.Right, g.Guessed, of[i-1].Right, of[i-1].Guessed)
		}
		t.tallies = append(t.tallies, confidence.Guesses{Canaries: int64(canaries), Guessed: g.Guessed, Right: g.Right,
			Chance: chance})
		t.picks = append(t.picks, g.picked)
	}
	t.rungs, t.given = list, f.Coins.given(f.chance())
	return t, nil
}

// MarshalText formats the event as [ParseEvent] reads it.
func (e Event) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads the output of MarshalText.
func (e *Event) UnmarshalText(text []byte) (err error) {
	if *e = (Event{}); len(text) > 0 {
		*e, err = ParseEvent(string(text))
	}
	return err
}

// describedJSON holds (ε, δ) of each line.
type describedJSON struct {
	Of    string       `json:"of"`
	Lines [][2]float64 `json:"lines"`
	Steps *Steps       `json:"steps,omitempty"`
}

// MarshalJSON writes a trade-off function that consists of lines; another one is an error.
func (d Described) MarshalJSON() ([]byte, error) {
	lines, ok := d.Null.(confidence.Lines)
	if !ok {
		return nil, fmt.Errorf("the trade-off function of %s does not consist of lines", d.Description)
	}
	out := describedJSON{Of: d.Description, Steps: d.Steps}
	for _, l := range lines {
		out.Lines = append(out.Lines, [2]float64{l.Epsilon, l.Delta})
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads the output of MarshalJSON.
func (d *Described) UnmarshalJSON(data []byte) error {
	var in describedJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	var lines confidence.Lines
	for i, l := range in.Lines {
		if !(l[0] >= 0 && l[0] <= math.MaxFloat64 && l[1] >= 0 && l[1] <= 1) || i > 0 && l[0] < in.Lines[i-1][0] {
			return fmt.Errorf("line %d of %s is ε = %v, δ = %v: want increasing ε ≥ 0, and δ in [0, 1]", i, in.Of,
				l[0], l[1])
		}
		lines = append(lines, confidence.Line{Epsilon: l[0], Delta: l[1]})
	}
	if len(lines) == 0 {
		return fmt.Errorf("the trade-off function of %s has no lines: want at least one pair of ε and δ", in.Of)
	}
	*d = Described{Null: lines, Description: in.Of, Steps: in.Steps}
	return nil
}
