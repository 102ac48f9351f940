package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/process"
)

// A mechanism is asked as an audit asks it, by requests of as many outputs as that has, for a fifth of a second or,
// where one reply takes longer, for one at each of two inputs; at one alone, if that takes longer than anybody waits.
const (
	askFor      = 200 * time.Millisecond
	patience    = 10 * time.Second
	askInputs   = 6                // of a claim, at most
	maxBatch    = 256              // outputs of a request of an audit
	maxKept     = 4096             // outputs of an input that stand in its place
	askTogether = 10 * time.Second // for all mechanisms, and again for all judging
)

// measuredMechanism is what a mechanism gave, and how long that took.
type measuredMechanism struct {
	given   map[string][]any
	any     []any
	outputs int64
	start   float64 // seconds until it answers at all
	output  float64 // seconds of an output
	single  float64 // seconds of a reply of one
	err     error
}

// measureMechanism is measured by a process of its own, which is contained as that of an audit is.
func measureMechanism(ctx context.Context, s *claimsfile.Subject, settings verify.Settings,
	limit time.Duration) measuredMechanism {
	m := measuredMechanism{given: make(map[string][]any)}
	p := s.Process()
	inputs := s.Asked(askInputs)
	check := process.Check{Process: p, Check: verify.CheckFunc(func(ctx context.Context, _ verify.Settings) (verify.Trial,
		error) {
		return verify.Decided{Verdict: verify.Untestable}, m.ask(ctx, p, inputs, settings, limit)
	})}
	_, m.err = verify.Judge(ctx, check, settings, empirical.NewPool(1), nil)
	return m
}

// ask asks the process at each input in turn, for twice as many outputs each time.
func (m *measuredMechanism) ask(ctx context.Context, p *process.Process, inputs []json.RawMessage,
	settings verify.Settings,
	limit time.Duration) error {
	asks := 1.0 + repeatedFirst // the first request at an input
	if p.Seedless {
		asks = 1 + repeatedSeedless
	}
	request := func(round, i, n int) (float64, error) {
		out := make([]any, n)
		before := time.Now()
		err := p.ReleaseN(settings.Stream("plan", strconv.Itoa(round), strconv.Itoa(i)), inputs[i], out)
		took := time.Since(before)
		if err == nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		m.keep(inputs[i], out)
		m.outputs += int64(n)
		return took.Seconds(), err
	}
	first, err := request(0, 0, 1)
	m.single, m.output = first/asks, first/asks
	if err != nil || first > patience.Seconds() {
		return err
	}
	if m.single, err = request(1, 0, 1); err != nil {
		return err
	}
	m.output, m.start = m.single, max(0, first-asks*m.single)
	if p.Seedless {
		m.start /= 1 + startsSeedless
	}
	spent := m.single
	rates := make([][]float64, len(inputs)) // seconds of an output at each input, of the requests of the last size
	for n, round := 2, 2; m.single < limit.Seconds() && (spent < limit.Seconds() || round < maxDoublings) &&
		spent < maxRounds*limit.Seconds(); round++ {
		for i := range inputs {
			took, err := request(round, i, n)
			if err != nil {
				return err
			}
			if round == 2 && i > 0 { // it was asked more often
				if took /= asks; p.Seedless {
					took = max(0, took-startsSeedless*m.start/asks)
				}
			}
			spent += took
			if n < maxBatch || round == maxDoublings {
				rates[i] = nil
			}
			rates[i] = append(rates[i], took/float64(n))
		}
		m.output = meanRate(rates)
		n = min(maxBatch, 2*n)
	}
	return nil
}

const (
	maxDoublings = 9 // round in which the first requests have as many outputs as those of an audit
	maxRounds    = 10
	// startsSeedless is how often a process without a seed is started at an input, to see whether it starts from the same
	// randomness each time.
	startsSeedless = 2
)

// meanRate over the inputs of the median rate.
func meanRate(rates [][]float64) float64 {
	sum, n := 0.0, 0
	for _, r := range rates {
		if len(r) > 0 {
			slices.Sort(r)
			sum += r[len(r)/2]
			n++
		}
	}
	return sum / float64(max(1, n))
}

// keep keeps outputs to stand in the place of the mechanism.
func (m *measuredMechanism) keep(input json.RawMessage, out []any) {
	key := string(input)
	if room := maxKept - len(m.given[key]); room > 0 {
		m.given[key] = append(m.given[key], out[:min(room, len(out))]...)
	}
	if m.any == nil || len(m.any) < len(m.given[key]) {
		m.any = m.given[key]
	}
}

// mechanismKey tells mechanisms apart.
func mechanismKey(s *claimsfile.Subject) string {
	text := fmt.Sprintf("%q %v %v %v %q %v", s.Command, s.Seedless, s.Reply, s.Memory, s.Env, s.Env == nil)
	for _, input := range s.Asked(askInputs) {
		text += fmt.Sprintf(" %q", input)
	}
	return text
}
