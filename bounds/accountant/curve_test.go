package accountant

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// normal returns Φ, and quantile its inverse.
func normal(z float64) float64         { return math.Erfc(-z/math.Sqrt2) / 2 }
func normalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// exactCurve is an event whose δ and trade-off function have closed forms.
type exactCurve struct {
	event    event.Event
	delta    func(epsilon float64) float64
	tradeOff func(alpha float64) float64
	mu       float64 // smallest μ of Gaussian privacy over all ε, NaN if it has no closed form
}

func gaussianCurve(e event.Event, mu float64) exactCurve {
	return exactCurve{e,
		func(eps float64) float64 { return normal(mu/2-eps/mu) - math.Exp(eps)*normal(-mu/2-eps/mu) },
		func(alpha float64) float64 { return normal(normalQuantile(1-alpha) - mu) }, mu}
}

// responseCurve returns binary randomized response. Its distributions are (p, 1 − p) and (1 − p, p) with odds p/(1 − p)
// = e^ε₀.
func responseCurve(eps0 float64) exactCurve {
	p := 1 / (1 + math.Exp(-eps0))
	return exactCurve{event.RandomizedResponse(eps0, 2),
		func(eps float64) float64 { return math.Max(0, p-math.Exp(eps)*(1-p)) },
		func(alpha float64) float64 {
			return math.Max(0, math.Max(1-math.Exp(eps0)*alpha, math.Exp(-eps0)*(1-alpha)))
		},
		// Only the corner of f at equal errors 1 − p matters: Φ(−μ/2) = 1 − p.
		2 * normalQuantile(p)}
}

// responsesCurve returns k binary responses, by enumeration of the number of true reports.
func responsesCurve(eps0 float64, k int) exactCurve {
	p := 1 / (1 + math.Exp(-eps0))
	mass := func(j int, p float64) float64 {
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(j + 1))
		c, _ := math.Lgamma(float64(k - j + 1))
		return math.Exp(a - b - c + float64(j)*math.Log(p) + float64(k-j)*math.Log1p(-p))
	}
	with, without := make([]float64, k+1), make([]float64, k+1)
	for j := range k + 1 {
		with[j], without[j] = mass(j, p), mass(j, 1-p)
	}
	return exactCurve{event.Repeat(int64(k), event.RandomizedResponse(eps0, 2)),
		func(eps float64) float64 {
			sum := 0.0
			for j := range k + 1 {
				sum += math.Max(0, with[j]-math.Exp(eps)*without[j])
			}
			return sum
		},
		func(alpha float64) float64 { // Neyman and Pearson: accept the most true reports first
			found := 0.0
			for j := k; j >= 0; j-- {
				if alpha <= without[j] {
					return 1 - found - with[j]*alpha/without[j]
				}
				alpha, found = alpha-without[j], found+with[j]
			}
			return 0
		}, math.NaN()}
}

func laplaceCurve(eps0 float64) exactCurve {
	return exactCurve{event.Laplace(1 / eps0),
		func(eps float64) float64 { return math.Max(0, -math.Expm1((eps-eps0)/2)) },
		func(alpha float64) float64 { // Dong, Roth & Su 2022, Proposition A.6
			switch {
			case alpha < math.Exp(-eps0)/2:
				return 1 - math.Exp(eps0)*alpha
			case alpha <= 0.5:
				return math.Exp(-eps0) / 4 / alpha
			}
			return math.Exp(-eps0) * (1 - alpha)
		}, math.NaN()}
}

func exactCurves() []exactCurve {
	return []exactCurve{
		gaussianCurve(event.Gaussian(1), 1),
		gaussianCurve(event.Repeat(100, event.Gaussian(4)), 2.5),
		gaussianCurve(event.Gaussian(50), 0.02),
		gaussianCurve(event.Gaussian(0.2), 5),
		responseCurve(1), responseCurve(0.1), responseCurve(6),
		responsesCurve(0.1, 100), responsesCurve(1, 30),
		laplaceCurve(1), laplaceCurve(4), laplaceCurve(0.05),
	}
}

var levels = []float64{0, 1e-6, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1}

// roundoff bounds the error of the closed forms in this file.
func roundoff(x float64) float64 { return 1e-12*math.Abs(x) + 1e-13 }

