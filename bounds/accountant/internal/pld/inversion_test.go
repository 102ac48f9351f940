package pld

import (
	"errors"
	"math"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
)

func tail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// oneStep returns δ(ε) of a sampled Gaussian in closed form: the loss exceeds ε on a half-line of outputs.
func oneStep(s Sampled, epsilon float64) float64 {
	t := math.Exp(epsilon)
	switch {
	case s.Opposed: // monotone in y: bisect for the output with loss ε
		lo, hi := -60.0, 60.0
		for range 200 {
			if mid := (lo + hi) / 2; lossOf(s, mid) < epsilon {
				lo = mid
			} else {
				hi = mid
			}
		}
		return (1-s.Q)*tail(lo)*(1-t) + s.Q*(tail(lo-s.Mu)-t*tail(lo+s.Mu))
	case s.Reversed:
		g := math.Exp(-epsilon) // the loss exceeds ε if g(y) < e^−ε
		if g <= 1-s.Q {
			return 0
		}
		y := math.Log((g-(1-s.Q))/s.Q)/s.Mu + s.Mu/2
		return tail(-y) - t*((1-s.Q)*tail(-y)+s.Q*tail(-(y-s.Mu)))
	}
	if t <= 1-s.Q {
		return 1 - t
	}
	y := math.Log((t-(1-s.Q))/s.Q)/s.Mu + s.Mu/2
	return (1-s.Q)*tail(y) + s.Q*tail(y-s.Mu) - t*tail(y)
}

func lossOf(s Sampled, y float64) float64 {
	_, loss, _, _ := s.at(0, y)
	return loss
}

func bounds(t *testing.T, c *Composition, epsilon float64) (lower, estimate, upper float64) {
	t.Helper()
	lower, estimate, upper, err := c.LogDelta(epsilon)
	if err != nil {
		t.Fatal(err)
	}
	return lower, estimate, upper
}

// The bounds contain the closed form, with much and little noise, near the planned ε and far from it. Bounds moved by
// their own width do not.
func TestOneStep(t *testing.T) {
	for _, law := range []Sampled{
		{Mu: 1, Q: 0.01}, {Mu: 1, Q: 0.01, Reversed: true}, {Mu: 1, Q: 0.01, Opposed: true},
		{Mu: 3, Q: 1e-4}, {Mu: 3, Q: 0.9},
		{Mu: 0.1, Q: 0.3}, {Mu: 0.1, Q: 0.3, Opposed: true}, {Mu: 4, Q: 0.5, Reversed: true}, {Mu: 2, Q: 1e-5, Opposed: true},
		Sampled{Mu: 1, Q: 0.01}.WithoutTail(-30, 20), Sampled{Mu: 3, Q: 0.2, Opposed: true}.WithoutTail(-20, 4),
		Sampled{Mu: 3.3, Q: 1e-5}.WithoutTail(-25, 2),
	} {
		seen := false
		for _, theta := range []float64{0.5, 8} {
			for _, spread := range []float64{0.3, 0.02} {
				near := 0.3
				c, err := Invert([]Step{{law, 1}}, Plan{Theta: theta, Spread: spread, Near: near, LogDelta: -10, Most: 1 << 30})
				if err != nil {
					t.Fatalf("%+v at %v, %v: %v", law, theta, spread, err)
				}
				for _, epsilon := range []float64{0, 0.001, 0.05, 0.3, 0.7, 1.5, 4} {
					want := oneStep(law, epsilon)
					slack := 1e-14 // of the closed form, which is a difference
					low, _, high := bounds(t, c, epsilon)
					if !(math.Exp(low) <= want+slack && want <= math.Exp(high)+slack) {
						t.Errorf("%+v, θ ≤ %v, spread %v: δ(%v) = %v … %v, exactly %v", law, theta, spread, epsilon,
							math.Exp(low), math.Exp(high), want)
					}
					_, _, further := bounds(t, c, epsilon+spread)
					seen = seen || math.Exp(further) < want-slack
				}
			}
		}
		if !seen && !law.Reversed {
			t.Errorf("%+v: bounds moved by the spread are not seen to be wrong", law)
		}
	}
}

// Compositions of Gaussians are Gaussian at any δ. The width is determined by the noise.
func TestGaussians(t *testing.T) {
	for _, mu := range []float64{0.01, 1, 30} {
		for _, steps := range []float64{1, 1000} {
			for _, theta := range []float64{0.1, 1, 10} {
				m := mu * math.Sqrt(steps)
				near := m*m/2 + theta*m*m
				logDelta := math.Log(tail(near/m-m/2)) - 1
				if logDelta < -400 {
					continue
				}
				spread := 0.03 * math.Min(1, m) / (1 + theta)
				plan := Plan{Theta: theta, Spread: spread, Near: near, LogDelta: logDelta, Most: 1 << 30}
				c, err := Invert([]Step{{Gaussian{mu}, steps}}, plan)
				if err != nil {
					t.Fatalf("μ = %v, %v steps, θ ≤ %v: %v", mu, steps, theta, err)
				}
				for _, epsilon := range []float64{0, near / 3, near, near + m/2, near + 5*m} {
					want := tail(epsilon/m-m/2) - math.Exp(epsilon)*tail(epsilon/m+m/2)
					if !(want > 1e-250) || math.Abs(epsilon-near) < m && tail(epsilon/m-m/2) > 1e6*want {
						continue // the closed form has lost its digits
					}
					low, estimate, high := bounds(t, c, epsilon)
					slack := 1e-9 + 1e-15*tail(epsilon/m-m/2)/want
					if !(low <= math.Log(want)+slack && math.Log(want)-slack <= high) {
						t.Errorf("μ = %v, %v steps, θ ≤ %v: log δ(%v) = %v … %v, exactly %v", mu, steps, theta, epsilon,
							low, high, math.Log(want))
					}
					if epsilon == near && !(math.Abs(estimate-math.Log(want)) < 0.05 && high-low < 0.2) {
						t.Errorf("μ = %v, %v steps, θ ≤ %v: log δ(%v) = %v … %v … %v, exactly %v", mu, steps, theta, epsilon,
							low, estimate, high, math.Log(want))
					}
				}
			}
		}
	}
}

