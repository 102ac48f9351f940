package privacy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/empirical/sequential"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/eprocess"
)

// RunsAudit is an audit that runs again and again, for example every night, and adds up its evidence.
//
// Each run bets against the claim on every pair of inputs. Earlier samples choose the bets: rows that earlier runs
// kept, and the run's own samples so far. [eprocess.Check] turns the factors of all runs into a verdict. The audit also
// counts an event of each pair, which earlier samples chose, and certifies limits for it. They do not refute the claim.
type RunsAudit[D, O any] struct {
	Audit[D, O]
	Bets *eprocess.Bets
}

const (
	// firstBatch is the number of samples per input before the first bet of the first run. Later batches are as large
	// as the number of samples before them.
	firstBatch = 128
	// longWindow and shortWindow are the numbers of latest rows per input that choose the bets. The long window suits
	// a violation that was always there, the short one a violation that is new.
	longWindow, shortWindow = 16_384, 4096
	// The rows of at most choosers earlier runs choose the counted events, and the rows of at most mostPast choose the
	// bets.
	choosers, mostPast = 20, 64
)

const runsMethod = "earlier samples determine bets on all pairs; the limits of a pair apply to one event, which was " +
	"chosen before its counted samples; any of these limits is wrong in this run with probability at most %.2g"

// Prepare draws the samples of the run, bets on them, and counts the event.
func (a RunsAudit[D, O]) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	t, err := a.begin(ctx, s)
	if err != nil {
		return nil, err
	}
	if t.Guarantee.Vacuous() {
		return t.untested(untestedWeakClaim)
	}
	runs, earlier, err := a.bet(ctx, t)
	if err != nil {
		return nil, err
	}
	if err := t.chooseEvents(ctx, runs, earlier); err != nil {
		return nil, err
	}
	if !a.Bets.Collects {
		t.warn(t.winningPair(append(slices.Clone(a.Bets.Earlier), eprocess.Outcome{LogFactors: a.Bets.LogFactors})))
	}
	e, counted, err := t.countedEvents(runs, earlier)
	if err != nil {
		return nil, err
	}
	a.Bets.State, err = json.Marshal(counted)
	return verify.Decided(e), err
}

// Bet draws the samples of the run and bets on them, like Prepare. It counts no events, which takes most of the time of
// a run with few samples, and returns no evidence. The guarantee must not hold for every mechanism.
func (a RunsAudit[D, O]) Bet(ctx context.Context, s verify.Settings) error {
	t, err := a.begin(ctx, s)
	if err != nil {
		return err
	}
	if t.Guarantee.Vacuous() {
		return errors.New("every mechanism meets the guarantee: want one that bets can refute")
	}
	if _, _, err := a.bet(ctx, t); err != nil {
		return err
	}
	a.Bets.State, err = json.Marshal(make([]eventCount, len(t.Pairs)))
	return err
}

// begin returns the trial of a run before its first sample.
func (a RunsAudit[D, O]) begin(ctx context.Context, s verify.Settings) (*auditTrial[D, O], error) {
	t, err := a.trial(ctx, s)
	if err != nil {
		return nil, err
	}
	t.Band, t.Anytime = false, true
	t.sight = t.newSight(2, 1)
	return t, nil
}

// bet draws the samples of the run and bets on them. It returns the samples, and the counts and rows of earlier runs.
func (a RunsAudit[D, O]) bet(ctx context.Context, t *auditTrial[D, O]) ([]*pairRun, []earlierRun, error) {
	earlier, err := readEarlier(a.Bets.Earlier, len(t.Pairs))
	if err != nil {
		return nil, nil, err
	}
	past, err := pastRows(earlier[max(0, len(earlier)-mostPast):], len(t.Pairs), longWindow)
	if err != nil {
		return nil, nil, err
	}
	runs, err := forPairs(ctx, t, func(ctx context.Context, i int) (*pairRun, error) { return t.run(ctx, i, past[i]) })
	if err != nil {
		return nil, nil, err
	}
	for _, r := range runs {
		a.Bets.LogFactors = append(a.Bets.LogFactors, r.logs...)
	}
	a.Bets.Rows, err = packRows(runs)
	return runs, earlier, err
}

// winningPair returns a sentence about the pair with the largest product of a bet over the last runs, from any
// run on, if there are several pairs and the product is above 10. The counted event may be of another pair.
func (t *auditTrial[D, O]) winningPair(outcomes []eprocess.Outcome) string {
	const most = 2 * sequential.StakeCount // bets on each pair
	best, log := 0, math.Log(10)
	sums := make([]float64, most*len(t.Pairs))
	for _, n := range outcomes {
		if len(n.LogFactors) != len(sums) {
			continue
		}
		for i, x := range n.LogFactors {
			sums[i] = math.Max(0, sums[i]) + x
		}
	}
	for i, x := range sums {
		if x > log {
			best, log = i/most, x
		}
	}
	if len(t.Pairs) == 1 || log == math.Log(10) {
		return ""
	}
	return "the bets on the pair " + t.Pairs[best].Name + " have the largest product"
}

