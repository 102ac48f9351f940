package accounting_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify/accounting"
)

// An account brackets a quantity of a release.
type account func(r accounting.Release, q accounting.Quantity) (accountant.Bracket, error)

// trueAccount returns the accountant's bracket at a low precision, for speed. Every bracket is certified.
func trueAccount(r accounting.Release, q accounting.Quantity) (accountant.Bracket, error) {
	return r.Bracket(q, accountant.Precision{Width: 0.01, MaxPoints: 1 << 16})
}

// A question computes a quantity for a release, and the same quantity for a pair of distributions.
type question struct {
	quantity accounting.Quantity
	value    func(l pairLaw) float64
	adds     bool // the value of a composition is the sum of its parts
}

func deltaAt(epsilon float64) question {
	return question{accounting.DeltaAt(epsilon), func(l pairLaw) float64 { return l.delta(epsilon) }, false}
}

func epsilonAt(delta float64) question {
	return question{accounting.EpsilonAt(delta), func(l pairLaw) float64 { return l.epsilon(delta) }, delta == 0}
}

func renyiAt(alpha float64) question {
	return question{accounting.RenyiAt(alpha), func(l pairLaw) float64 { return l.renyi(alpha) }, true}
}

var questions = []question{
	deltaAt(0.3), epsilonAt(0.01), epsilonAt(0), renyiAt(1.25), renyiAt(2), renyiAt(6),
}

// disagreements compares an account with independent values. Pairs that occur must not exceed its upper end, and the
// worst pair must not be below its lower end. The tolerance for rounding is 1e-7 of the value, plus 1e-12. The values
// already account for merging and spreading of cells.
func (x independent) disagreements(a account, k int, questions []question) (found []string, tight int) {
	release := accounting.Release{Event: event.Repeat(int64(k), x.event), Adjacency: x.adj}
	if x.event.Kind == event.KindGroup {
		release.Event = event.Group(x.event.Count, event.Repeat(int64(k), x.event.Parts[0]))
	}
	lows, highs := compositions(x.occurs, k, pairLaw.below), compositions(x.above, k, pairLaw.above)
	if k > 1 && len(x.above) > 1 {
		highs = nil // Adaptive runs may choose among the pairs.
	}
	for _, q := range questions {
		b, err := a(release, q.quantity)
		if err != nil && q.adds && strings.Contains(err.Error(), "no pair of a group is known") {
			continue
		}
		if err != nil {
			found = append(found, fmt.Sprintf("%v: %v: %v", release, q.quantity, err))
			continue
		}
		low, high := 0.0, math.Inf(1)
		for _, l := range lows {
			low = math.Max(low, q.of(l, k))
		}
		if highs != nil {
			high = 0
		}
		for _, l := range highs {
			high = math.Max(high, q.of(l, k))
		}
		if low > b.Upper*(1+1e-7)+1e-12 || b.Lower > high*(1+1e-7)+1e-12 {
			found = append(found, fmt.Sprintf("%v: %v is in [%.9g, %.9g], accounted [%.9g, %.9g]",
				release, q.quantity, low, high, b.Lower, b.Upper))
		}
		if b.Upper-low < 0.02*b.Upper {
			tight++
		}
	}
	return found, tight
}

// A composed is a pair for one run and a pair for all runs.
type composed struct{ one, all pairLaw }

func compositions(pairs []pairLaw, k int, compose func(pairLaw, int) pairLaw) (all []composed) {
	for _, l := range pairs {
		for _, l := range []pairLaw{l, l.reversed()} {
			all = append(all, composed{compose(l, 1), compose(l, k)})
		}
	}
	return all
}

func (q question) of(l composed, k int) float64 {
	if q.adds {
		return float64(k) * q.value(l.one)
	}
	return q.value(l.all)
}

func TestIndependentValues(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 2))
	tried, tight := 0, 0
	kinds := map[event.Kind]bool{event.KindCompose: true, event.KindShuffledBatches: true, event.KindRepeat: true}
	rounds := testutil.Size(1, 10)
	for round := range rounds {
		for i, x := range independents(r) {
			changed(x.event, func(e *event.Event) { kinds[e.Kind] = true })
			for _, k := range testutil.Size([]int{1 + i%3}, []int{1, 2, 3}) {
				asked := testutil.Size(slices.Concat(questions[i%2:i%2+1], questions[2:]), questions)
				found, n := x.disagreements(trueAccount, k, asked)
				for _, f := range found {
					t.Errorf("%s: %s", x.cell, f)
				}
				tried += len(asked)
				tight += n
			}
		}
		t.Logf("round %d of %d: %d values", round+1, rounds, tried)
	}
	for kind, name := range event.KindNames {
		if !kinds[kind] {
			t.Errorf("%s has no independent values", name)
		}
	}
	t.Logf("%d values, %d of them within 2 %% of the upper end", tried, tight)
}

// faults are accounts with a known fault. Each must disagree with an independent value.
var faults = map[string]account{
	"amplified twice": func(r accounting.Release, q accounting.Quantity) (accountant.Bracket, error) {
		r.Event = changed(r.Event, func(e *event.Event) {
			if e.Kind == event.KindPoisson {
				e.A *= e.A
			}
		})
		return trueAccount(r, q)
	},
	"upper end as lower end": func(r accounting.Release, q accounting.Quantity) (accountant.Bracket, error) {
		b, err := trueAccount(r, q)
		return accountant.Bracket{Lower: b.Upper, Estimate: b.Upper, Upper: b.Upper}, err
	},
	"replaced records as added ones": func(r accounting.Release, q accounting.Quantity) (accountant.Bracket, error) {
		r.Adjacency = event.AddRemove
		return trueAccount(r, q)
	},
	"sensitivity over √2": func(r accounting.Release, q accounting.Quantity) (accountant.Bracket, error) {
		r.Event = changed(r.Event, func(e *event.Event) { e.Sensitivity /= math.Sqrt2 })
		return trueAccount(r, q)
	},
}

// changed applies a change to a copy of every node of an event.
func changed(e event.Event, change func(*event.Event)) event.Event {
	change(&e)
	e.Parts = slices.Clone(e.Parts)
	for i, part := range e.Parts {
		e.Parts[i] = changed(part, change)
	}
	return e
}

func TestIndependentValuesFindFaults(t *testing.T) {
	values := independents(rand.New(rand.NewPCG(45, 3)))
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			for _, x := range values {
				if found, _ := x.disagreements(fault, 1, questions); len(found) > 0 {
					t.Log(found[0])
					return
				}
			}
			t.Error("no value disagrees")
		})
	}
}
