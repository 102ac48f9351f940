package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/dpverify/dpverify/verify/outputs"

	"github.com/dpverify/dpverify/verify/internal/dependence"
)

// repliesSeen watches what only several replies show together: outputs of another
// kind, and outputs that are not independent of one another.
type repliesSeen struct {
	mu       sync.Mutex
	seedless bool // requests hold no seed
	kind     string
	numbers  bool // an output was not all NaN
	inputs   map[string]*inputSeen
	warnings []string
	compared int                    // inputs at which starts were compared
	watches  dependence.Set[string] // of the outputs at each input
}

// inputSeen is what replies to one input were.
type inputSeen struct {
	seeds    map[uint64]uint64 // fingerprint of a reply → its seed
	compared bool              // with newly started processes
	constant uint64            // fingerprint of the value that was a whole reply; 0 if none was
	values   map[uint64]uint64 // fingerprint of the values of a reply, in any order → its seed
}

const (
	// telling is the length from which replies of equal values are compared. Two of
	// them, of different values, have a probability of at most 4^-32 = 5e-20 for
	// independent outputs.
	telling = 32
	// surprise is the least entropy, in nats, of a reply whose repetition is an error:
	// independent outputs come in a given sequence with a probability of at most
	// e^-(n·entropy of its frequencies), e^-50 = 2e-22 here, for each pair of replies.
	surprise = 50
	// remembered replies to one input bound the memory, and the pairs.
	remembered = 4096
)

// first tells whether this is the first release of an input.
func (s *repliesSeen) first(input json.RawMessage, seedless bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seedless = seedless
	if s.inputs == nil {
		s.inputs = make(map[string]*inputSeen)
	}
	if s.inputs[string(input)] != nil {
		return false
	}
	s.inputs[string(input)] = &inputSeen{seeds: make(map[uint64]uint64), values: make(map[uint64]uint64)}
	return true
}

// note compares a reply with those before it.
func (s *repliesSeen) note(input json.RawMessage, seed uint64, values []any) error {
	kinds, prints := kindOf(values), outputs.Fingerprints(values)
	entropy, print := totalEntropy(prints), outputs.DigestFingerprints(prints)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.numbers = s.numbers || slices.ContainsFunc(values, func(v any) bool { return !outputs.IsNaNValue(v) })
	for _, k := range kinds {
		if s.kind == "" {
			s.kind = k
		}
		if k != s.kind {
			return fmt.Errorf("gave outputs of two kinds, %s and %s: they must be of one, or null", s.kind, k)
		}
	}
	in := s.inputs[string(input)]
	if entropy == 0 && len(values) >= telling {
		one := prints[0]
		if in.constant != 0 && in.constant != one {
			return &dependence.Error{Found: "it gave replies in which all outputs are the same, another one in each; " +
				dependence.Cure}
		}
		in.constant = one
	}
	var reply dependence.Reply
	reply.Values(values, prints)
	if err := s.watches.Of(string(input)).Reply(&reply); err != nil {
		return err
	}
	if entropy < surprise {
		return nil
	}
	if other, seen := in.seeds[print]; seen && other != seed {
		if s.seedless {
			return fmt.Errorf("gave the same %d outputs twice, so that its samples are not independent", len(values))
		}
		return fmt.Errorf("ignores the seed: it gave the same %d outputs for the seeds %d and %d, so that its samples "+
			"are not independent", len(values), other, seed)
	}
	if len(in.seeds) < remembered {
		in.seeds[print] = seed
	}
	return in.sameValues(prints, seed)
}

// sameValues is an error if a reply has the values of another one in another order.
func (in *inputSeen) sameValues(prints []uint64, seed uint64) error {
	if dependence.SameValues(prints) > -surprise {
		return nil
	}
	print := outputs.DigestFingerprints(slices.Sorted(slices.Values(prints)))
	if other, seen := in.values[print]; seen && other != seed {
		return &dependence.Error{Found: fmt.Sprintf("two replies hold the same %d values in another order; %s", len(prints),
			dependence.Cure)}
	}
	if len(in.values) < remembered {
		in.values[print] = seed
	}
	return nil
}

// usable is an error where there was nothing but NaN, under any input: outputs that
// are NaN under one input alone tell it from the others.
func (s *repliesSeen) usable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kind != "" && !s.numbers {
		return errors.New("the process gave nothing but NaN")
	}
	return nil
}

// warn tells whether the warning is new.
func (s *repliesSeen) warn(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.warnings, text) {
		return false
	}
	s.warnings = append(s.warnings, text)
	return true
}

func (s *repliesSeen) list() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.warnings)
}

// kindOf lists the kinds of outputs, but for null, which stands for none.
func kindOf(values []any) (kinds []string) {
	for _, v := range values {
		if k := outputs.ValueKind(v); k != "" && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// totalEntropy is that of the frequencies of the outputs, times their number.
func totalEntropy(prints []uint64) float64 {
	counts := make(map[uint64]float64)
	for _, p := range prints {
		counts[p]++
	}
	sum := 0.0
	for _, k := range slices.Sorted(maps.Values(counts)) { // in an order, since sums are rounded
		sum -= k * math.Log(k/float64(len(prints)))
	}
	return sum
}
