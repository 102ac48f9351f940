package privacy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/dependence"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// Audit checks a privacy claim of a black-box mechanism. It searches one sample for the pairs of inputs and the
// events with the largest privacy loss, then certifies that loss on independent samples.
//
// Only the lower confidence limit of the certified parameter decides. It is too high with probability at most
// alpha. The upper limit describes the chosen events and has no effect on the verdict. It is too low with
// probability at most another alpha, so the interval fails to cover with probability at most 2 alpha. The same
// holds for [RecordedAudit], [FloatingPoint] and [PairAudit].
type Audit[D, O any] struct {
	Mechanism verify.Mechanism[D, O]
	Pairs     []inputs.Pair[D]
	Guarantee Guarantee // the claim
	// Samples is the number of samples per input of each pair at the standard budget, for search and
	// certification together. It is at least [MinSamples]. A sequential audit needs at least 1, and draws
	// up to 20 to find the event by which it refutes. An input that several pairs share is sampled once for
	// each of them, and all these samples serve every such pair.
	Samples int64
	// LogLikelihood returns the logarithm of the output density at an input, if it is known. The audit then
	// searches only events of the log-likelihood ratio, which are the most powerful ones (Neyman & Pearson
	// 1933). May be nil.
	LogLikelihood func(input D, o O) float64
	// Effect is the factor by which a small violation exceeds the claimed parameter: finite and above 1; 0
	// means 1.25. A consistent audit must detect violations of the sizes Effect and EventProbability with
	// probability 0.99; see the package comment.
	Effect float64
	// EventProbability is the smallest event probability, under the input where the event is more likely,
	// at which the audit must detect a large violation. It is in [0, 1). The default, 0, means 0.01, or for
	// a claim with δ > 0 every event that can have a large violation.
	EventProbability float64
	// Anytime selects a sequential test (testing by betting), which stops as soon as the claim is refuted.
	// It needs fewer samples for a false claim and gives a weaker lower limit for a true one.
	Anytime bool
	// Band adds a lower confidence band for the whole privacy curve, simultaneously over all ε, with its
	// own error probability alpha.
	Band bool
	// Places names the first values of a list output, for reports. By default a value is named by its
	// position.
	Places []string
}

// MinSamples is the minimum number of samples per input of a pair for a fixed-size audit.
const MinSamples = verify.MinSamples

// least returns the minimum number of samples at any budget.
func (a Audit[D, O]) least() int64 {
	if a.Anytime {
		return 1
	}
	return MinSamples
}

const (
	auditShards = 32
	// viewShare is the share of the samples that choose the events of one of the two views and certify
	// those of the other. The remaining samples certify both.
	viewShare = 0.45
	// searchShare is the share of the samples that choose the event if there is only one view, or if no
	// more samples can be drawn.
	searchShare = 0.35
	// maxWitnessRows limits the memory and time of the search. The limit is maxNarrowRows if a row is one
	// number, and ten times maxWitnessRows if outputs repeat, because only distinct rows are stored.
	maxWitnessRows = 100_000
	maxNarrowRows  = 300_000
	probeRows      = 100 // samples that determine which limit applies
	// maxWitnessValues limits the number of values in a search sample if rarer events must be detected than
	// the limits above permit.
	maxWitnessValues = 1 << 23
)

var errNoPairs = errors.New("no pairs of inputs: an audit needs at least one")

// Check returns an error that names the parameter outside its domain.
func (a Audit[D, O]) Check() error {
	if len(a.Pairs) == 0 {
		return errNoPairs
	}
	if err := inputs.CheckPairs(a.Pairs); err != nil {
		return err
	}
	return a.checkHow()
}

// checkHow checks everything except the pairs.
func (a Audit[D, O]) checkHow() error {
	switch {
	case a.Mechanism == nil:
		return errors.New("no mechanism")
	case a.Anytime && a.Samples < 1:
		return fmt.Errorf("%d samples: want at least one of each input", a.Samples)
	case !a.Anytime && a.Samples < MinSamples:
		return fmt.Errorf("%d samples: want at least %d of each input, or a sequential audit (anytime)", a.Samples,
			MinSamples)
	case !(a.Effect == 0 || a.Effect > 1 && a.Effect <= math.MaxFloat64):
		return fmt.Errorf("effect %v: want a finite factor above 1", a.Effect)
	case !(a.EventProbability >= 0 && a.EventProbability < 1):
		return fmt.Errorf("event probability %v: want a number in (0, 1), or 0 for the default", a.EventProbability)
	}
	return a.Guarantee.Check()
}

