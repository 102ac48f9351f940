package privacy

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

func (t *auditTrial[D, O]) Plan() empirical.Plan {
	p := empirical.Plan{Shards: auditShards, SamplesPerShard: t.perShard}
	var all int64
	for _, input := range t.together() {
		all += t.drawn().ShardOf(input)
	}
	p.SamplesPerShard = max(1, all/2) // per input of a pair
	t.power(&p)
	return p
}

// together returns the distinct inputs of all chosen pairs in order.
func (t *auditTrial[D, O]) together() (inputs []inputPlace) {
	for _, v := range t.views {
		for _, c := range v.chosen {
			inputs = append(inputs, t.sharing.Input(c.at(0)), t.sharing.Input(c.at(1)))
		}
	}
	slices.SortFunc(inputs, comparePlaces)
	return slices.Compact(inputs)
}

// NewTally returns zero counts. For each view it counts the event under the likelier input and under the other, and
// the nested events of the band.
func (t *auditTrial[D, O]) NewTally() empirical.Tally {
	return make(empirical.Counts, len(t.views)*t.perView())
}

func (t *auditTrial[D, O]) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	return t.count(ctx, shard.Seed, t.drawn().ShardOf)
}

// count draws samples of each input of the chosen pairs and counts the events of all views, two counts per view.
// Each view draws the pair of each of its samples at random. The samples of an input serve all views; within a view
// each sample counts once.
func (t *auditTrial[D, O]) count(ctx context.Context, seed empirical.Seed,
	have func(input inputPlace) int64) (empirical.Counts, error) {
	counts := t.NewTally().(empirical.Counts)
	counters := make(map[inputPlace][]eventCounter)
	for i, v := range t.views {
		into := t.countsOf(counts, i)
		var times [2][]int64
		for side, n := range t.sharing.Sides(testOf(v.chosen), have) {
			r := seed.Derive("pairs", strconv.Itoa(i), strconv.Itoa(side)).Rand()
			times[side] = allottedSamples(r, len(v.chosen), n)
		}
		for _, p := range t.sharing.Parts(testOf(v.chosen), times) {
			counters[p.Input] = append(counters[p.Input],
				eventCounter{v.chosen[p.Choice].witness, p.From, p.Samples, into[p.Side]})
		}
	}
	for _, input := range t.together() {
		name := []string{"counted", strconv.Itoa(input.Pair), strconv.FormatBool(input.AtB)}
		if err := t.countEvents(ctx, seed.Derive(name...).Rand(), seed.Derive(append(name, "ties")...).Rand(), input,
			counters[input]); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// eventCounter counts an event in a range of the drawn samples.
type eventCounter struct {
	witness *distinguisher.Event
	from    int64 // first counted sample
	samples int64 // number of counted samples
	into    seen
}

// countEvents draws as many samples of the input at a place as any counter needs.
func (t *auditTrial[D, O]) countEvents(ctx context.Context, r, ties *rand.Rand, at inputPlace,
	counters []eventCounter) error {
	in := t.Pairs[at.Pair]
	var most, drawn int64
	for _, c := range counters {
		most = max(most, c.from+c.samples)
	}
	encode, watch := t.encoder(in), t.watch(at)
	row := make([]float64, 0, 64)
	err := drawReleases(ctx, t.Mechanism, r, in.Input(at.AtB), most, func(batch []O) error {
		for _, o := range batch {
			row = encode(row[:0], o)
			watch.add(row)
			for _, c := range counters {
				if drawn >= c.from && drawn < c.from+c.samples {
					c.into.add(c.witness.Mark(ties, row))
				}
			}
			drawn++
		}
		return watch.end()
	})
	if err != nil {
		return fmt.Errorf("pair %s: %w", in.Name, err)
	}
	return nil
}

// deltaShare is the share of the error of an (ε, δ) certificate that is used for δ at the claimed ε. One error does
// not cover both, because the two limits order the counts differently.
const deltaShare = 0.01

// certified holds the limits that the counts of an event certify.
type certified struct {
	lower, upper float64         // limits on the parameter for the event
	delta        verify.Number   // largest certified δ at the claimed ε, only for (ε, δ)-DP
	refuted      bool            // whether the claim is refuted
	at           confidence.Line // for a curve: the violated statement
}

// certify returns the lower limit on the parameter and, for (ε, δ)-DP, on δ.
func (t *auditTrial[D, O]) certify(v view, x, y int64, n [2]int64) (c certified, err error) {
	g, alpha := t.Guarantee, t.alpha
	if g.IsApproximate() {
		c.lower = math.Max(0, confidence.EpsilonLower(x, n[0], y, n[1], g.Delta(), alpha*(1-deltaShare)))
		c.delta = verify.Num(confidence.DeltaLower(x, n[0], y, n[1], g.Value(), alpha*deltaShare))
		c.refuted = c.lower > g.Value() || c.delta.X > g.Delta()
		return c, nil
	}
	// Half of alpha is for the divergence of the two Bernoulli distributions of the event.
	p, err := confidence.BinomialLower(x, n[0], alpha/4)
	if err != nil {
		return c, err
	}
	q, err := confidence.BinomialUpper(y, n[1], alpha/4)
	if err != nil {
		return c, err
	}
	if c.lower = g.FromProbabilities(p, q); c.lower > g.Value() {
		c.at = g.Violated(p, q)
	}
	// The other half is for the implied (ε, δ) statements. It climbs a fixed ladder of parameters until one
	// is not rejected. An error requires the rejection of the first true one.
	p0, q0 := v.masses()
	for _, value := range diagnosis.Rungs(g.Value(), 24) {
		rung := g.With(value)
		epsilon := rung.Tangent(p0, q0)
		if !(confidence.EpsilonLower(x, n[0], y, n[1], rung.HockeyStick(epsilon), alpha/2) > epsilon) {
			break
		}
		c.lower, c.refuted = math.Max(c.lower, value), c.refuted || value == g.Value()
		if value == g.Value() {
			c.at = confidence.Line{Epsilon: epsilon, Delta: g.HockeyStick(epsilon)}
		}
	}
	c.refuted = c.refuted || c.lower > g.Value()
	return c, nil
}

// Judge certifies the events of all views and reports the view with the largest certificate.
func (t *auditTrial[D, O]) Judge(merged empirical.Tally) (verify.Evidence, error) {
	counts := merged.(empirical.Counts)
	var best verify.Evidence
	var bestView view
	for i, v := range t.views {
		drawn := t.countsOf(counts, i)
		x, y, n := v.heldOut[0][0]+drawn[0][0], v.heldOut[1][0]+drawn[1][0], t.n(v)
		c, err := t.certify(v, x, y, n)
		if err != nil {
			return verify.Evidence{}, err
		}
		if c.upper, err = t.upper(x, y, n); err != nil {
			return verify.Evidence{}, err
		}
		e := t.evidence(v, x, y, n, c)
		if i == 0 || v.outranks(e, bestView, best) {
			best, bestView = e, v
		}
	}
	best.Method = fmt.Sprintf("two search samples per pair (pairs: %d) each choose pairs and events, which are counted "+
		"in all other samples, then a joint test of p ≤ min(1, e^ε q + δ) with error %.2g each; it applies to the chosen "+
		"pairs and events; %s",
		len(t.Pairs), t.alpha, limitsErr(t.settings.Alpha))
	t.withdrawRounded(&best)
	t.addWarnings(&best)
	best.Statistics = verify.NewStatistics(AuditMethod, t.basis(counts))
	return best, t.addBand(&best, counts)
}

// limitsErr states the error probabilities of an audit's interval. The limits do not share alpha: the lower limit,
// which decides, uses all of it, and the upper limit another alpha.
func limitsErr(alpha float64) string {
	return fmt.Sprintf("the lower limit, which decides, errs with probability at most %.2g, the upper limit with at most "+
		"another %.2g: together at most %.2g", alpha, alpha, 2*alpha)
}

// outranks reports whether the evidence of a view replaces the best evidence so far. A refutation comes first, then
// an event that the search found to violate the claim but that the certificate is too weak to decide, then the
// larger certificate. Power is not a criterion.
func (v view) outranks(e verify.Evidence, bestView view, best verify.Evidence) bool {
	rank := func(v view, e verify.Evidence) int {
		switch {
		case e.Verdict == verify.Refuted:
			return 2
		case v.suspect() && !e.Sizes.SmallDetected:
			return 1
		}
		return 0
	}
	if r, s := rank(v, e), rank(bestView, best); r != s {
		return r > s
	}
	return e.Lower.X > best.Lower.X
}

// upper returns the upper limit of the parameter for the chosen event, from limits on p and q.
func (t *auditTrial[D, O]) upper(x, y int64, n [2]int64) (float64, error) {
	p, err := confidence.BinomialUpper(x, n[0], t.alpha/2)
	if err != nil {
		return 0, err
	}
	q, err := confidence.BinomialLower(y, n[1], t.alpha/2)
	if err != nil {
		return 0, err
	}
	return t.Guarantee.FromProbabilities(p, q), nil
}

// cell returns the figures of a view.
func (t *auditTrial[D, O]) cell(v view, x, y int64, n [2]int64, c certified) verify.Cell {
	return verify.Cell{
		Label: t.witness(t.events(v)), Claimed: verify.Num(t.Guarantee.Value()),
		Measured: verify.Num(t.Guarantee.FromProbabilities(float64(x)/float64(n[0]), float64(y)/float64(n[1]))),
		Lower:    verify.Num(c.lower), Upper: verify.Num(math.Max(c.lower, c.upper)), Delta: c.delta, Samples: n[0] + n[1],
	}.Inside()
}

// evidence returns the evidence of a view from the counts of its event and their certificate.
func (t *auditTrial[D, O]) evidence(v view, x, y int64, n [2]int64, c certified) verify.Evidence {
	g, cell := t.Guarantee, t.cell(v, x, y, n, c)
	e := verify.Evidence{Quantity: g.Quantity(), Sense: verify.AtMost, Verdict: verify.Inconclusive, Samples: n[0] + n[1],
		Cells: []verify.Cell{cell}, Events: t.events(v)}
	if n[0] != n[1] {
		e.Fewer = min(n[0], n[1])
	}
	e.CopyWorst(cell)
	near := t.smallViolationOf(v, c.lower > 0)
	e.Sizes = t.sizes(near)
	e.Power = e.Sizes.Words("on any one of the pairs, at an event of the searched families")
	switch {
	case c.refuted:
		e.Verdict, e.Power = verify.Refuted, ""
		e.Violated = diagnosis.CurveViolationAt(g, c.at, float64(x)/float64(n[0]), float64(y)/float64(n[1]))
		e.Diagnosis = t.diagnosisOf(v, float64(x)/float64(n[0]), float64(y)/float64(n[1]))
	case e.Sizes.Enough():
		e.Verdict = verify.Consistent
	}
	e.LookAgain(&auditLook[D, O]{t, v, near, cell, e.Violated})
	return e
}
