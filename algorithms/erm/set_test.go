package erm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/erm"
)

// setRow is a set that the laws test. extreme draws an extreme point without the code under test.
type setRow struct {
	reason  string
	set     erm.Set
	extreme func(r *rand.Rand) []float64
}

func setMust[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func setRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// setUnit draws a vector of norm radius.
func setUnit(r *rand.Rand, dim int, radius float64) []float64 {
	v := make([]float64, dim)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	floats.Scale(radius/floats.Norm(v, 2), v)
	return v
}

func setAxis(dim, i int, value float64) []float64 {
	v := make([]float64, dim)
	v[i] = value
	return v
}

func setL2(dim int, radius float64) setRow {
	return setRow{"l2 ball", setMust(erm.NewL2Ball(dim, radius)), func(r *rand.Rand) []float64 {
		return setUnit(r, dim, radius)
	}}
}

func setL1(dim int, radius float64) setRow {
	return setRow{"l1 ball", setMust(erm.NewL1Ball(dim, radius)), func(r *rand.Rand) []float64 {
		return setAxis(dim, r.IntN(dim), radius*float64(2*r.IntN(2)-1))
	}}
}

func setSimplex(dim int, scale float64) setRow {
	return setRow{"simplex", setMust(erm.NewSimplex(dim, scale)), func(r *rand.Rand) []float64 {
		return setAxis(dim, r.IntN(dim), scale)
	}}
}

func setFrobenius(order int, radius float64) setRow {
	return setRow{"symmetric matrices", setMust(erm.NewFrobeniusBall(order, radius)), func(r *rand.Rand) []float64 {
		v := setUnit(r, order*order, 1)
		for i := range order {
			for j := range i {
				v[i*order+j] = v[j*order+i]
			}
		}
		floats.Scale(radius/floats.Norm(v, 2), v)
		return v
	}}
}

// setSupport returns max ⟨g, v⟩ over the members v, computed by the linear oracle, and writes a maximizer to dst.
func setSupport(set erm.Set, g, dst []float64) float64 {
	floats.ScaleTo(dst, -1, g)
	set.Linear(dst, dst)
	return floats.Dot(g, dst)
}

// setRows returns the sets that the laws below test. A new set is a new row.
func setRows() []setRow {
	return []setRow{
		setL2(1, 2), setL2(5, 1.5), setL1(1, 2), setL1(7, 3), setSimplex(1, 2), setSimplex(6, 1.5),
		setFrobenius(1, 1), setFrobenius(3, 1),
		setBoxRow(3),
	}
}

// setDraw is the input of a law: two points of the space, a direction and an extreme point.
type setDraw struct{ w, z, g, extreme []float64 }

func (d setDraw) size(set erm.Set) float64 {
	return floats.Norm(d.w, 2) + floats.Norm(d.z, 2) + set.MaxNorm()
}

type setLaw struct {
	name  string
	check func(set erm.Set, d setDraw) error
}

// setSlack is far above the rounding errors of these small sets.
const setSlack = 1e-11

func setProjected(set erm.Set, w []float64) []float64 {
	w = slices.Clone(w)
	set.Project(w)
	return w
}

func setOracle(set erm.Set, g []float64) []float64 {
	v := make([]float64, len(g))
	set.Linear(g, v)
	return v
}

func setAtMost(what string, got, limit float64) error {
	if !(got <= limit) {
		return fmt.Errorf("%s: %v, want at most %v", what, got, limit)
	}
	return nil
}

var setLaws = []setLaw{
	{"member", func(set erm.Set, d setDraw) error {
		tol := setSlack * d.size(set)
		for _, v := range [][]float64{setProjected(set, d.w), setOracle(set, d.g), d.extreme} {
			if !set.Contains(v, tol) {
				return fmt.Errorf("%v is not contained", v)
			}
		}
		return nil
	}},
	{"outside", func(set erm.Set, d setDraw) error {
		if floats.Distance(d.w, setProjected(set, d.w), 2) > 1e-6*d.size(set) && set.Contains(d.w, setSlack) {
			return fmt.Errorf("%v is contained but moved", d.w)
		}
		return nil
	}},
	{"idempotent", func(set erm.Set, d setDraw) error {
		p := setProjected(set, d.w)
		return setAtMost("moved twice", floats.Distance(p, setProjected(set, p), 2), setSlack*d.size(set))
	}},
	{"non-expansive", func(set erm.Set, d setDraw) error {
		apart := floats.Distance(setProjected(set, d.w), setProjected(set, d.z), 2)
		return setAtMost("distance", apart, floats.Distance(d.w, d.z, 2)+setSlack*d.size(set))
	}},
	{"nearest", func(set erm.Set, d setDraw) error {
		p := setProjected(set, d.w)
		normal := make([]float64, len(p))
		floats.SubTo(normal, d.w, p)
		inward := floats.Dot(normal, p)
		back := floats.ScaleTo(make([]float64, len(p)), -1, normal)
		for _, v := range [][]float64{d.extreme, setProjected(set, d.z), setOracle(set, back)} {
			if err := setAtMost("⟨w-Pw, v-Pw⟩", floats.Dot(normal, v)-inward, setSlack*d.size(set)*d.size(set)); err != nil {
				return err
			}
		}
		return nil
	}},
	{"oracle", func(set erm.Set, d setDraw) error {
		v := setOracle(set, d.g)
		tol := setSlack * d.size(set) * floats.Norm(d.g, 2)
		for _, u := range [][]float64{d.extreme, setProjected(set, d.w), setProjected(set, d.z)} {
			if err := setAtMost("⟨g, v⟩", floats.Dot(d.g, v), floats.Dot(d.g, u)+tol); err != nil {
				return err
			}
		}
		alias := slices.Clone(d.g)
		if set.Linear(alias, alias); !slices.Equal(alias, v) {
			return fmt.Errorf("with dst = g the oracle gives %v, else %v", alias, v)
		}
		return nil
	}},
	{"support", func(set erm.Set, d setDraw) error {
		// The oracle is minus a subgradient of the support function h at -g.
		back, scratch := floats.ScaleTo(make([]float64, len(d.g)), -1, d.g), make([]float64, len(d.g))
		v := setOracle(set, d.g)
		if err := setAtMost("h(-g) from ⟨-g, v⟩", math.Abs(setSupport(set, back, scratch)+floats.Dot(d.g, v)), setSlack*d.size(set)*floats.Norm(d.g, 2)); err != nil {
			return err
		}
		return setAtMost("⟨w, v⟩", floats.Dot(d.w, v), setSupport(set, d.w, scratch)+setSlack*d.size(set)*d.size(set))
	}},
	{"gap", func(set erm.Set, d setDraw) error {
		// At a projection Pw of w the gradient Pw - w has gap 0. No gap is negative.
		p, scratch := setProjected(set, d.w), make([]float64, len(d.w))
		g := floats.SubTo(make([]float64, len(p)), p, d.w)
		tol := setSlack * d.size(set) * d.size(set)
		if err := setAtMost("gap at a stationary point", math.Abs(erm.FrankWolfeGap(set, p, g, scratch)), tol); err != nil {
			return err
		}
		return setAtMost("minus a gap", -erm.FrankWolfeGap(set, p, d.z, scratch), tol)
	}},
	{"size", func(set erm.Set, d setDraw) error {
		for _, v := range [][]float64{d.extreme, setProjected(set, d.w), setOracle(set, d.g)} {
			if err := setAtMost("norm", floats.Norm(v, 2), set.MaxNorm()*(1+setSlack)); err != nil {
				return err
			}
			if err := setAtMost("distance", floats.Distance(v, setProjected(set, d.z), 2), set.Diameter()+setSlack*d.size(set)); err != nil {
				return err
			}
		}
		return nil
	}},
	{"not finite", func(set erm.Set, d setDraw) error {
		if longer := append(slices.Clone(d.extreme), 0); set.Contains(longer, 0) || set.Contains(longer[:set.Dim()-1], 0) {
			return fmt.Errorf("a vector of another length is contained")
		}
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			w := slices.Clone(d.w)
			w[len(w)-1] = bad
			if set.Contains(w, 1) {
				return fmt.Errorf("%v is contained", w)
			}
			for _, v := range [][]float64{setProjected(set, w), setOracle(set, w)} {
				if slices.ContainsFunc(v, func(x float64) bool { return !math.IsNaN(x) }) {
					return fmt.Errorf("%v gives %v", w, v)
				}
			}
		}
		return nil
	}},
}

