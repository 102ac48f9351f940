package nonconvex

import (
	"context"
	"testing"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
)

// BenchmarkPGD measures DP-PGD on the synthetic data of the paper, T = 200.
func BenchmarkPGD(b *testing.B) {
	data := planted(1, 10000, 100)
	c := Config{Loss: erm.Sigmoid{Falling: true}, Iterations: 200, Start: make([]float64, 100), Sigma: 0.01, StepSize: Constant(1)}
	r := stream(1)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := PGD(context.Background(), r, data, must(erm.NewSpace(100)), 0.005, c); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkVertices measures one step of DP-FW-L1 with 20,000 vertices on 100 rows. Rows cost as much as in PGD.
func BenchmarkVertices(b *testing.B) {
	const dim = 10000
	data, _, err := dataset.Planted(stream(1), 100, dim, dataset.PlantedSign)
	if err != nil {
		b.Fatal(err)
	}
	hull := must(HullOf(l1Ball(dim)))
	for _, noisyMax := range []bool{false, true} {
		name := "exponential"
		if noisyMax {
			name = "noisy-max"
		}
		b.Run(name, func(b *testing.B) {
			c := Config{Loss: erm.Sigmoid{Falling: true}, Iterations: max(1, b.N), Start: make([]float64, dim), StepSize: Constant(0.1)}
			b.ReportAllocs()
			if _, err := FrankWolfeVertices(context.Background(), stream(1), data, hull, vertexPick(1, noisyMax), OverstepError, c); err != nil {
				b.Fatal(err)
			}
		})
	}
}
