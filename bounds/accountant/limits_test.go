package accountant

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// The largest losses of 8,000 different parts add up. A sum of doubles that is rounded up 8,000 times is 1.3e-13 too
// large, which the lower end must allow for.
func TestLargestLossesOfManyParts(t *testing.T) {
	var parts []event.Event
	sum := new(big.Float).SetPrec(200)
	for i := range 8000 {
		scale := 1 + float64(i)/70000
		parts = append(parts, event.Laplace(scale))
		sum.Add(sum, new(big.Float).SetPrec(200).Quo(big.NewFloat(1), big.NewFloat(scale)))
	}
	want, _ := sum.Float64()
	b, err := LossEpsilon(event.Compose(parts...), event.AddRemove, 0, Precision{})
	if err != nil || !(b.Lower <= want && want <= b.Upper) {
		t.Errorf("ε of 8,000 parts is in [%v, %v], want %v (%v)", b.Lower, b.Upper, want, err)
	}
}

// The squares of orders above 1e154 overflow.
func TestRenyiOfHugeOrders(t *testing.T) {
	for _, c := range []struct {
		event event.Event
		adj   event.Adjacency
		shift float64 // D_α is at most α·shift²/2
	}{
		{event.GaussianMixture(0.5, []float64{0.3, 1, 2}, []float64{0.8, 0.1, 0.1}), event.AddRemove, 4},
		{event.GaussianMixture(0.5, []float64{0.3, 1, 2}, []float64{0.8, 0.1, 0.1}), event.ReplaceOne, 8},
		{event.WithoutReplacement(1, 1, event.Gaussian(1)), event.AddRemove, 2},
		{event.WithoutReplacement(1, 10, event.Gaussian(1)), event.ReplaceOne, 2},
		{event.Matrix(2, 1, 1), event.AddRemove, 0.5},
		{event.NoisyArgmax(1), event.AddRemove, math.Sqrt2},
	} {
		for _, alpha := range []float64{1e120, 1e200, 1e300} {
			b, err := Renyi(c.event, c.adj, alpha)
			upper := alpha * c.shift * c.shift / 2 * (1 + 1e-9)
			if err != nil || !(b.Lower <= upper && b.Upper <= upper) {
				t.Errorf("%s under %s: order %v in [%v, %v], want at most %v (%v)", c.event, c.adj, alpha, b.Lower, b.Upper, upper, err)
			}
		}
	}
}

// TestLossesThatAreInfiniteAlmostSurely checks that δ is about 1 if the probability of an infinite loss, or its error
// bound, rounds to 1.
func TestLossesThatAreInfiniteAlmostSurely(t *testing.T) {
	for _, e := range []event.Event{
		event.TruncatedLaplace(0.00225, 0.78),
		event.Repeat(1e6, event.Table([][2]float64{{2e-149, 0.0215}, {0, 0.9785}, {1 - 2e-149, 0}})),
	} {
		for _, epsilon := range []float64{0, 1, 10} {
			r, err := Deltas(e, event.AddRemove, epsilon, Options{})
			if err != nil || !(r[0].Lower > 1-1e-11 && r[0].Upper == 1) {
				t.Errorf("%s: δ(%v) is in %v, want about 1 (%v)", e, epsilon, r, err)
			}
		}
	}
}

// If the responses are true with probability near 1, δ(ε) is 1 − e^(ε−x) at an ε below their loss x and far above the
// next loss. The probabilities of Q relative to P are e^−800 at the next loss of the first list. At the one of the second
// and third list, they are below the rounding error of 1.
func TestHeterogeneousCompositionOfHugeLosses(t *testing.T) {
	for _, epsilons := range [][]float64{{800, 1e-6}, {50, 50, 0}, {250, 0}} {
		h, err := NewHeterogeneousComposition(epsilons, nil)
		if err != nil {
			t.Fatal(err)
		}
		x := 0.0
		for _, e := range epsilons {
			x += e
		}
		for _, delta := range []float64{1e-5, 1e-3, 0.3, 0.5, 0.9, 0.999} {
			b, err := h.Epsilon(delta)
			if want := x + math.Log1p(-delta); err != nil || !(b.Lower <= want+1e-6 && want-1e-6 <= b.Upper && b.Width() < 1e-5) {
				t.Errorf("%v, δ = %v: ε in [%v, %v], want %v (%v)", epsilons, delta, b.Lower, b.Upper, want, err)
			}
		}
	}
}

