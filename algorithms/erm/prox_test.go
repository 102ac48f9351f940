package erm_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/erm"
)

// setStepRow is a step that the first-order optimality test checks. set is nil for the whole space. mirror is ∇Φ.
type setStepRow struct {
	reason string
	step   erm.Step
	set    erm.Set
	dim    int
	lambda float64
	mirror func(u []float64) []float64
}

func (r setStepRow) name() string {
	if r.set == nil {
		return fmt.Sprintf("%s/space/lambda=%g", r.reason, r.lambda)
	}
	return fmt.Sprintf("%s/%s/lambda=%g", r.reason, r.set.Name(), r.lambda)
}

func setSame(u []float64) []float64 { return slices.Clone(u) }

func setGradient(phi erm.PNorm) func([]float64) []float64 {
	return func(u []float64) []float64 {
		v := make([]float64, len(u))
		phi.Gradient(u, v)
		return v
	}
}

func setProximal(row setRow, lambda float64) setStepRow {
	step := setMust(erm.NewProximal(row.set.(erm.L1Prox), lambda))
	return setStepRow{"proximal", step, row.set, row.set.Dim(), lambda, setSame}
}

func setMirror(row setRow, q, factor, lambda float64) setStepRow {
	phi := setMust(erm.NewPNorm(q, factor))
	step := setMust(erm.NewMirror(row.set.(erm.MirrorDomain), phi, lambda))
	return setStepRow{fmt.Sprintf("mirror q=%.4g factor=%g", q, factor), step, row.set, row.set.Dim(), lambda, setGradient(phi)}
}

// setSteps returns the steps that the law below tests. A new step is a new row.
func setSteps() []setStepRow {
	space, phi := setMust(erm.NewSpace(4)), setMust(erm.NewPNorm(1.3, 2))
	rows := []setStepRow{
		{"proximal", setMust(erm.NewProximal(space, 0.7)), nil, 4, 0.7, setSame},
		{"mirror", setMust(erm.NewMirror(space, phi, 0.7)), nil, 4, 0.7, setGradient(phi)},
	}
	for _, row := range setRows() {
		rows = append(rows, setStepRow{row.reason, erm.Projected{Set: row.set}, row.set, row.set.Dim(), 0, setSame})
	}
	for _, row := range []setRow{setL2(1, 2), setL2(5, 3), setL1(1, 2), setL1(7, 3), setSimplex(1, 2), setSimplex(6, 1.5), setFrobenius(3, 2)} {
		rows = append(rows, setProximal(row, 0), setProximal(row, 0.4))
	}
	for _, row := range []setRow{setL1(1, 2), setL1(7, 3), setSimplex(1, 2), setSimplex(6, 1.5)} {
		ell := 1 + 1/math.Log(float64(max(row.set.Dim(), 3)))
		rows = append(rows, setMirror(row, ell, 1/(ell-1), 0.4), setMirror(row, 1.2, 1, 0), setMirror(row, 2, 3, 0.4))
	}
	return rows
}

// setPrepare makes w a member. For matrices it makes g symmetric, as the gradient at a symmetric matrix is.
func setPrepare(row setStepRow, w, g []float64) {
	if row.set == nil {
		return
	}
	row.set.Project(w)
	if _, ok := row.set.(erm.FrobeniusBall); ok {
		setMust(erm.NewFrobeniusBall(int(math.Sqrt(float64(row.dim))), 1e100)).Project(g)
	}
}

