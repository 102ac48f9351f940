package process

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dpverify/dpverify/verify/internal/dependence"
	"github.com/dpverify/dpverify/verify/internal/values"
	"github.com/dpverify/dpverify/verify/internal/words"
)

const (
	// StartsCompared is the number of inputs at which the outputs of newly started processes are compared.
	StartsCompared = 2
	// StartOutputs is the number of outputs in the shortest reply that is compared with those of newly started
	// processes. Shorter replies show nothing, and each output may be an expensive training.
	StartOutputs = 32
)

// compareStarts is an error if noise is kept as long as a process runs: the outputs of one process are then not
// independent, however many it gives. A process that takes all its randomness from the seed gives the same reply
// when it is started anew. Two starts of any other must give outputs of one distribution.
//
// If afresh is true, the process is started twice also for a short reply.
func (p *Process) compareStarts(input json.RawMessage, seed uint64, reply []any, afresh bool) error {
	compare := p.protocol.compare(input, len(reply))
	if compare && !p.unseeded(p.Warnings()) {
		again, err := p.startedAnew(input, seed, len(reply))
		if err != nil || slices.Equal(values.Fingerprints(again), values.Fingerprints(reply)) {
			return err
		}
		p.protocol.warn(words.Unseeded)
	}
	if !compare && !afresh {
		return nil
	}
	return p.startTwice(input, seed, len(reply), compare)
}

// startTwice is an error if a process whose replies to one request differ starts from the same randomness each time:
// its children, here, after a kill or on another machine, would repeat each other's outputs, and certify an event on
// those that chose it. It is also an error if two starts give outputs of two distributions, if compare is true.
//
// The starts whose distributions are compared get different seeds. If they got one seed, what the seed decides would
// be the same in both, and their outputs not independent.
func (p *Process) startTwice(input json.RawMessage, seed uint64, n int, compare bool) error {
	first, err := p.startedAnew(input, seed, n)
	if err != nil {
		return err
	}
	second, err := p.startedAnew(input, seed, n)
	if err != nil {
		return err
	}
	prints := values.Fingerprints(first)
	if slices.Equal(prints, values.Fingerprints(second)) && totalEntropy(prints) >= surprise {
		return p.startsAlike(input, seed, n, prints)
	}
	if !compare {
		return nil
	}
	if !p.Seedless {
		if second, err = p.startedAnew(input, seed^1, n); err != nil {
			return err
		}
	}
	var groups [2]dependence.Reply
	groups[0].Values(first, prints)
	groups[1].Values(second, values.Fingerprints(second))
	return dependence.Groups(&groups[0], &groups[1], dependence.GroupsAlpha/StartsCompared,
		"a process that is started twice gives outputs of two distributions")
}

// startsAlike is the error of a process that gave the same outputs when it was started twice. The error says whether
// the process ignores the seed, or keeps a state from one call to the next.
func (p *Process) startsAlike(input json.RawMessage, seed uint64, n int, first []uint64) error {
	if p.Seedless {
		return fmt.Errorf("starts from the same randomness each time: started twice, it gave the same %d outputs", n)
	}
	other, err := p.startedAnew(input, seed^1, n)
	if err != nil {
		return err
	}
	// The first seed once more: a process that starts from the time of day may have had another one.
	same, err := p.startedAnew(input, seed, n)
	if err != nil {
		return err
	}
	if slices.Equal(first, values.Fingerprints(same)) && !slices.Equal(first, values.Fingerprints(other)) {
		return fmt.Errorf("its outputs depend on the number of calls made before: two calls with one seed gave different "+
			"outputs, and each start of the process with that seed gave the same %d outputs; take all randomness from the "+
			"seed of the request, and keep no state from one call to the next", n)
	}
	return fmt.Errorf("ignores the seed of the request, and starts from the same randomness each time: started twice, it "+
		"gave the same %d outputs", n)
}

// startedAnew asks a new process once.
func (p *Process) startedAnew(input json.RawMessage, seed uint64, n int) ([]any, error) {
	c, err := p.another()
	if err != nil {
		return nil, err
	}
	defer p.drop(c)
	return p.ask(c, input, seed, n)
}

// compare reports whether a reply of n outputs is the one at its input that is compared with those of newly started
// processes: the first one that is long enough, at the first [StartsCompared] inputs.
func (s *repliesSeen) compare(input json.RawMessage, n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.inputs[string(input)]
	if n < StartOutputs || in.compared || s.compared == StartsCompared {
		return false
	}
	in.compared = true
	s.compared++
	return true
}
