package accountant

import (
	"fmt"
	"math"
	"strings"
)

// Adjacency says which data sets are neighbours.
type Adjacency int

const (
	// AddRemove: one data set has one record more than the other.
	AddRemove Adjacency = iota
	// ReplaceOne: one record differs. A sum of contributions of norm at most C
	// then moves by up to 2C.
	ReplaceOne
)

// String returns the name used on the command line and in every result.
func (a Adjacency) String() string {
	switch a {
	case AddRemove:
		return "add-or-remove-one"
	case ReplaceOne:
		return "replace-one"
	}
	return fmt.Sprintf("Adjacency(%d)", int(a))
}

// ParseAdjacency reads the names of both relations, with the usual spellings
// (hyphen or underscore, "add-remove", "replace").
func ParseAdjacency(s string) (Adjacency, error) {
	switch strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "_", "-") {
	case "add-or-remove-one", "add-remove", "add-or-remove":
		return AddRemove, nil
	case "replace-one", "replace":
		return ReplaceOne, nil
	}
	return 0, domainError("adjacency %q is neither add-or-remove-one nor replace-one", s)
}

type kind int

const (
	invalid kind = iota
	gaussian
	laplace
	discreteLaplace
	randomizedResponse
	exponential
	pure
	approximate
	concentrated
	poisson
	fixedBatches
	shuffledBatches
	compose
	repeat
)

var kindNames = map[kind]string{
	gaussian: "gaussian", laplace: "laplace", discreteLaplace: "discrete-laplace",
	randomizedResponse: "rr", exponential: "exponential", pure: "pure",
	approximate: "approximate", concentrated: "zcdp", poisson: "poisson",
	fixedBatches: "fixed-batches", shuffledBatches: "shuffled-batches",
	compose: "compose", repeat: "repeat",
}

// Event is an immutable tree of what is released: mechanisms at the leaves,
// sampling and composition above. Build it with the functions below; faults in
// the parameters are reported when the event is accounted (or by Validate).
// The zero Event is not valid.
type Event struct {
	kind        kind
	a, b        float64 // the mechanism's parameters, see the constructors
	sensitivity float64 // one record's contribution; 1 unless told
	count       int64   // repetitions or batches
	parts       []Event
}

// Gaussian is the release of a vector sum with N(0, sigma²) noise on every
// coordinate; one record contributes a vector of ℓ2 norm at most the
// sensitivity. sigma > 0.
func Gaussian(sigma float64) Event { return Event{kind: gaussian, a: sigma, sensitivity: 1} }

// Laplace adds noise of density ∝ exp(−|z|/scale) to every coordinate; one
// record contributes at most the sensitivity in ℓ1 norm. scale > 0.
func Laplace(scale float64) Event { return Event{kind: laplace, a: scale, sensitivity: 1} }

// DiscreteLaplace adds integer noise with P(k) ∝ exp(−rate·|k|) to integers;
// the sensitivity (ℓ1) is rounded down to an integer ≥ 1. rate > 0.
func DiscreteLaplace(rate float64) Event {
	return Event{kind: discreteLaplace, a: rate, sensitivity: 1}
}

// RandomizedResponse reports one of k ≥ 2 categories, the true one with odds
// e^epsilon0 against each other one. Its guarantee is about a changed value;
// under AddRemove, and under sampling, an absent record counts as some fixed
// value.
func RandomizedResponse(epsilon0 float64, k int) Event {
	return Event{kind: randomizedResponse, a: epsilon0, b: float64(k), sensitivity: 1}
}

// Exponential is the exponential mechanism, or any other whose log-odds move
// within a range of length epsilon0 between neighbours (bounded range).
func Exponential(epsilon0 float64) Event {
	return Event{kind: exponential, a: epsilon0, sensitivity: 1}
}

// Pure is any epsilon0-DP mechanism, of which nothing more is known.
func Pure(epsilon0 float64) Event { return Event{kind: pure, a: epsilon0, sensitivity: 1} }

// Approximate is any (epsilon0, delta0)-DP mechanism.
func Approximate(epsilon0, delta0 float64) Event {
	return Event{kind: approximate, a: epsilon0, b: delta0, sensitivity: 1}
}

// Concentrated is any rho-zCDP mechanism (Bun & Steinke 2016).
func Concentrated(rho float64) Event { return Event{kind: concentrated, a: rho, sensitivity: 1} }

// Poisson runs the event on a sample that holds each record independently with
// probability q ∈ [0, 1].
func Poisson(q float64, e Event) Event { return Event{kind: poisson, a: q, parts: []Event{e}} }

// FixedBatches runs the event once on each of n disjoint batches whose
// membership does not depend on the data of the differing record: one epoch
// over a fixed partition.
func FixedBatches(n int64, e Event) Event {
	return Event{kind: fixedBatches, count: n, parts: []Event{e}}
}

