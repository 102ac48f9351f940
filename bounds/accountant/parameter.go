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

// Target is a privacy target: at Delta, the given method of this package must prove ε ≤ Epsilon.
type Target struct {
	Adjacency      event.Adjacency
	Epsilon, Delta float64 // ε > 0, 0 ≤ δ < 1
	Method         string
}

// Answer is a bracket of the parameter. At one end the target is certainly met. At the other it is certainly missed, or
// unknown. If ε decreases with the parameter, the target is met at Upper, and Lower may be 0. If ε increases, the
// target is met at Lower, and Upper may be +Inf.
type Answer struct {
	Bracket
	Rises bool        // ε increases with the parameter
	Event event.Event // the event with the parameter at the end that meets the target
	Proof Result      // proof that Event meets the target
}

// Met returns the end at which the target is met.
func (a Answer) Met() float64 {
	if a.Rises {
		return a.Lower
	}
	return a.Upper
}

// direction says whether ε decreases or increases with a parameter.
type direction int

const (
	unknown direction = iota
	falls
	rises
)

// directions contains the direction of each parameter. An entry with a mechanism or sampling scheme takes precedence
// over the general one.
var directions = map[string]direction{
	"sigma": falls, "scale": falls, "noise-multiplier": falls, "bound": falls, "gamma": falls, "separation": falls,
	"epsilon0": rises, "epsilon1": rises, "epsilon2": rises, "delta0": rises, "rho": rises, "rate": rises,
	"sensitivity": rises, "sampling-rate": rises, "count": rises, "steps-each": rises, "k": rises, "eta": rises,
	"times": rises,

	"allocation.steps": falls, "allocation.picks": rises, "without-replacement.records": falls,
	"without-replacement.batch": rises,
	"shuffled-reports.records":  falls, "matrix.steps": rises,

	// A larger scale makes it more likely that a new partition is released, or that an output is outside the other
	// input's support.
	"threshold.threshold": falls, "threshold.sigma": unknown, "threshold.scale": unknown,
	"truncated-laplace.scale": unknown,
	// σ is proportional to the sensitivity.
	"sgm.sensitivity": unknown, "schedule.sensitivity": unknown,
	// The effect of truncation can outweigh the larger rate.
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

// search is the search for one parameter.
type search struct {
	in    event.Descriptions
	place string
	goal  goal
	known map[float64]Bracket
	// refused is the reason why the last invalid parameter was rejected.
	refused error
}

// Solve finds the value of a parameter at which the events meet the target. name is a key such as "sigma", or the
// position of an event and a key such as "2.sigma". Errors wrap event.ErrDomain if the events have no such parameter or
// more than one, if ε is not monotonic in it, or if no value meets the target.
func Solve(in event.Descriptions, name string, t Target) (Answer, error) {
	if err := validTarget(t.Epsilon, t.Delta); err != nil {
		return Answer{}, err
	}
	return solve(in, name, epsilonGoal(t.Adjacency, t.Epsilon, t.Delta, t.Method))
}

// SolveRisk finds the value of a parameter at which one method proves that the risk stays within its limit. Its
// arguments and errors are like those of Solve. Met is the end at which the proof holds.
func SolveRisk(in event.Descriptions, name string, adj event.Adjacency, r Risk, method string) (Answer, error) {
	if err := r.Validate(); err != nil {
		return Answer{}, err
	}
	return solve(in, name, riskGoal(adj, r, method))
}

// solve is Solve for any goal.
func solve(in event.Descriptions, name string, g goal) (Answer, error) {
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
		return Answer{}, event.DomainError("%s: ε is not monotonic in it for %s, so there is no unique answer", name,
			d.Mechanism)
	}
	s := &search{in: in, place: place, goal: g, known: map[float64]Bracket{}}
	a := Answer{Rises: dir == rises}
	switch {
	case d.Whole(key):
		a.Bracket, err = s.wholeNumber(a.Rises)
	case a.Rises:
		a.Bracket, err = s.rising()
	default:
		a.Bracket, err = calibrate(s.event, g)
	}
	if errors.Is(err, event.ErrDomain) {
		err = cmp.Or(s.refused, err)
		return Answer{}, fmt.Errorf("no %s was found with which %s is proven; the search ended: %w", name,
			g.is("≤", g.limit), err)
	}
	if err != nil {
		return Answer{}, err
	}
	a.Event = s.event(a.Met())
	if a.Proof, err = g.ask(a.Event, Precision{}); err != nil {
		return Answer{}, err
	}
	if !(a.Proof.Upper <= g.limit) {
		return Answer{}, fmt.Errorf("%s proves %s with the %s %v that it found for the limit %v: please report this",
			g.method, g.is("≤", a.Proof.Upper), name, a.Met(), g.limit)
	}
	return a, nil
}

