package accountant

import (
	"errors"
	"math"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// zOf returns the z with normal(z) = p, by bisection.
func zOf(p float64) float64 {
	low, high := -40.0, 40.0
	for range 100 {
		if m := (low + high) / 2; normal(m) < p {
			low = m
		} else {
			high = m
		}
	}
	return low
}

var exampleRisks = []Risk{
	{Advantage, 0, 0.1}, {Advantage, 0, 0.7}, {TruePositiveRate, 0.01, 0.05}, {TruePositiveRate, 1e-4, 0.5},
	{TruePositiveRate, 0.9, 0.95}, {Reconstruction, 0.1, 0.3},
}

// The calibrated noise of a Gaussian, a Laplace mechanism and randomized response equals closed forms: the Gaussian
// advantage 2Φ(μ/2) − 1 and power Φ(Φ⁻¹(α) + μ) (Dong, Roth & Su 2022), the Laplace trade-off function (their
// Proposition A.6), and for randomized response the maximum of 1 − e^ε α and e^{−ε}(1 − α). At the solved end the
// closed form is within the limit, so a bound in the wrong direction fails.
func TestSolveRisk(t *testing.T) {
	for _, r := range exampleRisks {
		mu := zOf(r.Limit) - zOf(r.At)
		if r.Kind == Advantage {
			mu = 2 * zOf((1+r.Limit)/2)
		}
		closed := func(curve func(eps0 float64) exactCurve) float64 {
			low, high := 0.0, 40.0
			for range 100 {
				m := (low + high) / 2
				c := curve(m)
				risk := 1 - c.tradeOff(r.At)
				if r.Kind == Advantage {
					risk = c.delta(0)
				}
				if risk <= r.Limit {
					low = m
				} else {
					high = m
				}
			}
			return low
		}
		for _, c := range []struct {
			text, name string
			want       float64
		}{
			{"{mechanism: gaussian}", "sigma", 1 / mu},
			{"{mechanism: gaussian, sigma: 2}", "sensitivity", 2 * mu},
			{"{mechanism: laplace}", "scale", 1 / closed(laplaceCurve)},
			{"{mechanism: rr}", "epsilon0", closed(responseCurve)},
		} {
			a, err := SolveRisk(parsed(t, c.text), c.name, event.AddRemove, r, "best")
			if err != nil {
				t.Errorf("%s of %s: %v", r, c.text, err)
				continue
			}
			beyond := a.Met() / c.want
			if a.Rises {
				beyond = c.want / a.Met()
			}
			if !(beyond >= 1-1e-9 && beyond <= 1.002) || !(a.Proof.Upper <= r.Limit) {
				t.Errorf("%s: %s = %v, the closed form is %v (ratio %v)", r, c.name, a.Bracket, c.want, beyond)
			}
			if !(a.Lower <= c.want*(1+1e-9) && c.want*(1-1e-9) <= a.Upper) {
				t.Errorf("%s: the closed form %v of %s is not in %v", r, c.want, c.name, a.Bracket)
			}
		}
	}
}

// Whole numbers: n Gaussian releases have μ√n, so the largest n follows from the closed form.
func TestSolveRiskCount(t *testing.T) {
	r := Risk{TruePositiveRate, 0.01, 0.05}
	a, err := SolveRisk(parsed(t, "{mechanism: gaussian, sigma: 20}"), "count", event.AddRemove, r, "best")
	want := math.Floor(math.Pow(20*(zOf(r.Limit)-zOf(r.At)), 2))
	if err != nil || a.Lower != want || a.Upper != want+1 {
		t.Errorf("%v (%v), want %v", a.Bracket, err, want)
	}
}

// The risk of DP-SGD does not depend on how it is found: the noise for a true-positive rate agrees with the power of a
// whole profile on both sides, and the profile's power exceeds the limit if the noise is 1 % smaller.
func TestSolveRiskSampled(t *testing.T) {
	const text = "{mechanism: sgm, sampling-rate: 0.02, count: 500}"
	r := Risk{TruePositiveRate, 0.01, 0.1}
	a, err := SolveRisk(parsed(t, text), "noise-multiplier", event.AddRemove, r, "best")
	if err != nil {
		t.Fatal(err)
	}
	power := func(noise float64) Bracket {
		p, err := NewProfile(event.Repeat(500, event.Poisson(0.02, event.Gaussian(noise))), event.AddRemove, ProfileOptions{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Power(r.At)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if b := power(a.Upper); !(b.Lower <= r.Limit) || !(a.Upper/a.Lower < 1.002) {
		t.Errorf("noise %v: the power is in %v", a.Bracket, b)
	}
	if b := power(0.99 * a.Upper); !(b.Lower > r.Limit) {
		t.Errorf("noise %v: the power is in %v", 0.99*a.Upper, b)
	}
}

// Each risk moves in the direction of the table: along a parameter, no later risk is certainly on the other side of an
// earlier one.
func TestRiskIsMonotonic(t *testing.T) {
	for _, c := range []struct {
		text, name string
		from       float64
	}{
		{"{mechanism: gaussian}", "sigma", 1},
		{"{mechanism: laplace, count: 3}", "scale", 2},
		{"{mechanism: sgm, noise-multiplier: 1, count: 1000}", "sampling-rate", 0.02},
		{"{mechanism: gaussian, sigma: 10}", "count", 5},
		{"{mechanism: threshold, scale: 1}", "threshold", 3},
	} {
		in := parsed(t, c.text)
		place := c.name
		if places := in.Places(c.name); len(places) == 1 {
			place = places[0]
		}
		d, key, err := in.At(place)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range exampleRisks[1:4] {
			last := Bracket{Upper: 1}
			if directionOf(d, key) == rises {
				last = Bracket{}
			}
			for step := range 3 {
				s := search{in: in, place: place, goal: riskGoal(event.AddRemove, r, "best"), known: map[float64]Bracket{}}
				b, err := s.at(c.from * float64(int(1)<<step))
				if err != nil {
					t.Fatalf("%s of %s: %v", c.name, c.text, err)
				}
				if rising := directionOf(d, key) == rises; rising && b.Upper < last.Lower || !rising && b.Lower > last.Upper {
					t.Errorf("%s of %s, %s: %v after %v", c.name, c.text, r, b, last)
				}
				last = b
			}
		}
	}
}

// What (ε, δ)-DP alone permits equals the risk of the mechanism that reveals everything the guarantee permits, and the
// ε of ImpliedBy uses the whole limit. A larger ε exceeds it.
func TestImplied(t *testing.T) {
	for _, r := range exampleRisks {
		for _, delta := range []float64{0, 1e-5, 0.01} {
			epsilon, err := r.ImpliedBy(delta)
			if err != nil {
				t.Errorf("%s at δ = %v: %v", r, delta, err)
				continue
			}
			if risk := r.Implied(epsilon, delta); !(math.Abs(risk-r.Limit) < 1e-12) || !(r.Implied(1.001*epsilon, delta) > r.Limit) {
				t.Errorf("%s: ε = %v at δ = %v permits %v", r, epsilon, delta, risk)
			}
			b, err := r.Of(event.Approximate(epsilon, delta), event.AddRemove, "best", Precision{})
			if err != nil || !(b.Lower-1e-9 <= r.Limit && r.Limit <= b.Upper+1e-9 && b.Width() < 2e-3) {
				t.Errorf("%s: the release with ε = %v, δ = %v has %v (%v)", r, epsilon, delta, b.Bracket, err)
			}
		}
	}
}

func TestRiskRejects(t *testing.T) {
	nan := math.NaN()
	for _, r := range []Risk{
		{Advantage, 0, 0}, {Advantage, 0, 1}, {Advantage, 0, nan}, {Advantage, 0.1, 0.5}, {Advantage, 0, -1},
		{TruePositiveRate, 0.1, 0.1}, {TruePositiveRate, 0.1, 0.05}, {TruePositiveRate, 0, 0.5}, {TruePositiveRate, 0.1, 1},
		{TruePositiveRate, nan, 0.5}, {TruePositiveRate, 0.1, nan}, {Reconstruction, 1, 1}, {Reconstruction, 0.5, 0.2}, {"", 0, 0.5},
	} {
		if _, err := SolveRisk(parsed(t, "{mechanism: gaussian}"), "sigma", event.AddRemove, r, "best"); !errors.Is(err, event.ErrDomain) {
			t.Errorf("%+v: %v", r, err)
		}
		if _, err := r.ImpliedBy(1e-5); !errors.Is(err, event.ErrDomain) {
			t.Errorf("ε of %+v: %v", r, err)
		}
	}
	for _, delta := range []float64{nan, -1, 0.1, 1} {
		if _, err := (Risk{Advantage, 0, 0.1}).ImpliedBy(delta); !errors.Is(err, event.ErrDomain) {
			t.Errorf("δ = %v: %v", delta, err)
		}
	}
	// A failure of probability 0.2 reveals the record, whatever ε0 is.
	if a, err := SolveRisk(parsed(t, "{mechanism: approximate, delta0: 0.2}"), "epsilon0", event.AddRemove,
		Risk{Advantage, 0, 0.1}, "best"); !errors.Is(err, event.ErrDomain) {
		t.Errorf("an unreachable advantage: %v, %v", a.Bracket, err)
	}
}