func holds(b Bracket, truth float64) bool {
	return b.Lower <= truth+roundoff(truth) && truth <= b.Upper+roundoff(truth) &&
		b.Lower <= b.Estimate && b.Estimate <= b.Upper
}

// Every quantity of events with closed forms is within its bracket, and the brackets are narrow. An inequality in the
// wrong direction would violate one of the two.
func TestBracketsHoldClosedForms(t *testing.T) {
	for _, c := range exactCurves() {
		t.Run(c.event.String(), func(t *testing.T) {
			p, err := NewProfile(c.event, event.AddRemove, ProfileOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range p.points {
				if !holds(q.Bracket, c.delta(q.At)) {
					t.Errorf("δ(%v) = %v is not in %v", q.At, c.delta(q.At), q.Bracket)
				}
			}
			if truth := 1 - 2*equalErrors(c); !holds(p.Advantage(), truth) {
				t.Errorf("advantage %v is not in %v", truth, p.Advantage())
			}
			for _, alpha := range levels {
				if f := p.tradeOff(alpha); !holds(f, c.tradeOff(alpha)) {
					t.Errorf("before refining: f(%v) = %v is not in %v", alpha, c.tradeOff(alpha), f)
				}
				if f, err := p.TradeOff(alpha); err != nil || !holds(f, c.tradeOff(alpha)) {
					t.Errorf("f(%v) = %v is not in %v (%v)", alpha, c.tradeOff(alpha), f, err)
				}
				b, err := p.Power(alpha)
				if err != nil || !holds(b, 1-c.tradeOff(alpha)) {
					t.Errorf("power at %v, %v, is not in %v (%v)", alpha, 1-c.tradeOff(alpha), b, err)
				}
				if b.Width() > 3e-3*math.Min(b.Upper, 1-b.Lower+alpha) && alpha > 0 {
					t.Errorf("power at %v: %v is wide", alpha, b)
				}
			}
			for _, prior := range []float64{1e-6, 0.01, 0.3, 0.5, 0.7, 0.999} {
				b, err := p.Guess(prior)
				if truth := guessed(c.tradeOff, prior); err != nil || !holds(b, truth) || b.Width() > 1e-9 {
					t.Errorf("guess at %v, %v, is not in %v (%v)", prior, truth, b, err)
				}
			}
			checkGaussian(t, p, c)
		})
	}
}

// equalErrors returns the α with f(α) = α, at which the trade-off function of symmetric distributions is closest to 0.
func equalErrors(c exactCurve) float64 {
	low, high := 0.0, 1.0
	for range 60 {
		if m := (low + high) / 2; c.tradeOff(m) > m {
			low = m
		} else {
			high = m
		}
	}
	return low
}

// guessed returns the largest probability of a correct guess over all tests of the trade-off function, and over
// guessing without observing the release.
func guessed(f func(float64) float64, prior float64) float64 {
	wrong := math.Min(prior, 1-prior)
	low, high := 0.0, 1.0 // the loss is convex in α
	loss := func(alpha float64) float64 { return prior*f(alpha) + (1-prior)*alpha }
	for range 300 {
		a, b := low+(high-low)*0.45, low+(high-low)*0.55
		if loss(a) < loss(b) {
			high = b
		} else {
			low = a
		}
	}
	return 1 - math.Min(wrong, loss(low))
}

func checkGaussian(t *testing.T, p *Profile, c exactCurve) {
	t.Helper()
	g, err := p.Gaussian()
	if err != nil {
		t.Fatal(err)
	}
	truth := c.mu
	if math.IsNaN(truth) {
		truth = leastMu(c, g.End)
	}
	if !(g.Mu.Lower <= truth*(1+1e-6) && truth*(1-1e-6) <= g.Mu.Upper) || g.Mu.Width() > 0.02*g.Mu.Upper {
		t.Errorf("μ = %v is not in %v, or that is wide", truth, g.Mu)
	}
	regret := 0.0
	for i := range 6000 {
		eps := 3 * g.End * float64(i) / 6000
		d := normal(truth/2-eps/truth) - math.Exp(eps)*normal(-truth/2-eps/truth)
		regret = math.Max(regret, (d-c.delta(eps))/(1+math.Exp(eps)))
	}
	if !(g.Regret.Lower <= regret+1e-9 && regret-1e-6 <= g.Regret.Upper) || g.Regret.Width() > 5e-3 {
		t.Errorf("regret %v of μ = %v is not in %v", regret, truth, g.Regret)
	}
}

// leastMu returns the smallest μ on a fine grid of ε.
func leastMu(c exactCurve, end float64) float64 {
	var places, deltas []float64
	for i := range 1000 {
		places = append(places, end*float64(i)/1000)
		deltas = append(deltas, c.delta(places[i]))
	}
	low, high := 1e-4, 100.0
	for range 40 {
		mu, enough := math.Sqrt(low*high), true
		for i, eps := range places {
			if d := normal(mu/2-eps/mu) - math.Exp(eps)*normal(-mu/2-eps/mu); d < deltas[i]*(1-1e-12)-1e-15 {
				enough = false
				break
			}
		}
		if enough {
			high = mu
		} else {
			low = mu
		}
	}
	return high
}

// Deliberately wide brackets also contain the true value, and shifted ones do not. So the directions are correct, and
// the test would detect a wrong one.
func TestDirections(t *testing.T) {
	c := gaussianCurve(event.Gaussian(1), 1)
	with := func(lower, upper float64) *Profile {
		p := &Profile{grid: 21, end: 6, MinDelta: 1e-10}
		p.delta = func(eps float64) (Bracket, error) {
			d := c.delta(eps)
			return Bracket{Lower: lower * d, Estimate: d, Upper: math.Min(1, upper*d)}, nil
		}
		for i := range p.grid {
			if _, err := p.ask(p.place(i)); err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	outside := func(p *Profile) (n int) {
		for _, alpha := range levels {
			if !holds(p.tradeOff(alpha), c.tradeOff(alpha)) {
				n++
			}
		}
		low, high := p.mu()
		if !(low <= c.mu && c.mu <= high) {
			n++
		}
		return n
	}
	for _, s := range []struct {
		reason       string
		lower, upper float64
		within       bool
	}{
		{"a wide bracket", 0.9, 1.2, true},
		{"nothing known from below", 0, 1.01, true},
		{"nothing known from above", 0.99, 1e9, true},
		{"an upper end below the truth", 0.8, 0.9, false},
		{"a lower end above it", 1.1, 1.2, false},
	} {
		if n := outside(with(s.lower, s.upper)); (n == 0) != s.within {
			t.Errorf("%s: %d figures are outside their brackets", s.reason, n)
		}
	}
}

// Every point has the true value at one end of a wide bracket, alternating between the ends. The lower bound between
// the points is below δ, and the derived quantities are correct, only if each end is used in the correct place.
func TestTruthAtTheEnds(t *testing.T) {
	for _, c := range []exactCurve{gaussianCurve(event.Gaussian(1), 1), laplaceCurve(2), responseCurve(1.5)} {
		for pattern := range 1 << 4 {
			calls := 0
			p := &Profile{grid: 13, end: 3, MinDelta: 1e-10}
			p.delta = func(eps float64) (Bracket, error) {
				d := c.delta(eps)
				b := Bracket{Lower: d, Estimate: d, Upper: math.Min(1, 1.02*d)}
				if pattern>>(calls%4)&1 == 1 {
					b = Bracket{Lower: 0.98 * d, Estimate: d, Upper: d}
				}
				calls++
				return b, nil
			}
			for i := range p.grid {
				if _, err := p.ask(p.place(i)); err != nil {
					t.Fatal(err)
				}
			}
			knots := p.knots()
			for i, b := range knots[1:] {
				a := knots[i]
				for _, part := range []float64{0, 0.1, 0.3, 0.5, 0.7, 0.9, 1} {
					x := a.t + part*(b.t-a.t)
					if below, d := a.delta+part*(b.delta-a.delta), c.delta(math.Log(x)); below > d+1e-12 {
						t.Errorf("%s, pattern %04b: δ = %v at t = %v, and the lower bound is %v", c.event, pattern, d, x, below)
					}
				}
			}
			for i := range 200 {
				alpha := float64(i) / 199
				if f := p.tradeOff(alpha); !holds(f, c.tradeOff(alpha)) {
					t.Errorf("%s, pattern %04b: f(%v) = %v is not in %v", c.event, pattern, alpha, c.tradeOff(alpha), f)
				}
			}
			if low, high := p.mu(); !math.IsNaN(c.mu) && !(low <= c.mu*(1+1e-9) && c.mu*(1-1e-9) <= high) {
				t.Errorf("%s, pattern %04b: μ = %v is not in [%v, %v]", c.event, pattern, c.mu, low, high)
			}
		}
	}
}

// Without a closed form, the curve agrees with the accountant's results between its points.
func TestBetweenThePoints(t *testing.T) {
	e := event.Repeat(1000, event.Poisson(0.01, event.Gaussian(0.8)))
	p, err := NewProfile(e, event.AddRemove, ProfileOptions{Intervals: 12})
	if err != nil {
		t.Fatal(err)
	}
	knots := p.knots()
	for i := range 40 {
		eps := p.end * 1.2 * (float64(i) + 0.37) / 40
		r, err := Deltas(e, event.AddRemove, eps, Options{Methods: []string{"best"}})
		if err != nil {
			t.Fatal(err)
		}
		t0 := math.Exp(eps)
		k := slices.IndexFunc(knots, func(k knot) bool { return k.t >= t0 })
		if k < 0 {
			continue
		}
		if k > 0 && knots[k].t > knots[k-1].t {
			a, b := knots[k-1], knots[k]
			below := a.delta + (b.delta-a.delta)*(t0-a.t)/(b.t-a.t)
			if below > r[0].Upper {
				t.Errorf("δ(%v) ≤ %v, but the lower bound between points is %v", eps, r[0].Upper, below)
			}
		}
	}
}

// A release that reveals a record with some probability, and one that reveals nothing.
func TestEnds(t *testing.T) {
	p, err := NewProfile(event.Approximate(1, 1e-3), event.AddRemove, ProfileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if p.MinDelta != 1e-2 && p.MinDelta != 1e-3 {
		t.Errorf("a curve with δ₀ = 1e-3 ends at δ = %v", p.MinDelta)
	}
	f := p.tradeOff(0)
	if !(f.Lower <= 1-1e-3 && 1-1e-3 <= f.Upper) {
		t.Errorf("f(0) = 0.999 is not in %v", f)
	}
	nothing, err := NewProfile(event.Poisson(0, event.Gaussian(1)), event.AddRemove, ProfileOptions{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := nothing.Gaussian()
	if err != nil || g.Mu.Upper != 0 || nothing.Advantage().Upper != 0 {
		t.Errorf("nothing released: %v, advantage %v (%v)", g, nothing.Advantage(), err)
	}
	if f := nothing.tradeOff(0.3); !holds(f, 0.7) || f.Width() > 1e-9 {
		t.Errorf("nothing released: f(0.3) in %v", f)
	}
}

func TestRefusedByTheCurve(t *testing.T) {
	e := event.Gaussian(1)
	p, err := NewProfile(e, event.AddRemove, ProfileOptions{Intervals: 4})
	if err != nil {
		t.Fatal(err)
	}
	fail := func(what string, err error) {
		if !errors.Is(err, event.ErrDomain) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, prior := range []float64{0, 1, -1, 2, math.NaN()} {
		_, err := p.Guess(prior)
		fail(fmt.Sprint("prior ", prior), err)
	}
	for _, alpha := range []float64{-0.1, 1.1, math.NaN()} {
		_, err := p.Power(alpha)
		fail(fmt.Sprint("rate ", alpha), err)
		_, err = p.TradeOff(alpha)
		fail(fmt.Sprint("type I error ", alpha), err)
	}
	for _, eps := range []float64{-1, math.NaN(), math.Inf(1), 701} {
		_, err := p.Delta(eps)
		fail(fmt.Sprint("ε ", eps), err)
	}
	for _, o := range []ProfileOptions{
		{MinDelta: 1}, {MinDelta: -1}, {MinDelta: math.NaN()}, {Intervals: 1}, {Intervals: -3}, {Method: "guess"},
	} {
		_, err := NewProfile(e, event.AddRemove, o)
		fail(fmt.Sprint(o), err)
		_, err = ProfileEpsilons(e, event.AddRemove, []float64{0.1}, o)
		fail(fmt.Sprint(o), err)
	}
}