// setOptimal checks ⟨a, v - u⟩ + λ(‖v‖₁ - ‖u‖₁) ≥ 0 for a = g + (∇Φ(u) - ∇Φ(w))/η. For all members v this is
// necessary and sufficient for u to be the next point. It checks the minimizing v. For all sets here this is the
// linear oracle's result, up to a factor, at a moved towards 0 by λ.
func setOptimal(row setStepRow, w, g []float64, eta float64) error {
	u := make([]float64, row.dim)
	row.step.Next(w, g, eta, u)
	if row.set != nil && !row.set.Contains(u, setSlack*row.set.MaxNorm()) {
		return fmt.Errorf("the next point %v is not a member", u)
	}
	atU, atW, a := row.mirror(u), row.mirror(w), make([]float64, row.dim)
	size := floats.Norm(g, 1) + row.lambda + (floats.Norm(atU, 1)+floats.Norm(atW, 1))/eta
	for i := range a {
		a[i] = g[i] + (atU[i]-atW[i])/eta
	}
	moved := slices.Clone(a)
	if _, ok := row.set.(erm.Simplex); !ok {
		for i, v := range a {
			moved[i] = math.Copysign(max(math.Abs(v)-row.lambda, 0), v)
		}
	}
	v, reach := make([]float64, row.dim), 1.0
	switch {
	case row.set == nil:
		floats.AddScaledTo(v, u, -1, moved) // downhill, if a downhill direction exists
		reach += floats.Norm(moved, 2)
	case floats.Norm(moved, 1) > setSlack*size || !row.set.Contains(v, 0):
		row.set.Linear(moved, v)
		reach += row.set.Diameter()
	}
	change := floats.Dot(a, v) - floats.Dot(a, u) + row.lambda*(floats.Norm(v, 1)-floats.Norm(u, 1))
	reach += floats.Norm(u, 2)
	rounding := 1e-14 * reach * reach / eta // the effect on a of rounding u
	return setAtMost("a gain over the next point", -change, 1e-9*size*reach+rounding)
}

func TestStepOptimal(t *testing.T) {
	for _, row := range setSteps() {
		t.Run(row.name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w, g := setVector(t, row.dim, "w"), setVector(t, row.dim, "g")
				setPrepare(row, w, g)
				eta := rapid.SampledFrom([]float64{0.05, 0.5, 1, 3}).Draw(t, "eta")
				if err := setOptimal(row, w, g, eta); err != nil {
					t.Fatal(err)
				}
				alias, next := slices.Clone(w), make([]float64, row.dim)
				row.step.Next(w, g, eta, next)
				if row.step.Next(alias, g, eta, alias); !slices.Equal(alias, next) {
					t.Fatalf("with next = w the step gives %v, else %v", alias, next)
				}
			})
		})
	}
}

// setFaultyStep is a step defined by any function.
type setFaultyStep func(w, g []float64, eta float64, next []float64)

func (f setFaultyStep) Next(w, g []float64, eta float64, next []float64) { f(w, g, eta, next) }

func TestStepLawDetectsFaults(t *testing.T) {
	l2, l1 := setProximal(setL2(5, 1), 0.4), setProximal(setL1(7, 3), 0.4)
	mirror, simplex := setMirror(setL1(7, 3), 1.5, 2, 0.4), setMirror(setSimplex(6, 1.5), 1.5, 2, 0)
	atEta := func(step erm.Step, factor float64) erm.Step {
		return setFaultyStep(func(w, g []float64, eta float64, next []float64) { step.Next(w, g, factor*eta, next) })
	}
	fixed := func(step erm.Step, eta float64) erm.Step {
		return setFaultyStep(func(w, g []float64, _ float64, next []float64) { step.Next(w, g, eta, next) })
	}
	for _, c := range []struct {
		fault string
		row   setStepRow
		step  erm.Step
	}{
		{"half of lambda", l1, setProximal(setL1(7, 3), 0.2).step},
		{"no lambda", l2, setProximal(setL2(5, 1), 0).step},
		{"a radius 5 % small", l1, setProximal(setL1(7, 2.85), 0.4).step},
		{"thresholded after the projection", l2, setFaultyStep(func(w, g []float64, eta float64, next []float64) {
			erm.Projected{Set: setL2(5, 1).set}.Next(w, g, eta, next)
			setMust(erm.NewSpace(5)).ProxL1(next, 0.4*eta)
		})},
		{"eta 5 % large", l1, atEta(l1.step, 1.05)},
		{"the printed 1/2 V(u, x) for V(u, x)/eta", mirror, fixed(mirror.step, 2)},
		{"another exponent", mirror, setMirror(setL1(7, 3), 1.6, 2, 0.4).step},
		{"another factor", simplex, setMirror(setSimplex(6, 1.5), 1.5, 2.1, 0).step},
		{"a Euclidean step", simplex, erm.Projected{Set: setSimplex(6, 1.5).set}},
		{"uphill", simplex, setFaultyStep(func(w, g []float64, eta float64, next []float64) {
			simplex.step.Next(w, floats.ScaleTo(make([]float64, len(g)), -1, g), eta, next)
		})},
		{"eta 5 % small", simplex, atEta(simplex.step, 0.95)},
	} {
		t.Run(c.fault, func(t *testing.T) {
			faulty, seen := c.row, 0
			faulty.step = c.step
			r := setRand(11)
			for range 200 {
				w, g := setUnit(r, c.row.dim, 3), setUnit(r, c.row.dim, 2)
				setPrepare(c.row, w, g)
				eta := 0.05 + r.Float64()
				if err := setOptimal(c.row, w, g, eta); err != nil {
					t.Fatalf("the sound step: %v", err)
				}
				if setOptimal(faulty, w, g, eta) != nil {
					seen++
				}
			}
			if seen == 0 {
				t.Error("the law does not detect the fault")
			}
		})
	}
}

