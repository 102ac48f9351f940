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

// Part names one of the four statements about a release. Each is judged separately.
type Part string

// Each constant is the last element of its claim's id.
const (
	Flow        Part = "flow"        // both runs make the same calls, in the same order, with the same scales
	Sensitivity Part = "sensitivity" // the values given to each call differ by at most its declared sensitivity
	Release     Part = "release"     // the output is a function of the values that the calls released
	Account     Part = "account"     // the total privacy loss of the calls is at most the claimed one
)

// Parts lists all parts, in report order.
var Parts = []Part{Flow, Sensitivity, Release, Account}

// statements holds the statement of each part except [Account], whose statement contains the claim.
var statements = map[Part]string{
	Flow:        "neighboring inputs make the same calls of primitives if these release the same values",
	Sensitivity: "between neighbors, the values given to each primitive differ by at most its declared sensitivity",
	Release:     "the output is a function of the values released by the primitives",
}

// Replay checks a release whose output is to depend on the input only through noise primitives. It records one run on
// an input and replays it on a neighbor; see the package documentation. It tries the given pairs, drawn pairs and
// pairs from a space. A local search then continues from the pairs that come nearest to breaking the part.
type Replay[D any] struct {
	Subject Subject[D] // for example a [Mechanism]
	// Claim is the guarantee that the account is compared with. If it is the zero value, [Account] is not judged.
	Claim privacy.Guarantee
	Given []inputs.Pair[D]
	// Space provides further pairs and the smaller pairs that a counterexample is shrunk to. Draw draws further
	// pairs. Smaller returns simpler pairs if the space has none. Each may be nil.
	Space   inputs.PairSpace[D]
	Draw    func(r *rand.Rand) inputs.Pair[D]
	Smaller func(p inputs.Pair[D]) []inputs.Pair[D]
	// Pairs is the number of pairs to try at the standard budget, in addition to the given ones and the edges of the
	// space; 0 means 300. Shrinking a counterexample may try the same number again.
	Pairs int64
}

// defaultPairs is large enough for the search to settle. Each pair takes six runs.
const defaultPairs = 300

// Check returns an error that names the first invalid parameter.
func (p Replay[D]) Check() error {
	switch {
	case p.Subject == nil:
		return errors.New("replay: no mechanism: set Subject")
	case len(p.Given) == 0 && p.Space == nil && p.Draw == nil:
		return errors.New("replay: no pairs of inputs: set Given, Space or Draw")
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

// Parts returns the parts that p judges: all of them if there is a claim, else all but [Account].
func (p Replay[D]) Parts() []Part {
	if p.Claim == (privacy.Guarantee{}) {
		return Parts[:3]
	}
	return Parts
}

// Statement returns the statement of a part.
func (p Replay[D]) Statement(part Part) string {
	if part == Account {
		return fmt.Sprintf("the total privacy loss of the primitives between neighboring inputs is %s", p.Claim)
	}
	return statements[part]
}

// PartCheck returns the check of one part.
func (p Replay[D]) PartCheck(part Part) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		f, err := p.Find(ctx, s, part)
		if err != nil {
			return nil, err
		}
		return verify.Decided(f.Evidence), nil
	})
}

// Finding is the result of a search for pairs that break a part.
type Finding[D any] struct {
	verify.Evidence
	Smallest *inputs.Pair[D] // the smallest pair that breaks the part; nil if none was found
	How      string          // how it breaks the part: the call, its place, and the values given to it on both inputs
}

// errNotRepeated reports that replaying a run on its own input does not reproduce it.
type errNotRepeated struct{ how string }

func (e errNotRepeated) Error() string {
	return "a run replayed on its own input differs from the recording: " + e.how + "; the release draws randomness " +
		"outside its generator or keeps state, so a replay cannot judge it: draw all noise by primitives, and other " +
		"coins from the given generator"
}

