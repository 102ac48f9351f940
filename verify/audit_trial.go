package verify

import (
	"context"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical"
)

func (t *auditTrial[D, O]) Plan() empirical.Plan {
	p := empirical.Plan{Shards: auditShards, SamplesPerShard: t.perShard * int64(len(t.chosen))}
	if t.sees(t.n()) {
		p.Effect, p.Power = t.Effect, wantedPower
	}
	return p
}

// NewTally counts the event under the likelier input and under the other.
func (t *auditTrial[D, O]) NewTally() empirical.Tally { return make(empirical.Counts, 2) }

func (t *auditTrial[D, O]) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	counts := make(empirical.Counts, 2)
	for side := range counts {
		var err error
		if counts[side], err = t.count(ctx, shard.Seed, side, shard.Samples); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// count draws n samples of a side, each from a chosen pair at random, and counts
// the event. Side 0 is the input under which the event is to be likelier.
func (t *auditTrial[D, O]) count(ctx context.Context, seed empirical.Seed, side int, n int64) (int64, error) {
	r := seed.Derive(fmt.Sprint(side)).Rand()
	ties := seed.Derive("ties", fmt.Sprint(side)).Rand()
	times := make([]int64, len(t.chosen))
	for range n {
		times[ties.IntN(len(times))]++
	}
	row := make([]float64, 0, 64)
	var k int64
	for i, c := range t.chosen {
		pair := t.Pairs[c.pair]
		encode := t.encoder(pair)
		input := pair.A
		if (side == 1) != c.witness.Swapped {
			input = pair.B
		}
		err := releases(ctx, t.Mechanism, r, input, times[i], func(batch []O) {
			for _, o := range batch {
				row = encode(row[:0], o)
				if c.witness.Holds(ties, row) {
					k++
				}
			}
		})
		if err != nil {
			return 0, fmt.Errorf("pair %s: %w", pair.Name, err)
		}
	}
	return k, nil
}

// n is the number of samples of each side.
func (t *auditTrial[D, O]) n() int64 { return t.perShard * auditShards * int64(len(t.chosen)) }

// masses of the event on both sides, as the search cautiously estimates them.
func (t *auditTrial[D, O]) masses() (p, q float64) {
	for _, c := range t.chosen {
		p, q = p+c.witness.P, q+c.witness.Q
	}
	return p / float64(len(t.chosen)), q / float64(len(t.chosen))
}

// certify returns the largest parameter that the counts prove, and whether they
// refute the claim.
func (t *auditTrial[D, O]) certify(x, y, n int64) (lower float64, refuted bool, err error) {
	g, alpha := t.Guarantee, t.settings.Alpha
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
	p0, q0 := t.masses()
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
// on an event as likely as the search cautiously found it would be refuted by so many
// samples of each side with probability wantedPower: the counts are put 3 standard
// deviations, and 5 more, to the wrong side.
func (t *auditTrial[D, O]) sees(samples int64) bool {
	x, y, ok := t.pessimistic(samples)
	if !ok {
		return false
	}
	_, refuted, err := t.certify(x, y, samples)
	return err == nil && refuted
}

// pessimistic counts of such a mechanism.
func (t *auditTrial[D, O]) pessimistic(samples int64) (x, y int64, ok bool) {
	p, _ := t.masses()
	q, ok := t.Guarantee.with(t.Effect * t.Guarantee.value).leastOther(p)
	n := float64(samples)
	low := math.Floor(n*p - 3*math.Sqrt(n*p*(1-p)) - 5)
	high := math.Ceil(n*q + 3*math.Sqrt(n*q*(1-q)) + 5)
	return int64(low), int64(high), ok && low >= 0 && high <= n
}

// Judge certifies the chosen event.
func (t *auditTrial[D, O]) Judge(merged empirical.Tally) (Evidence, error) {
	c := merged.(empirical.Counts)
	n := t.n()
	lower, refuted, err := t.certify(c[0], c[1], n)
	if err != nil {
		return Evidence{}, err
	}
	upper, err := t.upper(c[0], c[1], n)
	if err != nil {
		return Evidence{}, err
	}
	e := t.evidence(c[0], c[1], n, lower, upper, refuted, t.sees)
	e.Method = fmt.Sprintf("pairs and events chosen on samples of their own (pairs looked at: %d), then a joint test of p ≤ min(1, e^ε q + δ) with error %.2g; it speaks of the chosen pairs and events",
		len(t.Pairs), t.settings.Alpha)
	return e, nil
}

// upper limit of the parameter on the chosen event, from limits for p and q.
func (t *auditTrial[D, O]) upper(x, y, n int64) (float64, error) {
	p, err := empirical.BinomialUpper(x, n, t.settings.Alpha/2)
	if err != nil {
		return 0, err
	}
	q, err := empirical.BinomialLower(y, n, t.settings.Alpha/2)
	if err != nil {
		return 0, err
	}
	return t.Guarantee.ofMasses(p, q), nil
}

func (t *auditTrial[D, O]) evidence(x, y, n int64, lower, upper float64, refuted bool, sees func(samples int64) bool) Evidence {
	g := t.Guarantee
	cell := Cell{
		At: t.event(), Claimed: Num(g.value), Measured: Num(g.ofMasses(float64(x)/float64(n), float64(y)/float64(n))),
		Lower: Num(lower), Upper: Num(math.Max(lower, upper)), Samples: 2 * n,
	}
	e := Evidence{Quantity: g.Quantity(), Sense: AtMost, Verdict: Inconclusive, Samples: 2 * n, Cells: []Cell{cell}}
	e.WorstOf(cell)
	p, _ := t.masses()
	switch {
	case refuted:
		e.Verdict = Refuted
	case sees(t.n()):
		e.Verdict = Consistent
		e.Power = fmt.Sprintf("%s above %.3g times the claim on this event (mass %.2g) would have been seen with probability at least %v", g.Quantity(), t.Effect, p, wantedPower)
	default:
		e.Power = fmt.Sprintf("too few samples to see %s at %.3g times the claim on this event (mass %.2g)", g.Quantity(), t.Effect, p)
	}
	e.lookAgain(&auditLook[D, O]{t, cell, sees})
	return e
}
