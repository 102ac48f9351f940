package diagnosis

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

const (
	// beyondClaim is the minimum excess of the privacy loss over the claim, in nats, for a value that one
	// input apparently never produces.
	beyondClaim = 3
	// leastShare is the minimum share of the outputs of one input with the value.
	leastShare = 0.01
	// mostOthers is the probability of other outputs below which an output counts as constant.
	mostOthers = 0.01
)

// leastSame returns the minimum number of held-out outputs that must all be equal. If other outputs had probability
// mostOthers, this would happen with probability CauseLevel.
func leastSame() int { return int(math.Ceil(math.Log(CauseLevel) / math.Log1p(-mostOthers))) }

// exclusive is a value of a column that only one input produces in the choosing part.
type exclusive struct {
	column   int
	likelier int // input that produces it
	at       float64
	share    float64
	always   bool // the likelier input always produces the value
}

// count returns the number of held-out outputs of an input with the value.
func (e exclusive) count(o *outputs, input int) (hits, n int64) {
	for _, v := range o.values[1][input][e.column] {
		if floatBits(v) == floatBits(e.at) {
			hits++
		}
	}
	return hits, int64(o.rows(1, input))
}

// exclusiveValue returns the most frequent value that only one input produces. A number counts only if it lies
// within the range of the other input's numbers or if it is constant; outside that range it may belong to a tail of
// the noise.
func (o *outputs) exclusiveValue() (best exclusive) {
	best.share = leastShare
	for k := range o.columns {
		for likelier := range 2 {
			given, other := o.values[0][likelier][k], o.values[0][1-likelier][k]
			if e := singleValue(given, other); e.share > best.share {
				e.column, e.likelier = k, likelier
				best = e
			}
		}
	}
	return best
}

func singleValue(given, other []float64) (best exclusive) {
	const looked = 1000 // a value with share leastShare occurs among as many
	times := make(map[uint64]int)
	for _, v := range given[:min(len(given), looked)] {
		times[floatBits(v)] = 0
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range other {
		delete(times, floatBits(v))
		if finite(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	for _, v := range given {
		n, kept := times[floatBits(v)]
		if !kept {
			continue
		}
		n++
		times[floatBits(v)] = n
		share := float64(n) / float64(len(given))
		if share > best.share && (n == len(given) || !finite(v) || v > low && v < high) {
			best = exclusive{at: v, share: share, always: n == len(given)}
		}
	}
	return best
}

// likelyCause returns the fault of a value that only one input produces, or nil. The held-out outputs must have the
// value only under that input, with a loss far above the claim or as the only value.
func (e exclusive) likelyCause(o *outputs, g guarantee.Guarantee) *verify.LikelyCause {
	if !(e.share > leastShare) {
		return nil
	}
	x, nx := e.count(o, e.likelier)
	y, ny := e.count(o, 1-e.likelier)
	epsilon := allowedEpsilon(g, e.share/2)
	loss := confidence.EpsilonLower(x, nx, y, ny, g.HockeyStick(epsilon), CauseLevel)
	always := e.always && x == nx && min(nx, ny) >= int64(leastSame())
	if y > 0 || !always && !(loss >= epsilon+beyondClaim) {
		return nil
	}
	l := &verify.LikelyCause{Fault: verify.FaultImpossibleOutput, Level: CauseLevel,
		Words: "an output that only one input produces, for example because a threshold is missing"}
	if always && !o.length(e.column) && (o.scalar || finite(e.at)) {
		l.Fault, l.Words = verify.FaultNoNoise, "a release without noise, or with the same noise every time"
	}
	name := string("AB"[e.likelier])
	l.Evidence = fmt.Sprintf("%s, in %d of %d held-out outputs under %s and %d of %d under the other; a loss of at least "+
		"%.3g, with error %g", e.words(o), x, nx, name, y, ny, loss, CauseLevel)
	return l
}

func (e exclusive) words(o *outputs) string {
	switch {
	case !distinguisher.IsSymbol(e.at):
		return o.says(e.column, "number", fmt.Sprintf(" is just %.6g", e.at))
	case !o.scalar && e.column == 0:
		return "the set of keys is a certain one"
	}
	return o.says(e.column, "value", " is a certain one")
}

// allowedEpsilon returns the smallest ε on a grid at which the guarantee has a δ of at most delta.
func allowedEpsilon(g guarantee.Guarantee, delta float64) float64 {
	if epsilon, claimed, ok := g.Approximate(); ok && claimed <= delta {
		return epsilon
	}
	for epsilon := 0.0; epsilon < 50; epsilon += 0.25 {
		if g.HockeyStick(epsilon) <= delta {
			return epsilon
		}
	}
	return math.Inf(1)
}
