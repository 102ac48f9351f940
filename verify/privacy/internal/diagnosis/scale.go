package diagnosis

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// CauseLevel is the error probability of the test that confirms a likely cause.
const CauseLevel = 1e-3

const (
	// leastFactor is the minimum reported factor by which noise is too small.
	leastFactor = 1.25
	// mostFactor is the factor from which on the outputs do not distinguish small noise from noise with
	// bounded support.
	mostFactor = 8
	// factorSteps is the number of tested factors per doubling.
	factorSteps = 8
)

// LikelyCause returns the fault that best explains the outputs of a pair, or nil. It assumes that the claim of g is
// refuted. The distance of the inputs is 0 if it is unknown or if they differ in length. The function places returns
// the names of output values for [verify.EventInWords]; it may be nil.
//
// Noise is too small by a factor if the outputs under B are the shifted outputs under A, and still violate the
// claim if they are shifted by only 1/factor of that. The outputs under each input must also violate the claim
// compared with a copy shifted by that fraction, which has the privacy loss of factor times the noise at the whole
// shift. The test assumes no distribution of the noise.
func LikelyCause(a, b Sample, g guarantee.Guarantee, distance float64, places func() []string) *verify.LikelyCause {
	o := newOutputs(a, b)
	if o == nil {
		return nil
	}
	if places != nil {
		o.names = places()
	}
	if l := o.exclusiveValue().likelyCause(o, g); l != nil {
		return l
	}
	s := o.shift()
	if s == nil || !s.sameShape() {
		return nil
	}
	loss, factor := 0.0, 1.0
	for i := 1; factor < mostFactor; i++ {
		next := math.Exp2(float64(i) / factorSteps)
		found := s.violates(g, 1/next)
		if found == nil {
			break
		}
		loss, factor = found.loss, next
	}
	if factor < leastFactor {
		return nil
	}
	l := &verify.LikelyCause{Fault: verify.FaultInsufficientNoise, Level: CauseLevel,
		Words: fmt.Sprintf("noise that is too small for the shift of the outputs, by a factor of at least %.3g", factor)}
	if factor >= mostFactor {
		l.Words += ", or noise with bounded support"
	}
	if _, curve := g.Curve(); curve {
		l.Words += ", or a claimed curve that is too low"
	} else {
		l.Words += fmt.Sprintf(", or a claimed %s that is too small", g.Quantity())
	}
	l.Evidence = fmt.Sprintf("the medians of %s differ by %.4g; even %.3g times the noise would leave a %s of at "+
		"least %.3g, with error %g", o.says(s.column, "number", ""), math.Abs(s.by), factor, g.Quantity(), loss, CauseLevel)
	if distance > 0 {
		l.Evidence += fmt.Sprintf("; the inputs differ by %.4g", distance)
	}
	return l
}

// shift is a column whose values move from A to B.
type shift struct {
	column int
	by     float64
	sorted [2][2][]float64 // values by part and input
}

// shift returns the column that moves most relative to its spread in the choosing part, or nil.
func (o *outputs) shift() (best *shift) {
	most := 0.0
	for k := range o.columns {
		s := shift{column: k}
		numbers := true
		for part := range 2 {
			for input := range 2 {
				values := slices.Clone(o.values[part][input][k])
				slices.Sort(values)
				s.sorted[part][input] = values
				numbers = numbers && finite(values[0]) && finite(values[len(values)-1])
			}
		}
		if !numbers {
			continue
		}
		a, b := s.sorted[0][0], s.sorted[0][1]
		s.by = s.medians(0)
		spread := a[len(a)*3/4] - a[len(a)/4] + b[len(b)*3/4] - b[len(b)/4]
		if moved := math.Abs(s.by) / spread; moved > most && finite(s.by) {
			most, best = moved, &s
		}
	}
	return best
}

// medians returns the difference of the medians in a part.
func (s *shift) medians(part int) float64 {
	a, b := s.sorted[part][0], s.sorted[part][1]
	return b[len(b)/2] - a[len(a)/2]
}

