package distinguisher

import "math"

// complexity ranks events by how difficult they are to understand, simplest first.
type complexity int

const (
	oneValue        complexity = iota // a threshold of one value or length, or one value
	functionOfValue                   // an interval, a residue, a digit or another function of one value
	severalValues                     // a pair of values, or a statistic of all
	wholeOutput                       // whole outputs by their frequencies
	learned                           // a score that was learned from the rows
	complexities
)

const (
	// nearlySame is the relative loss of certified value that is accepted for a simpler event.
	nearlySame = 0.02
	// spared is the share of the excess over the claimed value that may be lost for a simpler event. A smaller
	// excess delays the refutation in a sequential test, and reduces power with a fixed number of samples.
	spared = 0.1
)

// contenders holds the event with the largest expected value of each complexity, or nil.
type contenders [complexities]*Event

// add stores an event if its value exceeds the stored one of the same complexity. w may be nil.
func (c *contenders) add(w *Event) {
	if w != nil && (c[w.complexity] == nil || w.discounted() > c[w.complexity].Value) {
		c[w.complexity] = w
	}
}

// discounted returns the value of an event, for a learned event minus the gain that it must have.
func (w *Event) discounted() float64 {
	if w.complexity == learned {
		return w.Value - learnedGain*math.Abs(w.Value)
	}
	return w.Value
}

// simplest returns the simplest event that is expected to certify nearly as much as the best one, for the k-th
// samples, or nil if there is no event.
func (s Search) simplest(found contenders, k int) (best *Event) {
	for _, w := range found {
		if w != nil && (best == nil || w.discounted() > best.Value) {
			best = w
		}
	}
	for _, w := range found {
		if w == best || w != nil && s.replaces(w, best, k) {
			return w
		}
	}
	return nil
}

// replaces reports whether a simpler event w is preferred to the best one. Both must be expected to refute the
// claim.
func (s Search) replaces(w, best *Event, k int) bool {
	if s.Refutes == nil || !s.Refutes(w.Value) {
		return false
	}
	if best.posterior == nil {
		return s.costs(w, best.Value, 1)
	}
	// The score of best was fitted to these rows and is optimistic on them, so its value is corrected twice. With
	// few rows the correction exceeds the difference, so the uncorrected value also bounds the cost.
	twice := 2*best.Value - s.certifies(best, best.SeenP, best.SeenQ, k)
	return s.costs(w, twice, 1) && s.costs(w, best.Value, 2)
}

// costs reports whether the loss from promise to the value of w is at most the given multiple of the accepted loss.
func (s Search) costs(w *Event, promise, times float64) bool {
	cost := promise - w.Value
	return cost <= times*nearlySame*promise && s.Refutes(promise-cost/(times*spared))
}

// certifies returns the expected value of an event with probabilities p and q, for the k-th samples.
func (s Search) certifies(w *Event, p, q float64, k int) float64 {
	n := (&tailSearch{swapped: w.Swapped}).sides(s.Samples[k])
	return s.Certified(p*n[0], n[0], q*n[1], n[1])
}
