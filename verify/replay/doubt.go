package replay

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

const (
	// otherCoins are seeds, of what no primitive shows, and repeats runs on the same seed, on which a finding
	// has to stand.
	otherCoins = 16
	repeats    = 3
	// mostDoubts is how many findings of a search are looked into, each of which takes tens of runs.
	mostDoubts = 40

	never = math.MaxInt
)

// doubt says why what was found on a pair at a call is no finding; "" where it is one. Up to there, the release
// has to do the same on other coins, where every call releases the same, and in every repetition.
func (s *replaying[D]) doubt(seed uint64, p inputs.Pair[D], c comparison, at int) (string, error) {
	// Noise that is added to a value later makes the outputs differ, where every call releases the same.
	if i := c.aroundZero(at); i >= 0 && (s.part != Account || c.outputs != "") {
		return fmt.Sprintf("%s, is given 0 in both runs: its noise may be added to a value later, which is not seen; "+
			"give that value to the call", named(i, c.a.Calls[i])), nil
	}
	const coins = "the release draws coins that no primitive shows, in the run on %s%s: draw what is noise by " +
		"primitives, " +
		"and what has nothing to do with the data as public"
	sides := []struct {
		input  D
		replay []Call
		was    Run
	}{{p.A, c.recorded, Run{Calls: c.recorded, Output: c.a.Output, Coins: c.a.Coins}}, {p.B, c.a.Calls, c.b}}
	for i, side := range sides {
		if own := side.was.Coins; own > 0 && own-1 <= at {
			return fmt.Sprintf(coins, c.names[i], " after "+verify.Plural(own-1, "call")), nil
		}
	}
	for k := range otherCoins + repeats {
		with := seed
		if k < otherCoins {
			with += uint64(k+1) << 32
		}
		for i, side := range sides {
			run, err := s.Subject.Run(with, side.input, side.replay)
			if err != nil {
				return "", err
			}
			other := deviates(side.was, run)
			switch {
			case other > at:
			case k < otherCoins:
				return fmt.Sprintf(coins, c.names[i], ": with others it is another from "+step(other, side.was)+" on"), nil
			default:
				return fmt.Sprintf("the run on %s is another from %s on when it is repeated: what was found there may be chance",
					c.names[i], step(other, side.was)), nil
			}
		}
	}
	if i := s.aroundConstant(c, at); i >= 0 && (s.part == Flow || s.part == Release) {
		return fmt.Sprintf("%s, is given the same value in both runs: if the value does not depend on the data, its "+
			"noise may be combined with the data later, which a replay does not detect; give the call a value of the "+
			"data, or declare the sensitivity 0", named(i, c.a.Calls[i])), nil
	}
	return "", nil
}

// aroundZero is the first call before the one at which something was found that adds noise to 0 in both runs, or −1.
func (c comparison) aroundZero(at int) int {
	zero := func(r Run, i int) bool {
		return !slices.ContainsFunc(r.Calls[i].Value, func(v float64) bool { return v != 0 })
	}
	for i := range min(at, len(c.moves)) {
		if additive(c.a.Calls[i].Kind) && zero(c.a, i) && zero(c.b, i) {
			return i
		}
	}
	return -1
}

// caller is what is known of where a call is made.
type caller struct {
	index int
	kind  primitive.Kind
	place string
}

func callerOf(i int, c Call) caller { return caller{i, c.Kind, c.Place} }

// note records the calls that are given different values in A and B.
func (s *replaying[D]) note(c comparison) {
	for i, m := range c.moves {
		if m.distance > m.slack {
			s.follows[callerOf(i, c.a.Calls[i])] = true
		}
	}
}

// aroundConstant returns the first call before the finding that declares a sensitivity and was given the same value
// on both inputs of every pair, or −1. Such a call may be a noisy threshold, or a mask that is added to the data
// later.
func (s *replaying[D]) aroundConstant(c comparison, at int) int {
	for i := range min(at, len(c.moves)) {
		if x := c.a.Calls[i]; !coin(x.Kind) && x.Sensitivity > 0 && !s.follows[callerOf(i, x)] {
			return i
		}
	}
	return -1
}

// step names a call, or the end.
func step(i int, r Run) string {
	if i >= len(r.Calls) {
		return "the last call"
	}
	return named(i, r.Calls[i])
}

// deviates is the first call that two runs of one input do not have in common, or their number where the output
// differs; never, where they are alike up to a call that was drawn anew.
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

