package outputs

import "math"

// multiplied returns the greatest common divisor g of the counts of all values, and a p-value for g > 1. The p-value
// is valid for independent releases of any distribution.
//
// Let X be independent Poisson counts with means y that add up to n. Given their sum n they are the counts of n
// independent releases. Let f = [multipleShare]. For each mean, the sum over the multiples x > 0 of g of P(X = x)/f(x)
// is at most P(X > 0). So the product of 1/f(X) over the values that occur has expectation at most 1, if it is replaced
// by 0 whenever some count is not a multiple of g.
//
// Now restrict the expectation to the event that the sum is n. Given all other counts, a value v takes the remaining x
// releases, and x·P(X = x) = y·P(X = x−1) ≤ y/√(2π(x−1)). Hence the sum over v of (x/n)·√(2π(x−1)) times the product
// of 1/f over the other values has expectation at most Σ y/n = 1 on this event. Division by P(sum = n) ≥
// e^(−1/12n)/√(2πn) gives a bound conditional on the sum, and Markov's inequality gives the p-value. Each divisor g has
// the share 1/(g(g−1)) of the error probability (Bonferroni).
func multiplied(counts []count, singles int) (g int, p float64) {
	for _, c := range counts {
		g = divisor(g, c.n)
	}
	if singles > 0 || g < 2 {
		return 1, 1
	}
	product, n := 0.0, 0.0
	for _, c := range counts {
		product += math.Log(multipleShare(g, c.n))
		n += float64(c.n)
	}
	rest := 0.0 // the sum over v, with f of v removed from the product
	for _, c := range counts {
		x := float64(c.n)
		rest += x / n * math.Sqrt(2*math.Pi*(x-1)) * multipleShare(g, c.n)
	}
	log := product - math.Log(rest) + math.Log(2*math.Pi*n)/2 + 1/(12*n) + math.Log(float64(g)*float64(g-1))
	return g, math.Min(1, math.Exp(log))
}

// divisor returns the greatest common divisor of two numbers; one of them may be 0.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// multipleShare returns f(x) such that, for every mean, the sum over the multiples x > 0 of g of P(X = x)/f(x) is at
// most P(X > 0), for a Poisson count X. A Poisson count of mean x is a multiple of g with probability about the larger
// of 1/g and 1/√(2πx). The factor 1.09 covers the terms next to the largest one. A test computes the sums.
func multipleShare(g, x int) float64 {
	if g == 2 { // P(X even, X > 0) = (1−e^(−y))²/2
		return 0.5
	}
	return 1.09 * math.Max(1/float64(g), 1/math.Sqrt(2*math.Pi*float64(x)))
}
