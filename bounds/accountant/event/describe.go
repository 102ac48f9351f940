package event

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/dpverify/dpverify/bounds/accountant/matrix"
)

// Description is an event in words and numbers, as given by command-line flags or an events file. Mechanism is one of
// gaussian, laplace, discrete-laplace, discrete-gaussian, truncated-laplace, uniform, threshold, rr, exponential,
// permute-and-flip, top-k, noisy-argmax, laplace-argmax,
// sparse-vector, pure, approximate, zcdp, sgm, schedule, matrix, table,
// gaussian-mixture, repeat-and-select and compose. Each mechanism uses only the fields whose comment lists it.
type Description struct {
	Mechanism string `json:"mechanism"`

	Sigma           float64   `json:"sigma,omitempty"`             // gaussian, gaussian-mixture, and others
	Scale           float64   `json:"scale,omitempty"`             // laplace, truncated-laplace, threshold
	Rate            float64   `json:"rate,omitempty"`              // discrete-laplace
	Epsilon0        float64   `json:"epsilon0,omitempty"`          // rr, exponential, pure, approximate, and others
	Delta0          float64   `json:"delta0,omitempty"`            // approximate
	Rho             float64   `json:"rho,omitempty"`               // zcdp
	Categories      int       `json:"categories,omitempty"`        // rr, default 2
	NoiseMultiplier float64   `json:"noise-multiplier,omitempty"`  // sgm, matrix: σ / sensitivity
	Multipliers     []float64 `json:"noise-multipliers,omitempty"` // schedule
	StepsEach       int64     `json:"steps-each,omitempty"`        // schedule, default 1
	Bound           float64   `json:"bound,omitempty"`             // truncated-laplace, uniform
	Threshold       float64   `json:"threshold,omitempty"`         // threshold; its noise has a scale or a sigma
	K               int64     `json:"k,omitempty"`                 // top-k
	Epsilon1        float64   `json:"epsilon1,omitempty"`          // sparse-vector: ε of the threshold
	Epsilon2        float64   `json:"epsilon2,omitempty"`          // sparse-vector: ε of the queries
	Cutoff          int64     `json:"cutoff,omitempty"`            // sparse-vector, default 1
	Eta             *float64  `json:"eta,omitempty"`               // repeat-and-select
	Gamma           float64   `json:"gamma,omitempty"`             // repeat-and-select

	// Outputs contains the rows of a table. Alternatively, File is the path of a file with the rows: see readTable.
	Outputs [][2]float64 `json:"outputs,omitempty"`
	File    string       `json:"file,omitempty"`
	// Shifts and Weights describe a gaussian-mixture.
	Shifts  []float64 `json:"shifts,omitempty"`
	Weights []float64 `json:"weights,omitempty"`

	// Strategy of a matrix is tree, honaker (both with Restart, default none), identity, prefix or banded (with
	// Bandwidth), each with the given number of Steps, or the path of a CSV file with the matrix: see matrix.Read. With
	// a SamplingRate, the records are partitioned into Cycle groups (default Bandwidth), and each step uses a Poisson
	// sample of one group.
	Strategy      string                `json:"strategy,omitempty"`
	Bandwidth     int                   `json:"bandwidth,omitempty"`
	Restart       int                   `json:"restart,omitempty"`
	Cycle         int                   `json:"cycle,omitempty"`
	Participation *matrix.Participation `json:"participation,omitempty"`

	// Sensitivity bounds one record's contribution, default 1. In sgm and schedule, the noise standard deviation is the
	// multiplier times Sensitivity. In compose, it applies to parts without their own sensitivity.
	Sensitivity float64 `json:"sensitivity,omitempty"`
	// Sampling is poisson (with SamplingRate), fixed or shuffled (with Batches), allocation (with Steps and Picks,
	// default 1), without-replacement or with-replacement (with Records and Batch), truncated-poisson (with
	// SamplingRate, Records, and Batch, the maximum sample size) or shuffled-reports (with Records, one report each). The
	// empty string means poisson if a rate is given, and no sampling otherwise.
	Sampling     string   `json:"sampling,omitempty"`
	SamplingRate *float64 `json:"sampling-rate,omitempty"`
	Batches      int64    `json:"batches,omitempty"`
	Steps        int64    `json:"steps,omitempty"`
	Picks        int64    `json:"picks,omitempty"`
	Records      int64    `json:"records,omitempty"`
	Batch        int64    `json:"batch,omitempty"`
	// Count repeats the sampled event, default 1. With fixed, shuffled or allocation it is the number of epochs.
	Count *int64 `json:"count,omitempty"`
	// Events are the parts of compose and of repeat-and-select.
	Events []Description `json:"events,omitempty"`

	dir  string   // directory of the description's file, to which its paths are relative
	node ast.Node // YAML node of the description; nil if it does not come from a file
	// sensitivities caches the sensitivities of matrices; nil disables the cache.
	sensitivities map[string]matrix.Sensitivity
}

