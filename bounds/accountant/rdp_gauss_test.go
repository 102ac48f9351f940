package accountant

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Panels found by bisection, compared with the trapezoidal rule over the whole range if it is affordable, and with the
// closed form that bounds both.
func TestPanelsAgainstTrapezoid(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for range 80 {
		mu := math.Exp(r.Float64() * 5)
		beta := math.Exp(-25 + 29*r.Float64())
		q := math.Exp(-16 * r.Float64())
		if r.IntN(4) == 0 {
			q = 1 - math.Exp(-20*r.Float64())
		}
		p := sampledPair{q: q, mu: mu, alpha: 1 + beta, beta: beta, opposed: r.IntN(2) == 0, sign: 1}
		from, to := p.reach()
		step := math.Min(0.5, 0.4/mu)
		if (to-from)/step > 100000 {
			continue
		}
		var a, b logAccumulator
		for y := from; y <= to; y += step {
			a.add(p.integrand(y) + math.Log(step))
		}
		p.panels(&b, from, to)
		x, y := numeric.LogAddExp(0, a.log()-numeric.LogSqrt2Pi)/beta, numeric.LogAddExp(0, b.log()-numeric.LogSqrt2Pi)/beta
		if !(math.Abs(y/x-1) <= 1e-10) {
			t.Errorf("%+v: trapezoid %v panels %v (%.2g)", p, x, y, y/x-1)
		}
		if m := p.bound(); !(m >= x*(1-1e-9)) {
			t.Errorf("%+v: bound %v below %v", p, m, x)
		}
	}
}
