package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

// subject is one claim of an audit, however it was given.
type subject struct {
	name   string
	source string        // where the claim stands
	dir    string        // working directory of the command
	at     reports.Place // where a finding about it is shown

	command  []string
	pairs    []inputPair
	recorded *verify.RecordedAudit // instead of command and pairs

	guarantee verify.Guarantee
	samples   int64
	reply     time.Duration
	memory    int64 // bytes
	precision string
	anytime   bool
	mass      float64 // 0: the usual one

	processes []*verify.Process // started for its claims
}

// neighbours names the pairs by their inputs, and by their number where those are long.
func (s *subject) neighbours() []verify.Neighbours[json.RawMessage] {
	var out []verify.Neighbours[json.RawMessage]
	for i, p := range s.pairs {
		const most = 48
		name := fmt.Sprintf("A = %s, B = %s", p.a, p.b)
		if r := []rune(name); len(r) > 2*most {
			cut := func(m json.RawMessage) string {
				if r := []rune(string(m)); len(r) > most {
					return string(r[:most]) + "…"
				}
				return string(m)
			}
			name = fmt.Sprintf("pair %d: A = %s, B = %s", i+1, cut(p.a), cut(p.b))
		}
		out = append(out, verify.Neighbours[json.RawMessage]{Name: name, A: p.a, B: p.b})
	}
	return out
}

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$`)

// check names what is wrong with a claim.
func (s *subject) check() error {
	if !slices.Contains(precisions, s.precision) {
		return fmt.Errorf("%s: precision %q: want %s", s.source, s.precision, strings.Join(precisions, ", "))
	}
	if err := s.guarantee.Check(); err != nil {
		return fmt.Errorf("%s: %w", s.source, err)
	}
	if s.recorded != nil {
		return nil
	}
	audit, process := s.audit()
	if err := errors.Join(audit.Check(), process.Check()); err != nil {
		return fmt.Errorf("%s: claim %q: %w", s.source, s.name, err)
	}
	return nil
}

// audit of a command, on a process of its own.
func (s *subject) audit() (verify.Audit[json.RawMessage, any], *verify.Process) {
	process := &verify.Process{Command: s.command, Dir: s.dir, Timeout: s.reply, Memory: s.memory}
	return verify.Audit[json.RawMessage, any]{
		Mechanism: process, Pairs: s.neighbours(), Guarantee: s.guarantee, Samples: s.samples, Anytime: s.anytime, Mass: s.mass,
	}, process
}

// id of the claim.
func (s *subject) id() string { return "audit/" + s.name }

const precisionSuffix = "/precision"

// claims are the privacy claim and the one about precision.
func (s *subject) claims() []verify.Claim {
	what := "the recorded mechanism"
	if s.recorded == nil {
		what = "the process " + reports.Shell(s.command...)
	}
	privacy := verify.Claim{
		ID: s.id(), Source: s.source, Kind: verify.Privacy,
		Statement: fmt.Sprintf("%s is %s on the given pairs of inputs", what, s.guarantee),
	}
	bits := verify.Claim{
		ID: s.id() + precisionSuffix, Source: s.source, Kind: verify.Privacy,
		Statement: fmt.Sprintf("the low-order bits of the numbers in its outputs betray no more than %s allows", s.guarantee),
	}
	if s.recorded != nil {
		privacy.Check, bits.Check = *s.recorded, verify.RecordedPrecision(*s.recorded)
	} else {
		audit, process := s.audit()
		privacy.Check = verify.Processed{Check: audit, Process: process}
		audit, other := s.audit()
		bits.Check = verify.Processed{Process: other, Check: verify.Precision[json.RawMessage, any]{
			Mechanism: other, Pairs: audit.Pairs, Guarantee: s.guarantee, Samples: min(s.samples, precisionSamples),
		}}
		s.processes = append(s.processes, process, other)
	}
	if s.precision == precisionOff {
		return []verify.Claim{privacy}
	}
	return []verify.Claim{privacy, bits}
}

// guaranteeFlags are the guarantees that can be claimed.
type guaranteeFlags struct{ epsilon, delta, rho, mu, order, renyi float64 }

var guaranteeNames = []string{"epsilon", "delta", "rho", "mu", "renyi-order", "renyi-epsilon"}

func (g *guaranteeFlags) add(c *cobra.Command) {
	flags := c.Flags()
	flags.Float64Var(&g.epsilon, "epsilon", 0, "the claimed `ε`")
	flags.Float64Var(&g.delta, "delta", 0, "the claimed `δ`, with --epsilon; 0 is pure privacy")
	flags.Float64Var(&g.rho, "rho", 0, "the claimed `ρ` of zCDP")
	flags.Float64Var(&g.mu, "mu", 0, "the claimed `μ` of Gaussian privacy")
	flags.Float64Var(&g.order, "renyi-order", 0, "the `order` of a Rényi guarantee, above 1")
	flags.Float64Var(&g.renyi, "renyi-epsilon", 0, "the claimed Rényi divergence `ε` of that order")
}

func (g *guaranteeFlags) value(flags *pflag.FlagSet) (verify.Guarantee, error) {
	given := func(name string, x *float64) *float64 {
		if flags.Changed(name) {
			return x
		}
		return nil
	}
	fields := guaranteeFields{
		Epsilon: given("epsilon", &g.epsilon), Delta: given("delta", &g.delta), Rho: given("rho", &g.rho),
		Mu: given("mu", &g.mu), Order: given("renyi-order", &g.order), Renyi: given("renyi-epsilon", &g.renyi),
	}
	guarantee, ok := fields.guarantee()
	if !ok {
		return guarantee, errors.New("what is claimed? Give one of --epsilon (with --delta), --rho, --mu, or --renyi-order with --renyi-epsilon")
	}
	return guarantee, guarantee.Check()
}

// guaranteeFields are the numbers of a guarantee, those that were given.
type guaranteeFields struct {
	Epsilon *float64 `yaml:"epsilon"`
	Delta   *float64 `yaml:"delta"`
	Rho     *float64 `yaml:"rho"`
	Mu      *float64 `yaml:"mu"`
	Order   *float64 `yaml:"alpha"`
	Renyi   *float64 `yaml:"renyi"`
}

// guarantee is not ok unless just one is given, and whole.
func (f guaranteeFields) guarantee() (g verify.Guarantee, ok bool) {
	ways := 0
	if f.Epsilon != nil {
		ways++
		delta := 0.0
		if f.Delta != nil {
			delta = *f.Delta
		}
		g = verify.ApproximateDP(*f.Epsilon, delta)
	}
	if f.Rho != nil {
		ways++
		g = verify.ZeroConcentratedDP(*f.Rho)
	}
	if f.Mu != nil {
		ways++
		g = verify.GaussianDP(*f.Mu)
	}
	if f.Order != nil && f.Renyi != nil {
		ways++
		g = verify.RenyiDP(*f.Order, *f.Renyi)
	}
	whole := (f.Order == nil) == (f.Renyi == nil) && (f.Delta == nil || f.Epsilon != nil)
	return g, ways == 1 && whole
}
