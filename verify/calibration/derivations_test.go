package calibration

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify/inputs"
)

// derivation is an ε that is derived without the mechanism's own distribution, and the ε of a faulty variant on the
// same inputs, which must exceed the claim.
type derivation struct {
	reason  string
	epsilon float64
	fault   string
	faulty  float64
}

// derivations returns the derivations of subjects without a published ε.
func derivations() map[string]derivation {
	zeroOne := []float64{0, 1}
	return map[string]derivation{
		"staircase": {"each unit further out costs ε", 1, "answers move by 2",
			lossAt([]float64{-0.5, 2.5}, must(mechanism.NewStaircase(1, 1/(1+math.Exp(0.5)))).LogDensity, 0, 2)},
		"discrete_gauss": {"Canonne, Kamath & Steinke 2020: δ from two tails", gaussianRoot(discreteGaussianDelta, 1e-3),
			"the variance is halved", worst(1e-3, []inputs.Pair[int]{pairOf("", 0, 1)}, func(x int) []float64 {
				return masses(x, 40, must(mechanism.NewDiscreteGaussian(math.Sqrt(0.5))).LogDensity)
			})},
		"trunc_laplace": {"Geng et al. 2020: δ is the mass of the end, and the rest costs ε", 1, "cut for twice the δ",
			worst(0.01, numbersOf(zeroOne), func(x float64) []float64 {
				m := must(mechanism.NewTruncatedLaplace(1, 0.02))
				cuts := append(grid(0, 1, 11), -m.Reach(), 1-m.Reach(), m.Reach(), 1+m.Reach())
				return cells(cuts, func(lo, hi float64) float64 { return m.Interval(x, lo, hi) })
			})},
		"folded_laplace": {"images: the densities at an end are cosh((top-x)/b)", math.Log(math.Cosh(2) / math.Cosh(1)),
			"half the scale", lossAt(zeroOne, must(mechanism.NewFoldedLaplace(0.5, 2)).LogDensity, 0, 1)},
		"sub_laplace": {"the ratio far out is 1-q+q·e^ε", math.Log(1 - 0.2 + 0.2*math.Exp(2)), "nobody is left out",
			worst(0, []inputs.Pair[[]float64]{pairOf("", fill(4, 0), []float64{0, 0, 0, 1})}, func(x []float64) []float64 {
				m := must(mechanism.NewSampledLaplace(1, 0.5))
				return cells([]float64{math.Inf(-1), 0, 1, math.Inf(1)}, func(lo, hi float64) float64 { return m.Interval(x, lo, hi) })
			})},
		"sub_rr": {"all draws and all answers one by one", askedInTurn(2), "everybody is asked",
			worst(0, []inputs.Pair[[]int]{pairOf("", []int{0, 0, 0, 0, 0, 0}, []int{1, 0, 0, 0, 0, 0})}, must(mechanism.NewSampledResponse(6, 6, 2)).Distribution)},
		"permute_flip": {"report noisy max with exponential noise has the same law (Ding et al. 2021), by quadrature",
			worst(0, allDiffer(5), must(mechanism.NewRNM2(2)).Distribution), "ε in place of ε/2", worst(0, allDiffer(5), must(mechanism.NewPermuteAndFlip(1)).Distribution)},
		"quantile": {"exp(utility) on a fine grid", worst(0, quantilePairs(), utilityOnGrid), "ε in place of ε/2",
			worst(0, quantilePairs(), func(x []float64) []float64 {
				return betweenNumbers(must(mechanism.NewQuantile(0.25, 1, 10)), quantilePairs(), 10, x)
			})},
		"topk_noisy": {"what is not among the 2 largest of x is among the 3 largest of -x", worst(0, allDiffer(5), func(x []float64) []float64 {
			law := must(mechanism.NewNoisyTopK(3, 4)).Distribution(negated(x))
			slices.Reverse(law) // reversed, because complements have the reverse lexicographic order
			return law
		}), "noise for one place", worst(0, allDiffer(5), must(mechanism.NewNoisyTopK(2, 2)).Distribution)},
		"topk_peel": {"the exponential mechanism, and again without what it took", worst(0, allDiffer(5), twoRounds),
			"each round spends all", worst(0, allDiffer(5), must(mechanism.NewPeelingTopK(2, 0.5)).Distribution)},
		"partition": {"5 and 6 users at threshold 6 pass with e⁻¹/2 and 1/2; δ is e⁻⁵/2",
			math.Log((0.5 - math.Exp(-5)/2) / (math.Exp(-1) / 2)), "a lower threshold than δ allows",
			worst(math.Exp(-5)/2, []inputs.Pair[[]string]{oneMore("c", "a", 8)}, func(users []string) []float64 {
				return setMasses(must(mechanism.NewPartitionSelection(1, 5)), users, []string{"a", "c"})
			})},
		"hist_threshold": {"5 and 6 items at threshold 6 pass with a/(1+a) and 1/(1+a); δ is a⁵/(1+a)", thresholdedByHand(),
			"a lower threshold than δ allows", worst(math.Exp(-5)/(1+math.Exp(-1)), []inputs.Pair[int]{pairOf("", 0, 1)},
				func(n int) []float64 { return must(mechanism.NewThresholdedHistogram(1, 5)).Distribution(n, 60) })},
		"trie": {"all outcomes of all 14 nodes", worst(0, triePairs(), allNodes), "noise for one length",
			worst(0, triePairs(), must(mechanism.NewTrie("ab", 3, 1, 3)).Distribution)},
		"clipped_mean": {"(hi-lo)/(n·scale)", 1, "numbers up to 10 are let through",
			lossAt([]float64{0, 10}, must(mechanism.NewClippedMean(0, 10, 0.2)).LogDensity, fill(5, 0), []float64{0, 0, 0, 0, 7})},
		"count_tree": {"levels·rate", 1, "ε at each level",
			lossAt([][]int{slices.Repeat([]int{-9}, 15), slices.Repeat([]int{9}, 15)}, must(mechanism.NewCountTree(4, 1)).LogDensity,
				make([]int, 8), []int{1, 0, 0, 0, 0, 0, 0, 0})},
		"json_record": {"the sum over the fields", math.Log1p(0.125) +
			bounds.MaxLoss(must(mechanism.NewKaryResponse(4, 0.5)).Distribution(1), must(mechanism.NewKaryResponse(4, 0.5)).Distribution(2)) +
			bounds.MaxLoss(must(mechanism.NewRandomizedResponse(0.5)).Distribution(0), must(mechanism.NewRandomizedResponse(0.5)).Distribution(1)),
			"the answers have the ε of all", bounds.MaxLoss(visits(1.1, 2, 1, false), visits(1.1, 3, 2, true))},
		"gradient_50":  {"Balle & Wang 2018, Theorem 8", gaussianRoot(gaussianDelta, 1e-3), "clipped at ten times the norm, with the same noise", unclipped(50)},
		"gradient_500": {"Balle & Wang 2018, Theorem 8", gaussianRoot(gaussianDelta, 1e-3), "clipped at ten times the norm, with the same noise", unclipped(500)},
	}
}

