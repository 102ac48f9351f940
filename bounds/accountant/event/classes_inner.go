package event

import (
	"math"
	"slices"

	"github.com/goccy/go-yaml/ast"

	"github.com/dpverify/dpverify/internal/strictyaml"
)

func (n *node) poisson() (Event, error) {
	q, err := n.number("sampling_probability", wantProbability, probability)
	if err != nil {
		return Event{}, err
	}
	inner, err := n.inner()
	return Poisson(q, inner), err
}

func (n *node) repeated() (Event, error) {
	count, err := wholeNumber(n.fields["count"], "count", 1)
	if err != nil {
		return Event{}, err
	}
	inner, err := n.inner()
	return Repeat(count, inner), err
}

func (n *node) composed() (Event, error) {
	list, ok := n.fields["events"].(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		return Event{}, strictyaml.At(n.fields["events"], "events: want a list of at least one DpEvent")
	}
	return composedOf(list, n.notes)
}

// composedOf returns the composition of a list. A composition of compositions becomes one list, so that thousands of
// nested steps do not nest the event.
func composedOf(list *ast.SequenceNode, notes *[]string) (Event, error) {
	var parts []Event
	for _, v := range list.Values {
		e, err := eventOf(v, notes)
		switch {
		case err != nil:
			return Event{}, err
		case e.Kind != KindCompose || len(e.Parts) == 0:
			parts = append(parts, e)
		case parts == nil:
			parts = e.Parts
		default:
			parts = append(parts, e.Parts...)
		}
	}
	return Event{Kind: KindCompose, Parts: parts}, nil
}

func (n *node) inner() (Event, error) { return eventOf(n.fields["event"], n.notes) }

// withoutReplacement returns a mechanism on a batch of fixed size. Several Gaussians on one batch have the same pair as
// one Gaussian whose 1/σ² is the sum of theirs.
func (n *node) withoutReplacement() (Event, error) { return n.sampled(WithoutReplacement) }

// withReplacement returns a batch of independent draws, in which a record can occur several times.
func (n *node) withReplacement() (Event, error) { return n.sampled(WithReplacement) }

// sampled returns a batch of a fixed size with Gaussian noise.
func (n *node) sampled(batchOf func(batch, records int64, inner Event) Event) (Event, error) {
	records, err := wholeNumber(n.fields["source_dataset_size"], "source_dataset_size", 1)
	if err != nil {
		return Event{}, err
	}
	batch, err := wholeNumber(n.fields["sample_size"], "sample_size", 0)
	if err != nil {
		return Event{}, err
	}
	inner, err := n.inner()
	if err != nil || batch == 0 {
		return Compose(), err
	}
	if precision, ok := inner.gaussians(); ok && precision == 0 {
		return Compose(), nil
	} else if ok && inner.Kind != KindGaussian {
		inner = Gaussian(1 / math.Sqrt(precision))
	}
	n.note("dp_accounting supports it only for neighbors that differ by a replaced record; the noise multiplier is " +
		"relative to the norm of one record, and a replaced record moves a sum by twice this norm")
	return n.valid(batchOf(batch, records, inner))
}

// gaussians returns the sum of 1/σ² of a composition of Gaussians, 0 for an empty one. ok is false for other events.
func (e Event) gaussians() (precision float64, ok bool) {
	switch e.Kind {
	case KindGaussian:
		return 1 / (e.A * e.A), true
	case KindRepeat:
		precision, ok = e.Parts[0].gaussians()
		return float64(e.Count) * precision, ok
	case KindCompose:
		for _, part := range e.Parts {
			one, ok := part.gaussians()
			if !ok {
				return 0, false
			}
			precision += one
		}
		return precision, true
	}
	return 0, false
}

// truncated returns a Gaussian on a Poisson sample of limited size. A limit above the number of records has no effect.
func (n *node) truncated() (Event, error) {
	records, err := wholeNumber(n.fields["dataset_size"], "dataset_size", 0)
	if err != nil {
		return Event{}, err
	}
	limit, err := wholeNumber(n.fields["truncated_batch_size"], "truncated_batch_size", 0)
	if err != nil {
		return Event{}, err
	}
	q, err := n.number("sampling_probability", wantProbability, probability)
	if err != nil {
		return Event{}, err
	}
	sigma, err := n.number("noise_multiplier", wantPositive, positive)
	if err != nil || records == 0 || limit == 0 {
		return Compose(), err
	}
	return n.valid(TruncatedPoisson(q, min(limit, records), records, Gaussian(sigma)))
}

// selection returns a mechanism that is repeated a random number of times with a given mean.
func (n *node) selection() (Event, error) {
	mean, err := n.number("mean", "a number of at least 1", func(x float64) bool { return x >= 1 })
	if err != nil {
		return Event{}, err
	}
	shape, err := n.number("shape", "a finite number of at least 0: a Poisson number of runs (shape Infinity) is not "+
		"supported", notBelow0)
	if err != nil {
		return Event{}, err
	}
	inner, err := n.inner()
	if err != nil || mean == 1 {
		return inner, err
	}
	return n.valid(RepeatAndSelect(shape, gammaOf(mean, shape), inner))
}

// gammaOf returns the γ of the truncated negative binomial distribution with a mean above 1 (Papernot & Steinke 2022,
// Definition 1), rounded down, which makes more runs. With l = −log γ, the mean is (e^l − 1)/l at η = 0, and
// (e^l − 1)·η/(1 − e^−ηl) otherwise. It grows with l.
func gammaOf(mean, eta float64) float64 {
	meanAt := func(l float64) float64 {
		if eta == 0 {
			return math.Expm1(l) / l
		}
		return math.Expm1(l) * (eta / -math.Expm1(-eta*l))
	}
	low, high := 0.0, 710.0
	for {
		l := low + (high-low)/2
		if l <= low || l >= high {
			return math.Exp(-high) * (1 - 1e-14)
		}
		if meanAt(l) < mean {
			low = l
		} else {
			high = l
		}
	}
}

func appendNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}
