package curricula

import (
	"math"
	"math/rand/v2"
)

// CNN is the network of Section 3.3 for images of 28 × 28 in 10 classes: two convolutions, each followed by ReLU
// and max-pooling, and a dense layer. The paper states neither channels nor kernels. This network has few channels
// and a strided first layer:
//
//	convolution 5 × 5, stride 2, padding 2     28 × 28 × 1  → 14 × 14 × 8
//	ReLU, max-pooling 2 × 2                    → 7 × 7 × 8
//	convolution 3 × 3, stride 1, padding 1     → 7 × 7 × 16
//	ReLU, max-pooling 2 × 2, edges kept        → 4 × 4 × 16
//	dense                                      256 → 10
//
// θ has 3,946 entries: layer by layer the weights (input by input, with the outputs next to each other), then the
// biases.
type CNN struct {
	first, second   convolution
	pool1, pool2    pool
	z               []float64 // logits, then their gradient
	denseAt, biasAt int       // offsets of the last layer in θ
}

// NewCNN returns the network with its own scratch memory.
func NewCNN() *CNN {
	c := &CNN{
		first:  newConvolution(28, 1, 8, 5, 2, 2),
		second: newConvolution(7, 8, 16, 3, 1, 1),
		z:      make([]float64, 10),
	}
	c.pool1, c.pool2 = newPool(14, 8), newPool(7, 16)
	c.second.offset = c.first.params()
	c.denseAt = c.second.offset + c.second.params()
	c.biasAt = c.denseAt + len(c.pool2.out)*len(c.z)
	return c
}

func (c *CNN) Params() int  { return c.biasAt + len(c.z) }
func (c *CNN) Dim() int     { return 28 * 28 }
func (c *CNN) Classes() int { return len(c.z) }

// Init draws weights uniformly from ±√(6/(inputs+outputs)) of each unit's layer (Glorot & Bengio 2010, the default
// of Keras). Biases are 0.
func (c *CNN) Init(r *rand.Rand, theta []float64) {
	clear(theta)
	c.first.init(r, theta)
	c.second.init(r, theta)
	glorot(r, theta[c.denseAt:c.biasAt], len(c.pool2.out), len(c.z))
}

func glorot(r *rand.Rand, w []float64, in, out int) {
	bound := math.Sqrt(6 / float64(in+out))
	for i := range w {
		w[i] = bound * (2*r.Float64() - 1)
	}
}

func (c *CNN) forward(theta, x []float64) {
	c.first.forward(theta, x)
	c.pool1.forward(c.first.out)
	c.second.forward(theta, c.pool1.out)
	c.pool2.forward(c.second.out)
	copy(c.z, theta[c.biasAt:])
	addRows(c.z, theta[c.denseAt:c.biasAt], c.pool2.out)
}

// Gradient adds the gradient of −log p_y, computed by backpropagation, to g. It returns −log p_y.
func (c *CNN) Gradient(theta, x []float64, y int, g []float64) float64 {
	c.forward(theta, x)
	loss := softmaxLoss(c.z, y)
	for k, d := range c.z {
		g[c.biasAt+k] += d
	}
	addOuter(g[c.denseAt:c.biasAt], c.z, c.pool2.out)
	for i := range c.pool2.grad {
		row, sum := theta[c.denseAt+i*len(c.z):][:len(c.z)], 0.0
		for k, d := range c.z {
			sum += d * row[k]
		}
		c.pool2.grad[i] = sum
	}
	c.pool2.backward(c.second.grad)
	clear(c.pool1.grad)
	c.second.backward(theta, c.pool1.out, g, c.pool1.grad)
	c.pool1.backward(c.first.grad)
	c.first.backward(theta, x, g, nil)
	return loss
}

// Loss returns −log p_y.
func (c *CNN) Loss(theta, x []float64, y int) float64 {
	c.forward(theta, x)
	return softmaxLoss(c.z, y)
}

// Predict returns the class with the largest logit.
func (c *CNN) Predict(theta, x []float64) int {
	c.forward(theta, x)
	return largest(c.z)
}

