package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Part is a statement about a release, judged by itself.
type Part string

// The parts, by the last element of their ids.
const (
	Flow        Part = "flow"        // the calls are the same, in the same order, with the same scales
	Sensitivity Part = "sensitivity" // what the calls are given differs by at most what they declare
	Release     Part = "release"     // what is put out is a function of what the calls released
	Account     Part = "account"     // what the calls cost together is within the claim
)

// Parts lists all parts, in the order in which they are told.
var Parts = []Part{Flow, Sensitivity, Release, Account}

// statements of the parts, but for the account, which has the claim.
var statements = map[Part]string{
	Flow:        "neighbouring inputs make the same calls of primitives, where these release the same",
	Sensitivity: "between neighbours, what primitives are given differs by at most the sensitivity that they declare",
	Release:     "the output is a function of what the primitives released",
}

// Replay checks a release whose every dependence on its input is to pass through primitives. It records one run
// on an input and replays it on a neighbour; see the package documentation. Pairs are those given, drawn, and
// of a space, where a local search goes on from those that come nearest to breaking the part.
type Replay[D any] struct {
	Subject Subject[D] // such as a [Mechanism]
	// Claim is what the account is held against; the zero value is none, and [Account] is then no part.
	Claim privacy.Guarantee
	Given []inputs.Pair[D]
	// Space has further pairs, and the smaller ones to which a finding is shrunk; Draw draws further
	// pairs, and Smaller are those simpler than one for which the space has none. Each may be nil.
	Space   inputs.PairSpace[D]
	Draw    func(r *rand.Rand) inputs.Pair[D]
	Smaller func(p inputs.Pair[D]) []inputs.Pair[D]
	// Pairs to try beyond those given and the edges of the space, at the standard budget; 0 means 300. As many again
	// may be tried to shrink a finding.
	Pairs int64
}

// defaultPairs are enough for the search to settle: each is six runs.
const defaultPairs = 300

// Check names what is wrong with the parameters.
func (p Replay[D]) Check() error {
	switch {
	case p.Subject == nil:
		return errors.New("replay: no mechanism")
	case len(p.Given) == 0 && p.Space == nil && p.Draw == nil:
		return errors.New("replay: no pairs of inputs, and nowhere to take them from")
	case p.Pairs < 0:
		return fmt.Errorf("replay: %d pairs: want a number ≥ 0", p.Pairs)
	}
	if p.Claim != (privacy.Guarantee{}) {
		if err := p.Claim.Check(); err != nil {
			return err
		}
	}
	if p.Space != nil {
		if err := p.Space.Check(); err != nil {
			return err
		}
	}
	return inputs.CheckPairs(p.Given)
}

// Parts of this check.
func (p Replay[D]) Parts() []Part {
	if p.Claim == (privacy.Guarantee{}) {
		return Parts[:3]
	}
	return Parts
}

// Statement of a part.
func (p Replay[D]) Statement(part Part) string {
	if part == Account {
		return fmt.Sprintf("what the primitives cost together between neighbouring inputs is %s", p.Claim)
	}
	return statements[part]
}

// PartCheck is the check of a part.
func (p Replay[D]) PartCheck(part Part) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		f, err := p.Find(ctx, s, part)
		if err != nil {
			return nil, err
		}
		return verify.Decided(f.Evidence), nil
	})
}

// Finding is the outcome of a search for pairs that break a part.
type Finding[D any] struct {
	verify.Evidence
	Smallest *inputs.Pair[D] // the smallest that does; nil where none was found
	How      string          // it does, with the call, its place, and what it is given on either side
}

// errAgain is a release that a replay on its own input does not repeat.
type errAgain struct{ how string }

func (e errAgain) Error() string {
	return "a run that is replayed on its own input differs from itself: " + e.how + "; the release draws from " +
		"elsewhere, or keeps a state, and no replay can judge it: draw all noise by primitives, and other coins from the " +
		"generator that is given"
}

