package command

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// eventSpec is an event that flags can describe.
type eventSpec struct {
	name, what, long, example string
	parameters                []string // the required flags, of numbers
	noise                     string   // the one that 'account calibrate' finds; "" where it finds none
	sampled                   bool     // has a --sampling-rate
}

var eventSpecs = []eventSpec{
	{
		name: "gaussian", what: "the Gaussian mechanism", parameters: []string{"sigma"}, noise: "sigma",
		long: `Gaussian adds N(0, σ²) to every coordinate of a sum; one record contributes a
vector of ℓ2 norm at most --sensitivity.`,
		example: "--sigma 10 --count 100 --delta 1e-5",
	},
	{
		name: "laplace", what: "the Laplace mechanism", parameters: []string{"scale"}, noise: "scale",
		long: `Laplace adds noise of density ∝ exp(−|z|/scale) to every coordinate of a sum; one
record contributes a vector of ℓ1 norm at most --sensitivity.`,
		example: "--scale 2 --count 50 --delta 1e-6",
	},
	{
		name: "discrete-laplace", what: "the discrete Laplace (geometric) mechanism", parameters: []string{"rate"},
		long: `Discrete-laplace adds an integer k with P(k) ∝ exp(−rate·|k|) to a whole number;
one record contributes at most --sensitivity, a whole number.`,
		example: "--rate 0.5 --sensitivity 2 --epsilon 1",
	},
	{
		name: "rr", what: "randomized response", parameters: []string{"epsilon0"},
		long: `Rr reports one of --categories values, the true one with odds e^ε₀ against each
other one. Neighbours differ in the value reported.`,
		example: "--epsilon0 1 --categories 4 --count 20 --delta 1e-6",
	},
	{
		name: "sgm", what: "the Poisson-sampled Gaussian mechanism, the step of DP-SGD",
		parameters: []string{"noise-multiplier"}, noise: "noise-multiplier", sampled: true,
		long: `Sgm draws a sample that holds each record independently with probability
--sampling-rate, and releases a sum over it with Gaussian noise whose deviation is
the multiplier times the sensitivity. Batches of a fixed size, of a partition or of a
shuffle are not such samples: describe those in a file, see 'account compose'.`,
		example: "--sampling-rate 0.01 --noise-multiplier 1 --count 10000 --delta 1e-5",
	},
	{
		name: "schedule", what: "Poisson-sampled Gaussian steps at a list of noise multipliers", sampled: true,
		long: `Schedule runs --steps-each Poisson-sampled Gaussian steps at each multiplier of
the list, one after another; see 'account sgm'.`,
		example: "--sampling-rate 0.02 --noise-multipliers 5,4.8,4.6 --steps-each 100 --delta 1e-5",
	},
}

// parameter is a number that describes an event.
type parameter struct {
	usage, domain string
	within        func(float64) bool
	of            func(*event.Description) *float64
}

const (
	aboveZero  = "want a finite number above 0"
	zeroOrMore = "want a finite number that is 0 or more"
	rateRange  = "want a probability in [0, 1]"
)

func positive(x float64) bool { return x > 0 && x <= math.MaxFloat64 }

var parameters = map[string]parameter{
	"sigma": {"standard deviation `σ` of the noise", aboveZero, positive,
		func(d *event.Description) *float64 { return &d.Sigma }},
	"scale": {"scale `b` of the noise", aboveZero, positive, func(d *event.Description) *float64 { return &d.Scale }},
	"rate":  {"`a` in P(k) ∝ exp(−a|k|)", aboveZero, positive, func(d *event.Description) *float64 { return &d.Rate }},
	"epsilon0": {
		"log-odds `ε₀` of the true value against another", zeroOrMore,
		func(x float64) bool { return x >= 0 && x <= math.MaxFloat64 },
		func(d *event.Description) *float64 { return &d.Epsilon0 },
	},
	"noise-multiplier": {"deviation of the noise over the sensitivity, `σ`", aboveZero, positive,
		func(d *event.Description) *float64 { return &d.NoiseMultiplier }},
	"sensitivity": {"the most that one record contributes, a number `X`", aboveZero, positive,
		func(d *event.Description) *float64 { return &d.Sensitivity }},
	"sampling-rate": {
		"probability `q` that a record is in a sample", rateRange,
		func(q float64) bool { return q >= 0 && q <= 1 }, func(d *event.Description) *float64 { return d.SamplingRate },
	},
}

// eventFlags describe one event.
type eventFlags struct {
	description event.Description
	names       []string // of the parameters
}

// add makes a flag of each parameter given, which are required, and of those
// that every event has.
func (e *eventFlags) add(c *cobra.Command, spec eventSpec, required []string) {
	d, flags := &e.description, c.Flags()
	d.Mechanism, d.Count = spec.name, new(int64)
	number := func(name string, value float64) {
		p := parameters[name]
		flags.Float64Var(p.of(d), name, value, p.usage)
		e.names = append(e.names, name)
	}
	for _, name := range required {
		number(name, 0)
	}
	if spec.sampled {
		d.SamplingRate = new(float64)
		number("sampling-rate", 1)
		required = append([]string{"sampling-rate"}, required...)
	}
	switch spec.name {
	case "schedule":
		flags.Float64SliceVar(&d.Multipliers, "noise-multipliers", nil,
			"noise multipliers of the steps, a `LIST` like 5,4.8,4.6")
		flags.Int64Var(&d.StepsEach, "steps-each", 1, "`N` steps at each multiplier")
		required = append(required, "noise-multipliers")
	case "rr":
		flags.IntVar(&d.Categories, "categories", 2, "number `K` of values to report")
	}
	number("sensitivity", 1)
	flags.Int64Var(d.Count, "count", 1, "run the whole `N` times, 1 or more")
	for _, name := range required {
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // there is no such flag: a mistake in this file
		}
	}
}

// check refuses what is out of its domain, by the name of its flag.
func (e *eventFlags) check() error {
	d := &e.description
	for _, name := range e.names {
		if p := parameters[name]; !p.within(*p.of(d)) {
			return fmt.Errorf("--%s %v: %s", name, *p.of(d), p.domain)
		}
	}
	for _, m := range d.Multipliers {
		if !positive(m) {
			return fmt.Errorf("--noise-multipliers %v: %s", m, aboveZero)
		}
	}
	switch {
	case *d.Count < 1:
		return fmt.Errorf("--count %d: want 1 or more: what is never run costs nothing", *d.Count)
	case d.Mechanism == "schedule" && d.StepsEach < 1:
		return fmt.Errorf("--steps-each %d: want 1 or more", d.StepsEach)
	case d.Mechanism == "rr" && d.Categories < 2:
		return fmt.Errorf("--categories %d: want 2 or more", d.Categories)
	case d.Mechanism == "rr" && d.Sensitivity != 1:
		return fmt.Errorf("--sensitivity %v: randomized response has 1, one value is reported or another", d.Sensitivity)
	case d.Mechanism == "discrete-laplace" && (d.Sensitivity != math.Trunc(d.Sensitivity) || d.Sensitivity > 1e6):
		return fmt.Errorf("--sensitivity %v: want a whole number from 1 to 1e6, noise and sum are whole", d.Sensitivity)
	}
	return nil
}

// event is the one described.
func (e *eventFlags) event() (event.Event, error) {
	if err := e.check(); err != nil {
		return event.Event{}, err
	}
	d := e.description
	if *d.Count == 1 {
		d.Count = nil // the event itself, not one time the event
	}
	if d.Mechanism == "rr" {
		d.Sensitivity = 0 // it has none of its own
	}
	return d.Event()
}