// The true ε agrees with an independent derivation and is at most the claimed ε. A faulty variant exceeds the claim.
func TestDerivations(t *testing.T) {
	subjects, err := Subjects()
	if err != nil {
		t.Fatal(err)
	}
	all := derivations()
	if len(subjects) != len(published)+len(all) {
		t.Errorf("%d mechanisms, want %d published and %d derived", len(subjects), len(published), len(all))
	}
	for id, d := range all {
		i := slices.IndexFunc(subjects, func(s Subject) bool { return s.ID == id })
		if i < 0 {
			t.Errorf("no mechanism %s", id)
			continue
		}
		s := subjects[i]
		got := s.Reachable()
		if !(math.Abs(got-d.epsilon) <= 2e-6*d.epsilon) {
			t.Errorf("%s: true ε %v, want %v: %s", id, got, d.epsilon, d.reason)
		}
		if !(got <= s.advertised*(1+1e-9)) {
			t.Errorf("%s: true ε %v, advertised %v", id, got, s.advertised)
		}
		if !(d.faulty >= 1.02*s.advertised) {
			t.Errorf("%s: ε = %v with the fault %q, advertised %v", id, d.faulty, d.fault, s.advertised)
		}
		oracle, err := s.oracle(1e5, powerAlpha)
		if err != nil || !(oracle > 0.7*got && oracle < got) {
			t.Errorf("%s: the oracle finds %v of %v (%v)", id, oracle, got, err)
		}
	}
}

