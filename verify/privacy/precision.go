package privacy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// FloatingPoint checks whether the low-order bits of the output numbers reveal the input more than the claim
// permits. Real numbers have no such bits, so the privacy of a mechanism over the reals, which [Audit] checks, does
// not cover them. The textbook Laplace mechanism in double precision leaks through them (Mironov 2012). Integers
// are tested too, although [Audit] compares them exactly. Outputs without numbers are not testable.
//
// The features are the lowest set bit of each value, the trailing zeros of its significand, its exponent, the sign
// of zero, and whether the value repeats. One event of these features is chosen on one sample and certified on an
// independent one. It refutes the claim only if it would not refute it with the low-order bits of the search sample
// replaced by random ones. Otherwise the outputs differ as much over the reals.
type FloatingPoint[D, O any] struct {
	Mechanism verify.Mechanism[D, O]
	Pairs     []inputs.Pair[D]
	Guarantee Guarantee // guarantee of the mechanism over the reals
	Samples   int64     // per input of each pair at the standard budget
}

// PrecisionCure is the remedy in reports about a claim that [FloatingPoint] refutes.
const PrecisionCure = "The gaps between floating-point numbers differ with the input, so that some outputs occur " +
	"under one input and not under its neighbor. " +
	"Usual remedies: round the release to a grid much coarser than its rounding errors (a fixed power of two), use the " +
	"snapping mechanism, or draw discrete noise"

// trial returns a trial before its search for an event.
func (p FloatingPoint[D, O]) trial(ctx context.Context, s verify.Settings) (*auditTrial[D, O], error) {
	pairs, repeats := inputs.MergedPairs(p.Pairs)
	a := Audit[D, O]{Mechanism: p.Mechanism, Pairs: pairs, Guarantee: p.Guarantee, Samples: p.Samples,
		Effect: diagnosis.OneMore(p.Guarantee), EventProbability: precisionMass}
	if err := a.Check(); err != nil {
		return nil, err
	}
	t := &auditTrial[D, O]{Audit: a, settings: s, alpha: s.Alpha, total: max(MinSamples, s.Budget.Samples(p.Samples))}
	t.warn(repeats)
	if err := t.watchSource(ctx); err != nil {
		return nil, err
	}
	t.sight = t.newSight(1, 1)
	t.lay(bitsDesign, maxWitnessRows)
	t.searched, t.certifying = t.sight.Rows(t.total), t.sight.Certifying(t.total)
	t.perShard = t.certifying / auditShards
	return t, nil
}

// Prepare draws the search samples and chooses the event of the low-order bits to certify.
func (p FloatingPoint[D, O]) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	t, err := p.trial(ctx, s)
	if err != nil {
		return nil, err
	}
	scouted, err := t.sampleLeaves(ctx, "scout", int(min(diagnosis.ScoutRows, t.searched)), nil)
	if err != nil {
		return nil, err
	}
	pick := diagnosis.PickLeaves(scouted)
	draw, err := t.sampleLeaves(ctx, "search", int(t.searched), pick)
	if err != nil {
		return nil, err
	}
	return preparePrecision(t, draw, pick, s)
}

// preparePrecision chooses an event of the low-order bits of the picked numbers, given samples for each pair of
// inputs.
func preparePrecision[D, O any](t *auditTrial[D, O], drawn []diagnosis.LeafPair, pick []int,
	s verify.Settings) (verify.Trial, error) {
	some, whole := diagnosis.NumbersIn(drawn)
	if !some {
		return t.untested(untestedNoNumbers)
	}
	bits := diagnosis.NewBitFeatures(drawn, pick)
	t.shown.Names = diagnosis.BitNames(pick)
	t.bits = true
	t.encode = func(dst []float64, o O) []float64 {
		return bits.Encode(dst, diagnosis.AppendPicked(nil, diagnosis.LeavesOf(nil, o), pick))
	}
	found := make([]candidates, len(drawn))
	for i, d := range drawn {
		var err error
		if found[i], err = t.search(bits.Rows(d.A), bits.Rows(d.B), false, t.mixtures(i)...); err != nil &&
			!errors.Is(err, distinguisher.ErrNoEvent) {
			return nil, err
		}
	}
	chosen := t.choose(found)
	if len(chosen) == 0 {
		return t.untested(untestedNoEvent)
	}
	rest := t.sharing.Sides(testOf(chosen), func(inputPlace) int64 { return t.certifying - t.perShard*auditShards })
	t.views = []view{{chosen: chosen, heldOut: t.zeroCounts(), heldOutN: rest}}
	t.setMinProbability()
	t.pick, t.whole = pick, whole
	trial := &precisionTrial[D, O]{auditTrial: t}
	var err error
	trial.overTheReals, err = trial.control(bits, drawn, s.Stream("control"))
	return trial, err
}

const precisionMethod = "search samples choose one event of the low-order bits"

// precisionMass is the smallest event probability at which a large leak through the bits must be detected, for
// every claimed δ. Such leaks are large.
const precisionMass = 0.05

// precisionTrial certifies the event of the low-order bits.
type precisionTrial[D, O any] struct {
	*auditTrial[D, O]
}

