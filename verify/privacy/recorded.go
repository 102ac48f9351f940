package privacy

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// RecordedAudit checks a privacy claim on recorded outputs at two neighboring inputs, A and B, with at least 200
// independent releases each. Randomly drawn parts choose the events, and the held-out parts certify them. The
// budget has no effect, because no more outputs can be drawn.
//
// Every verdict requires independent releases. If [outputs.Recording.Dependence] or [outputs.CopiedWord] detects
// dependence, the verdict is inconclusive with a warning. A false detection has probability at most three times
// [outputs.DependenceAlpha]. Sorted outputs only get the warning.
type RecordedAudit struct {
	A, B      outputs.Recording
	Guarantee Guarantee
	Mass      float64 // see [Audit.EventProbability]
	Band      bool    // see [Audit.Band]
}

// RecordedPrecision is [FloatingPoint] for recorded outputs.
type RecordedPrecision RecordedAudit

// recordedTrial is an audit of one pair with recorded outputs in random order, equally many of each input.
type recordedTrial struct {
	*auditTrial[int, any]
	outputs [2][]any // of A and of B
}

// trial shuffles the outputs.
func (r RecordedAudit) trial(s verify.Settings) (*recordedTrial, error) {
	if err := r.Guarantee.Check(); err != nil {
		return nil, err
	}
	n := min(len(r.A.Outputs), len(r.B.Outputs))
	if n < verify.MinSamples {
		return nil, fmt.Errorf("%d samples in %s and %d in %s: want at least %d of each", len(r.A.Outputs), r.A.Name,
			len(r.B.Outputs), r.B.Name, verify.MinSamples)
	}
	encode, err := distinguisher.Encoder[any]()
	if err != nil {
		return nil, err
	}
	pair := inputs.Pair[int]{Name: fmt.Sprintf("A = %s, B = %s", r.A.Name, r.B.Name)}
	t := &recordedTrial{auditTrial: &auditTrial[int, any]{
		Audit: Audit[int, any]{Pairs: []inputs.Pair[int]{pair}, Guarantee: r.Guarantee, Effect: smallFactor,
			EventProbability: r.Mass, Band: r.Band},
		settings: s, alpha: s.Alpha, encode: encode, total: int64(n),
		shown: diagnosis.Shown{Pairs: make([]diagnosis.ShownPair, 1)},
	}}
	if word := outputs.CopiedWord(r.A, r.B); word != "" {
		t.warn(word)
		t.dependent = true
	}
	for side, recorded := range []outputs.Recording{r.A, r.B} {
		word, sorted := recorded.Dependence()
		t.warn(word)
		t.dependent = t.dependent || word != "" && !sorted
		t.outputs[side] = outputs.ShuffledOutputs(s.Stream("split", string("ab"[side])), recorded.Outputs)[:n]
	}
	if len(r.A.Outputs) != len(r.B.Outputs) {
		t.warn(fmt.Sprintf("%s holds %d samples and %s %d: %d of each were used", r.A.Name, len(r.A.Outputs), r.B.Name,
			len(r.B.Outputs), n))
	}
	return t, nil
}

// Prepare chooses an event on each of two parts of the outputs, certifies it on all others, and decides. Nothing is
// left to sample.
func (r RecordedAudit) Prepare(_ context.Context, s verify.Settings) (verify.Trial, error) {
	t, err := r.trial(s)
	if err != nil {
		return nil, err
	}
	t.alpha /= 2
	t.plan(2, int64(t.rows(t.outputs[0][:probeRows]).Width))
	rows := int(t.sight.Rows(t.total))
	for fold := range 2 {
		err := t.look(fold*rows, (fold+1)*rows)
		if err != nil && !errors.Is(err, distinguisher.ErrNoEvent) {
			return nil, err
		}
	}
	if len(t.views) == 0 {
		t.views = []view{t.blind(t.sight.Certifying(t.total))}
	}
	t.readRecorded(rows)
	t.setMinProbability()
	t.seeRounded()
	t.warn(t.shown.ConstantWord())
	return t.decide(t.auditTrial.Judge)
}

// plan determines the number of outputs for each search and the number that certify.
func (t *recordedTrial) plan(searches int, width int64) {
	t.sight = t.newSight(searches, 1)
	blind := t.unknownSmallViolation()
	most := t.sight.EnoughRows(t.wanted(), blind.mass, blind.other, maxWitnessRows, maxWitnessValues/width)
	t.lay(recordedDesign, most)
}

