package verify

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/dpverify/dpverify/empirical"
)

// Claim is one statement that can be true or false, and the way to find out.
type Claim struct {
	ID        string // "prestige/lemma-2", "prestige/lemma-2/corrected"
	Paper     string // the part of the ID before the first slash
	Source    string // the place in short: "Lemma 2, eq. (11)"; "" takes it from Place, up to the first colon
	Origin    Origin // whose statement it is; "" is not known, as of a user's own claims
	Place     string // where it stands, to the paragraph, the line of an algorithm, or the lines that imply it
	Statement string // in our own words
	Kind      Kind
	Check     Check
	Control   Control // the positive or negative control; required but for untestable claims
	Corrected string  // ID of the claim that repairs this one, if there is one
	Weight    float64 // of its share of alpha; 0 means 1
	// Formerly are ids of older ledgers that this claim answers to: its own, and those of
	// claims that became one with it.
	Formerly []string
}

// Mechanism is what is audited: a randomised map from an input to an output.
// Release must take all its randomness from r.
type Mechanism[D, O any] interface {
	Release(r *rand.Rand, input D) (O, error)
}

// BatchMechanism is a Mechanism that can fill a slice of outputs at a time. It
// may reuse what out holds, so that repeated calls need not allocate.
type BatchMechanism[D, O any] interface {
	ReleaseN(r *rand.Rand, input D, out []O) error
}

// Settings of one run of one check.
type Settings struct {
	Budget Budget
	Alpha  float64        // this claim's share
	Seed   empirical.Seed // this claim's seed
	Data   string         // directory of data files; "" if there is none: see [MissingData]
	// Pool is the run's, which [Judge] puts here. Prepare has one of its slots, and divides
	// work over the others by [empirical.Each]. Nil is that slot alone.
	Pool *empirical.Pool
	// Searching is called while Prepare tries candidates, from one goroutine at a time; may be nil. See [Settings.Looks].
	Searching func(Searched)
}

// Searched counts the candidates of a search in Prepare.
type Searched struct {
	Done, Total int    // candidates that were tried, and that are to be tried
	Smaller     int    // candidates that were tried after those, to shrink the best one
	Noun        string // a plural: "pairs of inputs"
}

// Looks returns a function to call after each of n candidates. It tells Searching how many of the n are done, and is
// safe for concurrent use.
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

// Stream returns the random stream of a purpose within Prepare. The samples
// that certify come from shards, whose seeds no purpose shares. A purpose is a word of
// the check and the places of what it is for, in the check's own lists: names that
// somebody else gives, of pairs or of cells, may be equal.
func (s Settings) Stream(purpose ...string) *rand.Rand { return s.purpose(purpose).Rand() }

// Common returns the stream of a purpose for several uses on the same coins, as
// [empirical.Seed.Common] does.
func (s Settings) Common(purpose ...string) *rand.Rand { return s.purpose(purpose).Common() }

func (s Settings) purpose(labels []string) empirical.Seed {
	return s.Seed.Derive(append([]string{"prepare"}, labels...)...)
}

// Part is a share of the settings' alpha with a seed of its own.
func (s Settings) Part(share float64, labels ...string) Settings {
	s.Alpha, s.Seed = s.Alpha*share, s.Seed.Derive(labels...)
	return s
}

// Check chooses how a statement is measured.
type Check interface {
	Prepare(context.Context, Settings) (Trial, error)
}

// CheckFunc is a Check made of its Prepare.
type CheckFunc func(context.Context, Settings) (Trial, error)

func (f CheckFunc) Prepare(ctx context.Context, s Settings) (Trial, error) { return f(ctx, s) }

// Trial is a check with all its choices made: it is sampled, then judged.
type Trial interface {
	empirical.Experiment
	Judge(empirical.Tally) (Evidence, error)
}

// Control is a claim's control, judged by the same check: where the claim is false, a positive
// control, the sound version, on which the check must not refute; where it is true, a negative
// control with a known fault, on which it must. It shows that the check can judge either way.
type Control struct {
	Check Check
	Want  []Verdict // the verdicts that show that the check can judge this way
	Fault string    // what is wrong with the twin, or what is right with it
}

// Decided is the trial of a check that needs no samples.
type Decided Evidence

func (Decided) Plan() empirical.Plan      { return empirical.Plan{} }
func (Decided) NewTally() empirical.Tally { return empirical.NoTally{} }
func (Decided) Sample(context.Context, empirical.Shard) (empirical.Tally, error) {
	return empirical.NoTally{}, nil
}
func (d Decided) Judge(empirical.Tally) (Evidence, error) { return Evidence(d), nil }

// Budget is [empirical.Budget], under the name that goes with [Settings].
type Budget = empirical.Budget

const (
	Quick    = empirical.Quick
	Standard = empirical.Standard
	Thorough = empirical.Thorough
)

// Sense is how the measured side of a relation stands to the claimed side.
type Sense string

const (
	Equals  Sense = "="
	AtMost  Sense = "≤"
	Below   Sense = "<"
	AtLeast Sense = "≥"
	Above   Sense = ">"
)

// Origin says whose statement a claim is. A claim of a user has none.
type Origin string

const (
	Stated  Origin = "stated"  // the paper says it, at the claim's place
	Implied Origin = "implied" // it follows at once from the lines of the paper that the place names
	Program Origin = "program" // the published program that the paper names does it

	// The following statements are ours. Summaries count them apart from those of the paper.
	Reading     Origin = "reading"     // our reading of an ambiguous statement of the paper
	Correction  Origin = "correction"  // corrects a claim that fails; the paper does not say it
	Observation Origin = "observation" // what follows at a setting of the paper
)

// Ours reports whether the statement is ours and not of the paper, its program or a user.
func (o Origin) Ours() bool { return o == Reading || o == Correction || o == Observation }

// Words is an origin within a sentence, before the place.
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
