package erm_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/mechanism"
)

// Each expected point follows by hand from its threshold.
func TestProjectExact(t *testing.T) {
	const tiny, huge = 5e-324, math.MaxFloat64
	for _, c := range []struct {
		reason string
		set    erm.Set
		w      []float64
		want   []float64
	}{
		{"inside: untouched", setL1(3, 2).set, []float64{0.5, -0.5, 0.1}, []float64{0.5, -0.5, 0.1}},
		{"on the sphere: untouched", setL1(2, 2).set, []float64{1.5, -0.5}, []float64{1.5, -0.5}},
		{"threshold 1", setL1(3, 2).set, []float64{2, -2, 0.5}, []float64{1, -1, 0}},
		{"all equal", setL1(4, 2).set, []float64{3, -3, 3, 3}, []float64{0.5, -0.5, 0.5, 0.5}},
		{"a tie at the threshold", setL1(3, 1).set, []float64{2, 1, 1}, []float64{1, 0, 0}},
		{"half the radius apart at 2^51: a threshold would be rounded to halves", setL1(2, 1).set, []float64{0x1p51, -(0x1p51 + 0.5)}, []float64{0.25, -0.75}},
		{"largest numbers: their sum overflows", setL1(2, 1).set, []float64{huge, -huge}, []float64{0.5, -0.5}},
		{"subnormal next to huge", setL1(3, 1).set, []float64{tiny, huge, 0}, []float64{0, 1, 0}},
		{"all subnormal: inside", setL1(2, 1).set, []float64{tiny, -tiny}, []float64{tiny, -tiny}},
		{"a tiny radius", setL1(2, 1e-100).set, []float64{1, 1}, []float64{5e-101, 5e-101}},
		{"a huge radius", setL1(2, 1e100).set, []float64{1e300, -1e300}, []float64{5e99, -5e99}},
		{"one dimension", setL1(1, 2).set, []float64{-7}, []float64{-2}},
		{"the zero vector is projected to the center", setSimplex(4, 1).set, []float64{0, 0, 0, 0}, []float64{0.25, 0.25, 0.25, 0.25}},
		{"negative entries", setSimplex(3, 1).set, []float64{-5, -5, -9}, []float64{0.5, 0.5, 0}},
		{"opposite largest numbers: their difference overflows", setSimplex(2, 1).set, []float64{huge, -huge}, []float64{1, 0}},
		{"one dimension", setSimplex(1, 2).set, []float64{-7}, []float64{2}},
		{"3-4-5", setL2(2, 1).set, []float64{3, 4}, []float64{0.6, 0.8}},
		{"the norm overflows", setL2(2, 5).set, []float64{0.6 * huge, 0.8 * huge}, []float64{3, 4}},
		{"a tiny ball and huge entries: their ratio vanishes", setL2(2, 1e-100).set, []float64{1e300, -1e300}, []float64{math.Sqrt2 / 2 * 1e-100, -math.Sqrt2 / 2 * 1e-100}},
		{"a zero vector is unchanged", setL2(2, 1).set, []float64{0, 0}, []float64{0, 0}},
		{"the symmetric part of the largest numbers", setFrobenius(2, 1).set, []float64{0, huge, huge, 0}, []float64{0, math.Sqrt2 / 2, math.Sqrt2 / 2, 0}},
		{"the antisymmetric part vanishes", setFrobenius(2, 3).set, []float64{1, 2, -2, 1}, []float64{1, 0, 0, 1}},
		{"onto a face", setBox{3}, []float64{5, 0.25, -0.5}, []float64{1, 0.25, -0.5}},
		{"onto a vertex, from afar", setBox{2}, []float64{1e20, -1e20}, []float64{1, -1}},
		{"onto an edge", setBox{2}, []float64{100, 0}, []float64{1, 0}},
		{"inside", setBox{2}, []float64{0.5, -0.25}, []float64{0.5, -0.25}},
	} {
		t.Run(c.set.Name()+"/"+c.reason, func(t *testing.T) {
			got := setProjected(c.set, c.w)
			for i := range got {
				if !(math.Abs(got[i]-c.want[i]) <= 4*0x1p-52*math.Abs(c.want[i])) && !(math.Abs(got[i]-c.want[i]) <= 4*0x1p-52*c.set.MaxNorm()) {
					t.Fatalf("got %v, want %v", got, c.want)
				}
			}
		})
	}
}

