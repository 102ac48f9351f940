package observed

import (
	"fmt"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/premises"
)

// form is a training as events of the accountant. ε of the training is at least ε of each event in below, and at most ε
// of the event above.
type form struct {
	below []event.Event
	above *event.Event
	why   string // the reason why there is no event, or empty
}

// formOf returns the events of a training whose rate and noise multiplier have limits. ε increases with the rate and
// the steps, and decreases with the noise multiplier:
//
//   - Rate: the pair at rate rq is the mixture, with weight r, of the pair at rate q and of two equal distributions.
//     By joint convexity its hockey-stick divergence is at most r times that of the pair at rate q (Balle, Barthe &
//     Gaboardi 2018, Theorem 2).
//   - Noise: more noise is a postprocessing, which adds independent noise.
//   - Steps: the outputs of the first steps are a postprocessing of all outputs.
//
// The dominating pairs of the steps are thereby ordered, and so are their compositions (Zhu, Dong & Wang 2022, Theorem
// 10).
func formOf(x premises.Observed) form {
	switch {
	case x.Beyond != nil && x.Sampling != premises.Poisson:
		return form{why: fmt.Sprintf("contributions exceed the clipping norm, and the sampling is %s: the account of "+
			"larger contributions needs Poisson sampling", x.Sampling)}
	case x.Beyond != nil:
		return form{below: beyond(x)}
	}
	low := whole(x, x.Rate.Low, x.Multiplier.High, false)
	high := whole(x, x.Rate.High, x.Multiplier.Low, true)
	f := form{below: []event.Event{low}}
	if x.Sampling == premises.Shuffled && x.Batch*max(1, x.Epoch) != x.Records {
		f.below = nil // the lower bound needs equal batches that contain all records
	}
	if !x.Longer {
		f.above = &high
	}
	return f
}

// beyond returns events whose ε the training exceeds: the steps with the largest contribution, and all steps with a
// contribution above C at the smallest of their norms. In the other steps the norm is C. As in any account, the
// neighbor is a record whose contributions have the largest norms that the steps admit.
func beyond(x premises.Observed) []event.Event {
	at := func(steps int, norm float64) event.Event {
		step := func(norm float64) event.Event {
			return event.Poisson(x.Rate.Low, event.Gaussian(x.Multiplier.High).WithSensitivity(norm))
		}
		return event.Compose(event.Repeat(int64(steps), step(norm)), event.Repeat(int64(x.Steps-steps), step(1)))
	}
	list := []event.Event{at(1, x.Beyond.Largest)}
	if x.Beyond.Steps > 1 {
		list = append(list, at(x.Beyond.Steps, x.Beyond.Smallest))
	}
	return list
}

// whole returns the event of all logged steps. An epoch that the log cuts counts as whole in the upper event. In fixed
// batches it also counts in the lower one, because the records of its first batch take part in it.
func whole(x premises.Observed, rate, sigma float64, above bool) event.Event {
	gaussian := event.Gaussian(sigma)
	switch x.Sampling {
	case premises.Poisson:
		return event.Repeat(int64(x.Steps), event.Poisson(rate, gaussian))
	case premises.WithoutReplacement:
		return event.Repeat(int64(x.Steps), event.WithoutReplacement(int64(x.Batch), int64(x.Records), gaussian))
	}
	length := max(1, x.Epoch)
	batches, epochs := int64(length), x.Steps/length
	if x.Steps%length > 0 && (above || x.Sampling == premises.Fixed) {
		epochs++
	}
	if x.Sampling == premises.Fixed {
		return event.Repeat(int64(epochs), event.FixedBatches(batches, gaussian))
	}
	return event.Repeat(int64(epochs), event.ShuffledBatches(batches, gaussian))
}

// claimedForm returns the events of the claimed training on the records of the log.
func claimedForm(t premises.Training, x premises.Observed) form {
	limits := func(v float64) premises.Limits { return premises.Limits{Low: v, Value: v, High: v} }
	x.Sampling, x.Rate, x.Batch, x.Multiplier = t.Sampling, limits(t.Rate), t.Batch, limits(t.NoiseMultiplier)
	x.Steps, x.Longer, x.Beyond = t.Steps, false, nil
	if batch := max(1, t.Batch); x.Resampled || x.Epoch == 0 {
		x.Epoch = (x.Records + batch - 1) / batch
	}
	return formOf(x)
}

// sampling describes the sampling of a training.
func sampling(s premises.Sampling, rate float64, batch int) string {
	if s == premises.Poisson {
		if rate == 1 {
			return "all records in each step"
		}
		return string(s)
	}
	return fmt.Sprintf("%s, batches of %s", s, verify.Plural(batch, "record"))
}
