package confidence

import (
	"fmt"
	"math"
	"sort"
)

// Guesses are those of one run of a mechanism on canaries, each of which was included with
// probability Chance, independently of the others and of all else: of Canaries so many were Guessed,
// the others abstained from, and of the guesses so many were Right. 1 ≤ Guessed ≤ Canaries,
// 0 ≤ Right ≤ Guessed.
//
// What is guessed of which canary may depend on all that the mechanism released, and on no coin but through
// that. The number of guesses is fixed beforehand.
//
// Chance is 0 for a fair coin. With another one, in (0, 1), all guesses are of one kind: that a canary is
// included, or, where Chance is the probability of being left out, that it is not.
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

// share is the probability of what is guessed of a canary, without any knowledge, over that of the coins
// that guesses of both kinds share.
func (g Guesses) share() (odds, share float64) {
	if g.Chance == 0 {
		return 1, 1
	}
	return g.Chance / (1 - g.Chance), g.Chance
}

// mostEpsilon is beyond every ε that is certified.
const mostEpsilon = 700

// roundedUp covers the rounding of a probability that was computed by logarithms of counts up to 1e9.
const roundedUp = 1 + 1e-11

// law of the number of right guesses in the worst case: Bin(k, p), p = 1 − q.
func (g Guesses) law(epsilon float64) (k, c, p, q float64) {
	odds, _ := g.share()
	odds *= math.Exp(epsilon)
	if math.IsInf(odds, 1) {
		return float64(g.Guessed), float64(g.Right), 1, 0
	}
	return float64(g.Guessed), float64(g.Right), odds / (1 + odds), 1 / (1 + odds)
}

// SteinkeP bounds, for any mechanism that is (epsilon, delta)-DP for one canary more or less, the probability
// of so many right guesses or more, rounded up: a p-value. epsilon ≥ 0, 0 ≤ delta ≤ 1, and a
// fair coin unless delta = 0; NaN else.
//
// With B ~ Bin(Guessed, e^ε/(1 + e^ε)), c = Right and m canaries it is (Steinke, Nasr & Jagielski
// 2023, Theorem 5.2)
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

// steepest is the largest of (P(B ≥ c − i) − P(B ≥ c))/i, i = 1, …, c. The masses P(B = c − i) that are summed
// rise to the mode and fall behind it: their means rise, and fall from where a mass is below the
// mean of those before. What lies so far out that its mass is no number adds nothing.
func steepest(c, k, p, q float64) float64 {
	const least = -690
	i, mode := 1.0, math.Floor((k+1)*p)
	if beyond := c - 1; beyond > mode && logBinomialPMF(beyond, k, p, q) < least {
		i = c - math.Ceil(mode+float64(sort.Search(int(beyond-mode), func(j int) bool {
			return logBinomialPMF(mode+float64(j), k, p, q) < least
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
		at := c - i
		mass *= at / (k - at + 1) * q / p
	}
	return best
}

// SteinkeLower is the largest ε at which [Guesses.SteinkeP] is at most alpha, rounded down; 0 where there is none. A
// mechanism that is (ε, delta)-DP gets one above ε with probability at most alpha: the p-value is never
// below one that rises with ε, the concave hull of P(B ≥ c − i) over i at 2mδ, and that is at most
// alpha at whatever ε is found, hence at all below.
func (g Guesses) SteinkeLower(delta, alpha float64) (float64, error) {
	if err := g.check(alpha); err != nil {
		return 0, err
	}
	if !(delta >= 0 && delta <= 1) || g.Chance != 0 && delta > 0 {
		return 0, fmt.Errorf("delta = %v: need 0 ≤ delta ≤ 1, and a fair coin unless it is 0: %w", delta, ErrDomain)
	}
	return largest(mostEpsilon, func(epsilon float64) bool { return g.SteinkeP(epsilon, delta) <= alpha }), nil
}

// EpsilonP is a p-value as [Guesses.SteinkeP] is, whatever the chance, and a smaller one on all that was
// compared: with b(j) = P(B = j), and odds of B that are those of Chance times e^ε,
//
//	P(B ≥ c) + mδ·s·P(B ≥ c)/(c·b(c)),  s = 1, or Chance where all guesses are of one kind.
//
// Proof. Let W of K guesses be right, where K and the guesses are functions of the output, and let coin j be
// right to be guessed b with probability π. For every set T of pairs, by (ε, δ)-DP given the other coins,
//
//	P(j is guessed b and right, (K, W) ∈ T) ≤ π/(1 − π)·e^ε·P(j is guessed b and wrong, (K, W + 1) ∈ T) + πδ,
//
// since the other value of the coin makes a wrong guess of a right one, and no other difference at the same
// output. Summed over coins and kinds of guesses, and over the level sets of any U(K, W) ≥ 0,
//
//	E[W·U(K, W)] ≤ t·E[(K − W)·U(K, W + 1)] + mδs·max U,  t = odds·e^ε.
//
// Choose U(j)·j·b(j) = P(B ≥ c)·P(B < j) for j ≤ c and P(B < c)·P(B ≥ j) for j > c. As j·b(j) = t(k − j + 1)·b(j
// − 1), i·U(i) − t(k − i)·U(i + 1) is then −P(B ≥ c) for i < c and P(B < c) for i ≥ c: its mean is P(W ≥ c) −
// P(B ≥ c). And U is largest at c, where it is P(B < c)·P(B ≥ c)/(c·b(c)), since the ratios of the masses of a
// binomial law fall. ∎
//
// It rises with ε, as P(B ≥ c)/b(c) does. At ε = 0 with every guess right it is 2^(−m) + δ: a mechanism that shows
// all with probability δ attains it to the first order, and no alpha below δ ever refutes.
func (g Guesses) EpsilonP(epsilon, delta float64) float64 {
	least, price := g.epsilonTerms(epsilon, delta)
	return math.Min(1, (least+price)*roundedUp)
}

// epsilonTerms are those of [Guesses.EpsilonP], the second of which is the price of δ; NaN outside of its domain.
func (g Guesses) epsilonTerms(epsilon, delta float64) (least, price float64) {
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

// EpsilonLower is the largest ε at which [Guesses.EpsilonP] is at most alpha, rounded down; 0 where there is none: a
// lower confidence bound, one-sided.
func (g Guesses) EpsilonLower(delta, alpha float64) (float64, error) {
	if err := g.check(alpha); err != nil {
		return 0, err
	}
	if !(delta >= 0 && delta <= 1) {
		return 0, fmt.Errorf("delta = %v: need 0 ≤ delta ≤ 1: %w", delta, ErrDomain)
	}
	return largest(mostEpsilon, func(epsilon float64) bool { return g.EpsilonP(epsilon, delta) <= alpha }), nil
}

// largest x in [0, most] that is refuted, to rounding; 0 where 0 is not. What it returns is refuted.
func largest(most float64, refuted func(float64) bool) float64 {
	return largestWithin(1e-10, most, refuted)
}

// largestWithin is largest to a relative tolerance.
func largestWithin(tolerance, most float64, refuted func(float64) bool) float64 {
	if !refuted(0) {
		return 0
	}
	low, high := 0.0, 1.0
	for ; high < most && refuted(high); high *= 2 {
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
