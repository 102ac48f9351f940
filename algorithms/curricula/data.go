package curricula

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// Data is n ≥ 1 samples of dimension d with a class from 0 to Classes() − 1.
type Data interface {
	Len() int
	Dim() int
	Classes() int
	// Load writes the features of sample i, 0 ≤ i < Len(), to x, which has length Dim(), and returns its class.
	Load(i int, x []float64) (class int)
}

// Images are the first N images of a file (all if N is 0), with gray levels in [0, 1].
type Images struct {
	*dataset.Images
	N int
}

// Len returns the number of images in use.
func (m Images) Len() int {
	if m.N > 0 && m.N < m.Images.Len() {
		return m.N
	}
	return m.Images.Len()
}

// Classes returns 10, the number of digits.
func (m Images) Classes() int { return 10 }

// Load writes image i divided by 255 to x and returns its digit.
func (m Images) Load(i int, x []float64) int {
	for j, p := range m.Image(i) {
		x[j] = float64(p) / 255
	}
	return int(m.Labels[i])
}

// Samples are samples in memory.
type Samples struct {
	X [][]float64 // feature vectors of one length, finite
	Y []int       // their classes, each in [0, K)
	K int         // number of classes
}

// Len returns the number of samples.
func (s Samples) Len() int { return len(s.X) }

// Dim returns the dimension of the first sample, or 0 if there is none.
func (s Samples) Dim() int {
	if len(s.X) == 0 {
		return 0
	}
	return len(s.X[0])
}

// Classes returns K.
func (s Samples) Classes() int { return s.K }

// Load copies the features of sample i to x and returns its class.
func (s Samples) Load(i int, x []float64) int {
	copy(x, s.X[i])
	return s.Y[i]
}

// checkData reads all samples once and returns an error if the model cannot use them.
func checkData(data Data, m Model) error {
	n, d := data.Len(), data.Dim()
	if n < 1 || d != m.Dim() || data.Classes() > m.Classes() {
		return fmt.Errorf("curricula: %d samples of dimension %d in %d classes for a model of dimension %d and %d "+
			"classes: need at least one sample that fits",
			n, d, data.Classes(), m.Dim(), m.Classes())
	}
	if s, ok := data.(Samples); ok {
		if len(s.Y) != n {
			return fmt.Errorf("curricula: %d samples and %d labels", n, len(s.Y))
		}
		for i, x := range s.X {
			if len(x) != d {
				return fmt.Errorf("curricula: sample %d has %d features, sample 0 has %d", i, len(x), d)
			}
		}
	}
	x := make([]float64, d)
	for i := range n {
		if y := data.Load(i, x); y < 0 || y >= m.Classes() {
			return fmt.Errorf("curricula: sample %d has class %d: want 0 to %d", i, y, m.Classes()-1)
		}
		for j, v := range x {
			if !(math.Abs(v) <= math.MaxFloat64) {
				return fmt.Errorf("curricula: sample %d has the feature %v at %d: want a finite number", i, v, j)
			}
		}
	}
	return nil
}