// If the entries' logarithms or gaps grow geometrically, Newton's steps drop one entry at a time. The bisection
// must still end the search.
func TestProjectAdversarial(t *testing.T) {
	const dim = 3000
	for _, c := range []struct {
		reason string
		entry  func(i int) float64
	}{
		{"geometric over all exponents", func(i int) float64 { return math.Ldexp(1, i*2000/dim-1000) }},
		{"harmonic gaps", func(i int) float64 { return 10 - math.Log(float64(i+1)) }},
		{"gaps of one unit in the last place", func(i int) float64 { return 1 + float64(i)*0x1p-52 }},
		{"all equal", func(int) float64 { return 3 }},
	} {
		t.Run(c.reason, func(t *testing.T) {
			w := make([]float64, dim)
			for i := range w {
				w[i] = c.entry(i)
			}
			p := setProjected(setL1(dim, 1).set, w)
			if sum := floats.SumCompensated(p); math.Abs(sum-1) > 1e-14 {
				t.Errorf("the entries sum to %v, want 1", sum)
			}
			for i := range p {
				// All entries have one threshold: w_i - p_i if p_i > 0, and w_i is not larger if p_i = 0.
				if i > 0 && (w[i] >= w[i-1]) != (p[i] >= p[i-1]) && p[i] != p[i-1] {
					t.Fatalf("the order of entries %d and %d changed", i-1, i)
				}
			}
		})
	}
}

func TestLinearTies(t *testing.T) {
	for _, c := range []struct {
		reason  string
		set     erm.Set
		g, want []float64
	}{
		{"the first of equal magnitudes", setL1(3, 2).set, []float64{1, -3, 3}, []float64{0, 2, 0}},
		{"zero gradient: still a vertex", setL1(2, 2).set, []float64{0, 0}, []float64{-2, 0}},
		{"the first of equal entries", setSimplex(3, 2).set, []float64{5, -1, -1}, []float64{0, 2, 0}},
		{"zero gradient: the center", setL2(2, 2).set, []float64{0, 0}, []float64{0, 0}},
		{"antisymmetric: the center", setFrobenius(2, 2).set, []float64{0, 1, -1, 0}, []float64{0, 0, 0, 0}},
	} {
		if got := setOracle(c.set, c.g); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: got %v, want %v", c.set.Name(), c.reason, got, c.want)
		}
	}
}

func TestSetDomain(t *testing.T) {
	second := func(_ any, err error) error { return err }
	for _, c := range []struct {
		reason string
		err    error
	}{
		{"no dimension", second(erm.NewL2Ball(0, 1))},
		{"a negative dimension", second(erm.NewSpace(-1))},
		{"no radius", second(erm.NewL1Ball(2, 0))},
		{"a NaN radius", second(erm.NewSimplex(2, math.NaN()))},
		{"an infinite radius", second(erm.NewFrobeniusBall(2, math.Inf(1)))},
		{"an order whose square is too large", second(erm.NewFrobeniusBall(1<<20, 1))},
		{"a negative lambda", second(erm.NewProximal(erm.Space{}, -1))},
		{"a NaN lambda", second(erm.NewMirror(erm.Space{}, setMust(erm.NewPNorm(2, 1)), math.NaN()))},
		{"a function not made by its constructor", second(erm.NewMirror(erm.Space{}, erm.PNorm{}, 0))},
		{"an exponent of 1", second(erm.NewPNorm(1, 1))},
		{"a factor of 0", second(erm.NewPNorm(2, 0))},
		{"a NaN exponent", second(erm.NewPNorm(math.NaN(), 1))},
		{"one sample", second(erm.SparseWidth(3, 2, setRand(1), 1))},
		{"no entries", second(erm.SparseWidth(0, 0, setRand(1), 10))},
		{"more entries than dimensions", second(erm.SparseWidth(3, 4, setRand(1), 10))},
	} {
		if !errors.Is(c.err, mechanism.ErrDomain) {
			t.Errorf("%s: error %v does not wrap ErrDomain", c.reason, c.err)
		}
	}
}
