package confidence

import (
	"fmt"
	"math"
	"sort"
)

// Guesses holds the result of guessing, from one run of a mechanism, which canaries it included. Each canary was
// included with probability Chance, independently of everything else. The attacker guessed Guessed of the Canaries
// and abstained from the others. Right guesses were correct. 1 ≤ Guessed ≤ Canaries, 0 ≤ Right ≤ Guessed.
//
// The guesses may depend on everything that the mechanism released, but on the inclusion bits only through the
// release. The number of guesses must be fixed in advance.
//
// Chance = 0 means a fair coin. With another Chance in (0, 1) all guesses must be of one kind: "included", or, if
// Chance is the probability of exclusion, "excluded".
type Guesses struct {
	Canaries, Guessed, Right int64
	Chance                   float64
}

func (g Guesses) check(alpha float64) error {
	switch {
	case !(g.Canaries >= 1 && g.Guessed >= 1 && g.Guessed <= g.Canaries && g.Right >= 0 && g.Right <= g.Guessed):
		return fmt.Errorf("%d right of %d guesses on %d canaries: need 0 ≤ right ≤ guesses ≤ canaries and a guess: %w",
			g.Right, g.Guessed, g.Canaries, ErrDomain)
	case !(g.Chance >= 0 && g.Chance < 1):
		return fmt.Errorf("canaries included with probability %v: need 0 < probability < 1: %w", g.Chance, ErrDomain)
	case !(alpha > 0 && alpha < 1):
		return fmt.Errorf("alpha = %v: need 0 < alpha < 1: %w", alpha, ErrDomain)
	}
	return nil
}

// share returns the prior odds of a guessed value, and the probability of the coins that a guess of the same kind
// can concern (1 for a fair coin).
func (g Guesses) share() (odds, share float64) {
	if g.Chance == 0 {
		return 1, 1
	}
	return g.Chance / (1 - g.Chance), g.Chance
}

// mostEpsilon is larger than every ε that can be certified.
const maxEpsilon = 700

// roundedUp covers the rounding error of a probability computed from logarithms of counts up to 1e9.
const roundedUp = 1 + 1e-11

// law returns the worst-case distribution Bin(k, p) of the number of right guesses, q = 1 − p, and the count c of
// right guesses.
func (g Guesses) law(epsilon float64) (k, c, p, q float64) {
	odds, _ := g.share()
	odds *= math.Exp(epsilon)
	if math.IsInf(odds, 1) {
		return float64(g.Guessed), float64(g.Right), 1, 0
	}
	return float64(g.Guessed), float64(g.Right), odds / (1 + odds), 1 / (1 + odds)
}

// SteinkeP returns a p-value, rounded up: a bound on the probability of at least Right right guesses for any
// mechanism that is (epsilon, delta)-DP with respect to one canary. It requires epsilon ≥ 0, 0 ≤ delta ≤ 1, and a
// fair coin unless delta = 0. The result is NaN outside this domain.
//
// With B ~ Bin(Guessed, e^ε/(1 + e^ε)), c = Right and m canaries the bound is (Steinke, Nasr & Jagielski 2023,
// Theorem 5.2)
//
//	P(B ≥ c) + 2mδ·max_{i ≥ 1} (P(B ≥ c − i) − P(B ≥ c))/i.
func (g Guesses) SteinkeP(epsilon, delta float64) float64 {
	if g.check(0.5) != nil || !(epsilon >= 0 && delta >= 0 && delta <= 1) || g.Chance != 0 && delta > 0 {
		return math.NaN()
	}
	k, c, p, q := g.law(epsilon)
	if q == 0 || c == 0 {
		return 1
	}
	beta := math.Exp(logBinomialUpper(c, k, p, q))
	if delta > 0 {
		beta += 2 * float64(g.Canaries) * delta * steepest(c, k, p, q)
	}
	return math.Min(1, beta*roundedUp)
}

// steepest returns the largest (P(B ≥ c − i) − P(B ≥ c))/i over i = 1, …, c. The summed probabilities P(B = c − i)
// increase up to the mode and then decrease. Their means increase, and decrease once a probability is below the
// mean of the previous ones. Terms that underflow far in the tail add nothing.
func steepest(c, k, p, q float64) float64 {
	const minLog = -690
	i, mode := 1.0, math.Floor((k+1)*p)
	if beyond := c - 1; beyond > mode && logBinomialPMF(beyond, k, p, q) < minLog {
		i = c - math.Ceil(mode+float64(sort.Search(int(beyond-mode), func(j int) bool {
			return logBinomialPMF(mode+float64(j), k, p, q) < minLog
		}))) + 1
	}
	mass := math.Exp(logBinomialPMF(c-i, k, p, q))
	sum, best := 0.0, 0.0
	for ; i <= c; i++ {
		sum += mass
		mean := sum / i
		if mean < best && c-i < mode {
			break
		}
		best = math.Max(best, mean)
		count := c - i
		mass *= count / (k - count + 1) * q / p
	}
	return best
}

