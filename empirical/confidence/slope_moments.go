package confidence

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical"
)

// Moments accumulates the mean and the variance of unbounded values (Welford 1962). The zero value is empty.
// Tallies merged in different orders agree up to rounding.
type Moments struct {
	n       int64
	mean    float64
	squares float64 // Σ (x − mean)²
}

// Add counts one value. It rejects a value that is not finite with an error and does not count it.
func (m *Moments) Add(x float64) error {
	if !(math.Abs(x) <= math.MaxFloat64) {
		return fmt.Errorf("moments: value %v: need a finite one: %w", x, ErrDomain)
	}
	m.n++
	d := x - m.mean
	m.mean += d / float64(m.n)
	m.squares += d * (x - m.mean)
	return nil
}

// N returns the number of counted values.
func (m *Moments) N() int64 { return m.n }

// Mean returns the mean of the counted values, or NaN if there are none.
func (m *Moments) Mean() float64 {
	if m.n == 0 {
		return math.NaN()
	}
	return m.mean
}

// StdDev returns the sample standard deviation with divisor N − 1, or NaN for fewer than two values.
func (m *Moments) StdDev() float64 {
	if m.n < 2 {
		return math.NaN()
	}
	return math.Sqrt(m.squares / float64(m.n-1))
}

// Interval returns Student's interval for the mean. Its error probability is alpha if the values are normal. For
// other distributions it is valid only asymptotically, and poor at small alpha for skewed values. Use MeanInterval
// for a certified interval.
//
// Interval requires 0 < alpha < 1 and at least two values, and returns ErrDomain otherwise.
func (m *Moments) Interval(alpha float64) (lower, upper float64, err error) {
	if m.n < 2 || !(alpha > 0 && alpha < 1) {
		return math.Inf(-1), math.Inf(1),
			fmt.Errorf("moments: interval of %d values with alpha = %v: need at least 2 values and 0 < alpha < 1: %w",
				m.n, alpha, ErrDomain)
	}
	half := m.StdDev() / math.Sqrt(float64(m.n)) * studentQuantile(alpha, float64(m.n-1))
	return m.mean - half, m.mean + half, nil
}

// Merge adds the values of other Moments (Chan, Golub & LeVeque 1983).
func (m *Moments) Merge(other empirical.Tally) error {
	o, ok := other.(*Moments)
	if !ok {
		return fmt.Errorf("moments: cannot merge %T", other)
	}
	if o.n < 0 || m.n > math.MaxInt64-o.n {
		return fmt.Errorf("moments: count %d out of range", o.n)
	}
	if o.n == 0 {
		return nil
	}
	n := m.n + o.n
	d, share := o.mean-m.mean, float64(o.n)/float64(n)
	m.mean += d * share
	m.squares += o.squares + d*d*share*float64(m.n)
	m.n = n
	return nil
}

type momentsJSON struct {
	N       int64   `json:"n"`
	Mean    float64 `json:"mean"`
	Squares float64 `json:"squares"`
}

// MarshalJSON writes the number of values, their mean and their sum of squared deviations.
func (m *Moments) MarshalJSON() ([]byte, error) {
	return json.Marshal(momentsJSON{m.n, m.mean, m.squares})
}

// UnmarshalJSON reads the output of MarshalJSON. It rejects a negative count or sum of squares.
func (m *Moments) UnmarshalJSON(data []byte) error {
	var raw momentsJSON
	if err := json.Unmarshal(data, &raw); err != nil {
		return fmt.Errorf("moments: %w", err)
	}
	if raw.N < 0 || !(raw.Squares >= 0) {
		return fmt.Errorf("moments: %d values with a sum of squares of %v: want both at least 0", raw.N, raw.Squares)
	}
	*m = Moments{raw.N, raw.Mean, raw.Squares}
	return nil
}
