// Package private is a small library of private releases, similar to public ones: options are structs, results are
// structs or pointers that may be nil, and the randomness is the system's, which cannot be seeded. Its tests show
// how to use dptest.
package private

import (
	"bufio"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
)

// ErrOptions is wrapped by errors of options outside their domain.
var ErrOptions = errors.New("private: bad options")

// source is the system's randomness.
var source = struct {
	sync.Mutex
	*bufio.Reader
}{Reader: bufio.NewReaderSize(rand.Reader, 1<<16)}

// uniform draws a number in (0, 1).
func uniform() float64 {
	var b [8]byte
	source.Lock()
	defer source.Unlock()
	if _, err := source.Read(b[:]); err != nil {
		panic(err) // without randomness nothing can be released
	}
	return (float64(binary.BigEndian.Uint64(b[:])>>12) + 0.5) / (1 << 52)
}

// geometric draws k ≥ 0 with probability proportional to exp(−k/scale).
func geometric(scale float64) int64 { return int64(-math.Log(uniform()) * scale) }

// noise draws discrete Laplace noise.
func noise(scale float64) int64 { return geometric(scale) - geometric(scale) }

// CountOptions holds the options of [Count].
type CountOptions struct {
	Epsilon float64 // > 0
	// MaxContributions is the maximum number of rows of one person; default 1.
	MaxContributions int64
}

// Count releases the number of rows, or nil if the noise makes it negative.
func Count(rows []string, o *CountOptions) (*int64, error) {
	if o == nil || !(o.Epsilon > 0) || o.MaxContributions < 0 {
		return nil, fmt.Errorf("%w: want ε > 0", ErrOptions)
	}
	n := int64(len(rows)) + noise(float64(max(1, o.MaxContributions))/o.Epsilon)
	if n < 0 {
		return nil, nil
	}
	return &n, nil
}

// SumOptions holds the options of [Sum], which clamps values to [Lower, Upper].
type SumOptions struct{ Epsilon, Lower, Upper float64 }

// SumResult is a sum with the scale of its Laplace noise.
type SumResult struct{ Value, Scale float64 }

// granularity of sums; it is much coarser than their rounding error.
const granularity = 1. / 1024

// Clamped returns the contribution of one value to a [Sum].
func Clamped(value float64, o *SumOptions) float64 {
	return math.Round(math.Min(o.Upper, math.Max(o.Lower, value))/granularity) * granularity
}

// Sum releases a sum of clamped values.
func Sum(values []float64, o *SumOptions) (*SumResult, error) {
	if o == nil || !(o.Epsilon > 0) || !(o.Lower < o.Upper) {
		return nil, fmt.Errorf("%w: want ε > 0 and lower < upper", ErrOptions)
	}
	bound := math.Max(math.Abs(o.Lower), math.Abs(o.Upper))
	r := SumResult{Scale: bound / o.Epsilon}
	for _, v := range values {
		r.Value += Clamped(v, o)
	}
	r.Value += float64(noise(r.Scale/granularity)) * granularity
	return &r, nil
}

// HistogramOptions holds the options of [Histogram].
type HistogramOptions struct {
	Epsilon, Delta float64 // both > 0
	// Unthresholded keeps small groups. This violates the guarantee; a test detects it.
	Unthresholded bool
}

// Histogram releases the number of rows of each sufficiently large group. It shows a group with a single row with
// probability at most δ.
func Histogram(rows []string, o *HistogramOptions) (map[string]int64, error) {
	if o == nil || !(o.Epsilon > 0) || !(o.Delta > 0 && o.Delta < 1) {
		return nil, fmt.Errorf("%w: want ε > 0 and δ in (0, 1)", ErrOptions)
	}
	threshold := 1 + int64(math.Ceil(math.Log(1/o.Delta)/o.Epsilon))
	out := map[string]int64{}
	for _, row := range rows {
		out[row]++
	}
	for group := range out {
		if out[group] += noise(1 / o.Epsilon); out[group] < threshold && !o.Unthresholded {
			delete(out, group)
		}
	}
	return out, nil
}