// Prepare draws the search samples and chooses the pairs and events to certify.
func (a Audit[D, O]) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	t, err := a.trial(ctx, s)
	if err != nil {
		return nil, err
	}
	return t.prepare(ctx)
}

// trial returns a trial before its search for events.
func (a Audit[D, O]) trial(ctx context.Context, s verify.Settings) (*auditTrial[D, O], error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	if a.Effect == 0 {
		a.Effect = smallFactor
	}
	var repeats string
	a.Pairs, repeats = inputs.MergedPairs(a.Pairs)
	encode, err := distinguisher.Encoder[O]()
	if err != nil {
		return nil, err
	}
	total := max(a.least(), s.Budget.Samples(a.Samples))
	t := &auditTrial[D, O]{Audit: a, settings: s, encode: encode, alpha: s.Alpha, total: total}
	t.shown = diagnosis.NewShown(a.Pairs)
	t.shown.Names = a.Places
	t.warn(repeats)
	return t, t.watchSource(ctx)
}

func (t *auditTrial[D, O]) prepare(ctx context.Context) (verify.Trial, error) {
	if t.Anytime {
		return prepareAnytime(ctx, t)
	}
	t.alpha /= 2
	if err := t.plan(ctx); err != nil {
		return nil, err
	}
	found, shared, err := t.searchFolds(ctx, int(t.searched))
	if err != nil {
		return nil, err
	}
	if err := t.setViews(ctx, found, shared); err != nil {
		return nil, err
	}
	t.setMinProbability()
	t.seeRounded()
	t.warn(t.shown.ConstantWord())
	return t, nil
}

// plan determines the number of search rows per input and the number of certifying samples.
func (t *auditTrial[D, O]) plan(ctx context.Context) error {
	pair := t.Pairs[0]
	probe, err := t.sampleRows(ctx, t.settings.Stream("probe"), inputPlace{}, probeRows)
	if err != nil {
		return fmt.Errorf("pair %s: %w", pair.Name, err)
	}
	most, pooled := int64(maxWitnessRows), int64(maxPooled)
	switch {
	case probe.Distinct() <= probeRows/2:
		most *= 10
		pooled = maxPooledRepeats
	case probe.Width == 1:
		most = maxNarrowRows
	}
	t.sight = t.newSight(2, distinguisher.ScoreCount(probe))
	blind := t.unknownSmallViolation()
	most = t.sight.EnoughRows(t.wanted(), blind.mass, blind.other, most, maxWitnessValues/int64(probe.Width))
	t.lay(crossFittedDesign, most)
	t.share(pooled, t.sight.Rows(t.total), int64(probe.Width))
	t.searched, t.perShard, t.width = t.sight.Rows(t.total), t.perShardOf(t.total), probe.Width
	t.certifying = t.sight.Certifying(t.total)
	return nil
}

// perShardOf returns the number of samples per shard for a total number of samples per input.
func (t *auditTrial[D, O]) perShardOf(total int64) int64 {
	return max(1, (total-2*t.sight.Rows(total)-probeRows)/auditShards)
}

// auditTrial holds the settings of an audit and the pairs and events that it chose.
type auditTrial[D, O any] struct {
	Audit[D, O]
	settings verify.Settings
	encode   func([]float64, O) []float64
	views    []view
	others   []view       // of the other pairs, in an audit of many runs
	alpha    float64      // error probability of each view
	sharing  inputSharing // shared inputs of the pairs; the figures below apply to an input of one pair
	perShard int64        // samples of each input of each chosen pair
	// certifying is the number of samples per input of a pair that a view counts.
	certifying     int64
	searched       int64 // samples per input of a pair that choose the events of a view
	total          int64 // samples per input of a pair, for search and certification together
	width          int   // number of values in an output of the probe
	sight          *searchPower
	minProbability verify.Number // smallest event probability at which large violations are detected
	warnings       []string
	unseeded       bool // the mechanism draws its own randomness
	watches        dependence.Set[watched]
	bits           bool // rows contain low-order bits
	shown          diagnosis.Shown
	design         auditDesign
	most           int64 // maximum number of search rows
	// Reasons to withdraw a finding: overTheReals is set if the event of low-order bits distinguishes as
	// well with random bits, dependent if recorded outputs are not independent releases.
	overTheReals, dependent bool
	roundedAtom             string // reason to withdraw a consistent verdict, see rounded.go
	// For the low-order bits: the positions of the tested numbers, and whether all of them are integers.
	pick  []int
	whole bool
}

// warn adds a warning to the evidence unless it is empty.
func (t *auditTrial[D, O]) warn(word string) {
	if word != "" {
		t.warnings = append(t.warnings, word)
	}
}

