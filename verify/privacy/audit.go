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

// Audit checks a privacy claim of a black box: it searches one sample for the pairs of
// inputs and the events that show the largest privacy loss, and certifies that loss on
// independent samples.
//
// The lower limit of the certified parameter alone decides, and is too high with probability
// at most alpha. The upper limit describes the chosen events and decides nothing; it is too
// low with probability at most alpha of its own, so that the interval misses with at most
// 2 alpha. The same holds of [RecordedAudit], [FloatingPoint] and [PairAudit].
type Audit[D, O any] struct {
	Mechanism verify.Mechanism[D, O]
	Pairs     []inputs.Pair[D]
	Guarantee Guarantee // the claim
	// Samples of each input of each pair, at the standard budget, for search and
	// certification together; at least [MinSamples], and one of an audit that bets, which draws up to 20 to name the
	// event by which a claim is refuted. What is drawn of an input that several pairs have, so many
	// for each of them, serves all of these pairs.
	Samples int64
	// LogLikelihood is ln of the density of output o at an input, where it is known: the
	// events searched are then those of the log-likelihood ratio, whose thresholds are the most
	// powerful (Neyman & Pearson 1933). May be nil.
	LogLikelihood func(input D, o O) float64
	// Effect and Mass are what an audit must be able to detect, with probability 0.99, to be
	// consistent where it refutes nothing; see the package comment. Effect is the factor by
	// which a near violation exceeds the claimed parameter; finite and above 1, 0 means 1.25.
	Effect float64
	// EventProbability is the probability, under the input where it is likelier, of the rarest event on
	// which a gross violation must be detected; in [0, 1), 0 means 0.01, and of a claim with
	// δ > 0 every event on which there can be one.
	EventProbability float64
	// Anytime tests sequentially, by betting, and stops as soon as the claim is refuted: fewer
	// samples where the claim is false, a weaker lower limit where it is true.
	Anytime bool
	// Band bounds the whole privacy curve from below as well, at all ε at once, with an error of alpha of its own.
	Band bool
	// Places are names of the first values of a list output, for reports. By default a value is named by its position.
	Places []string
}

// MinSamples of each input of a pair: fewer certify nothing, but by betting.
const MinSamples = verify.MinSamples

// least is the number of samples below which no budget goes.
func (a Audit[D, O]) least() int64 {
	if a.Anytime {
		return 1
	}
	return MinSamples
}

const (
	auditShards = 32
	// viewShare of the samples choose the events of one of the two views, and certify
	// those of the other; what is left certifies both.
	viewShare = 0.45
	// searchShare of the samples choose the event where there is one view, or where no
	// more can be drawn to certify.
	searchShare = 0.35
	// maxWitnessRows bounds the memory and the time of the search, maxNarrowRows where a
	// row is one number, and ten times maxWitnessRows where outputs repeat, so that few
	// distinct rows are kept.
	maxWitnessRows = 100_000
	maxNarrowRows  = 300_000
	probeRows      = 100 // show which it is
	// maxWitnessValues bounds the values of a sample of the search where rarer events are to
	// be seen than the rows above show.
	maxWitnessValues = 1 << 23
)

var errNoPairs = errors.New("no pairs of inputs: an audit needs at least one")

// Check returns an error that names the parameter of the audit which is out of its domain.
func (a Audit[D, O]) Check() error {
	if len(a.Pairs) == 0 {
		return errNoPairs
	}
	if err := inputs.CheckPairs(a.Pairs); err != nil {
		return err
	}
	return a.checkHow()
}

// checkHow is Check but for the pairs.
func (a Audit[D, O]) checkHow() error {
	switch {
	case a.Mechanism == nil:
		return errors.New("no mechanism")
	case a.Anytime && a.Samples < 1:
		return fmt.Errorf("%d samples: want at least one of each input", a.Samples)
	case !a.Anytime && a.Samples < MinSamples:
		return fmt.Errorf("%d samples: want at least %d of each input, or an audit that bets (anytime)", a.Samples,
			MinSamples)
	case !(a.Effect == 0 || a.Effect > 1 && a.Effect <= math.MaxFloat64):
		return fmt.Errorf("effect %v: want a finite factor above 1", a.Effect)
	case !(a.EventProbability >= 0 && a.EventProbability < 1):
		return fmt.Errorf("mass %v: want a probability in (0, 1), or 0 for the usual one", a.EventProbability)
	}
	return a.Guarantee.Check()
}

