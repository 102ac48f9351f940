package accountant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// rho returns the largest D_α/α over a grid of orders, by summation.
func (o outcomes) rho() (rho float64) {
	for beta := 1e-4; beta < 200; beta *= 1.1 {
		rho = math.Max(rho, o.renyi(1+beta)/(1+beta))
	}
	return rho
}

// mu returns the largest Φ⁻¹(P(S)) − Φ⁻¹(Q(S)) over likelihood-ratio tests.
func (o outcomes) mu() (mu float64) {
	rows := slices.Clone(o)
	slices.SortFunc(rows, func(a, b [2]float64) int { return compareFloats(b[0]*a[1], a[0]*b[1]) })
	rest := make(outcomes, len(rows)+1)
	for i := len(rows) - 1; i >= 0; i-- {
		rest[i] = [2]float64{rest[i+1][0] + rows[i][0], rest[i+1][1] + rows[i][1]}
	}
	p, q := 0.0, 0.0
	for i, row := range rows {
		if p, q = p+row[0], q+row[1]; q > 1e-250 && p > 1e-250 && rest[i+1][0] > 1e-250 && rest[i+1][1] > 1e-250 {
			mu = math.Max(mu, bisectQuantile(p, rest[i+1][0])-bisectQuantile(q, rest[i+1][1]))
		}
	}
	return mu
}

func compareFloats(a, b float64) int {
	if a < b {
		return -1
	} else if a > b {
		return 1
	}
	return 0
}