// event returns the event with parameter x. If x is invalid, it returns the zero Event, which the accountant rejects.
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
	if e.Kind == event.KindCompose && len(e.Parts) == 1 {
		e = e.Parts[0]
	}
	return e
}

// at returns the number of the goal with parameter x.
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
	r, err := s.goal.ask(e, Precision{})
	if err != nil {
		return Bracket{}, err
	}
	s.known[x] = r.Bracket
	return r.Bracket, nil
}

// rising solves for a parameter with increasing ε. Its inverse behaves like noise.
func (s *search) rising() (Bracket, error) {
	if b, err := s.at(1); err == nil && b.Upper <= s.goal.limit {
		if _, err := s.in.With(s.place, 1.5); err != nil { // the parameter is a probability
			return Bracket{Lower: 1, Estimate: 1, Upper: 1}, nil
		}
	}
	build := func(noise float64) event.Event { return s.event(1 / noise) }
	b, err := calibrate(build, s.goal)
	if err != nil {
		return Bracket{}, err
	}
	a := Bracket{Lower: 1 / b.Upper, Estimate: 1 / b.Estimate, Upper: math.Inf(1)}
	if b.Lower > 0 {
		a.Upper = 1 / b.Lower
	}
	// The inverse of a number with ten digits has more digits. Prefer a slightly smaller number with ten digits.
	for _, down := range []float64{0, 1e-10, 1e-9} {
		short := tolerance.Settled(a.Lower*(1-down), 10)
		if e, err := s.at(short); err == nil && short <= a.Lower && e.Upper <= s.goal.limit {
			a.Lower = short
			break
		}
	}
	a.Estimate = math.Max(a.Lower, math.Min(a.Upper, a.Estimate))
	return a, nil
}

// mostWhole is the largest integer in the search.
const mostWhole = 1e15

// whole solves for an integer parameter of at least 1. If ε increases, it returns the largest value that meets the
// target, and otherwise the smallest. The other end is the first value that certainly misses the target.
func (s *search) wholeNumber(rises bool) (Bracket, error) {
	meets := func(b Bracket) float64 { return s.goal.gap(b.Upper) }
	misses := func(b Bracket) float64 { return s.goal.gap(b.Lower) }
	first, err := s.first(rises)
	if err != nil {
		return Bracket{}, err
	}
	// meets changes sign at the end that meets the target. misses changes sign further on.
	last, beyond, err := s.edge(first, rises, meets)
	if err != nil {
		return Bracket{}, err
	}
	a := Bracket{Lower: last, Estimate: last, Upper: math.Inf(1)}
	if !rises {
		a = Bracket{Upper: last, Estimate: last}
	}
	if beyond == 0 {
		return a, nil // every value meets the target
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

// first returns an integer that meets the target: 1 if ε increases, or a sufficiently large one if ε decreases.
func (s *search) first(rises bool) (float64, error) {
	refused := errors.New("")
	for x := 1.0; x <= mostWhole; x *= 2 {
		b, err := s.at(x)
		switch {
		case err == nil && b.Upper <= s.goal.limit:
			return x, nil
		case err != nil && !errors.Is(err, event.ErrDomain):
			return 0, err
		case err != nil:
			refused = err
		case rises:
			return 0, event.DomainError("%s = 1 misses %s: %s ≤ %.6g is proven", s.place, s.goal.is("=", s.goal.limit),
				s.goal.name, b.Upper)
		}
		if err != nil && rises {
			return 0, err
		}
	}
	if refused.Error() != "" {
		return 0, refused
	}
	return 0, event.DomainError("no %s up to %g meets %s", s.place, mostWhole, s.goal.is("=", s.goal.limit))
}

// edge searches from one integer towards larger ε. It returns the last integer at which the gap is at most 0, and the
// next integer, at which the gap is positive; next is 0 if no valid integer has a positive gap.
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
		default: // x and all integers beyond are invalid, which counts as a positive gap
			next, nextGap = x, math.Inf(1)
		}
	}
	for turn := 0; math.Abs(next-last) > 1; turn++ {
		share := 0.5
		if !math.IsInf(nextGap, 0) && !math.IsInf(lastGap, 0) && turn%3 < 2 { // ε is approximately a power of the parameter
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

// Names returns the keys of all parameters that Solve supports for some mechanism.
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
