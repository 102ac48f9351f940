// Package primitive provides noise primitives whose calls can be recorded. Each call states the value, the noise
// scale and the sensitivity for which that scale was chosen. For example, this
// 1/2-DP mechanism counts records:
//
//	func count(n *primitive.Noise, records []bool) (float64, error) {
//		return n.Laplace(float64(len(records)), 2, 1)
//	}
//
// In production, [From] makes the Noise from a generator. In tests, [Watched] adds a [Watch] that sees every call
// and can record or replay it. Without a watch a call costs what the draw costs. With or without one it draws the
// same values as the corresponding mechanism of package mechanism.
package primitive

import "math/rand/v2"

// Kind is the name of a primitive in recordings.
type Kind string

// The primitives. Unless the comment says otherwise, a primitive that adds noise or selects is ε-DP with
// ε = Sensitivity/Scale. Each comment ends with the norm of the sensitivity.
const (
	Laplace            Kind = "laplace"             // each entry has noise of this scale; ℓ1
	Gaussian           Kind = "gaussian"            // the scale is the standard deviation; ℓ2; (ε, δ)
	L2Laplace          Kind = "l2-laplace"          // density ∝ exp(-‖z‖₂/scale); ℓ2
	DiscreteLaplace    Kind = "discrete-laplace"    // P(k) ∝ exp(-|k|/scale); ℓ1
	DiscreteGaussian   Kind = "discrete-gaussian"   // P(k) ∝ exp(-k²/2scale²); ℓ2; (ε, δ)
	Geometric          Kind = "geometric"           // truncated to the range of the count; ℓ1
	Exponential        Kind = "exponential"         // P(i) ∝ exp(score/scale): ε = 2·Sensitivity/Scale; ℓ∞
	NoisyMax           Kind = "noisy-max"           // largest score with noise of this scale: ε = 2·Sensitivity/Scale; ℓ∞
	RandomizedResponse Kind = "randomized-response" // another symbol at random; sensitivity 1; Discrete
	PrivateSampling    Kind = "private-sampling"    // for a vector in a ball; sensitivity: its diameter; ℓ2
	Pure               Kind = "pure"                // any other primitive; only its ε is known

	Poisson     Kind = "poisson"     // each of Value records is drawn with probability Scale
	Permutation Kind = "permutation" // a uniformly random order of Value items
	Uniform     Kind = "uniform"     // a uniform number in [0, 1), or an integer below Value
	Public      Kind = "public"      // Value numbers drawn independently of the data
)

// Norm names the norm in which a sensitivity is measured.
type Norm string

// The norms. Discrete is 1 if the values differ, else 0.
const (
	L1       Norm = "l1"
	L2       Norm = "l2"
	LInf     Norm = "linf"
	Discrete Norm = "discrete"
)

// Call describes one use of a primitive: its value before noise, and its noise scale and declared sensitivity.
type Call struct {
	Kind        Kind
	Value       []float64 // read-only and valid only during the call
	Scale       float64   // noise scale, > 0; may be 0 if Sensitivity is 0
	Sensitivity float64   // declared: largest distance of Value between neighbors, ≥ 0; 0 if no data are used
	Norm        Norm      // norm of that distance; "" if no data are used
}

// Watch observes the calls of one release, in order.
type Watch interface {
	// Replay is called before a call draws. If ok is true, Replay has written the released values to released and
	// nothing is drawn. released may be the same slice as c.Value. An error ends the release.
	Replay(c Call, released []float64) (ok bool, err error)
	// Record is called with the released values after a call has drawn.
	Record(released []float64)
}

// Noise is the source of all random values of a release. Releases that run concurrently need separate ones.
type Noise struct {
	r     *rand.Rand
	watch Watch // may be nil
}

// From returns a Noise that draws from r, without a watch.
func From(r *rand.Rand) *Noise { return &Noise{r: r} }

// Watch returns the watch, or nil if there is none.
func (n *Noise) Watch() Watch { return n.watch }

// Watched returns a Noise that draws from r and reports every call to w. w may be nil.
func Watched(r *rand.Rand, w Watch) *Noise { return &Noise{r: r, watch: w} }

// Release makes a call: draw writes the values that c describes to released. It serves primitives that this
// package lacks, such as a library's. Kind [Pure] states only that a primitive is ε-DP. Errors come from draw or
// from the watch.
func (n *Noise) Release(c Call, released []float64, draw func(r *rand.Rand) error) error {
	if n.watch == nil {
		return draw(n.r)
	}
	if ok, err := n.watch.Replay(c, released); ok || err != nil {
		return err
	}
	if err := draw(n.r); err != nil {
		return err
	}
	n.watch.Record(released)
	return nil
}
