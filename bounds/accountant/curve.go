// A profile brackets the whole privacy curve of an event, and what follows from it for an attacker.
//
// A [Profile] holds certified brackets of δ(ε) at some ε ≥ 0. As a function of t = e^ε, δ is convex and
// falls, and δ(−ε) = 1 − e^{−ε} + e^{−ε}δ(ε) for the worse of both orders of the neighbours. So the points
// bound δ between them as well: chords of the upper ends from above, from below the lines through the upper
// end of one point and the lower end of the next, beyond the latter. All that is said here follows from
// these two bounds:
//
//   - The trade-off function f(α), the least type II error of a test of the neighbours at type I error α, is
//     the supremum over ε ≥ 0 of 1 − δ(ε) − e^ε α and e^{−ε}(1 − δ(ε) − α), and 0 (Wasserman & Zhou 2010;
//     Dong, Roth & Su 2022, Proposition 2.12). An upper bound of δ gives a lower bound of f, at some ε; a
//     lower bound of δ gives an upper bound, which needs all ε.
//   - Gaussian privacy: μ-GDP is f ≥ G_μ, or δ(ε) ≤ δ_μ(ε) for all ε. Its regret is the least κ with
//     f(α + κ) − κ ≤ G_μ(α) for all α, which is the largest (δ_μ(ε) − δ(ε))/(1 + e^ε) (Kaissis, Kolek, Balle,
//     Hayes & Rueckert 2024; Gomez, Kulynych, Kaissis, Hayes, Balle & Honkela 2025).
//   - Attacks: the advantage of a test, its true-positive rate at a false-positive rate, the probability of
//     a right guess of membership at a prior, and of a reconstruction (Hayes, Mahloujifar & Balle 2023).
//
// "The truth" is that of package accountant: the δ(ε) of the composed dominating pairs.

package accountant

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// ProfileOptions of a profile. The zero value has 40 intervals down to δ = 1e-10 by every applicable method.
type ProfileOptions struct {
	// Intervals into which the points first divide the ε from 0 to the end; 0 means 40.
	Intervals int
	// MinDelta is the δ at which the points end, in (0, 1); 0 means 1e-10.
	MinDelta float64
	// Method is the name of one method of package accountant; "" means one that is exact for the event, else best.
	Method string
	// Precision of every point.
	Precision Precision
}

// usualLeastDelta is the δ at which curves end if no other is asked for.
const usualLeastDelta = 1e-10

// intervals is the number of intervals of a curve if no other is asked for.
const intervals = 40

// farthest is the largest ε of a point; e^ε is a number there.
const farthest = 700

// Point is a bracket at a place of a curve.
type Point struct {
	At float64
	Bracket
}

// Profile is δ(ε) of an event, bracketed at some points; see the package comment. It is not for several
// goroutines: its answers may ask the accountant for further points.
type Profile struct {
	// Assumptions and Warnings are those of the accountant's answers.
	Assumptions, Warnings []string
	// MinDelta is the δ at which the points were to end. It is larger than was asked for where no ε
	// reaches that.
	MinDelta float64

	points []Point // by ε, from 0 on; δ does not rise
	end    float64 // the ε up to which it was asked at first, at so many points, evenly spaced
	grid   int
	delta  func(epsilon float64) (Bracket, error)
}

// NewProfile asks for δ at evenly spaced ε, from 0 to where δ is o.Least, or to the largest loss. Where no ε reaches
// o.Least, the next power of ten that some ε does reach takes its place. It returns errors that wrap
// event.ErrDomain for options out of their domain, and those of package accountant.
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
		p.end = 1 // nothing to see, and an axis to see it on
	}
	for i := range p.grid {
		if _, err := p.ask(p.place(i)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// place is the i-th ε of those asked for at first.
func (p *Profile) place(i int) float64 { return p.end * (float64(i) / float64(p.grid-1)) }

// complete fills in what is not given.
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

// exact is the name of a method that has closed forms for the event, which no other can narrow, else best.
func exact(e event.Event, adj event.Adjacency) string {
	for _, name := range []string{"gaussian-exact", "laplace-exact", "optimal-composition", "one-run"} {
		r, err := Deltas(e, adj, 0, Options{Methods: []string{name}})
		if err == nil && r[0].Width() <= 1e-9*r[0].Upper {
			return name
		}
	}
	return "best"
}

// ProfileEpsilons brackets ε at the δs given, each in (0, 1): the curve the other way round.
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

// ask adds the point at ε ≥ 0, unless it is there, and returns it. Since δ falls, neighbours
// bound each other.
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

// End is the ε that the points first asked for end at.
func (p *Profile) End() float64 { return p.end }

// Delta brackets δ at 0 ≤ epsilon ≤ 700, and adds the point.
func (p *Profile) Delta(epsilon float64) (Bracket, error) {
	if !(epsilon >= 0 && epsilon <= farthest) {
		return Bracket{}, event.DomainError("a point of a curve at ε = %v, it must be in [0, %v]", epsilon,
			farthest)
	}
	point, err := p.ask(epsilon)
	return point.Bracket, err
}

// index is that of the point at an ε that was asked for.
func (p *Profile) index(epsilon float64) int {
	i, _ := slices.BinarySearchFunc(p.points, epsilon, byPlace)
	return i
}