// pairRun holds the samples of a pair in one run, by input.
type pairRun struct {
	rows  [2]*distinguisher.Rows
	logs  []float64 // log factors of the bets
	event *distinguisher.Event
	key   string // identifies the event; "" if there is none
	from  int    // number of the run's rows per input that chose the event
	chose int    // number of all rows per input that chose the event; 0 if they were too few
	ties  *rand.Rand
}

// run draws the samples of a pair and bets on them.
func (t *auditTrial[D, O]) run(ctx context.Context, pair int, past [2]*distinguisher.Rows) (*pairRun, error) {
	d := t.newDraws(pair)
	r := &pairRun{ties: d.ties}
	known := int64(past[0].Len())
	claim := t.Guarantee.Sequential()
	bets := make([]float64, 2*sequential.StakeCount)
	for done := int64(0); done < t.total; {
		size := min(t.total-done, max(firstBatch, known))
		a, b, err := d.draw(ctx, size)
		if err != nil {
			return nil, err
		}
		var logs []float64
		for w, window := range []int{longWindow, shortWindow} {
			if w == 0 || known > shortWindow { // else both windows have the same rows
				if logs, err = t.bet(claim, past, window, a, b); err != nil {
					return nil, err
				}
			}
			for k, x := range logs {
				bets[w*sequential.StakeCount+k] += x
			}
		}
		past[0], past[1] = joined(past[0], a), joined(past[1], b)
		done, known = done+size, known+size
	}
	r.rows, r.logs = [2]*distinguisher.Rows{d.a, d.b}, bets
	return r, nil
}

// bet returns the log factors of the bets on rows a and b that the latest past rows choose.
func (t *auditTrial[D, O]) bet(claim sequential.Claim, past [2]*distinguisher.Rows, window int,
	a, b *distinguisher.Rows) ([]float64, error) {
	pa, pb := latest(past[0], window), latest(past[1], window)
	none := make([]float64, sequential.StakeCount)
	if pa.Len() < minSearchRows || pb.Len() < minSearchRows {
		return none, nil
	}
	found, err := t.search(pa, pb, false, [2]int64{t.total, t.total})
	switch {
	case errors.Is(err, distinguisher.ErrNoEvent):
		return none, nil
	case err != nil:
		return nil, err
	}
	pa, pb = distinguisher.SameWidth(pa, pb)
	return sequential.NewStakes(claim, found[0].Score(), pa, pb, t.total).LogFactors(a, b), nil
}

// choosingRuns returns the earlier runs whose rows choose the counted events.
func choosingRuns(earlier []earlierRun) []earlierRun {
	last := epoch(len(earlier))
	return earlier[max(0, last-choosers):last]
}

// chooseEvents chooses an event of each pair.
func (t *auditTrial[D, O]) chooseEvents(ctx context.Context, runs []*pairRun, earlier []earlierRun) error {
	choosing, err := pastRows(choosingRuns(earlier), len(t.Pairs), choosers*keptRows)
	if err != nil {
		return err
	}
	_, err = forPairs(ctx, t, func(_ context.Context, i int) (*pairRun, error) {
		return runs[i], t.chooseEvent(runs[i], choosing[i], i)
	})
	return err
}

// chooseEvent chooses the event that the run counts, from the rows of earlier runs. In the first run of a version, the
// first rows of the run itself choose it.
func (t *auditTrial[D, O]) chooseEvent(r *pairRun, choosing [2]*distinguisher.Rows, pair int) error {
	a, b := choosing[0], choosing[1]
	if a.Len() == 0 {
		r.from = int(searchShare * float64(r.rows[0].Len()))
		a, b = r.rows[0].Slice(0, r.from), r.rows[1].Slice(0, r.from)
	}
	if a.Len() < minSearchRows || b.Len() < minSearchRows {
		return nil
	}
	r.chose = min(a.Len(), b.Len())
	// The limits are for a fixed number of samples. The size for which the search chooses is at most 4 times the number of
	// its rows. At a larger size it would choose rare events, whose estimated loss is mostly noise.
	fixed := &auditTrial[D, O]{Audit: t.Audit, alpha: t.alpha}
	fixed.Anytime = false
	size := min(t.total, int64(4*a.Len()))
	found, err := fixed.search(a, b, false, [2]int64{size, size})
	if errors.Is(err, distinguisher.ErrNoEvent) {
		return nil
	} else if err != nil {
		return err
	}
	r.event = found[0]
	r.key = eventKey(pair, size, r.event, a, b)
	return nil
}

