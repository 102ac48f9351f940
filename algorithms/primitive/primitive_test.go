package primitive_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/algorithms/primitive"
)

func stream() *rand.Rand { return rand.New(rand.NewPCG(5, 7)) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// scalar turns a method that works in place into a method on scalars.
func scalar[T any](f func(x []T, scale, sensitivity float64) error) func(x T, scale, sensitivity float64) (T, error) {
	return func(x T, scale, sensitivity float64) (T, error) {
		v := []T{x}
		return v[0], f(v, scale, sensitivity)
	}
}

// use is a method and the draw of package mechanism that must give the same value from the same stream.
type use struct {
	kind primitive.Kind
	call func(n *primitive.Noise) (any, error)
	want func(r *rand.Rand) (any, error)
}

// uses returns a use of every method.
func uses() []use {
	return []use{
		{primitive.Laplace, func(n *primitive.Noise) (any, error) { return n.Laplace(3, 2, 1) },
			func(r *rand.Rand) (any, error) { return must(mechanism.NewLaplace(2)).Release(r, 3) }},
		{primitive.Gaussian, func(n *primitive.Noise) (any, error) { return n.Gaussian(3, 2, 1) },
			func(r *rand.Rand) (any, error) { return must(mechanism.NewGaussian(2)).Release(r, 3) }},
		{primitive.Laplace, func(n *primitive.Noise) (any, error) {
			x := []float64{1, 2, 3}
			return x, n.Laplaces(x, 2, 1)
		}, func(r *rand.Rand) (any, error) {
			return must(mechanism.NewNoisyHistogram(2)).Release(r, []float64{1, 2, 3})
		}},
		{primitive.L2Laplace, func(n *primitive.Noise) (any, error) {
			x := []float64{1, 2, 3}
			return x, n.L2Laplace(x, 2, 1)
		}, func(r *rand.Rand) (any, error) { return must(mechanism.NewL2Laplace(2)).Release(r, []float64{1, 2, 3}) }},
		{primitive.DiscreteLaplace, func(n *primitive.Noise) (any, error) {
			x := []int{7}
			return x, n.DiscreteLaplace(x, 2, 1)
		}, func(r *rand.Rand) (any, error) {
			return []int{must(must(mechanism.NewDiscreteLaplace(0.5)).Release(r, 7))}, nil
		}},
		{primitive.DiscreteGaussian, func(n *primitive.Noise) (any, error) {
			x := []int{7}
			return x, n.DiscreteGaussian(x, 2, 1)
		}, func(r *rand.Rand) (any, error) {
			return []int{must(must(mechanism.NewDiscreteGaussian(2)).Release(r, 7))}, nil
		}},
		{primitive.Geometric, func(n *primitive.Noise) (any, error) { return n.Geometric(3, 2, 5) },
			func(r *rand.Rand) (any, error) { return must(mechanism.NewTruncatedGeometric(2, 5)).Release(r, 3) }},
		{primitive.Exponential, func(n *primitive.Noise) (any, error) { return n.Exponential([]float64{1, 0, 2}, 1, 1) },
			func(r *rand.Rand) (any, error) {
				return must(mechanism.NewExponential(1, 1)).Release(r, []float64{1, 0, 2})
			}},
		{primitive.NoisyMax, func(n *primitive.Noise) (any, error) { return n.NoisyMax([]float64{1, 0, 2}, 1, 1) },
			func(r *rand.Rand) (any, error) { return must(mechanism.NewRNM1(1)).Release(r, []float64{1, 0, 2}) }},
		{primitive.RandomizedResponse, func(n *primitive.Noise) (any, error) { return n.Response(2, 4, 1) },
			func(r *rand.Rand) (any, error) { return must(mechanism.NewKaryResponse(4, 1)).Release(r, 2) }},
		{primitive.PrivateSampling, func(n *primitive.Noise) (any, error) {
			z := make([]float64, 2)
			return z, n.PrivateSampling([]float64{0.5, 0}, z, 1, 1, 3)
		}, func(r *rand.Rand) (any, error) {
			return must(mechanism.NewPrivateSampling(2, 1, 1, 3)).Release(r, []float64{0.5, 0})
		}},
		{primitive.Poisson, func(n *primitive.Noise) (any, error) { return n.Poisson(50, 0.3, nil) },
			func(r *rand.Rand) (any, error) {
				var taken []int
				for i := range 50 {
					if r.Float64() < 0.3 {
						taken = append(taken, i)
					}
				}
				return taken, nil
			}},
		{primitive.Permutation, func(n *primitive.Noise) (any, error) {
			order := []int{5, 6, 7, 8, 9}
			return order, n.Permute(order)
		}, func(r *rand.Rand) (any, error) {
			order := []int{5, 6, 7, 8, 9}
			r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			return order, nil
		}},
		{primitive.Uniform, func(n *primitive.Noise) (any, error) { return n.Uniform() },
			func(r *rand.Rand) (any, error) { return r.Float64(), nil }},
		{primitive.Uniform, func(n *primitive.Noise) (any, error) { return n.Index(9) },
			func(r *rand.Rand) (any, error) { return r.IntN(9), nil }},
	}
}

// recorder keeps the last call and the values to replay.
type recorder struct {
	call     primitive.Call
	released []float64
	replay   bool
}

func (s *recorder) Replay(c primitive.Call, released []float64) (bool, error) {
	c.Value = append([]float64(nil), c.Value...)
	s.call = c
	if s.replay {
		copy(released, s.released)
	}
	return s.replay, nil
}

func (s *recorder) Record(released []float64) { s.released = append([]float64(nil), released...) }

// Every method draws the values of package mechanism, watched or not. A replay returns the recorded values without
// a draw.
func TestUses(t *testing.T) {
	for _, c := range uses() {
		r := stream()
		want, next := must(c.want(r)), r.Uint64()
		plain, watched := stream(), stream()
		var w recorder
		for _, n := range []*primitive.Noise{primitive.From(plain), primitive.Watched(watched, &w)} {
			if got := must(c.call(n)); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v, want %v", c.kind, got, want)
			}
		}
		if plain.Uint64() != next || watched.Uint64() != next {
			t.Errorf("%s: the stream is at another position", c.kind)
		}
		if w.call.Kind != c.kind || len(w.released) == 0 {
			t.Errorf("%s: the call was recorded as %+v", c.kind, w.call)
		}
		w.replay = true
		untouched := stream()
		if got := must(c.call(primitive.Watched(untouched, &w))); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: replayed as %v, want %v", c.kind, got, want)
		}
		if untouched.Uint64() != stream().Uint64() {
			t.Errorf("%s: a replay draws", c.kind)
		}
	}
}

