package verify

// ObservedAccount compares a claimed training with the training that its log shows, and accounts for the latter. It
// does not affect the verdict: a refuted premise is not a refuted ε.
type ObservedAccount struct {
	Delta float64 `json:"delta"`
	Alpha float64 `json:"alpha"` // error probability of all confidence limits together; 0 if there are none
	// Claimed and Observed describe the sampling.
	Claimed  string           `json:"claimed"`
	Observed string           `json:"observed,omitempty"` // empty if Reason says that the sampling is not known
	Numbers  []ObservedNumber `json:"numbers"`
	// Reason says why there is no account of the observed training, or is empty.
	Reason string `json:"reason,omitempty"`
	// Conditions lists what the account assumes although the log does not show it.
	Conditions []string `json:"conditions,omitempty"`
}

// ObservedNumber is a number of a training, as claimed and as observed. Without limits, Observed is a count, or it is
// not set because the premise about the number is not refuted. The limits of ε are ends of the account. If only the
// lower one is set, the training costs at least this ε.
type ObservedNumber struct {
	Quantity string `json:"quantity"`
	Claimed  Number `json:"claimed"`
	Observed Number `json:"observed"`
	Lower    Number `json:"lower"`
	Upper    Number `json:"upper"`
}

// Quantities of the two ends of ε in [ObservedAccount.Numbers]. Their limits belong to the claimed and to the observed
// training.
const (
	ClaimedEpsilon  = "ε of the claimed training"
	ObservedEpsilon = "ε of the observed training"
)
