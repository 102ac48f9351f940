package dpsgd

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/algorithms/primitive"
)

// Local is gradient descent on gradients that each record privatizes by itself, [localsgd.DJW]. It is (Epochs ·
// Epsilon)-DP for data that differ in the value of one record of norm at most 1.
//
// A canary is a unit vector whose label depends on its coin. The gradients for the two labels are opposite and
// have the largest possible norm. The server sees each record's release; the score is the sum of the canary's
// releases in the canary's direction.
type Local struct {
	Data    *dataset.Dataset // rows of norm at most 1
	Epsilon float64          // > 0, privacy loss ε of one gradient
	Epochs  int              // ≥ 1
	Fault   Fault
}

// Check returns an error if a field is outside its domain or if this training cannot have the fault.
func (l *Local) Check() error {
	switch {
	case !(l.Epsilon > 0 && l.Epsilon <= 100):
		return fmt.Errorf("epsilon-per-pass %v: want a number above 0 and at most 100", l.Epsilon)
	case l.Epochs < 1 || l.Epochs > 1_000_000:
		return fmt.Errorf("epochs %d: want 1 to 1000000", l.Epochs)
	case l.Fault != Sound && l.Fault != HalfScale:
		return fmt.Errorf("fault %s: each record scales its gradient to one norm and draws its own noise; the training "+
			"may have %s, which doubles the epsilon of a gradient", l.Fault, HalfScale)
	}
	return nil
}

// MaxCanaries returns a bound that limits the memory of a training.
func (l *Local) MaxCanaries() int { return maxCanaries }

// The radius is so small that all canaries stay within the margin. There the slope of the hinge is −1.
const (
	localLambda = 1e-3
	localRadius = 1e-2
)

// Scores returns the sums of the canaries' releases, in multiples of the norm of a released gradient.
func (l *Local) Scores(ctx context.Context, r *rand.Rand, coins []bool) ([]float64, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	if len(coins) < 1 || len(coins) > l.MaxCanaries() {
		return nil, fmt.Errorf("%d canaries: want 1 to %d", len(coins), l.MaxCanaries())
	}
	n, d := l.Data.Len(), l.Data.Dim()
	values, labels := make([]float64, (n+len(coins))*d), make([]float64, n+len(coins))
	for i := range labels {
		if i < n {
			l.Data.Row(i).AddTo(values[i*d:(i+1)*d], 1)
			labels[i] = l.Data.Label(i)
			continue
		}
		values[i*d+(i-n)%d], labels[i] = 1, -1
		if coins[i-n] {
			labels[i] = 1
		}
	}
	data, err := dataset.NewDense(d, values, labels)
	if err != nil {
		return nil, err
	}
	server := &server{first: n, records: n + len(coins), dim: d, scores: make([]float64, len(coins))}
	c := localsgd.Config{Loss: erm.Hinge{}, Lambda: localLambda, Radius: localRadius,
		Lipschitz: 1 + localLambda*localRadius,
		Epochs:    l.Epochs, Step: localsgd.StepBall, Project: true, Watch: server}
	p := localsgd.Privacy{Epsilon: l.Epsilon, Bound: 1, Premise: localsgd.PremiseClip}
	if l.Fault == HalfScale {
		p.Epsilon *= 2
	}
	_, err = localsgd.DJW(ctx, r, data, c, p)
	return server.scores, err
}

// server is a watch that visits the records in their given order and adds up the canaries' releases. Privacy does
// not depend on the order.
type server struct {
	first, records, dim int
	releases            int // the number of releases so far
	scores              []float64
	last                primitive.Kind
}

// Replay replaces a random permutation by the identity.
func (s *server) Replay(c primitive.Call, released []float64) (ok bool, err error) {
	s.last = c.Kind
	if c.Kind != primitive.Permutation {
		return false, nil
	}
	for i := range released {
		released[i] = float64(i)
	}
	return true, nil
}

// Record adds a canary's release to its score. The gradient of a canary with label 1 is minus its unit vector.
func (s *server) Record(released []float64) {
	if s.last != primitive.PrivateSampling {
		return
	}
	if i := s.releases%s.records - s.first; i >= 0 {
		s.scores[i] -= released[i%s.dim]
	}
	s.releases++
}
