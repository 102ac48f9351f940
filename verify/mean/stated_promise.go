package mean

import (
	"cmp"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// Promise draws a few values and estimates whether a check with certifying samples at error probability alpha would
// refute the stated mean. It returns the largest deviation of a sample mean, reduced by what chance explains, as a
// multiple of the expected half-width of the certified interval. It is −Inf if the values neither vary nor deviate. A
// promise ranks candidates for a check and certifies nothing.
func (c Stated) Promise(r *rand.Rand, alpha float64, samples int, certifying int64) (float64, error) {
	c.Effect = cmp.Or(c.Effect, statedEffect)
	if err := c.check(); err != nil {
		return 0, err
	}
	values := c.values(int64(samples))
	if err := c.draw(r, values); err != nil {
		return 0, err
	}
	moments := make([]confidence.Moments, len(c.Mean))
	for _, v := range values {
		for i, x := range v {
			if err := moments[i].Add(x); err != nil {
				return 0, err
			}
		}
	}
	log := math.Log(2 * float64(len(c.Mean)) / alpha)
	best := math.Inf(-1)
	for i, at := range c.coordinates(moments) {
		sd := moments[i].StdDev()
		half := sd*math.Sqrt(2*log/float64(certifying)) + at.Scale*log/float64(certifying)
		// As in Bernstein's inequality: a few samples may miss rare large values.
		deviation := math.Abs(moments[i].Mean()-c.Mean[i]) - 2*sd/math.Sqrt(float64(samples)) -
			6*at.Scale/float64(samples)
		if half > 0 {
			best = math.Max(best, deviation/half)
		} else if deviation > 0 {
			best = math.MaxFloat64
		}
	}
	return best, nil
}
