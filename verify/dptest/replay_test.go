package dptest_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify/dptest"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// clippedSum releases the sum of numbers clipped to [0, limit], with Laplace noise for sensitivity 1.
func clippedSum(limit float64) func(n *primitive.Noise, numbers []float64) (float64, error) {
	return func(n *primitive.Noise, numbers []float64) (float64, error) {
		var sum float64
		for _, v := range numbers {
			sum += math.Max(0, math.Min(limit, v))
		}
		return n.Laplace(sum, 2, 1)
	}
}

func TestReplay(t *testing.T) {
	numbers := dptest.Generated(inputs.Datasets[float64]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []float64{0, 1, 0.3, 9}})
	half := privacy.ApproximateDP(0.5, 0)
	failing := func(*primitive.Noise, []float64) (float64, error) { return 0, errors.New("no database") }
	for _, c := range []struct {
		reason  string
		release func(n *primitive.Noise, numbers []float64) (float64, error)
		claim   privacy.Guarantee
		options []dptest.Option
		want    []string
	}{
		{"sound", clippedSum(1), half, nil, []string{"pass: dptest: the release: flow", "not refuted on"}},
		{"clipped too wide", clippedSum(3), half, []dptest.Option{dptest.Name("the sum"), dptest.Samples(50)},
			[]string{"fail: dptest: the sum: refuted by replay: sensitivity", "laplace at replay_test.go:", "given 3 in A and 0 in B",
				"A = []float64{9}", "B = []float64{}", "go test -run"}},
		{"cost above the claim", clippedSum(1), privacy.ApproximateDP(0.4, 0), nil, []string{"refuted by replay: account", "privacy loss of 0.5"}},
		{"no claim", clippedSum(1), privacy.Guarantee{}, nil, []string{"release: not refuted on"}},
		{"returns an error", failing, half, nil, []string{"fatal: ", "no database"}},
		{"nothing to run", nil, half, nil, []string{"fatal: ", "no mechanism"}},
		{"option that does not apply", clippedSum(1), half, []dptest.Option{dptest.Alpha(0.1)}, []string{"dptest.Alpha has no meaning"}},
	} {
		var n noted
		dptest.Replay(&n, c.release, c.claim, numbers, c.options...)
		for _, want := range c.want {
			if !strings.Contains(n.text, want) {
				t.Errorf("%s: no %q in\n%s", c.reason, want, n.text)
			}
		}
		if strings.Contains(n.text, "fail: ") != strings.HasPrefix(c.want[0], "fail: ") && c.reason == "sound" {
			t.Errorf("%s: %s", c.reason, n.text)
		}
	}
}

// library is a noise library with its own random source.
type library struct{ draws float64 }

func (l *library) AddNoiseInt64(x, _ int64, _, _, _ float64) (int64, error) {
	l.draws++
	return x + int64(l.draws), nil
}

func (l *library) AddNoiseFloat64(x float64, _ int64, _, _, _ float64) (float64, error) {
	l.draws++
	return x + l.draws, nil
}

// TestReplayOfALibrary checks that replay also records the noise calls of a library that draws its own randomness.
// The declared ℓ∞ sensitivity is the parameter linf.
func TestReplayOfALibrary(t *testing.T) {
	var own library
	sums := func(linf float64) func(n *primitive.Noise, numbers []float64) ([]float64, error) {
		return func(n *primitive.Noise, numbers []float64) ([]float64, error) {
			noise := n.Adding(&own, primitive.Laplace, nil)
			var sum float64
			for _, v := range numbers {
				sum += v
			}
			count, err := noise.AddNoiseInt64(int64(len(numbers)), 1, 1, 1, 0)
			if err != nil {
				return nil, err
			}
			noisy, err := noise.AddNoiseFloat64(sum, 1, linf, 1, 0)
			return []float64{float64(count), noisy}, err
		}
	}
	pair := dptest.Pair([]float64{1, 3}, []float64{1})
	var sound, faulty noted
	dptest.Replay(&sound, sums(3), privacy.ApproximateDP(2, 0), pair)
	dptest.Replay(&faulty, sums(2), privacy.ApproximateDP(2, 0), pair)
	if strings.Contains(sound.text, "fail") || strings.Contains(sound.text, "fatal") {
		t.Error(sound.text)
	}
	if !strings.Contains(faulty.text, "call 2, laplace at replay_test.go:") {
		t.Error(faulty.text)
	}
	var n noted
	dptest.Replay(&n, func(n *primitive.Noise, _ []float64) (float64, error) {
		return n.Adding(&own, primitive.Gaussian, nil).AddNoiseFloat64(1, 1, 1, 1, 1e-5)
	}, privacy.Guarantee{}, pair)
	if !strings.Contains(n.text, "gaussian with its sigma") {
		t.Error(n.text)
	}
}