// readRecorded prepares the diagnosis from the outputs that chose the events.
func (t *recordedTrial) readRecorded(rows int) {
	var samples [2]diagnosis.Sample
	var row []float64
	for side, outputs := range t.outputs {
		for part := range 2 {
			samples[side][part] = t.rows(outputs[part*rows : (part+1)*rows])
		}
		e := &t.shown.Pairs[0].Examples[side]
		for i, o := range outputs {
			if i < min(rows, diagnosis.MostExamples) {
				e.See(o, samples[side][0].Row(i))
			} else {
				e.Atoms.See(o)
				row = t.encode(row[:0], o)
				e.Constant.See(o, row)
			}
		}
	}
	var found []candidates
	for _, v := range t.views {
		found = append(found, candidates{v.chosen[0].witness})
	}
	t.read(0, samples[0], samples[1], found...)
}

// look adds a view whose event is chosen by the outputs in [from, to).
func (t *recordedTrial) look(from, to int) error {
	n := len(t.outputs[0])
	t.certifying = int64(n - (to - from))
	a, b := t.rows(t.outputs[0][from:to]), t.rows(t.outputs[1][from:to])
	found, err := t.search(a, b, from > 0, [2]int64{t.certifying, t.certifying})
	if err != nil {
		return err
	}
	t.nest(found, a, b)
	v := view{chosen: []choice{{0, found[0]}}, heldOutN: [2]int64{t.certifying, t.certifying}}
	t.count(&v, from, to)
	t.views = append(t.views, v)
	return nil
}

// count counts the events of a view in all outputs except those in [from, to).
func (t *recordedTrial) count(v *view, from, to int) {
	c := v.chosen[0]
	v.heldOut = t.zeroCounts()
	ties := t.settings.Stream("ties", strconv.Itoa(from))
	var row []float64
	for i, outputs := range t.outputs {
		side := c.side(i == 1)
		for k, o := range outputs {
			if k >= from && k < to {
				continue
			}
			row = t.encode(row[:0], o)
			v.heldOut[side].add(c.witness.Mark(ties, row))
		}
	}
}

// Prepare chooses an event on part of the outputs, certifies it on the others, and decides.
func (r RecordedPrecision) Prepare(_ context.Context, s verify.Settings) (verify.Trial, error) {
	r.Band = false
	t, err := RecordedAudit(r).trial(s)
	if err != nil {
		return nil, err
	}
	t.Effect, t.EventProbability = diagnosis.OneMore(r.Guarantee), precisionMass
	t.plan(1, 1)
	rows := int(t.sight.Rows(t.total))
	t.certifying = t.sight.Certifying(t.total)
	pick := diagnosis.PickLeaves([]diagnosis.LeafPair{t.leaves(min(diagnosis.ScoutRows, rows), nil)})
	trial, err := preparePrecision(t.auditTrial, []diagnosis.LeafPair{t.leaves(rows, pick)}, pick, s)
	if err != nil {
		return nil, err
	}
	if sampled, ok := trial.(*precisionTrial[int, any]); ok {
		t.count(&t.views[0], 0, rows)
		return t.decide(sampled.Judge)
	}
	return trial, nil
}

// leaves returns the picked numbers of the first outputs.
func (t *recordedTrial) leaves(rows int, pick []int) (out diagnosis.LeafPair) {
	var leaves []diagnosis.Leaf
	for i := range rows {
		for side, sample := range []*diagnosis.LeafSample{&out.A, &out.B} {
			leaves = diagnosis.LeavesOf(leaves[:0], t.outputs[side][i])
			sample.Add(leaves, pick)
		}
	}
	return out
}

func (t *recordedTrial) rows(outputs []any) *distinguisher.Rows {
	var out distinguisher.Sample
	for _, o := range outputs {
		out.Add(t.encode(out.Scratch(), o))
	}
	return out.Rows()
}

// recordedMethod is a prefix of the method text for recorded outputs.
const recordedMethod = "recorded samples, in random order: "

// decide judges the views. All their samples are held out.
func (t *recordedTrial) decide(judge func(empirical.Tally) (verify.Evidence, error)) (verify.Trial, error) {
	e, err := judge(t.NewTally())
	e.Method = recordedMethod + e.Method
	t.withdraw(&e)
	return verify.Decided(e), err
}

// withdraw makes the verdict inconclusive if the outputs are not independent releases.
func (t *auditTrial[D, O]) withdraw(e *verify.Evidence) {
	if t.dependent {
		e.Verdict, e.Attempt, e.Counterexample, e.Diagnosis = verify.Inconclusive, "", verify.Counterexample{}, nil
		e.Needed = "independent releases, each recorded once: see the warning"
	}
}
