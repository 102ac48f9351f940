package accountant

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// renyi returns the larger Rényi divergence of both orders, by summation.
func (o outcomes) renyi(alpha float64) float64 {
	return math.Max(o.renyiForth(alpha), o.reversed().renyiForth(alpha))
}

func (o outcomes) renyiForth(alpha float64) float64 {
	var sum logAccumulator
	for _, row := range o {
		switch {
		case row[0] < 1e-280: // near underflow, which is not a difference of supports
		case row[1] == 0:
			return math.Inf(1)
		default:
			sum.add(alpha*math.Log(row[0]) - (alpha-1)*math.Log(row[1]))
		}
	}
	return sum.log() / (alpha - 1)
}

func (o outcomes) reversed() (back outcomes) {
	for _, row := range o {
		back = append(back, [2]float64{row[1], row[0]})
	}
	return back
}

func TestEveryKindSaysWhetherItsRenyiDivergenceOccurs(t *testing.T) {
	for kind, name := range event.KindNames {
		if a, ok := renyiAttained[kind]; !ok || a.how == 0 || a.why == "" {
			t.Errorf("%s: not in the table", name)
		}
		if how := renyiAttained[kind].how; kind.OfPair() && how != byPair {
			t.Errorf("%s is known by its pair, which bounds it from above", name)
		}
	}
}

// Rényi divergences of explicit distributions are within the brackets. They equal the lower ends of events whose lower
// pair they are.
func TestRenyiLowerEndsOccur(t *testing.T) {
	phi := func(x float64) float64 { return normalCDF(x) }
	low, high := math.Exp(-0.5)/2, 1-math.Exp(-0.5)/2
	voted := phi(1 / math.Sqrt(8))
	table := outcomes{{0.9, 0.5}, {0.1, 0.5}}
	skew := outcomes{{0.2, 0.05}, {0.8, 0.95}} // its worse order is not the table's
	sampled := outcomes{}
	for i, p := range response(0.5, 2, 0) {
		q := response(0.5, 2, 1)[i]
		sampled = append(sampled, [2]float64{0.7*q + 0.3*p, q})
	}
	for _, c := range []struct {
		event     event.Event
		adjacency event.Adjacency
		laws      outcomes
	}{
		{event.PermuteAndFlip(1), event.AddRemove, outcomes{{low, high}, {high, low}}},
		{event.PermuteAndFlip(5), event.AddRemove, outcomes{{0.5, 1 - math.Exp(-5)/2}, {0.5, math.Exp(-5) / 2}}},
		{event.NoisyArgmax(2), event.ReplaceOne, outcomes{{voted, 1 - voted}, {1 - voted, voted}}},
		{event.Table(table), event.AddRemove, table},
		{event.DiscreteGaussian(3).WithSensitivity(2), event.AddRemove, discreteGaussians(3, 2)},
		{event.Poisson(0.3, event.Exponential(1)), event.AddRemove, sampled},
		{event.Uniform(3), event.AddRemove, outcomes{{1, 0}, {0, 1}}},
	} {
		for _, alpha := range []float64{1.5, 2, 8, 40} {
			if c.event.Kind == event.KindPermuteAndFlip && (alpha > 2) != (c.event.A > 1) {
				continue // the other candidates are worse
			}
			for k := range 2 {
				e, o := c.event, c.laws
				if k == 1 {
					if e, o = event.Repeat(2, e), o.twice(); len(o) > 1e4 {
						continue
					}
				}
				b, err := Renyi(e, c.adjacency, alpha)
				want := o.renyi(alpha)
				if err != nil || !(b.Lower <= want*(1+1e-9) && b.Upper >= want*(1-1e-9)) ||
					!(b.Lower >= want*(1-1e-6)) && !math.IsInf(want, 1) || math.IsInf(want, 1) != math.IsInf(b.Lower, 1) {
					t.Errorf("%s at order %v: [%v, %v], the laws have %v (%v)", e, alpha, b.Lower, b.Upper, want, err)
				}
			}
		}
	}
	// Both parts use one order of the neighbors. The divergences in each part's worse order do not add up.
	both := outcomes{}
	for _, a := range table {
		for _, b := range skew {
			both = append(both, [2]float64{a[0] * b[0], a[1] * b[1]})
		}
	}
	b, err := Renyi(event.Compose(event.Table(table), event.Table(skew)), event.AddRemove, 5)
	if want := both.renyi(5); err != nil || !(b.Lower <= want*(1+1e-9) && b.Lower >= want*(1-1e-9) && b.Upper >= want*(1-1e-9)) {
		t.Errorf("two tables: [%v, %v], the laws have %v (%v)", b.Lower, b.Upper, want, err)
	}
}

// An upper end is not a lower end: for events bounded by their worst permutation, and for permute-and-flip, which is
// bounded by Laplace noise.
func TestRenyiUpperEndsAreNotLowerEnds(t *testing.T) {
	for _, e := range []event.Event{
		event.ShuffledBatches(5, event.Gaussian(1)),
		event.Poisson(0.5, event.Compose(event.ShuffledBatches(5, event.Repeat(2, event.Gaussian(1))), event.Gaussian(1))),
	} {
		b, err := Renyi(e, event.AddRemove, 2)
		if err != nil || b.Lower > 0 || b.Upper == 0 {
			t.Errorf("%s: [%v, %v] (%v)", e, b.Lower, b.Upper, err)
		}
	}
	// Two candidates attain only one point of the trade-off function of Laplace noise.
	for _, alpha := range []float64{1.1, 1.5, 2, 8, 100} {
		flip, err := Renyi(event.PermuteAndFlip(1), event.AddRemove, alpha)
		laplace, errLaplace := Renyi(event.Laplace(1), event.AddRemove, alpha)
		if err != nil || errLaplace != nil || !(flip.Lower < laplace.Lower) {
			t.Errorf("order %v: permute-and-flip [%v, %v], Laplace %v", alpha, flip.Lower, flip.Upper, laplace.Upper)
		}
	}
}

