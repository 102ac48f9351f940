package accountant

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"
	"github.com/dpverify/dpverify/internal/testutil"
)

func TestReferenceDistributions(t *testing.T) {
	checked := 0
	for _, r := range loadReference(t) {
		p := r.Params
		var e event.Event
		adj := event.AddRemove
		switch r.Mechanism {
		case "poisson_sampled_gaussian":
			if r.Quantity != "epsilon" {
				continue
			}
			e = event.Repeat(p.Steps, event.Poisson(p.Q, event.Gaussian(p.Sigma)))
		case "laplace":
			e = event.Repeat(p.K, event.Laplace(1/p.Epsilon0))
		case "discrete_laplace":
			e = event.Repeat(p.K, event.DiscreteLaplace(p.A).WithSensitivity(p.Sensitivity))
		case "randomized_response":
			adj = event.ReplaceOne
			e = event.Repeat(p.K, event.RandomizedResponse(p.Epsilon0, p.Buckets))
		default:
			continue
		}
		checked++
		t.Run(r.ID, func(t *testing.T) {
			if r.Mechanism == "laplace" && p.K == 1 {
				b, err := LaplaceEpsilon(p.Epsilon0, p.Delta)
				exactBracket(t, b, err, float64(r.Value))
				exact, err := LossEpsilon(e, adj, p.Delta, Precision{})
				if err != nil || !(exact.Lower <= float64(r.Value) && float64(r.Value) <= exact.Upper) {
					t.Errorf("distribution %v misses %v (%v)", exact, r.Value, err)
				}
				return
			}
			b, err := LossEpsilon(e, adj, p.Delta, Precision{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Lower == r.Upper {
				exactBracket(t, b, err, float64(r.Value))
			}
			if !(b.Lower <= float64(r.Upper) && float64(r.Lower) <= b.Upper) {
				t.Errorf("[%.12g, %.12g] does not meet [%.12g, %.12g]", b.Lower, b.Upper, float64(r.Lower), float64(r.Upper))
			}
			if !(b.Width() <= 1.2e-3*b.Upper) {
				t.Errorf("width %.3g at %.6g", b.Width(), b.Upper)
			}
		})
	}
	if want := 29 + 22 + 32 + 26; checked != want {
		t.Errorf("%d entries checked, want %d", checked, want)
	}
}

// Gaussian steps composed one by one, although profiles would merge them. This is the only continuous distribution
// whose composition is known exactly for any number of steps, and for tails that an FFT cannot resolve without tilting.
func TestDistributionOfGaussianSteps(t *testing.T) {
	composed := []struct{ mu, steps float64 }{{3, 1}, {0.5, 10}, {0.1, 1000}, {0.003, 1e6}, {0.0003, 1e7}, {1, 500}}
	if testutil.Asked() {
		composed = append(composed, struct{ mu, steps float64 }{0.01, 1e4}, struct{ mu, steps float64 }{0.2, 1e5})
	}
	for _, c := range composed {
		p := &profile{terms: []term{{leaf{kind: event.KindGaussian, a: c.mu, q: 1}, c.steps}}}
		g := GDP{c.mu * math.Sqrt(c.steps)}
		for _, delta := range []float64{0.1, 1e-5, 1e-15, 1e-100} {
			name := fmt.Sprintf("mu=%g/steps=%g/delta=%g", c.mu, c.steps, delta)
			b, err := p.lossEpsilon(delta, Precision{})
			exact, _ := g.Epsilon(delta)
			if err != nil || !(b.Lower <= exact.Lower && exact.Upper <= b.Upper) {
				t.Errorf("%s: %v does not hold the exact %v (%v)", name, b, exact, err)
			}
			if !(b.Width() <= 1.2e-3*math.Max(1, exact.Upper)) {
				t.Errorf("%s: width %g at %g", name, b.Width(), exact.Estimate)
			}
			if delta != 1e-5 && delta != 1e-100 && !testutil.Asked() {
				continue
			}
			d, err := p.lossDelta(exact.Estimate, Precision{})
			if err != nil || !(d.Lower <= delta*(1+1e-9) && delta*(1-1e-9) <= d.Upper) {
				t.Errorf("%s: δ %v does not hold the exact one (%v)", name, d, err)
			}
		}
	}
}

// Negative control of the previous test: with chords and tangents exchanged, brackets miss the true value.
func TestExchangedSidesAreCaught(t *testing.T) {
	step := leaf{kind: event.KindGaussian, a: 0.1, q: 1}
	c, _ := step.sides(0.02, 1e-20)
	above, below := c.Upper(), c.Lower()
	above.Count, below.Count = 1000, 1000
	exact, _ := GDP{0.1 * math.Sqrt(1000)}.Epsilon(1e-5)
	at := func(s *pld.Side, sign float64) float64 {
		c := pld.Compose([]*pld.Side{s}, 0.02, false, 1.3)
		c.Run([]*pld.Side{s})
		return c.Epsilon(math.Log(1e-5), sign)
	}
	if up := at(above, +1); !(up > exact.Upper) {
		t.Errorf("chords give %v, exact %v", up, exact)
	}
	if low := at(below, -1); !(low < exact.Lower) {
		t.Errorf("tangents give %v, exact %v", low, exact)
	}
	if up := at(below, +1); up >= exact.Lower {
		t.Errorf("tangents used as an upper bound give %v: not seen against %v", up, exact)
	}
	if low := at(above, -1); low <= exact.Upper {
		t.Errorf("chords used as a lower bound give %v: not seen against %v", low, exact)
	}
}

// One step, for which δ at ε is an integral over the outputs (mpmath, 30 digits): the sampled pairs with their atoms
// and edges, in the worse of both orders. The rows with rate 0.01 use an inverted transform, for which few points are
// sufficient.
func TestDistributionOfOneStep(t *testing.T) {
	for _, c := range []struct {
		reason         string
		event          event.Event
		adjacency      event.Adjacency
		epsilon, delta float64
	}{
		{"sampled Gaussian", event.Poisson(0.1, event.Gaussian(1.0)), event.AddRemove, 0.05, 0.0261436629589472616},
		{"sampled Gaussian", event.Poisson(0.01, event.Gaussian(0.5)), event.AddRemove, 1.0, 0.000273637492249338663},
		{"sampled Gaussian", event.Poisson(0.5, event.Gaussian(2.0)), event.AddRemove, 0.2, 0.039826883314942805},
		{"sampled Gaussian", event.Poisson(0.9, event.Gaussian(1.0)), event.AddRemove, 1.0, 0.103501865356350937},
		{"sampled Gaussian, opposed", event.Poisson(0.1, event.Gaussian(1.0)), event.ReplaceOne, 0.05, 0.048188300711728536},
		{"sampled Gaussian, opposed", event.Poisson(0.01, event.Gaussian(0.5)), event.ReplaceOne, 1.0, 0.000278448674864456446},
		{"sampled Gaussian, opposed", event.Poisson(0.5, event.Gaussian(2.0)), event.ReplaceOne, 0.2, 0.119426172318100507},
		{"sampled Laplace", event.Poisson(0.1, event.Laplace(1).WithSensitivity(1.0)), event.AddRemove, 0.05, 0.0254013898251427774},
		{"sampled Laplace", event.Poisson(0.5, event.Laplace(1).WithSensitivity(2.0)), event.AddRemove, 0.3, 0.260191865823500159},
		{"sampled Laplace", event.Poisson(0.9, event.Laplace(1).WithSensitivity(0.5)), event.AddRemove, 0.2, 0.117600716232811809},
		{"sampled response", event.Poisson(0.5, event.Pure(1)), event.AddRemove, 0.25, 0.154672379360798553},
	} {
		b, err := LossDelta(c.event, c.adjacency, c.epsilon, Precision{MaxPoints: 1 << 15})
		if err != nil || !(b.Lower <= c.delta && c.delta <= b.Upper) || b.Width() > 2e-3*b.Upper {
			t.Errorf("%s at ε = %g: %v, want %v (%v)", c.reason, c.epsilon, b, c.delta, err)
		}
	}
}
