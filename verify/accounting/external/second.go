package external

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// Second answers a question by a method of its own, for δ that exceeds the probability of infinite losses by at least
// 1e-9. Upper rounds losses by connect-the-dots (Doroshenko et al. 2022), lower rounds them down. The ends do not
// include the computer's rounding errors, and total losses of probability below 1e-14 are omitted. So Second confirms
// certified brackets and does not replace them.
func Second(q Question) (lower, upper float64, err error) {
	steps, err := stepsOf(q.Tree, 1, nil)
	if err != nil {
		return 0, 0, err
	}
	for _, reversed := range []bool{false, true} {
		pairs := make([]pair, len(steps))
		for i, s := range steps {
			if pairs[i], err = pairOf(s.of, q.Adjacency); err != nil {
				return 0, 0, err
			}
			if reversed {
				pairs[i] = pairs[i].reversed()
			}
		}
		for i, down := range []bool{true, false} {
			c, err := compose(pairs, steps, down)
			if err != nil {
				return 0, 0, err
			}
			x := c.epsilon(q.At)
			if q.Ask == AskDelta {
				x = c.delta(q.At)
			}
			to := []*float64{&lower, &upper}[i]
			*to = math.Max(*to, x)
		}
		if q.Adjacency == event.ReplaceOne { // every pair is symmetric
			break
		}
	}
	return lower, upper, nil
}

// step is a mechanism, possibly sampled, that runs a number of times.
type step struct {
	of    Tree
	count float64
}

// stepsOf appends the mechanisms of a tree that runs a number of times.
func stepsOf(t Tree, count float64, to []step) (steps []step, err error) {
	switch t.Class {
	case classRepeated:
		if t.Event == nil || t.Count < 1 {
			return nil, errors.New("a repeated event without its event or count")
		}
		return stepsOf(*t.Event, count*float64(t.Count), to)
	case classComposed:
		for _, part := range t.Events {
			if to, err = stepsOf(part, count, to); err != nil {
				return nil, err
			}
		}
		return to, nil
	}
	return append(to, step{t, count}), nil
}

// composition is the distribution under P of a total loss: probabilities of the losses (first + i)·h.
type composition struct {
	h        float64
	first    int
	mass     []float64
	infinite float64 // probability of an infinite loss
}

// compose returns the total loss of independent pairs, each repeated as its step.
func compose(pairs []pair, steps []step, down bool) (composition, error) {
	const rare = 34 // the omitted probability of each side is below e^−34
	var mean, variance, largest, total, runs float64
	for i, p := range pairs {
		low, high := p.ends()
		m, v := p.moments(low, high)
		n := steps[i].count
		mean, variance, runs = mean+n*m, variance+n*v, runs+n
		largest, total = math.Max(largest, high-low), total+n*(high-low)
	}
	// Bernstein's inequality for sums of independent losses.
	reach := math.Min(total, math.Sqrt(2*rare*variance)+2*rare*largest/3)
	n := 1 << 18
	if runs > 50 {
		n = 1 << 20
	}
	c := composition{h: 2.1 * reach / float64(n)}
	if !(c.h > 0) {
		return c, errors.New("the release has no privacy loss")
	}
	fft := fourier.NewFFT(n)
	product := make([]complex128, n/2+1)
	for i := range product {
		product[i] = 1
	}
	finite := 1.0
	for i, p := range pairs {
		cyclic := make([]float64, n)
		infinite, err := p.discretize(c.h, down, cyclic)
		if err != nil {
			return c, err
		}
		for k, z := range fft.Coefficients(nil, cyclic) {
			product[k] *= cmplx.Pow(z, complex(steps[i].count, 0))
		}
		finite *= math.Pow(1-infinite, steps[i].count)
	}
	sum := fft.Sequence(nil, product)
	c.first, c.infinite = int(mean/c.h)-n/2, 1-finite
	c.mass = make([]float64, n)
	for i := range c.mass {
		c.mass[i] = sum[((c.first+i)%n+n)%n] / float64(n)
	}
	return c, nil
}