// bisectQuantile returns Φ⁻¹(p). other is 1 − p.
func bisectQuantile(p, other float64) float64 {
	if p < other {
		return -bisectQuantile(other, p)
	}
	low, high := 0.0, 40.0
	for range 60 {
		if mid := (low + high) / 2; math.Erfc(mid/math.Sqrt2)/2 > other {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

func (o outcomes) mixed(q float64) (sampled outcomes) {
	for _, row := range o {
		sampled = append(sampled, [2]float64{(1-q)*row[1] + q*row[0], row[1]})
	}
	return sampled
}

// discreteLaplaces returns the outputs, merged by loss, of noise P(k) ∝ e^(−rate·|k|) moved by d.
func discreteLaplaces(rate float64, d int) (o outcomes) {
	norm := math.Tanh(rate / 2)
	tail := math.Exp(-rate) / (1 + math.Exp(-rate)) // P(k ≥ 1)
	at := func(k int) float64 { return norm * math.Exp(-rate*math.Abs(float64(k))) }
	o = append(o, [2]float64{tail * math.Exp(-rate*float64(d-1)), 1 - tail})
	for k := 1; k < d; k++ {
		o = append(o, [2]float64{at(k - d), at(k)})
	}
	return append(o, [2]float64{1 - tail, tail * math.Exp(-rate*float64(d-1))})
}

// fine returns noise in narrow cells, moved by the record or its replacement with a probability.
func fine(cdf func(float64) float64, record, other, q float64) outcomes {
	moves := func(x float64) []float64 { return []float64{0, x} }
	w := []float64{1 - q, q}
	return noiseCells(cdf, moves(record), moves(other), w, w, -12, 12, 0.02)
}

type enumerated struct {
	event        event.Event
	adjacency    event.Adjacency
	laws         outcomes
	worst, tight bool // no inputs are worse; ρ is attained at an order of the grid
}

// enumeratedLaws lists distributions that follow from the definitions of the mechanisms.
func enumeratedLaws() (all []enumerated) {
	const q = 0.3
	add := func(e event.Event, adj event.Adjacency, o outcomes, worst, tight bool) {
		all = append(all, enumerated{e, adj, o, worst, tight})
	}
	both := func(e event.Event, o outcomes) {
		add(e, event.AddRemove, o, true, true)
		add(e, event.ReplaceOne, o, true, true)
		add(event.Poisson(q, e), event.AddRemove, o.mixed(q), true, true)
	}
	for _, k := range []int{2, 4} {
		both(event.RandomizedResponse(2, k), responses(2, k))
		add(event.Poisson(q, event.RandomizedResponse(2, k)), event.ReplaceOne, outcomes(responses(2, k)).mixed(q), true, false)
	}
	both(event.Pure(1), responses(1, 2))
	both(event.Table([][2]float64{{0.9, 0.5}, {0.1, 0.5}}), outcomes{{0.9, 0.5}, {0.1, 0.5}})
	both(event.Table([][2]float64{{0.01, 1e-4}, {0.99, 0.9999}}), outcomes{{0.01, 1e-4}, {0.99, 0.9999}})
	add(event.Exponential(2), event.AddRemove, responses(1, 2), false, false)
	half := math.Exp(-2.0) / 2
	add(event.PermuteAndFlip(2), event.AddRemove, outcomes{{0.5, 1 - half}, {0.5, half}}, false, false)
	v := normalCDF(1 / math.Sqrt(8))
	add(event.NoisyArgmax(2), event.ReplaceOne, outcomes{{v, 1 - v}, {1 - v, v}}, false, false)
	laplace := event.Laplace(1)
	add(laplace, event.AddRemove, fine(laplaceCDF, 1, 0, 1), true, true)
	add(laplace, event.ReplaceOne, fine(laplaceCDF, 1, -1, 1), true, true)
	add(event.Poisson(q, laplace), event.AddRemove, fine(laplaceCDF, 1, 0, q), true, true)
	add(event.Poisson(q, laplace), event.ReplaceOne, fine(laplaceCDF, 1, -1, q), true, false)
	for _, d := range []int{1, 3} {
		e := event.DiscreteLaplace(0.5).WithSensitivity(float64(d))
		add(e, event.AddRemove, discreteLaplaces(0.5, d), true, true)
		add(e, event.ReplaceOne, discreteLaplaces(0.5, 2*d), true, true)
		add(event.Poisson(q, e), event.AddRemove, discreteLaplaces(0.5, d).mixed(q), true, true)
	}
	for _, sigma := range []float64{0.8, 2, 5} {
		e := event.DiscreteGaussian(sigma)
		add(e, event.AddRemove, discreteGaussians(sigma, 1), true, sigma < 5)
		add(e.WithSensitivity(2), event.AddRemove, discreteGaussians(sigma, 2), true, sigma < 5)
		add(e, event.ReplaceOne, discreteGaussians(sigma, 2), true, sigma < 5)
		add(event.Poisson(q, e), event.AddRemove, discreteGaussians(sigma, 1).mixed(q), false, false)
	}
	add(event.Gaussian(1), event.AddRemove, fine(normalCDF, 1, 0, 1), false, false)
	add(event.Gaussian(1), event.ReplaceOne, fine(normalCDF, 1, -1, 1), false, false)
	add(event.Poisson(q, event.Gaussian(1)), event.AddRemove, fine(normalCDF, 1, 0, q), false, false)
	add(event.Poisson(0.1, event.Gaussian(1)), event.ReplaceOne, fine(normalCDF, 1, -1, 0.1), false, false)
	add(event.Poisson(0.9, event.Gaussian(1)), event.ReplaceOne, fine(normalCDF, 1, -1, 0.9), true, true)
	return all
}

// ρ of explicit distributions is within the bracket, and so is ρ of up to three runs, whose divergences of each order
// add up.
func TestConcentratedOfEnumeratedLaws(t *testing.T) {
	for _, c := range enumeratedLaws() {
		one := c.laws.rho()
		for k := 1.0; k <= 3; k++ {
			b, err := Concentrated(event.Repeat(int64(k), c.event), c.adjacency)
			want := k * one
			if err != nil || !(b.Upper >= want*(1-1e-5)) || c.worst && !(b.Lower <= want*(1+2e-3)) {
				t.Errorf("%v × %s under %s: ρ in [%v, %v], the laws have %v (%v)", k, c.event, c.adjacency, b.Lower, b.Upper, want, err)
			}
			if c.tight && !(b.Lower >= want*(1-2e-3) && b.Upper <= want*(1+2e-3)) {
				t.Errorf("%v × %s under %s: ρ in [%v, %v] is wide, the laws have %v", k, c.event, c.adjacency, b.Lower, b.Upper, want)
			}
		}
	}
}

// μ of explicit distributions is within the bracket, for one run and for products of few outputs.
func TestGaussianMuOfEnumeratedLaws(t *testing.T) {
	for _, c := range enumeratedLaws() {
		product := c.laws
		for k := 1; k <= 3; k++ {
			want, high := product.mu(), math.Sqrt(squaredMu.above(event.Repeat(int64(k), c.event), c.adjacency))
			if !(high >= want*(1-1e-9)) {
				t.Errorf("%d × %s under %s: μ is at most %v, the laws have %v", k, c.event, c.adjacency, high, want)
			}
			if k == 1 && c.worst {
				b, err := GaussianMu(c.event, c.adjacency, Precision{})
				if !(b.Lower <= want*(1+1e-3)) || c.tight && !(b.Lower >= want*0.95) {
					t.Errorf("%s under %s: μ in [%v, %v], the laws have %v (%v)", c.event, c.adjacency, b.Lower, b.Upper, want, err)
				}
			}
			next := outcomes{}
			for _, a := range product {
				for _, b := range c.laws {
					next = append(next, [2]float64{a[0] * b[0], a[1] * b[1]})
				}
				if len(next) > 2e4 {
					break
				}
			}
			if product = next; len(product) > 2e4 {
				break
			}
		}
	}
}

// Published and derived values.
func TestConcentratedAndMuValues(t *testing.T) {
	quantile := func(p float64) float64 { return bisectQuantile(p, 1-p) }
	laplace, gaussian := event.Laplace(1), event.Gaussian(2)
	for _, c := range []struct {
		event     event.Event
		adjacency event.Adjacency
		rho, mu   float64
	}{
		{gaussian, event.AddRemove, 0.125, 0.5},
		{gaussian, event.ReplaceOne, 0.5, 1},
		{event.Repeat(4, event.Poisson(0.1, gaussian)), event.AddRemove, 0.5, 1}, // in the limit of large orders and rare events
		{event.ShuffledBatches(7, gaussian), event.AddRemove, 0.125, 0.5},
		{event.FixedBatches(7, gaussian), event.ReplaceOne, 0.5, 1},
		{event.Allocation(20, 4, gaussian), event.AddRemove, 0.5, 1},
		{event.WithoutReplacement(2, 9, gaussian), event.AddRemove, 0.5, 1},
		{event.Matrix(5, math.Sqrt(5), math.Sqrt(5)), event.AddRemove, 0.1, math.Sqrt(5) / 5},
		{event.Matrix(5, math.Sqrt(5), math.Sqrt(5)), event.ReplaceOne, 0.4, 2 * math.Sqrt(5) / 5},
		{event.NoisyArgmax(3), event.ReplaceOne, 1. / 9, math.Sqrt2 / 3},
		{event.GaussianMixture(1, []float64{0, 2}, []float64{0.9, 0.1}), event.AddRemove, 2, 2},
		{laplace, event.AddRemove, math.Exp(-1), -2 * quantile(math.Exp(-0.5)/2)},
		{laplace, event.ReplaceOne, 1 + math.Exp(-2), -2 * quantile(math.Exp(-1)/2)},
		{event.Pure(2), event.AddRemove, 2 * math.Tanh(1), -2 * quantile(1/(1+math.E*math.E))},
		{event.RandomizedResponse(2, 2), event.ReplaceOne, 2 * math.Tanh(1), -2 * quantile(1/(1+math.E*math.E))},
		{event.DiscreteGaussian(2), event.AddRemove, 0.125, 0.50532544},
		{event.DiscreteGaussian(2).WithSensitivity(1.5), event.AddRemove, 0.125, 0.50532544},
		{event.Compose(), event.AddRemove, 0, 0},
		{event.Poisson(0, laplace), event.AddRemove, 0, 0},
	} {
		rho, err := Concentrated(c.event, c.adjacency)
		mu, errMu := GaussianMu(c.event, c.adjacency, Precision{})
		if err != nil || !(rho.Lower <= c.rho*(1+1e-12) && rho.Upper >= c.rho*(1-1e-12) && rho.Width() <= 1e-7*c.rho) {
			t.Errorf("%s under %s: ρ in [%v, %v], want %v (%v)", c.event, c.adjacency, rho.Lower, rho.Upper, c.rho, err)
		}
		if errMu != nil || !(mu.Lower <= c.mu*(1+1e-7) && mu.Upper >= c.mu*(1-1e-7) && mu.Width() <= 1e-7*c.mu) {
			t.Errorf("%s under %s: μ in [%v, %v], want %v (%v)", c.event, c.adjacency, mu.Lower, mu.Upper, c.mu, errMu)
		}
	}
}

// If outputs are possible on only one input, ρ and μ are infinite, however rare these outputs are.
func TestUnequalSupportsHaveNoRhoAndNoMu(t *testing.T) {
	inf := math.Inf(1)
	for _, e := range []event.Event{
		event.Uniform(4), event.TruncatedLaplace(1, 10), event.TruncatedLaplace(1, 5000), event.Threshold(20, event.Laplace(1)),
		event.Threshold(1e4, event.Gaussian(1)), event.Approximate(1, 1e-300), event.Poisson(1e-50, event.Approximate(0, 1e-300)),
		event.Table([][2]float64{{0.5, 0.4}, {0.5, 0.5}, {0, 0.1}}),
		event.Compose(event.ShuffledBatches(3, event.Gaussian(1)), event.Poisson(0.1, event.TruncatedLaplace(1, 5000))),
	} {
		for _, adj := range []event.Adjacency{event.AddRemove, event.ReplaceOne} {
			rho, err := Concentrated(e, adj)
			mu, errMu := GaussianMu(e, adj, Precision{})
			order2, errOrder := Renyi(e, adj, 2)
			if want := (Bracket{inf, inf, inf}); err != nil || errMu != nil || errOrder != nil || rho != want || mu != want || order2 != want {
				t.Errorf("%s under %s: ρ %v, μ %v, order 2 %v (%v, %v, %v)", e, adj, rho, mu, order2, err, errMu, errOrder)
			}
		}
	}
}

// At far events and large orders, the likelihoods of sampled Gaussians equal those of unsampled ones up to a constant
// factor.
func TestFarShiftIsReached(t *testing.T) {
	const q, mu, k = 0.1, 0.5, 3
	for _, far := range []float64{10, 20, 36} {
		// All k outputs are beyond thresholds whose sum of squares is far².
		x := far / math.Sqrt(k)
		p := math.Pow((1-q)*math.Erfc(x/math.Sqrt2)/2+q*math.Erfc((x-mu)/math.Sqrt2)/2, k)
		against := math.Pow(math.Erfc(x/math.Sqrt2)/2, k)
		reached := bisectQuantile(p, 1-p) - bisectQuantile(against, 1-against)
		b, err := GaussianMu(event.Repeat(k, event.Poisson(q, event.Gaussian(1/mu))), event.AddRemove, Precision{})
		if want := mu * math.Sqrt(k); err != nil || !near(b.Lower, want) || !near(b.Upper, want) || reached > want || far == 36 && reached < want*0.7 {
			t.Errorf("%v deviations away: %v, want [%v, %v] to be %v (%v)", far, reached, b.Lower, b.Upper, want, err)
		}
	}
	e := event.Poisson(q, event.Gaussian(1/mu))
	b, err := Concentrated(e, event.AddRemove)
	far, errFar := Renyi(e, event.AddRemove, 1e5)
	if err != nil || errFar != nil || !(far.Lower/1e5 <= b.Upper && far.Upper/1e5 >= b.Lower*0.999) || !near(b.Lower, mu*mu/2) {
		t.Errorf("ρ in [%v, %v], order 1e5 has [%v, %v] (%v, %v)", b.Lower, b.Upper, far.Lower, far.Upper, err, errFar)
	}
}

// The parts of a composition attain their ρ at different orders, so these do not add up.
func TestLowerEndOfRhoIsOfOneOrder(t *testing.T) {
	early := outcomes{{0.9, 0.5}, {0.1, 0.5}}
	rare := outcomes{{0.01, 1e-5}, {0.99, 1 - 1e-5}}
	both := outcomes{}
	for _, a := range early {
		for _, b := range rare {
			both = append(both, [2]float64{a[0] * b[0], a[1] * b[1]})
		}
	}
	b, err := Concentrated(event.Compose(event.Table(early), event.Table(rare)), event.AddRemove)
	sum := early.rho() + rare.rho()
	if want := both.rho(); err != nil || !(b.Lower <= want*(1+1e-3) && b.Lower >= want*(1-1e-3) && b.Upper >= want*(1-1e-3)) || sum < want*1.05 {
		t.Errorf("ρ in [%v, %v], the laws have %v, and the parts together %v (%v)", b.Lower, b.Upper, want, sum, err)
	}
}

// Mechanisms on drawn inputs are not above the upper ends, and the worst ones are not below the lower ends.
func TestDrawnRhoAndMu(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 1))
	for i := range instanceKinds {
		in := drawInstance(r, i)
		high := math.Sqrt(squaredMu.above(in.event, in.adjacency))
		if mu := in.outputs.mu(); !(high >= mu*(1-1e-6)) {
			t.Errorf("%s under %s: μ is at most %v, the laws have %v", in.event, in.adjacency, high, mu)
		}
		if len(in.outputs) > 500 {
			in.outputs = in.outputs.coarse(20)
			in.worst = false
		}
		b, err := Concentrated(in.event, in.adjacency)
		rho := in.outputs.rho()
		if err != nil || !(b.Upper >= rho*(1-1e-6)-1e-12) || in.worst && !(b.Lower <= rho*(1+1e-2)) {
			t.Errorf("%s under %s: ρ in [%v, %v], the laws have %v (%v)", in.event, in.adjacency, b.Lower, b.Upper, rho, err)
		}
	}
}

// coarse merges n neighboring outputs.
func (o outcomes) coarse(n int) (few outcomes) {
	for i, row := range o {
		if i%n == 0 {
			few = append(few, [2]float64{})
		}
		few[len(few)-1][0] += row[0]
		few[len(few)-1][1] += row[1]
	}
	return few
}

// ε(δ), ρ, μ and Rényi divergences of an event are consistent with each other, with those of its parts and with those
// without sampling.
func TestMeasuresAreConsistent(t *testing.T) {
	laplace, discrete := event.Laplace(2), event.DiscreteGaussian(1)
	for _, e := range []event.Event{
		laplace, discrete, event.Exponential(2), event.RandomizedResponse(2, 8), event.NoisyArgmax(2), event.PermuteAndFlip(1),
		event.Compose(laplace, discrete, event.Gaussian(3)), event.Poisson(0.4, event.DiscreteLaplace(0.5).WithSensitivity(2)),
		event.ShuffledBatches(4, laplace), event.RepeatAndSelect(1, 0.3, event.Gaussian(4)), event.SparseVector(0.5, 0.5, 1),
	} {
		for _, adj := range []event.Adjacency{event.AddRemove, event.ReplaceOne} {
			name := fmt.Sprintf("%s under %s", e, adj)
			rho, err := Concentrated(e, adj)
			mu := math.Sqrt(squaredMu.above(e, adj)) * (1 + sums(1))
			if err != nil || !(rho.Lower <= mu*mu/2*(1+1e-9)) {
				t.Errorf("%s: ρ is at least %v, and of μ at most %v (%v)", name, rho.Lower, mu*mu/2, err)
			}
			for _, alpha := range []float64{1 + 1e-6, 1.5, 4, 50, 1e4} {
				if d, err := Renyi(e, adj, alpha); err != nil || !(d.Lower <= rho.Upper*alpha*(1+1e-9)) {
					t.Errorf("%s: order %v is at least %v, and of ρ at most %v (%v)", name, alpha, d.Lower, rho.Upper*alpha, err)
				}
			}
			for _, epsilon := range []float64{0, 0.5, 2} {
				d, err := Deltas(e, adj, epsilon, Options{Methods: []string{"best"}, Precision: Precision{Width: 0.05, MaxPoints: 1 << 14}})
				if err != nil {
					t.Fatal(name, err)
				}
				if g, err := (GDP{mu}).Delta(epsilon); !math.IsInf(mu, 1) && (err != nil || !(d[0].Lower <= g.Upper*(1+1e-9))) {
					t.Errorf("%s: δ(%v) is at least %v, and of μ at most %v (%v)", name, epsilon, d[0].Lower, g.Upper, err)
				}
			}
			twice, err := Concentrated(event.Repeat(2, e), adj)
			if err != nil || !(rho.Lower <= twice.Upper && twice.Lower <= 2*rho.Upper*(1+1e-9)) {
				t.Errorf("%s: ρ %v, and twice %v (%v)", name, rho, twice, err)
			}
		}
	}
}
