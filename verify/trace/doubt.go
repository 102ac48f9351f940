package trace

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify/internal/words"
	"github.com/dpverify/dpverify/verify/neighbours"
)

const (
	// repeats of both runs have to find again what they found.
	repeats = 3
	// otherCoins changes the seed of the coins that no primitive shows.
	otherCoins = 0x9e3779b97f4a7c15
	never      = math.MaxInt
)

// doubt says why what was found on a pair is no finding; "" where it is one. What the release does up to
// where it was found has to be the same on other coins, where every call releases the same, and in every repetition.
func (s *replaying[D]) doubt(seed uint64, p neighbours.Pair[D], c comparison, at int) (string, error) {
	for k := range 1 + repeats {
		with := seed
		if k == 0 {
			with ^= otherCoins
		}
		for i, side := range []struct {
			input  D
			replay []Call
			was    Run
		}{{p.A, c.recorded, Run{Calls: c.recorded, Output: c.a.Output}}, {p.B, c.a.Calls, c.b}} {
			run, err := s.Subject.Run(with, side.input, side.replay)
			if err != nil {
				return "", err
			}
			other := deviates(side.was, run)
			switch {
			case other > at:
			case k == 0:
				return fmt.Sprintf("the release draws coins that no primitive shows: with others, and the same released by "+
					"every call, the run on %s is another from %s on; draw them by primitives", c.names[i],
					step(other, side.was)), nil
			default:
				return fmt.Sprintf("the run on %s is another from %s on when it is repeated: what was found there may be chance",
					c.names[i], step(other, side.was)), nil
			}
		}
	}
	return "", nil
}

// step names a call, or the end.
func step(i int, r Run) string {
	if i >= len(r.Calls) {
		return "the last call"
	}
	return named(i, r.Calls[i])
}

// deviates is the first call that two runs of one input do not have in common, or their number where the output differs;
// never, where they are alike up to a call that was drawn anew.
func deviates(a, b Run) int {
	for i := range max(len(a.Calls), len(b.Calls)) {
		if i >= len(a.Calls) || i >= len(b.Calls) || !Fits(a.Calls[i].Call, b.Calls[i].Call) {
			return i
		}
		x, y := a.Calls[i], b.Calls[i]
		if m := moved(x, y); m.distance > m.slack || coin(x.Kind) && x.Value[0] != y.Value[0] {
			return i
		}
		if !same(x.Released, y.Released) {
			return never
		}
	}
	if differ(a.Output, b.Output, reach(a, b), "") != "" {
		return len(a.Calls)
	}
	return never
}

// doubtBill is doubt of an account beyond the claim. A cost counts where the output shows what the calls released: of
// noisy values of which the largest is told, or whether one is above a threshold, there are better proofs than their sum.
// It also has to remain where equal calls have changed places: an order by the data is no cost where the output
// does not keep it.
func (s *replaying[D]) doubtBill(seed uint64, p neighbours.Pair[D], c comparison) (m shown, reason string, err error) {
	hidden, err := s.hide(seed, p, c)
	if err != nil {
		return m, "", err
	}
	b, err := s.accounts.bill(c)
	if err != nil || !b.broken {
		return m, fmt.Sprintf("%s of which the output does not show what was released, so that another proof may "+
			"show the claim; by those that it shows, the cost is %.6g", words.Counted(hidden, "call"), b.observed.Lower), err
	}
	if sorted := c.inPlace(); sorted != nil {
		b, err := s.accounts.bill(comparison{a: c.a, b: c.b, moves: sorted})
		if err != nil || !b.broken {
			return m, fmt.Sprintf("equal calls are given nearly the same values in another order; in that of their values "+
				"they cost %.6g", b.observed.Lower), err
		}
	}
	m, err = s.bill(c)
	return m, "", err
}

// inPlace are the moves where calls that are alike but for a single value are compared in the order of their values; nil
// where this changes nothing.
func (c comparison) inPlace() []move {
	type kind struct {
		kind, norm                any
		scale, sensitivity, count float64
	}
	alike := map[kind][]int{}
	var kinds []kind
	for i, call := range c.a.Calls[:len(c.moves)] {
		if len(call.Value) != 1 || coin(call.Kind) {
			continue
		}
		k := kind{call.Kind, call.Norm, call.Scale, call.Sensitivity, 1}
		if alike[k] == nil {
			kinds = append(kinds, k)
		}
		alike[k] = append(alike[k], i)
	}
	moves, changed := slices.Clone(c.moves), false
	for _, k := range kinds {
		at := alike[k]
		of := func(r Run) (values []float64) {
			for _, i := range at {
				values = append(values, r.Calls[i].Value[0])
			}
			slices.Sort(values)
			return values
		}
		x, y := of(c.a), of(c.b)
		for j, i := range at {
			call := c.a.Calls[i]
			m := apart(call.Norm, x[j:j+1], y[j:j+1], call.Sensitivity)
			changed = changed || m != moves[i]
			moves[i] = m
		}
	}
	if !changed {
		return nil
	}
	return moves
}
