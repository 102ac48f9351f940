package accountant

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// responses returns the table of k-ary randomized response.
func responses(epsilon0 float64, k int) [][2]float64 {
	low := 1 / (math.Exp(epsilon0) + float64(k) - 1)
	rows := [][2]float64{{low * math.Exp(epsilon0), low}, {low, low * math.Exp(epsilon0)}}
	for range k - 2 {
		rows = append(rows, [2]float64{low, low})
	}
	return rows
}

// leaking returns randomized response that reveals the record with probability delta0.
func leaking(epsilon0, delta0 float64) [][2]float64 {
	rows := [][2]float64{{delta0, 0}, {0, delta0}}
	for _, row := range responses(epsilon0, 2) {
		rows = append(rows, [2]float64{row[0] * (1 - delta0), row[1] * (1 - delta0)})
	}
	return rows
}

// mixture returns the outcomes for a Poisson-sampled record.
func mixture(q, sigma float64) event.Event {
	return event.GaussianMixture(sigma, []float64{0, 1}, []float64{1 - q, q})
}

// Tables of mechanisms with a known formula have the same privacy as these mechanisms.
func TestTables(t *testing.T) {
	for _, c := range []struct {
		reason string
		table  event.Event
		same   event.Event
	}{
		{"randomized response", event.Table(responses(1, 2)), event.RandomizedResponse(1, 2)},
		{"in many categories", event.Table(responses(2, 5)), event.RandomizedResponse(2, 5)},
		{"composed", event.Repeat(50, event.Table(responses(0.3, 2))), event.Repeat(50, event.Pure(0.3))},
		{"with another", event.Compose(event.Repeat(20, event.Table(responses(0.3, 2))), event.Gaussian(3)),
			event.Compose(event.Repeat(20, event.RandomizedResponse(0.3, 2)), event.Gaussian(3))},
		{"on a sample", event.Repeat(100, event.Poisson(0.1, event.Table(responses(1, 3)))),
			event.Repeat(100, event.Poisson(0.1, event.RandomizedResponse(1, 3)))},
		{"that may lose all", event.Repeat(10, event.Table(leaking(0.5, 1e-6))), event.Repeat(10, event.Approximate(0.5, 1e-6))},
		{"a mixture of one Gaussian", event.Repeat(30, event.GaussianMixture(5, []float64{1}, []float64{1})), event.Repeat(30, event.Gaussian(5))},
		{"of a sampled record", event.Repeat(100, mixture(0.02, 0.8)), event.Repeat(100, event.Poisson(0.02, event.Gaussian(0.8)))},
		{"of a record that is sampled twice", event.Repeat(100, event.Poisson(0.1, mixture(0.2, 0.8))), event.Repeat(100, event.Poisson(0.02, event.Gaussian(0.8)))},
		{"whose shifts are one", event.Repeat(40, event.GaussianMixture(4, []float64{1, 1 + 1e-9, 1 - 1e-9}, []float64{0.2, 0.5, 0.3})), event.Repeat(40, event.Gaussian(4))},
		{"that says nothing", event.Table([][2]float64{{0.5, 0.5}, {0.5, 0.5}}), event.Pure(0)},
	} {
		for _, delta := range testutil.Size([]float64{0.1, 1.1e-5, 0}, []float64{0.1, 1e-3, 1.1e-5, 1e-9, 0}) {
			got, err := LossEpsilon(c.table, event.AddRemove, delta, Precision{})
			want, errWant := LossEpsilon(c.same, event.AddRemove, delta, Precision{})
			if err != nil || errWant != nil {
				t.Errorf("%s at δ = %g: %v, %v", c.reason, delta, err, errWant)
				continue
			}
			if !(got.Lower <= want.Upper && want.Lower <= got.Upper) {
				t.Errorf("%s at δ = %g: %v, by its formula %v", c.reason, delta, got, want)
			}
			if !(got.Width() <= 1.5e-3*math.Max(1, want.Upper) || math.IsInf(want.Lower, 1) && math.IsInf(got.Lower, 1)) {
				t.Errorf("%s at δ = %g: %v is wide, by its formula %v", c.reason, delta, got, want)
			}
		}
		for _, epsilon := range testutil.Size([]float64{0.1}, []float64{0, 0.1, 1}) {
			got, err := LossDelta(c.table, event.AddRemove, epsilon, Precision{})
			want, errWant := LossDelta(c.same, event.AddRemove, epsilon, Precision{})
			if err != nil || errWant != nil || !(got.Lower <= want.Upper && want.Lower <= got.Upper) {
				t.Errorf("%s at ε = %g: %v, by its formula %v (%v, %v)", c.reason, epsilon, got, want, err, errWant)
			}
		}
	}
}