// doubtBill is doubt of an account beyond the claim. A cost counts where the output shows what the calls
// released: of noisy values of which the largest is told, or whether one is above a threshold, there are better
// proofs than their sum. It also has to remain where equal calls have changed places: an order by the data is
// no cost where the output does not keep it.
func (s *replaying[D]) doubtBill(seed uint64, p inputs.Pair[D], c comparison) (m shown, reason string, err error) {
	if s.open != "" {
		return m, s.open, nil
	}
	d, hidden, err := s.decode(seed, p, c)
	if err != nil {
		return m, "", err
	}
	charged := d.only(c)
	b, err := s.accounts.bill(charged)
	if err == nil && !b.broken && s.exhausted() {
		return m, fmt.Sprintf("%s; by those that were tested, the cost is %.6g; record a smaller one", tooMany,
			b.observed.Lower), nil
	}
	if err != nil || !b.broken {
		return m, fmt.Sprintf("%s of which the output does not show what was released, so that another proof may "+
			"show the claim; by those that it shows, the cost is %.6g", verify.Plural(hidden, "call"), b.observed.Lower), err
	}
	for _, moves := range charged.matchings() {
		b, err := s.accounts.bill(comparison{a: charged.a, b: charged.b, moves: moves})
		if err != nil || !b.broken {
			return m, fmt.Sprintf("equal calls are given nearly the same values in another order; with those compared "+
				"that are the same or next to each other, they cost %.6g", b.observed.Lower), err
		}
	}
	if !d.attributed() {
		return m, "it is not known which calls are on which sample", nil
	}
	if s.accounts.pure() {
		loss := d.attained()
		if !(loss > s.accounts.atMost*(1+Rounding)) {
			return m, fmt.Sprintf("the calls that the output shows cost %.6g together if each is charged for the "+
				"distance in this run, but no output was found whose probabilities differ by more than a factor of e^%.6g",
				b.observed.Lower, loss), nil
		}
		b.observed.Lower, b.observed.Estimate = min(b.observed.Lower, loss), min(b.observed.Estimate, loss)
	}
	if reason, err = s.otherCouplings(seed, p, d, c); err != nil || reason != "" {
		return m, reason, err
	}
	if s.open, err = d.withstands(charged); err != nil || s.open != "" {
		return m, s.open, err
	}
	return s.billed(charged, b), "", nil
}

// otherCouplings says of a sample that another coupling of its coins costs no more than is claimed.
func (s *replaying[D]) otherCouplings(seed uint64, p inputs.Pair[D], d *decoder[D], c comparison) (string, error) {
	first := slices.IndexFunc(c.recorded, records)
	if first < 0 || first >= len(c.b.Calls) {
		return "", nil
	}
	for _, by := range couplings(int(c.recorded[first].Value[0]), int(c.b.Calls[first].Value[0])) {
		replay := Run{Calls: by.of(c.recorded), Output: c.a.Output}
		run, err := s.Subject.Run(seed, p.B, replay.Calls)
		if err != nil {
			return "", err
		}
		if with := compare(replay, run); with.clean() {
			if b, err := s.accounts.bill(d.only(with)); err != nil || !b.broken {
				return "which record of the two inputs is which is not known, and there is a way in which the calls cost " +
					"no more than is claimed", err
			}
		}
	}
	return "", nil
}

// matchings are the moves where calls that are alike but for what they are given are compared otherwise: in the
// order of their values, and that with those first that are given the same. None where nothing is given twice.
func (c comparison) matchings() (all [][]move) {
	groups := c.alike()
	for _, first := range []bool{false, true} {
		moves := slices.Clone(c.moves)
		for _, at := range groups {
			of := func(r Run) (values [][]float64) {
				for _, i := range at {
					values = append(values, r.Calls[i].Value)
				}
				slices.SortFunc(values, slices.Compare)
				return values
			}
			x, y := of(c.a), of(c.b)
			if first {
				x, y = unshared(x, y), unshared(y, x)
			}
			for j, i := range at {
				moves[i] = move{}
				if j < len(x) {
					call := c.a.Calls[i]
					moves[i] = apart(call.Norm, x[j], y[j], call.Sensitivity)
				}
			}
		}
		if len(groups) > 0 {
			all = append(all, moves)
		}
	}
	return all
}

// alike are groups of two calls or more that are the same but for what they are given.
func (c comparison) alike() (groups [][]int) {
calls:
	for i := range c.moves {
		if coin(c.a.Calls[i].Kind) {
			continue
		}
		for g, at := range groups {
			if Fits(c.a.Calls[at[0]].Call, c.a.Calls[i].Call) {
				groups[g] = append(at, i)
				continue calls
			}
		}
		groups = append(groups, []int{i})
	}
	return slices.DeleteFunc(groups, func(at []int) bool { return len(at) < 2 })
}

// unshared are the values of x without those of y, one for one; both are in order.
func unshared(x, y [][]float64) (out [][]float64) {
	for _, v := range x {
		for len(y) > 0 && slices.Compare(y[0], v) < 0 {
			y = y[1:]
		}
		if len(y) > 0 && slices.Compare(y[0], v) == 0 {
			y = y[1:]
			continue
		}
		out = append(out, v)
	}
	return out
}
