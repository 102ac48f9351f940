package process

import (
	"encoding/json"
	"slices"

	"github.com/dpverify/dpverify/verify/internal/dependence"
	"github.com/dpverify/dpverify/verify/internal/values"
	"github.com/dpverify/dpverify/verify/internal/words"
)

const (
	// startsCompared is the number of inputs at which the command is started anew.
	startsCompared = 2
	// startOutputs is the number of outputs that each start gives for the comparison.
	startOutputs = 128
)

// compareStarts is an error if noise is kept as long as a process runs: the outputs of one process are then not
// independent, however many it gives. A process that takes all its randomness from the seed gives the same reply
// when it is started anew. Two starts of any other must give outputs of one distribution.
func (p *Process) compareStarts(input json.RawMessage, seed uint64, reply []any) error {
	if !p.protocol.compare() {
		return nil
	}
	if !p.unseeded(p.Warnings()) {
		again, err := p.startedAnew(input, seed, len(reply))
		if err != nil || slices.Equal(values.Fingerprints(again), values.Fingerprints(reply)) {
			return err
		}
		p.protocol.warn(words.Unseeded)
	}
	var groups [2]dependence.Reply
	for i := range groups {
		outputs, err := p.startedAnew(input, (seed+uint64(i)+1)>>1, startOutputs)
		if err != nil {
			return err
		}
		groups[i].Values(outputs, values.Fingerprints(outputs))
	}
	return dependence.Groups(&groups[0], &groups[1], "a process that is started twice gives outputs of two distributions")
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

// compare reports whether the starts are still to be compared at one more input.
func (s *repliesSeen) compare() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compared++
	return s.compared <= startsCompared
}
