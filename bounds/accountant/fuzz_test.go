package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// A description gives an event, or an error of bounded length.
func FuzzParseEvents(f *testing.F) {
	for _, text := range []string{
		"", "- {mechanism: gaussian, sigma: 2, count: 3}", "adjacency: replace\nevents: [{sgm: {noise-multiplier: 1.1, sampling-rate: 0.01}}]", "[{mechanism: compose, events: [{mechanism: pure, epsilon0: 1}]}]",
		"&a [*a]", "- {rr: {epsilon0: .nan}}", "- {gaussian: {sigma: 1e999}}", "[[[[", "- - -", "? a", "!!int x", "events: null",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, _, err := event.ParseEvents(data); err != nil && len(err.Error()) > 2*len(data)+2000 {
			t.Fatalf("the message is %q", err)
		}
	})
}

// FuzzExtremes evaluates every method at the ends of the domain. Brackets must be ordered, intersect, and contain the
// closed form if there is one. Otherwise the event must be rejected as outside the domain. Numbers are drawn by their
// logarithms.
func FuzzExtremes(f *testing.F) {
	for kind := range uint8(extremeKinds) {
		for i, add := range []func(){
			func() { f.Add(kind, kind%2 == 0, -6.9, -2.3, 0.0, -115.0) },
			func() { f.Add(kind, kind%2 == 1, 3.4, -16.1, 9.0, -11.5) },
			func() { f.Add(kind, kind%2 == 1, -3.3, -0.7, 2.0, -460.0) },
		} {
			// Sampled events take as long as all others, so evaluate only one in turn, and no truncated samples with so
			// little noise.
			long := kind >= sampledKinds && int(kind)%3 != i || kind == truncatedKind && i == 0
			if !long || testutil.Asked() {
				add()
			}
		}
	}
	f.Fuzz(checkExtreme)
}

// The same check for drawn extremes, in a normal test run.
func TestDrawnExtremes(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 2))
	for range testutil.Size(12, 20000) {
		checkExtreme(t, uint8(r.IntN(extremeKinds)), r.IntN(2) == 0, -7+14*r.Float64(), -16*r.Float64(), 23*math.Pow(r.Float64(), 3), -460*r.Float64()*r.Float64())
	}
}

const extremeKinds, truncatedKind, sampledKinds = 33, 22, 27

// extremeEvent returns an event of each kind, and the equivalent Gaussian if there is one.
func extremeEvent(kind uint8, adj event.Adjacency, noise, q float64, n int64) (event.Event, GDP) {
	move := 1.0
	if adj == event.ReplaceOne {
		move = 2
	}
	switch kind % extremeKinds {
	case 0:
		return event.Repeat(n, event.Gaussian(noise)), GDP{move * math.Sqrt(float64(n)) / noise}
	case 1:
		return event.Repeat(n, event.Poisson(q, event.Gaussian(noise))), GDP{}
	case 2:
		return event.Repeat(n, event.Laplace(noise)), GDP{}
	case 3:
		return event.Repeat(n, event.Poisson(q, event.Laplace(noise))), GDP{}
	case 4:
		return event.Repeat(n, event.RandomizedResponse(1/noise, 2+int(n%5))), GDP{}
	case 5:
		return event.Repeat(n, event.Poisson(q, event.RandomizedResponse(1/noise, 3))), GDP{}
	case 6:
		return event.Repeat(n, event.Exponential(1/noise)), GDP{}
	case 7:
		return event.Repeat(n, event.DiscreteLaplace(1/noise).WithSensitivity(float64(1+n%9))), GDP{}
	case 8:
		return event.Repeat(n, event.Approximate(1/noise, q*1e-3)), GDP{}
	case 9:
		return event.Compose(event.Gaussian(noise), event.Repeat(n, event.Poisson(q, event.Gaussian(2*noise))), event.Pure(1/noise)), GDP{}
	case 10:
		return event.Repeat(n, event.ShuffledBatches(n, event.Gaussian(noise))), GDP{}
	case 11:
		return event.Compose(event.Concentrated(1/noise), event.Repeat(n, event.FixedBatches(3, event.Laplace(noise)))), GDP{}
	case 12:
		return event.Repeat(n, event.Matrix(noise, 0.5, 0.5)), GDP{move * math.Sqrt(float64(n)) / noise / 2}
	default:
		return event.Repeat(n, extremeLaw(kind, noise, q, n)), GDP{}
	}
}

