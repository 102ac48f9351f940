package claimsfile

import (
	"crypto/sha256"
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
	"github.com/dpverify/dpverify/verify/eprocess"
	"github.com/dpverify/dpverify/verify/guarantee"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/process"
	"github.com/dpverify/dpverify/verify/training"
)

// Subject is one claim of an audit, from a claims file or from flags.
type Subject struct {
	Name   string
	Source string        // file, line and column of the claim
	dir    string        // working directory of the command
	At     reports.Place // the position that a finding is reported at

	Command  []string
	Pairs    []InputPair
	Found    *FoundInputs           // a search for the worst inputs; nil for none
	Recorded *privacy.RecordedAudit // outputs at two inputs, instead of command and pairs
	Outputs  *outputs.Recording     // outputs at one input, for statements other than privacy
	Account  *Account               // instead of a mechanism or in addition to it
	canaries *training.OneRunAudit  // instead of a mechanism or in addition to it
	training *loggedTraining        // instead of a mechanism or in addition to it
	event    training.Event         // of scores in a multi-run audit; the zero value is none
	Stated   []*statedFields        // statements other than privacy
	Broken   error                  // the reason why the account or a statement cannot be read

	guaranteed bool // a claims file claims privacy
	Seedless   bool // the mechanism takes no seed

	Guarantee privacy.Guarantee // if there is no account
	Samples   int64
	Reply     time.Duration
	Memory    int64    // bytes
	Env       []string // names of inherited environment variables; nil for all
	Precision string
	Anytime   bool
	Replay    bool    // also record and replay
	Mass      float64 // event probability; 0 for the default

	Processes []*process.Process // of its claims

	Stand StandIn // replaces the processes in a dry run; nil for none

	// Bets connects the audit of given pairs with earlier runs; nil for an audit without earlier runs.
	Bets *eprocess.Bets
}