// Find searches for a pair that breaks the part.
func (p Replay[D]) Find(ctx context.Context, s verify.Settings, part Part) (Finding[D], error) {
	if err := p.Check(); err != nil {
		return Finding[D]{}, err
	}
	if !slices.Contains(p.Parts(), part) {
		return Finding[D]{}, fmt.Errorf("replay: the part %q is none, or has no claim: want one of %v", part, p.Parts())
	}
	if p.Pairs == 0 {
		p.Pairs = defaultPairs
	}
	run := &replaying[D]{Replay: p, ctx: ctx, part: part, accounts: accountsFor(p.Claim),
		seeds: s.Stream("runs"), follows: map[caller]bool{}}
	found, err := inputs.PairSearch[D, shown]{Given: p.Given, Space: p.Space, Draw: p.Draw, Smaller: p.Smaller,
		Evaluations: s.Budget.Samples(p.Pairs),
		Stream:      func(purpose string) *rand.Rand { return s.Stream(purpose) },
		Measure:     run.measure,
		Value:       func(m shown) float64 { return m.value },
		Broken:      func(m shown) bool { return m.broken },
	}.Run()
	var again errAgain
	switch {
	case errors.As(err, &again):
		e, err := verify.JudgeStatistics(Method, statistics{Part: part, Again: err.Error()}, verify.Settings{})
		return Finding[D]{Evidence: e}, err
	case err != nil:
		return Finding[D]{}, err
	case found.Tried == 0:
		return Finding[D]{}, errors.New("replay: no pair of different inputs was found")
	}
	return run.finding(found)
}

// replaying is a search.
type replaying[D any] struct {
	Replay[D]
	ctx      context.Context
	part     Part
	accounts accounts
	seeds    *rand.Rand
	// unclear are pairs about which nothing could be concluded, the first with its reason.
	unclear int
	doubts  int // findings that were looked into
	reason  string
	follows map[caller]bool // calls that were given something else for a neighbour
	// open says why no pair can break the account: a finding did not withstand other releases, which it may only by
	// chance on further pairs.
	open string
	// withstood says that a finding withstood many releases.
	withstood bool
	// tests of what the output shows: runs, and calls and numbers in them.
	tests, work int
}

// shown is what a pair shows of a part.
type shown struct {
	value   float64 // how near it comes to breaking the part, or +Inf
	broken  bool
	how     string // how it breaks it, in one sentence
	at      int    // the call that does; their number where it is the output
	claimed float64
	// measured figure of sensitivities and accounts, and what of it rounding may have done.
	measured, slack float64
	quantity        string
}

// measure replays A on B and B on A: the worse counts.
func (s *replaying[D]) measure(p inputs.Pair[D]) (shown, error) {
	if s.ctx.Err() != nil {
		return shown{}, context.Cause(s.ctx)
	}
	unchanged, seed := inputs.Unchanged("mechanism", inputs.PairKey, p), s.seeds.Uint64()
	var worse shown
	for i, q := range []inputs.Pair[D]{p, p.Swapped()} {
		c, err := s.compare(seed, q)
		if err != nil {
			return shown{}, err
		}
		if err := unchanged(); err != nil {
			return shown{}, err
		}
		if s.note(c); i == 1 {
			c.names = [2]string{"B", "A"}
		}
		m, err := s.confirmed(seed, q, c)
		if err != nil {
			return shown{}, err
		}
		if i == 0 || m.value > worse.value {
			worse = m
		}
		if c.undecided != "" && !m.broken {
			s.notClear(c.undecided)
		}
	}
	return worse, nil
}