// A discrete Gaussian has D_α ≤ αΔ²/2σ², with equality if αΔ is an integer. This includes orders at which probabilities
// underflow.
func TestDiscreteGaussianRenyiFarOut(t *testing.T) {
	for _, sigma := range []float64{0.4, 1, 5} {
		for _, alpha := range []float64{2, 40, 50, 100, 1000} {
			b, err := Renyi(event.DiscreteGaussian(sigma), event.AddRemove, alpha)
			if want := alpha / (2 * sigma * sigma); err != nil || !(b.Upper >= want*(1-1e-12) && b.Upper <= want*(1+1e-9) && b.Lower <= want) {
				t.Errorf("σ = %v, order %v: [%v, %v], want %v (%v)", sigma, alpha, b.Lower, b.Upper, want, err)
			}
			s, err := Renyi(event.Poisson(0.1, event.DiscreteGaussian(sigma)), event.AddRemove, alpha)
			// P ≥ qN implies this divergence.
			if lower := b.Lower + alpha/(alpha-1)*math.Log(0.1); err != nil || !(s.Upper >= lower && s.Upper <= b.Upper) {
				t.Errorf("sampled, σ = %v, order %v: [%v, %v] (%v)", sigma, alpha, s.Lower, s.Upper, err)
			}
		}
	}
}

// Mechanisms on drawn inputs are not above the upper ends, and the worst ones are not below the lower ends. D_α
// increases with α, so no lower end exceeds the upper end of a larger order.
func TestDrawnRenyiDivergences(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 4))
	for i := range 2 * instanceKinds {
		in := drawInstance(r, i%instanceKinds)
		last := 0.0
		for _, alpha := range []float64{1.2, 2, 6, 30} {
			b, err := Renyi(in.event, in.adjacency, alpha)
			if err != nil {
				t.Errorf("%s under %s: %v", in.event, in.adjacency, err)
				break
			}
			d := in.outputs.renyi(alpha)
			if !(b.Upper >= d*(1-1e-6)-1e-12) && !math.IsInf(b.Upper, 1) || in.worst && !(b.Lower <= d*(1+1e-6)) || b.Upper < last {
				t.Errorf("%s under %s at order %v: [%v, %v], the laws have %v, a smaller order at least %v", in.event,
					in.adjacency, alpha, b.Lower, b.Upper, d, last)
			}
			last = b.Lower
		}
	}
}

// ε at δ = 0 of several parts belongs to one order of the neighbors. The sum over each part's worse order is larger,
// and δ at a smaller ε refutes it.
func TestPureLowerEndIsOfOneOrder(t *testing.T) {
	table := outcomes{{0.9, 0.5}, {0.1, 0.5}}
	e := event.Compose(event.Table(table), event.Table(table.reversed()))
	want := math.Log(0.9/0.5) + math.Log(0.5/0.1)
	b, err := Epsilons(e, event.AddRemove, 0, Options{Methods: []string{"best"}})
	if err != nil || !(b[0].Lower <= want && b[0].Lower >= want*(1-1e-9) && b[0].Upper >= want) {
		t.Errorf("two orders: %v, want at most %v (%v)", b, want, err)
	}
	b, err = Epsilons(event.Repeat(3, event.Table(table)), event.AddRemove, 0, Options{Methods: []string{"best"}})
	if want := 3 * math.Log(5); err != nil || !near(b[0].Lower, want) || !near(b[0].Upper, want) {
		t.Errorf("one order: %v, want %v (%v)", b, want, err)
	}
}

// Lower ends at large orders are below the true value, even if the rounding of terms exceeds 1e-10 of their sum. The
// true values are binomial sums in 60 digits at q = 2⁻¹⁷, σ = 2⁷, and the sum over both outputs at q = 2⁻³³¹, ε₀ = 229.
func TestRenyiLowerEndOfLargeOrders(t *testing.T) {
	gaussian, response := event.Poisson(0x1p-17, event.Gaussian(128)), event.Poisson(0x1p-331, event.Pure(229))
	for _, c := range []struct {
		event        event.Event
		alpha, truth float64
	}{
		{gaussian, 386121, 6.86064793259953425e-10},
		{gaussian, 386122, 4.85247022995291749e-9},
		{gaussian, 386123, 1.38734415408147836e-5},
		{response, 450, 4.84710439029873440e-5},
		{response, 455, 5.24016155632656109e-4},
	} {
		b, err := Renyi(c.event, event.AddRemove, c.alpha)
		if err != nil || !(b.Lower <= c.truth && c.truth <= b.Upper && b.Width() <= 1e-7*c.truth) {
			t.Errorf("%s, order %v: [%v, %v], %v, want %v", c.event, c.alpha, b.Lower, b.Upper, err, c.truth)
		}
	}
}