// ShuffledBatches runs the event once on each of n equal batches of a random
// permutation of the data: one epoch of the loop most training code runs.
func ShuffledBatches(n int64, e Event) Event {
	return Event{kind: shuffledBatches, count: n, parts: []Event{e}}
}

// Compose runs events one after another, each allowed to see the outputs of
// those before it.
func Compose(events ...Event) Event {
	return Event{kind: compose, parts: append([]Event(nil), events...)}
}

// Repeat runs the event n ≥ 0 times.
func Repeat(n int64, e Event) Event { return Event{kind: repeat, count: n, parts: []Event{e}} }

// Schedule is steps Poisson-sampled Gaussian steps at each noise multiplier
// (noise deviation over the contribution bound), one after another.
func Schedule(q float64, multipliers []float64, steps int64) Event {
	parts := make([]Event, len(multipliers))
	for i, m := range multipliers {
		parts[i] = Repeat(steps, Poisson(q, Gaussian(m)))
	}
	return Compose(parts...)
}

// WithSensitivity returns the event with the contribution bound of one record
// set to s > 0 in every mechanism that has noise of its own.
func (e Event) WithSensitivity(s float64) Event {
	e.sensitivity = s
	if len(e.parts) > 0 {
		parts := make([]Event, len(e.parts))
		for i, p := range e.parts {
			parts[i] = p.WithSensitivity(s)
		}
		e.parts = parts
	}
	return e
}

// Validate reports the first fault in the tree, nil if there is none.
func (e Event) Validate() error {
	name, positive := kindNames[e.kind], func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
	switch e.kind {
	case gaussian, laplace, discreteLaplace:
		if !positive(e.a) {
			return domainError("%s: the noise parameter is %v, it must be positive and finite", name, e.a)
		}
		if !positive(e.sensitivity) {
			return domainError("%s: the sensitivity is %v, it must be positive and finite", name, e.sensitivity)
		}
		if e.kind == discreteLaplace && !(e.sensitivity >= 1 && e.sensitivity <= 1e6) {
			return domainError("%s: the sensitivity is %v, integers move by 1 to 1e6", name, e.sensitivity)
		}
	case randomizedResponse, exponential, pure, approximate, concentrated:
		if !(e.a >= 0 && !math.IsInf(e.a, 1)) {
			return domainError("%s: the privacy parameter is %v, it must be ≥ 0 and finite", name, e.a)
		}
		if e.kind == randomizedResponse && !(e.b >= 2) {
			return domainError("%s: %v categories, at least 2 are needed", name, e.b)
		}
		if e.kind == approximate && !(e.b >= 0 && e.b <= 1) {
			return domainError("%s: delta0 is %v, it must be in [0, 1]", name, e.b)
		}
	case poisson:
		if !(e.a >= 0 && e.a <= 1) {
			return domainError("%s: the sampling rate is %v, it must be in [0, 1]", name, e.a)
		}
	case repeat:
		if e.count < 0 {
			return domainError("%s: %d repetitions", name, e.count)
		}
	case fixedBatches, shuffledBatches:
		if e.count < 1 {
			return domainError("%s: %d batches, at least 1 is needed", name, e.count)
		}
	case compose:
	default:
		return domainError("an event without a kind (the zero Event)")
	}
	for _, p := range e.parts {
		if err := p.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// String describes the tree on one line.
func (e Event) String() string {
	name := kindNames[e.kind]
	inner := func() string {
		s := make([]string, len(e.parts))
		for i, p := range e.parts {
			s[i] = p.String()
		}
		return strings.Join(s, ", ")
	}
	switch e.kind {
	case gaussian:
		return fmt.Sprintf("gaussian(σ=%g, sensitivity=%g)", e.a, e.sensitivity)
	case laplace:
		return fmt.Sprintf("laplace(scale=%g, sensitivity=%g)", e.a, e.sensitivity)
	case discreteLaplace:
		return fmt.Sprintf("discrete-laplace(rate=%g, sensitivity=%g)", e.a, e.sensitivity)
	case randomizedResponse:
		return fmt.Sprintf("rr(ε₀=%g, k=%g)", e.a, e.b)
	case exponential, pure:
		return fmt.Sprintf("%s(ε₀=%g)", name, e.a)
	case approximate:
		return fmt.Sprintf("approximate(ε₀=%g, δ₀=%g)", e.a, e.b)
	case concentrated:
		return fmt.Sprintf("zcdp(ρ=%g)", e.a)
	case poisson:
		return fmt.Sprintf("poisson(q=%g, %s)", e.a, inner())
	case repeat:
		return fmt.Sprintf("%d × %s", e.count, inner())
	case fixedBatches, shuffledBatches:
		return fmt.Sprintf("%s(%d, %s)", name, e.count, inner())
	case compose:
		return "compose(" + inner() + ")"
	}
	return "invalid"
}
