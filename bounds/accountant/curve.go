package accountant

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// ProfileOptions configures a profile. The zero value means 40 intervals down to δ = 1e-10, by every applicable method.
type ProfileOptions struct {
	// Intervals is the initial number of intervals between ε = 0 and the last point, at least 2; 0 means 40.
	Intervals int
	// MinDelta is the δ at the last point, in (0, 1); 0 means 1e-10.
	MinDelta float64
	// Method is the name of a method (see Methods). The empty string means an exact method if one applies, and "best"
	// otherwise.
	Method string
	// Precision of every point.
	Precision Precision
}

// usualLeastDelta is the default of ProfileOptions.MinDelta.
const usualLeastDelta = 1e-10

// intervals is the default of ProfileOptions.Intervals.
const intervals = 40

// farthest is the largest ε of a point; e^ε does not overflow.
const farthest = 700

// Point is a bracket of a curve's value at one argument.
type Point struct {
	At float64
	Bracket
}

// Profile brackets the function δ(ε) of an event at some points; see the package comment. It is not safe for concurrent
// use, because its methods may evaluate further points.
type Profile struct {
	// Assumptions and Warnings are those of the accountant's results.
	Assumptions, Warnings []string
	// MinDelta is the δ at the last point. It is larger than requested if no ε reaches the requested value.
	MinDelta float64

	points []Point // sorted by ε, starting at 0; δ is decreasing
	end    float64 // largest initial ε; the grid initial points are evenly spaced
	grid   int
	delta  func(epsilon float64) (Bracket, error)
}

// NewProfile evaluates δ at evenly spaced ε, from 0 to the ε at which δ equals o.MinDelta, or to the largest privacy
// loss. If no ε reaches o.MinDelta, the smallest larger power of ten that an ε reaches replaces it. It returns errors
// that wrap event.ErrDomain for invalid options, and the errors of Epsilons and Deltas.
func NewProfile(e event.Event, adj event.Adjacency, o ProfileOptions) (*Profile, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if o.Method == "" {
		o.Method = exact(e, adj)
	}
	options := Options{Methods: []string{o.Method}, Precision: o.Precision}
	p := &Profile{grid: o.Intervals + 1}
	p.delta = func(epsilon float64) (Bracket, error) {
		r, err := Deltas(e, adj, epsilon, options)
		if err != nil {
			return Bracket{}, err
		}
		return r[0].Bracket, nil
	}
	for p.MinDelta = o.MinDelta; ; p.MinDelta = math.Min(0.9, 10*p.MinDelta) {
		r, err := Epsilons(e, adj, p.MinDelta, options)
		if err != nil {
			return nil, err
		}
		p.Assumptions, p.Warnings = r[0].Assumptions, r[0].Warnings
		if p.end = r[0].Upper; p.end <= farthest || p.MinDelta == 0.9 {
			break
		}
	}
	if p.end = math.Min(p.end, farthest); p.end == 0 {
		p.end = 1 // nothing is released; the ε axis still needs a positive length
	}
	for i := range p.grid {
		if _, err := p.ask(p.place(i)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// place returns the i-th initial ε.
func (p *Profile) place(i int) float64 { return p.end * (float64(i) / float64(p.grid-1)) }

// complete replaces zero options by their defaults and checks the others.
func (o ProfileOptions) complete() (ProfileOptions, error) {
	if o.Intervals == 0 {
		o.Intervals = intervals
	}
	if o.MinDelta == 0 {
		o.MinDelta = usualLeastDelta
	}
	if !(o.Intervals >= 2) || !(o.MinDelta > 0 && o.MinDelta < 1) {
		return o, event.DomainError("a curve of %d intervals down to δ = %v: want 2 or more, and a δ in (0, 1)", o.Intervals,
			o.MinDelta)
	}
	return o, nil
}

// exact returns the name of a method that is exact for the event, or "best" if there is none.
func exact(e event.Event, adj event.Adjacency) string {
	for _, name := range []string{"gaussian-exact", "laplace-exact", "optimal-composition", "one-run"} {
		r, err := Deltas(e, adj, 0, Options{Methods: []string{name}})
		if err == nil && r[0].Width() <= 1e-9*r[0].Upper {
			return name
		}
	}
	return "best"
}

// ProfileEpsilons brackets ε at each of the given δ in (0, 1). It is the inverse of the curve in a Profile.
func ProfileEpsilons(e event.Event, adj event.Adjacency, deltas []float64, o ProfileOptions) ([]Point, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if o.Method == "" {
		o.Method = exact(e, adj)
	}
	points := make([]Point, len(deltas))
	for i, delta := range deltas {
		r, err := Epsilons(e, adj, delta, Options{Methods: []string{o.Method}, Precision: o.Precision})
		if err != nil {
			return nil, err
		}
		points[i] = Point{delta, r[0].Bracket}
	}
	return points, nil
}

// ask returns the point at ε ≥ 0 and evaluates it if necessary. Since δ is decreasing, the adjacent points also bound
// it.
func (p *Profile) ask(epsilon float64) (Point, error) {
	i, found := slices.BinarySearchFunc(p.points, epsilon, byPlace)
	if found {
		return p.points[i], nil
	}
	b, err := p.delta(epsilon)
	if err != nil {
		return Point{}, err
	}
	lower, upper := 0.0, 1.0
	if i > 0 {
		upper = p.points[i-1].Upper
	}
	if i < len(p.points) {
		lower = p.points[i].Lower
	}
	if b, err = (Bracket{Lower: lower, Upper: upper}).Meet(b); err != nil {
		return Point{}, err
	}
	p.points = slices.Insert(p.points, i, Point{epsilon, b})
	return p.points[i], nil
}

func byPlace(p Point, at float64) int {
	switch {
	case p.At < at:
		return -1
	case p.At > at:
		return 1
	}
	return 0
}

// End returns the largest ε among the initial points.
func (p *Profile) End() float64 { return p.end }

// Delta brackets δ at 0 ≤ epsilon ≤ 700 and keeps the point.
func (p *Profile) Delta(epsilon float64) (Bracket, error) {
	if !(epsilon >= 0 && epsilon <= farthest) {
		return Bracket{}, event.DomainError("a point of a curve at ε = %v, it must be in [0, %v]", epsilon,
			farthest)
	}
	point, err := p.ask(epsilon)
	return point.Bracket, err
}

// index returns the index of the point at an ε that was already evaluated.
func (p *Profile) index(epsilon float64) int {
	i, _ := slices.BinarySearchFunc(p.points, epsilon, byPlace)
	return i
}
