package verify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/empirical"
)

func (t *auditTrial[D, O]) Plan() empirical.Plan {
	p := empirical.Plan{Shards: auditShards, SamplesPerShard: t.perShard * int64(len(t.together()))}
	if slices.ContainsFunc(t.views, func(v view) bool { return t.sees(v, t.n(v)) }) {
		p.Effect, p.Power = t.Effect, wantedPower
	}
	return p
}

// together are the pairs that any view has chosen, in order.
func (t *auditTrial[D, O]) together() (pairs []int) {
	for i := range t.Pairs {
		if slices.ContainsFunc(t.views, func(v view) bool { return v.of(i) != nil }) {
			pairs = append(pairs, i)
		}
	}
	return pairs
}

// NewTally counts, for each view, its event under the likelier input and under the
// other.
func (t *auditTrial[D, O]) NewTally() empirical.Tally { return make(empirical.Counts, 2*len(t.views)) }

func (t *auditTrial[D, O]) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	return t.count(ctx, shard.Seed, t.perShard)
}

// count draws each samples of each input of each chosen pair and counts the events
// of all views in them, a pair of counts for each view. Each view draws the pair of
// each of its samples at random; what is drawn of a pair serves all views.
func (t *auditTrial[D, O]) count(ctx context.Context, seed empirical.Seed, each int64) (empirical.Counts, error) {
	counts := make(empirical.Counts, 2*len(t.views))
	times := make([][2]map[int]int64, len(t.views))
	for i, v := range t.views {
		for side := range 2 {
			times[i][side] = v.allotted(seed.Derive("pairs", strconv.Itoa(i), strconv.Itoa(side)).Rand(), each)
		}
	}
	for _, pair := range t.together() {
		for _, atB := range []bool{false, true} {
			var tellers []teller
			for i, v := range t.views {
				if c := v.of(pair); c != nil {
					side := c.side(atB)
					tellers = append(tellers, teller{witness: c.witness, of: times[i][side][pair], into: &counts[2*i+side]})
				}
			}
			name := []string{"counted", strconv.Itoa(pair), strconv.FormatBool(atB)}
			if err := t.tell(ctx, seed.Derive(name...).Rand(), seed.Derive(append(name, "ties")...).Rand(), pair, atB, tellers); err != nil {
				return nil, err
			}
		}
	}
	return counts, nil
}

// teller counts the event of a witness in the first samples that are drawn.
type teller struct {
	witness *empirical.Witness
	of      int64
	into    *int64
}

// tell draws as many samples of an input of a pair as any teller wants.
func (t *auditTrial[D, O]) tell(ctx context.Context, r, ties *rand.Rand, pair int, atB bool, tellers []teller) error {
	in := t.Pairs[pair]
	input := in.A
	if atB {
		input = in.B
	}
	var most, drawn int64
	for _, w := range tellers {
		most = max(most, w.of)
	}
	encode := t.encoder(in)
	row := make([]float64, 0, 64)
	err := releases(ctx, t.Mechanism, r, input, most, func(batch []O) {
		for _, o := range batch {
			row = encode(row[:0], o)
			for _, w := range tellers {
				if drawn < w.of && w.witness.Holds(ties, row) {
					*w.into++
				}
			}
			drawn++
		}
	})
	if err != nil {
		return fmt.Errorf("pair %s: %w", in.Name, err)
	}
	return nil
}

// n is the number of samples of each side of a view.
func (t *auditTrial[D, O]) n(v view) int64 {
	return v.heldN + t.perShard*auditShards*int64(len(v.chosen))
}

// certify returns the largest parameter that the counts prove, and whether they
// refute the claim.
func (t *auditTrial[D, O]) certify(v view, x, y, n int64) (lower float64, refuted bool, err error) {
	g, alpha := t.Guarantee, t.alpha
	if g.currency == approximateDP {
		lower = math.Max(0, empirical.EpsilonLower(x, n, y, n, g.second, alpha))
		return lower, lower > g.value, nil
	}
	// Half of alpha for the divergence of the event's two Bernoulli laws …
	p, err := empirical.BinomialLower(x, n, alpha/4)
	if err != nil {
		return 0, false, err
	}
	q, err := empirical.BinomialUpper(y, n, alpha/4)
	if err != nil {
		return 0, false, err
	}
	lower = g.ofMasses(p, q)
	// … and half for the implied (ε, δ) statements, climbing a fixed ladder of
	// parameters until one is not rejected: an error needs the first true one to be.
	p0, q0 := v.masses()
	for _, value := range rungs(g.value) {
		rung := g.with(value)
		epsilon := rung.tangent(p0, q0)
		if !(empirical.EpsilonLower(x, n, y, n, rung.hockeyStick(epsilon), alpha/2) > epsilon) {
			break
		}
		lower, refuted = math.Max(lower, value), refuted || value == g.value
	}
	return lower, refuted || lower > g.value, nil
}

