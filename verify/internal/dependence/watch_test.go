package dependence

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// run passes replies of n outputs each to a watch.
func run(w *Watch, replies, n int, reply func(out []float64)) error {
	out := make([]float64, n)
	for range replies {
		reply(out)
		var r Reply
		for _, x := range out {
			r.AddRow([]float64{x})
		}
		if err := w.Reply(&r); err != nil {
			return err
		}
	}
	return nil
}

func each(draw func() float64) func([]float64) {
	return func(out []float64) {
		for i := range out {
			out[i] = draw()
		}
	}
}

func laplace(r *rand.Rand) float64 { return r.ExpFloat64() - r.ExpFloat64() }

func TestDependenceIsFound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	calls, more, ar := 0, 0, 0.0
	for _, c := range []struct {
		name       string
		replies, n int
		reply      func(out []float64)
	}{
		{"noise shared by a reply", 10, 32, func(out []float64) {
			z := laplace(r)
			each(func() float64 { return z + 0.05*r.NormFloat64() })(out)
		}},
		{"noise shared by a short reply", 60, 6, func(out []float64) {
			z := laplace(r)
			each(func() float64 { return z + 0.05*r.NormFloat64() })(out)
		}},
		{"noise shared in part", 20, 64, func(out []float64) {
			z := r.NormFloat64()
			each(func() float64 { return z + r.NormFloat64() })(out)
		}},
		{"a scale that a reply shares", 60, 256, func(out []float64) {
			s := 1 + float64(r.IntN(2))
			each(func() float64 { return s * r.NormFloat64() })(out)
		}},
		{"a bit shared by half of a reply", 20, 256, func(out []float64) {
			z := float64(r.IntN(2))
			each(func() float64 {
				if r.IntN(2) == 0 {
					return z
				}
				return float64(r.IntN(2))
			})(out)
		}},
		{"a drift of one scale", 40, 256, each(func() float64 { calls++; return laplace(r) + float64(calls)/(40*256) })},
		{"another distribution after 2,000 calls", 20, 256, each(func() float64 {
			more++
			return laplace(r) * map[bool]float64{true: 1, false: 2}[more < 2000]
		})},
		{"an AR(1) of 0.9", 10, 256, each(func() float64 { ar = 0.9*ar + math.Sqrt(0.19)*r.NormFloat64(); return ar })},
	} {
		err := run(&Watch{alpha: Alpha}, c.replies, c.n, c.reply)
		if e, ok := errors.AsType[*Error](err); !ok || !strings.HasPrefix(e.Error(), Finding) ||
			!strings.HasSuffix(e.Error(), Cure) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Independent outputs of any distribution are rejected with at most the stated probability.
func TestIndependenceIsNotFound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	mechanisms := []func() float64{
		func() float64 { return 1 },
		func() float64 { return map[bool]float64{true: 1}[r.Float64() < 0.003] },
		func() float64 { return r.NormFloat64() / r.NormFloat64() },
		func() float64 { return float64(r.IntN(2)) },
		func() float64 { return math.Floor(3 * laplace(r)) },
		func() float64 { return math.Max(-1, math.Min(1, laplace(r))) },
		r.NormFloat64,
		func() float64 { return math.NaN() },
	}
	const runs, alpha = 2000, 0.01
	wrong := 0
	for i := range runs {
		if run(&Watch{alpha: alpha}, 12, 4+r.IntN(40), each(mechanisms[i%len(mechanisms)])) != nil {
			wrong++
		}
	}
	if wrong > runs*alpha {
		t.Errorf("%d of %d runs of independent outputs are called dependent, of which at most a share %v is expected",
			wrong,
			runs, alpha)
	}
}

func TestSetSharesTheError(t *testing.T) {
	var s Set[int]
	sum := 0.0
	for i := range 1000 {
		sum += s.Of(i).alpha
	}
	first := s.Of(3)
	if again := s.Of(3); sum > watchesAlpha || again != first {
		t.Errorf("the inputs share the error %v: want at most %v", sum, watchesAlpha)
	}
}

func TestGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	group := func(draw func() float64) *Reply {
		var out Reply
		for range 128 {
			out.AddRow([]float64{draw()})
		}
		return &out
	}
	half := func(kept float64) func() float64 {
		return func() float64 {
			if r.IntN(2) == 0 {
				return kept
			}
			return laplace(r)
		}
	}
	if Groups(group(half(0.3)), group(half(0.7)), GroupsAlpha, "x") == nil {
		t.Error("a noise that is kept for half of the outputs of a process is not found")
	}
	if Groups(group(func() float64 { return 1 }), group(func() float64 { return 2 }), GroupsAlpha, "x") == nil {
		t.Error("constants of two processes are not found")
	}
	for range 100 {
		if err := Groups(group(half(0.3)), group(half(0.3)), GroupsAlpha, "x"); err != nil {
			t.Error(err)
		}
	}
}

// The bound is the multinomial probability: 0.5 for two values with counts 1 and 1, and 1 for one value.
func TestSameValues(t *testing.T) {
	for _, c := range []struct {
		prints []uint64
		want   float64
	}{{[]uint64{1, 2}, 0.5}, {[]uint64{7, 7, 7}, 1}, {[]uint64{1, 2, 3}, 6. / 27}} {
		if got := math.Exp(SameValues(c.prints)); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.prints, got, c.want)
		}
	}
}
