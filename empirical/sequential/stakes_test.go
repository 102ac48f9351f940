package sequential

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/empirical/distinguisher"
)

// rowsOf returns rows with the values 0, 1, … in the given numbers.
func rowsOf(counts []int) *distinguisher.Rows {
	rows := distinguisher.NewRows(1, 0)
	for v, n := range counts {
		for range n {
			rows.Append([]float64{float64(v)})
		}
	}
	return rows
}

// identity returns the score that is the value of a row.
func identity(t interface{ Fatal(...any) }) distinguisher.Score {
	scores := distinguisher.Leading(rowsOf([]int{30, 50, 20}), rowsOf([]int{20, 30, 50}), 1)
	if len(scores) == 0 {
		t.Fatal("no score")
	}
	return scores[0]
}

// For all past rows, each stake multiplies the expected wealth by at most 1 under the claim. The expectation over a pair
// of rows is a sum over the values of both.
func TestStakesNeverGainUnderTheClaim(t *testing.T) {
	score := identity(t)
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.IntRange(2, 6).Draw(t, "values")
		epsilon := rapid.Float64Range(0, 3).Draw(t, "epsilon")
		delta := rapid.SampledFrom([]float64{0, 1e-3, 0.3}).Draw(t, "delta")
		var kernel [4][]float64
		for z := range kernel {
			kernel[z] = lawOf(m).Draw(t, "kernel")
		}
		p, q := member(epsilon, delta, kernel)
		if rapid.Bool().Draw(t, "swap") {
			p, q = q, p
		}
		count := rapid.SliceOfN(rapid.IntRange(0, 60), m, m)
		claim := ApproximateDP(epsilon, delta)
		if rapid.Bool().Draw(t, "curve") {
			claim = BothOrders(claim.Delta)
		}
		a, b := rowsOf(append(count.Draw(t, "first"), 1)), rowsOf(append(count.Draw(t, "second"), 1))
		s := NewStakes(claim, score, a, b, rapid.Int64Range(1, 1e5).Draw(t, "coming"))
		gains := make([]float64, StakeCount)
		for x := range p {
			for y := range q {
				logs := s.LogFactors(rowsOf(one(x)), rowsOf(one(y)))
				for k, l := range logs {
					gains[k] += p[x] * q[y] * math.Exp(l)
				}
			}
		}
		for k, g := range gains {
			if !(g <= 1+1e-9) {
				t.Fatalf("stake %d gains %v", k, g)
			}
		}
	})
}

// one returns the counts of a single value.
func one(v int) []int {
	counts := make([]int, v+1)
	counts[v] = 1
	return counts
}

// Against a violation the bets grow, and the best stake reaches most of the growth of a bet that knows both densities.
// Without the factor that exaggerates small violations, the estimates would suggest no bet in most runs.
func TestStakesGrowAgainstASmallViolation(t *testing.T) {
	const epsilon, n = 1.1, 20_000
	laplace := func(r *rand.Rand, shift float64, n int) *distinguisher.Rows {
		rows := distinguisher.NewRows(1, n)
		for range n {
			rows.Append([]float64{shift + (r.ExpFloat64()-r.ExpFloat64())/epsilon}) // Laplace noise of scale 1/ε
		}
		return rows
	}
	cdf := func(x float64) float64 { // of Laplace noise of scale 1/ε
		if x < 0 {
			return math.Exp(epsilon*x) / 2
		}
		return 1 - math.Exp(-epsilon*x)/2
	}
	p := []float64{cdf(0), cdf(1) - cdf(0), 1 - cdf(1)}
	q := []float64{cdf(-1), cdf(0) - cdf(-1), 1 - cdf(0)}
	oracle := ApproximateDP(1, 0).Growth(p, q) * n
	r := rand.New(rand.NewPCG(3, 1))
	best := math.Inf(-1)
	a, b := laplace(r, 0, 16_000), laplace(r, 1, 16_000)
	s := NewStakes(ApproximateDP(1, 0), distinguisher.Leading(a, b, 1)[0], a, b, n)
	const times = 30 // the standard deviation of the mean is 1.3
	for _, l := range s.LogFactors(laplace(r, 0, times*n), laplace(r, 1, times*n)) {
		best = math.Max(best, l/times)
	}
	if !(best > 0.6*oracle && best < 1.1*oracle) {
		t.Errorf("the best stake wins %v, and the oracle %v", best, oracle)
	}
}

// Rows that are all equal suggest no bet.
func TestStakesWithoutABet(t *testing.T) {
	score := identity(t)
	s := NewStakes(ApproximateDP(1, 0), score, rowsOf([]int{40}), rowsOf([]int{40}), 10)
	for _, l := range s.LogFactors(rowsOf([]int{5}), rowsOf([]int{5})) {
		if !(l <= 0 && l > -1) {
			t.Errorf("log factor %v of rows that do not differ", l)
		}
	}
}
