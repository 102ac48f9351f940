package verify

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
)

// CurveConfidence is the confidence level of the intervals of curve points.
const CurveConfidence = 0.95

// NewCurvePoint returns the mean of values and its interval. A single value has no interval.
func NewCurvePoint(m *confidence.Moments) CurvePoint {
	p := CurvePoint{Mean: Num(m.Mean()), Runs: m.N()}
	if lower, upper, err := m.Interval(1 - CurveConfidence); err == nil {
		p.Lower, p.Upper = Num(lower), Num(upper)
	}
	return p
}

// CurveRecorder collects the values of curves. It is a tally: the same values, merged in the same order, give the
// same curves.
type CurveRecorder struct {
	lines []*curveLine // in the order of their first values
}

type curveLine struct {
	name   string
	points []*curvePoint
}

// curvePoint holds the values of a curve at one place, in its JSON form.
type curvePoint struct {
	Series string              `json:"series"`
	At     string              `json:"at,omitempty"`
	X      float64             `json:"x"`
	Values *confidence.Moments `json:"values"`
	Lost   bool                `json:"lost,omitempty"` // a value was not finite, so there is no mean
}

// Add records a value of a curve at a finite x. A place with a value that is not finite is omitted. A nil recorder
// ignores the value.
func (c *CurveRecorder) Add(series string, x, value float64) {
	if c != nil {
		c.point(series, "", x).add(value)
	}
}

// AddAt records a value of a curve at a named place.
func (c *CurveRecorder) AddAt(series, at string, value float64) {
	if c != nil {
		c.point(series, at, 0).add(value)
	}
}

func (p *curvePoint) add(value float64) {
	if p.Values.Add(value) != nil {
		p.Lost = true
	}
}

// point finds or adds a place.
func (c *CurveRecorder) point(series, at string, x float64) *curvePoint {
	i := slices.IndexFunc(c.lines, func(l *curveLine) bool { return l.name == series })
	if i < 0 {
		i = len(c.lines)
		c.lines = append(c.lines, &curveLine{name: series})
	}
	l := c.lines[i]
	k := slices.IndexFunc(l.points, func(p *curvePoint) bool { return p.At == at && p.X == x })
	if k < 0 {
		k = len(l.points)
		l.points = append(l.points, &curvePoint{Series: series, At: at, X: x, Values: &confidence.Moments{}})
	}
	return l.points[k]
}

// Merge adds the values of another recorder.
func (c *CurveRecorder) Merge(other empirical.Tally) error {
	o, ok := other.(*CurveRecorder)
	if !ok {
		return fmt.Errorf("curves: cannot merge %T", other)
	}
	for _, l := range o.lines {
		for _, p := range l.points {
			to := c.point(l.name, p.At, p.X)
			to.Lost = to.Lost || p.Lost
			if err := to.Values.Merge(p.Values); err != nil {
				return fmt.Errorf("curves: %s: %w", l.name, err)
			}
		}
	}
	return nil
}

// Curves returns the means so far. Points are ordered by x; named points keep their order.
func (c *CurveRecorder) Curves(along, quantity string) []Curve {
	var all []Curve
	for _, l := range c.lines {
		s := Curve{Name: l.name, Variable: along, Quantity: quantity}
		for _, p := range l.points {
			if p.Lost {
				continue
			}
			point := NewCurvePoint(p.Values)
			if point.Label = p.At; p.At == "" {
				point.X = Num(p.X)
			}
			s.Points = append(s.Points, point)
		}
		slices.SortStableFunc(s.Points, func(a, b CurvePoint) int { return cmp.Compare(a.X.X, b.X.X) })
		if len(s.Points) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// PlottedCurves records curves with common axes.
type PlottedCurves struct {
	Variable string        `json:"along"`
	Quantity string        `json:"quantity"`
	Recorder CurveRecorder `json:"curves"`
}

// All returns the recorded curves, or nil for a nil receiver.
func (p *PlottedCurves) All() []Curve {
	if p == nil {
		return nil
	}
	return p.Recorder.Curves(p.Variable, p.Quantity)
}

func (c *CurveRecorder) MarshalJSON() ([]byte, error) {
	all := []*curvePoint{}
	for _, l := range c.lines {
		all = append(all, l.points...)
	}
	return json.Marshal(all)
}

// UnmarshalJSON replaces the contents of c.
func (c *CurveRecorder) UnmarshalJSON(data []byte) error {
	var all []curvePoint
	if err := json.Unmarshal(data, &all); err != nil {
		return fmt.Errorf("curves: %w", err)
	}
	c.lines = nil
	for _, p := range all {
		if p.Values == nil || p.Values.N() == 0 && !p.Lost || math.Abs(p.Values.Mean()) > math.MaxFloat64 {
			return errors.New("curves: a point without values")
		}
		*c.point(p.Series, p.At, p.X) = p
	}
	return nil
}
