package event

import "github.com/dpverify/dpverify/internal/strictyaml"

// class describes one event class of dp_accounting.
type class struct {
	fields string // in dp_accounting's order; a question mark follows an optional field
	// event converts a node. It is nil if the accountant does not support the class for the given reason.
	event  func(n *node) (Event, error)
	reason string
}

// classes contains the 21 event classes of dp_accounting 0.6.0 (dp_event.py). init fills it, because some
// conversions refer to it. Unless a comment says otherwise, neighbors differ by a record that is added or removed.
var classes map[string]class

func init() {
	classes = map[string]class{
		"NoOpDpEvent":       {"", func(*node) (Event, error) { return Compose(), nil }, ""},
		"NonPrivateDpEvent": {"", func(*node) (Event, error) { return nonPrivate, nil }, ""},
		"UnsupportedDpEvent": {"", nil,
			"it stands for an operation whose privacy its author did not describe"},

		// σ/C and b/C, for vectors of ℓ2 and ℓ1 norm at most C.
		"GaussianDpEvent":         {"noise_multiplier", func(n *node) (Event, error) { return n.noisy(Gaussian) }, ""},
		"LaplaceDpEvent":          {"noise_multiplier", func(n *node) (Event, error) { return n.noisy(Laplace) }, ""},
		"DiscreteLaplaceDpEvent":  {"noise_parameter sensitivity", (*node).discreteLaplace, ""},
		"DiscreteGaussianDpEvent": {"sigma sensitivity? dimension?", (*node).discreteGaussian, ""},
		"MixtureOfGaussiansDpEvent": {"standard_deviation sensitivities sampling_probs",
			(*node).mixture, ""},
		"RandomizedResponseDpEvent": {"noise_parameter num_buckets", (*node).response, ""},

		"EpsilonDeltaDpEvent":         {"epsilon delta", (*node).approximate, ""},
		"ZCDpEvent":                   {"rho xi?", (*node).concentrated, ""},
		"ExponentialMechanismDpEvent": {"epsilon", (*node).exponential, ""}, // log-odds in an interval of length ε
		"PermuteAndFlipDpEvent":       {"epsilon", (*node).permuteAndFlip, ""},

		"ComposedDpEvent":       {"events", (*node).composed, ""},
		"SelfComposedDpEvent":   {"event count", (*node).repeated, ""},
		"PoissonSampledDpEvent": {"sampling_probability event", (*node).poisson, ""},
		// Neighbors differ by a replaced record.
		"SampledWithReplacementDpEvent":    {"source_dataset_size sample_size event", (*node).withReplacement, ""},
		"SampledWithoutReplacementDpEvent": {"source_dataset_size sample_size event", (*node).withoutReplacement, ""},
		"TruncatedSubsampledGaussianDpEvent": {
			"dataset_size sampling_probability truncated_batch_size noise_multiplier", (*node).truncated, ""},
		// Neighbors differ by a record that is replaced with one without effect, as if it were removed.
		"SingleEpochTreeAggregationDpEvent": {"noise_multiplier step_counts", (*node).treeAggregation, ""},
		"RepeatAndSelectDpEvent":            {"event mean shape", (*node).selection, ""},
	}
}

// nonPrivate releases its input with probability 1.
var nonPrivate = Approximate(0, 1)

// valid returns an error at the node for an event that is invalid.
func (n *node) valid(e Event) (Event, error) {
	if err := e.Validate(); err != nil {
		return Event{}, strictyaml.At(n, "%s: %v", n.class, err)
	}
	return e, nil
}

// note adds a note on the interpretation of the class.
func (n *node) note(text string) {
	*n.notes = appendNew(*n.notes, n.class+": "+text)
}
