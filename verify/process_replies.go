package verify

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sync"
)

// repliesSeen watches what only several replies show together: outputs of another
// kind, and outputs that are not independent of one another.
type repliesSeen struct {
	mu       sync.Mutex
	kind     string
	numbers  bool // an output was not all NaN
	inputs   map[string]*inputSeen
	warnings []string
}

// inputSeen is what replies to one input were.
type inputSeen struct {
	seeds    map[uint64]uint64 // fingerprint of a reply → its seed
	constant uint64            // fingerprint of the value that was a whole reply; 0 if none was
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
func (s *repliesSeen) first(input json.RawMessage) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inputs == nil {
		s.inputs = make(map[string]*inputSeen)
	}
	if s.inputs[string(input)] != nil {
		return false
	}
	s.inputs[string(input)] = &inputSeen{seeds: make(map[uint64]uint64)}
	return true
}

// note compares a reply with those before it.
func (s *repliesSeen) note(input json.RawMessage, seed uint64, values []any) error {
	kinds, prints := kindOf(values), fingerprints(values)
	entropy, print := totalEntropy(prints), fingerprintOf(prints)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.numbers = s.numbers || slices.ContainsFunc(values, func(v any) bool { return !isNaN(v) })
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
			return errors.New("gave replies in which all outputs are the same, another one in each: every output must be drawn afresh")
		}
		in.constant = one
	}
	if entropy < surprise {
		return nil
	}
	if other, seen := in.seeds[print]; seen && other != seed {
		return fmt.Errorf("ignores the seed: it gave the same %d outputs for the seeds %d and %d, so that its samples are not independent", len(values), other, seed)
	}
	if len(in.seeds) < remembered {
		in.seeds[print] = seed
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
		if k := valueKind(v); k != "" && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// valueKind is the kind of a decoded value; that of null is "".
func valueKind(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64, json.Number:
		return "number"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case string:
		if v == "nan" || v == "inf" || v == "-inf" {
			return "number"
		}
	}
	return "string"
}

// isNaN tells NaN, and an array of nothing else.
func isNaN(v any) bool {
	if list, ok := v.([]any); ok {
		return len(list) > 0 && !slices.ContainsFunc(list, func(v any) bool { return !isNaN(v) })
	}
	return v == "nan"
}

// fingerprints tell outputs apart, and fingerprintOf whole replies.
func fingerprints(values []any) []uint64 {
	out := make([]uint64, len(values))
	h := fnv.New64a()
	for i, v := range values {
		h.Reset()
		fmt.Fprintf(h, "%#v", v)
		out[i] = h.Sum64()
	}
	return out
}

func fingerprintOf(prints []uint64) uint64 {
	h := fnv.New64a()
	for _, p := range prints {
		var word [8]byte
		binary.BigEndian.PutUint64(word[:], p)
		h.Write(word[:]) // never fails
	}
	return h.Sum64()
}

// totalEntropy is that of the frequencies of the outputs, times their number.
func totalEntropy(prints []uint64) float64 {
	counts := make(map[uint64]float64)
	for _, p := range prints {
		counts[p]++
	}
	sum := 0.0
	for _, k := range counts {
		sum -= k * math.Log(k/float64(len(prints)))
	}
	return sum
}