// Find searches for a pair that breaks the part. It returns an error if the parameters are invalid, the part is not
// judged, or no pair of different inputs exists.
func (p Replay[D]) Find(ctx context.Context, s verify.Settings, part Part) (Finding[D], error) {
	if err := p.Check(); err != nil {
		return Finding[D]{}, err
	}
	if !slices.Contains(p.Parts(), part) {
		return Finding[D]{}, fmt.Errorf("replay: the part %q does not exist or has no claim: want one of %v", part,
			p.Parts())
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
	var again errNotRepeated
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

// replaying is the state of one search.
type replaying[D any] struct {
	Replay[D]
	ctx      context.Context
	part     Part
	accounts accounts
	seeds    *rand.Rand
	// unclear counts the replays without a conclusion; reason explains the first.
	unclear int
	doubts  int // findings that were re-examined; see maxDoubts
	reason  string
	follows map[caller]bool // calls that were given different values on the two inputs of some pair
	// open explains why no pair can refute the account: some finding did not hold when the other calls released other
	// values. A further pair could hold only by chance.
	open string
	// withstood records that one finding held under many redraws of the other calls.
	withstood bool
	// tests counts the runs that test what the output reveals; work counts the calls and output numbers in them.
	tests, work int
}

// shown is the result of one pair for a part.
type shown struct {
	// value guides the search: it is larger if the pair is closer to breaking the part, and +Inf for a break without a
	// figure.
	value   float64
	broken  bool
	how     string // how the pair breaks the part, in one sentence
	at      int    // index of the call that breaks it; the number of calls if the output does
	claimed float64
	// measured is the sensitivity or cost found; rounding explains at most slack of it.
	measured, slack float64
	quantity        string
}

// measure replays a run on A on B, and a run on B on A. It returns the worse result.
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

// confirmed judges a comparison and re-examines a break. A break that does not hold is returned as no break, and its
// reason is recorded.
func (s *replaying[D]) confirmed(seed uint64, p inputs.Pair[D], c comparison) (shown, error) {
	m, err := s.judge(c)
	if err != nil || !m.broken {
		return m, err
	}
	near, reason := shown{value: 1}, "the search found more breaks than it re-examines"
	if s.part == Account {
		near.value = s.Claim.Value()
	}
	if s.doubts++; s.doubts <= maxDoubts {
		reason, err = s.doubt(seed, p, c, m.at)
		if err == nil && reason == "" && s.part == Account {
			m, reason, err = s.doubtBill(seed, p, c)
		}
	}
	if err != nil || reason == "" {
		return m, err
	}
	if s.notClear(reason); s.doubts <= maxDoubts {
		s.reason = reason // the reason of a re-examined finding is the most informative
	}
	return near, nil
}

func (s *replaying[D]) notClear(reason string) {
	if s.unclear++; s.reason == "" {
		s.reason = reason
	}
}

// compare records a run on A and compares its replay on B with it. It returns [errNotRepeated] if a replay on A does
// not reproduce the run.
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
		return comparison{}, errNotRepeated{how}
	}
	b, err := s.Subject.Run(seed, p.B, a.Calls)
	if err != nil {
		return comparison{}, err
	}
	c := compare(a, b)
	first := slices.IndexFunc(a.Calls, drawsPerRecord)
	if first < 0 || first >= len(b.Calls) || !drawsPerRecord(b.Calls[first]) || c.clean() {
		return c, nil
	}
	return s.coupled(seed, p.B, c, first)
}

// drawsPerRecord reports whether a call draws one coin or position for each record.
func drawsPerRecord(c Call) bool {
	return c.Kind == primitive.Poisson || c.Kind == primitive.Permutation
}

// coupled searches for a coupling of the records' coins in A and B under which the two runs do not differ. The
// numbers of records are read from the first call that draws such coins.
func (s *replaying[D]) coupled(seed uint64, b D, c comparison, first int) (comparison, error) {
	n, m := int(c.a.Calls[first].Value[0]), int(c.b.Calls[first].Value[0])
	all := couplings(n, m)
	if all == nil {
		if c.undecided == "" {
			c.undecided = fmt.Sprintf("coins are drawn for %d records in A and %d in B: too many to try every way to "+
				"match them; smaller inputs can be judged", n, m)
		}
		c.moves, c.parted, c.outputs = c.moves[:min(first, len(c.moves))], false, ""
		return c, nil
	}
	a := c.a
	for i, by := range all {
		replay := Run{Calls: by.apply(a.Calls), Output: a.Output}
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

// clean reports whether the comparison breaks no part, except possibly the account.
func (c comparison) clean() bool {
	_, broken := c.steps()
	return !c.parted && c.outputs == "" && broken < 0 && c.undecided == ""
}

// steps returns the largest ratio of a distance to its declared sensitivity, and the index of the first call that
// exceeds its sensitivity, or −1.
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

// unlike describes how a run differs from its replay on the same input; "" if it does not.
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