// SteinkeLower returns the largest ε at which [Guesses.SteinkeP] is at most alpha, rounded down, or 0 if there is
// none. For a mechanism that is (ε, delta)-DP the result exceeds ε with probability at most alpha. SteinkeP is at
// least the concave hull of P(B ≥ c − i) over i, evaluated at 2mδ. The hull increases with ε and is at most alpha
// at the result, hence at all smaller ε. SteinkeLower returns ErrDomain outside the domain of SteinkeP.
func (g Guesses) SteinkeLower(delta, alpha float64) (float64, error) {
	if err := g.check(alpha); err != nil {
		return 0, err
	}
	if !(delta >= 0 && delta <= 1) || g.Chance != 0 && delta > 0 {
		return 0, fmt.Errorf("delta = %v: need 0 ≤ delta ≤ 1, and a fair coin unless it is 0: %w", delta, ErrDomain)
	}
	return largest(maxEpsilon, func(epsilon float64) bool { return g.SteinkeP(epsilon, delta) <= alpha }), nil
}

// EpsilonP returns a p-value of the same hypothesis as [Guesses.SteinkeP], for any Chance. In all comparisons made
// it was smaller. With b(j) = P(B = j), and success odds of B equal to the prior odds times e^ε, it is
//
//	P(B ≥ c) + mδ·s·P(B ≥ c)/(c·b(c)),  s = 1, or Chance if all guesses are of one kind.
//
// Proof. Let W of K guesses be right. K and the guesses are functions of the output. Let π be the probability that
// coin j has the value b. For every set T of pairs, by (ε, δ)-DP conditional on the other coins,
//
//	P(j is guessed b and right, (K, W) ∈ T) ≤ π/(1 − π)·e^ε·P(j is guessed b and wrong, (K, W + 1) ∈ T) + πδ,
//
// because at the same output the other value of the coin only turns this wrong guess into a right one. Summation
// over coins and kinds of guesses, and over the level sets of any U(K, W) ≥ 0, gives
//
//	E[W·U(K, W)] ≤ t·E[(K − W)·U(K, W + 1)] + mδs·max U,  t = odds·e^ε.
//
// Choose U(j)·j·b(j) = P(B ≥ c)·P(B < j) for j ≤ c and P(B < c)·P(B ≥ j) for j > c. Since j·b(j) = t(k − j + 1)·b(j
// − 1), the difference i·U(i) − t(k − i)·U(i + 1) equals −P(B ≥ c) for i < c and P(B < c) for i ≥ c. Its mean is
// P(W ≥ c) − P(B ≥ c). The ratios of successive binomial probabilities decrease, so U is largest at c, with value
// P(B < c)·P(B ≥ c)/(c·b(c)). ∎
//
// EpsilonP increases with ε, because P(B ≥ c)/b(c) does. At ε = 0 with every guess right it equals 2^(−m) + δ. A
// mechanism that reveals all coins with probability δ attains this to first order, so no alpha below δ ever
// refutes.
func (g Guesses) EpsilonP(epsilon, delta float64) float64 {
	tailP, price := g.epsilonTerms(epsilon, delta)
	return math.Min(1, (tailP+price)*roundedUp)
}

// epsilonTerms returns the two terms of [Guesses.EpsilonP], or NaN outside its domain. price is the term due to δ.
func (g Guesses) epsilonTerms(epsilon, delta float64) (tailP, price float64) {
	if g.check(0.5) != nil || !(epsilon >= 0 && delta >= 0 && delta <= 1) {
		return math.NaN(), math.NaN()
	}
	k, c, p, q := g.law(epsilon)
	if q == 0 || c == 0 {
		return 1, 1
	}
	tail := logBinomialUpper(c, k, p, q)
	if delta > 0 {
		_, share := g.share()
		ratio := math.Exp(tail - logBinomialPMF(c, k, p, q))
		price = float64(g.Canaries) * delta * share * ratio / c
	}
	return math.Exp(tail), price
}

// EpsilonLower returns a one-sided lower confidence bound: the largest ε at which [Guesses.EpsilonP] is at most
// alpha, rounded down, or 0 if there is none. It requires 0 ≤ delta ≤ 1 and 0 < alpha < 1, and returns ErrDomain
// otherwise.
func (g Guesses) EpsilonLower(delta, alpha float64) (float64, error) {
	if err := g.check(alpha); err != nil {
		return 0, err
	}
	if !(delta >= 0 && delta <= 1) {
		return 0, fmt.Errorf("delta = %v: need 0 ≤ delta ≤ 1: %w", delta, ErrDomain)
	}
	return largest(maxEpsilon, func(epsilon float64) bool { return g.EpsilonP(epsilon, delta) <= alpha }), nil
}

// largest returns the largest refuted x in [0, limit] up to rounding, or 0 if 0 is not refuted. A positive result
// is always a refuted value.
func largest(limit float64, refuted func(float64) bool) float64 {
	return largestWithin(1e-10, limit, refuted)
}

// largestWithin is largest with a given relative tolerance.
func largestWithin(tolerance, limit float64, refuted func(float64) bool) float64 {
	if !refuted(0) {
		return 0
	}
	low, high := 0.0, 1.0
	for ; high < limit && refuted(high); high *= 2 {
		low = high
	}
	for high-low > tolerance*high {
		if middle := (low + high) / 2; refuted(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
