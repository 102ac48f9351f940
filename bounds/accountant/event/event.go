// Package event describes a release as a tree: mechanisms are leaves, sampling and composition are inner nodes. It
// reads events from its own YAML or JSON and from three other formats: DpEvent trees of dp_accounting, the state
// of an Opacus accountant, and TensorFlow Privacy's DP-SGD statement. Package accountant computes ε and δ of an
// event.
package event

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Adjacency defines which data sets are neighbors.
type Adjacency int

const (
	// AddRemove: one data set has one record more than the other.
	AddRemove Adjacency = iota
	// ReplaceOne: one record differs. A sum of contributions of norm at most C can then move by up to 2C.
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

// ParseAdjacency reads the name of an adjacency. It ignores case and accepts underscores for hyphens, and the short
// forms "add-remove" and "replace". Other names return an error that wraps ErrDomain.
func ParseAdjacency(s string) (Adjacency, error) {
	switch strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "_", "-") {
	case "add-or-remove-one", "add-remove", "add-or-remove":
		return AddRemove, nil
	case "replace-one", "replace":
		return ReplaceOne, nil
	}
	return 0, DomainError("adjacency %q is neither add-or-remove-one nor replace-one", s)
}

type Kind int

const (
	KindInvalid Kind = iota
	KindGaussian
	KindLaplace
	KindDiscreteLaplace
	KindRandomizedResponse
	KindExponential
	KindPure
	KindApproximate
	KindConcentrated
	KindPoisson
	KindFixedBatches
	KindShuffledBatches
	KindCompose
	KindRepeat
	KindAllocation
	KindSelect
	KindGroup
	KindTable
	KindMixture
	KindWithoutReplacement
	KindTruncatedPoisson
	KindDiscreteGaussian
	KindTruncatedLaplace
	KindUniform
	KindThreshold
	KindPermuteAndFlip
	KindNoisyArgmax
	KindSparseVector
	KindMatrix
	KindShuffledReports
	KindWithReplacement
	KindLaplaceArgmax
)

// OfPair reports whether the accountant knows events of this kind only by their dominating pair.
func (k Kind) OfPair() bool { return k >= KindTable }

var KindNames = map[Kind]string{
	KindGaussian: "gaussian", KindLaplace: "laplace", KindDiscreteLaplace: "discrete-laplace",
	KindRandomizedResponse: "rr", KindExponential: "exponential", KindPure: "pure",
	KindApproximate: "approximate", KindConcentrated: "zcdp", KindPoisson: "poisson",
	KindFixedBatches: "fixed-batches", KindShuffledBatches: "shuffled-batches",
	KindCompose: "compose", KindRepeat: "repeat", KindTable: "table",
	KindMixture:            "gaussian-mixture",
	KindWithoutReplacement: "without-replacement", KindTruncatedPoisson: "truncated-poisson",
	KindDiscreteGaussian: "discrete-gaussian", KindTruncatedLaplace: "truncated-laplace", KindUniform: "uniform",
	KindThreshold: "threshold", KindPermuteAndFlip: "permute-and-flip", KindNoisyArgmax: "noisy-argmax",
	KindSparseVector: "sparse-vector", KindMatrix: "matrix", KindAllocation: "allocation",
	KindSelect: "repeat-and-select", KindShuffledReports: "shuffled-reports",
	KindWithReplacement: "with-replacement", KindLaplaceArgmax: "laplace-argmax", KindGroup: "group",
}

// Event is an immutable tree that describes a release. Its leaves are mechanisms, its inner nodes sample or compose.
// Build it with the functions below. They do not check parameters; Validate and the accountant do. The zero Event is
// invalid.
type Event struct {
	Kind        Kind
	A, B        float64 // parameters of the mechanism, see the constructors; B is also the batch size
	Sensitivity float64 // bound on one record's contribution, default 1
	Count       int64   // number of repetitions or batches
	Parts       []Event
	Rows        [][2]float64 // table: probabilities; mixture: shifts and weights; matrix: sensitivity
}

// Gaussian releases a vector sum with N(0, sigma²) noise on every coordinate, sigma > 0. The sensitivity bounds the ℓ2
// norm of one record's contribution.
func Gaussian(sigma float64) Event { return Event{Kind: KindGaussian, A: sigma, Sensitivity: 1} }