// All shifts of this mixture are many standard deviations, and P's density underflows at Q's outputs.
func TestMixtureOfLargeShifts(t *testing.T) {
	shifts, weights, sigma := []float64{0.8, 1, 2}, []float64{0.4, 0.2, 0.4}, 0.02
	e := event.GaussianMixture(sigma, shifts, weights)
	for _, epsilon := range []float64{1, 700, 850, 1300} {
		want := 0.0
		const step = 1e-3
		for y := -10.0; y < 120; y += step {
			p := math.Inf(-1)
			for i, s := range shifts {
				p = math.Max(p, math.Log(weights[i])-(y-s/sigma)*(y-s/sigma)/2) // other parts are below e^−20 times this
			}
			if q := epsilon - y*y/2; p > q {
				want += step / math.Sqrt(2*math.Pi) * math.Exp(p) * -math.Expm1(q-p)
			}
		}
		r, err := Deltas(e, event.AddRemove, epsilon, Options{Methods: []string{"best"}, Precision: Precision{Width: 0.01, MaxPoints: 1 << 16}})
		if err != nil || !(r[0].Lower <= want*(1+1e-6) && want <= r[0].Upper*(1+1e-6)) {
			t.Errorf("δ(%v) is in %v, want %v (%v)", epsilon, r, want, err)
		}
	}
	far := event.GaussianMixture(0.0067, []float64{0.298, 1, 2}, []float64{0.858, 0.14, 0.002})
	for _, e := range []event.Event{far, event.Compose(event.Threshold(3.3, event.Laplace(6.4)), far)} {
		for adj := range event.Adjacency(2) {
			if r, err := Deltas(e, adj, 1, Options{}); err != nil || r[0].Upper < 1-1e-9 {
				t.Errorf("%s under %s: δ(1) is in %v, want about 1 (%v)", e, adj, r, err)
			}
		}
	}
}