func TestProjectedGradient(t *testing.T) {
	plain := setMust(erm.NewProximal(setMust(erm.NewSpace(3)), 0))
	next, dst := make([]float64, 3), make([]float64, 3)
	for _, c := range []struct {
		reason     string
		step       erm.Step
		w, g, want []float64
	}{
		{"the gradient, in the whole space without a regularizer", plain, []float64{1, 2, 3}, []float64{0.5, -1, 4}, []float64{0.5, -1, 4}},
		{"0 where the gradient points out of the set", erm.Projected{Set: setL2(3, 1).set}, []float64{1, 0, 0}, []float64{-2, 0, 0}, []float64{0, 0, 0}},
		{"the gradient and λ·sign", setMust(erm.NewProximal(setMust(erm.NewSpace(3)), 0.25)), []float64{2, -2, 0}, []float64{1, 1, 0.125}, []float64{1.25, 0.75, 0}},
	} {
		erm.ProjectedGradient(c.step, c.w, c.g, 0.5, next, dst)
		if !floats.EqualApprox(dst, c.want, 1e-15) {
			t.Errorf("%s: got %v, want %v", c.reason, dst, c.want)
		}
	}
}

func TestStepNotFinite(t *testing.T) {
	for _, row := range setSteps() {
		good, next := make([]float64, row.dim), make([]float64, row.dim)
		floats.AddConst(1/float64(row.dim), good)
		infinite, nan := slices.Clone(good), slices.Clone(good)
		infinite[0], nan[row.dim-1] = math.Inf(-1), math.NaN()
		for _, c := range []struct {
			reason string
			w, g   []float64
			eta    float64
		}{
			{"a NaN gradient", good, nan, 1},
			{"an infinite gradient", good, infinite, 1},
			{"a NaN point", nan, good, 1},
			{"a NaN eta", good, good, math.NaN()},
			{"no eta", good, good, 0},
			{"a negative eta", good, good, -1},
		} {
			row.step.Next(c.w, c.g, c.eta, next)
			if slices.ContainsFunc(next, func(v float64) bool { return !math.IsNaN(v) }) {
				t.Errorf("%s: %s gives %v, want NaN", row.name(), c.reason, next)
			}
		}
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	for _, row := range setSteps() {
		w, g, next, dst := setUnit(setRand(1), row.dim, 3), setUnit(setRand(2), row.dim, 3), make([]float64, row.dim), make([]float64, row.dim)
		setPrepare(row, w, g)
		if allocs := testing.AllocsPerRun(50, func() { erm.ProjectedGradient(row.step, w, g, 0.5, next, dst) }); allocs != 0 {
			t.Errorf("%s: %v allocations", row.name(), allocs)
		}
	}
}
