package confidence

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// bigUpperTail returns P(X ≥ k) for X ~ Bin(n, p), summed in 200-bit arithmetic.
func bigUpperTail(k, n int64, p float64) float64 {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	power := func(base *big.Float, e int64) *big.Float {
		result := number(1)
		for square := number(0).Set(base); e > 0; e >>= 1 {
			if e&1 == 1 {
				result.Mul(result, square)
			}
			square.Mul(square, square)
		}
		return result
	}
	success := number(p)
	failure := number(0).Sub(number(1), success)
	term := number(0).SetInt(new(big.Int).Binomial(n, k))
	term.Mul(term, power(success, k)).Mul(term, power(failure, n-k))
	odds, sum := number(0).Quo(success, failure), number(0)
	for j := k; j <= n; j++ {
		sum.Add(sum, term)
		term.Mul(term, odds).Mul(term, number(float64(n-j))).Quo(term, number(float64(j+1)))
		if term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-80 && float64(j) > float64(n)*p {
			break
		}
	}
	tail, _ := sum.Float64()
	return tail
}

func TestBinomialTailsAgainstLongArithmetic(t *testing.T) {
	for _, n := range []int64{1, 2, 10, 1000, 20_000} {
		for _, p := range []float64{1e-9, 1e-4, 0.01, 0.3, 0.5, 0.9, 0.9999} {
			mean, sd := float64(n)*p, math.Sqrt(float64(n)*p*(1-p))
			for _, z := range []float64{-3, 0, 0.5, 1, 3, 6, 8, 20} {
				k := int64(math.Round(mean + z*sd))
				if k < 0 || k > n {
					continue
				}
				want := bigUpperTail(k, n, p)
				if want < 1e-300 {
					continue
				}
				got := math.Exp(logBinomialUpper(float64(k), float64(n), p, 1-p))
				// the exponent carries an error of a few ulp of the deviance, ≤ 700
				if math.Abs(got/want-1) > 2e-12 {
					t.Errorf("P(Bin(%d, %v) ≥ %d) = %v, want %v", n, p, k, got, want)
				}
			}
		}
	}
}

// A reference sum is too expensive at large n, so the test checks that the two tails and the probability of k are
// consistent.
func TestBinomialTailsAtLargeN(t *testing.T) {
	for _, n := range []float64{1e6, 1e7, 1e8, 1e9} {
		for _, p := range []float64{1e-8, 1e-3, 0.3, 0.5, 0.97} {
			for _, z := range []float64{-6, -1, 0, 1, 6} {
				k := math.Round(n*p + z*math.Sqrt(n*p*(1-p)))
				if k < 1 {
					continue
				}
				upper := math.Exp(logBinomialUpper(k, n, p, 1-p))
				lower := math.Exp(logBinomialLower(k, n, p, 1-p))
				mass := math.Exp(logBinomialPMF(k, n, p, 1-p))
				if math.Abs(upper+lower-mass-1) > 1e-9 {
					t.Errorf("n = %v, p = %v, k = %v: tails %v + %v − mass %v differ from 1", n, p, k, upper, lower, mass)
				}
				next := math.Exp(logBinomialUpper(k+1, n, p, 1-p))
				if math.Abs((next+mass)/upper-1) > 1e-8 {
					t.Errorf("n = %v, p = %v, k = %v: P(X ≥ k) = %v is not mass %v + P(X > k) %v", n, p, k, upper, mass, next)
				}
			}
		}
	}
}

func TestClopperPearson(t *testing.T) {
	cases := []struct {
		reason       string
		k, n         int64
		alpha        float64
		lower, upper float64 // NaN: not checked
	}{
		{"textbook: 3 of 10 at 95 % (R: binom.test)", 3, 10, 0.05, 0.06673951, 0.6524529},
		{"k = n far out, where Beta.Quantile returns 0.9375", 1e5, 1e5, 1e-9, math.Pow(0.5e-9, 1e-5), 1},
		{"k = 0 is the mirror image", 0, 1e5, 1e-9, 0, -math.Expm1(math.Log(0.5e-9) / 1e5)},
		{"one trial, one success", 1, 1, 1e-12, 0.5e-12, 1},
		{"k = 1: 1 − (1−p)^n = alpha/2", 1, 1e9, 1e-12, -math.Expm1(math.Log1p(-0.5e-12) / 1e9), math.NaN()},
	}
	for _, c := range cases {
		lower, upper, err := ClopperPearson(c.k, c.n, c.alpha)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
		}
		if math.Abs(lower-c.lower) > 1e-7*c.lower || math.Abs(upper-c.upper) > 1e-7*c.upper {
			t.Errorf("%s: [%v, %v], want [%v, %v]", c.reason, lower, upper, c.lower, c.upper)
		}
	}
}

