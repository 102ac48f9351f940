package accountant

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/internal/tolerance"
)

// Roots that differ in their last digits, as between machines, give the same noise of ten digits, on the private side
// of the threshold.
func TestFewDigits(t *testing.T) {
	for _, c := range []struct {
		reason          string
		root, threshold float64
		want            float64
	}{
		{"rounded down it is still enough", 0.95917793876, 0.9591779, 0.9591779388},
		{"rounded up", 0.95917793878, 0.9591779387799, 0.9591779388},
		{"rounded down it is too little", 0.95917793872, 0.95917793871, 0.9591779388},
		{"next to a power of ten", 9.9999999999, 9.99999999985, 10},
		{"of one digit", 1.5000000000015, 1.5, 1.5},
		{"nothing next to it is enough", 2.5, math.Inf(1), 2.5},
	} {
		for _, x := range []float64{c.root, c.root * (1 + 4e-16), c.root * (1 - 4e-16)} {
			got := fewDigits(x, func(noise float64) bool { return noise >= c.threshold })
			if c.want != c.root && got != c.want || math.Abs(got-c.want) > 1e-14 {
				t.Errorf("%s: %v gives %v, want %v", c.reason, x, got, c.want)
			}
		}
	}
}

// A choice that an optimizer finds to half its digits is rounded, so that all results give the same lattice.
func TestAnyNear(t *testing.T) {
	for _, x := range []float64{0.03217, 17.4312, 1e-9, 2.5e8} {
		for _, noise := range []float64{-1e-7, 1e-7, 3e-8} {
			if anyNear(x*(1+noise)) != anyNear(x) || math.Abs(anyNear(x)/x-1) > 5e-3 {
				t.Errorf("%v settles to %v, and %v away to %v", x, anyNear(x), noise, anyNear(x*(1+noise)))
			}
		}
	}
	if tolerance.Settled(0.03217, 3) == tolerance.Settled(0.03217*1.01, 3) {
		t.Error("what differs by a hundredth is settled to the same")
	}
}

// A bracket that is far too wide says nothing about the required lattice, and its width is not used.
func TestFiner(t *testing.T) {
	for times, want := range map[float64]float64{1.01: 0.7, 3.2: 0.5, 20: 0.2, 34: 0.1, 54: 0.1, math.Inf(1): 0.1} {
		if got := finer(times); math.Abs(got-want) > 1e-12 {
			t.Errorf("a bracket %v times as wide: %v, want %v", times, got, want)
		}
	}
	if got := finer(math.NaN()); got != 0.1 {
		t.Errorf("a bracket without ends: %v", got)
	}
}
