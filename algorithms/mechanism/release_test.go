package mechanism

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/dpverify/dpverify/internal/testutil"
)

// sampled compares releases of an input with the probabilities of cells. cell returns the index of an output's
// cell.
func sampled[D, O any](t *testing.T, m interface {
	Release(*rand.Rand, D) (O, error)
}, d D, law []float64, cell func(O) int) {
	t.Helper()
	const draws = 40_000
	r := rand.New(rand.NewPCG(1, uint64(len(law))))
	counts := make([]int, len(law))
	for range draws {
		counts[cell(must(m.Release(r, d)))]++
	}
	testutil.Counts(t, counts, law)
}

// cellOf returns a function from a number to the index of its cell. Numbers beyond the edges belong to the
// outermost cells.
func cellOf(edges []float64) func(float64) int {
	return func(v float64) int {
		at, _ := slices.BinarySearch(edges, v)
		return min(max(at-1, 0), len(edges)-2)
	}
}

// masses integrates a density over cells. It adds the probability beyond the edges to the outermost cells.
func masses(edges []float64, logDensity func(float64) float64) []float64 {
	law := make([]float64, len(edges)-1)
	var sum float64
	for i := range law {
		law[i] = quad.Fixed(func(v float64) float64 { return math.Exp(logDensity(v)) }, edges[i], edges[i+1], 16, nil, 0)
		sum += law[i]
	}
	law[len(law)-1] += (1 - sum) / 2
	law[0] += (1 - sum) / 2
	return law
}

// steps returns n edges of equal distance from lo.
func steps(lo, width float64, n int) (edges []float64) {
	for i := range n + 1 {
		edges = append(edges, lo+width*float64(i))
	}
	return edges
}

func TestNoiseSamples(t *testing.T) {
	const gamma = 0.25
	edges := steps(-6, gamma, 48) // every step of the density begins and ends at an edge
	stairs := must(NewStaircase(0.7, gamma))
	sampled(t, stairs, 0, masses(edges, func(v float64) float64 { return stairs.LogDensity(0, v) }), cellOf(edges))

	for _, sigma := range []float64{0.6, 3} {
		discrete := must(NewDiscreteGaussian(sigma))
		law := make([]float64, 61)
		for k := range law {
			law[k] = math.Exp(discrete.LogDensity(5, k-25))
		}
		sampled(t, discrete, 5, law, func(k int) int { return k + 25 })
	}

	truncated := must(NewTruncatedLaplace(0.5, 0.05))
	edges = append(steps(1-truncated.Reach(), 0.25, int(8*truncated.Reach())), 1+truncated.Reach())
	var law []float64
	for i, to := range edges[1:] {
		law = append(law, truncated.Interval(1, edges[i], to))
	}
	sampled(t, truncated, 1, law, cellOf(edges))

	folded := must(NewFoldedLaplace(2, 1.5)) // most draws are folded, many of them twice
	edges = steps(0, 0.1, 15)
	sampled(t, folded, 0.4, masses(edges, func(v float64) float64 { return folded.LogDensity(0.4, v) }), cellOf(edges))
}

func TestSampleSamples(t *testing.T) {
	sum := must(NewSampledLaplace(0.3, 0.5))
	records := []float64{0.5, 1, 1, 0.25}
	edges := slices.Concat([]float64{math.Inf(-1)}, steps(-1, 0.25, 20), []float64{math.Inf(1)})
	var law []float64
	for i, to := range edges[1:] {
		law = append(law, sum.Interval(records, edges[i], to))
	}
	sampled(t, sum, records, law, cellOf(edges))

	answers := must(NewSampledResponse(5, 3, 0.8))
	bits := []int{1, 0, 1, 0, 0}
	sampled(t, answers, bits, answers.Distribution(bits), func(o []int) int { return o[0] + 2*o[1] + 4*o[2] })
}

func TestChoiceSamples(t *testing.T) {
	scores := []float64{1, 3, 2, 2, -1}
	flip := must(NewPermuteAndFlip(0.6))
	sampled(t, flip, scores, flip.Distribution(scores), func(i int) int { return i })

	quantile := must(NewQuantile(0.3, 0.5, 4))
	numbers := []float64{1, 3, 0.5, 1, 2.5}
	edges := steps(0, 0.25, 16)
	sampled(t, quantile, numbers, masses(edges, func(v float64) float64 { return quantile.LogDensity(numbers, v) }),
		cellOf(edges))

	peeling := must(NewPeelingTopK(2, 0.4))
	sampled(t, peeling, scores, peeling.Distribution(scores), func(o []int) int {
		if o[1] > o[0] {
			o[1]--
		}
		return 4*o[0] + o[1]
	})
	noisy := must(NewNoisyTopK(2, 1.5))
	pairs := []int{1, 2, 3, 4, 12, 13, 14, 23, 24, 34}
	sampled(t, noisy, scores, noisy.Distribution(scores), func(o []int) int { return slices.Index(pairs, 10*o[0]+o[1]) })
}

