package accountant

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// One batch of a fixed size has δ(ε) = q·δ₀(ε₀) with ε₀ = log(1 + (e^ε − 1)/q), where δ₀ belongs to noise for twice the
// sensitivity (Balle, Barthe & Gaboardi 2018, Theorem 9).
func TestOneBatchOfFixedSize(t *testing.T) {
	for _, c := range []struct {
		sigma          float64
		batch, records int64
		epsilon        float64
	}{{1, 10, 100, 0.5}, {0.7, 50, 100, 2}, {3, 99, 100, 0.1}, {2, 1, 1000, 0.01}}[:testutil.Size(2, 4)] {
		q := float64(c.batch) / float64(c.records)
		before := math.Log1p(math.Expm1(c.epsilon) / q)
		want := q * math.Exp(GDP{2 / c.sigma}.LogDelta(before))
		for _, adjacency := range []event.Adjacency{event.AddRemove, event.ReplaceOne} {
			e := event.WithoutReplacement(c.batch, c.records, event.Gaussian(c.sigma))
			b, err := LossDelta(e, adjacency, c.epsilon, Precision{})
			if err != nil || !(b.Lower <= want*(1+1e-9) && want*(1-1e-9) <= b.Upper) || b.Width() > 2e-3*want {
				t.Errorf("%s, %v at ε = %g: %v, want %v (%v)", e, adjacency, c.epsilon, b, want, err)
			}
		}
	}
}

// Compositions of batches of a fixed size. Under replace-one, the upper bound allows a different worst case in each
// step.
func TestBatchesOfFixedSize(t *testing.T) {
	for _, e := range []event.Event{
		event.Repeat(1000, event.WithoutReplacement(100, 10000, event.Gaussian(2))),
		event.Repeat(20, event.WithoutReplacement(10, 40, event.Laplace(5))),
		event.Repeat(7, event.WithoutReplacement(3, 10, event.DiscreteLaplace(0.3))),
	} {
		added, err := LossEpsilon(e, event.AddRemove, 1e-5, Precision{})
		if err != nil {
			t.Fatalf("%s: %v", e, err)
		}
		replaced, err := LossEpsilon(e, event.ReplaceOne, 1e-5, Precision{})
		if err != nil || !(replaced.Lower >= added.Lower-2e-3 && replaced.Upper >= added.Lower) {
			t.Errorf("%s: replaced %v, added %v (%v)", e, replaced, added, err)
		}
		if !(replaced.Width() <= 0.25*replaced.Upper) {
			t.Errorf("%s: %v is wide", e, replaced)
		}
		poisson := event.Repeat(e.Count, event.Poisson(e.Parts[0].B/float64(e.Parts[0].Count), e.Parts[0].Parts[0]))
		if half, err := LossEpsilon(poisson, event.AddRemove, 1e-5, Precision{}); err != nil || !(half.Upper < added.Lower) {
			t.Errorf("%s costs %v, no more than Poisson samples %v, whose records replace no other (%v)", e, added, half, err)
		}
	}
}

// The effect of truncation is proportional to its probability.
func TestTruncatedSamples(t *testing.T) {
	for _, adjacency := range []event.Adjacency{event.AddRemove, event.ReplaceOne} {
		plain := event.Repeat(1000, event.Poisson(0.01, event.Gaussian(1)))
		want, _ := LossEpsilon(plain, adjacency, 1e-6, Precision{MaxPoints: 1 << 16})
		for _, c := range []struct {
			most  int64
			least float64
			wide  float64
		}{{1000, 0.999, 0.002}, {160, 0.999, 0.1}, {130, 0.99, 1.5}, {100, 0.3, 10}} {
			e := event.Repeat(1000, event.TruncatedPoisson(0.01, c.most, 10000, event.Gaussian(1)))
			b, err := LossEpsilon(e, adjacency, 1e-6, Precision{MaxPoints: 1 << 16})
			if err != nil || !(b.Upper >= want.Lower && b.Lower <= want.Upper && b.Lower >= c.least*want.Lower) ||
				!(b.Upper-want.Upper <= c.wide*want.Upper) {
				t.Errorf("%s, %v: %v, without truncation %v (%v)", e, adjacency, b, want, err)
			}
		}
	}
}

// A sample that is always cut to one record, compared with an enumeration of the record that stays.
func TestCutToOneRecord(t *testing.T) {
	// Each of 3 records is sampled with probability 1/2 and one is kept. The record stays with this probability: alone
	// 1/4·1/2, with one other 1/2·1/2·1/2, with both 1/4·1/2·1/3.
	stays := 1.0/8 + 1.0/8 + 1.0/24
	e := event.TruncatedPoisson(0.5, 1, 3, event.Gaussian(1))
	for _, epsilon := range []float64{0.1, 1} {
		b, err := LossDelta(e, event.AddRemove, epsilon, Precision{})
		// The other records contribute nothing.
		nothing, _ := LossDelta(event.Poisson(stays, event.Gaussian(1)), event.AddRemove, epsilon, Precision{})
		if err != nil || !(b.Lower <= nothing.Upper && nothing.Lower <= b.Upper) {
			t.Errorf("ε = %g: %v does not hold an instance, %v (%v)", epsilon, b, nothing, err)
		}
		// The other records are opposite. Outputs are around 0 if none is sampled, around −1 if another stays, and
		// around 1 if the record stays.
		with, without := []float64{1.0 / 8, 3.0/4 + 1.0/8 - stays, stays}, []float64{1.0 / 4, 3.0 / 4, 0}
		for _, order := range [][2][]float64{{with, without}, {without, with}} {
			if d := divergence(order[0], order[1], epsilon); !(d <= b.Upper) {
				t.Errorf("ε = %g: an instance has δ = %v, above %v", epsilon, d, b)
			}
		}
	}
}

// divergence returns the hockey-stick divergence of two mixtures of N(0, 1), N(−1, 1) and N(1, 1), by summation.
func divergence(p, q []float64, epsilon float64) float64 {
	const h = 1e-3
	total := 0.0
	for y := -12.0; y < 12; y += h {
		density := func(w []float64) float64 {
			return (w[0]*math.Exp(-y*y/2) + w[1]*math.Exp(-(y+1)*(y+1)/2) + w[2]*math.Exp(-(y-1)*(y-1)/2)) / math.Sqrt(2*math.Pi)
		}
		total += h * math.Max(0, density(p)-math.Exp(epsilon)*density(q))
	}
	return total
}