// Event builds the described event. Its error wraps ErrDomain and says which field is missing, unused or invalid.
func (d Description) Event() (Event, error) {
	if err := d.unused(); err != nil {
		return Event{}, err
	}
	e, err := d.mechanism()
	if err != nil {
		return Event{}, err
	}
	if d.Sensitivity != 0 && !slices.Contains([]string{"sgm", "schedule", "compose", "repeat-and-select"}, d.Mechanism) {
		e = e.WithSensitivity(d.Sensitivity)
	}
	if e, err = d.sampled(e); err != nil {
		return Event{}, err
	}
	if d.Count != nil {
		e = Repeat(*d.Count, e)
	}
	return e, e.Validate()
}

func (d Description) mechanism() (Event, error) {
	switch d.Mechanism {
	case "gaussian":
		return Gaussian(d.Sigma), nil
	case "laplace":
		return Laplace(d.Scale), nil
	case "discrete-laplace":
		return DiscreteLaplace(d.Rate), nil
	case "rr":
		if d.Categories == 0 {
			d.Categories = 2 // the default; an explicit 0 is rejected by its domain
		}
		return RandomizedResponse(d.Epsilon0, d.Categories), nil
	case "exponential":
		return Exponential(d.Epsilon0), nil
	case "pure":
		return Pure(d.Epsilon0), nil
	case "approximate":
		return Approximate(d.Epsilon0, d.Delta0), nil
	case "zcdp":
		return Concentrated(d.Rho), nil
	case "sgm":
		if d.SamplingRate == nil && slices.Contains([]string{"", "none", "poisson", "truncated-poisson"}, d.Sampling) {
			return Event{}, DomainError("sgm needs a sampling-rate")
		}
		return d.scaled(Gaussian(d.NoiseMultiplier)), nil
	case "schedule":
		if d.SamplingRate == nil {
			return Event{}, DomainError("schedule needs a sampling-rate")
		}
		if len(d.Multipliers) == 0 {
			return Event{}, DomainError("schedule needs noise-multipliers")
		}
		if d.StepsEach < 0 {
			return Event{}, DomainError("schedule: steps-each is %d, it must be at least 1", d.StepsEach)
		}
		parts := make([]Event, len(d.Multipliers))
		for i, m := range d.Multipliers {
			step, err := d.sampled(d.scaled(Gaussian(m)))
			if err != nil {
				return Event{}, err
			}
			parts[i] = Repeat(max(1, d.StepsEach), step)
		}
		return Compose(parts...), nil
	case "table":
		return d.table()
	case "gaussian-mixture":
		return GaussianMixture(d.Sigma, d.Shifts, d.Weights), nil
	case "matrix":
		return d.matrix()
	case "compose":
		return d.composed()
	case "repeat-and-select":
		if d.Eta == nil || d.Gamma == 0 {
			return Event{}, DomainError("repeat-and-select needs eta and gamma, which define the distribution of the " +
				"number of runs")
		}
		e, err := d.composed()
		return RepeatAndSelect(*d.Eta, d.Gamma, e), err
	}
	if e, known, err := d.distribution(); known {
		return e, err
	}
	return Event{}, fmt.Errorf("accountant: %w: %w", &NameError{"mechanism", d.Mechanism, mechanismNames()}, ErrDomain)
}

// distribution builds the events of laws.go, which have a distribution of their own. known is false for other
// mechanisms.
func (d Description) distribution() (e Event, known bool, err error) {
	switch d.Mechanism {
	case "discrete-gaussian":
		return DiscreteGaussian(d.Sigma), true, nil
	case "truncated-laplace":
		return TruncatedLaplace(d.Scale, d.Bound), true, nil
	case "uniform":
		return Uniform(d.Bound), true, nil
	case "threshold":
		if (d.Scale == 0) == (d.Sigma == 0) {
			return e, true, DomainError("threshold needs the scale of Laplace noise, or the sigma of Gaussian noise")
		}
		noise := Gaussian(d.Sigma)
		if d.Scale != 0 {
			noise = Laplace(d.Scale)
		}
		return Threshold(d.Threshold, noise), true, nil
	case "permute-and-flip":
		return PermuteAndFlip(d.Epsilon0), true, nil
	case "top-k":
		if d.K < 1 {
			return e, true, DomainError("top-k: k is %d, it must be at least 1", d.K)
		}
		return TopK(d.Epsilon0, d.K), true, nil
	case "noisy-argmax":
		return NoisyArgmax(d.Sigma), true, nil
	case "laplace-argmax":
		return LaplaceArgmax(d.Scale), true, nil
	case "sparse-vector":
		return SparseVector(d.Epsilon1, d.Epsilon2, max(1, d.Cutoff)), true, nil
	}
	return e, false, nil
}

// composed returns the composition of the parts.
func (d Description) composed() (Event, error) {
	if len(d.Events) == 0 {
		return Event{}, DomainError("%s needs events, a list of at least one", d.Mechanism)
	}
	parts := make([]Event, len(d.Events))
	for i, part := range d.Events {
		var err error
		if part.Sensitivity == 0 && slices.Contains(strings.Fields(fieldsOf[part.Mechanism]), "sensitivity") {
			part.Sensitivity = d.Sensitivity
		}
		if parts[i], err = part.Event(); err != nil {
			return Event{}, wrapped(fmt.Sprintf("event %d", i+1), placed(part.node, err))
		}
	}
	return Compose(parts...), nil
}

