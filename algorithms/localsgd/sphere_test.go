package localsgd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// In one dimension the projection is exactly ±radius from any starting point, because the hinge loss has its kink
// there.
func TestToSphere(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 10_000 {
		radius, v := math.Exp(4*r.Float64()-2), []float64{10 * (r.Float64() - 0.5)}
		sign := math.Copysign(1, v[0])
		toSphere(v, norm(v), radius)
		if v[0] != sign*radius {
			t.Fatalf("%v, not %v", v[0], sign*radius)
		}
	}
	v := []float64{3, -4}
	toSphere(v, 5, 2.5)
	if v[0] != 1.5 || v[1] != -2 {
		t.Errorf("(3, −4) brought to norm 2.5 is %v", v)
	}
}