// confirmed judges a comparison; what is found there and in doubt is none.
func (s *replaying[D]) confirmed(seed uint64, p inputs.Pair[D], c comparison) (shown, error) {
	m, err := s.judge(c)
	if err != nil || !m.broken {
		return m, err
	}
	near, reason := shown{value: 1}, "there are more findings than are looked into"
	if s.part == Account {
		near.value = s.Claim.Value()
	}
	if s.doubts++; s.doubts <= mostDoubts {
		reason, err = s.doubt(seed, p, c, m.at)
		if err == nil && reason == "" && s.part == Account {
			m, reason, err = s.doubtBill(seed, p, c)
		}
	}
	if err != nil || reason == "" {
		return m, err
	}
	if s.notClear(reason); s.doubts <= mostDoubts {
		s.reason = reason // it comes before others
	}
	return near, nil
}

func (s *replaying[D]) notClear(reason string) {
	if s.unclear++; s.reason == "" {
		s.reason = reason
	}
}

// compare the run on B that replays A with the one on A.
func (s *replaying[D]) compare(seed uint64, p inputs.Pair[D]) (comparison, error) {
	a, err := s.Subject.Run(seed, p.A, nil)
	if err != nil {
		return comparison{}, err
	}
	again, err := s.Subject.Run(seed, p.A, a.Calls)
	if err != nil {
		return comparison{}, err
	}
	if how := unlike(a, again); how != "" {
		return comparison{}, errAgain{how}
	}
	b, err := s.Subject.Run(seed, p.B, a.Calls)
	if err != nil {
		return comparison{}, err
	}
	c := compare(a, b)
	first := slices.IndexFunc(a.Calls, records)
	if first < 0 || first >= len(b.Calls) || !records(b.Calls[first]) || c.clean() {
		return c, nil
	}
	return s.coupled(seed, p.B, c, first)
}

// records tells the coins that belong to records.
func records(c Call) bool { return c.Kind == primitive.Poisson || c.Kind == primitive.Permutation }

// coupled looks for a coupling of the coins of the records of A and of B, of which those of the first such call
// are as many as there are, under which the two runs do not differ.
func (s *replaying[D]) coupled(seed uint64, b D, c comparison, first int) (comparison, error) {
	n, m := int(c.a.Calls[first].Value[0]), int(c.b.Calls[first].Value[0])
	all := couplings(n, m)
	if all == nil {
		if c.undecided == "" {
			c.undecided = fmt.Sprintf("coins are drawn for %d records in A and %d in B: too many to go through which of them "+
				"belong together; smaller inputs can be judged", n, m)
		}
		c.moves, c.parted, c.outputs = c.moves[:min(first, len(c.moves))], false, ""
		return c, nil
	}
	a := c.a
	for i, by := range all {
		replay := Run{Calls: by.of(a.Calls), Output: a.Output}
		run, err := s.Subject.Run(seed, b, replay.Calls)
		if err != nil {
			return c, err
		}
		with := compare(replay, run)
		with.recorded, with.by = a.Calls, by
		if with.clean() {
			return with, nil
		}
		if i == 0 {
			c = with
		}
	}
	return c, nil
}

// clean tells that nothing is broken but, maybe, the account.
func (c comparison) clean() bool {
	_, broken := c.steps()
	return !c.parted && c.outputs == "" && broken < 0 && c.undecided == ""
}

// steps are the worst share of a declared sensitivity, and the first call that exceeds it, or −1.
func (c comparison) steps() (worst float64, broken int) {
	broken = -1
	for i, m := range c.moves {
		declared := c.a.Calls[i].Sensitivity
		if m.distance > 0 {
			worst = math.Max(worst, m.distance/declared)
		}
		if broken < 0 && m.broken(declared) {
			broken = i
		}
	}
	return worst, broken
}

// unlike says how a run differs from a replay on the same input.
func unlike(a, b Run) string {
	c := compare(a, b)
	switch i := slices.IndexFunc(c.moves, func(m move) bool { return m.distance > m.slack }); {
	case c.parted:
		return c.parting()
	case c.outputs != "":
		return c.outputs
	case i >= 0:
		return c.step(i)
	}
	return ""
}