// Laplace adds noise of density ∝ exp(−|z|/scale) to every coordinate, scale > 0. The sensitivity bounds the ℓ1 norm of
// one record's contribution.
func Laplace(scale float64) Event { return Event{Kind: KindLaplace, A: scale, Sensitivity: 1} }

// DiscreteLaplace adds integer noise with P(k) ∝ exp(−rate·|k|) to integers, rate > 0. The sensitivity (ℓ1) is at least
// 1 and is rounded down to an integer.
func DiscreteLaplace(rate float64) Event {
	return Event{Kind: KindDiscreteLaplace, A: rate, Sensitivity: 1}
}

// RandomizedResponse reports one of k ≥ 2 categories. The odds of the true category against any other are e^epsilon0.
// The guarantee applies to a changed value. Under AddRemove and under sampling, an absent record has a fixed value.
func RandomizedResponse(epsilon0 float64, k int) Event {
	return Event{Kind: KindRandomizedResponse, A: epsilon0, B: float64(k), Sensitivity: 1}
}

// Exponential is the exponential mechanism, or any mechanism with bounded range: between neighbors, the log-odds of
// outputs change within an interval of length epsilon0.
func Exponential(epsilon0 float64) Event {
	return Event{Kind: KindExponential, A: epsilon0, Sensitivity: 1}
}

// Pure is an epsilon0-DP mechanism about which nothing else is known.
func Pure(epsilon0 float64) Event { return Event{Kind: KindPure, A: epsilon0, Sensitivity: 1} }

// Approximate is an (epsilon0, delta0)-DP mechanism about which nothing else is known.
func Approximate(epsilon0, delta0 float64) Event {
	return Event{Kind: KindApproximate, A: epsilon0, B: delta0, Sensitivity: 1}
}

// Concentrated is a rho-zCDP mechanism (Bun & Steinke 2016) about which nothing else is known.
func Concentrated(rho float64) Event { return Event{Kind: KindConcentrated, A: rho, Sensitivity: 1} }

// Table is a mechanism with finitely many outputs, or one that such a mechanism dominates. Each row contains the
// probabilities of one output on the two neighboring inputs. Each column must add up to 1 within 1e-9 and is divided by
// its sum. The accountant covers both orders of the neighbors. If the mechanism runs on a sample under AddRemove, the
// first column is the distribution with the record and the second column is the distribution without it.
func Table(rows [][2]float64) Event {
	return Event{Kind: KindTable, Sensitivity: 1, Rows: slices.Clone(rows)}
}

// GaussianMixture adds N(0, sigma²) to a sum with a random contribution of the record or the group: with probability
// weights[i], a vector of norm at most shifts[i] ≥ 0. The weights must add up to 1 within 1e-9 and are divided by their
// sum.
func GaussianMixture(sigma float64, shifts, weights []float64) Event {
	e := Event{Kind: KindMixture, A: sigma, Sensitivity: 1}
	for i, s := range shifts {
		w := math.NaN()
		if i < len(weights) {
			w = weights[i]
		}
		e.Rows = append(e.Rows, [2]float64{s, w})
	}
	if len(weights) > len(shifts) {
		e.Rows = append(e.Rows, [2]float64{math.NaN(), 0})
	}
	return e
}

// Poisson runs the event on a sample that contains each record independently with probability q ∈ [0, 1].
func Poisson(q float64, e Event) Event { return Event{Kind: KindPoisson, A: q, Parts: []Event{e}} }

// FixedBatches runs the event once on each of n disjoint batches: one epoch over a fixed partition. Batch membership
// must not depend on the data of the record that differs.
func FixedBatches(n int64, e Event) Event {
	return Event{Kind: KindFixedBatches, Count: n, Parts: []Event{e}}
}

// ShuffledBatches runs the event once on each of n equal batches of a random permutation of the data. Most training
// code runs this loop in each epoch.
func ShuffledBatches(n int64, e Event) Event {
	return Event{Kind: KindShuffledBatches, Count: n, Parts: []Event{e}}
}

