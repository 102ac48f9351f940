// Package primitive provides noise primitives whose calls can be recorded. Each call states the value, the noise
// scale and the sensitivity for which that scale was chosen. A mechanism that uses them,
//
//	func count(n *primitive.Noise, records []bool) (float64, error) {
//		return n.Laplace(float64(len(records)), 2, 1)
//	}
//
// draws from a generator in use, [From], and its calls can be watched, recorded and replayed in
// tests: a [Watch] sees them all. Nobody watches unless asked: then a call costs what the draw does,
// and draws what package mechanism draws.
package primitive

import "math/rand/v2"

// Kind is a primitive, by the name that it has in recordings.
type Kind string

// The primitives. Those that add noise or choose are ε-private for ε = Sensitivity/Scale, or as their comment says.
const (
	Laplace            Kind = "laplace"             // each entry has noise of this scale; ℓ1
	Gaussian           Kind = "gaussian"            // the scale is the standard deviation; ℓ2; (ε, δ)
	L2Laplace          Kind = "l2-laplace"          // density ∝ exp(-‖z‖₂/scale); ℓ2
	DiscreteLaplace    Kind = "discrete-laplace"    // P(k) ∝ exp(-|k|/scale); ℓ1
	DiscreteGaussian   Kind = "discrete-gaussian"   // P(k) ∝ exp(-k²/2scale²); ℓ2; (ε, δ)
	Geometric          Kind = "geometric"           // truncated to the range of the count; ℓ1
	Exponential        Kind = "exponential"         // P(i) ∝ exp(score/scale): ε = 2·Sensitivity/Scale; ℓ∞
	NoisyMax           Kind = "noisy-max"           // of scores with noise of this scale: ε = 2·Sensitivity/Scale; ℓ∞
	RandomizedResponse Kind = "randomized-response" // any other symbol: Discrete, of sensitivity 1
	PrivateSampling    Kind = "private-sampling"    // a vector of a ball, of sensitivity its diameter; ℓ2
	Pure               Kind = "pure"                // any other, of which no more is known than its ε

	Poisson     Kind = "poisson"     // each of Value records is drawn with probability Scale
	Permutation Kind = "permutation" // of Value things
	Uniform     Kind = "uniform"     // raw, in [0, 1), or below Value
	Public      Kind = "public"      // Value numbers that were drawn without regard to the data
)

// Norm of the difference of two values.
type Norm string

// The norms. Discrete is 1 where the values differ at all.
const (
	L1       Norm = "l1"
	L2       Norm = "l2"
	LInf     Norm = "linf"
	Discrete Norm = "discrete"
)

// Call is one use of a primitive: what it is given, before any noise, and what it was made for.
type Call struct {
	Kind        Kind
	Value       []float64 // read only, and good during the call alone; whole numbers are exact
	Scale       float64   // of the noise, > 0; it may be 0 for the sensitivity 0
	Sensitivity float64   // declared: how far Value moves between neighbors, at most; ≥ 0. 0 of coins
	Norm        Norm      // in which it moves; "" of coins
}

// Watch sees the calls of a release, one after the other.
type Watch interface {
	// Replay returns told of a call before anything is drawn. Where it is ok, released holds what the call
	// releases, and nothing is drawn. Released may be the slice of the value. An error ends the release.
	Replay(c Call, released []float64) (ok bool, err error)
	// Record returns told what was drawn for the call before.
	Record(released []float64)
}

// Noise is what a release draws from. It is for one release at a time.
type Noise struct {
	r     *rand.Rand
	watch Watch // nil: nobody watches
}

// From draws from r.
func From(r *rand.Rand) *Noise { return &Noise{r: r} }

// Watch returns who watches; nil where nobody does.
func (n *Noise) Watch() Watch { return n.watch }

// Watched draws from r, and every call is shown to w, which may be nil.
func Watched(r *rand.Rand, w Watch) *Noise { return &Noise{r: r, watch: w} }

// Release makes any call: draw writes to released what c describes. It is for primitives that are
// not here, such as those of a library; [Pure] says of one that it is private and no more.
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