// count counts the event in the rows that did not choose it, under the input where it should be likelier and under the
// other.
func (r *pairRun) count() sequential.Block {
	var counts [2]int64
	for side, rows := range r.rows {
		for i := r.from; i < rows.Len(); i++ {
			if r.event.Holds(r.ties, rows.Row(i)) {
				counts[side]++
			}
		}
	}
	if r.event.Swapped {
		counts[0], counts[1] = counts[1], counts[0]
	}
	return sequential.Block{X: counts[0], Y: counts[1], N: int64(r.rows[0].Len() - r.from)}
}

// countedEvents returns the evidence about the event of each pair. The counts are sums over all runs that counted this
// event. The most promising pair comes first. For a pair without a distinguishing event, it counts the certain event.
func (t *auditTrial[D, O]) countedEvents(runs []*pairRun, earlier []earlierRun) (verify.Evidence, []eventCount,
	error) {
	best := 0
	for i, r := range runs {
		if r.event != nil && (runs[best].event == nil || r.event.Value > runs[best].event.Value) {
			best = i
		}
	}
	counts, views := make([]eventCount, len(runs)), make([]view, len(runs))
	for i, r := range runs {
		if r.event == nil {
			r.event = distinguisher.CertainEvent()
			r.key = eventKey(i, 0, r.event)
		}
		counts[i] = eventCount{Event: r.key, Block: r.count()}
		all := counts[i].Block
		for _, k := range earlier {
			if k := k.counts[i]; k.Event == r.key {
				all = sequential.Block{X: all.X + k.X, Y: all.Y + k.Y, N: all.N + k.N}
			}
		}
		views[i] = view{chosen: []choice{{i, r.event}}, heldOut: [2]seen{{all.X}, {all.Y}}, heldOutN: [2]int64{all.N, all.N}}
	}
	t.views, t.others = views[best:best+1], slices.Delete(slices.Clone(views), best, best+1)
	// The power is stated for the counted samples and the rows that chose the events. The bets use more samples.
	chose := int64(runs[0].chose)
	for _, r := range runs {
		chose = min(chose, int64(r.chose))
	}
	counted := t.views[0].heldOutN[0]
	t.lay(runsDesign, max(1, chose))
	t.total, t.alpha = min(counted+t.most, int64(float64(counted)/(1-searchShare))), t.settings.Alpha/2
	t.setMinProbability()
	t.seeRounded()
	t.warn(t.shown.ConstantWord())
	t.Anytime = false
	b := verify.NewStatistics(AuditMethod, t.basis(t.NewTally().(empirical.Counts)))
	b.Share = limitShare(len(earlier)) / float64(len(runs))
	e, err := b.Judge(t.settings)
	return e, counts, err
}

// epoch returns the number of runs whose rows may choose the counted events, for a version with n earlier runs. It is
// the largest of 0, 1, 3, 7, … that is at most n.
func epoch(n int) int { return 1<<(bits.Len(uint(n+1))-1) - 1 }

// limitShare returns the share of alpha for the limits of all pairs in a run after n earlier runs of its version. An
// epoch begins when epoch(n) rises. The l-th run of the e-th epoch has the share 1/(e(e+1)l(l+1)), so the shares sum to
// at most 1 over all n.
func limitShare(n int) float64 {
	e, l := float64(bits.Len(uint(n+1))), float64(n-epoch(n)+1)
	return 1 / (e * (e + 1) * l * (l + 1))
}

// addOthers adds a row for each other pair to the evidence of the most promising pair. The largest upper limit comes
// first. Each pair has the same share of alpha, so the limits of all pairs hold together.
func (t *auditTrial[D, O]) addOthers(e *verify.Evidence) error {
	var cells []verify.Cell
	for _, v := range t.others {
		x, y, n := v.heldOut[0][0], v.heldOut[1][0], v.heldOutN
		c, err := t.certify(v, x, y, n)
		if err != nil {
			return err
		}
		if c.upper, err = t.upper(x, y, n); err != nil {
			return err
		}
		cell := t.cell(v, x, y, n, c)
		e.Samples += cell.Samples
		cells = append(cells, cell)
	}
	slices.SortStableFunc(cells, func(a, b verify.Cell) int { return cmp.Compare(b.Upper.X, a.Upper.X) })
	e.Cells = append(e.Cells, cells...)
	e.Cells = e.Cells[:min(len(e.Cells), verify.MaxCells)]
	return nil
}