// WithoutReplacement runs a mechanism with its own noise on a uniformly random batch of exactly batch records. Under
// AddRemove, records is the size of the larger data set.
func WithoutReplacement(batch, records int64, e Event) Event {
	return Event{Kind: KindWithoutReplacement, B: float64(batch), Count: records, Parts: []Event{e}}
}

// WithReplacement runs a mechanism with Gaussian noise on a batch of draws records, each uniformly random among the
// records and independent of the others. A record that is drawn several times contributes each time. Only ReplaceOne is
// supported.
func WithReplacement(draws, records int64, e Event) Event {
	return Event{Kind: KindWithReplacement, B: float64(draws), Count: records, Parts: []Event{e}}
}

// TruncatedPoisson runs a mechanism with Gaussian noise on a Poisson sample. If the sample has more records than
// maxBatch, a uniformly random subset of that size replaces it. Under AddRemove, records is the size of the larger
// data set.
func TruncatedPoisson(q float64, maxBatch, records int64, e Event) Event {
	return Event{Kind: KindTruncatedPoisson, A: q, B: float64(maxBatch), Count: records, Parts: []Event{e}}
}

// Compose runs events in sequence. Each event may depend on the outputs of earlier ones.
func Compose(events ...Event) Event {
	return Event{Kind: KindCompose, Parts: append([]Event(nil), events...)}
}

// Repeat runs the event n ≥ 0 times.
func Repeat(n int64, e Event) Event { return Event{Kind: KindRepeat, Count: n, Parts: []Event{e}} }

// Schedule runs Poisson-sampled Gaussian steps: for each noise multiplier in turn, the given number of steps. A noise
// multiplier is the noise standard deviation divided by the contribution bound.
func Schedule(q float64, multipliers []float64, steps int64) Event {
	parts := make([]Event, len(multipliers))
	for i, m := range multipliers {
		parts[i] = Repeat(steps, Poisson(q, Gaussian(m)))
	}
	return Compose(parts...)
}

// Decimal returns the shortest decimal that rounds to the finite number x. For example, Decimal(0.1) is exactly 1/10.
func Decimal(x float64) *big.Rat {
	d, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	if !ok {
		return new(big.Rat)
	}
	return d
}

// WithSensitivity returns the event with the contribution bound of one record set to s > 0 in every mechanism that adds
// noise.
func (e Event) WithSensitivity(s float64) Event {
	e.Sensitivity = s
	if len(e.Parts) > 0 {
		parts := make([]Event, len(e.Parts))
		for i, p := range e.Parts {
			parts[i] = p.WithSensitivity(s)
		}
		e.Parts = parts
	}
	return e
}

