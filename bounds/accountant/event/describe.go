package event

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// Description is an event in words and numbers, as flags or a file give it.
// Mechanism is one of gaussian, laplace, discrete-laplace, rr, exponential,
// pure, approximate, zcdp, sgm, schedule and compose; each uses the fields named
// beside it and no others.
type Description struct {
	Mechanism string `json:"mechanism"`

	Sigma           float64   `json:"sigma,omitempty"`             // gaussian
	Scale           float64   `json:"scale,omitempty"`             // laplace
	Rate            float64   `json:"rate,omitempty"`              // discrete-laplace
	Epsilon0        float64   `json:"epsilon0,omitempty"`          // rr, exponential, pure, approximate
	Delta0          float64   `json:"delta0,omitempty"`            // approximate
	Rho             float64   `json:"rho,omitempty"`               // zcdp
	Categories      int       `json:"categories,omitempty"`        // rr
	NoiseMultiplier float64   `json:"noise-multiplier,omitempty"`  // sgm: σ over the sensitivity
	Multipliers     []float64 `json:"noise-multipliers,omitempty"` // schedule
	StepsEach       int64     `json:"steps-each,omitempty"`        // schedule, 1 unless told

	// Sensitivity is what one record contributes, 1 unless told. In sgm and
	// schedule the noise deviation is the multiplier times Sensitivity; in compose it is that of the
	// parts that have none of their own.
	Sensitivity float64 `json:"sensitivity,omitempty"`
	// Sampling is poisson (with SamplingRate), fixed or shuffled (with Batches);
	// empty is none, or poisson where a rate is given.
	Sampling     string   `json:"sampling,omitempty"`
	SamplingRate *float64 `json:"sampling-rate,omitempty"`
	Batches      int64    `json:"batches,omitempty"`
	// Count repeats the whole (an epoch, under fixed and shuffled); 1 unless told.
	Count *int64 `json:"count,omitempty"`
	// Events are the parts of compose.
	Events []Description `json:"events,omitempty"`
}

// Event builds the event described, or says what is missing or out of place.
func (d Description) Event() (Event, error) {
	if err := d.unused(); err != nil {
		return Event{}, err
	}
	e, err := d.mechanism()
	if err != nil {
		return Event{}, err
	}
	if d.Sensitivity != 0 && !slices.Contains([]string{"sgm", "schedule", "compose"}, d.Mechanism) {
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
		if d.SamplingRate == nil && d.Sampling != "fixed" && d.Sampling != "shuffled" {
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
	case "compose":
		if len(d.Events) == 0 {
			return Event{}, DomainError("compose needs events, a list of at least one")
		}
		parts := make([]Event, len(d.Events))
		for i, part := range d.Events {
			var err error
			if part.Sensitivity == 0 && slices.Contains(strings.Fields(fieldsOf[part.Mechanism]), "sensitivity") {
				part.Sensitivity = d.Sensitivity
			}
			if parts[i], err = part.Event(); err != nil {
				return Event{}, fmt.Errorf("event %d: %w", i+1, err)
			}
		}
		return Compose(parts...), nil
	}
	return Event{}, fmt.Errorf("accountant: %w: %w", &NameError{"mechanism", d.Mechanism, mechanismNames()}, ErrDomain)
}

// scaled gives a step by noise multiplier its sensitivity: σ grows with it. Where σ would be
// rounded the step stays one of sensitivity 1, which costs as much as the multiplier says.
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
	if d.Mechanism == "schedule" && e.Kind == KindCompose {
		return e, nil // sampled step by step
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
	}
	return e, DomainError("sampling %q is none of none, poisson, fixed, shuffled", d.Sampling)
}

// fieldsOf names the fields each mechanism uses besides the common ones.
var fieldsOf = map[string]string{
	"gaussian": "sigma sensitivity", "laplace": "scale sensitivity", "discrete-laplace": "rate sensitivity",
	"rr": "epsilon0 categories", "exponential": "epsilon0", "pure": "epsilon0", "approximate": "epsilon0 delta0",
	"zcdp": "rho", "sgm": "noise-multiplier sensitivity", "schedule": "noise-multipliers steps-each sensitivity",
	"compose": "events sensitivity",
}

func mechanismNames() []string {
	return slices.Sorted(maps.Keys(fieldsOf))
}

// unused reports a field that is set but means nothing for the mechanism: a
// misspelt question must not get an answer.
func (d Description) unused() error {
	used, ok := fieldsOf[d.Mechanism]
	if !ok {
		return nil // reported by mechanism
	}
	data, err := json.Marshal(d)
	if err != nil {
		return DomainError("%s: a number is not finite", d.Mechanism)
	}
	var set map[string]any
	if err := json.Unmarshal(data, &set); err != nil {
		return err
	}
	allowed := strings.Fields(used + " mechanism sampling sampling-rate batches count")
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if !slices.Contains(allowed, name) {
			return DomainError("%s does not use %s (it uses %s)", d.Mechanism, name, used)
		}
	}
	return nil
}