// rungs are fixed parameters around the claimed one, which is among them.
func rungs(claimed float64) []float64 {
	if claimed == 0 {
		return []float64{0}
	}
	var out []float64
	for i := -24; i <= 24; i++ {
		out = append(out, claimed*math.Exp2(float64(i)/6))
	}
	return out
}

// sees tells whether a mechanism whose parameter is effect times the claimed one
// on a view's event, as likely as the search cautiously found it, would be refuted by so
// many samples of each side with probability wantedPower: the counts are put 3 standard
// deviations, and 5 more, to the wrong side.
func (t *auditTrial[D, O]) sees(v view, samples int64) bool {
	x, y, ok := t.pessimistic(v, samples)
	if !ok {
		return false
	}
	_, refuted, err := t.certify(v, x, y, samples)
	return err == nil && refuted
}

// pessimistic counts of such a mechanism.
func (t *auditTrial[D, O]) pessimistic(v view, samples int64) (x, y int64, ok bool) {
	p, _ := v.masses()
	q, ok := t.Guarantee.with(t.Effect * t.Guarantee.value).leastOther(p)
	n := float64(samples)
	low := math.Floor(n*p - 3*math.Sqrt(n*p*(1-p)) - 5)
	high := math.Ceil(n*q + 3*math.Sqrt(n*q*(1-q)) + 5)
	return int64(low), int64(high), ok && low >= 0 && high <= n
}

// Judge certifies the events of all views and tells of the one that proves most.
func (t *auditTrial[D, O]) Judge(merged empirical.Tally) (Evidence, error) {
	counts := merged.(empirical.Counts)
	var told Evidence
	for i, v := range t.views {
		x, y, n := v.held[0]+counts[2*i], v.held[1]+counts[2*i+1], t.n(v)
		lower, refuted, err := t.certify(v, x, y, n)
		if err != nil {
			return Evidence{}, err
		}
		upper, err := t.upper(x, y, n)
		if err != nil {
			return Evidence{}, err
		}
		e := t.evidence(v, x, y, n, lower, upper, refuted, t.sees)
		if i == 0 || outranks(e, told) {
			told, t.told = e, i
		}
	}
	told.Method = fmt.Sprintf("two samples of each pair chose pairs and events (pairs looked at: %d), each for the other and for the samples after both, then a joint test of p ≤ min(1, e^ε q + δ) with error %.2g each; it speaks of the chosen pairs and events; %s",
		len(t.Pairs), t.alpha, limitsErr(t.settings.Alpha))
	t.addOdd(&told)
	return told, nil
}

// limitsErr says how an audit's interval errs. Its two limits do not share alpha: what
// decides keeps all of it, and what describes has as much of its own.
func limitsErr(alpha float64) string {
	return fmt.Sprintf("the lower limit, which alone decides, errs with probability at most %.2g, the upper one with as much of its own: both together with at most %.2g", alpha, 2*alpha)
}

// outranks tells whether the evidence of a view says more than that of another:
// a refutation, else a look with enough power, else the larger certificate.
func outranks(e, f Evidence) bool {
	rank := func(e Evidence) int { return slices.Index([]Verdict{Inconclusive, Consistent, Refuted}, e.Verdict) }
	if rank(e) != rank(f) {
		return rank(e) > rank(f)
	}
	return e.Lower.X > f.Lower.X
}

// upper limit of the parameter on the chosen event, from limits for p and q.
func (t *auditTrial[D, O]) upper(x, y, n int64) (float64, error) {
	p, err := empirical.BinomialUpper(x, n, t.alpha/2)
	if err != nil {
		return 0, err
	}
	q, err := empirical.BinomialLower(y, n, t.alpha/2)
	if err != nil {
		return 0, err
	}
	return t.Guarantee.ofMasses(p, q), nil
}

func (t *auditTrial[D, O]) evidence(v view, x, y, n int64, lower, upper float64, refuted bool, sees func(v view, samples int64) bool) Evidence {
	g := t.Guarantee
	cell := Cell{
		At: t.event(v), Claimed: Num(g.value), Measured: Num(g.ofMasses(float64(x)/float64(n), float64(y)/float64(n))),
		Lower: Num(lower), Upper: Num(math.Max(lower, upper)), Samples: 2 * n,
	}
	e := Evidence{Quantity: g.Quantity(), Sense: AtMost, Verdict: Inconclusive, Samples: 2 * n, Cells: []Cell{cell}}
	e.WorstOf(cell)
	p, _ := v.masses()
	switch {
	case refuted:
		e.Verdict = Refuted
	case sees(v, t.n(v)):
		e.Verdict = Consistent
		e.Power = fmt.Sprintf("%s above %.3g times the claim on this event (mass %.2g) would have been seen with probability at least %v", g.Quantity(), t.Effect, p, wantedPower)
	default:
		e.Power = fmt.Sprintf("too few samples to see %s at %.3g times the claim on this event (mass %.2g)", g.Quantity(), t.Effect, p)
	}
	e.lookAgain(&auditLook[D, O]{t, v, cell, sees})
	return e
}