// scaled returns a step with the description's sensitivity and multiplies σ by it. If the product is not exact, the
// step keeps sensitivity 1, which has the same privacy.
func (d Description) scaled(e Event) Event {
	if d.Sensitivity == 0 {
		return e
	}
	scaled := e.WithSensitivity(d.Sensitivity)
	if scaled.Validate() != nil {
		return scaled
	}
	sigma := new(big.Rat).Mul(Decimal(e.A), Decimal(d.Sensitivity))
	if scaled.A, _ = sigma.Float64(); Decimal(scaled.A).Cmp(sigma) != 0 {
		return e
	}
	return scaled
}

func (d Description) sampled(e Event) (Event, error) {
	if d.Mechanism == "schedule" && e.Kind == KindCompose || d.Mechanism == "matrix" {
		return e, nil // each step is already sampled
	}
	scheme := d.Sampling
	if scheme == "" && d.SamplingRate != nil {
		scheme = "poisson"
	}
	switch scheme {
	case "", "none":
		return e, nil
	case "poisson":
		if d.SamplingRate == nil {
			return e, DomainError("poisson sampling needs a sampling-rate")
		}
		return Poisson(*d.SamplingRate, e), nil
	case "fixed", "shuffled":
		if d.Batches < 1 {
			return e, DomainError("%s batches need their number, batches ≥ 1", scheme)
		}
		if scheme == "fixed" {
			return FixedBatches(d.Batches, e), nil
		}
		return ShuffledBatches(d.Batches, e), nil
	case "allocation":
		return Allocation(d.Steps, max(1, d.Picks), e), nil
	case "without-replacement":
		return WithoutReplacement(d.Batch, d.Records, e), nil
	case "with-replacement":
		return WithReplacement(d.Batch, d.Records, e), nil
	case "shuffled-reports":
		return ShuffledReports(d.Records, e), nil
	case "truncated-poisson":
		if d.SamplingRate == nil {
			return e, DomainError("truncated-poisson sampling needs a sampling-rate")
		}
		return TruncatedPoisson(*d.SamplingRate, d.Batch, d.Records, e), nil
	}
	return e, DomainError("sampling %q is unknown: want one of none, poisson, fixed, shuffled, allocation, "+
		"without-replacement, with-replacement, truncated-poisson, shuffled-reports", d.Sampling)
}

// fieldsOf lists the fields that each mechanism uses in addition to the common ones.
var fieldsOf = map[string]string{
	"gaussian": "sigma sensitivity", "laplace": "scale sensitivity", "discrete-laplace": "rate sensitivity",
	"discrete-gaussian": "sigma sensitivity", "truncated-laplace": "scale bound sensitivity",
	"uniform":   "bound sensitivity",
	"threshold": "threshold scale sigma sensitivity", "permute-and-flip": "epsilon0", "top-k": "epsilon0 k",
	"noisy-argmax": "sigma", "laplace-argmax": "scale", "sparse-vector": "epsilon1 epsilon2 cutoff",
	"rr": "epsilon0 categories", "exponential": "epsilon0", "pure": "epsilon0", "approximate": "epsilon0 delta0",
	"zcdp": "rho", "sgm": "noise-multiplier sensitivity", "schedule": "noise-multipliers steps-each sensitivity",
	"matrix": "strategy steps noise-multiplier participation bandwidth restart cycle",
	"table":  "outputs file", "gaussian-mixture": "sigma shifts weights sensitivity", "compose": "events sensitivity",
	"repeat-and-select": "events eta gamma sensitivity",
}

// commonFields lists the fields that every mechanism uses. samplingFields lists the fields that a sampling scheme uses.
const commonFields = "sampling sampling-rate batches count"

var samplingFields = map[string]string{
	"allocation": "steps picks", "without-replacement": "records batch", "truncated-poisson": "records batch",
	"with-replacement": "records batch", "shuffled-reports": "records",
}

// uses returns the fields that a mechanism uses under a sampling scheme.
func uses(mechanism, sampling string) []string {
	return strings.Fields(fieldsOf[mechanism] + " " + commonFields + " " + samplingFields[sampling])
}

func mechanismNames() []string {
	return slices.Sorted(maps.Keys(fieldsOf))
}

// unused returns an error if a field is set that the mechanism does not use. Otherwise a misspelled question would get
// an answer.
func (d Description) unused() error {
	used, ok := fieldsOf[d.Mechanism]
	if !ok {
		return nil // mechanism reports the unknown name
	}
	data, err := json.Marshal(d)
	if err != nil {
		return DomainError("%s: a number is not finite", d.Mechanism)
	}
	var set map[string]any
	if err := json.Unmarshal(data, &set); err != nil {
		return err
	}
	allowed := append(uses(d.Mechanism, d.Sampling), "mechanism")
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if !slices.Contains(allowed, name) {
			return DomainError("%s does not use %s (it uses %s)", d.Mechanism, name, used)
		}
	}
	return nil
}
