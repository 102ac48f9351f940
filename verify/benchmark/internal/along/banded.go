package along

import (
	"context"
	"math"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
)

// banded audits a subject for its band, with an error that is the settings' times a factor: 1, or a fault.
type banded struct {
	subject
	claim  privacy.Guarantee
	factor float64
}

func (b banded) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	s.Alpha *= b.factor
	t, err := b.audit(b.claim, samples, false, true).Prepare(ctx, s)
	return bandedTrial{t, b.subject}, err
}

type bandedTrial struct {
	verify.Trial
	subject
}

// Judge refutes a band that is false at some place; there is no other claim.
func (t bandedTrial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	e, err := t.Trial.Judge(merged)
	if err != nil {
		return e, err
	}
	out := verify.Evidence{Verdict: verify.Inconclusive, Quantity: "points of a band", Samples: e.Samples}
	for _, p := range e.Band.Delta {
		if p.Certified > t.delta(p.At)+1e-9 {
			out.Verdict = verify.Refuted
		}
	}
	for _, p := range e.Band.TradeOff {
		if p.Certified < t.tradeOff(p.At)-1e-9 {
			out.Verdict = verify.Refuted
		}
	}
	return out, nil
}

// tradeOff is the trade-off function of the subject's curve, on a grid of ε, from below.
func (s subject) tradeOff(alpha float64) float64 {
	least := 0.0
	for i := range 400 {
		epsilon := s.ends * float64(i) / 399
		t, d := math.Exp(epsilon), s.delta(epsilon)
		least = math.Max(least, math.Max(1-d-t*alpha, (1-d-alpha)/t))
	}
	return least
}
