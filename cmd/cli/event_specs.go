package cli

import "strings"

// eventSpec is an event that flags can describe.
type eventSpec struct {
	Name, What, Long, Example string
	Mechanism, Sampling       string   // of its description, the name and none unless told
	Required, Optional        []string // its flags, by their names
	Noise                     string   // what 'account calibrate' finds unless told; "" where it must be told
}

// eventSpecs are the events, in the order of the help.
var eventSpecs = []eventSpec{
	{
		Name: "gaussian", What: "the Gaussian mechanism", Required: []string{"sigma"}, Optional: sensitivityFlag,
		Noise: "sigma",
		Long: `Gaussian adds N(0, σ²) to every coordinate of a sum; one record contributes a
vector of ℓ2 norm at most --sensitivity.`,
		Example: "--sigma 10 --count 100 --delta 1e-5",
	},
	{
		Name: "laplace", What: "the Laplace mechanism", Required: []string{"scale"}, Optional: sensitivityFlag,
		Noise: "scale",
		Long: `Laplace adds noise of density ∝ exp(−|z|/scale) to every coordinate of a sum; one
record contributes a vector of ℓ1 norm at most --sensitivity.`,
		Example: "--scale 2 --count 50 --delta 1e-6",
	},
	{
		Name: "discrete-laplace", What: "the discrete Laplace (geometric) mechanism", Required: []string{"rate"},
		Optional: sensitivityFlag,
		Long: `Discrete-laplace adds an integer k with P(k) ∝ exp(−rate·|k|) to a whole number;
one record contributes at most --sensitivity, a whole number.`,
		Example: "--rate 0.5 --sensitivity 2 --epsilon 1",
	},
	{
		Name: "rr", What: "randomized response", Required: []string{"epsilon0"},
		Optional: []string{"categories", "sensitivity"},
		Long: `Rr reports one of --categories values, the true one with odds e^ε₀ against each
other one. Neighbours differ in the value reported.`,
		Example: "--epsilon0 1 --categories 4 --count 20 --delta 1e-6",
	},
	{
		Name: "sgm", What: "the Poisson-sampled Gaussian mechanism, the step of DP-SGD",
		Required: []string{"sampling-rate", "noise-multiplier"}, Noise: "noise-multiplier", Optional: sensitivityFlag,
		Long: `Sgm draws a sample that holds each record independently with probability
--sampling-rate, and releases a sum over it with Gaussian noise whose deviation is
the multiplier times the sensitivity. Batches of a fixed size, of a partition or of a
shuffle are not such samples: describe those in a file, see 'account compose'.`,
		Example: "--sampling-rate 0.01 --noise-multiplier 1 --count 10000 --delta 1e-5",
	},
	{
		Name: "schedule", What: "Poisson-sampled Gaussian steps at a list of noise multipliers",
		Required: []string{"sampling-rate", "noise-multipliers"}, Optional: []string{"steps-each", "sensitivity"},
		Long: `Schedule runs --steps-each Poisson-sampled Gaussian steps at each multiplier of
the list, one after another; see 'account sgm'.`,
		Example: "--sampling-rate 0.02 --noise-multipliers 5,4.8,4.6 --steps-each 100 --delta 1e-5",
	},
	{
		Name: "without-replacement", Mechanism: "gaussian", Sampling: "without-replacement",
		What:     "the Gaussian mechanism on batches of a fixed size",
		Required: []string{"sigma", "records", "batch"}, Optional: sensitivityFlag, Noise: "sigma",
		Long: `Without-replacement draws a batch of so many of the records, each set of them
equally likely, and releases a sum over it with Gaussian noise.`,
		Example: "--sigma 1 --records 10000 --batch 100 --count 1000 --delta 1e-5",
	},
	{
		Name: "truncated-poisson", Mechanism: "gaussian", Sampling: "truncated-poisson",
		What:     "the Gaussian mechanism on Poisson samples of at most so many records",
		Required: []string{"sigma", "sampling-rate", "records", "batch"}, Optional: sensitivityFlag, Noise: "sigma",
		Long: `Truncated-poisson draws a sample that holds each record independently with
probability --sampling-rate, cuts one of more than --batch of the --records at random
to so many, and releases a sum over it with Gaussian noise.`,
		Example: "--sigma 1 --sampling-rate 0.01 --records 10000 --batch 150 --count 1000 --delta 1e-5",
	},
	{
		Name: "allocation", Mechanism: "gaussian", Sampling: "allocation",
		What:     "epochs of random allocation, where each record is in --picks of --steps steps at random",
		Required: []string{"sigma", "steps"}, Optional: []string{"picks", "sensitivity"}, Noise: "sigma",
		Long: `Allocation puts each record into --picks of the --steps steps of an epoch, each set
of them equally likely; a step releases a sum over its records with Gaussian noise.
--count is in epochs.`,
		Example: "--sigma 1 --steps 100 --count 3 --delta 1e-5",
	},
	{
		Name: "matrix", What: "correlated noise: DP-FTRL, trees, banded and other matrix mechanisms",
		Noise:    "noise-multiplier",
		Required: []string{"strategy", "noise-multiplier"},
		Optional: []string{"steps", "times", "separation", "every", "bandwidth", "restart", "sampling-rate", "cycle"},
		Long: `Matrix releases all steps of a lower-triangular strategy with Gaussian noise, of
which the multiplier is its deviation over the clip norm of one participation. A
record takes part up to --times times, at least --separation steps apart or exactly
--every steps. With --sampling-rate each step is on a Poisson sample of one of
--cycle parts of the records.`,
		Example: "--strategy tree --steps 1024 --noise-multiplier 5 --times 4 --separation 256 --delta 1e-5",
	},
	{
		Name: "discrete-gaussian", What: "the discrete Gaussian mechanism", Required: []string{"sigma"},
		Optional: sensitivityFlag, Noise: "sigma",
		Long: `Discrete-gaussian adds an integer k with P(k) ∝ exp(−k²/2σ²) to a whole number; one
record contributes at most --sensitivity, rounded down to a whole number.`,
		Example: "--sigma 3 --count 10 --delta 1e-6",
	},
	{
		Name: "truncated-laplace", What: "Laplace noise that is cut at a bound", Required: []string{"scale", "bound"},
		Optional: sensitivityFlag, Noise: "bound",
		Long: `Truncated-laplace adds noise of density ∝ exp(−|z|/scale) on [−bound, bound]: what
one record moves beyond it tells it for good.`,
		Example: "--scale 2 --bound 40 --delta 1e-6",
	},
	{
		Name: "uniform", What: "noise of constant density", Required: []string{"bound"}, Optional: sensitivityFlag,
		Noise:   "bound",
		Long:    `Uniform adds noise of constant density on [−bound, bound].`,
		Example: "--bound 1e7 --delta 1e-6",
	},
	{
		Name: "threshold", What: "counts of partitions that are released above a threshold", Required: []string{"threshold"},
		Optional: []string{"scale", "sigma", "sensitivity"}, Noise: "threshold",
		Long: `Threshold releases the noisy count of a partition if it is above --threshold, and
does not tell of the partition if it is not; the noise is Laplace of --scale or
Gaussian of --sigma. A record is in one partition.`,
		Example: "--threshold 20 --scale 1 --delta 1e-6",
	},
	{
		Name: "exponential", What: "the exponential mechanism", Required: []string{"epsilon0"}, Noise: "epsilon0",
		Long: `Exponential is the exponential mechanism, or any other whose log-odds move within a
range of length --epsilon0 between neighbours.`,
		Example: "--epsilon0 0.1 --count 100 --delta 1e-6",
	},
	{
		Name: "permute-and-flip", What: "permute-and-flip", Required: []string{"epsilon0"}, Noise: "epsilon0",
		Long:    `Permute-and-flip chooses one of some candidates by their scores, at ε₀.`,
		Example: "--epsilon0 1 --delta 1e-6",
	},
	{
		Name: "top-k", What: "the k best of many candidates by scores with Gumbel noise", Required: []string{"epsilon0", "k"},
		Noise: "epsilon0",
		Long: `Top-k names the --k best candidates in their order: the exponential mechanism at ε₀,
one candidate after another.`,
		Example: "--epsilon0 0.1 --k 10 --delta 1e-6",
	},
	{
		Name: "noisy-argmax", What: "the class with the most votes by Gaussian noise (PATE's GNMax)",
		Required: []string{"sigma"}, Noise: "sigma",
		Long: `Noisy-argmax names the class with the most votes, N(0, σ²) added to each; one record
moves a vote from a class to another.`,
		Example: "--sigma 40 --count 100 --delta 1e-5",
	},
	{
		Name: "sparse-vector", What: "the sparse vector technique", Required: []string{"epsilon1", "epsilon2"},
		Optional: []string{"cutoff"}, Noise: "epsilon2",
		Long: `Sparse-vector tells which queries are above a threshold, until --cutoff of them are,
with Laplace noise of scale 1/ε₁ on the threshold and 2·cutoff/ε₂ on the queries.`,
		Example: "--epsilon1 0.5 --epsilon2 1 --cutoff 3 --delta 0",
	},
	{
		Name: "gaussian-mixture", What: "Gaussian noise on a sum to which a record or group contributes by chance",
		Required: []string{"sigma", "shifts", "weights"}, Optional: sensitivityFlag, Noise: "sigma",
		Long: `Gaussian-mixture adds N(0, σ²) to a sum to which the record or group contributes a
vector of norm at most each of the --shifts with the probability in --weights.`,
		Example: "--sigma 1 --shifts 0,1,2 --weights 0.81,0.18,0.01 --delta 1e-5",
	},
	{
		Name: "table", What: "a law of your own, by the probabilities of its outputs", Required: []string{"file"},
		Long: `Table reads the probabilities of the outputs on two neighbouring inputs from a CSV
file with the columns p and q, or p and loss, or from a JSON list of pairs.`,
		Example: "--file law.csv --count 10 --delta 1e-6",
	},
	{
		Name: "repeat-and-select", What: "the best of a random number of runs, as hyperparameters are tuned",
		Required: []string{"eta", "gamma", "events"}, Noise: "gamma",
		Long: `Repeat-and-select runs the events of a file a random number of times, drawn from the
truncated negative binomial law, and releases the best output.`,
		Example: "--eta 1 --gamma 0.1 --events release.yaml --delta 1e-5",
	},
}

var sensitivityFlag = []string{"sensitivity"}

// Target is the flags of an example of a calibration.
func (s eventSpec) Target() string {
	solve := s.Noise
	if solve == "" {
		solve = "count"
	}
	words := strings.Fields(s.Example)
	var kept []string
	for i := 0; i+1 < len(words); i += 2 {
		if name := strings.TrimPrefix(words[i], "--"); name != solve && name != "delta" && name != "epsilon" {
			kept = append(kept, words[i], words[i+1])
		}
	}
	if s.Noise == "" {
		kept = append(kept, "--solve", solve)
	}
	return strings.Join(append(kept, "--delta 1e-5 --epsilon 1"), " ")
}
