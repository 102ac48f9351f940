package accountant

import (
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// Benchmarks of the tasks that measure the package's design.
func BenchmarkLoss(b *testing.B) {
	multipliers := make([]float64, 20)
	for i := range multipliers {
		multipliers[i] = 5 - 0.2*float64(i)
	}
	for _, c := range []struct {
		name  string
		event event.Event
		width float64
		adj   event.Adjacency
	}{
		{"sgm/width=0.003", event.Repeat(10000, event.Poisson(0.01, event.Gaussian(1))), 0.003, event.AddRemove},
		{"sgm/width=0.03", event.Repeat(10000, event.Poisson(0.01, event.Gaussian(1))), 0.03, event.AddRemove},
		{"laplace/width=0.001", event.Repeat(1000, event.Laplace(1)), 0.001, event.AddRemove},
		{"schedule/20x100", event.Schedule(0.01, multipliers, 100), 0, event.AddRemove},
		{"sgm/q=.1,σ=4,1e3", sampledSteps(0.1, 4, 1000), 0, event.AddRemove},
		{"sgm/q=.5,σ=10,500", sampledSteps(0.5, 10, 500), 0, event.AddRemove},
		{"sgm/q=.01,σ=2,1e3,replace", sampledSteps(0.01, 2, 1000), 0, event.ReplaceOne},
		{"mixed", event.Compose(event.Gaussian(2), event.Laplace(3), sampledSteps(0.01, 1, 1000)), 0, event.AddRemove},
		{"gaussian", event.Repeat(1000, event.Gaussian(30)), 0, event.AddRemove},
	} {
		b.Run(c.name, func(b *testing.B) {
			var w Bracket
			for b.Loop() {
				w, _ = LossEpsilon(c.event, c.adj, 1e-5, Precision{Width: c.width})
			}
			b.ReportMetric(w.Width(), "width")
		})
	}
}

// Events that are known by their pair, each by all methods.
func BenchmarkEvents(b *testing.B) {
	for _, c := range []struct {
		name  string
		event event.Event
		adj   event.Adjacency
	}{
		{"without-replacement/1e3", event.Repeat(1000, event.WithoutReplacement(100, 10000, event.Gaussian(1))), event.AddRemove},
		{"without-replacement/1e3,replace", event.Repeat(1000, event.WithoutReplacement(100, 10000, event.Gaussian(1))), event.ReplaceOne},
		{"truncated-poisson/1e3", event.Repeat(1000, event.TruncatedPoisson(0.01, 150, 10000, event.Gaussian(1))), event.AddRemove},
		{"allocation/t=100", event.Allocation(100, 1, event.Gaussian(1)), event.AddRemove},
		{"allocation/t=1000,k=3,10", event.Repeat(10, event.Allocation(1000, 3, event.Gaussian(1))), event.AddRemove},
		{"with-replacement/t=100", event.Repeat(100, event.WithReplacement(100, 10000, event.Gaussian(1))), event.ReplaceOne},
		{"shuffled-reports/k=10", event.ShuffledReports(10000, event.RandomizedResponse(4, 10)), event.ReplaceOne},
		{"allocation/t=100,replace", event.Allocation(100, 1, event.Gaussian(1)), event.ReplaceOne},
		{"matrix", event.Matrix(5, 7.7, 7.8), event.AddRemove},
		{"discrete-gaussian/100", event.Repeat(100, event.DiscreteGaussian(30)), event.AddRemove},
		{"noisy-argmax/100", event.Repeat(100, event.NoisyArgmax(20)), event.AddRemove},
		{"sparse-vector/10", event.Repeat(10, event.SparseVector(0.1, 0.2, 3)), event.AddRemove},
		{"top-k/10", event.TopK(0.1, 10), event.AddRemove},
		{"repeat-and-select", event.RepeatAndSelect(1, 0.1, event.Repeat(1000, event.Poisson(0.01, event.Gaussian(2)))), event.AddRemove},
	} {
		b.Run(c.name, func(b *testing.B) {
			var width float64
			for b.Loop() {
				rs, err := Epsilons(c.event, c.adj, 1e-5, Options{Methods: []string{"best"}})
				if err != nil {
					b.Fatal(err)
				}
				width = rs[0].Width()
			}
			b.ReportMetric(width, "width")
		})
	}
}

func BenchmarkRenyiEpsilon(b *testing.B) {
	p, err := newProfile(event.Repeat(10000, event.Poisson(0.01, event.Gaussian(1))), event.AddRemove)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		Tight.Epsilon(p.renyi, 1e-5)
	}
}

func BenchmarkGaussianEpsilon(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_, _ = GDP{1}.Epsilon(1e-5)
	}
}

func BenchmarkCalibrateRenyi(b *testing.B) {
	for b.Loop() {
		_, _ = Calibrate(func(s float64) event.Event { return event.Repeat(10000, event.Poisson(0.01, event.Gaussian(s))) }, event.AddRemove, 2, 1e-5, "rdp")
	}
}

// A schedule of twenty distributions, each with its own transform, and a schedule of one distribution.
func BenchmarkCalibrate(b *testing.B) {
	schedule := func(noise float64) event.Event {
		multipliers := make([]float64, 20)
		for i := range multipliers {
			multipliers[i] = noise * (5 - 0.2*float64(i))
		}
		return event.Schedule(0.01, multipliers, 100)
	}
	steps := func(noise float64) event.Event { return sampledSteps(0.01, noise, 10000) }
	for _, c := range []struct {
		name  string
		build func(noise float64) event.Event
	}{{"schedule/20x100", schedule}, {"sgm", steps}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				_, _ = Calibrate(c.build, event.AddRemove, 1, 1e-5, "best")
			}
		})
	}
}

// A run with the parameters of large-model training.
func BenchmarkRareLosses(b *testing.B) {
	for b.Loop() {
		_, _ = LossEpsilon(sampledSteps(4e-5, 0.614, 1e5), event.AddRemove, 1.1e-10, Precision{})
	}
}
