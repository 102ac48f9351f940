package premises

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// Every tail below is at least the probability, under the claimed sampling, of a count at most (Less) or at least
// (Greater) as large as the observed one.

// binomialTails returns the tails of a binomial count.
func binomialTails(k, n int64, p float64) confidence.Tails {
	t, err := confidence.BinomialTest(k, n, p)
	if err != nil { // the figures are checked before
		return confidence.Tails{Less: 1, Greater: 1}
	}
	return t
}

// hoeffdingTails returns tails of a sum of independent indicators with unequal probabilities and the given mean. Below
// mean − 1 and above mean + 1 they are at most the tails of n indicators with equal probabilities (Hoeffding 1956,
// theorem 4). A hypergeometric count is such a sum (Vatutin & Mikhailov 1982).
func hoeffdingTails(k, n int64, mean float64) confidence.Tails {
	t := confidence.Tails{Less: 1, Greater: 1}
	if n == 0 {
		return t
	}
	const rounding = 1e-9
	p := math.Min(1, mean/float64(n))
	switch x := float64(k); {
	case x <= mean-1:
		t.Less = binomialTails(k, n, p*(1-rounding)).Less
	case x >= mean+1:
		t.Greater = binomialTails(k, n, math.Min(1, p*(1+rounding))).Greater
	}
	return t
}

// chernoffTails returns the bound of Chernoff on the tails of a sum of n negatively associated indicators of
// probability p (Joag-Dev & Proschan 1983). Monotone functions of disjoint parts of a random subset of fixed size are
// negatively associated.
func chernoffTails(k, n int64, p float64) confidence.Tails {
	t := confidence.Tails{Less: 1, Greater: 1}
	if n == 0 {
		return t
	}
	tail := math.Exp(-divergence(k, n, p))
	if float64(k) < float64(n)*p {
		t.Less = tail
	} else {
		t.Greater = tail
	}
	return t
}

// divergence returns n times the Kullback–Leibler divergence from probability p to the fraction k/n.
func divergence(k, n int64, p float64) float64 {
	x, total := float64(k), float64(n)
	term := func(x, mean float64) float64 {
		switch {
		case x == 0:
			return 0
		case mean <= 0:
			return math.Inf(1)
		}
		return x * math.Log(x/mean)
	}
	return math.Max(0, term(x, total*p)+term(total-x, total*(1-p)))
}

// squares describes the truncated squared deviation min((X − np)², limit) of X ~ Bin(n, p).
type squares struct {
	n     int64
	p     float64
	mean  float64
	limit float64
}

// newSquares truncates at 5 standard deviations. Larger deviations are tested as extremes.
func newSquares(n int64, p float64) squares {
	mean := float64(n) * p
	return squares{n: n, p: p, mean: mean, limit: 25 * math.Max(1, mean*(1-p))}
}

func (s squares) of(k int64) float64 {
	return math.Min((float64(k)-s.mean)*(float64(k)-s.mean), s.limit)
}

// tails returns the bound of Chernoff on the tails of the sum over m independent variables. The moment generating
// function is computed from the binomial probabilities, and its argument is optimized on a grid, which keeps the bound
// valid.
func (s squares) tails(sum float64, m int64) confidence.Tails {
	low := int64(math.Max(0, math.Ceil(s.mean-math.Sqrt(s.limit))))
	high := int64(math.Min(float64(s.n), math.Floor(s.mean+math.Sqrt(s.limit))))
	law := distuv.Binomial{N: float64(s.n), P: s.p}
	var values, masses []float64
	for k := low; k <= high; k++ {
		values, masses = append(values, s.of(k)), append(masses, law.Prob(float64(k)))
	}
	values = append(values, s.limit)
	masses = append(masses, binomialTails(low-1, s.n, s.p).Less*indicator(low > 0)+
		binomialTails(high+1, s.n, s.p).Greater*indicator(high < s.n))
	rounding := 1e-9 + 1e-15*float64(s.n)*math.Log1p(float64(s.n)) // relative error of the probabilities
	nearest := slices.Min(values)
	bound := func(u float64) float64 {
		moment := 0.0 // of the difference from the nearest value that the sum can have, which avoids underflow
		for i, v := range values {
			moment += masses[i] * math.Exp(u*(v-nearest))
		}
		return float64(m)*(math.Log(moment)+rounding) - u*(sum-float64(m)*nearest)
	}
	less, greater := 0.0, 0.0
	unit := math.Max(1, s.mean*(1-s.p))
	for u := 1e-4; u < 1e4; u *= 1.15 {
		less = math.Min(less, bound(-u/unit))
		if u < 20 {
			greater = math.Min(greater, bound(u/unit))
		}
	}
	return confidence.Tails{Less: math.Exp(less), Greater: math.Exp(greater)}
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
