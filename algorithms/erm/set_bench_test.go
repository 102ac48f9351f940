package erm_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpverify/dpverify/algorithms/erm"
)

func setBenchProject(b *testing.B, set erm.Set, w []float64) {
	v := make([]float64, len(w))
	b.ReportAllocs()
	for b.Loop() {
		copy(v, w)
		set.Project(v)
	}
}

func BenchmarkProjectL1Ball(b *testing.B) {
	for _, dim := range []int{100, 10_000, 1_000_000} {
		b.Run(fmt.Sprintf("normal/dim=%d", dim), func(b *testing.B) {
			setBenchProject(b, setL1(dim, 1).set, setUnit(setRand(1), dim, math.Sqrt(float64(dim))))
		})
	}
	const dim = 10_000
	geometric, uniform := make([]float64, dim), make([]float64, dim)
	for i := range dim {
		geometric[i], uniform[i] = math.Ldexp(1, i*2000/dim-1000), float64(i)
	}
	b.Run("geometric/dim=10000", func(b *testing.B) { setBenchProject(b, setL1(dim, 1).set, geometric) })
	b.Run("even/dim=10000", func(b *testing.B) { setBenchProject(b, setL1(dim, 1).set, uniform) })
	b.Run("hardly outside/dim=10000", func(b *testing.B) {
		setBenchProject(b, setL1(dim, 0.7*dim).set, setUnit(setRand(1), dim, 100))
	})
}

func BenchmarkProjectSimplex(b *testing.B) {
	setBenchProject(b, setSimplex(10_000, 1).set, setUnit(setRand(1), 10_000, 100))
}

func BenchmarkProjectL2Ball(b *testing.B) {
	setBenchProject(b, setL2(10_000, 1).set, setUnit(setRand(1), 10_000, 100))
}

func BenchmarkProjectFrobenius(b *testing.B) {
	setBenchProject(b, setFrobenius(100, 1).set, setUnit(setRand(1), 10_000, 100))
}

func BenchmarkLinear(b *testing.B) {
	g, v := setUnit(setRand(1), 10_000, 1), make([]float64, 10_000)
	for _, row := range []setRow{setL2(10_000, 1), setL1(10_000, 1), setSimplex(10_000, 1), setFrobenius(100, 1)} {
		b.Run(row.reason, func(b *testing.B) {
			for b.Loop() {
				row.set.Linear(g, v)
			}
		})
	}
}

func BenchmarkStep(b *testing.B) {
	const dim = 10_000
	ell := 1 + 1/math.Log(dim)
	for _, row := range []setStepRow{
		setProximal(setL1(dim, 1), 0.1), setMirror(setL1(dim, 1), ell, 1/(ell-1), 0.01), setMirror(setSimplex(dim, 1), ell, 1/(ell-1), 0),
	} {
		b.Run(row.name(), func(b *testing.B) {
			w, g, next := setUnit(setRand(1), dim, 3), setUnit(setRand(2), dim, 30), make([]float64, dim)
			setPrepare(row, w, g)
			b.ReportAllocs()
			for b.Loop() {
				row.step.Next(w, g, 0.5, next)
			}
		})
	}
}

func BenchmarkGaussianWidth(b *testing.B) {
	set := setL1(1_000_000, 1).set.(erm.ExactWidth)
	for b.Loop() {
		set.GaussianWidth()
	}
}

func BenchmarkSparseWidth(b *testing.B) {
	r := setRand(1)
	b.ReportAllocs()
	for b.Loop() {
		setMust(erm.SparseWidth(1_000_000, 100, r, 10))
	}
}
