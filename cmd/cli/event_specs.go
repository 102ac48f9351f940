package cli

import "strings"

// eventSpec is an event that flags can describe, with its help.
type eventSpec struct {
	Name, What, Long, Example string
	Mechanism, Sampling       string   // keys of the description; by default Name and no sampling
	Required, Optional        []string // names of its flags
	Noise                     string   // default of --solve in 'account calibrate'; "" if the user must give it
}

// eventSpecs lists the events in the order of the help.
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
		Long: `Rr reports one of --categories values. The true value has odds e^ε₀ against each
other value. Neighbors differ in the true value.`,
		Example: "--epsilon0 1 --categories 4 --count 20 --delta 1e-6",
	},
	{
		Name: "sgm", What: "the Poisson-sampled Gaussian mechanism, the step of DP-SGD",
		Required: []string{"sampling-rate", "noise-multiplier"}, Noise: "noise-multiplier", Optional: sensitivityFlag,
		Long: `Sgm draws a sample that contains each record independently with probability
--sampling-rate, and releases a sum over it with Gaussian noise. The standard deviation
is the noise multiplier times the sensitivity. Batches of fixed size, partitions and
shuffles are not Poisson samples: describe them in a file, see 'account compose'.`,
		Example: "--sampling-rate 0.01 --noise-multiplier 1 --count 10000 --delta 1e-5",
	},
	{
		Name: "schedule", What: "Poisson-sampled Gaussian steps at a list of noise multipliers",
		Required: []string{"sampling-rate", "noise-multipliers"}, Optional: []string{"steps-each", "sensitivity"},
		Long: `Schedule composes --steps-each Poisson-sampled Gaussian steps at each multiplier of
the list; see 'account sgm'.`,
		Example: "--sampling-rate 0.02 --noise-multipliers 5,4.8,4.6 --steps-each 100 --delta 1e-5",
	},
	{
		Name: "without-replacement", Mechanism: "gaussian", Sampling: "without-replacement",
		What:     "the Gaussian mechanism on batches of a fixed size",
		Required: []string{"sigma", "records", "batch"}, Optional: sensitivityFlag, Noise: "sigma",
		Long: `Without-replacement draws a batch of --batch of the --records without replacement,
each set equally likely, and releases a sum over it with Gaussian noise.`,
		Example: "--sigma 1 --records 10000 --batch 100 --count 1000 --delta 1e-5",
	},
	{
		Name: "with-replacement", Mechanism: "gaussian", Sampling: "with-replacement",
		What:     "the Gaussian mechanism on batches drawn with replacement",
		Required: []string{"sigma", "records", "batch"}, Optional: sensitivityFlag, Noise: "sigma",
		Long: `With-replacement draws a batch of --batch records, uniformly and independently, from
--records, so a record can occur several times. It releases a sum over the batch with
Gaussian noise. It needs --adjacency replace-one.`,
		Example: "--sigma 1 --records 10000 --batch 100 --count 1000 --adjacency replace-one --delta 1e-5",
	},
	{
		Name: "shuffled-reports", Mechanism: "rr", Sampling: "shuffled-reports",
		What:     "reports of randomized response in random order",
		Required: []string{"epsilon0", "records"}, Optional: []string{"categories"}, Noise: "epsilon0",
		Long: `Shuffled-reports releases one report of randomized response for each of the --records,
in uniformly random order; see 'account rr'. For any other local randomizer, describe
pure with its ε₀ in a file; see 'account compose'. It needs --adjacency replace-one.`,
		Example: "--epsilon0 1 --records 10000 --adjacency replace-one --delta 1e-6",
	},
	{
		Name: "truncated-poisson", Mechanism: "gaussian", Sampling: "truncated-poisson",
		What:     "the Gaussian mechanism on Poisson samples of limited size",
		Required: []string{"sigma", "sampling-rate", "records", "batch"}, Optional: sensitivityFlag, Noise: "sigma",
		Long: `Truncated-poisson draws a sample that contains each of the --records independently
with probability --sampling-rate. From a sample of more than --batch records it keeps
--batch at random. It releases a sum over the sample with Gaussian noise.`,
		Example: "--sigma 1 --sampling-rate 0.01 --records 10000 --batch 150 --count 1000 --delta 1e-5",
	},
	{
		Name: "allocation", Mechanism: "gaussian", Sampling: "allocation",
		What:     "epochs in which each record is in --picks random steps of --steps",
		Required: []string{"steps"}, Optional: []string{"sigma", "scale", "file", "picks", "sensitivity"}, Noise: "sigma",
		Long: `Allocation puts each record into --picks of the --steps steps of an epoch, each set
of steps equally likely. A step releases a sum over its records with Gaussian noise of
--sigma or Laplace noise of --scale. With --file, the table in FILE describes a step; see
'account table'. Its first column is the distribution with the record. --count is the
number of epochs. With --adjacency replace-one, the noise must be Gaussian.`,
		Example: "--sigma 1 --steps 100 --count 3 --delta 1e-5",
	},
	{
		Name: "matrix", What: "correlated noise: DP-FTRL, trees, banded and other matrix mechanisms",
		Noise:    "noise-multiplier",
		Required: []string{"strategy", "noise-multiplier"},
		Optional: []string{"steps", "times", "separation", "every", "bandwidth", "restart", "sampling-rate", "cycle"},
		Long: `Matrix releases all steps of a lower-triangular strategy with Gaussian noise. The
noise multiplier is its standard deviation divided by the clip norm of one
participation. A record participates up to --times times, at least --separation steps
apart, or exactly --every steps apart. With --sampling-rate each step uses a Poisson
sample of one of --cycle parts of the records, in turn.`,
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
		Name: "truncated-laplace", What: "Laplace noise truncated at a bound", Required: []string{"scale", "bound"},
		Optional: sensitivityFlag, Noise: "bound",
		Long: `Truncated-laplace adds noise of density ∝ exp(−|z|/scale) on [−bound, bound]. An
output that only one of two neighbors can have identifies it.`,
		Example: "--scale 2 --bound 40 --delta 1e-6",
	},
	{
		Name: "uniform", What: "noise of constant density (uniform noise)", Required: []string{"bound"},
		Optional: sensitivityFlag,
		Noise:    "bound",
		Long:     `Uniform adds noise of constant density on [−bound, bound].`,
		Example:  "--bound 1e7 --delta 1e-6",
	},
	{
		Name: "threshold", What: "counts of partitions, released above a threshold", Required: []string{"threshold"},
		Optional: []string{"scale", "sigma", "sensitivity"}, Noise: "threshold",
		Long: `Threshold releases the noisy count of a partition if it is above --threshold, and
nothing about the partition otherwise. The noise is Laplace of --scale or Gaussian of
--sigma. A record is in one partition.`,
		Example: "--threshold 20 --scale 1 --delta 1e-6",
	},
	{
		Name: "exponential", What: "the exponential mechanism", Required: []string{"epsilon0"}, Noise: "epsilon0",
		Long: `Exponential is the exponential mechanism, or any other mechanism whose log-odds change
within a range of length --epsilon0 between neighbors.`,
		Example: "--epsilon0 0.1 --count 100 --delta 1e-6",
	},
	{
		Name: "permute-and-flip", What: "permute-and-flip", Required: []string{"epsilon0"}, Noise: "epsilon0",
		Long: `Permute-and-flip releases a candidate with a high score; the mechanism is ε₀-DP. Its
δ(ε) is at most the δ(ε) of Laplace noise of scale 1 on a sum with sensitivity ε₀.`,
		Example: "--epsilon0 1 --delta 1e-6",
	},
	{
		Name: "top-k", What: "the k best candidates by scores with Gumbel noise", Required: []string{"epsilon0", "k"},
		Noise: "epsilon0",
		Long: `Top-k releases the --k best candidates in order: it repeats the exponential mechanism
at ε₀, without the candidates released before.`,
		Example: "--epsilon0 0.1 --k 10 --delta 1e-6",
	},
	{
		Name: "noisy-argmax", What: "the class with the most noisy votes (PATE's GNMax)",
		Required: []string{"sigma"}, Optional: []string{"votes"}, Noise: "sigma",
		Long: `Noisy-argmax releases the class with the most votes after N(0, σ²) is added to each
count. One record moves one vote from a class to another. ` + votesText,
		Example: "--sigma 40 --count 100 --delta 1e-5",
	},
	{
		Name: "laplace-argmax", What: "the class with the most votes after Laplace noise (PATE)",
		Required: []string{"scale"}, Optional: []string{"votes"}, Noise: "scale",
		Long: `Laplace-argmax releases the class with the most votes after Laplace noise of --scale is
added to each count. One record moves one vote from a class to another. In PATE the scale
is 1/γ. ` + votesText,
		Example: "--scale 20 --count 100 --delta 1e-5",
	},
	{
		Name: "sparse-vector", What: "the sparse vector technique", Required: []string{"epsilon1", "epsilon2"},
		Optional: []string{"cutoff"}, Noise: "epsilon2",
		Long: `Sparse-vector releases which queries are above a threshold and stops after --cutoff of
them. The Laplace noise has scale 1/ε₁ on the threshold and 2·cutoff/ε₂ on the queries.`,
		Example: "--epsilon1 0.5 --epsilon2 1 --cutoff 3 --delta 0",
	},
	{
		Name: "gaussian-mixture", What: "Gaussian noise on a sum with random contributions",
		Required: []string{"sigma", "shifts", "weights"}, Optional: sensitivityFlag, Noise: "sigma",
		Long: `Gaussian-mixture adds N(0, σ²) to a sum. The contribution of a record or group has norm
at most one of the --shifts, with the probability at the same place in --weights.`,
		Example: "--sigma 1 --shifts 0,1,2 --weights 0.81,0.18,0.01 --delta 1e-5",
	},
	{
		Name: "table", What: "a mechanism given by its output probabilities", Required: []string{"file"},
		Long: `Table reads the probabilities of the outputs on two neighboring inputs from a CSV
file with the columns p and q, or p and loss, or from a JSON list of pairs.`,
		Example: "--file law.csv --count 10 --delta 1e-6",
	},
	{
		Name: "repeat-and-select", What: "the best of a random number of runs (hyperparameter tuning)",
		Required: []string{"eta", "gamma", "events"}, Noise: "gamma",
		Long: `Repeat-and-select runs the events of a file a random number of times, drawn from a
truncated negative binomial distribution, and releases the best output.`,
		Example: "--eta 1 --gamma 0.1 --events release.yaml --delta 1e-5",
	},
}

var sensitivityFlag = []string{"sensitivity"}

const votesText = `The bracket holds for all votes.

With --votes, 'dpverify account' also computes a data-dependent ε. The CSV file has a row
for each query and a column for each class. This ε is a function of the private votes: it
is not private, and it is not a guarantee for other data sets. It is not part of the
bracket.`

// Target returns the flags for an example of 'account calibrate'.
func (s eventSpec) Target() string {
	solve := s.Noise
	if solve == "" {
		solve = "count"
	}
	words := strings.Fields(s.Example)
	var flags []string
	for i := 0; i+1 < len(words); i += 2 {
		if name := strings.TrimPrefix(words[i], "--"); name != solve && name != "delta" && name != "epsilon" {
			flags = append(flags, words[i], words[i+1])
		}
	}
	if s.Noise == "" {
		flags = append(flags, "--solve", solve)
	}
	return strings.Join(append(flags, "--delta 1e-5 --epsilon 1"), " ")
}
