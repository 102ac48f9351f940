package diagnosis

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/algorithms/broken"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// released is a mechanism on inputs of any type.
type released func(r *rand.Rand, input any) any

func scalar(m interface {
	Release(*rand.Rand, float64) (float64, error)
}) released {
	return func(r *rand.Rand, input any) any { return must(m.Release(r, input.(float64))) }
}

func vector(m interface {
	Release(*rand.Rand, []float64) ([]float64, error)
}) released {
	return func(r *rand.Rand, input any) any { return must(m.Release(r, input.([]float64))) }
}

// each returns a mechanism that adds independent noise to each number.
func each(noise released) released {
	return func(r *rand.Rand, input any) any {
		var out []float64
		for _, x := range input.([]float64) {
			out = append(out, noise(r, x).(float64))
		}
		return out
	}
}

// sumOf returns a mechanism that adds noise to the sum of the input.
func sumOf(noise released) released {
	return func(r *rand.Rand, input any) any {
		sum := 0.0
		for _, x := range input.([]float64) {
			sum += x
		}
		return noise(r, sum)
	}
}

func geometric(scale float64) released {
	q := math.Exp(-1 / scale)
	one := func(r *rand.Rand) float64 { return math.Floor(math.Log(1-r.Float64()) / math.Log(q)) }
	return func(r *rand.Rand, input any) any { return input.(float64) + one(r) - one(r) }
}

// keys returns a mechanism that releases the noisy counts of the occurring keys that reach the threshold.
func keys(threshold float64) released {
	noise := scalar(must(mechanism.NewLaplace(1)))
	return func(r *rand.Rand, input any) any {
		out := map[string]any{}
		counts := input.(map[string]float64)
		for _, key := range slices.Sorted(maps.Keys(counts)) {
			if z := noise(r, counts[key]).(float64); z >= threshold {
				out[key] = z
			}
		}
		return out
	}
}

func sampleOf(m released, r *rand.Rand, input any, rows int) (s Sample) {
	encode := must(distinguisher.Encoder[any]())
	vectors := must(distinguisher.Encoder[[]float64]())
	for part := range s {
		var out distinguisher.Sample
		for range rows {
			switch o := m(r, input).(type) {
			case []float64:
				out.Add(vectors(out.Scratch(), o))
			default:
				out.Add(encode(out.Scratch(), o))
			}
		}
		s[part] = out.Rows()
	}
	return s
}

// pair is a pair of inputs.
type pair struct {
	a, b  any
	apart bool // LikelyCause is given the distance
}

var zeroOne = []pair{{0.0, 1.0, true}}

