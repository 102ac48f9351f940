package accountant

import (
	"flag"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// These properties hold for every event and are checked on drawn trees. All are exact: a drawn case has one correct
// answer, up to the certified widths.

var drawLeaf = rapid.Custom(func(t *rapid.T) event.Event {
	noise := rapid.Float64Range(0.5, 8).Draw(t, "noise")
	q := rapid.Float64Range(0.001, 1).Draw(t, "q")
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0:
		return event.Gaussian(noise)
	case 1:
		return event.Laplace(noise)
	case 2:
		return event.DiscreteLaplace(1 / noise).WithSensitivity(float64(rapid.IntRange(1, 3).Draw(t, "sensitivity")))
	case 3:
		return event.RandomizedResponse(1/noise, rapid.IntRange(2, 6).Draw(t, "k"))
	case 4:
		return event.Pure(1 / noise)
	case 5:
		return event.Poisson(q, event.Laplace(noise))
	case 6:
		return event.Approximate(1/noise, 1e-9)
	default:
		return event.Poisson(q, event.Gaussian(noise))
	}
})

var drawTree = rapid.Custom(func(t *rapid.T) event.Event {
	parts := make([]event.Event, rapid.IntRange(1, 3).Draw(t, "parts"))
	for i := range parts {
		parts[i] = event.Repeat(rapid.Int64Range(1, 20).Draw(t, "count"), drawLeaf.Draw(t, "leaf"))
	}
	return event.Compose(parts...)
})

var drawAdjacency = rapid.SampledFrom([]event.Adjacency{event.AddRemove, event.ReplaceOne})

// quick is the precision of these tests. Brackets are certified at every width.
var quick = Precision{Width: 0.05, MaxPoints: 1 << 14}

func lossOf(t *rapid.T, e event.Event, adj event.Adjacency, delta float64) Bracket {
	b, err := LossEpsilon(e, adj, delta, quick)
	if err != nil {
		t.Fatalf("%v: %v", e, err)
	}
	if !(0 <= b.Lower && b.Lower <= b.Estimate && b.Estimate <= b.Upper) {
		t.Fatalf("%v: %v is no bracket", e, b)
	}
	return b
}

// drawFewer makes rapid draw n cases in this test, or the requested number in the long form.
func drawFewer(t *testing.T, n int) {
	if testutil.Asked() {
		return
	}
	const checks = "rapid.checks"
	setting := flag.Lookup(checks).Value.String()
	if err := flag.Set(checks, strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = flag.Set(checks, setting) }) // the value was valid before
}

func TestLawsOfTrees(t *testing.T) {
	drawFewer(t, 20)
	rapid.Check(t, func(t *rapid.T) {
		e, adj := drawTree.Draw(t, "event"), drawAdjacency.Draw(t, "adjacency")
		delta := math.Exp(rapid.Float64Range(-30, -3).Draw(t, "log delta"))
		b := lossOf(t, e, adj, delta)

		// n-fold equals n copies, and the order is irrelevant, both to the last digit.
		n := rapid.Int64Range(1, 4).Draw(t, "n")
		copies := make([]event.Event, n)
		for i := range copies {
			copies[i] = e
		}
		if x, y := lossOf(t, event.Repeat(n, e), adj, delta), lossOf(t, event.Compose(copies...), adj, delta); x != y {
			t.Fatalf("%d-fold %v, composed %v", n, x, y)
		}
		other := drawTree.Draw(t, "other")
		both := lossOf(t, event.Compose(e, other), adj, delta)
		if y := lossOf(t, event.Compose(other, e), adj, delta); both != y {
			t.Fatalf("in one order %v, in the other %v", both, y)
		}

		// Releasing more is less private, and ε decreases in δ.
		if !(both.Upper >= b.Lower) {
			t.Fatalf("with another event %v, without %v", both, b)
		}
		if y := lossOf(t, e, adj, delta*10); !(y.Lower <= b.Upper) {
			t.Fatalf("ε grows in δ: %v at %g, %v at %g", b, delta, y, delta*10)
		}

		// δ(ε(δ)) ≤ δ: at the upper end of ε, δ is certainly small enough.
		if d, err := LossDelta(e, adj, b.Upper, quick); err == nil && !math.IsInf(b.Upper, 1) && !(d.Lower <= delta) {
			t.Fatalf("δ at ε(%g) = %v is %v", delta, b, d)
		}
		if d, err := LossDelta(e, adj, b.Lower, quick); err == nil && b.Lower > 0 && !(d.Upper >= delta*(1-1e-9)) {
			t.Fatalf("δ below ε(%g) = %v is %v", delta, b, d)
		}

		// All methods bracket the same value, and better theorems give smaller bounds.
		rs, err := Epsilons(e, adj, delta, Options{Precision: quick})
		if err != nil {
			t.Fatal(err)
		}
		upper := map[string]float64{}
		for _, r := range rs {
			if !(r.Lower <= rs[0].Upper && rs[0].Lower <= r.Upper) {
				t.Fatalf("%s %v does not meet best %v", r.Method, r.Bracket, rs[0].Bracket)
			}
			upper[r.Method] = r.Upper
		}
		_, applies := upper["rdp"] // does not apply at δ below the failure probability of approximate mechanisms
		if applies && !(upper["rdp"] <= upper["rdp-classical"]) || applies && !(upper["best"] <= upper["rdp"]) {
			t.Fatalf("best %v, rdp %v, classical %v", upper["best"], upper["rdp"], upper["rdp-classical"])
		}
		if applies && !(b.Lower <= upper["rdp"]) {
			t.Fatalf("certified lower end %v above Rényi %v", b.Lower, upper["rdp"])
		}
	})
}