// Neighbours returns the given pairs, named by their inputs, or by number and the beginning of the inputs if those
// are long.
func (s *Subject) Neighbours() []inputs.Pair[json.RawMessage] {
	var out []inputs.Pair[json.RawMessage]
	for i, p := range s.Pairs {
		const maxLength = 48
		name := fmt.Sprintf("A = %s, B = %s", p.A, p.B)
		if r := []rune(name); len(r) > 2*maxLength {
			cut := func(m json.RawMessage) string {
				if r := []rune(string(m)); len(r) > maxLength {
					return string(r[:maxLength]) + "…"
				}
				return string(m)
			}
			name = fmt.Sprintf("pair %d: A = %s, B = %s", i+1, cut(p.A), cut(p.B))
		}
		out = append(out, inputs.Pair[json.RawMessage]{Name: name, A: p.A, B: p.B})
	}
	return out
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Check returns an error if the claim cannot be audited.
func (s *Subject) Check() error {
	if !slices.Contains(Precisions, s.Precision) {
		return fmt.Errorf("%s: precision %q: want %s", s.Source, s.Precision, strings.Join(Precisions, ", "))
	}
	guarantee := s.Guarantee
	if s.Account != nil { // it is checked already, and gives the guarantee when the claim is judged
		guarantee = privacy.ApproximateDP(0, 0)
	}
	if err := guarantee.Check(); err != nil && s.Sampled() {
		return fmt.Errorf("%s: %w", s.Source, err)
	}
	if err := s.checkCanaries(); err != nil && s.Broken == nil {
		return fmt.Errorf("%s: %w", s.Source, err)
	}
	if s.Sampled() && s.isMultiRun() {
		return s.checkRuns(guarantee)
	}
	if s.Recorded != nil || !s.Sampled() {
		return nil
	}
	audit, process := s.audit(guarantee)
	check := audit.Check
	if s.Found != nil {
		found := s.found()
		found.Audit = audit
		check = found.Check
	}
	if err := errors.Join(check(), process.Check()); err != nil {
		return fmt.Errorf("%s: claim %q: %w", s.Source, s.Name, err)
	}
	return nil
}

// Sampled reports whether the subject has outputs to audit for privacy.
func (s *Subject) Sampled() bool {
	return s.Broken == nil && (s.Recorded != nil || len(s.Command) > 0 && (s.guaranteed || len(s.Stated) == 0))
}

// process returns a new process of the command.
func (s *Subject) process() *process.Process {
	return &process.Process{Command: s.Command, Dir: s.dir, Timeout: s.Reply, Memory: s.Memory, Seedless: s.Seedless,
		Env: s.Env}
}

// subjectText names the audited mechanism in a statement.
func (s *Subject) subjectText() string {
	if s.Recorded != nil && s.isMultiRun() {
		return fmt.Sprintf("the training of the runs in %s and %s", s.Recorded.A.Name, s.Recorded.B.Name)
	}
	if s.Recorded != nil || s.Outputs != nil {
		return s.recordedName()
	}
	return "the process " + reports.Shell(s.Command...)
}

// audit returns the audit of the command and its own process.
func (s *Subject) audit(g privacy.Guarantee) (privacy.Audit[json.RawMessage, any], *process.Process) {
	process := s.process()
	return privacy.Audit[json.RawMessage, any]{
		Mechanism: s.standIn(process), Pairs: s.Neighbours(), Guarantee: g, Samples: s.Samples, Anytime: s.Anytime,
		EventProbability: s.Mass, Band: true,
	}, process
}

// ID returns the id of the claim.
func (s *Subject) ID() string { return "audit/" + s.Name }

const PrecisionSuffix = "/precision"

// mechanism returns the claims about the privacy of a process or of recorded outputs, and about floating-point leaks.
func (s *Subject) mechanism() []Part {
	if !s.Sampled() {
		return nil
	}
	over := "on the given pairs of inputs"
	if s.Found != nil {
		over = s.Found.Over()
	}
	private := s.part(Audited, "", fmt.Sprintf("%s %s %s", s.subjectText(), s.privacyPredicate(), over), nil)
	bits := s.part(Bits, PrecisionSuffix, fmt.Sprintf("the low-order bits of the numbers in its outputs reveal no more "+
		"than %s allows", s.allowance()), nil)
	switch {
	case s.Recorded != nil:
		private.Work, bits.Work = Recorded, Recorded
	case s.isMultiRun():
		private.Work = Trainings
	case s.Found != nil:
		private.Work = Searched
	case s.Anytime:
		private.Work = Bets
	}
	if s.Recorded != nil && s.isMultiRun() {
		private.Claim.Statement = fmt.Sprintf("%s %s", s.subjectText(), s.privacyPredicate())
	}
	if s.isMultiRun() {
		private.Claim.Check = s.auditRuns()
		return []Part{private}
	}
	if s.Recorded != nil {
		recorded := func(g privacy.Guarantee) privacy.RecordedAudit {
			r := *s.Recorded
			r.Guarantee, r.Band = g, true
			return r
		}
		private.Claim.Check = s.privacyCheck(func(g privacy.Guarantee) verify.Check { return recorded(g) })
		bits.Claim.Check = s.privacyCheck(func(g privacy.Guarantee) verify.Check {
			return privacy.RecordedPrecision(recorded(g))
		})
	} else {
		audit, watched := s.audit(s.Guarantee)
		private.Claim.Check = process.Check{Process: watched, Check: s.privacyCheck(func(g privacy.Guarantee) verify.Check {
			audit := audit
			audit.Guarantee = g
			switch {
			case s.Bets != nil:
				return privacy.RunsAudit[json.RawMessage, any]{Audit: audit, Bets: s.Bets}
			case s.Found == nil:
				return audit
			}
			found := s.found()
			found.Audit = audit
			return found
		})}
		other := s.process()
		bits.Claim.Check = process.Check{Process: other,
			Check: s.privacyCheck(func(g privacy.Guarantee) verify.Check { return s.floatingPoint(g, other) })}
		s.Processes = append(s.Processes, watched, other)
	}
	if few := s.Anytime && s.Samples < privacy.MinSamples; s.Precision == precisionOff || few {
		return []Part{private}
	}
	return []Part{private, bits}
}

// Digest identifies the audited claims. It does not depend on working directories, time and memory limits or the
// programs themselves, which differ between machines.
func Digest(subjects []Subject) string {
	h := sha256.New()
	for _, s := range subjects {
		fmt.Fprintf(h, "%q %q %v %s %d %q %v %v %d\n", s.Name, s.Command, s.Guarantee, s.Account, s.Samples, s.Precision,
			s.Anytime, s.Mass, len(s.Pairs))
		if points, ok := s.Guarantee.Curve(); ok {
			fmt.Fprintf(h, "%v\n", points)
		}
		for _, p := range s.Pairs {
			fmt.Fprintf(h, "%q %q\n", p.A, p.B)
		}
		for _, made := range s.Stated {
			fmt.Fprintf(h, "%s\n", made)
		}
		fmt.Fprintf(h, "%v%v%v\n", s.Seedless, s.Found, s.event)
		if c := s.canaries; c != nil {
			fmt.Fprintf(h, "%s %v %v\n", c.Scores.Digest(), c.Event, c.Chance)
		}
		if l := s.training; l != nil {
			fmt.Fprintf(h, "%x %v\n", l.digest, l.Claimed)
		}
		if s.Replay {
			fmt.Fprintln(h, "replay")
		}
		if s.Env != nil {
			fmt.Fprintf(h, "env %q\n", s.Env)
		}
		if r := s.Recorded; r != nil {
			fmt.Fprintf(h, "%q %#v %q %#v\n", r.A.Name, r.A.Outputs, r.B.Name, r.B.Outputs)
		}
		if r := s.Outputs; r != nil {
			fmt.Fprintf(h, "%q %#v\n", r.Name, r.Outputs)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}

// GuaranteeFlags holds the flags that claim a guarantee.
type GuaranteeFlags struct {
	epsilon, delta, rho, mu, order, renyi float64

	Curve string // path of a privacy curve
}

var GuaranteeNames = []string{"epsilon", "delta", "rho", "mu", "renyi-order", "renyi-epsilon", "curve"}

func (g *GuaranteeFlags) Add(c *cobra.Command) {
	flags := c.Flags()
	flags.Float64Var(&g.epsilon, "epsilon", 0, "claimed `ε`")
	flags.Float64Var(&g.delta, "delta", 0, "claimed `δ`, with --epsilon; 0 is pure privacy")
	flags.Float64Var(&g.rho, "rho", 0, "claimed `ρ` of zCDP")
	flags.Float64Var(&g.mu, "mu", 0, "claimed `μ` of Gaussian privacy")
	flags.Float64Var(&g.order, "renyi-order", 0, "`ORDER` of a Rényi guarantee, above 1")
	flags.Float64Var(&g.renyi, "renyi-epsilon", 0, "claimed Rényi divergence `ε` of that order")
}

// fields returns the given flags.
func (g *GuaranteeFlags) fields(flags *pflag.FlagSet) guaranteeFields {
	given := func(name string, x *float64) *float64 {
		if flags.Changed(name) {
			return x
		}
		return nil
	}
	return guaranteeFields{
		Epsilon: given("epsilon", &g.epsilon), Delta: given("delta", &g.delta), Rho: given("rho", &g.rho),
		Mu: given("mu", &g.mu), Order: given("renyi-order", &g.order), Renyi: given("renyi-epsilon", &g.renyi),
		Curve: g.Curve,
	}
}

var errNoClaim = errors.New("no claim: want one of --epsilon (with --delta), --rho, --mu, --curve, or " +
	"--renyi-order with --renyi-epsilon")

func (g *GuaranteeFlags) Value(flags *pflag.FlagSet) (privacy.Guarantee, error) {
	fields := g.fields(flags)
	if fields == (guaranteeFields{Curve: fields.Curve}) && fields.Curve != "" {
		return guarantee.OpenCurve(fields.Curve)
	}
	guarantee, ok := fields.guarantee()
	if !ok {
		return guarantee, errNoClaim
	}
	return guarantee, guarantee.Check()
}

// guaranteeFields holds the given parameters of a guarantee.
type guaranteeFields struct {
	Epsilon *float64 `yaml:"epsilon"`
	Delta   *float64 `yaml:"delta"`
	Rho     *float64 `yaml:"rho"`
	Mu      *float64 `yaml:"mu"`
	Order   *float64 `yaml:"alpha"`
	Renyi   *float64 `yaml:"renyi"`

	GaussianMu *float64 `yaml:"gaussian-mu"` // an alias of mu
	Curve      string   `yaml:"curve" want:"the file of a privacy curve, as in curve.csv"`
	Account    any      `yaml:"account"`
}

// guarantee returns the guarantee. It reports ok only if exactly one is given, with all of its parameters.
func (f guaranteeFields) guarantee() (g privacy.Guarantee, ok bool) {
	ways := 0
	if f.Epsilon != nil {
		ways++
		delta := 0.0
		if f.Delta != nil {
			delta = *f.Delta
		}
		g = privacy.ApproximateDP(*f.Epsilon+0, delta+0) // turns -0 into 0
	}
	if f.Rho != nil {
		ways++
		g = privacy.ZeroConcentratedDP(*f.Rho)
	}
	for _, mu := range []*float64{f.Mu, f.GaussianMu} {
		if mu != nil {
			ways++
			g = privacy.GaussianDP(*mu)
		}
	}
	if f.Order != nil && f.Renyi != nil {
		ways++
		g = privacy.RenyiDP(*f.Order, *f.Renyi)
	}
	whole := (f.Order == nil) == (f.Renyi == nil) && (f.Delta == nil || f.Epsilon != nil) && f.Curve == "" &&
		f.Account == nil
	return g, ways == 1 && whole
}

// Modes of the floating-point probe.
const (
	precisionOff  = "off"
	PrecisionWarn = "warn"
	precisionFail = "fail"
)

var Precisions = []string{precisionOff, PrecisionWarn, precisionFail}

// Number of samples of each input of each pair at the standard budget.
const (
	DefaultSamples   = 200_000
	precisionSamples = 20_000 // at most; a leak through low-order bits is large
)