// TestLikelyCause checks that each detectable fault is reported as itself. No cause is reported for sound mechanisms and
// for other faults.
func TestLikelyCause(t *testing.T) {
	pure, curve := guarantee.ApproximateDP(1, 0), guarantee.ApproximateDP(1, 1e-5)
	laplace := func(scale float64) released { return scalar(must(mechanism.NewLaplace(scale))) }
	gauss := func(sigma float64) released { return scalar(must(mechanism.NewGaussian(sigma))) }
	constant := func(a, b any) released {
		return func(_ *rand.Rand, input any) any {
			if input.(float64) == 0 {
				return a
			}
			return b
		}
	}
	const exact = 0.268 // standard deviations that (1, 1e-5)-DP allows
	for _, c := range []struct {
		name   string
		m      released
		claim  guarantee.Guarantee
		pairs  []pair // the last one is refuted
		want   verify.Fault
		reason string
	}{
		{"half-scale Laplace", scalar(must(broken.NewHalfScaleLaplace(1, 1))), pure, zeroOne, verify.FaultInsufficientNoise, "negative control"},
		{"half scale, any inputs", laplace(0.5), pure, []pair{{0.0, 1.0, false}}, verify.FaultInsufficientNoise, "the distance is not known"},
		{"quarter-scale normal, exact", gauss(0.25 / exact), curve, zeroOne, verify.FaultInsufficientNoise, "by the exact calibration"},
		{"quarter-scale normal, classical", gauss(0.125 * math.Sqrt(2*math.Log(1.25e5))), guarantee.ApproximateDP(2, 1e-5), zeroOne, verify.FaultInsufficientNoise, "the classical formula"},
		{"half-scale normal of μ-GDP", gauss(0.5), guarantee.GaussianDP(1), zeroOne, verify.FaultInsufficientNoise, "the shift is 2μ"},
		{"half-scale normal of zCDP", gauss(0.5), guarantee.ZeroConcentratedDP(0.5), zeroOne, verify.FaultInsufficientNoise, "ρ = μ²/2"},
		{"half-scale discrete", geometric(0.5), pure, zeroOne, "", "whole numbers move by whole steps"},
		{"discrete, four apart", geometric(1), pure, []pair{{0.0, 4.0, true}}, verify.FaultInsufficientNoise, "several steps"},
		{"half-scale vector", each(laplace(0.5)), pure, []pair{{[]float64{0.25, 3}, []float64{1.25, 3}, true}}, verify.FaultInsufficientNoise, "one number moves"},
		{"histogram, one replaced", each(laplace(1)), pure, []pair{{[]float64{1, 0, 3}, []float64{0, 1, 3}, false}}, "", "each count has enough noise"},
		{"sum, one replaced", sumOf(laplace(1)), pure, []pair{{[]float64{1, 1}, []float64{1, -1}, true}}, verify.FaultInsufficientNoise, "scaled for adding one"},
		{"twice the sum", func(r *rand.Rand, input any) any { return laplace(1)(r, 2*input.(float64)) }, pure, zeroOne, verify.FaultInsufficientNoise, "the query moves by two"},
		{"no clipping", sumOf(laplace(1)), pure, []pair{{[]float64{0, 1}, []float64{0}, true}, {[]float64{0, 5}, []float64{0}, true}}, verify.FaultInsufficientNoise, "right at distance 1"},
		{"reused noise", vector(must(broken.NewReusedNoise(1, 1))), pure, []pair{{[]float64{1, 0, 3}, []float64{0, 0, 3}, true}}, "", "each number has enough noise, only the difference reveals the input"},
		{"noise of one sign", scalar(must(broken.NewAbsLaplace(0.5, 1))), pure, zeroOne, verify.FaultInsufficientNoise, "one side is missing"},
		{"clipped noise", scalar(must(broken.NewClippedLaplace(0.5, 1, 3))), pure, zeroOne, verify.FaultImpossibleOutput, "atoms that move"},
		{"uniform noise", scalar(must(broken.NewUniformNoise(0.5, 1))), pure, zeroOne, verify.FaultInsufficientNoise, "edges that move"},
		{"keys without threshold", keys(math.Inf(-1)), pure, []pair{{map[string]float64{"a": 5, "b": 1}, map[string]float64{"a": 5}, false}}, verify.FaultImpossibleOutput, "a key that only one input has"},
		{"keys, threshold too low", keys(1), pure, []pair{{map[string]float64{"a": 5, "b": 1}, map[string]float64{"a": 5}, false}}, verify.FaultImpossibleOutput, "half of the time"},
		{"fixed seed", scalar(must(broken.NewFixedSeed(1, 1, 3))), pure, zeroOne, verify.FaultNoNoise, "the same noise every time"},
		{"no noise on zero", scalar(must(broken.NewZeroCount(1, 1))), pure, zeroOne, verify.FaultNoNoise, "negative control"},
		{"empty group", vector(must(broken.NewEmptyGroup(1, 1))), pure, []pair{{[]float64{1, 0}, []float64{1, 1}, true}}, verify.FaultNoNoise, "one number of several"},
		{"name without noise", constant("blue", "red"), pure, zeroOne, verify.FaultNoNoise, "a string"},
		{"−0 and 0", constant(0.0, math.Copysign(0, -1)), pure, zeroOne, "", "equal numbers"},
		{"NaN and a number", func(r *rand.Rand, input any) any {
			if r.IntN(2) == 0 {
				return "nan"
			}
			return laplace(1)(r, input)
		}, pure, zeroOne, "", "outputs that are not all numbers"},
		{"sound Laplace", laplace(1), pure, zeroOne, "", "sound"},
		{"sound normal", gauss(1 / exact), curve, zeroOne, "", "sound"},
		{"sound discrete", geometric(1), pure, zeroOne, "", "sound"},
		{"sound at both distances", sumOf(laplace(1)), pure, []pair{{[]float64{0, .5}, []float64{0}, true}, {[]float64{0, 1}, []float64{0}, true}}, "", "sound"},
		{"scale of a third", laplace(1. / 3), pure, []pair{{0.0, 0.5, true}, {0.0, 1.0, true}}, verify.FaultInsufficientNoise, "any factor"},
		{"normal without √2", scalar(must(broken.NewShortGaussian(1, 1e-5, 1))), curve, zeroOne, "", "another fault"},
		{"normal, pure claim", scalar(must(broken.NewPureGaussian(1, 1))), pure, zeroOne, verify.FaultInsufficientNoise, "no finite factor suffices"},
		{"normal far off, pure claim", gauss(0.125), pure, zeroOne, verify.FaultInsufficientNoise, "far too small, like bounded noise"},
		{"scale by the input", func(r *rand.Rand, input any) any { return laplace(1+input.(float64))(r, 1.0) }, pure, zeroOne, "", "nothing moves"},
		{"sizes that depend on each other", func(r *rand.Rand, input any) any {
			x, u, v := input.([]float64), laplace(1)(r, 0.0).(float64), 1.0
			if r.IntN(2) == 0 {
				v = -1
			}
			return []float64{x[0] + u, x[1] + v*u}
		}, pure, []pair{{[]float64{1, 0}, []float64{0, 1}, true}}, "", "the marginal distributions do not determine the joint one"},
		{"NaN under one input", func(r *rand.Rand, input any) any {
			if input.(float64) == 0 && r.IntN(3) == 0 {
				return "nan"
			}
			return laplace(1)(r, input)
		}, pure, zeroOne, verify.FaultImpossibleOutput, "a value that is not a number"},
		{"huge numbers", func(r *rand.Rand, input any) any {
			z := 1e308 * (1 + r.Float64()/2)
			return []float64{z, z + 1e292*input.(float64), -z}
		}, pure, zeroOne, "", "differences below the rounding, sums that overflow"},
		{"randomized response, far off", func(r *rand.Rand, input any) any {
			if r.IntN(50) == 0 {
				return 1 - input.(float64)
			}
			return input
		}, pure, zeroOne, "", "both inputs produce both outputs"},
		{"clamped, half the scale", func(r *rand.Rand, input any) any {
			return math.Max(-1, math.Min(2, laplace(0.5)(r, input).(float64)))
		}, pure, zeroOne, "", "both inputs end at the same edges"},
		{"2 % far off, under one input", func(r *rand.Rand, input any) any {
			z := laplace(1)(r, input).(float64)
			if input.(float64) == 1 && r.IntN(50) == 0 {
				z += 100
			}
			return z
		}, pure, zeroOne, "", "the noise is right for the shift"},
		{"a tail that is stretched under one input", func(r *rand.Rand, input any) any {
			z := laplace(1)(r, input).(float64)
			if input.(float64) == 0 && z < -4 {
				z *= 2
			}
			return z
		}, pure, zeroOne, "", "the noise is right for the shift"},
		{"half scale, and 2 % far off", func(r *rand.Rand, input any) any {
			z := laplace(0.5)(r, input).(float64)
			if input.(float64) == 1 && r.IntN(50) == 0 {
				z += 100
			}
			return z
		}, pure, zeroOne, verify.FaultInsufficientNoise, "the shift determines the factor"},
		{"a size that depends on the input, by a fifth", func(r *rand.Rand, input any) any {
			x := input.(float64)
			return x + laplace(1+x/5)(r, 0.0).(float64)
		}, pure, zeroOne, "", "no part of the shift explains the loss"},
		{"one noise added to two", func(r *rand.Rand, input any) any {
			z := laplace(1)(r, 0.0).(float64)
			return []float64{input.(float64) + z, z + laplace(1)(r, 0.0).(float64)}
		}, pure, zeroOne, "", "numbers that depend on each other"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			// The evidence errs with probability CauseLevel, and so does the test of the shape. More than two of 50 runs
			// without a cause have probability below 2e-4.
			unnamed := testutil.Size(0, 2)
			for run := range testutil.Size(1, 50) {
				r := empirical.NewSeed(uint64(run)).Derive(c.name).Rand()
				rows := testutil.Size(12_000, 20_000)
				p := c.pairs[len(c.pairs)-1]
				distance := 0.0
				if p.apart {
					distance, _ = InputDistance(p.a, p.b)
				}
				got, evidence := verify.Fault(""), ""
				if l := LikelyCause(sampleOf(c.m, r, p.a, rows), sampleOf(c.m, r, p.b, rows), c.claim, distance, nil); l != nil {
					got, evidence = l.Fault, l.Words+": "+l.Evidence
				}
				if got == "" && c.want != "" && unnamed > 0 {
					unnamed--
					continue
				}
				if got != c.want {
					t.Errorf("run %d: cause %q (%s), want %q: %s", run, got, evidence, c.want, c.reason)
				}
			}
		})
	}
}

