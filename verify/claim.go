package verify

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/dpverify/dpverify/empirical"
)

// Claim is a statement that can be true or false, with the check that decides it.
type Claim struct {
	ID        string // for example "prestige/lemma-2" or "prestige/lemma-2/corrected"
	Paper     string // part of the ID before the first slash
	Source    string // short form of the place, such as "Lemma 2, eq. (11)"; "" means Place up to its first colon
	Origin    Origin // whose statement it is; "" for a user's own claims
	Place     string // place in the source: the paragraph, the line of an algorithm, or the lines that imply it
	Statement string // statement in our own words
	Kind      Kind
	Check     Check
	Control   Control // positive or negative control, required except for untestable claims
	Corrected string  // ID of the claim that corrects this one, or ""
	Weight    float64 // weight of its share of alpha; 0 means 1
	// Formerly lists ids from older ledgers that refer to this claim: its own earlier ids and those of
	// claims merged into it.
	Formerly []string
}

// Mechanism is an audited mechanism: a randomized map from an input to an output. Release must take all its
// randomness from r.
type Mechanism[D, O any] interface {
	Release(r *rand.Rand, input D) (O, error)
}

// BatchMechanism is a Mechanism that can fill a slice of outputs at once. It may reuse the previous contents of
// out, so that repeated calls need not allocate.
type BatchMechanism[D, O any] interface {
	ReleaseN(r *rand.Rand, input D, out []O) error
}

// Settings holds the settings of one run of a check.
type Settings struct {
	Budget Budget
	Alpha  float64        // share of this claim
	Drawn  float64        // share of this claim in the run that drew the samples; 0 means Alpha
	Seed   empirical.Seed // seed of this claim
	Data   string         // directory of data files, or ""; see [MissingData]
	// Pool is the pool of the run; [Judge] sets it. Prepare holds one of its slots and distributes work
	// over the others with [empirical.Each]. With nil there is only that slot.
	Pool *empirical.Pool
	// Searching is called while Prepare tries candidates, from one goroutine at a time. May be nil. See
	// [Settings.Looks].
	Searching func(Searched)
}

// Searched counts the candidates of a search in Prepare.
type Searched struct {
	Done, Total int    // number of tried candidates, and of candidates to try
	Smaller     int    // number of later candidates that shrink the best one
	Noun        string // plural, such as "pairs of inputs"
}

// Looks returns a function to call after each of n candidates. It reports the number of finished candidates to
// Searching and is safe for concurrent use.
func (s Settings) Looks(n int) func() {
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; s.Searching != nil {
			s.Searching(Searched{Done: done, Total: n})
		}
	}
}

// Stream returns the random stream of a purpose within Prepare. Certifying samples come from shards, whose seeds
// differ from those of all purposes. A purpose consists of a word of the check and the indices in the check's own
// lists. Names of pairs or cells are not suitable, because they may be equal.
func (s Settings) Stream(purpose ...string) *rand.Rand { return s.purpose(purpose).Rand() }

// Common returns a stream for several uses of the same random numbers, see [empirical.Seed.Common].
func (s Settings) Common(purpose ...string) *rand.Rand { return s.purpose(purpose).Common() }

func (s Settings) purpose(labels []string) empirical.Seed {
	return s.Seed.Derive(append([]string{"prepare"}, labels...)...)
}

// Part returns settings with a share of alpha and their own seed.
func (s Settings) Part(share float64, labels ...string) Settings {
	s.Alpha, s.Drawn, s.Seed = s.Alpha*share, s.Drawn*share, s.Seed.Derive(labels...)
	return s
}

// DrawnAlpha returns the share of alpha for which the samples were drawn. Statistics that depend on it, such as sums on
// a grid, can be judged at another Alpha.
func (s Settings) DrawnAlpha() float64 {
	if s.Drawn > 0 {
		return s.Drawn
	}
	return s.Alpha
}

// Check defines how a statement is measured.
type Check interface {
	Prepare(context.Context, Settings) (Trial, error)
}

// CheckFunc adapts a Prepare function to a Check.
type CheckFunc func(context.Context, Settings) (Trial, error)

func (f CheckFunc) Prepare(ctx context.Context, s Settings) (Trial, error) { return f(ctx, s) }

// Trial is a check after all its choices: it is sampled, then judged.
type Trial interface {
	empirical.Experiment
	Judge(empirical.Tally) (Evidence, error)
}

// Control is the opposite case, judged by the same check. For a false claim it is a positive control, a correct
// version that the check must not refute. For a true claim it is a negative control, with a known fault that the
// check must refute. It shows that the check can reach both verdicts.
type Control struct {
	Check Check
	Want  []Verdict // verdicts that show that the check works
	Fault string    // fault of the control, or why it is correct
}

// Decided is the trial of a check that needs no samples.
type Decided Evidence

func (Decided) Plan() empirical.Plan      { return empirical.Plan{} }
func (Decided) NewTally() empirical.Tally { return empirical.NoTally{} }
func (Decided) Sample(context.Context, empirical.Shard) (empirical.Tally, error) {
	return empirical.NoTally{}, nil
}
func (d Decided) Judge(empirical.Tally) (Evidence, error) { return Evidence(d), nil }

// Budget is [empirical.Budget], for use with [Settings].
type Budget = empirical.Budget

const (
	Quick    = empirical.Quick
	Standard = empirical.Standard
	Thorough = empirical.Thorough
)

// Sense is the relation between the measured and the claimed side.
type Sense string

const (
	Equals  Sense = "="
	AtMost  Sense = "≤"
	Below   Sense = "<"
	AtLeast Sense = "≥"
	Above   Sense = ">"
)

// Origin states whose statement a claim is. A user's claim has none.
type Origin string

const (
	Stated  Origin = "stated"  // the paper states it at the claim's place
	Implied Origin = "implied" // it follows immediately from the lines of the paper at the place
	Program Origin = "program" // the published program of the paper does it

	// The following statements are ours. Summaries count them separately from the paper's statements.
	Reading     Origin = "reading"     // our reading of an ambiguous statement of the paper
	Correction  Origin = "correction"  // corrects a false claim; not stated in the paper
	Observation Origin = "observation" // consequence at a setting of the paper
)

// Ours reports whether the statement is ours, not one of the paper, its program or a user.
func (o Origin) Ours() bool { return o == Reading || o == Correction || o == Observation }

// Words returns the origin as a phrase before the place.
func (o Origin) Words() string {
	switch o {
	case Stated:
		return "stated in"
	case Implied:
		return "implied by"
	case Reading:
		return "our reading of"
	case Program:
		return "of the published program"
	case Correction:
		return "our correction of"
	case Observation:
		return "our observation at"
	}
	return ""
}