// ends returns losses beyond which the pair has probability below 1e-18.
func (p pair) ends() (low, high float64) {
	const rare = 1e-18
	for _, a := range p.atoms {
		if a[0] > 0 && a[1] > 0 {
			x := math.Log(a[0] / a[1])
			low, high = math.Min(low, x), math.Max(high, x)
		}
	}
	if p.between == nil {
		return low, high
	}
	for x := 1e-3; ; x *= 1.1 {
		above, _ := p.between(p.output(x), math.Inf(1))
		below, _ := p.between(math.Inf(-1), p.output(-x))
		if above > rare {
			high = math.Max(high, x*1.1)
		}
		if below > rare {
			low = math.Min(low, -x*1.1)
		}
		if !(above > rare || below > rare) {
			return low, high
		}
	}
}

// moments returns the approximate mean and variance of the finite loss under P.
func (p pair) moments(low, high float64) (mean, variance float64) {
	const cells = 4096
	h := (high - low) / cells
	var sum, square float64
	add := func(x, mass float64) { mean, square, sum = mean+mass*x, square+mass*x*x, sum+mass }
	for _, a := range p.atoms {
		if a[0] > 0 && a[1] > 0 {
			add(math.Log(a[0]/a[1]), a[0])
		}
	}
	for i := 0; p.between != nil && i < cells; i++ {
		x := low + float64(i)*h
		mass, _ := p.between(p.output(x), p.output(x+h))
		add(x+h/2, mass)
	}
	mean /= sum
	return mean, math.Max(0, square/sum-mean*mean)
}

// discretize adds the probabilities of the losses ih to a cyclic list, and returns the probability of an infinite loss.
// An interval of losses [ih, (i+1)h] with probabilities p and q moves to its two ends so that both are kept, or down.
func (p pair) discretize(h float64, down bool, cyclic []float64) (infinite float64, err error) {
	low, high := p.ends()
	first, last := int(math.Floor(low/h)), int(math.Ceil(high/h))
	if last-first >= len(cyclic) {
		return 0, fmt.Errorf("losses from %g to %g do not fit in %d cells of %g", low, high, len(cyclic), h)
	}
	put := func(i int, mass float64) { cyclic[(i%len(cyclic)+len(cyclic))%len(cyclic)] += mass }
	add := func(i int, a, b float64) {
		up := math.Max(0, math.Min(1, (1-math.Exp(float64(i)*h)*b/a)/-math.Expm1(-h)))
		if down {
			up = 0
		}
		put(i, a*(1-up))
		put(i+1, a*up)
	}
	for _, a := range p.atoms {
		switch {
		case a[0] > 0 && a[1] > 0:
			add(int(math.Floor(math.Log(a[0]/a[1])/h)), a[0], a[1])
		case a[0] > 0:
			infinite += a[0]
		}
	}
	if p.between == nil {
		return infinite, nil
	}
	from := math.Inf(-1)
	for i := first; i < last; i++ {
		to := p.output(float64(i+1) * h)
		if a, b := p.between(from, to); a > 0 {
			add(i, a, b)
		}
		from = to
	}
	beyond, _ := p.between(from, math.Inf(1))
	if down {
		put(last, beyond)
		return infinite, nil
	}
	return infinite + beyond, nil
}

// delta returns the expectation of (1 − e^{ε−L})₊ of the total loss L.
func (c composition) delta(epsilon float64) float64 {
	sum := c.infinite
	for i, m := range c.mass {
		if x := float64(c.first+i) * c.h; x > epsilon {
			sum += m * -math.Expm1(epsilon-x)
		}
	}
	return math.Min(1, math.Max(0, sum))
}

// epsilon returns the smallest ε ≥ 0 with δ(ε) ≤ delta, or +Inf. Between two losses, δ is linear in e^ε.
func (c composition) epsilon(delta float64) float64 {
	if c.infinite > delta {
		return math.Inf(1)
	}
	above, weighted := c.infinite, 0.0
	for i := len(c.mass) - 1; i > 0; i-- {
		x := float64(c.first+i) * c.h
		if x <= 0 {
			return 0
		}
		above, weighted = above+c.mass[i], weighted+c.mass[i]*math.Exp(-x)
		if next := math.Max(0, x-c.h); above-math.Exp(next)*weighted >= delta {
			return math.Max(next, math.Log((above-delta)/weighted))
		}
	}
	return 0
}