// Prepare draws the search samples and chooses the pairs and events that will be certified.
func (a Audit[D, O]) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	t, err := a.trial(ctx, s)
	if err != nil {
		return nil, err
	}
	return t.prepare(ctx)
}

// trial is one whose witness is still to be looked for.
func (a Audit[D, O]) trial(ctx context.Context, s verify.Settings) (*auditTrial[D, O], error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	if a.Effect == 0 {
		a.Effect = nearFactor
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
	t.setLeastMass()
	t.seeRounded()
	return t, nil
}

// plan says how many rows of each input the search of a view gets, and how many samples
// certify.
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
	blind := t.blindNear()
	most = t.sight.EnoughRows(t.wanted(), blind.mass, blind.other, most, maxWitnessValues/int64(probe.Width))
	t.lay(crossFittedDesign, most)
	t.share(pooled, t.sight.Rows(t.total), int64(probe.Width))
	t.searched, t.perShard, t.width = t.sight.Rows(t.total), t.perShardOf(t.total), probe.Width
	t.certifying = t.sight.Certifying(t.total)
	return nil
}

// perShardOf is the number of samples of a shard where there are so many in all.
func (t *auditTrial[D, O]) perShardOf(total int64) int64 {
	return max(1, (total-2*t.sight.Rows(total)-probeRows)/auditShards)
}

// auditTrial holds the pairs and the events that were chosen.
type auditTrial[D, O any] struct {
	Audit[D, O]
	settings verify.Settings
	encode   func([]float64, O) []float64
	views    []view
	alpha    float64      // error probability of each view
	sharing  inputSharing // of inputs, among the pairs; the figures below are those of an input of one pair
	perShard int64        // samples of each input of each chosen pair
	// certifying are the samples of each input of a pair in which a view counts.
	certifying int64
	searched   int64 // samples of each input of a pair that choose the events of a view
	total      int64 // samples of each input of a pair, for search and certification together
	width      int   // numbers in an output of the probe
	sight      *searchPower
	leastMass  verify.Number // from which on gross violations are seen
	warnings   []string
	unseeded   bool // the mechanism has randomness of its own
	watches    dependence.Set[watched]
	bits       bool // rows are low-order bits
	shown      diagnosis.Shown
	design     auditDesign
	most       int64 // rows of a search
	// What withdraws a finding: the event of low-order bits tells as much with random ones; recorded outputs
	// are evidently no independent releases.
	overTheReals, dependent bool
	roundedAtom             string // what withdraws a consistent verdict: see rounded.go
	// What the probe of low-order bits looks at: the places of the numbers, and whether all of them are whole.
	pick  []int
	whole bool
}

// warn keeps a word for the evidence; "" is none.
func (t *auditTrial[D, O]) warn(word string) {
	if word != "" {
		t.warnings = append(t.warnings, word)
	}
}

// objective is what the search maximises.
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

// searchAll looks for a witness on every pair, each of which has its own stream. A pair whose outputs are always the
// same has none.
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

// search finds a witness of a pair in rows of both inputs, for each two numbers of samples of them.
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

// forPairs runs f for every pair, on the slots of the run.
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

// encoder turns outputs of a pair into rows: of features' raw material, or of the
// log-likelihood ratio alone where the density is known.
func (t *auditTrial[D, O]) encoder(pair inputs.Pair[D]) func([]float64, O) []float64 {
	if t.LogLikelihood == nil {
		return t.encode
	}
	return func(dst []float64, o O) []float64 {
		a, b := t.LogLikelihood(pair.A, o), t.LogLikelihood(pair.B, o)
		if math.IsNaN(a - b) { // impossible, or infinitely dense, under both
			return append(dst, 0)
		}
		return append(dst, distinguisher.Coarse(a-b, 1+math.Abs(a)+math.Abs(b)))
	}
}

// sampleRows encodes releases of the input at a place; the width is that of the
// longest.
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

// witness of some events in words, on each pair.
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