// TestFactor checks that the reported factor is a close lower limit on the true one, even if 2 % of the outputs under one
// input are far away.
func TestFactor(t *testing.T) {
	for _, c := range []struct {
		factor, least float64
		far           int
	}{{2, 1.6, 0}, {3, 2.4, 0}, {5, 4, 0}, {2, 1.6, 100}} {
		noise := scalar(must(mechanism.NewLaplace(1 / c.factor)))
		b := func(r *rand.Rand, input any) any { return noise(r, input).(float64) + float64(r.IntN(50)/49*c.far) }
		r := empirical.NewSeed(1).Rand()
		l := LikelyCause(sampleOf(noise, r, 0.0, 12_000), sampleOf(b, r, 1.0, 12_000), guarantee.ApproximateDP(1, 0), 1, nil)
		if l == nil || !strings.HasPrefix(l.Words, "noise that is too small") {
			t.Fatalf("%+v: %+v", c, l)
		}
		words, found := strings.CutSuffix(l.Words, ", or a claimed privacy loss ε that is too small")
		if !found {
			t.Errorf("%q does not blame the claim", l.Words)
		}
		got, err := strconv.ParseFloat(words[strings.LastIndex(words, " ")+1:], 64)
		if err != nil || !(got >= c.least && got <= c.factor) {
			t.Errorf("noise that is too small by a factor of %v: %q, want at least %v", c.factor, l.Words, c.least)
		}
		// Laplace noise of scale s leaves the loss 1/s at a shift of 1.
		var by, times, loss float64
		if n, err := fmt.Sscanf(l.Evidence, "the medians of the number differ by %g; even %g times the noise would leave a privacy "+
			"loss ε of at least %g, with error 0.001; the inputs differ by 1", &by, &times, &loss); n != 3 || err != nil ||
			times != got || !(loss > 1 && loss <= c.factor/times) || !(math.Abs(by-1) < 0.1) {
			t.Errorf("%q: %v", l.Evidence, err)
		}
	}
}