func TestLawsOfSampledGaussians(t *testing.T) {
	drawFewer(t, 30)
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.Float64Range(0.001, 0.9).Draw(t, "q")
		sigma := rapid.Float64Range(0.5, 5).Draw(t, "sigma")
		n := rapid.Int64Range(1, 300).Draw(t, "n")
		delta := math.Exp(rapid.Float64Range(-34, -3).Draw(t, "log delta"))
		adj := drawAdjacency.Draw(t, "adjacency")
		step := func(q, sigma float64, n int64) event.Event {
			return event.Repeat(n, event.Poisson(q, event.Gaussian(sigma)))
		}
		b := lossOf(t, step(q, sigma, n), adj, delta)

		if y := lossOf(t, step(q, sigma*1.3, n), adj, delta); !(y.Lower <= b.Upper) {
			t.Fatalf("ε grows in σ: %v, then %v", b, y)
		}
		if y := lossOf(t, step(math.Min(1, q*1.2), sigma, n), adj, delta); !(y.Upper >= b.Lower) {
			t.Fatalf("ε falls in q: %v, then %v", b, y)
		}
		if y := lossOf(t, step(q, sigma, 2*n), adj, delta); !(y.Upper >= b.Lower) {
			t.Fatalf("ε falls in n: %v, then %v", b, y)
		}
		if x, y := lossOf(t, step(1, sigma, n), adj, delta), lossOf(t, event.Repeat(n, event.Gaussian(sigma)), adj, delta); x != y {
			t.Fatalf("q = 1 gives %v, no sampling %v", x, y)
		}
		// The sensitivity is a unit of noise. Replace-one doubles it if nothing is sampled.
		if x := lossOf(t, step(q, 2*sigma, n).WithSensitivity(2), adj, delta); math.Abs(x.Upper-b.Upper) > 1e-9*(1+b.Upper) {
			t.Fatalf("σ and sensitivity doubled give %v, not %v", x, b)
		}
		x, y := lossOf(t, event.Repeat(n, event.Gaussian(sigma)), event.ReplaceOne, delta), lossOf(t, event.Repeat(n, event.Gaussian(sigma/2)), event.AddRemove, delta)
		if math.Abs(x.Upper-y.Upper) > 1e-9*(1+x.Upper) || math.Abs(x.Lower-y.Lower) > 1e-9*(1+x.Upper) {
			t.Fatalf("replace-one %v, add/remove at half the noise %v", x, y)
		}

		// Privacy-loss distribution and closed form, for ε and δ.
		exact, err := GDP{2 * math.Sqrt(float64(n)) / sigma}.Epsilon(delta)
		if err != nil || !(x.Lower <= exact.Upper && exact.Lower <= x.Upper) {
			t.Fatalf("distribution %v, exact %v (%v)", x, exact, err)
		}
		d, err := GDP{2 * math.Sqrt(float64(n)) / sigma}.Delta(exact.Upper)
		if err != nil || !(d.Lower <= delta) {
			t.Fatalf("δ(ε(δ)) = %v at δ = %v (%v)", d, delta, err)
		}
	})
}

func TestLawsOfResponses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps0 := rapid.Float64Range(0.001, 5).Draw(t, "eps0")
		n := rapid.Int64Range(1, 2000).Draw(t, "n")
		delta := math.Exp(rapid.Float64Range(-34, -1).Draw(t, "log delta"))
		exact, err := OptimalComposition{Epsilon0: eps0, K: n}.Epsilon(delta)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []event.Event{event.DiscreteLaplace(eps0), event.RandomizedResponse(eps0, 2), event.Pure(eps0)} {
			b := lossOf(t, event.Repeat(n, e), event.AddRemove, delta)
			if !(b.Lower <= exact.Upper && exact.Lower <= b.Upper) || b.Width() > 1e-7*(1+b.Upper) {
				t.Fatalf("%v: %v, optimal composition %v", e, b, exact)
			}
		}
		d, err := OptimalComposition{Epsilon0: eps0, K: n}.Delta(exact.Upper)
		if err != nil || !(d.Lower <= delta) {
			t.Fatalf("δ(ε(δ)) = %v at δ = %v (%v)", d, delta, err)
		}
		parts := []Guarantee{{eps0, 0, float64(n)}}
		for name, bound := range map[string]float64{
			"basic": BasicComposition(parts, delta), "advanced": AdvancedComposition(parts, delta), "advanced KOV": AdvancedCompositionKOV(parts, delta),
		} {
			if !(exact.Lower <= bound) {
				t.Fatalf("%s composition %v below the optimum %v", name, bound, exact)
			}
		}
	})
}

// Compositions of finitely many different responses, compared with enumeration.
func TestLawsOfUnequalResponses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilons := rapid.SliceOfN(rapid.Float64Range(0.01, 3), 1, 10).Draw(t, "epsilons")
		delta := math.Exp(rapid.Float64Range(-20, -2).Draw(t, "log delta"))
		parts := make([]event.Event, len(epsilons))
		for i, e := range epsilons {
			parts[i] = event.Pure(e)
		}
		h, err := NewHeterogeneousComposition(epsilons, nil)
		if err != nil {
			t.Fatal(err)
		}
		exact, err := h.Epsilon(delta)
		if err != nil {
			t.Fatal(err)
		}
		b := lossOf(t, event.Compose(parts...), event.AddRemove, delta)
		if !(b.Lower <= exact.Upper && exact.Lower <= b.Upper) {
			t.Fatalf("distribution %v, enumeration %v", b, exact)
		}
	})
}
