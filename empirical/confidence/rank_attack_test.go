package confidence

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// One score against the maximum of n others: the p-value at δ = 0 is t/(n + 1)·(1 − (1 − 1/t)^(n+1)), t = e^ε.
func TestRankAttackOfOneScore(t *testing.T) {
	for _, n := range []float64{50, 1000, 1e6} {
		for _, alpha := range []float64{0.03, 0.3} {
			p := func(epsilon float64) float64 {
				return math.Exp(epsilon) / (n + 1) * -math.Expm1((n+1)*math.Log1p(-math.Exp(-epsilon)))
			}
			want := largest(100, func(epsilon float64) bool { return epsilon == 0 || p(epsilon) <= alpha })
			got, err := RankAttack{1, int64(n), 1, 1}.EpsilonLower(0, 0, alpha)
			if err != nil || got > want || got < want-0.1 {
				t.Errorf("n = %v, alpha = %v: got %v, want at most %v and nearly as much: %v", n, alpha, got, want, err)
			}
		}
	}
}

// The limit exceeds ε with probability at most alpha, and not much less, if the hits are as frequent as (ε, δ)-DP
// allows.
func TestRankAttackErrs(t *testing.T) {
	const runs, alpha = 250, 0.2
	r := rand.New(rand.NewPCG(56, 2))
	for _, c := range []struct {
		rank, others, hits int64
		epsilon, delta     float64
	}{{1, 300, 300, 2, 0}, {4, 500, 400, 3, 1e-2}, {30, 200, 900, 0.5, 0.05}} {
		wrong := 0
		for range runs {
			q := distuv.Beta{Alpha: float64(c.rank), Beta: float64(c.others - c.rank + 1), Src: r}.Rand()
			p := math.Min(1, math.Exp(c.epsilon)*q+c.delta)
			hits := distuv.Binomial{N: float64(c.hits), P: p, Src: r}.Rand()
			limit, err := RankAttack{c.rank, c.others, int64(hits), c.hits}.EpsilonLower(0, c.delta, alpha)
			if err != nil {
				t.Fatal(err)
			}
			if limit > c.epsilon {
				wrong++
			}
		}
		// four standard deviations of the count
		if limit := alpha*runs + 4*math.Sqrt(runs*alpha*(1-alpha)); float64(wrong) > limit || float64(wrong) < alpha*runs/2 {
			t.Errorf("%+v: %d of %d limits exceed ε, want about %v", c, wrong, runs, alpha*runs)
		}
	}
}

func TestRankAttackDomain(t *testing.T) {
	for _, a := range []RankAttack{{0, 5, 1, 5}, {6, 5, 1, 5}, {1, 5, 6, 5}, {1, 5, -1, 5}, {1, 5, 0, 0}} {
		if _, err := a.EpsilonLower(0, 0, 0.05); !errors.Is(err, ErrDomain) {
			t.Errorf("%+v: got %v, want ErrDomain", a, err)
		}
	}
	for _, c := range [][2]float64{{-1, 0.05}, {2, 0.05}, {math.NaN(), 0.05}, {0, 0}, {0, 1}} {
		if _, err := (RankAttack{1, 5, 1, 5}).EpsilonLower(0, c[0], c[1]); !errors.Is(err, ErrDomain) {
			t.Errorf("delta, alpha = %v: got %v, want ErrDomain", c, err)
		}
	}
	if _, err := (RankAttack{1, 5, 1, 5}).EpsilonLower(-1, 0, 0.05); !errors.Is(err, ErrDomain) {
		t.Errorf("least = -1: got %v, want ErrDomain", err)
	}
	a := RankAttack{1, 100, 50, 100}
	limit, _ := a.EpsilonLower(0, 0, 0.05)
	for _, least := range []float64{limit / 2, limit + 1} {
		if got, err := a.EpsilonLower(least, 0, 0.05); err != nil || math.Abs(got-max(limit, least)) > 1e-4 {
			t.Errorf("least = %v: got %v, want %v: %v", least, got, max(limit, least), err)
		}
	}
	if got, err := (RankAttack{1, 5, 0, 5}).EpsilonLower(0, 0, 0.05); got != 0 || err != nil {
		t.Errorf("without hits: got %v, %v, want 0", got, err)
	}
}
