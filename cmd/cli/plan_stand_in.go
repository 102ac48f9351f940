package cli

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/dpverify/dpverify/verify/process"
)

// standIn answers in the place of a process, with what that gave when it was asked, and counts what it is asked for.
type standIn struct {
	given  map[string][]any // by input
	any    []any            // of any input, for those that were not asked
	blur   bool             // numbers are changed by next to nothing: outputs that do not repeat are not to repeat here
	kept   bool             // outputs are given in their order: they are no draws
	mu     sync.Mutex
	seen   map[string]bool
	drawn  int64
	repeat int64 // of the first requests
	long   map[string]longRequest
}

// longRequest is the first request at an input that is long enough to be compared with newly started processes.
type longRequest struct {
	outputs int64
	first   bool // no request at the input came before
}

// blurWidth is how much numbers are changed, relatively, and towards 0.
const blurWidth = 1e-9

func newStandIn(given map[string][]any, first []any) *standIn {
	return &standIn{given: given, any: first, seen: make(map[string]bool), long: make(map[string]longRequest)}
}

// Release gives one output.
func (s *standIn) Release(r *rand.Rand, input json.RawMessage) (any, error) {
	out := make([]any, 1)
	err := s.ReleaseN(r, input, out)
	return out[0], err
}

// ReleaseN gives outputs that were given before, in no order.
func (s *standIn) ReleaseN(r *rand.Rand, input json.RawMessage, out []any) error {
	s.count(string(input), int64(len(out)))
	from := s.given[string(input)]
	if len(from) == 0 {
		from = s.any
	}
	for i := range out {
		k := i % len(from)
		if !s.kept {
			k = r.IntN(len(from))
		}
		if out[i] = from[k]; s.blur {
			out[i] = blurNumbers(r, out[i])
		}
	}
	return nil
}

func (s *standIn) count(input string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drawn += n
	if _, compared := s.long[input]; !compared && n >= process.StartOutputs && len(s.long) < process.StartsCompared {
		s.long[input] = longRequest{n, !s.seen[input]}
	}
	if !s.seen[input] {
		s.seen[input] = true
		s.repeat += n
	}
}

// counted is what it was asked for so far.
func (s *standIn) counted() (drawn, repeat int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drawn, s.repeat
}

// compared is the requests that newly started processes answer, too, if later requests are for n outputs.
func (s *standIn) compared(n int64) []longRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []longRequest
	for _, input := range slices.Sorted(maps.Keys(s.long)) {
		out = append(out, s.long[input])
	}
	for range min(process.StartsCompared, len(s.seen)) - len(out) {
		out = append(out, longRequest{outputs: n})
	}
	return out
}

// Warnings of a process: there are none, and nobody else looks whether the seed decides.
func (s *standIn) Warnings() []string { return nil }

// blurNumbers changes the numbers in an output that are not whole.
func blurNumbers(r *rand.Rand, output any) any {
	switch v := output.(type) {
	case float64:
		if v == float64(int64(v)) {
			return v
		}
		return v * (1 - blurWidth*r.Float64())
	case []any:
		out := make([]any, len(v))
		for i, part := range v {
			out[i] = blurNumbers(r, part)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, part := range v {
			out[key] = part
		}
		return out
	}
	return output
}
