package accountant

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// outcomes contains the probabilities of outputs on two neighboring inputs.
type outcomes [][2]float64

// twice returns the outcomes of two runs.
func (o outcomes) twice() (two outcomes) {
	for _, a := range o {
		for _, b := range o {
			two = append(two, [2]float64{a[0] * b[0], a[1] * b[1]})
		}
	}
	return two
}

// delta returns the larger hockey-stick divergence of both orders.
func (o outcomes) delta(epsilon float64) float64 {
	var forth, back float64
	for _, row := range o {
		forth += math.Max(0, row[0]-math.Exp(epsilon)*row[1])
		back += math.Max(0, row[1]-math.Exp(epsilon)*row[0])
	}
	return math.Max(forth, back)
}

// discreteGaussians returns discrete Gaussians around 0 and around d.
func discreteGaussians(sigma, d float64) (o outcomes) {
	total := 0.0
	for k := -200.0; k <= 200; k++ {
		total += math.Exp(-k * k / (2 * sigma * sigma))
	}
	for k := -200.0; k <= 200; k++ {
		o = append(o, [2]float64{math.Exp(-(k-d)*(k-d)/(2*sigma*sigma)) / total, math.Exp(-k*k/(2*sigma*sigma)) / total})
	}
	return o
}

// cutLaplace returns truncated Laplace noise in narrow cells whose width divides the bound and the shift.
func cutLaplace(scale, bound, shift, h float64) (o outcomes) {
	all := -math.Expm1(-bound / scale)
	mass := func(from, to float64) float64 { // probability of a cell on one side of 0
		from, to = math.Abs(from), math.Abs(to)
		if from > to {
			from, to = to, from
		}
		if (from+to)/2 > bound {
			return 0
		}
		return (math.Exp(-from/scale) - math.Exp(-to/scale)) / (2 * all)
	}
	for i := math.Round(-bound / h); i < math.Round((bound+shift)/h); i++ {
		o = append(o, [2]float64{mass(i*h-shift, (i+1)*h-shift), mass(i*h, (i+1)*h)})
	}
	return o
}

// Exact events, compared with the enumeration of the outputs of one and two runs.
func TestLawsByEnumeration(t *testing.T) {
	for _, c := range []struct {
		event     event.Event
		adjacency event.Adjacency
		outputs   outcomes
		rough     float64 // relative error of the enumeration
	}{
		{event.DiscreteGaussian(1), event.AddRemove, discreteGaussians(1, 1), 1e-9},
		{event.DiscreteGaussian(3), event.ReplaceOne, discreteGaussians(3, 2), 1e-9},
		{event.DiscreteGaussian(5).WithSensitivity(3.9), event.AddRemove, discreteGaussians(5, 3), 1e-9},
		{event.DiscreteGaussian(0.4), event.AddRemove, discreteGaussians(0.4, 1), 1e-9},
		{event.TruncatedLaplace(1, 4), event.AddRemove, cutLaplace(1, 4, 1, 1.0/64), 2e-2},
		{event.TruncatedLaplace(2, 3), event.ReplaceOne, cutLaplace(2, 3, 2, 1.0/64), 2e-2},
		{event.TruncatedLaplace(1, 1), event.AddRemove, cutLaplace(1, 1, 1, 1.0/64), 2e-2},
		{event.Uniform(10), event.AddRemove, outcomes{{0.95, 0.95}, {0.05, 0}, {0, 0.05}}, 1e-9},
	} {
		for runs, outputs := range []outcomes{c.outputs, c.outputs.twice()} {
			for _, epsilon := range testutil.Size([]float64{0, 1}, []float64{0, 0.2, 1, 3}) {
				want := outputs.delta(epsilon)
				b, err := LossDelta(event.Repeat(int64(runs+1), c.event), c.adjacency, epsilon, Precision{Width: 0.02, MaxPoints: few})
				if err != nil || !(b.Lower <= want*(1+c.rough)+1e-15 && want*(1-c.rough)-1e-15 <= b.Upper) ||
					b.Width() > 3e-2*want+1e-15 {
					t.Errorf("%d × %s, %v at ε = %g: %v, by enumeration %v (%v)", runs+1, c.event, c.adjacency, epsilon, b, want, err)
				}
			}
		}
	}
}

// bestDelta returns the best bracket of δ under add-or-remove-one.
func bestDelta(e event.Event, epsilon float64) (Bracket, error) {
	r, err := Deltas(e, event.AddRemove, epsilon, Options{Methods: []string{"best"}})
	if err != nil {
		return Bracket{}, err
	}
	return r[0].Bracket, nil
}

