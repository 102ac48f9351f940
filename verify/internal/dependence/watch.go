package dependence

import (
	"fmt"
	"math"
	"sync"
)

// Alpha bounds the probability that the counts for one claim reject independent outputs. Counts of events in blocks and
// counts of values in two groups each get half of it. In addition, the comparison of successive outputs
// ([SuccessionTest]) errs with probability at most [SuccessionAlpha] for each input.
const Alpha = 1e-9

// GroupsAlpha is the share of Alpha for all comparisons of two groups in one claim.
const GroupsAlpha = Alpha / 2

const watchesAlpha = Alpha - GroupsAlpha

// Finding begins the message of each [Error].
const Finding = "outputs are not independent: "

// Cure ends the message of each [Error].
const Cure = "draw every output afresh, and keep no state from one output or reply to the next"

// Error reports that outputs are evidently not independent.
type Error struct{ Found string }

func (e *Error) Error() string { return Finding + e.Found }

// found returns an [Error] that states the probability of a false finding and ends with Cure.
func found(alpha float64, format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...) + fmt.Sprintf("; independent outputs show this with probability at most "+
		"%.2g; %s", alpha, Cure)}
}

// Set holds the watches of the inputs of one claim. The zero value is ready.
type Set[K comparable] struct {
	mu      sync.Mutex
	watches map[K]*Watch
	alpha   float64 // watchesAlpha if 0; tests set another value
}

// Of returns the watch of an input, always the same one. The i-th input gets 1/(i(i+1)) of the error probability.
func (s *Set[K]) Of(input K) *Watch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watches[input] == nil {
		if s.watches == nil {
			s.watches = make(map[K]*Watch)
		}
		if s.alpha == 0 {
			s.alpha = watchesAlpha
		}
		i := float64(len(s.watches) + 1)
		s.watches[input] = &Watch{alpha: s.alpha / (i * (i + 1))}
	}
	return s.watches[input]
}

// Watch compares the outputs at one input: within a reply, between replies, and along the run. It may be used by
// several goroutines.
type Watch struct {
	mu        sync.Mutex
	alpha     float64
	follow    SuccessionTest
	reference []output
	events    []event
	spreads   []spread // one test for each event and scale
}

// scales are the lengths of the blocks that are counted; 0 is a whole reply.
var scales = [...]int{2, 16, 0}

// Reply collects the outputs of one reply, in order.
type Reply struct {
	outputs []output
	numbers []float64 // numbers of all outputs that the succession test compares
	ends    []int     // end of each output in numbers
}

// Add adds an output by its numbers, if any, and its hash.
func (r *Reply) Add(row []float64, print uint64) {
	r.outputs = append(r.outputs, newOutput(row, print))
	r.numbers = append(r.numbers, row[:min(len(row), WatchedNumbers)]...)
	r.ends = append(r.ends, len(r.numbers))
}

// AddRow adds an output that is a row of numbers.
func (r *Reply) AddRow(row []float64) { r.Add(row, printOf(row)) }

// Values adds decoded outputs with their fingerprints.
func (r *Reply) Values(outputs []any, prints []uint64) {
	const most = 1024 // numbers in an output
	var row []float64
	for i, v := range outputs {
		row = AppendNumbers(row[:0], v, most)
		r.Add(row, prints[i])
	}
}

// Reset removes all outputs.
func (r *Reply) Reset() { r.outputs, r.numbers, r.ends = r.outputs[:0], r.numbers[:0], r.ends[:0] }

// Len returns the number of outputs.
func (r *Reply) Len() int { return len(r.outputs) }

// Reply tests the outputs of one reply together with all earlier ones. It returns an [Error] if they are evidently not
// independent. The first 32 outputs at an input only choose the events.
func (w *Watch) Reply(r *Reply) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.follow.Break()
	from := 0
	for _, to := range r.ends {
		w.follow.Add(r.numbers[from:to])
		from = to
	}
	if word := w.follow.Word(); word != "" {
		return found(SuccessionAlpha, "a state is carried from one output to the next: %s", word)
	}
	outputs := r.outputs
	if short := references - len(w.reference); short > 0 {
		n := min(short, len(outputs))
		w.reference, outputs = append(w.reference, outputs[:n]...), outputs[n:]
		if n < short {
			return nil
		}
		w.events = eventsOf(w.reference)
		w.spreads = make([]spread, len(w.events)*len(scales))
	}
	for len(outputs) > 0 {
		n := min(len(outputs), longest)
		w.count(outputs[:n])
		outputs = outputs[n:]
	}
	return w.evident()
}

// count counts the events in the blocks of a reply.
func (w *Watch) count(outputs []output) {
	var hits [longest]int // hits up to and including each output
	known := scaleGains()
	for i := range w.events {
		w.events[i].running(outputs, hits[:])
		for k, block := range scales {
			s, before := &w.spreads[i*len(scales)+k], 0
			if block == 0 {
				if block = len(outputs); block > 1 {
					s.shares.add(float64(hits[block-1]) / float64(block))
				}
			}
			for end := block; end <= len(outputs) && block > 1; end += block {
				s.add(hits[end-1]-before, block, known[k])
				before = hits[end-1]
			}
		}
	}
}

// evident returns an error if a bet has won enough. All bets share the error probability.
func (w *Watch) evident() error {
	need := math.Log(float64(len(w.spreads)*len(precisions)) / w.alpha)
	best, won := -1, need
	for i := range w.spreads {
		if x := w.spreads[i].won(); x >= won {
			best, won = i, x
		}
	}
	if best < 0 {
		return nil
	}
	s, block := w.spreads[best], scales[best%len(scales)]
	b := s.shares
	const (
		trend  = 0.7 // minimum correlation of a drift with the place in the run
		fewest = 6   // minimum number of replies for a drift
	)
	switch {
	case block > 0:
		return found(w.alpha,
			"outputs that follow one another in a reply are alike: in %d blocks of %d outputs, the counts of one "+
				"event vary more than independent outputs allow", s.blocks, block)
	case b.n >= fewest && math.Abs(b.along()) > trend:
		return found(w.alpha,
			"they change along the run: one event holds in %.3g of the outputs of the first reply, and in %.3g "+
				"of the last of %d replies", b.first, b.last, b.n)
	}
	return found(w.alpha,
		"outputs of one reply are more alike than outputs of different replies: one event holds in %.3g of the "+
			"outputs of one reply and in %.3g of another, of %d replies", b.least, b.most, b.n)
}