// If Rényi DP proves that ε is 0, or nearly so, the lattice need not be finer than the losses require.
func TestWidthNextToZero(t *testing.T) {
	for _, delta := range []float64{0.16534, 0.1653404, 0.9} {
		p, err := newProfile(event.Poisson(0.3, event.Laplace(1)), event.AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		pl, err := p.plan(question{logDelta: math.Log(delta)}, Precision{})
		if err != nil || !(pl.width > 1e-6 && pl.width < 1e-3) {
			t.Errorf("δ = %v: the width is %v (%v)", delta, pl.width, err)
		}
	}
}

func TestSettled(t *testing.T) {
	for _, c := range []struct {
		brackets []Bracket
		want     bool
	}{
		{nil, false},
		{[]Bracket{{0, 0, 0}}, true},
		{[]Bracket{{0, 0, 1e-12}}, false},
		{[]Bracket{{0.5, 0.6, 1}, {0.2, 0.3, 0.5000000001}}, true},
		{[]Bracket{{0.5, 0.6, 1}, {0.2, 0.3, 0.500001}}, false},
		{[]Bracket{{1, 2, math.Inf(1)}}, false},
		{[]Bracket{{1, 2, math.Inf(1)}, {0, 0.5, 0.5}}, false}, // a contradiction
		{[]Bracket{{math.Inf(1), math.Inf(1), math.Inf(1)}}, true},
	} {
		var results []Result
		for _, b := range c.brackets {
			results = append(results, Result{Bracket: b})
		}
		if got := settled(results); got != c.want {
			t.Errorf("%v: settled is %v", c.brackets, got)
		}
	}
}

// A partition without other records is released with probability s = P(noise > threshold − sensitivity), sampled q·s.
// At losses that the noise of an old partition does not reach, nothing else is told under add-or-remove.
func TestNewPartitionFromBelow(t *testing.T) {
	laplace := func(scale float64) event.Event { return event.Threshold(4, event.Laplace(scale)) }
	for _, c := range []struct {
		event   event.Event
		adj     event.Adjacency
		epsilon float64
		lower   float64 // lower bound that occurs
		exact   bool
	}{
		{laplace(2), event.AddRemove, 1, math.Exp(-1.5) / 2, true},
		{laplace(2), event.AddRemove, 0.5, math.Exp(-1.5) / 2, true},
		{laplace(1), event.AddRemove, 1, math.Exp(-3) / 2, true},
		{laplace(2), event.AddRemove, 0, 1 - math.Exp(-0.25), false}, // from an existing partition
		{laplace(2), event.ReplaceOne, 3, math.Exp(-1.5) / 2, false},
		{event.Threshold(4, event.Gaussian(2)), event.AddRemove, 5, math.Erfc(1.5/math.Sqrt2) / 2, true},
		{event.Poisson(0.3, laplace(2)), event.AddRemove, 0.5, 0.3 * math.Exp(-1.5) / 2, true},
		{event.Poisson(0.3, laplace(2)), event.ReplaceOne, 1, 0.3 * math.Exp(-1.5) / 2, false},
		{event.Repeat(3, laplace(2)), event.AddRemove, 5, 1 - math.Pow(1-math.Exp(-1.5)/2, 3), true},
		{event.FixedBatches(2, laplace(2)), event.AddRemove, 5, math.Exp(-1.5) / 2, true},
	} {
		r, err := Deltas(c.event, c.adj, c.epsilon, Options{Methods: []string{"best"}, Precision: Precision{Width: 0.1, MaxPoints: 1 << 12}})
		if err != nil {
			t.Errorf("%s: %v", c.event, err)
			continue
		}
		if b := r[0]; !(b.Lower <= c.lower*(1+1e-12) && b.Lower >= c.lower*(1-1e-9)) || c.exact && !(b.Upper >= c.lower*(1-1e-12) && b.Upper < c.lower*(1+1e-9)) {
			t.Errorf("%s under %s: δ(%v) is in [%v, %v], want %v", c.event, c.adj, c.epsilon, b.Lower, b.Upper, c.lower)
		}
	}
	r, err := Epsilons(laplace(2), event.AddRemove, 0.11, Options{Methods: []string{"best"}})
	if err != nil || !math.IsInf(r[0].Lower, 1) {
		t.Errorf("ε at δ = 0.11 is in %v, want infinity (%v)", r, err)
	}
}

// A sampled table depends on which column is with the record: P′ = (1−q)Q + qP.
func TestSampledTableSaysWhichColumnHasTheRecord(t *testing.T) {
	for _, c := range []struct {
		rows [][2]float64
		want float64 // D₂ of the mixture from the second column
	}{
		{[][2]float64{{0.5, 0.1}, {0.5, 0.9}}, math.Log(0.18*0.18/0.1 + 0.82*0.82/0.9)},
		{[][2]float64{{0.1, 0.5}, {0.9, 0.5}}, math.Log(0.25/0.42 + 0.25/0.58)},
	} {
		e := event.Poisson(0.2, event.Table(c.rows))
		b, err := Renyi(e, event.AddRemove, 2)
		if err != nil || math.Abs(b.Upper-c.want) > 1e-9 {
			t.Errorf("%v: %v, want %v (%v)", c.rows, b, c.want, err)
		}
		r, err := Deltas(e, event.AddRemove, 0.1, Options{Methods: []string{"best"}})
		const says = "table(2 outputs): the first column is the distribution with the record, the second without it"
		if err != nil || !slices.Contains(r[0].Assumptions, says) {
			t.Errorf("%v rests on %v (%v)", c.rows, r, err)
		}
	}
}