// convolution is one layer. An image stores the channels of a pixel next to each other.
type convolution struct {
	side, in, channels       int // side of the input image; input and output channels
	kernel, stride, pad, end int // end is the side of the output
	offset                   int // offset of the layer in θ
	out, grad                []float64
}

func newConvolution(side, in, out, kernel, stride, pad int) convolution {
	end := (side+2*pad-kernel)/stride + 1
	return convolution{side: side, in: in, channels: out, kernel: kernel, stride: stride, pad: pad, end: end,
		out: make([]float64, end*end*out), grad: make([]float64, end*end*out)}
}

func (c *convolution) weights() int { return c.kernel * c.kernel * c.in * c.channels }
func (c *convolution) params() int  { return c.weights() + c.channels }

func (c *convolution) init(r *rand.Rand, theta []float64) {
	area := c.kernel * c.kernel
	glorot(r, theta[c.offset:c.offset+c.weights()], area*c.in, area*c.channels)
}

// rows calls f for each row of the kernel at output pixel (i, j), with the range [from, to) of input values and
// the offset of their first weight.
func (c *convolution) rows(i, j int, f func(from, to, weight int)) {
	left := j*c.stride - c.pad
	a, b := max(0, left), min(c.side, left+c.kernel)
	for k := range c.kernel {
		y := i*c.stride - c.pad + k
		if y < 0 || y >= c.side {
			continue
		}
		f((y*c.side+a)*c.in, (y*c.side+b)*c.in, (k*c.kernel+a-left)*c.in*c.channels)
	}
}

func (c *convolution) forward(theta, x []float64) {
	w, bias := theta[c.offset:c.offset+c.weights()], theta[c.offset+c.weights():c.offset+c.params()]
	for i := range c.end {
		for j := range c.end {
			out := c.out[(i*c.end+j)*c.channels:][:c.channels]
			copy(out, bias)
			c.rows(i, j, func(from, to, weight int) { addRows(out, w[weight:], x[from:to]) })
		}
	}
}

// backward adds the layer's gradient to g. If dx is not nil, it adds the gradient of the layer's input to dx.
func (c *convolution) backward(theta, x, g, dx []float64) {
	w, dw, db := theta[c.offset:c.offset+c.weights()], g[c.offset:c.offset+c.weights()],
		g[c.offset+c.weights():c.offset+c.params()]
	for i := range c.end {
		for j := range c.end {
			d := c.grad[(i*c.end+j)*c.channels:][:c.channels]
			nonzero := false
			for k, v := range d {
				db[k] += v
				nonzero = nonzero || v != 0
			}
			if !nonzero {
				continue
			}
			c.rows(i, j, func(from, to, weight int) {
				addOuter(dw[weight:], d, x[from:to])
				if dx != nil {
					addBack(dx[from:to], w[weight:], d)
				}
			})
		}
	}
}

// addBack adds ⟨W_k, d⟩ to x_k.
func addBack(x, w, d []float64) {
	n := len(d)
	for k := range x {
		row, sum := w[k*n:k*n+n], 0.0
		for j, v := range d {
			sum += v * row[j]
		}
		x[k] += sum
	}
}

// pool is ReLU and max-pooling over 2 × 2 pixels. At an odd edge it pools the remaining pixels.
type pool struct {
	side, channels, end int
	out, grad           []float64
	from                []int // index of the largest input, or −1 if no input is above 0
}

func newPool(side, channels int) pool {
	end := (side + 1) / 2
	n := end * end * channels
	return pool{side, channels, end, make([]float64, n), make([]float64, n), make([]int, n)}
}

func (p *pool) forward(in []float64) {
	for i := range p.out {
		p.out[i], p.from[i] = 0, -1
	}
	for y := range p.side {
		for x := range p.side {
			at, to := (y*p.side+x)*p.channels, (y/2*p.end+x/2)*p.channels
			for k := range p.channels {
				if v := in[at+k]; v > p.out[to+k] {
					p.out[to+k], p.from[to+k] = v, at+k
				}
			}
		}
	}
}

// backward writes the gradient of the input to in.
func (p *pool) backward(in []float64) {
	clear(in)
	for i, from := range p.from {
		if from >= 0 {
			in[from] = p.grad[i]
		}
	}
}
