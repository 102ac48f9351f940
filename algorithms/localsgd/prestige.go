package localsgd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/mechanism"
)

// PRESTIGE runs Algorithm 1 of Han et al. 2018. A record takes part in an update if its private curriculum z =
// (⟨w, x⟩ + b)ỹ reaches the threshold D_th (Def. 4), where ỹ is its label after randomized response at ε_r (Prop.
// 2). The update is DJW's with ỹ instead of y. D_th decreases by μ√T after epoch T, and t counts the updates.
//
// The run is a function of (x, ỹ), so for records that differ only in the label randomized response gives ε_r for
// each draw of ỹ. The selection of a record depends on x without noise.
//
// A batch without selected records makes no update. PRESTIGE takes time O(d) per record and does not allocate.
// Errors are as for DJW, and values of q outside their domain.
func PRESTIGE(ctx context.Context, r *rand.Rand, data *dataset.Dataset, c Config, p Privacy,
	q Curriculum) (*Result, error) {
	s, sampler, err := newPrivateRun(r, data, c, p)
	if err != nil {
		return nil, err
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	response, err := mechanism.NewRandomizedResponse(q.Epsilon)
	if err != nil {
		return nil, fmt.Errorf("localsgd: %w", err)
	}
	m := &curriculum{run: s, Curriculum: q, response: response, sampler: sampler, premise: p.Premise}
	if q.Memoize {
		if err := m.memoize(); err != nil {
			return nil, err
		}
	}
	return s.train(ctx, c.Step.size(c, p.Bound), learner{record: m.record, open: m.open, close: m.close})
}

// curriculum is the further state of PRESTIGE. Its Threshold decreases from epoch to epoch.
type curriculum struct {
	*run
	Curriculum
	response *mechanism.RandomizedResponse
	sampler  *mechanism.PrivateSampling
	premise  Premise
	labels   []float64 // ỹ of each record; nil unless Memoize is set
}

func (m *curriculum) memoize() error {
	m.labels = make([]float64, m.data.Len())
	for i := range m.labels {
		y, err := m.perturbed(i)
		if err != nil {
			return err
		}
		m.labels[i] = y
	}
	return nil
}

func (m *curriculum) perturbed(i int) (float64, error) {
	y, err := m.noise.Label(m.response, m.Epsilon, int(m.data.Label(i)))
	return float64(y), err
}

// record performs one iteration of the inner loop: P-Curriculum, If, Compute, Rescale, Sample.
func (m *curriculum) record(i int) ([]float64, error) {
	y, err := m.label(i)
	if err != nil {
		return nil, err
	}
	x := m.data.Row(i)
	score := x.Dot(m.w)
	if !((score+m.Bias)*y >= m.Threshold) { // false also if w is NaN
		return nil, nil
	}
	m.selected(score+m.Bias, y)
	n := m.gradient(x, y, score)
	return m.private(n, m.sampler, m.premise)
}

func (m *curriculum) label(i int) (float64, error) {
	if m.labels != nil {
		return m.labels[i], nil
	}
	return m.perturbed(i)
}

func (m *curriculum) open(e *Epoch) { e.Threshold = m.Threshold }

// close updates D_th after the given epoch.
func (m *curriculum) close(epoch int) { m.Threshold -= m.Decrease * math.Sqrt(float64(epoch)) }