// Bracketed events: instances are within the bracket.
func TestLawsByInstances(t *testing.T) {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, c := range []struct {
		reason   string
		event    event.Event
		instance outcomes
		lower    float64 // value of the instance that the lower end reaches
		maxRatio float64 // the upper end is at most this multiple of the instance
	}{
		{"two candidates that part", event.PermuteAndFlip(1), outcomes{{0.5, 1 - math.Exp(-1)/2}, {0.5, math.Exp(-1) / 2}}, 0.999, 1.5},
		{"candidates that part further", event.PermuteAndFlip(1), outcomes{{1 - math.Exp(-0.5)/2, 1 - math.Exp(-1.5)/2}, {math.Exp(-0.5) / 2, math.Exp(-1.5) / 2}}, 0, 3},
		{"two classes", event.NoisyArgmax(2), outcomes{{phi(1.5 / math.Sqrt(8)), phi(-0.5 / math.Sqrt(8))}, {phi(-1.5 / math.Sqrt(8)), phi(0.5 / math.Sqrt(8))}}, 0, 4},
		{"a new partition", event.Threshold(10, event.Laplace(1)), outcomes{{math.Exp(-9) / 2, 0}, {1 - math.Exp(-9)/2, 1}}, 0, 1e9},
		{"a new partition, Gaussian noise", event.Threshold(8, event.Gaussian(2)), outcomes{{phi(-3.5), 0}, {1 - phi(-3.5), 1}}, 0, 1e9},
	} {
		for _, epsilon := range []float64{0, 0.3, 0.9} {
			want := c.instance.delta(epsilon)
			b, err := bestDelta(c.event, epsilon)
			if err != nil || !(want <= b.Upper*(1+1e-9) && b.Lower >= c.lower*want && (want == 0 || b.Upper <= c.maxRatio*want)) {
				t.Errorf("%s, %s at ε = %g: %v, the instance %v (%v)", c.reason, c.event, epsilon, b, want, err)
			}
		}
	}
	if b, err := LossEpsilon(event.PermuteAndFlip(1.5), event.AddRemove, 0, Precision{}); err != nil || !(b.Lower > 1.4999 && b.Upper < 1.5001) {
		t.Errorf("permute-and-flip at δ = 0: %v (%v)", b, err)
	}
	top, _ := LossEpsilon(event.TopK(0.5, 10), event.AddRemove, 1e-6, Precision{})
	peeled, _ := LossEpsilon(event.Repeat(10, event.Exponential(0.5)), event.AddRemove, 1e-6, Precision{})
	if top != peeled {
		t.Errorf("the best ten: %v, one after another %v", top, peeled)
	}
}

// Queries under the sparse vector technique, by summation over the threshold noise. The instance has sixteen queries
// from below and as many as the cutoff from above. It attains the lower end, and nearly the sum of ε at δ = 0.
func TestSparseVector(t *testing.T) {
	for _, c := range []struct {
		e1, e2, cutoff float64
	}{{0.5, 0.5, 1}, {1, 2, 1}, {0.3, 1.2, 2}, {1, 1, 3}} {
		a, b := 1/c.e1, 2*c.cutoff/c.e2
		o := make(outcomes, 16+int(c.cutoff)+1)
		const h = 4e-3
		for z := -40 * a; z < 40*a; z += h * a {
			for i, at := range []float64{0.5, -0.5} {
				z := z + h*a/2
				weight, low, high := h/2*math.Exp(-math.Abs(z)/a), laplaceCDF((z+at)/b), laplaceCDF((z-at)/b)
				for k := range 16 {
					o[k][i] += weight * (1 - low)
					weight *= low
				}
				ways := 1.0
				for k := range int(c.cutoff) + 1 {
					o[16+k][i] += weight * ways * math.Pow(1-high, float64(k)) * math.Pow(high, c.cutoff-float64(k))
					ways *= (c.cutoff - float64(k)) / float64(k+1)
				}
			}
		}
		e := event.SparseVector(c.e1, c.e2, int64(c.cutoff))
		for _, epsilon := range []float64{0, 0.1, 0.5} {
			want := o.delta(epsilon)
			got, err := bestDelta(e, epsilon)
			if err != nil || !(math.Abs(got.Lower-want) <= 1e-3*want+1e-6 && got.Upper >= want) {
				t.Errorf("%s at ε = %g: %v, the queries %v (%v)", e, epsilon, got, want, err)
			}
		}
		if pure, err := LossEpsilon(e, event.AddRemove, 0, Precision{}); err != nil || !(pure.Lower >= 0.8*pure.Upper) {
			t.Errorf("%s at δ = 0: %v (%v)", e, pure, err)
		}
	}
}

// The instance of the sparse vector technique has outputs that are likely only if the threshold noise exceeds the
// sensitivity. Its divergence of order 2 is nearly log P²/Q of the most likely output, summed in 60 digits.
func TestSparseVectorWithFarOutputs(t *testing.T) {
	b, err := Renyi(event.SparseVector(130, 500, 1), event.AddRemove, 2)
	const truth = 320.43562
	if err != nil || !(b.Lower <= truth+1e-2 && b.Lower >= truth-1e-2) {
		t.Errorf("order 2: [%v, %v], %v, want a lower end of %v", b.Lower, b.Upper, err, truth)
	}
}
