package pld

import "math"

// characteristic is φ(t)e^{−itc} − 1 of a tilted distribution, evaluated on a grid of t.
type characteristic interface {
	// start sets t to i·step.
	start(i int, step float64)
	// next returns the value at t and advances t by one step.
	next() (re, im float64)
	// roundoff bounds the errors of the values.
	roundoff() float64
	// centre returns c. spread returns an upper bound of |φ′(t)e^{−itc} − icφ(t)|.
	centre() float64
	spread() float64
	// beyond returns a bound of |φ| at t > 0 and at all larger arguments.
	beyond(t float64) float64
}

// reseed is the number of grid steps between two exact evaluations.
const reseed = 32

// mostNodes is the maximum number of nodes of one distribution. Each needs about 60 bytes.
const mostNodes = 1 << 18

// nodes is a tilted distribution as a list of atoms.
type nodes struct {
	points   []node
	loss     []float64 // minus the center
	units    [][2]float64
	c, width float64
	error    float64
	falls    decay
}

// node is an atom: its weight, e^{it·loss} − 1, and e^{i·step·loss} − 1.
type node struct{ weight, re, im, stepRe, stepIm float64 }

func newNodes(capacity int) *nodes {
	return &nodes{points: make([]node, 0, capacity), loss: make([]float64, 0, capacity), units: make([][2]float64, 0,
		capacity)}
}

// add adds an atom. units and lossUnits bound the errors of the log of the weight and of the loss.
func (n *nodes) add(weight, loss, units, lossUnits float64) {
	n.points = append(n.points, node{weight: weight})
	n.loss = append(n.loss, loss)
	n.units = append(n.units, [2]float64{units, lossUnits})
}

// centred subtracts the mean from the losses and bounds the errors of all values up to t = maxT. They consist of the
// relative errors of weights and of reseed steps, the errors of losses times t, and those of sums.
func (n *nodes) centred(maxT, tolerance float64) {
	for i, p := range n.points {
		n.c += p.weight * n.loss[i]
	}
	rounding := 0.0
	sums := float64(2*chunk + len(n.points)/(chunk*chunk))
	for i, p := range n.points {
		n.loss[i] -= n.c
		size := math.Abs(n.loss[i])
		n.width += p.weight * size
		// A grid step rounds its result v, and has eight roundings of the change of v. Over all steps since the start,
		// the change is at most t·size.
		rounding += p.weight * (math.Min(2, maxT*size)*(n.units[i][0]+reseed+sums+4) +
			maxT*(n.units[i][1]+12*size+2*math.Abs(n.c)))
	}
	n.units = nil
	n.width *= 1 + 1e-9
	n.error = 2*tolerance + 1.1*unit*rounding
}

func (n *nodes) start(i int, step float64) {
	for j := range n.points {
		p := &n.points[j]
		p.re, p.im = turn(float64(i) * step * n.loss[j])
		p.stepRe, p.stepIm = turn(step * n.loss[j])
	}
}

// turn returns e^{ia} − 1.
func turn(a float64) (re, im float64) {
	s, c := math.Sincos(a / 2)
	return -2 * s * s, 2 * s * c
}

// chunk is the number of terms in each sum of the three-level summation.
const chunk = 16

func (n *nodes) next() (re, im float64) {
	for rest := n.points; len(rest) > 0; {
		part := rest[:min(chunk*chunk, len(rest))]
		rest = rest[len(part):]
		r, i := 0.0, 0.0
		for len(part) > 0 {
			few := part[:min(chunk, len(part))]
			part = part[len(few):]
			a, b := 0.0, 0.0
			for j := range few {
				p := &few[j]
				a += p.weight * p.re
				b += p.weight * p.im
				p.re, p.im = p.re+(p.re*p.stepRe-p.im*p.stepIm+p.stepRe), p.im+(p.re*p.stepIm+p.im*p.stepRe+p.stepIm)
			}
			r += a
			i += b
		}
		re += r
		im += i
	}
	return re, im
}

func (n *nodes) roundoff() float64 { return n.error }
func (n *nodes) centre() float64   { return n.c }
func (n *nodes) spread() float64   { return n.width }

func (n *nodes) beyond(t float64) float64 { return n.falls.beyond(t) }
