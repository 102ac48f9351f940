package accountant

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// sampledCurve computes δ(ε) of sampled Gaussian steps, for an added or a replaced record, on a lattice that shares no
// code with the package. It uses connect-the-dots, tilted to an ε, and omits losses whose total probability is below
// 1e-4 δ. Its error in ε is estimated by off, not proven.
type sampledCurve struct {
	first, h, theta, log, off float64
	tilted                    []float64 // probabilities of the composition, from loss first on
}

const curvePoints = 1 << 16

// newSampledCurve returns false if the lattice is too coarse or too short near an ε.
func newSampledCurve(r rareLoss, near float64) (c sampledCurve, ok bool) {
	mu, n, replaced := 1/r.sigma, float64(r.n), r.adjacency == event.ReplaceOne
	tail := func(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
	between := func(a, b float64) float64 { // probability under N(0, 1)
		if a > 0 {
			return tail(a) - tail(b)
		}
		return tail(-b) - tail(-a)
	}
	p := func(a, b float64) float64 { return (1-r.rate)*between(a, b) + r.rate*between(a-mu, b-mu) }
	q := between
	output := func(x float64) float64 { // output with loss x
		return math.Log((math.Expm1(x)+r.rate)/r.rate)/mu + mu/2
	}
	minLoss := math.Log1p(-r.rate)
	if replaced {
		q = func(a, b float64) float64 { return (1-r.rate)*between(a, b) + r.rate*between(a+mu, b+mu) }
		output = func(x float64) float64 { // the root of qcu² − (1−q)(e^x − 1)u − e^x·qc, u = e^{μy}
			a, half := r.rate*math.Exp(-mu*mu/2), (1-r.rate)*math.Expm1(math.Abs(x))/2
			return math.Copysign(math.Log((half+math.Sqrt(half*half+a*a*math.Exp(math.Abs(x))))/a)/mu, x)
		}
	}
	top, rare := 0.0, 1e-4*r.delta/n
	for p(top, math.Inf(1)) > rare {
		top += 0.01
	}
	maxLoss := math.Log(1 - r.rate + r.rate*math.Exp(mu*top-mu*mu/2))
	if replaced {
		maxLoss -= math.Log(1 - r.rate + r.rate*math.Exp(-mu*top-mu*mu/2))
		minLoss = -maxLoss
	}
	// Long enough for the losses of one step, and for the composition by the variance of its untilted loss.
	c.h = math.Max((maxLoss-minLoss)*8, 40*r.rate*math.Sqrt(n*math.Expm1(mu*mu))) / curvePoints
	lo, hi := math.Floor(minLoss/c.h), math.Ceil(maxLoss/c.h)
	mass := make([]float64, int(hi-lo)+1)
	spread := make([]float64, len(mass)) // variance that connect-the-dots adds
	from := math.Inf(-1)
	for i := range len(mass) - 1 {
		x := (lo + float64(i)) * c.h
		to := output(x + c.h)
		if a := p(from, to); a > 0 {
			up := math.Max(0, math.Min(1, (1-math.Exp(x)*q(from, to)/a)/-math.Expm1(-c.h)))
			mass[i] += a * (1 - up)
			mass[i+1] += a * up
			spread[i] = a * up * (1 - up) * c.h * c.h
		}
		from = to
	}
	low, high := 1e-3, 1e3
	var mean, variance, added float64
	for range 25 {
		c.theta = math.Sqrt(low * high)
		sum := 0.0
		mean, variance, added = 0, 0, 0
		for i, m := range mass {
			if m > 0 {
				x := (lo + float64(i)) * c.h
				m *= math.Exp(c.theta * (x - maxLoss))
				sum, mean, variance = sum+m, mean+m*x, variance+m*x*x
				added += spread[i] * math.Exp(c.theta*(x-maxLoss))
			}
		}
		mean /= sum
		variance, added = variance/sum-mean*mean, added/sum
		c.log = math.Log(sum) + c.theta*maxLoss
		if n*mean < near && 20*math.Sqrt(n*variance) < c.h*curvePoints {
			low = c.theta
		} else {
			high = c.theta
		}
	}
	c.off = 0.002 + 2e-3*near + (c.theta+1)*n*added
	length := c.h * curvePoints
	// The tilt bounds the noise of the dots, unless the noise itself reaches the given ε.
	if math.Sqrt(-2*math.Log(r.delta)*n*added) > 0.3*near || 2.5*math.Abs(near-n*mean) > length || 20*math.Sqrt(n*variance) > 1.01*length ||
		math.Log(r.delta) < n*c.log-c.theta*near-20 || c.off > 0.01+0.05*near {
		return c, false
	}
	seq := make([]complex128, curvePoints)
	for i, m := range mass {
		x := (lo + float64(i)) * c.h
		seq[(int(lo)+i+curvePoints)%curvePoints] = complex(m*math.Exp(c.theta*x-c.log), 0)
	}
	fft := fourier.NewCmplxFFT(curvePoints)
	seq = fft.Coefficients(nil, seq)
	for i, z := range seq {
		seq[i] = cmplx.Pow(z, complex(n, 0))
	}
	seq = fft.Sequence(nil, seq)
	start := int(near/c.h) - curvePoints/2
	c.first, c.log = float64(start)*c.h, c.log*n
	for i := range seq {
		c.tilted = append(c.tilted, real(seq[((start+i)%curvePoints+curvePoints)%curvePoints])/curvePoints)
	}
	return c, true
}

func (c sampledCurve) delta(epsilon float64) float64 {
	sum := 0.0
	for i, m := range c.tilted {
		if x := c.first + float64(i)*c.h; x > epsilon {
			sum += m * math.Exp(c.log-c.theta*x) * -math.Expm1(epsilon-x)
		}
	}
	return sum
}
