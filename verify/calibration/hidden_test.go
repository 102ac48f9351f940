package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
	"github.com/dpverify/dpverify/verify/privacy"
)

// families returns all families.
func families() []audits {
	return slices.Concat(numberFamilies(), sequenceFamilies(), wideFamilies(), stringFamilies())
}

// readable reports whether marked returns the mark of every output, for both values of the bit.
func (f family[O]) readable(r *rand.Rand) bool {
	for i := range 2000 {
		mark := i%2 == 0
		if f.marked(f.show(content{r, float64(i % 3), i%5 == 0}, mark)) != mark {
			return false
		}
	}
	return true
}

// marks returns the number of marked outputs among n releases of an input.
func (f family[O]) marks(r *rand.Rand, h hidden, s secret, n int) (k int64) {
	m := f.mechanism(h)
	for range n {
		if o, err := m(r, s); err == nil && f.marked(o) {
			k++
		}
	}
	return k
}

// No output of a family is both marked and unmarked, so that the mark's privacy loss is the mechanism's.
func TestHiddenMarksAreReadable(t *testing.T) {
	seen := map[string]bool{}
	for i, f := range families() {
		if seen[f.label()] {
			t.Errorf("%s: twice", f.label())
		}
		seen[f.label()] = true
		if !f.(interface{ readable(*rand.Rand) bool }).readable(rand.New(rand.NewPCG(1, uint64(i)))) {
			t.Errorf("%s: a marked output is not distinct from an unmarked one", f.label())
		}
	}
}

// The frequencies of the mark agree with the leak's probabilities under both inputs. Each interval fails with
// probability 1e-6.
func TestHiddenMarksHaveTheirMass(t *testing.T) {
	const n = 20_000
	f := residue(7).(family[int])
	for i, l := range []leak{
		{mass: 0.1, loss: 2}, {mass: 0.1, loss: math.Inf(1)}, {mass: 0.3, loss: 1, delta: 0.05}, {mass: 0.2, loss: 1, underB: true}, {mass: 0.1, loss: 2, pair: 3},
	} {
		h := hidden{leak: l, claim: privacy.ApproximateDP(1, 0)}
		likelier := secret{Pair: l.pair, Bit: !l.underB}
		for _, c := range []struct {
			s    secret
			mass float64
		}{
			{likelier, l.mass},
			{secret{Pair: l.pair, Bit: l.underB}, (l.mass - l.delta) * math.Exp(-l.loss)},
			{secret{Pair: l.pair + 1, Bit: likelier.Bit}, (l.mass - l.delta) * math.Exp(-l.loss)},
		} {
			k := f.marks(rand.New(rand.NewPCG(2, uint64(i))), h, c.s, n)
			low, high, err := confidence.ClopperPearson(k, n, 1e-6)
			if err != nil || !(low <= c.mass && c.mass <= high) {
				t.Errorf("%+v at %+v: %d marks of %d, want a share of %v (%v)", l, c.s, k, n, c.mass, err)
			}
		}
	}
}

// Unmarked outputs have exactly the claimed loss: rate plus the log ratio of their probabilities.
func TestHiddenContentIsAtTheClaim(t *testing.T) {
	for _, l := range []leak{{mass: 0.1, loss: 1}, {mass: 0.1, loss: 2}, {mass: 0.2, loss: math.Inf(1)}, {mass: 0.3, loss: 2, delta: 0.1}} {
		if got := l.rate(1) + math.Log((1-l.other())/(1-l.mass)); !(math.Abs(got-1) < 1e-14) || !(l.rate(1) > 0) {
			t.Errorf("%+v: rate %v, loss %v of unmarked outputs, want 1", l, l.rate(1), got)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	const n, rate = 40_000, 0.7
	var yes int64
	for range n {
		if (content{r, rate, true}).answer() {
			yes++
		}
	}
	if low, high, err := confidence.ClopperPearson(yes, n, 1e-6); err != nil || !(low <= 1/(1+math.Exp(-rate)) && 1/(1+math.Exp(-rate)) <= high) {
		t.Errorf("%d of %d answers are true at rate %v (%v)", yes, n, rate, err)
	}
}

// Every family has a leak beyond the claim. There are also sound mechanisms that must be confirmed, so that a check
// that confirms nothing does not pass.
func TestHiddenCasesAreComplete(t *testing.T) {
	cases := hiddenCases()
	for _, f := range families() {
		own := slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return !strings.HasPrefix(c.Name, f.label()+"; ") })
		if !slices.ContainsFunc(own, func(c Case) bool { return !c.isTrue && c.event == results.Confirmed && c.hidden > 0 }) {
			t.Errorf("%s: no false claim", f.label())
		}
	}
	if !slices.ContainsFunc(cases, func(c Case) bool { return c.isTrue && c.event == results.Confirmed }) {
		t.Error("no claim must be confirmed")
	}
}

// keepsPromise fails if the evidence does not promise to detect the leak. Otherwise a case could pass without
// counting any run.
func (c Case) keepsPromise(t *testing.T, e verify.Evidence) {
	t.Helper()
	if !c.isTrue && c.hidden >= hiddenMass && e.Verdict != verify.Refuted && seenFrom(e) > c.hidden {
		t.Errorf("%s: the evidence promises to detect large violations of probability %v: want at most %v, or the row counts nothing", c.Name, seenFrom(e), c.hidden)
	}
}
