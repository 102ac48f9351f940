package verify

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical"
)

// Recording is outputs of a mechanism at one input, drawn independently by whoever
// recorded them. Outputs are decoded JSON.
type Recording struct {
	Name    string // of its file
	Outputs []any
}

// RecordedAudit checks a privacy claim on recorded outputs at two neighbouring
// inputs: a part of them, drawn at random, chooses the event and the rest certifies.
// Nothing more can be sampled, so the budget does not matter.
type RecordedAudit struct {
	A, B      Recording
	Guarantee Guarantee
}

// RecordedPrecision is [Precision] on recorded outputs.
type RecordedPrecision RecordedAudit

// recordedTrial is an audit of one pair whose samples are all there.
type recordedTrial struct {
	*auditTrial[int, any]
	a, b     []any // for the search
	restA    []any // for the certificate
	restB    []any
	warnings []string
}

// trial parts the samples. The same number of both is used.
func (r RecordedAudit) trial(s Settings) (*recordedTrial, error) {
	if err := r.Guarantee.Check(); err != nil {
		return nil, err
	}
	n := min(len(r.A.Outputs), len(r.B.Outputs))
	if n < leastSamples {
		return nil, fmt.Errorf("%d samples in %s and %d in %s: want at least %d of each", len(r.A.Outputs), r.A.Name, len(r.B.Outputs), r.B.Name, leastSamples)
	}
	encode, err := empirical.Encoder[any]()
	if err != nil {
		return nil, err
	}
	rows := min(int(searchShare*float64(n)), maxWitnessRows)
	perShard := (n - rows) / auditShards
	rest := perShard * auditShards
	pair := Neighbours[int]{Name: fmt.Sprintf("A = %s, B = %s", r.A.Name, r.B.Name)}
	t := &recordedTrial{auditTrial: &auditTrial[int, any]{
		Audit:    Audit[int, any]{Pairs: []Neighbours[int]{pair}, Guarantee: r.Guarantee, Effect: 1.25},
		settings: s, encode: encode, perShard: int64(perShard), total: int64(n),
	}}
	a, b := shuffled(s.Stream("split", "a"), r.A.Outputs), shuffled(s.Stream("split", "b"), r.B.Outputs)
	t.a, t.b, t.restA, t.restB = a[:rows], b[:rows], a[rows:rows+rest], b[rows:rows+rest]
	if len(a) != len(b) {
		t.warnings = append(t.warnings, fmt.Sprintf("%s holds %d samples and %s %d: %d of each were used", r.A.Name, len(a), r.B.Name, len(b), rows+rest))
	}
	return t, nil
}

func shuffled(r *rand.Rand, all []any) []any {
	out := make([]any, len(all))
	for i, j := range r.Perm(len(all)) {
		out[i] = all[j]
	}
	return out
}

// Prepare does it all: there is nothing to sample.
func (r RecordedAudit) Prepare(_ context.Context, s Settings) (Trial, error) {
	t, err := r.trial(s)
	if err != nil {
		return nil, err
	}
	w, err := t.search(t.rows(t.a), t.rows(t.b), t.n1())
	if err != nil {
		return nil, err
	}
	if err := t.choose([]*empirical.Witness{w}); err != nil {
		return nil, err
	}
	return t.decide(t.auditTrial.Judge)
}

// Prepare does it all.
func (r RecordedPrecision) Prepare(_ context.Context, s Settings) (Trial, error) {
	t, err := RecordedAudit(r).trial(s)
	if err != nil {
		return nil, err
	}
	t.Effect = oneMore(r.Guarantee)
	var drawn leafPair
	for _, o := range t.a {
		drawn.a.add(leavesOf(nil, o))
	}
	for _, o := range t.b {
		drawn.b.add(leavesOf(nil, o))
	}
	trial, err := preparePrecision(t.auditTrial, []leafPair{drawn}, s)
	if err != nil {
		return nil, err
	}
	if sampled, ok := trial.(*precisionTrial[int, any]); ok {
		return t.decide(sampled.Judge)
	}
	return trial, nil
}

// n1 is the number of samples of each input that certify.
func (t *recordedTrial) n1() int64 { return t.perShard * auditShards }

func (t *recordedTrial) rows(outputs []any) *empirical.Rows {
	var out empirical.Sample
	for _, o := range outputs {
		out.Add(t.encode(out.Scratch(), o))
	}
	return out.Rows()
}

// decide counts the chosen event in the samples that are left and judges.
func (t *recordedTrial) decide(judge func(empirical.Tally) (Evidence, error)) (Trial, error) {
	if len(t.chosen) != 1 {
		return nil, errors.New("no event was chosen")
	}
	w := t.chosen[0].witness
	likelier, other := t.restA, t.restB
	if w.Swapped {
		likelier, other = other, likelier
	}
	ties := t.settings.Stream("ties")
	counts := make(empirical.Counts, 2)
	var row []float64
	for side, outputs := range [][]any{likelier, other} {
		for _, o := range outputs {
			if row = t.encode(row[:0], o); w.Holds(ties, row) {
				counts[side]++
			}
		}
	}
	e, err := judge(counts)
	e.Method = "recorded samples, a part of which was drawn at random for the search: " + e.Method
	e.Warnings = append(e.Warnings, t.warnings...)
	return Decided(e), err
}
