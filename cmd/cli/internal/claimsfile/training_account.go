package claimsfile

import (
	"fmt"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/premises"
)

// withObserved adds the account of the observed training to the check of a claimed ε at δ > 0, if there is a training
// log.
func (s *Subject) withObserved(check verify.Check) verify.Check {
	b := *s.Account.bound
	if b.printed != nil {
		b.value, _ = decimal.Near(b.printed.Text)
	}
	g := b.quantity.Guarantee(b.value)
	if s.training == nil || !g.IsApproximate() || b.quantity != accounting.EpsilonAt(g.At()) || !(g.At() > 0) {
		return check
	}
	return s.training.Account(check, s.Account.release.Adjacency, b.value, g.At())
}

// describedTraining holds the numbers of a training in the form of an account.
type describedTraining struct {
	sampling premises.Sampling
	rate     float64 // of Poisson sampling
	batch    int64   // without replacement
	batches  int64   // in an epoch, for shuffled and fixed batches
	sigma    float64 // noise multiplier
	steps    int64
}

// disagrees returns an error at the first number of the account that is not the number of the training. It returns nil
// if there is no account, or if the account does not describe one training with Gaussian noise.
func (a *Account) disagrees(t premises.Training, records int) *keyError {
	if a == nil {
		return nil
	}
	d, ok := trainingOf(a.release.Event)
	if !ok {
		return nil
	}
	differ := func(key string, account, training any) *keyError {
		return &keyError{key: key, err: fmt.Errorf("the account has %s %v, the training %v: want the same, or two claims",
			key, account, training)}
	}
	batches := int64(0)
	if t.Batch > 0 {
		batches = int64(records / t.Batch)
	}
	epoch := d.sampling == premises.Shuffled || d.sampling == premises.Fixed
	full := d.sampling == premises.Poisson && d.rate == 1 && t.Batch == records
	switch {
	case d.sampling != t.Sampling && !full:
		return differ("sampling", d.sampling, t.Sampling)
	case t.Sampling == premises.Poisson && d.rate != t.Rate:
		return differ("rate", d.rate, t.Rate)
	case d.sampling == premises.WithoutReplacement && d.batch != int64(t.Batch):
		return differ("batch", d.batch, t.Batch)
	case !near(d.sigma, t.NoiseMultiplier):
		return differ("noise-multiplier", d.sigma, t.NoiseMultiplier)
	case epoch && d.batches != batches && d.batches != batches+1:
		return &keyError{key: "batch", err: fmt.Errorf("the account has %d batches in an epoch, the training %d, of %d "+
			"records: want the same, or two claims", d.batches, batches, t.Batch)}
	case d.steps != int64(t.Steps) && !(epoch && d.steps-int64(t.Steps) < d.batches && d.steps > int64(t.Steps)):
		return differ("steps", d.steps, t.Steps)
	}
	return nil
}

// near reports whether two numbers are equal up to the rounding of a quotient.
func near(a, b float64) bool {
	return a-b <= verify.DefaultRelativeError*b && b-a <= verify.DefaultRelativeError*b
}

// trainingOf returns the training that an event describes, if it is one.
func trainingOf(e event.Event) (d describedTraining, ok bool) {
	d.sampling, d.rate, d.steps = premises.Poisson, 1, 1
	for {
		switch e.Kind {
		case event.KindRepeat:
			d.steps *= e.Count
		case event.KindPoisson:
			d.rate *= e.A
		case event.KindWithoutReplacement:
			d.sampling, d.batch = premises.WithoutReplacement, int64(e.B)
		case event.KindFixedBatches, event.KindShuffledBatches:
			d.sampling, d.batches = premises.Fixed, e.Count
			if e.Kind == event.KindShuffledBatches {
				d.sampling = premises.Shuffled
			}
			d.steps *= e.Count
		case event.KindGaussian:
			d.sigma = e.A / e.Sensitivity
			return d, true
		default:
			return d, false
		}
		if len(e.Parts) != 1 {
			return d, false
		}
		e = e.Parts[0]
	}
}
