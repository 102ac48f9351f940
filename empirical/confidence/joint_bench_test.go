package confidence

import (
	"fmt"
	"testing"
)

var jointBenchmarks = []struct {
	name    string
	x, y, n int64
	alpha   float64
}{
	{"moderate", 50_000, 18_394, 1e5, 0.05},
	{"moderate", 500_000, 183_940, 1e6, 0.05},
	{"moderate", 500_000, 183_940, 1e6, 1e-9},
	{"close", 500_000, 452_419, 1e6, 0.05},
	{"rare", 1000, 200, 1e6, 0.05},
	{"y=0", 500_000, 0, 1e6, 0.05},
	{"y=2", 50_000, 2, 1e5, 0.05},
	{"moderate", 50_000_000, 18_394_000, 1e8, 1e-9},
}

func BenchmarkEpsilonLower(b *testing.B) {
	for _, c := range jointBenchmarks {
		b.Run(fmt.Sprintf("%s/n=%.0e/alpha=%g", c.name, float64(c.n), c.alpha), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				EpsilonLower(c.x, c.n, c.y, c.n, 0, c.alpha)
			}
		})
	}
}

func BenchmarkDeltaLower(b *testing.B) {
	for b.Loop() {
		DeltaLower(500_000, 1e6, 183_940, 1e6, 0.5, 0.05)
	}
}

func BenchmarkHalfDeviance(b *testing.B) {
	for _, c := range jointBenchmarks {
		b.Run(fmt.Sprintf("%s/n=%.0e", c.name, float64(c.n)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				HalfDeviance(1.2, 1e-5, float64(c.x), float64(c.n), float64(c.y), float64(c.n))
			}
		})
	}
}

func BenchmarkEpsilonFast(b *testing.B) {
	fast := NewEpsilonFast(0, 0.05)
	for _, c := range jointBenchmarks {
		b.Run(fmt.Sprintf("%s/n=%.0e", c.name, float64(c.n)), func(b *testing.B) {
			for b.Loop() {
				fast.Lower(float64(c.x), float64(c.n), float64(c.y), float64(c.n))
			}
		})
	}
}
