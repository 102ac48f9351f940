package accountant

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// sampledCase is a mechanism on a Poisson sample, given by the probabilities of its outputs without the record, with
// it, and with its replacement.
type sampledCase struct {
	base            event.Event
	without, with   []float64
	other           []float64 // nil if the guarantee says nothing about it
	pure            float64   // the loss with the record relative to without it
	exactAdd, exact bool      // ε at δ = 0 is known exactly under AddRemove, under ReplaceOne
}

// outcomesAt returns the outputs of the mechanism on samples at rate q.
func (c sampledCase) outcomesAt(q float64, adjacency event.Adjacency) (o outcomes) {
	for i, absent := range c.without {
		row := [2]float64{(1-q)*absent + q*c.with[i], absent}
		if adjacency == event.ReplaceOne {
			row[1] = (1-q)*absent + q*c.other[i]
		}
		o = append(o, row)
	}
	return o
}

func laplaceCells(scale, centre float64) (p []float64) {
	cdf := func(x float64) float64 { return laplaceCDF((x - centre) / scale) }
	const h = 1. / 64
	p = append(p, cdf(-1))
	for x := -1.0; x < 1; x += h {
		p = append(p, cdf(x+h)-cdf(x))
	}
	return append(p, 1-cdf(1))
}

func discreteCells(rate, centre float64) (p []float64) {
	for k := -200.0; k <= 200; k++ {
		p = append(p, math.Tanh(rate/2)*math.Exp(-rate*math.Abs(k-centre)))
	}
	return p
}

func response(epsilon float64, categories, value int) (p []float64) {
	for i := range categories {
		chance := 1 / (math.Exp(epsilon) + float64(categories-1))
		if i == value {
			chance *= math.Exp(epsilon)
		}
		p = append(p, chance)
	}
	return p
}

// failing returns randomized response that reveals the value with probability delta.
func failing(epsilon, delta float64, value int) (p []float64) {
	for _, x := range response(epsilon, 2, value) {
		p = append(p, (1-delta)*x)
	}
	counts := []float64{0, 0}
	counts[value] = delta
	return append(p, counts...)
}

var sampledCases = []sampledCase{
	{event.Laplace(1), laplaceCells(1, 0), laplaceCells(1, 1), laplaceCells(1, -1), 1, true, true},
	{event.Laplace(0.4), laplaceCells(0.4, 0), laplaceCells(0.4, 1), laplaceCells(0.4, -1), 2.5, true, true},
	{event.DiscreteLaplace(0.5), discreteCells(0.5, 0), discreteCells(0.5, 1), discreteCells(0.5, -1), 0.5, true, true},
	{event.DiscreteLaplace(0.5).WithSensitivity(3), discreteCells(0.5, 0), discreteCells(0.5, 3), discreteCells(0.5, -3), 1.5,
		true, true},
	{event.RandomizedResponse(1, 2), response(1, 2, 0), response(1, 2, 1), response(1, 2, 0), 1, true, true},
	{event.RandomizedResponse(1.5, 4), response(1.5, 4, 0), response(1.5, 4, 1), response(1.5, 4, 0), 1.5, true, true},
	{event.RandomizedResponse(1.5, 4), response(1.5, 4, 0), response(1.5, 4, 1), response(1.5, 4, 2), 1.5, true, true},
	{event.Pure(1.2), response(1.2, 2, 0), response(1.2, 2, 1), response(1.2, 2, 0), 1.2, true, false},
	{event.Exponential(1), response(0.5, 2, 0), response(0.5, 2, 1), response(0.5, 2, 0), 1, false, false},
	{event.Approximate(1, 0.02), failing(1, 0.02, 0), failing(1, 0.02, 1), failing(1, 0.02, 0), 1, false, false},
}

// On a Poisson sample, the described mechanisms are within their brackets of δ, and ε at δ = 0 follows from the formula
// of each kind, applied once.
func TestSamplingOnce(t *testing.T) {
	for _, c := range sampledCases {
		for _, q := range []float64{0.1, 0.6, 0.999} {
			more, less := 1-q+q*math.Exp(c.pure), 1-q+q*math.Exp(-c.pure)
			want := map[event.Adjacency]float64{event.AddRemove: math.Log(more), event.ReplaceOne: math.Log(more / less)}
			switch c.base.Kind {
			case event.KindRandomizedResponse:
				want[event.ReplaceOne] = math.Log(more)
			case event.KindPure, event.KindExponential:
				want[event.ReplaceOne] = c.pure // it may reveal who was sampled
			}
			e := event.Poisson(q, c.base)
			for adjacency, epsilon := range want {
				for _, at := range []float64{0, 0.3 * epsilon, 0.9 * epsilon} {
					if err := (instance{"", e, adjacency, c.outcomesAt(q, adjacency), false}).check(1, at); err != nil {
						t.Error(err)
					}
				}
				if c.base.Kind == event.KindApproximate {
					continue
				}
				b, err := Epsilons(e, adjacency, 0, Options{Methods: []string{"best"}})
				if err != nil {
					t.Fatal(err)
				}
				lower := 0.0
				if adjacency == event.AddRemove && c.exactAdd || adjacency == event.ReplaceOne && c.exact {
					lower = epsilon * (1 - 1e-9)
				}
				if !(b[0].Upper >= epsilon*(1-1e-13) && b[0].Upper <= epsilon*(1+1e-9) && b[0].Lower >= lower && b[0].Lower <= epsilon) {
					t.Errorf("%s under %s at δ = 0: [%v, %v], want %v", e, adjacency, b[0].Lower, b[0].Upper, epsilon)
				}
			}
		}
	}
}

// The worst (ε, δ)-DP mechanism, sampled, has ε′ = log(1 + q(e^ε − 1)) at qδ. Below ε′ its δ exceeds qδ.
func TestSampledApproximateOnce(t *testing.T) {
	for _, q := range []float64{0.05, 0.5} {
		b, err := Epsilons(event.Poisson(q, event.Approximate(2, 1e-3)), event.AddRemove, q*1e-3, Options{Methods: []string{"best"}})
		if want := math.Log1p(q * math.Expm1(2)); err != nil || !(b[0].Upper >= want*(1-1e-6)) {
			t.Errorf("q = %v: upper end %v, want at least %v (%v)", q, b, want, err)
		}
	}
}

// The other records of a sampled partition are sampled too, and their number hides the record. A new partition then
// shows 0.8·P(1 + Laplace(2) > 3.84) = 0.0967, and the noise without other records, which is not released, would show 0.168.
func TestSampledThresholdHasNoLowerEndFromNoise(t *testing.T) {
	e := event.Poisson(0.8, event.Threshold(3.84, event.Laplace(2)))
	r, err := Deltas(e, event.AddRemove, 0.02, Options{})
	if err != nil || !(r[0].Lower <= 0.0967 && r[0].Upper >= 0.0967) {
		t.Errorf("%s: [%v, %v] (%v)", e, r[0].Lower, r[0].Upper, err)
	}
}
