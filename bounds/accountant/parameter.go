package accountant

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/tolerance"
)

// Target is what is to be met by one method of package accountant, "best" or another.
type Target struct {
	Adjacency      event.Adjacency
	Epsilon, Delta float64 // ε > 0, 0 ≤ δ < 1
	Method         string
}

// Answer is a bracket of the number: at one end the target is certainly met, and at the other certainly missed, or
// nothing is known. Where ε falls in the number the target is met at Upper, and Lower may be 0; where it
// rises the target is met at Lower, and Upper may be +Inf.
type Answer struct {
	Bracket
	Rises bool        // ε rises with the number
	Event event.Event // with the number at the end where the target is met
	Proof Result      // that it is met
}

// Met is the end at which the target is met.
func (a Answer) Met() float64 {
	if a.Rises {
		return a.Lower
	}
	return a.Upper
}

// direction is how ε moves with a number: it falls or rises.
type direction int

const (
	unknown direction = iota
	falls
	rises
)

// directions are those of numbers wherever they stand; an entry of a mechanism or a way of sampling comes before.
var directions = map[string]direction{
	"sigma": falls, "scale": falls, "noise-multiplier": falls, "bound": falls, "gamma": falls, "separation": falls,
	"epsilon0": rises, "epsilon1": rises, "epsilon2": rises, "delta0": rises, "rho": rises, "rate": rises,
	"sensitivity": rises, "sampling-rate": rises, "count": rises, "steps-each": rises, "k": rises, "eta": rises,
	"times": rises,

	"allocation.steps": falls, "allocation.picks": rises, "without-replacement.records": falls,
	"without-replacement.batch": rises, "matrix.steps": rises,

	// More noise lets a new partition, or one that lacks its noise's tail, be seen.
	"threshold.threshold": falls, "threshold.sigma": unknown, "threshold.scale": unknown,
	"truncated-laplace.scale": unknown,
	// σ grows with it.
	"sgm.sensitivity": unknown, "schedule.sensitivity": unknown,
	// A sample that is cut hides less than it is larger.
	"truncated-poisson.sampling-rate": unknown,
}

func directionOf(d event.Description, key string) direction {
	for _, place := range []string{d.Mechanism, d.Sampling} {
		if dir, ok := directions[place+"."+key]; ok {
			return dir
		}
	}
	return directions[key]
}

// search is for one number of events.
type search struct {
	in    event.Descriptions
	place string
	Target
	known map[float64]Bracket
	// refused is why the last number that no event has was none.
	refused error
}

// Solve finds the number of a key, as in "sigma", or of the event of a list that it is to be, as in "2.sigma": with it
// the events meet the target. Errors wrap event.ErrDomain where the events have no such number, have it twice,
// where ε neither rises nor falls with it, or where no number meets the target.
func Solve(in event.Descriptions, name string, t Target) (Answer, error) {
	place := name
	if !strings.Contains(name, ".") {
		places := in.Places(name)
		if len(places) == 0 {
			return Answer{}, event.DomainError("%s is not a number of these events", name)
		}
		if len(places) > 1 {
			return Answer{}, event.DomainError("%s is a number of more than one event: want one of %s", name,
				strings.Join(places, ", "))
		}
		place = places[0]
	}
	d, key, err := in.At(place)
	if err != nil {
		return Answer{}, err
	}
	if !d.Uses(key) {
		return Answer{}, event.DomainError("%s: %s has no number of this name", name, d.Mechanism)
	}
	dir := directionOf(d, key)
	if dir == unknown {
		return Answer{}, event.DomainError("%s: ε need not rise or fall with it in %s: there is no one answer", name,
			d.Mechanism)
	}
	s := &search{in: in, place: place, Target: t, known: map[float64]Bracket{}}
	a := Answer{Rises: dir == rises}
	switch {
	case d.Whole(key):
		a.Bracket, err = s.whole(a.Rises)
	case a.Rises:
		a.Bracket, err = s.rising()
	default:
		a.Bracket, err = Calibrate(s.event, t.Adjacency, t.Epsilon, t.Delta, t.Method)
	}
	if errors.Is(err, event.ErrDomain) {
		err = cmp.Or(s.refused, err)
		return Answer{}, fmt.Errorf("no %s was found with which ε ≤ %v at δ = %v is proven; the search ended: %w", name,
			t.Epsilon, t.Delta, err)
	}
	if err != nil {
		return Answer{}, err
	}
	a.Event = s.event(a.Met())
	proof, err := Epsilons(a.Event, t.Adjacency, t.Delta, Options{Methods: []string{t.Method}})
	if err != nil {
		return Answer{}, err
	}
	if a.Proof = proof[0]; !(a.Proof.Upper <= t.Epsilon) {
		return Answer{}, fmt.Errorf("%s proves ε ≤ %v with the %s %v that it found for ε = %v: please report this",
			t.Method, a.Proof.Upper, name, a.Met(), t.Epsilon)
	}
	return a, nil
}

// event has the number x. Where there is none it is not valid, and accounting for it says so.
func (s *search) event(x float64) event.Event {
	with, err := s.in.With(s.place, x)
	if err != nil {
		s.refused = err
		return event.Event{}
	}
	e, err := with.Event()
	if err != nil {
		s.refused = err
		return event.Event{}
	}
	if len(e.Parts) == 1 {
		e = e.Parts[0]
	}
	return e
}