// worst returns the smallest ε that holds for all pairs, from their distributions.
func worst[D any](delta float64, pairs []inputs.Pair[D], law func(D) []float64) (epsilon float64) {
	for _, p := range pairs {
		epsilon = math.Max(epsilon, bounds.MinEpsilon(law(p.A), law(p.B), delta))
	}
	return epsilon
}

// lossAt returns the largest privacy loss at the given outputs.
func lossAt[D, O any](outputs []O, logDensity func(D, O) float64, a, b D) (loss float64) {
	for _, o := range outputs {
		loss = math.Max(loss, math.Abs(logDensity(a, o)-logDensity(b, o)))
	}
	return loss
}

func numbersOf(x []float64) []inputs.Pair[float64] {
	return []inputs.Pair[float64]{pairOf("", x[0], x[1])}
}

// gaussianRoot returns the ε with deltaOf(ε) = delta, for a decreasing deltaOf.
func gaussianRoot(deltaOf func(epsilon float64) float64, delta float64) float64 {
	lo, hi := 0.0, 20.0
	for range 60 {
		if mid := (lo + hi) / 2; deltaOf(mid) > delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// gaussianDelta returns δ(ε) of the Gaussian mechanism with σ = Δ (Balle & Wang 2018, Theorem 8).
func gaussianDelta(epsilon float64) float64 {
	below := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	return below(0.5-epsilon) - math.Exp(epsilon)*below(-0.5-epsilon)
}

// discreteGaussianDelta returns δ(ε) of the discrete Gaussian mechanism with σ = Δ = 1: P(N > ε-1/2) - e^ε P(N >
// ε+1/2).
func discreteGaussianDelta(epsilon float64) float64 {
	tail := func(t float64) (p float64) {
		var all float64
		for k := -40; k <= 40; k++ {
			mass := math.Exp(-float64(k*k) / 2)
			if all += mass; float64(k) > t {
				p += mass
			}
		}
		return p / all
	}
	return tail(epsilon-0.5) - math.Exp(epsilon)*tail(epsilon+0.5)
}

// askedInTurn returns the ε of sub_rr, by enumeration of all ordered samples of 3 of 6 people.
func askedInTurn(epsilon float64) float64 {
	law := func(bits []int) []float64 {
		p := make([]float64, 8)
		for draw := range 6 * 6 * 6 {
			who := []int{draw % 6, draw / 6 % 6, draw / 36}
			if who[0] == who[1] || who[0] == who[2] || who[1] == who[2] {
				continue
			}
			for answers := range p {
				mass := 1.0 / (6 * 5 * 4)
				for i, person := range who {
					if answers>>i&1 == bits[person] {
						mass *= math.Exp(epsilon) / (1 + math.Exp(epsilon))
					} else {
						mass /= 1 + math.Exp(epsilon)
					}
				}
				p[answers] += mass
			}
		}
		return p
	}
	return math.Max(bounds.MaxLoss(law([]int{0, 0, 0, 0, 0, 0}), law([]int{1, 0, 0, 0, 0, 0})),
		bounds.MaxLoss(law([]int{1, 1, 1, 0, 0, 0}), law([]int{1, 1, 1, 1, 0, 0})))
}

func quantilePairs() []inputs.Pair[[]float64] {
	return []inputs.Pair[[]float64]{
		pairOf("", []float64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{2, 3, 4, 5, 6, 7, 8, 9}),
		pairOf("", []float64{1, 1, 6, 6, 6, 6, 6, 10}, []float64{1, 6, 6, 6, 6, 6, 10, 10}),
	}
}

// utilityOnGrid returns the distribution of the lower quartile by the exponential mechanism at ε = 1, in cells of
// 0.1.
func utilityOnGrid(numbers []float64) []float64 {
	law, sum := make([]float64, 100), 0.0
	for i := range law {
		below := 0.0
		for _, v := range numbers {
			if v < 0.1*float64(i)+0.05 {
				below++
			}
		}
		law[i] = math.Exp(-math.Abs(below-float64(len(numbers))/4) / 2)
		sum += law[i]
	}
	for i := range law {
		law[i] /= sum
	}
	return law
}

func negated(x []float64) []float64 {
	x = slices.Clone(x)
	for i := range x {
		x[i] = -x[i]
	}
	return x
}

// twoRounds returns the distribution of topk_peel, from two exponential mechanisms of ε/2 each.
func twoRounds(scores []float64) (law []float64) {
	m := must(mechanism.NewExponential(0.5, 1))
	for i, p := range m.Distribution(scores) {
		for _, q := range m.Distribution(slices.Delete(slices.Clone(scores), i, i+1)) {
			law = append(law, p*q)
		}
	}
	return law
}

func thresholdedByHand() float64 {
	a := math.Exp(-1)
	return math.Log((1/(1+a) - math.Pow(a, 5)/(1+a)) / (a / (1 + a)))
}

func triePairs() []inputs.Pair[[]string] {
	return []inputs.Pair[[]string]{
		oneMore("bba", "aab", 6, "bab", 3), oneMore("aab", "aab", 6, "abb", 3), oneMore("bbb"),
	}
}

// allNodes returns the distribution of the trie at ε = 1, by enumeration of the outcomes at all nodes, needed or not.
func allNodes(users []string) []float64 {
	leaves := []string{"aaa", "aab", "aba", "abb", "baa", "bab", "bba", "bbb"}
	nodes := append([]string{"a", "b", "aa", "ab", "ba", "bb"}, leaves...)
	pass := make([]float64, len(nodes))
	for i, node := range nodes {
		count := 0.0
		for _, s := range users {
			if strings.HasPrefix(s, node) {
				count++
			}
		}
		// P(count + 3·Laplace ≥ 3)
		if t := (3 - count) / 3; t > 0 {
			pass[i] = math.Exp(-t) / 2
		} else {
			pass[i] = 1 - math.Exp(t)/2
		}
	}
	law := make([]float64, 1<<len(leaves))
	for outcome := range 1 << len(nodes) {
		p, passed := 1.0, map[string]bool{}
		for i, node := range nodes {
			if passed[node] = outcome>>i&1 == 1; passed[node] {
				p *= pass[i]
			} else {
				p *= 1 - pass[i]
			}
		}
		set := 0
		for i, leaf := range leaves {
			if passed[leaf[:1]] && passed[leaf[:2]] && passed[leaf] {
				set |= 1 << i
			}
		}
		law[set] += p
	}
	return law
}

// visits returns the distribution of a record whose answers cost epsilon each.
func visits(epsilon float64, count, group int, second bool) []float64 {
	return must(mechanism.NewRecord(3, 0.5, epsilon)).Distribution(mechanism.Visit{Count: count, Group: group, Agrees: [3]bool{true, second, true}})
}

// unclipped returns the ε of a gradient step that clips at ten times the norm to which its noise is calibrated.
func unclipped(d int) float64 {
	step := must(mechanism.NewGradientStep(make([]float64, d), 10, 0.1, 0.5))
	others := [][]float64{features(d, 0.01, math.Sin, 1)}
	with := append(slices.Clone(others), features(d, 3, math.Cos, 1))
	return worst(1e-3, []inputs.Pair[[][]float64]{pairOf("", with, others)}, func(records [][]float64) []float64 {
		return alongDifference(step, records, with, others)
	})
}
