package accountant

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// The enumerated outputs of permute-and-flip at drawn scores have at most the δ of Laplace noise moved by ε₀. The
// control, noise moved by 0.95·ε₀, has a smaller δ than some of them.
func TestPermuteAndFlipBelowLaplace(t *testing.T) {
	for _, c := range []struct {
		factor float64
		want   bool
	}{{1, true}, {0.95, false}} {
		r := rand.New(rand.NewPCG(7, 7))
		below := true
		for range testutil.Size(400, 20000) {
			in := flippedInstance(r)
			for _, part := range []float64{0, 0.3, 0.9} {
				epsilon := part * in.event.A
				b, err := LaplaceDelta(c.factor*in.event.A, epsilon)
				if err != nil {
					t.Fatal(err)
				}
				below = below && in.outputs.delta(epsilon) <= b.Upper+1e-13
			}
		}
		if below != c.want {
			t.Errorf("%g ε₀: all instances below: %v", c.factor, below)
		}
	}
}

// One run has the δ of Laplace noise. At ε, two candidates attain it whose scores differ by the score at which the loss
// of Laplace noise is ε: then P(first) is 1 − e^{−(ε₀−ε)/2}/2 before the change, and e^{−(ε₀+ε)/2}/2 after it.
func TestPermuteAndFlipOnce(t *testing.T) {
	for _, epsilon0 := range []float64{0.1, 1, 5} {
		for _, epsilon := range []float64{0, epsilon0 / 3, epsilon0 * 0.9} {
			p, q := 1-math.Exp(-(epsilon0-epsilon)/2)/2, math.Exp(-(epsilon0+epsilon)/2)/2
			want := outcomes{{p, q}, {1 - p, 1 - q}}.delta(epsilon)
			b, err := bestDelta(event.PermuteAndFlip(epsilon0), epsilon)
			if err != nil || !(b.Lower <= want*(1+1e-12)+1e-15 && want <= b.Upper*(1+1e-12)+1e-15 && b.Width() <= 1e-12) {
				t.Errorf("ε₀ = %g at ε = %g: %v, by two candidates %v (%v)", epsilon0, epsilon, b, want, err)
			}
		}
	}
}

// In a composition, the upper end is the one of Laplace noise. The lower end belongs to two candidates: a sum over the
// number of runs that choose the first. It must not reach the Laplace value.
func TestPermuteAndFlipComposed(t *testing.T) {
	const runs, epsilon0, delta = 1000, 0.1, 1e-6
	e := event.Repeat(runs, event.PermuteAndFlip(epsilon0))
	b, err := LossEpsilon(e, event.AddRemove, delta, Precision{})
	if err != nil {
		t.Fatal(err)
	}
	laplace, err := LossEpsilon(event.Repeat(runs, event.Laplace(1/epsilon0)), event.AddRemove, delta, Precision{})
	if err != nil {
		t.Fatal(err)
	}
	// 18.97 was stated for the optimum of the Laplace curve, rounded up; 19.34 is optimal composition of ε₀-DP.
	if !(b.Upper <= 18.97 && b.Upper >= laplace.Lower && b.Lower < laplace.Lower) {
		t.Errorf("%v, Laplace noise %v", b, laplace)
	}
	other := math.Exp(-epsilon0/2) / 2 // two candidates exchange their places
	binomial := func(epsilon float64) (d float64) {
		for k := 0.0; k <= runs; k++ {
			ways, _ := math.Lgamma(runs + 1)
			first, _ := math.Lgamma(k + 1)
			second, _ := math.Lgamma(runs - k + 1)
			log := ways - first - second
			p := math.Exp(log + k*math.Log1p(-other) + (runs-k)*math.Log(other))
			q := math.Exp(log + k*math.Log(other) + (runs-k)*math.Log1p(-other))
			d += math.Max(0, p-math.Exp(epsilon)*q)
		}
		return d
	}
	if low, high := binomial(b.Lower+0.01), binomial(b.Lower-0.01); !(low < delta && delta < high) {
		t.Errorf("the lower end is %v, where two candidates have δ between %v and %v", b.Lower, low, high)
	}
}