// at is ε with the number x.
func (s *search) at(x float64) (Bracket, error) {
	if b, ok := s.known[x]; ok {
		return b, nil
	}
	with, err := s.in.With(s.place, x)
	if err != nil {
		return Bracket{}, err
	}
	e, err := with.Event()
	if err != nil {
		return Bracket{}, err
	}
	r, err := Epsilons(e, s.Adjacency, s.Delta, Options{Methods: []string{s.Method}})
	if err != nil {
		return Bracket{}, err
	}
	s.known[x] = r[0].Bracket
	return r[0].Bracket, nil
}

// rising is a number that ε rises with: its inverse is as noise is.
func (s *search) rising() (Bracket, error) {
	if b, err := s.at(1); err == nil && b.Upper <= s.Epsilon {
		if _, err := s.in.With(s.place, 1.5); err != nil { // a probability
			return Bracket{Lower: 1, Estimate: 1, Upper: 1}, nil
		}
	}
	build := func(noise float64) event.Event { return s.event(1 / noise) }
	b, err := Calibrate(build, s.Adjacency, s.Epsilon, s.Delta, s.Method)
	if err != nil {
		return Bracket{}, err
	}
	a := Bracket{Lower: 1 / b.Upper, Estimate: 1 / b.Estimate, Upper: math.Inf(1)}
	if b.Lower > 0 {
		a.Upper = 1 / b.Lower
	}
	// The inverse of ten digits has more: one of ten below it is as good.
	for _, down := range []float64{0, 1e-10, 1e-9} {
		short := tolerance.Settled(a.Lower*(1-down), 10)
		if e, err := s.at(short); err == nil && short <= a.Lower && e.Upper <= s.Epsilon {
			a.Lower = short
			break
		}
	}
	a.Estimate = math.Max(a.Lower, math.Min(a.Upper, a.Estimate))
	return a, nil
}

// mostWhole is the largest whole number that is looked at.
const mostWhole = 1e15

// whole is the largest whole number, of at least 1, with which the target is met where ε rises, and the least
// where it falls; and the first with which it is certainly missed.
func (s *search) whole(rises bool) (Bracket, error) {
	meets := func(b Bracket) float64 { return math.Log(b.Upper / s.Epsilon) }
	misses := func(b Bracket) float64 { return math.Log(b.Lower / s.Epsilon) }
	first, err := s.first(rises)
	if err != nil {
		return Bracket{}, err
	}
	// The end that meets is where meets changes its sign; misses changes it further on.
	last, beyond, err := s.edge(first, rises, meets)
	if err != nil {
		return Bracket{}, err
	}
	a := Bracket{Lower: last, Estimate: last, Upper: math.Inf(1)}
	if !rises {
		a = Bracket{Upper: last, Estimate: last}
	}
	if beyond == 0 {
		return a, nil // no number misses it
	}
	if _, missed, err := s.edge(last, rises, misses); err == nil && missed != 0 {
		if rises {
			a.Upper = missed
		} else {
			a.Lower = missed
		}
	}
	return a, nil
}

// first is a number that meets the target: the least, or where ε falls one that is large enough.
func (s *search) first(rises bool) (float64, error) {
	refused := errors.New("")
	for x := 1.0; x <= mostWhole; x *= 2 {
		b, err := s.at(x)
		switch {
		case err == nil && b.Upper <= s.Epsilon:
			return x, nil
		case err != nil && !errors.Is(err, event.ErrDomain):
			return 0, err
		case err != nil:
			refused = err
		case rises:
			return 0, event.DomainError("%s = 1 misses ε = %v at δ = %v: ε ≤ %.6g is proven", s.place, s.Epsilon,
				s.Delta, b.Upper)
		}
		if err != nil && rises {
			return 0, err
		}
	}
	if refused.Error() != "" {
		return 0, refused
	}
	return 0, event.DomainError("no %s up to %g meets ε = %v at δ = %v", s.place, mostWhole, s.Epsilon, s.Delta)
}

// edge returns the last number from one on at which a gap is at most 0, towards larger ε, and the next, at which it is
// above; 0 if there is none that an event has.
func (s *search) edge(from float64, rises bool, gap func(Bracket) float64) (last, next float64, err error) {
	value := func(x float64) (float64, bool) {
		b, err := s.at(x)
		return gap(b), err == nil
	}
	last = from
	lastGap, _ := value(from)
	nextGap := math.Inf(1)
	for step := 1.0; next == 0; step *= 2 {
		x := last + step
		if !rises {
			x = math.Floor(last / 2)
		}
		if x < 1 || x > mostWhole {
			return last, 0, nil
		}
		g, ok := value(x)
		switch {
		case ok && g <= 0:
			last, lastGap = x, g
		case ok:
			next, nextGap = x, g
		default: // no event has it, and none beyond: the gap there is as good as above 0
			next, nextGap = x, math.Inf(1)
		}
	}
	for turn := 0; math.Abs(next-last) > 1; turn++ {
		share := 0.5
		if !math.IsInf(nextGap, 0) && !math.IsInf(lastGap, 0) && turn%3 < 2 { // ε is about a power of the number
			share = -lastGap / (nextGap - lastGap)
		}
		x := math.Round(math.Exp(math.Log(last) + share*(math.Log(next)-math.Log(last))))
		x = math.Max(math.Min(last, next)+1, math.Min(math.Max(last, next)-1, x))
		if g, ok := value(x); ok && g <= 0 {
			last, lastGap = x, g
		} else if next, nextGap = x, g; !ok {
			nextGap = math.Inf(1)
		}
	}
	if _, ok := value(next); !ok {
		next = 0
	}
	return last, next, nil
}

// Names are all that ε is known to rise or fall with somewhere.
func Names() (names []string) {
	for name := range directions {
		_, key, inside := strings.Cut(name, ".")
		if !inside {
			key = name
		}
		if !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	slices.Sort(names)
	return names
}