// objective returns the function that the search maximizes.
func (t *auditTrial[D, O]) objective() func(x, nx, y, ny float64) float64 {
	return searchObjective(t.Guarantee, t.alpha, t.Anytime)
}

// wouldRefute reports whether a value of the objective refutes the claim.
func (t *auditTrial[D, O]) wouldRefute(value float64) bool {
	if t.Anytime && t.Guarantee.IsApproximate() {
		return value > 0
	}
	return value > t.Guarantee.Value()
}

// searchAll searches every pair for events, each pair with its own random stream. A pair whose outputs never vary
// has no event.
func (t *auditTrial[D, O]) searchAll(ctx context.Context, rows int) ([]candidates, error) {
	looked := t.settings.Looks(len(t.Pairs))
	return forPairs(ctx, t, func(ctx context.Context, i int) (candidates, error) {
		defer looked()
		a, err := t.sampleRows(ctx, t.settings.Stream("search", strconv.Itoa(i), "a"), inputPlace{Pair: i}, rows)
		if err != nil {
			return nil, err
		}
		b, err := t.sampleRows(ctx, t.settings.Stream("search", strconv.Itoa(i), "b"), inputPlace{Pair: i, AtB: true},
			rows)
		if err != nil {
			return nil, err
		}
		found, err := t.search(a, b, false, t.mixtures(i)...)
		if errors.Is(err, distinguisher.ErrNoEvent) {
			return nil, nil
		}
		return found, err
	})
}

// search finds the events of a pair in rows of both inputs, one for each pair of certifying sample sizes.
func (t *auditTrial[D, O]) search(a, b *distinguisher.Rows, halfCorrection bool,
	samples ...[2]int64) (candidates, error) {
	a, b = distinguisher.SameWidth(a, b)
	search := distinguisher.Search{
		Samples: samples, Certified: t.objective(), HalfCorrection: halfCorrection,
		Against: func(mass float64) distinguisher.Line { return impliedLine(t.Guarantee, mass) }, Refutes: t.wouldRefute,
		Pairs: len(t.Pairs),
	}
	if t.LogLikelihood != nil {
		search.Score = func(row []float64) float64 { return row[0] }
	}
	return search.Find(a, b)
}

// forPairs runs f for every pair in parallel.
func forPairs[D, O, T any](ctx context.Context, t *auditTrial[D, O],
	f func(context.Context, int) (T, error)) ([]T, error) {
	found := make([]T, len(t.Pairs))
	i, err := empirical.Each(ctx, t.settings.Pool, len(t.Pairs), func(ctx context.Context, i int) (err error) {
		found[i], err = f(ctx, i)
		return err
	})
	if err != nil && i < len(t.Pairs) {
		err = fmt.Errorf("pair %s: %w", t.Pairs[i].Name, err)
	}
	return found, err
}

// encoder returns a function that encodes an output of a pair as a row. A row contains the raw values for the
// features, or only the log-likelihood ratio if the density is known.
func (t *auditTrial[D, O]) encoder(pair inputs.Pair[D]) func([]float64, O) []float64 {
	if t.LogLikelihood == nil {
		return t.encode
	}
	return func(dst []float64, o O) []float64 {
		a, b := t.LogLikelihood(pair.A, o), t.LogLikelihood(pair.B, o)
		if math.IsNaN(a - b) { // impossible or infinitely dense under both inputs
			return append(dst, 0)
		}
		return append(dst, distinguisher.Coarse(a-b, 1+math.Abs(a)+math.Abs(b)))
	}
}

// sampleRows draws and encodes releases of the input at a place. All rows have the width of the longest one.
func (t *auditTrial[D, O]) sampleRows(ctx context.Context, r *rand.Rand, at inputPlace,
	rows int, examples ...*diagnosis.Examples) (*distinguisher.Rows, error) {
	out := distinguisher.NewSample(rows)
	pair, watch := t.Pairs[at.Pair], t.watch(at)
	encode := t.encoder(pair)
	err := drawReleases(ctx, t.Mechanism, r, pair.Input(at.AtB), int64(rows), func(batch []O) error {
		for _, o := range batch {
			row := encode(out.Scratch(), o)
			for _, e := range examples {
				e.See(o, row)
			}
			watch.add(row)
			out.Add(row)
		}
		return watch.end()
	})
	return out.Rows(), err
}

// witness describes the events with their pairs.
func (a Audit[D, O]) witness(events []verify.PairEvent) string {
	var parts []string
	for _, e := range events {
		direction := ""
		if e.Swapped {
			direction = " (B against A)"
		}
		parts = append(parts, fmt.Sprintf("%s%s, event %s", a.Pairs[e.Pair].Name, direction, e.Event))
	}
	return strings.Join(parts, "; or ")
}
