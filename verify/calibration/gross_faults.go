package calibration

import (
	"math/rand/v2"
	"strconv"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// grossFault is a grossOf of any output type.
type grossFault interface {
	// label returns the name of the fault and the kind of output.
	label() (name, output string)
	// audit returns a black-box audit of the faulty or the repaired mechanism.
	audit(repaired bool, samples int64) verify.Check
	// probabilities returns the known event's probabilities at the input where it is more likely, and at the other.
	probabilities() (p, q float64)
}

// grossOf is a mechanism with a gross fault in a rare combination, with its repaired version. The inputs 0 and 1
// denote two neighbors.
type grossOf[O any] struct {
	name, output string
	faulty       func(r *rand.Rand, input int) O
	repaired     func(r *rand.Rand, input int) O
	event        func(o O) bool // the best known event of the faulty mechanism
	likely       int            // the input at which the event is more likely
	// chance returns the event's probability at an input. If it is nil, the probability is estimated.
	chance func(input int) float64
	// loss returns the repaired mechanism's privacy loss log p₀(o)/p₁(o), in which p₀ and p₁ are its densities at
	// the inputs. It is in [-1, 1].
	loss func(o O) float64
}

// grossFaults returns the rows of the table.
func grossFaults() []grossFault {
	return []grossFault{branchFault(), coordinateFault(), reusedFault(), unclampedFault(), exactZeroFault(),
		argmaxFault(), bitsFault(), rawTextFault(), errorTextFault(), privateKeyFault(), emptyFault(), sparseFault()}
}

func (f grossOf[O]) label() (name, output string) { return f.name, f.output }

// release returns the faulty or the repaired mechanism.
func (f grossOf[O]) release(repaired bool) releaseFunc[int, O] {
	draw := f.faulty
	if repaired {
		draw = f.repaired
	}
	return func(r *rand.Rand, input int) (O, error) { return draw(r, input), nil }
}

func (f grossOf[O]) audit(repaired bool, samples int64) verify.Check {
	return untypedAudit(f.release(repaired), []inputs.Pair[int]{pairOf("0 and 1", 0, 1)},
		privacy.ApproximateDP(grossEpsilon, 0), samples)
}

// eventSamples is the number of samples of each input that estimate the probability of an event without a formula.
const eventSamples = 1_000_000

func (f grossOf[O]) probabilities() (p, q float64) {
	chance := f.chance
	if chance == nil {
		chance = func(input int) float64 { return f.share(input, eventSamples) }
	}
	return chance(f.likely), chance(1 - f.likely)
}

// share returns the share of the known event among outputs of the faulty mechanism at an input.
func (f grossOf[O]) share(input, samples int) float64 {
	r := empirical.NewSeed(1).Derive("gross event", f.name, strconv.Itoa(input)).Rand()
	count := 0
	for range samples {
		if f.event(f.faulty(r, input)) {
			count++
		}
	}
	return float64(count) / float64(samples)
}