// Validate returns an error that wraps ErrDomain for the first invalid parameter in the tree, or nil.
func (e Event) Validate() error {
	name, positive := KindNames[e.Kind], func(v float64) bool { return v > 0 && !math.IsInf(v, 1) }
	switch e.Kind {
	case KindGaussian, KindLaplace, KindDiscreteLaplace:
		if !positive(e.A) {
			return DomainError("%s: the noise parameter is %v, it must be positive and finite", name, e.A)
		}
		if !positive(e.Sensitivity) {
			return DomainError("%s: the sensitivity is %v, it must be positive and finite", name, e.Sensitivity)
		}
		if e.Kind == KindDiscreteLaplace && !(e.Sensitivity >= 1 && e.Sensitivity <= 1e6) {
			return DomainError("%s: the sensitivity is %v, integers move by 1 to 1e6", name, e.Sensitivity)
		}
	case KindRandomizedResponse, KindExponential, KindPure, KindApproximate, KindConcentrated:
		if !(e.A >= 0 && !math.IsInf(e.A, 1)) {
			return DomainError("%s: the privacy parameter is %v, it must be ≥ 0 and finite", name, e.A)
		}
		if e.Kind == KindRandomizedResponse && !(e.B >= 2) {
			return DomainError("%s: %v categories, at least 2 are needed", name, e.B)
		}
		if e.Kind == KindApproximate && !(e.B >= 0 && e.B <= 1) {
			return DomainError("%s: delta0 is %v, it must be in [0, 1]", name, e.B)
		}
	case KindPoisson:
		if !(e.A >= 0 && e.A <= 1) {
			return DomainError("%s: the sampling rate is %v, it must be in [0, 1]", name, e.A)
		}
	case KindRepeat:
		if e.Count < 0 {
			return DomainError("%s: %d repetitions, at least 0 are needed", name, e.Count)
		}
	case KindFixedBatches, KindShuffledBatches:
		if e.Count < 1 {
			return DomainError("%s: %d batches, at least 1 is needed", name, e.Count)
		}
	case KindWithoutReplacement, KindTruncatedPoisson, KindWithReplacement:
		if err := e.validBatch(); err != nil {
			return err
		}
	case KindAllocation, KindSelect, KindMatrix, KindShuffledReports:
		if err := e.validRun(); err != nil {
			return err
		}
	case KindGroup:
		if err := e.validGroup(); err != nil {
			return err
		}
	case KindCompose:
	case KindTable:
		if err := validTable(e.Rows); err != nil {
			return err
		}
	case KindMixture:
		if err := e.validMixture(); err != nil {
			return err
		}
	case KindDiscreteGaussian, KindTruncatedLaplace, KindUniform, KindThreshold, KindPermuteAndFlip, KindNoisyArgmax,
		KindLaplaceArgmax, KindSparseVector:
		if err := e.validLaw(); err != nil {
			return err
		}
	default:
		return DomainError("an event without a kind (the zero Event)")
	}
	for _, p := range e.Parts {
		if p.Kind == KindGroup {
			return DomainError("group: it is inside %s; want one group, for the whole release", name)
		}
		if err := p.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// String describes the tree on one line.
func (e Event) String() string {
	name := KindNames[e.Kind]
	inner := func() string {
		s := make([]string, len(e.Parts))
		for i, p := range e.Parts {
			s[i] = p.String()
		}
		return strings.Join(s, ", ")
	}
	switch e.Kind {
	case KindGaussian:
		return fmt.Sprintf("gaussian(σ=%g, sensitivity=%g)", e.A, e.Sensitivity)
	case KindLaplace:
		return fmt.Sprintf("laplace(scale=%g, sensitivity=%g)", e.A, e.Sensitivity)
	case KindDiscreteLaplace:
		return fmt.Sprintf("discrete-laplace(rate=%g, sensitivity=%g)", e.A, e.Sensitivity)
	case KindRandomizedResponse:
		return fmt.Sprintf("rr(ε₀=%g, k=%g)", e.A, e.B)
	case KindExponential, KindPure:
		return fmt.Sprintf("%s(ε₀=%g)", name, e.A)
	case KindApproximate:
		return fmt.Sprintf("approximate(ε₀=%g, δ₀=%g)", e.A, e.B)
	case KindConcentrated:
		return fmt.Sprintf("zcdp(ρ=%g)", e.A)
	case KindPoisson:
		return fmt.Sprintf("poisson(q=%g, %s)", e.A, inner())
	case KindRepeat:
		return fmt.Sprintf("%d × %s", e.Count, inner())
	case KindFixedBatches, KindShuffledBatches, KindGroup:
		return fmt.Sprintf("%s(%d, %s)", name, e.Count, inner())
	case KindCompose:
		return "compose(" + inner() + ")"
	case KindWithoutReplacement, KindWithReplacement:
		return fmt.Sprintf("%s(%g of %d, %s)", name, e.B, e.Count, inner())
	case KindShuffledReports:
		return fmt.Sprintf("shuffled-reports(%d users, %s)", e.Count, inner())
	case KindTruncatedPoisson:
		return fmt.Sprintf("truncated-poisson(q=%g, at most %g of %d, %s)", e.A, e.B, e.Count, inner())
	case KindTable:
		return fmt.Sprintf("table(%d outputs)", len(e.Rows))
	case KindMixture:
		return fmt.Sprintf("gaussian-mixture(σ=%g, shifts and weights %v)", e.A, e.Rows)
	}
	switch {
	case e.Kind == KindAllocation || e.Kind == KindSelect || e.Kind == KindMatrix:
		return e.runString()
	case e.Kind.OfPair():
		return e.lawString()
	}
	return "invalid"
}