// sameShape reports whether the held-out outputs under B have the distribution of those under A, shifted, by the
// two-sample Kolmogorov–Smirnov distance. The limit is 1.5 times the usual one, because the shift is estimated.
func (s *shift) sameShape() bool {
	a, b, by := s.sorted[1][0], slices.Clone(s.sorted[1][1]), s.medians(1)
	for i := range b {
		b[i] -= by
	}
	limit := 1.5 * math.Sqrt(math.Log(2/CauseLevel)/2*(1/float64(len(a))+1/float64(len(b))))
	return stat.KolmogorovSmirnov(a, nil, b, nil) <= limit
}

// shiftedEvent is the event sign·x ≥ at after the outputs under B were moved.
type shiftedEvent struct{ sign, at, loss float64 }

// violates returns an event that violates the claim if the outputs under B are moved back up to a fraction of the
// shift, or nil. One part chooses the event and the other confirms it.
func (s *shift) violates(g guarantee.Guarantee, fraction float64) *shiftedEvent {
	var best shiftedEvent
	for _, sign := range []float64{-1, 1} {
		rarer := 0 // input whose outputs are less often in the event
		if sign*s.by < 0 {
			rarer = 1
		}
		for n := len(s.sorted[0][rarer]); n >= 4; n /= 2 {
			e := shiftedEvent{sign: sign, at: s.tail(rarer, sign, n/2, fraction)}
			if e.loss = s.loss(g, 0, e, fraction, best.loss); e.loss > best.loss {
				best = e
			}
		}
	}
	if best.loss = s.loss(g, 1, best, fraction, g.Value()); best.sign != 0 && best.loss > g.Value() {
		return &best
	}
	return nil
}

// moved returns the amount to subtract from the outputs under an input (0 is A) to put them at the place of another
// input after B is moved back up to a fraction of the shift.
func (s *shift) moved(input, place int, fraction float64) float64 {
	return s.by * (float64(input) - fraction*float64(place))
}

// tail returns the threshold that n values of an input reach in the choosing part.
func (s *shift) tail(input int, sign float64, n int, fraction float64) float64 {
	values := s.sorted[0][input]
	at := values[n-1]
	if sign > 0 {
		at = values[len(values)-n]
	}
	return sign * (at - s.moved(input, input, fraction))
}

// loss returns a lower limit on the parameter of the guarantee from the counts of the event in a part. The outputs
// under A must have that loss compared with the outputs under B, and the outputs under each input compared with a
// copy of themselves moved by as much. Otherwise the shift does not explain the loss: the cause may be outputs that
// only one input has, or noise that depends on the input. If the result is not above enough, it may be any lower
// value.
func (s *shift) loss(g guarantee.Guarantee, part int, e shiftedEvent, fraction, enough float64) float64 {
	likelier := 0
	if e.sign*s.by > 0 {
		likelier = 1
	}
	limit := math.Inf(1)
	for _, inputs := range [][2]int{{0, 1}, {0, 0}, {1, 1}} { // compares A with B, A with itself and B with itself
		x, nx := s.count(part, inputs[likelier], e, s.moved(inputs[likelier], likelier, fraction))
		y, ny := s.count(part, inputs[1-likelier], e, s.moved(inputs[1-likelier], 1-likelier, fraction))
		if limit = min(limit, LowerLimit(g, x, nx, y, ny, CauseLevel)); !(limit > enough) {
			break
		}
	}
	return limit
}

// count returns the number of outputs in the event.
func (s *shift) count(part, input int, e shiftedEvent, moved float64) (hits, n int64) {
	values := s.sorted[part][input]
	if e.sign > 0 {
		return int64(len(values) - sort.Search(len(values), func(i int) bool { return values[i]-moved >= e.at })),
			int64(len(values))
	}
	return int64(sort.Search(len(values), func(i int) bool { return moved-values[i] < e.at })), int64(len(values))
}