func TestErrors(t *testing.T) {
	n, nan := primitive.From(stream()), math.NaN()
	for i, f := range []func(x float64, scale, sensitivity float64) (float64, error){
		n.Laplace, n.Gaussian, scalar(n.L2Laplace),
	} {
		for _, v := range [][3]float64{{nan, 1, 1}, {1, 0, 1}, {1, nan, 1}, {1, 1, -1}, {1, 1, nan}, {1, 1, math.Inf(1)}} {
			if _, err := f(v[0], v[1], v[2]); !errors.Is(err, mechanism.ErrDomain) {
				t.Errorf("%d of %v: error %v", i, v, err)
			}
		}
	}
	for i, err := range []error{
		n.Laplaces(nil, 1, 1), n.DiscreteLaplace(nil, 1, 1), n.DiscreteGaussian([]int{1}, 1, nan), second(n.Index(0)),
		second(n.Poisson(3, nan, nil)), second(n.NoisyMax(nil, 1, 1)), second(n.NoisyMax([]float64{1}, 1, -1)),
		second(n.Exponential([]float64{1}, 1, -1)), second(n.Exponential(nil, 1, 0)), second(n.Response(4, 4, 1)), second(n.Geometric(9, 1, 5)),
		n.PrivateSampling([]float64{2}, []float64{0}, 1, 1, 1),
	} {
		if !errors.Is(err, mechanism.ErrDomain) {
			t.Errorf("%d: error %v", i, err)
		}
	}
	if w := new(recorder); primitive.Watched(stream(), w).Watch() != w || n.Watch() != nil {
		t.Error("Watch does not return the watch")
	}
}

// TestSensitivityZero checks that a value that all neighbors share may have sensitivity 0.
func TestSensitivityZero(t *testing.T) {
	n := primitive.From(stream())
	if _, err := n.Laplace(3, 1, 0); err != nil {
		t.Error(err)
	}
	if err := n.DiscreteGaussian([]int{3}, 1, 0); err != nil {
		t.Error(err)
	}
	if _, err := n.NoisyMax([]float64{1, 2}, 1, 0); err != nil {
		t.Error(err)
	}
	if i, err := n.Exponential([]float64{1, 3, 2, 3}, 1, 0); err != nil || i != 1 {
		t.Errorf("index %d of the largest score, error %v; want 1", i, err)
	}
}

func second[T any](_ T, err error) error { return err }