// The sum is clipped to [0, 3], but its noise is calibrated for a sensitivity of 1.
func ExampleReplay() {
	var t noted // *testing.T in a test
	dptest.Replay(&t, clippedSum(3), privacy.ApproximateDP(0.5, 0),
		dptest.Generated(inputs.Datasets[float64]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []float64{0, 1, 100}}))
	_, found, _ := strings.Cut(t.text, "smallest pair:")
	fmt.Println(strings.Fields(found)[:3])
	// Output: [A = []float64{100}]
}

// everyPrimitive calls each noise primitive once, calibrated for numbers in [0, 1] of which one is replaced.
func everyPrimitive(n *primitive.Noise, numbers []float64) ([]float64, error) {
	var sum float64
	for _, v := range numbers {
		sum += v
	}
	ones := int(sum)
	var out []float64
	var failed error
	add := func(v float64, err error) { out, failed = append(out, v), errors.Join(failed, err) }
	whole := func(v int, err error) { add(float64(v), err) }
	add(n.Gaussian(sum, 4, 1))
	vector := []float64{sum, 0}
	add(0, n.L2Laplace(vector, 4, 1))
	counts := []int{ones, ones}
	add(0, n.DiscreteLaplace(counts[:1], 4, 1))
	add(0, n.DiscreteGaussian(counts[1:], 4, 1))
	whole(n.Geometric(min(ones, 9), 2, 9))
	whole(n.Exponential([]float64{sum, 0}, 1, 1))
	whole(n.NoisyMax([]float64{sum, 0}, 4, 1))
	whole(n.Response(min(ones, 2), 3, 1))
	sphere := make([]float64, 2)
	add(0, n.PrivateSampling([]float64{1 / (1 + sum), 0}, sphere, 1, 1, 2))
	out = append(append(out, vector...), sphere...)
	for _, c := range counts {
		add(float64(c), nil)
	}
	order := []int{0, 1}
	add(0, n.Permute(order))
	members, err := n.Poisson(len(numbers), 0.5, order[:0])
	add(float64(len(members)), err)
	add(n.Uniform())
	whole(n.Index(7))
	return out, failed
}

func TestReplayOfEveryPrimitive(t *testing.T) {
	var n noted
	dptest.Replay(&n, everyPrimitive, privacy.ApproximateDP(9, 1e-3),
		dptest.Generated(inputs.Datasets[float64]{Adjacency: inputs.ReplaceOneRecord, Values: []float64{0, 1, 0.3}}), dptest.Samples(40))
	if strings.Contains(n.text, "fail") || strings.Contains(n.text, "fatal") || !strings.Contains(n.text, "raw coins are drawn at replay_test.go") {
		t.Error(n.text)
	}
	var again []float64
	for range 2 {
		x, err := everyPrimitive(primitive.From(rand.New(rand.NewPCG(1, 2))), []float64{1, 0.3})
		if err != nil || again != nil && !slices.Equal(x, again) {
			t.Errorf("%v, then %v: %v", again, x, err)
		}
		again = x
	}
}