// setEntry draws values with ties, zeros and numbers between them.
var setEntry = rapid.OneOf(rapid.Float64Range(-10, 10), rapid.SampledFrom([]float64{-1, 0, 0.5, 1, 1, 1e-9}))

func setVector(t *rapid.T, dim int, label string) []float64 {
	return rapid.SliceOfN(setEntry, dim, dim).Draw(t, label)
}

func TestSetLaws(t *testing.T) {
	for _, row := range setRows() {
		for _, law := range setLaws {
			t.Run(row.reason+"/"+row.set.Name()+"/"+law.name, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					dim := row.set.Dim()
					d := setDraw{setVector(t, dim, "w"), setVector(t, dim, "z"), setVector(t, dim, "g"),
						row.extreme(setRand(rapid.Uint64().Draw(t, "extreme")))}
					if err := law.check(row.set, d); err != nil {
						t.Fatal(err)
					}
				})
			})
		}
	}
}

func TestSetDoesNotAllocate(t *testing.T) {
	for _, row := range setRows() {
		w, v := setUnit(setRand(1), row.set.Dim(), 10), make([]float64, row.set.Dim())
		allocs := testing.AllocsPerRun(100, func() {
			copy(v, w)
			row.set.Project(v)
			row.set.Linear(w, v)
			row.set.Contains(v, 1)
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations", row.set.Name(), allocs)
		}
	}
}
