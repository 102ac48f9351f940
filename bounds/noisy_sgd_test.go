package bounds

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// drawBallGamma draws from Algorithm 1 as printed, in units of its scale. It returns the length and the cosine of the
// angle with an axis.
func drawBallGamma(r *rand.Rand, d int) (length, cosine float64) {
	gamma := distuv.Gamma{Alpha: float64(d), Beta: 1, Src: r}
	var squares, first float64
	for k := range d {
		x := r.NormFloat64()
		if k == 0 {
			first = x
		}
		squares += x * x
	}
	return gamma.Rand() * math.Pow(r.Float64(), 1/float64(d)), first / math.Sqrt(squares)
}

// Compares the moments with means of 100,000 draws, within six standard errors (probability of a false alarm below
// 1e-8).
func TestBallGammaMoments(t *testing.T) {
	for _, d := range []int{1, 4, 15} {
		r := rand.New(rand.NewPCG(uint64(d), 1))
		var sum, squares, fourth float64
		const n = 100_000
		for range n {
			x, _ := drawBallGamma(r, d)
			sum, squares, fourth = sum+x, squares+x*x, fourth+x*x*x*x
		}
		mean, square := sum/n, squares/n
		if want := BallGammaMeanLength(d, 1); math.Abs(mean-want) > 6*math.Sqrt((square-mean*mean)/n) {
			t.Errorf("d = %d: mean length %v, want %v", d, mean, want)
		}
		if want := BallGammaMeanSquare(d, 1); math.Abs(square-want) > 6*math.Sqrt((fourth/n-square*square)/n) {
			t.Errorf("d = %d: mean square %v, want %v", d, square, want)
		}
	}
	if L2LaplaceMeanLength(5, 2) != 10 || math.Abs(BallGammaMeanLength(5, 2)-50.0/6) > 1e-14 {
		t.Error("mean lengths at d = 5 and scale 2 are not 10 and 50/6")
	}
}

// Compares Delta with the mean of 20,000 draws, within six standard errors and a relative error of 0.05 of the
// midpoint rule.
func TestBallGammaPair(t *testing.T) {
	for _, c := range []struct {
		d              int
		shift, epsilon float64
		reason         string
	}{{4, 1, 1, "Banknote at α = 1"}, {5, 1, 0, "the total variation distance"}, {6, 3, 1, "a longer shift"}} {
		p, err := NewBallGammaPair(c.d, c.shift, 100)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(uint64(c.d), 2))
		var sum, squares float64
		const n = 20_000
		for range n {
			x, cosine := drawBallGamma(r, c.d)
			far := math.Sqrt(x*x - 2*x*c.shift*cosine + c.shift*c.shift)
			if loss := LogExpIntegral(x) - LogExpIntegral(far); loss > c.epsilon {
				v := -math.Expm1(c.epsilon - loss)
				sum, squares = sum+v, squares+v*v
			}
		}
		mean := sum / n
		if got := p.Delta(c.epsilon); math.Abs(got-mean) > 6*math.Sqrt((squares/n-mean*mean)/n)+0.05*got {
			t.Errorf("%s: δ = %v, sampled %v", c.reason, got, mean)
		}
		if mass := floats.Sum(p.mass); math.Abs(mass-1) > 1e-3 {
			t.Errorf("%s: the grid has the total probability %v", c.reason, mass)
		}
	}
	for _, c := range []struct {
		d     int
		shift float64
	}{{2, 1}, {4, 0}, {4, math.NaN()}} {
		if _, err := NewBallGammaPair(c.d, c.shift, 10); !errors.Is(err, ErrDomain) {
			t.Errorf("d = %d, shift %v: error %v", c.d, c.shift, err)
		}
	}
}

func TestNoiseInIterate(t *testing.T) {
	root := func(t int) float64 { return 1 / math.Sqrt(float64(t)) }
	// By hand: a_1 = 1/4 at b = 2, a_2 = (1 − 0.1/√2)²/4 + 1/8.
	if got, want := NoiseInIterate(2, 0.1, 2, root), math.Pow(1-0.1/math.Sqrt2, 2)/4+0.125; math.Abs(got-want) > 1e-15 {
		t.Errorf("two steps: %v, want %v", got, want)
	}
}