// control reports whether the chosen event would still refute the claim if the low-order bits were random. It needs
// no certificate, because it can only withdraw a finding.
func (t *precisionTrial[D, O]) control(bits *diagnosis.BitFeatures, drawn []diagnosis.LeafPair,
	r *rand.Rand) (bool, error) {
	var p, q float64
	v := t.views[0]
	for _, c := range v.chosen {
		d := drawn[c.pair].Blurred(r)
		likelier, other := bits.Rows(d.A), bits.Rows(d.B)
		if c.witness.Swapped {
			likelier, other = other, likelier
		}
		p += shareIn(c.witness, r, likelier)
		q += shareIn(c.witness, r, other)
	}
	all, pairs := t.n(v), float64(len(v.chosen))
	x, y := int64(p*(float64(all[0])/pairs)), int64(q*(float64(all[1])/pairs))
	c, err := t.certify(v, min(all[0], x), min(all[1], y), all)
	return c.refuted, err
}

// shareIn returns the share of rows in which the event occurs.
func shareIn(w *distinguisher.Event, r *rand.Rand, rows *distinguisher.Rows) float64 {
	hits := 0
	for _, m := range marksIn(w, r, rows) {
		if m.Hit() {
			hits++
		}
	}
	return float64(hits) / float64(rows.Len())
}

// Judge certifies the event and explains the result.
func (t *precisionTrial[D, O]) Judge(merged empirical.Tally) (verify.Evidence, error) {
	e, err := t.auditTrial.Judge(merged)
	if err != nil {
		return e, err
	}
	return t.explain(e), nil
}

// explain names the bit features in the evidence and states the cause of a refuted claim. It withdraws a refutation
// if the outputs differ as much over the reals.
func (t *precisionTrial[D, O]) explain(e verify.Evidence) verify.Evidence {
	for _, text := range []*string{&e.WorstCase, &e.Attempt, &e.Counterexample.Label} {
		*text = diagnosis.BitWords(*text, t.pick)
	}
	for i := range e.Events {
		e.Events[i].Event = diagnosis.BitWords(e.Events[i].Event, t.pick)
	}
	for i := range e.Cells {
		e.Cells[i].Label = diagnosis.BitWords(e.Cells[i].Label, t.pick)
	}
	e.Method = fmt.Sprintf("%s, then a joint test with error %.2g on independent samples; it applies to this event, and "+
		"not to privacy over the reals; %s", precisionMethod, t.settings.Alpha, limitsErr(t.settings.Alpha))
	switch {
	case e.Verdict == verify.Refuted && t.overTheReals:
		e.Verdict = verify.Inconclusive
		e.Power = "the outputs differ as much over the reals, so their low-order bits cannot be judged; check the privacy " +
			"claim itself"
		e.Counterexample, e.Diagnosis = verify.Counterexample{}, nil
		e.Needed = "other pairs of inputs, whose outputs differ less over the reals; more samples of these pairs do not help"
	case e.Verdict == verify.Refuted && t.whole:
		e.Warnings = append(e.Warnings,
			"the last digits of integers reveal the input: add noise that also covers them, in arithmetic that keeps all "+
				"digits")
		t.setCause(&e, "noise that does not reach the last digits of integers")
	case e.Verdict == verify.Refuted:
		e.Warnings = append(e.Warnings, "the low-order bits of the outputs reveal the input: "+PrecisionCure)
		t.setCause(&e, "noise whose floating-point values differ with the input in their lowest bits")
	}
	return e
}

// setCause sets the likely cause for a finding that the control did not withdraw.
func (t *precisionTrial[D, O]) setCause(e *verify.Evidence, words string) {
	e.Diagnosis.LikelyCause = &verify.LikelyCause{Fault: verify.FaultLowBits, Level: t.settings.Alpha, Words: words,
		Evidence: fmt.Sprintf("an event of these bits certifies a loss of at least %.4g, with error %.2g; with random bits, "+
			"the same event would not refute the claim", e.Lower.X, t.settings.Alpha)}
}

// sampleLeaves draws outputs of each pair for a purpose and stores the picked numbers.
func (t *auditTrial[D, O]) sampleLeaves(ctx context.Context, purpose string, rows int,
	pick []int) ([]diagnosis.LeafPair, error) {
	encode, err := distinguisher.Encoder[O]() // checks the type; the bits are not chosen yet
	if err != nil {
		return nil, err
	}
	return forPairs(ctx, t, func(ctx context.Context, i int) (diagnosis.LeafPair, error) {
		var out diagnosis.LeafPair
		for side, input := range []D{t.Pairs[i].A, t.Pairs[i].B} {
			watch := t.watch(inputPlace{Pair: i, AtB: side == 1})
			var row []float64
			sample := []*diagnosis.LeafSample{&out.A, &out.B}[side]
			r := t.settings.Stream(purpose, strconv.Itoa(i), string("ab"[side]))
			err := drawReleases(ctx, t.Mechanism, r, input, int64(rows), func(batch []O) error {
				for _, o := range batch {
					row = encode(row[:0], o)
					watch.add(row)
					sample.Add(diagnosis.LeavesOf(nil, o), pick)
				}
				return watch.end()
			})
			if err != nil {
				return out, err
			}
		}
		return out, nil
	})
}
