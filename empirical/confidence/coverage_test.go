package confidence

import "testing"

// The smallest share refutes, and one event fewer does not.
func TestLeastMass(t *testing.T) {
	for _, c := range []struct {
		reason         string
		n              int64
		epsilon, delta float64
		alpha          float64
	}{
		{"few samples", 200, 1, 0, 1e-3},
		{"the shares of a ledger", 20_000, 1, 0, 1e-9},
		{"a larger ε needs a likelier event", 20_000, 4, 0, 1e-9},
		{"δ is granted to the event", 20_000, 1, 0.1, 1e-9},
		{"beyond exact summation", 10_000_000, 1, 0, 1e-9},
	} {
		mass := MinEventShare(c.n, c.n, c.epsilon, c.delta, c.alpha)
		k := int64(mass*float64(c.n) + 0.5)
		if !(EpsilonLower(k, c.n, 0, c.n, c.delta, c.alpha) > c.epsilon) || EpsilonLower(k-1, c.n, 0, c.n, c.delta, c.alpha) > c.epsilon || mass <= c.delta {
			t.Errorf("%s: %v, which is %d of %d", c.reason, mass, k, c.n)
		}
	}
	for _, n := range []int64{0, -1, 3} {
		if got := MinEventShare(n, n, 1, 0, 1e-9); got != 1 {
			t.Errorf("%d samples see a mass of %v, want 1", n, got)
		}
	}
}