func TestSetSamples(t *testing.T) {
	users := []string{"b", "a", "b", "b", "c", "c"}
	partitions := must(NewPartitionSelection(1.2, 2))
	var law []float64
	sets := []string{"", "a", "b", "ab", "c", "ac", "bc", "abc"}
	for _, set := range sets {
		law = append(law, math.Exp(partitions.LogDensity(users, strings.Split(set, "")[:len(set)])))
	}
	sampled(t, partitions, users, law, func(o []string) int { return slices.Index(sets, strings.Join(o, "")) })
	if l := partitions.LogDensity(users, []string{"d"}); !math.IsInf(l, -1) {
		t.Errorf("log probability %v of a partition without users", l)
	}

	histogram := must(NewThresholdedHistogram(0.8, 2))
	sampled(t, histogram, users, histogram.Distribution(3, 12), func(o any) int {
		if b, ok := o.(map[string]any)["b"]; ok {
			return min(int(b.(float64))-1, 12)
		}
		return 0
	})

	trie := must(NewTrie("xy", 2, 1.5, 1))
	strings4 := []string{"xx", "xy", "yx", "yy"}
	words := []string{"xy", "xy", "yy", "xx", "xy"}
	sampled(t, trie, words, trie.Distribution(words), func(o []string) (set int) {
		for _, s := range o {
			set |= 1 << slices.Index(strings4, s)
		}
		return set
	})
}

func TestNumberSamples(t *testing.T) {
	mean := must(NewClippedMean(0, 1, 0.4))
	numbers := []float64{-2, 0.5, 0.2, 9} // the mean after clipping is 0.425
	edges := slices.Concat(steps(0, 0.085, 5), steps(0.54, 0.115, 4))
	edges[len(edges)-1] = 1
	inner := masses(edges, func(v float64) float64 { return mean.LogDensity(numbers, min(max(v, 1e-12), 1-1e-12)) })
	lower, upper := math.Exp(mean.LogDensity(numbers, 0)), math.Exp(mean.LogDensity(numbers, 1))
	inner[0] -= (lower + upper) / 2 // masses added half of the remaining probability at each end
	inner[len(inner)-1] -= (lower + upper) / 2
	law := slices.Concat([]float64{lower}, inner, []float64{upper})
	sampled(t, mean, numbers, law, func(v float64) int {
		switch v {
		case 0:
			return 0
		case 1:
			return len(law) - 1
		}
		return 1 + cellOf(edges)(v)
	})

	tree := must(NewCountTree(2, 0.9))
	leaves := []int{2, 1}
	const side = 7 // noise -3..3 at each of three nodes; the last cell has all other outputs
	law = make([]float64, side*side*side+1)
	law[len(law)-1] = 1
	for i := range len(law) - 1 {
		law[i] = math.Exp(tree.LogDensity(leaves, []int{i/side/side - 3 + 3, i/side%side - 3 + 2, i%side - 3 + 1}))
		law[len(law)-1] -= law[i]
	}
	sampled(t, tree, leaves, law, func(o []int) int {
		at := 0
		for i, c := range []int{3, 2, 1} {
			digit := o[i] - c + 3
			if digit < 0 || digit >= side {
				return len(law) - 1
			}
			at = side*at + digit
		}
		return at
	})

	step := must(NewGradientStep([]float64{0.5, -1, 2}, 0.7, 1.5, 0.1))
	records := [][]float64{{3, 4, 0, -1}, {0.1, 0, 0.1, 1}}
	at := must(step.Mean(records))
	z := steps(-4, 0.5, 16)
	for j := range at {
		law := masses(z, func(v float64) float64 { return -v*v/2 - math.Log(2*math.Pi)/2 })
		sampled(t, step, records, law, func(o []float64) int { return cellOf(z)((o[j] - at[j]) / step.StdDev()) })
	}
}

// The gradient of log(1+exp(-y⟨w, x⟩)), computed by hand and clipped to the allowed norm.
func TestGradientStepMean(t *testing.T) {
	start := []float64{0.5, -1}
	step := must(NewGradientStep(start, 0.7, 1, 0.1))
	// ⟨w, x⟩ = 1.5 - 4 = -2.5 and y = -1: slope 1/(1+e^2.5); the norm of x is 5
	slope := 1 / (1 + math.Exp(2.5))
	if 5*slope > 0.7 {
		t.Fatal("the first record is clipped")
	}
	// ⟨w, x⟩ = -40 and y = 1: slope -1 in float64, and x has norm 40
	got := must(step.Mean([][]float64{{3, 4, -1}, {0, 40, 1}}))
	want := []float64{0.5 - 0.1*slope*3, -1 - 0.1*slope*4 + 0.1*0.7}
	for j := range want {
		if !(math.Abs(got[j]-want[j]) <= 1e-12) {
			t.Errorf("parameter %d: %v, want %v", j, got[j], want[j])
		}
	}
}

func TestRecordSamples(t *testing.T) {
	record := must(NewRecord(1, 0.7, 1.1))
	visit := Visit{Count: 4, Group: 2, Agrees: [3]bool{true, false, true}}
	sampled(t, record, visit, record.Distribution(visit), func(o any) int {
		fields := o.(map[string]any)
		at := 4*int(fields["visits"].(float64)) + strings.Index(groups, fields["group"].(string))
		for _, a := range fields["answers"].(map[string]any)["agrees"].([]any) {
			at = 2*at + bit(a.(bool))
		}
		return at
	})
}

