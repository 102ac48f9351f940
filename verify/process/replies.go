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

// repliesSeen detects faults that only several replies show together: outputs of different kinds, and outputs that
// depend on each other.
type repliesSeen struct {
	mu       sync.Mutex
	seedless bool // requests hold no seed
	kind     string
	numbers  bool // an output was not all NaN
	inputs   map[string]*inputSeen
	warnings []string
	compared int                    // number of inputs at which starts were compared
	watches  dependence.Set[string] // dependence of the outputs at each input
}

// inputSeen holds digests of the replies to one input.
type inputSeen struct {
	seeds    map[uint64]uint64 // fingerprint of a reply → its seed
	compared bool              // with newly started processes
	constant uint64            // fingerprint of the value if all outputs of a reply were equal; 0 before such a reply
	values   map[uint64]uint64 // fingerprint of the values of a reply, in any order → its seed
}

const (
	// minConstant is the minimum length of a reply with equal outputs that is compared with others. If outputs are
	// independent, two such replies with different values have probability at most 4^-32 = 5e-20.
	minConstant = 32
	// minEntropy is the minimum entropy, in nats, of a reply whose repetition is an error. Independent outputs form a
	// given sequence with probability at most e^-(n·entropy of its frequencies) ≤ e^-50 = 2e-22, for each pair of
	// replies.
	minEntropy = 50
	// maxRemembered is the maximum number of remembered replies to one input. It limits memory and the number of pairs.
	maxRemembered = 4096
)

// first reports whether this is the first release of an input.
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

// note compares a reply with the earlier replies, and returns an error if they show a fault.
func (s *repliesSeen) note(input json.RawMessage, seed uint64, values []any) error {
	kinds, prints := kindsOf(values), outputs.Fingerprints(values)
	entropy, print := totalEntropy(prints), outputs.DigestFingerprints(prints)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.numbers = s.numbers || slices.ContainsFunc(values, func(v any) bool { return !outputs.IsNaNValue(v) })
	for _, k := range kinds {
		if s.kind == "" {
			s.kind = k
		}
		if k != s.kind {
			return fmt.Errorf("gave outputs of two kinds, %s and %s: want all outputs of one kind, or null", s.kind, k)
		}
	}
	in := s.inputs[string(input)]
	if entropy == 0 && len(values) >= minConstant {
		value := prints[0]
		if in.constant != 0 && in.constant != value {
			return &dependence.Error{Found: "in each of two replies all outputs are the same, with different values; " +
				dependence.Cure}
		}
		in.constant = value
	}
	var reply dependence.Reply
	reply.Values(values, prints)
	if err := s.watches.Of(string(input)).Reply(&reply); err != nil {
		return err
	}
	if entropy < minEntropy {
		return nil
	}
	if other, seen := in.seeds[print]; seen && other != seed {
		if s.seedless {
			return fmt.Errorf("gave the same %d outputs twice, so that its samples are not independent; draw new "+
				"randomness for every request", len(values))
		}
		return fmt.Errorf("ignores the seed: it gave the same %d outputs for the seeds %d and %d, so that its samples "+
			"are not independent; take all randomness from the seed of the request", len(values), other, seed)
	}
	if len(in.seeds) < maxRemembered {
		in.seeds[print] = seed
	}
	return in.sameValues(prints, seed)
}

// sameValues returns an error if a reply holds the values of an earlier reply in another order.
func (in *inputSeen) sameValues(prints []uint64, seed uint64) error {
	if dependence.SameValues(prints) > -minEntropy {
		return nil
	}
	print := outputs.DigestFingerprints(slices.Sorted(slices.Values(prints)))
	if other, seen := in.values[print]; seen && other != seed {
		return &dependence.Error{Found: fmt.Sprintf("two replies hold the same %d values in another order; %s", len(prints),
			dependence.Cure)}
	}
	if len(in.values) < maxRemembered {
		in.values[print] = seed
	}
	return nil
}

// usable returns an error if all outputs at all inputs are NaN. NaN at only one input is allowed, since it
// distinguishes that input from the others.
func (s *repliesSeen) usable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kind != "" && !s.numbers {
		return errors.New("the process gave nothing but NaN: check its computation, its outputs distinguish no inputs")
	}
	return nil
}

// warn adds a warning, and reports whether it is new.
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

// kindsOf returns the kinds of the outputs. Null has no kind.
func kindsOf(values []any) (kinds []string) {
	for _, v := range values {
		if k := outputs.ValueKind(v); k != "" && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// totalEntropy returns n times the entropy of the frequencies of n outputs, in nats.
func totalEntropy(prints []uint64) float64 {
	counts := make(map[uint64]float64)
	for _, p := range prints {
		counts[p]++
	}
	sum := 0.0
	for _, k := range slices.Sorted(maps.Values(counts)) { // in a fixed order, since sums are rounded
		sum -= k * math.Log(k/float64(len(prints)))
	}
	return sum
}
