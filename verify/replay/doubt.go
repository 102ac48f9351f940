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
	// A finding has to hold with otherCoins other seeds for the coins drawn outside primitives, and in repeats runs
	// with the same seed.
	otherCoins = 16
	repeats    = 3
	// maxDoubts is the number of findings in one search that are re-examined; each takes tens of runs.
	maxDoubts = 40

	never = math.MaxInt
)

// doubt returns why a break at a call is not a finding; "" if it is one. Up to this call, the release has to make the
// same calls with other coins, with all released values fixed, and in every repetition.
func (s *replaying[D]) doubt(seed uint64, p inputs.Pair[D], c comparison, at int) (string, error) {
	// The outputs differ with all released values fixed if noise around 0 is added to the data later.
	if i := c.aroundZero(at); i >= 0 && (s.part != Account || c.outputs != "") {
		return fmt.Sprintf("%s, is given 0 in both runs: its noise may be added to a value later, which a replay does "+
			"not detect; give that value to the call", named(i, c.a.Calls[i])), nil
	}
	const coins = "the release draws coins outside the primitives, in the run on %s%s: draw noise by primitives, and " +
		"coins independent of the data as public"
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
				return fmt.Sprintf(coins, c.names[i], ": with other coins it differs from "+step(other, side.was)+" on"), nil
			default:
				return fmt.Sprintf("the run on %s differs from %s on when it is repeated: the finding may be chance",
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

// aroundZero returns the first call before the break that adds noise to 0 in both runs, or −1.
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

// caller identifies a call across pairs.
type caller struct {
	index int
	kind  primitive.Kind
	place string
}

func callerOf(i int, c Call) caller { return caller{i, c.Kind, c.Place} }

// note records the calls that are given different values in A and B, for aroundConstant.
func (s *replaying[D]) note(c comparison) {
	for i, m := range c.moves {
		if m.distance > m.slack {
			s.follows[callerOf(i, c.a.Calls[i])] = true
		}
	}
}

// aroundConstant returns the first call before the break that declares a sensitivity and was given the same value on
// both inputs of every pair, or −1. Such a call may be a noisy threshold, or a mask that is added to the data later.
func (s *replaying[D]) aroundConstant(c comparison, at int) int {
	for i := range min(at, len(c.moves)) {
		if x := c.a.Calls[i]; !coin(x.Kind) && x.Sensitivity > 0 && !s.follows[callerOf(i, x)] {
			return i
		}
	}
	return -1
}

// step names a call, or the end of the run.
func step(i int, r Run) string {
	if i >= len(r.Calls) {
		return "the last call"
	}
	return named(i, r.Calls[i])
}

// deviates returns the index of the first call on which two runs on one input differ, or the number of calls if only
// their outputs differ. It returns never if they agree up to a call whose values were drawn again.
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

// doubtBill returns why a cost above the claim is not a finding; "" if it is one. A call is charged only if the
// output determines its released value. For example, the privacy of a noisy maximum or of a comparison with a
// threshold has a tighter proof than the sum of its calls. The cost must also exceed the claim if equal calls are
// compared in another order, because an order that the output does not reveal costs nothing.
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
		return m, fmt.Sprintf("%s; by the tested calls, the cost is %.6g; record a smaller release", tooMany,
			b.observed.Lower), nil
	}
	if err != nil || !b.broken {
		return m, fmt.Sprintf("the output does not show the released values of %s, so another proof may show the claim; "+
			"by the calls that it shows, the cost is %.6g", verify.Plural(hidden, "call"), b.observed.Lower), err
	}
	for _, moves := range charged.matchings() {
		b, err := s.accounts.bill(comparison{a: charged.a, b: charged.b, moves: moves})
		if err != nil || !b.broken {
			return m, fmt.Sprintf("equal calls are given nearly the same values in another order; if equal or adjacent "+
				"values are compared, they cost %.6g", b.observed.Lower), err
		}
	}
	if !d.attributed() {
		return m, "it is not known which calls use which sample", nil
	}
	if s.accounts.pure() {
		loss := d.attained()
		if !(loss > s.accounts.atMost*(1+Rounding)) {
			return m, fmt.Sprintf("the calls that the output shows cost %.6g together if each is charged for the distance "+
				"in this run, but no output was found whose probabilities differ by more than a factor of e^%.6g",
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

// otherCouplings tries all couplings of the records' coins. If the calls cost no more than the claim
// under one of them, it returns why replay cannot decide, else "".
func (s *replaying[D]) otherCouplings(seed uint64, p inputs.Pair[D], d *decoder[D], c comparison) (string, error) {
	first := slices.IndexFunc(c.recorded, drawsPerRecord)
	if first < 0 || first >= len(c.b.Calls) {
		return "", nil
	}
	for _, by := range couplings(int(c.recorded[first].Value[0]), int(c.b.Calls[first].Value[0])) {
		replay := Run{Calls: by.apply(c.recorded), Output: c.a.Output}
		run, err := s.Subject.Run(seed, p.B, replay.Calls)
		if err != nil {
			return "", err
		}
		if with := compare(replay, run); with.clean() {
			if b, err := s.accounts.bill(d.only(with)); err != nil || !b.broken {
				return "it is not known which records of the two inputs correspond, and with one matching the calls cost no " +
					"more than is claimed", err
			}
		}
	}
	return "", nil
}

// matchings returns the moves if equal calls are compared in other orders: sorted by their values, and with identical
// values paired first. It returns nil if no two calls are equal.
func (c comparison) matchings() (all [][]move) {
	groups := c.alike()
	for _, dropEqual := range []bool{false, true} {
		moves := slices.Clone(c.moves)
		for _, at := range groups {
			valuesIn := func(r Run) (values [][]float64) {
				for _, i := range at {
					values = append(values, r.Calls[i].Value)
				}
				slices.SortFunc(values, slices.Compare)
				return values
			}
			x, y := valuesIn(c.a), valuesIn(c.b)
			if dropEqual {
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

// alike groups the indices of calls that are the same except for the given value. It leaves out groups of one.
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

// unshared removes the values of y from x. Both are sorted. A value that occurs once in y is removed once.
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