// Frequencies that are evaluated all at once agree with those evaluated one by one, within the stated errors.
func TestSpectrum(t *testing.T) {
	law := Sampled{Mu: 1.4, Q: 0.003}
	const step, last = 0.05, 300.0
	phi, _ := law.tilted(3, 1e-14)(last + 1)
	one := phi.(*nodes)
	all := newSpectrum(one, last, step, 1e-14)
	for i := 0; i < int(last/step); i += 37 {
		one.start(i, step)
		all.start(i, step)
		for range min(reseed, int(last/step)-i) {
			a, b := one.next()
			c, d := all.next()
			if difference := math.Hypot(a-c, b-d); !(difference <= one.roundoff()+all.roundoff()) {
				t.Fatalf("frequency %d: off by %v, allowed %v", i, difference, one.roundoff()+all.roundoff())
			}
		}
	}
}

// A moment that needs too many nodes at one tolerance, but not at another, is rejected. Otherwise the bracket would be
// meaningless.
func TestTooManyNodes(t *testing.T) {
	refused := 0
	for blur := 4e-4; blur < 3e-3; blur *= testutil.Size(1.2, 1.05) {
		law := Sampled{Mu: 0.5, Q: 0.6, Opposed: true, Cut: 6.9, Blur: blur}
		c, err := Invert([]Step{{law, 1}}, Plan{Theta: 9, Spread: 0.05, Near: 0.3, LogDelta: -2, Most: 1 << 26})
		if err != nil {
			refused++
			continue
		}
		for _, epsilon := range []float64{0.1, 0.3, 0.6} {
			want := oneStep(law, epsilon)
			if low, _, high := bounds(t, c, epsilon); !(math.Exp(low) <= want && want <= math.Exp(high)) {
				t.Errorf("blur %v: δ(%v) = %v … %v, exactly %v", blur, epsilon, math.Exp(low), math.Exp(high), want)
			}
		}
	}
	if refused == 0 {
		t.Error("none was refused")
	}
}

// Huge moments of cut distributions are accurate to the stated error, like others.
func TestMomentOfCut(t *testing.T) {
	for _, theta := range []float64{2, 8, 30} {
		law := Sampled{Mu: 3, Q: 0.5}.WithoutTail(-8, theta)
		log, err := law.Moment(theta, 1e-12)
		sum, h := 0.0, law.Blur/40
		for y := -15.0; y < law.Cut+1; y += h {
			l, _, _, _ := law.at(theta, y)
			sum += math.Exp(l-log) * h / sqrt2Pi
		}
		if !(math.Abs(sum-1) < err+1e-10) {
			t.Errorf("θ = %v: the moment is off by a share %v, stated %v", theta, sum-1, err)
		}
	}
}

// The aliases of the sum over frequencies include the noise and are bounded with its moment.
func TestNeighboursHaveNoise(t *testing.T) {
	for _, law := range []Law{Sampled{Mu: 1, Q: 0.01, Reversed: true}, Sampled{Mu: 1, Q: 0.01}, Gaussian{0.3}, Laplace{1}} {
		for _, spread := range []float64{0.01, 0.5} {
			c, err := Invert([]Step{{law, 3}}, Plan{Theta: 2, Spread: spread, Near: 0.02, LogDelta: -8, Most: 1 << 30})
			if err != nil {
				t.Fatal(err)
			}
			theta := c.theta + c.aliasTilt
			log, _ := law.Moment(theta, 1e-12)
			if least := 3*log + c.spread*c.spread/2*theta*(theta+1) - c.logScale; !(c.aliasLog > least-1e-9) {
				t.Errorf("%+v, spread %v: neighbours are bounded by %v, it takes %v", law, spread, c.aliasLog, least)
			}
		}
	}
}

// Bounds in the wrong order, from a damaged composition, return an error instead of trivial bounds. An overflow is not
// a contradiction.
func TestContradiction(t *testing.T) {
	steps := []Step{{Sampled{Mu: 1, Q: 0.1}, 100}}
	for _, c := range []struct {
		reason string
		damage func(*Composition)
		want   error
	}{
		{"negative control: not damaged", func(*Composition) {}, nil},
		{"an error below 0", func(c *Composition) { c.put.fixed = -0.1 * real(c.waves[0].put) }, ErrContradiction},
		{"noise that takes from δ", func(c *Composition) {
			for i := range c.waves {
				c.waves[i].density *= -1
			}
		}, ErrContradiction},
		{"a tail below 0", func(c *Composition) { c.lost = -1; c.aliasLog = math.NaN() }, nil},
		{"a scale that overflows", func(c *Composition) { c.logScale = math.Inf(1); c.rel = math.Inf(1) }, nil},
	} {
		composed, err := Invert(steps, Plan{Theta: 3, Spread: 0.02, Near: 1, LogDelta: -10, Most: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		c.damage(composed)
		if _, _, _, err := composed.LogDelta(1); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", c.reason, err, c.want)
		}
	}
}