func TestBinomialLimitsAreConservativeAndTight(t *testing.T) {
	for _, n := range []int64{1, 2, 7, 100, 5000} {
		for _, k := range []int64{0, 1, 2, n / 3, n / 2, n - 1, n} {
			for _, alpha := range []float64{0.9, 0.5, 0.05, 1e-6, 1e-9, 1e-12, 1e-15, 1e-100} {
				if k > n {
					continue
				}
				lower, err := BinomialLower(k, n, alpha)
				if err != nil {
					t.Fatal(err)
				}
				if k == 0 {
					if lower != 0 {
						t.Errorf("k = 0: lower = %v", lower)
					}
					continue
				}
				if got := bigUpperTail(k, n, lower); !(got <= alpha) || got < alpha*(1-1e-6) {
					t.Errorf("k = %d, n = %d, alpha = %v: tail at the limit %v is %v", k, n, alpha, lower, got)
				}
				upper, err := BinomialUpper(n-k, n, alpha)
				if err != nil || math.Abs(upper-(1-lower)) > 3e-12 {
					t.Errorf("k = %d, n = %d, alpha = %v: upper limit of the failures %v, want 1 − %v (%v)", k, n, alpha, upper, lower, err)
				}
			}
		}
	}
}

func TestBinomialLimitsLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 1e9).Draw(t, "n")
		k := rapid.Int64Range(0, n).Draw(t, "k")
		alpha := math.Exp(-rapid.Float64Range(0.01, 200).Draw(t, "-log alpha"))
		lower, upper, err := ClopperPearson(k, n, alpha)
		if err != nil {
			t.Fatal(err)
		}
		share := float64(k) / float64(n)
		if !(0 <= lower && lower <= share && share <= upper && upper <= 1) {
			t.Fatalf("limits [%v, %v] do not enclose %v", lower, upper, share)
		}
		wider, _ := BinomialLower(k, n, alpha/4)
		narrow, _ := BinomialLower(k, n, alpha/2)
		if wider > narrow {
			t.Fatalf("a smaller alpha gave a higher lower limit: %v > %v", wider, narrow)
		}
	})
}

func TestBinomialLimitsRefuseBadInput(t *testing.T) {
	cases := []struct {
		reason string
		k, n   int64
		alpha  float64
	}{
		{"no trials", 0, 0, 0.05}, {"negative count", -1, 5, 0.05}, {"more successes than trials", 6, 5, 0.05},
		{"alpha 0", 1, 5, 0}, {"alpha 1", 1, 5, 1}, {"alpha NaN", 1, 5, math.NaN()},
	}
	for _, c := range cases {
		_, _, err := ClopperPearson(c.k, c.n, c.alpha)
		if !errors.Is(err, ErrDomain) {
			t.Errorf("%s: error %v", c.reason, err)
		}
	}
}

func TestNormalUpperQuantile(t *testing.T) {
	for _, alpha := range []float64{0.5, 0.05, 1e-3, 1e-9, 1e-15, 1e-100, 1e-300} {
		z := NormalUpperQuantile(alpha)
		if got := 0.5 * math.Erfc(z/math.Sqrt2); math.Abs(got/alpha-1) > 1e-10 {
			t.Errorf("tail at quantile(%v) = %v is %v", alpha, z, got)
		}
	}
}

func BenchmarkClopperPearson(b *testing.B) {
	for _, n := range []int64{1e3, 1e6, 1e9} {
		b.Run(fmt.Sprintf("n=%.0g", float64(n)), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := ClopperPearson(n/3, n, 1e-9); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
