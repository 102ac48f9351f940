package process

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dpverify/dpverify/verify/outputs"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/dependence"
)

const (
	// StartsCompared is the number of inputs at which the outputs of newly started processes are compared.
	StartsCompared = 2
	// StartOutputs is the minimum number of outputs in a reply that is compared with newly started processes. Shorter
	// replies show nothing, and each output may be an expensive training.
	StartOutputs = 32
)

// compareStarts returns an error if a process keeps noise as long as it runs: its outputs are then dependent. If all
// randomness comes from the seed, a newly started process gives the same reply. Any other process must give outputs of
// one distribution in two starts.
//
// If always is true, the process is started twice even for a short reply.
func (p *Process) compareStarts(input json.RawMessage, seed uint64, reply []any, always bool) error {
	compare := p.protocol.compare(input, len(reply))
	if compare && !p.unseeded(p.Warnings()) {
		same, err := p.startsSame(input, seed, reply)
		if err != nil || same {
			return err
		}
		p.protocol.warn(verify.UnseededProcess)
	}
	if !compare && !always {
		return nil
	}
	return p.startTwice(input, seed, len(reply), compare)
}

// startsSame reports whether a newly started process gives the same reply. That process answers further requests, so
// that concurrent releases start fewer.
func (p *Process) startsSame(input json.RawMessage, seed uint64, reply []any) (bool, error) {
	c, err := p.startAnother()
	if err != nil {
		return false, err
	}
	repeated, err := p.ask(c, input, seed, len(reply))
	same := err == nil && slices.Equal(outputs.Fingerprints(repeated), outputs.Fingerprints(reply))
	if same {
		p.giveBack(c)
	} else {
		p.drop(c)
	}
	return same, err
}

// startTwice returns an error if a process whose replies to one request differ starts from the same randomness each
// time. Such processes would repeat each other's outputs: child processes, restarts after a kill, or runs on other
// machines. An event would then be certified on the outputs that chose it. If compare is true, startTwice also returns
// an error if two starts give outputs of two distributions.
//
// The starts whose distributions are compared get different seeds. With one seed, randomness from the seed would be the
// same in both, and their outputs would be dependent.
func (p *Process) startTwice(input json.RawMessage, seed uint64, n int, compare bool) error {
	first, err := p.askNewProcess(input, seed, n)
	if err != nil {
		return err
	}
	second, err := p.askNewProcess(input, seed, n)
	if err != nil {
		return err
	}
	prints := outputs.Fingerprints(first)
	if slices.Equal(prints, outputs.Fingerprints(second)) && totalEntropy(prints) >= minEntropy {
		return p.startsAlike(input, seed, n, prints)
	}
	if !compare {
		return nil
	}
	if !p.Seedless {
		if second, err = p.askNewProcess(input, seed^1, n); err != nil {
			return err
		}
	}
	var groups [2]dependence.Reply
	groups[0].Values(first, prints)
	groups[1].Values(second, outputs.Fingerprints(second))
	return dependence.Groups(&groups[0], &groups[1], dependence.GroupsAlpha/StartsCompared,
		"a process that is started twice gives outputs of two distributions")
}

// startsAlike returns the error for a process that gave the same outputs in two starts. The error says whether the
// process ignores the seed, or keeps a state from one call to the next.
func (p *Process) startsAlike(input json.RawMessage, seed uint64, n int, first []uint64) error {
	if p.Seedless {
		return fmt.Errorf("starts from the same randomness each time: started twice, it gave the same %d outputs; draw "+
			"its initial randomness from the system", n)
	}
	other, err := p.askNewProcess(input, seed^1, n)
	if err != nil {
		return err
	}
	// The first seed once more: a process that starts from the time of day may have had another one.
	same, err := p.askNewProcess(input, seed, n)
	if err != nil {
		return err
	}
	if slices.Equal(first, outputs.Fingerprints(same)) && !slices.Equal(first, outputs.Fingerprints(other)) {
		return fmt.Errorf("its outputs depend on the number of calls made before: two calls with one seed gave different "+
			"outputs, and each start of the process with that seed gave the same %d outputs; take all randomness from the "+
			"seed of the request, and keep no state from one call to the next", n)
	}
	return fmt.Errorf("ignores the seed of the request, and starts from the same randomness each time: started twice, it "+
		"gave the same %d outputs; take all randomness from the seed of the request", n)
}

// askNewProcess starts a new process and sends it one request.
func (p *Process) askNewProcess(input json.RawMessage, seed uint64, n int) ([]any, error) {
	c, err := p.startAnother()
	if err != nil {
		return nil, err
	}
	defer p.drop(c)
	return p.ask(c, input, seed, n)
}

// compare reports whether a reply of n outputs is to be compared with newly started processes. It is the first reply at
// its input that is long enough, for the first [StartsCompared] inputs.
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