// extremeLaw returns an event that is known by its pair or by its parts.
func extremeLaw(kind uint8, noise, q float64, n int64) event.Event {
	switch kind % extremeKinds {
	case 13:
		return event.DiscreteGaussian(noise).WithSensitivity(float64(1 + n%3))
	case 14:
		return event.TruncatedLaplace(noise, 2+30*noise*q)
	case 15:
		return event.Uniform(0.5 + noise/q)
	case 16:
		return event.Threshold(1+30*noise*q, event.Laplace(noise))
	case 17:
		return event.PermuteAndFlip(1 / noise)
	case 18:
		return event.NoisyArgmax(noise)
	case 19:
		return event.SparseVector(1/noise, q, 1+n%5)
	case 20:
		return event.GaussianMixture(noise, []float64{0, 1, 2}, []float64{1 - q, q / 2, q / 2})
	case 21:
		return event.WithoutReplacement(1+n%10, 10+n%1000, event.Gaussian(noise))
	case truncatedKind:
		return event.TruncatedPoisson(q, 1+n%10, 10+n%1000, event.Gaussian(noise))
	case 23:
		return event.RepeatAndSelect(4*q-0.99, math.Min(0.99, q), event.Gaussian(noise))
	case 24:
		low := 1 / (1 + math.Exp(1/noise))
		return event.Table([][2]float64{{q * low, q * (1 - low)}, {q * (1 - low), q * low}, {1 - q, 1 - q}})
	case 25:
		return event.Allocation(1+n%5, 1, event.Gaussian(noise))
	case 26:
		return event.Poisson(q, event.Matrix(noise, 0.5, 0.6))
	default:
		return event.Poisson(q, extremeLaw(kind-14, noise, q, n)) // for kinds above 13
	}
}

func checkExtreme(t *testing.T, kind uint8, replace bool, logNoise, logRate, logCount, logDelta float64) {
	clamp := func(x, lo, hi float64) float64 { return math.Max(lo, math.Min(hi, x)) }
	adj := event.AddRemove
	if replace {
		adj = event.ReplaceOne
	}
	noise, q := math.Exp(clamp(logNoise, -7, 7)), math.Exp(clamp(logRate, -16.2, 0))
	n, delta := int64(math.Exp(clamp(logCount, 0, 23.03))), math.Exp(clamp(logDelta, -460, 0))
	tree, g := extremeEvent(kind, adj, noise, q, n)
	o := Options{Precision: Precision{Width: 0.3, MaxPoints: 1 << 10}}
	rs, err := Epsilons(tree, adj, delta, o)
	if errors.Is(err, event.ErrDomain) {
		return
	}
	if err != nil {
		t.Fatalf("ε of %v under %v at %v: %v", tree, adj, delta, err)
	}
	best := rs[0]
	if exact, _ := g.Epsilon(delta); g.Mu > 0 && !(best.Lower <= exact.Upper && exact.Lower <= best.Upper) {
		t.Fatalf("%v under %v at δ = %v: %v, exactly %v", tree, adj, delta, best.Bracket, exact)
	}
	// The brackets of δ at both ends of the bracket of ε do not contradict delta: at the upper end δ may be at most
	// delta, at the lower end at least delta.
	for _, end := range []float64{best.Lower, best.Upper} {
		if math.IsInf(end, 1) {
			continue
		}
		ds, err := Deltas(tree, adj, end, o)
		if err != nil {
			t.Fatalf("δ of %v under %v at %v: %v", tree, adj, end, err)
		}
		if end == best.Upper && !(ds[0].Lower <= delta) || end == best.Lower && end > 0 && !(ds[0].Upper >= delta) {
			t.Fatalf("%v under %v: ε at δ = %v is %v, δ at %v is %v", tree, adj, delta, best.Bracket, end, ds[0].Bracket)
		}
	}
}