// TestRareOutputIsPossible checks that an output that one input produces only rarely is not reported as impossible.
func TestRareOutputIsPossible(t *testing.T) {
	const rows, rare = 2000, 3000 // call 3000 is in the held-out part
	for _, at := range []int{0, rare} {
		calls := 0
		b := func(*rand.Rand, any) any {
			if calls++; calls == at {
				return 3.0
			}
			return float64(2 + 2*(calls%2))
		}
		a := func(r *rand.Rand, _ any) any { return float64([]int{2, 3, 3, 3, 3, 4}[r.IntN(6)]) }
		r := empirical.NewSeed(1).Rand()
		l := LikelyCause(sampleOf(a, r, nil, rows), sampleOf(b, r, nil, rows), guarantee.ApproximateDP(1, 0), 0, nil)
		if want := at == 0; (l != nil && l.Fault == verify.FaultImpossibleOutput) != want {
			t.Errorf("rare output in call %d: %+v, want an impossible output: %v", at, l, want)
		}
	}
}

// TestFewRows checks that no cause is reported from few outputs.
func TestFewRows(t *testing.T) {
	half := scalar(must(broken.NewHalfScaleLaplace(1, 1)))
	r := empirical.NewSeed(1).Rand()
	for _, rows := range []int{1, leastRows - 1, 250} {
		a, b := sampleOf(half, r, 0.0, rows), sampleOf(half, r, 1.0, rows)
		if l := LikelyCause(a, b, guarantee.ApproximateDP(1, 0), 1, nil); l != nil {
			t.Errorf("%s rows: cause %q", strconv.Itoa(rows), l.Fault)
		}
	}
}

func TestInputDistance(t *testing.T) {
	type named struct{ X int }
	for _, c := range []struct {
		a, b   any
		want   float64 // 0 if there is no distance
		reason string
	}{
		{1.0, 3.0, 2, "numbers"},
		{true, false, 1, "booleans"},
		{[]int{1, 0, 1}, []int{1, 0}, 1, "one item more"},
		{[]int{1, 5, 1}, []int{1, 1}, 5, "in the middle"},
		{[]float64{1, -1}, []float64{1, 1}, 2, "one item replaced"},
		{[][]float64{{3, 4}}, [][]float64{}, 7, "an item that is a list"},
		{[]byte(`[1]`), []byte(`[2]`), 1, "bytes are numbers"},
		{"a", "b", 0, "strings"},
		{named{1}, named{2}, 0, "structs"},
		{[]float64{1}, []float64{1, 2, 3}, 0, "more than one item"},
		{[]string{"a", "b"}, []string{"a"}, 0, "items that are not numbers"},
		{math.NaN(), 1.0, 0, "NaN"},
		{math.Inf(1), 1.0, 0, "infinite"},
		{1e308, -1e308, 0, "a distance that overflows"},
		{nil, 1.0, 0, "nothing"},
	} {
		d, resized := InputDistance(c.a, c.b)
		if list := reflect.ValueOf(c.a); resized != (d > 0 && list.Kind() == reflect.Slice && list.Len() != reflect.ValueOf(c.b).Len()) {
			t.Errorf("%v and %v: resized %v: %s", c.a, c.b, resized, c.reason)
		}
		if d != c.want {
			t.Errorf("%v and %v: %v, want %v: %s", c.a, c.b, d, c.want, c.reason)
		}
	}
}