// Parameters and inputs outside the domain are rejected, and the error names them.
func TestReleaseErrors(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	nan, inf := math.NaN(), math.Inf(1)
	failing := func(_ any, err error) error { return err }
	for _, c := range []struct {
		names string
		err   error
	}{
		{"epsilon", failing(NewStaircase(nan, 0.5))}, {"gamma", failing(NewStaircase(1, 1))},
		{"x", failing(must(NewStaircase(1, 0.5)).Release(r, inf))},
		{"sigma", failing(NewDiscreteGaussian(0))}, {"x", failing(must(NewDiscreteGaussian(1)).Release(r, math.MinInt))},
		{"epsilon", failing(NewTruncatedLaplace(inf, 0.1))}, {"delta", failing(NewTruncatedLaplace(1, 0.5))},
		{"x", failing(must(NewTruncatedLaplace(1, 0.1)).Release(r, nan))},
		{"scale", failing(NewFoldedLaplace(0, 1))}, {"top", failing(NewFoldedLaplace(1, nan))},
		{"x", failing(must(NewFoldedLaplace(1, 1)).Release(r, 1.1))},
		{"rate", failing(NewSampledLaplace(1.1, 1))}, {"scale", failing(NewSampledLaplace(1, -1))},
		{"record[1]", failing(must(NewSampledLaplace(1, 1)).Release(r, []float64{1, nan}))},
		{"asked", failing(NewSampledResponse(2, 3, 1))}, {"epsilon", failing(NewSampledResponse(3, 2, 0))},
		{"bits", failing(must(NewSampledResponse(2, 1, 1)).Release(r, []int{0, 2}))},
		{"rate", failing(NewPermuteAndFlip(nan))}, {"number of answers", failing(must(NewPermuteAndFlip(1)).Release(r, nil))},
		{"q", failing(NewQuantile(-0.1, 1, 1))}, {"rate", failing(NewQuantile(0, 0, 1))}, {"top", failing(NewQuantile(0, 1, inf))},
		{"numbers", failing(must(NewQuantile(0, 1, 1)).Release(r, []float64{2}))},
		{"numbers", failing(must(NewQuantile(0, 1, 1)).Release(r, nil))},
		{"k", failing(NewPeelingTopK(0, 1))}, {"rate", failing(NewPeelingTopK(1, inf))},
		{"number of scores", failing(must(NewPeelingTopK(2, 1)).Release(r, []float64{1, 2}))},
		{"k", failing(NewNoisyTopK(0, 1))}, {"scale", failing(NewNoisyTopK(1, nan))},
		{"answer[2]", failing(must(NewNoisyTopK(2, 1)).Release(r, []float64{1, 2, nan}))},
		{"scale", failing(NewPartitionSelection(0, 1))}, {"threshold", failing(NewPartitionSelection(1, nan))},
		{"rate", failing(NewThresholdedHistogram(0, 1))}, {"threshold", failing(NewThresholdedHistogram(1, 0))},
		{"length", failing(NewTrie("ab", 5, 1, 1))}, {"length", failing(NewTrie("a", 1, 1, 1))},
		{"scale", failing(NewTrie("ab", 1, 0, 1))}, {"threshold", failing(NewTrie("ab", 1, 1, inf))},
		{"length of string 1", failing(must(NewTrie("ab", 2, 1, 1)).Release(r, []string{"ab", "a"}))},
		{"lo", failing(NewClippedMean(nan, 1, 1))}, {"hi", failing(NewClippedMean(1, 1, 1))}, {"scale", failing(NewClippedMean(0, 1, 0))},
		{"answer[0]", failing(must(NewClippedMean(0, 1, 1)).Release(r, []float64{nan}))},
		{"levels", failing(NewCountTree(0, 1))}, {"rate", failing(NewCountTree(1, nan))},
		{"number of leaves", failing(must(NewCountTree(2, 1)).Release(r, []int{1}))},
		{"leaf[1]", failing(must(NewCountTree(2, 1)).Release(r, []int{1, -1}))},
		{"number of answers", failing(NewGradientStep(nil, 1, 1, 1))}, {"clip", failing(NewGradientStep([]float64{0}, 0, 1, 1))},
		{"record[1]", failing(must(NewGradientStep([]float64{0}, 1, 1, 1)).Release(r, [][]float64{{1, 1}, {1, 2}}))},
		{"k", failing(NewRecord(-1, 1, 1))}, {"epsilon", failing(NewRecord(1, 0, 1))}, {"epsilon", failing(NewRecord(1, 1, 0))},
		{"group", failing(must(NewRecord(1, 1, 1)).Release(r, Visit{Group: 4}))},
		{"x", failing(must(NewRecord(1, 1, 1)).Release(r, Visit{Count: 6}))},
	} {
		if !errors.Is(c.err, ErrDomain) || !strings.Contains(c.err.Error(), c.names) {
			t.Errorf("error %v, want ErrDomain with the name %q", c.err, c.names)
		}
	}
}
