package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/matrix"
)

// eventFlags holds the flags of one event and their values.
type eventFlags struct {
	spec          eventSpec
	d             event.Description
	count         int64
	rate, eta     float64
	participation matrix.Participation
	events, votes string
	changed       func(name string) bool
}

// eventFlag is the flag of one number, list of numbers or word in an event.
type eventFlag struct {
	usage   string
	to      any     // a pointer to the value
	initial float64 // default of a number
}

// flag returns the flag with a name.
func (f *eventFlags) flag(name string) eventFlag {
	return map[string]eventFlag{
		"sigma":             {"standard deviation `σ` of the noise", &f.d.Sigma, 0},
		"scale":             {"scale `b` of the noise", &f.d.Scale, 0},
		"rate":              {"`a` in P(k) ∝ exp(−a|k|)", &f.d.Rate, 0},
		"bound":             {"bound `R` of the noise, in absolute value", &f.d.Bound, 0},
		"epsilon0":          {"log-odds `ε₀`, see the description above", &f.d.Epsilon0, 0},
		"epsilon1":          {"`EPSILON`: ε₁ of the threshold", &f.d.Epsilon1, 0},
		"epsilon2":          {"`EPSILON`: ε₂ of the queries", &f.d.Epsilon2, 0},
		"threshold":         {"counts above `T` are released", &f.d.Threshold, 0},
		"noise-multiplier":  {"ratio `σ`: noise standard deviation / sensitivity", &f.d.NoiseMultiplier, 0},
		"noise-multipliers": {"noise multipliers of the steps, a `LIST` like 5,4.8,4.6", &f.d.Multipliers, 0},
		"steps-each":        {"`N` steps at each multiplier", &f.d.StepsEach, 1},
		"sensitivity":       {"maximum contribution `X` of one record", &f.d.Sensitivity, 1},
		"sampling-rate":     {"probability `q` that a record is in a sample", &f.rate, 0},
		"records":           {"number `N` of records", &f.d.Records, 0},
		"batch":             {"number `M` of records in a batch, or its maximum", &f.d.Batch, 0},
		"steps":             {"number `T` of steps", &f.d.Steps, 0},
		"picks":             {"number `K` of steps with a record", &f.d.Picks, 1},
		"categories":        {"number `K` of possible values", &f.d.Categories, 2},
		"k":                 {"number `K` of released candidates", &f.d.K, 0},
		"cutoff":            {"maximum `C` of queries above the threshold", &f.d.Cutoff, 1},
		"eta":               {"`ETA`: η of the distribution of the number of runs", &f.eta, 0},
		"gamma":             {"`GAMMA`: γ of that distribution, in (0, 1)", &f.d.Gamma, 0},
		"shifts":            {"norms of contributions, a `LIST` like 0,1,2", &f.d.Shifts, 0},
		"weights":           {"probabilities of the shifts, a `LIST` like 0.8,0.2", &f.d.Weights, 0},
		"strategy":          {"tree, honaker, identity, prefix, banded or a CSV `FILE`", &f.d.Strategy, 0},
		"bandwidth":         {"number `B` of bands of the strategy banded", &f.d.Bandwidth, 0},
		"restart":           {"start a new tree after every `N` steps", &f.d.Restart, 0},
		"cycle":             {"number `N` of parts that are sampled in turn", &f.d.Cycle, 0},
		"times":             {"maximum `N` of participations of a record", &f.participation.Times, 0},
		"separation":        {"minimum `N` of steps between participations", &f.participation.Separation, 0},
		"every":             {"fixed number `N` of steps between participations", &f.participation.Every, 0},
		"file":              {"`FILE` with the table", &f.d.File, 0},
		"events":            {"`FILE` with the events", &f.events, 0},
		"votes":             {"CSV `FILE` of votes, for a data-dependent ε", &f.votes, 0},
	}[name]
}

// names returns the names of the event's flags.
func (f *eventFlags) names() []string {
	return slices.Concat(f.spec.Required, f.spec.Optional, []string{"count"})
}

// Add adds the flags of an event to a command. It marks flags as required only for an account; for a calibration,
// Descriptions reports missing flags. The function file adds a flag that may name a file.
func (f *eventFlags) Add(c *cobra.Command, spec eventSpec, account bool, file func(to *string, name, usage string)) {
	f.spec, f.d.Mechanism, f.d.Sampling = spec, spec.Mechanism, spec.Sampling
	if f.d.Mechanism == "" {
		f.d.Mechanism = spec.Name
	}
	set := c.Flags()
	f.changed = set.Changed
	for _, name := range f.names() {
		if name == "votes" && !account {
			continue // in a calibration, noise that depends on the votes would reveal them
		}
		if name == "count" {
			set.Int64Var(&f.count, name, 1, "compose the event `N` times, 1 or more")
			continue
		}
		one := f.flag(name)
		usage := one.usage
		switch to := one.to.(type) {
		case *float64:
			set.Float64Var(to, name, one.initial, usage)
		case *int64:
			set.Int64Var(to, name, int64(one.initial), usage)
		case *int:
			set.IntVar(to, name, int(one.initial), usage)
		case *[]float64:
			set.Float64SliceVar(to, name, nil, usage)
			set.Lookup(name).Annotations = map[string][]string{repeatsAnnotation: nil}
		case *string:
			file(to, name, usage)
		default:
			panic("no flag " + name) // a mistake in eventSpecs
		}
	}
	for _, name := range spec.Required {
		if !account {
			continue
		}
		if err := c.MarkFlagRequired(name); err != nil {
			panic(err) // the flag does not exist: a mistake in this package
		}
	}
}

const (
	aboveZero  = "want a finite number above 0"
	zeroOrMore = "want a finite number that is 0 or more"
)

// check returns an error for a flag with a value outside its domain. It ignores the flag with the name solve.
func (f *eventFlags) check(solve string) error {
	for _, name := range f.names() {
		if name == solve || name == "count" {
			continue
		}
		required := slices.Contains(f.spec.Required, name)
		if !f.changed(name) && !required {
			continue
		}
		switch to := f.flag(name).to.(type) {
		case *float64:
			if want := domainError(name, *to); want != "" {
				return fmt.Errorf("--%s %v: %s", name, *to, want)
			}
		case *int64:
			if *to < 1 {
				return fmt.Errorf("--%s %d: want 1 or more", name, *to)
			}
		case *int:
			if *to < 1 {
				return fmt.Errorf("--%s %d: want 1 or more", name, *to)
			}
		case *[]float64:
			for _, x := range *to {
				if want := domainError(name, x); want != "" {
					return fmt.Errorf("--%s %v: %s", name, x, want)
				}
			}
		}
	}
	d := &f.d
	switch {
	case f.count < 1:
		return fmt.Errorf("--count %d: want 1 or more", f.count)
	case d.Mechanism == "rr" && d.Categories < 2:
		return fmt.Errorf("--categories %d: want 2 or more", d.Categories)
	case d.Mechanism == "rr" && f.offers("sensitivity") && d.Sensitivity != 1:
		return fmt.Errorf("--sensitivity %v: want 1, the only sensitivity of randomized response", d.Sensitivity)
	case strings.HasPrefix(d.Mechanism, "discrete-") && solve != "sensitivity" &&
		(d.Sensitivity != math.Trunc(d.Sensitivity) || d.Sensitivity > 1e6):
		return fmt.Errorf("--sensitivity %v: want a whole number from 1 to 1e6: noise and sum are whole numbers",
			d.Sensitivity)
	}
	return nil
}

// domainError returns the wanted domain of a flag if x is outside it, else "".
func domainError(name string, x float64) string {
	switch name {
	case "epsilon0", "shifts":
		if !(x >= 0 && x <= math.MaxFloat64) {
			return zeroOrMore
		}
	case "sampling-rate", "weights":
		if !(x >= 0 && x <= 1) {
			return "want a probability in [0, 1]"
		}
	case "eta":
		if !(x > -1 && x <= math.MaxFloat64) {
			return "want a finite number above -1"
		}
	case "gamma":
		if !(x > 0 && x < 1) {
			return "want a number between 0 and 1"
		}
	default:
		if !(x > 0 && x <= math.MaxFloat64) {
			return aboveZero
		}
	}
	return ""
}

// Event returns the event that the flags describe. It also returns the votes in the file of --votes, or nil.
func (f *eventFlags) Event() (e event.Event, votes [][]float64, err error) {
	if f.votes != "" {
		if f.changed("count") {
			return e, nil, errors.New("--count: leave it out; with --votes it is the number of rows in the file")
		}
		if votes, err = event.ReadVotes(f.votes); err != nil {
			return e, nil, err
		}
		f.count = int64(len(votes))
	}
	in, err := f.described("")
	if err != nil {
		return e, nil, err
	}
	e, err = in.Events[0].Event()
	return e, votes, err
}

// Descriptions returns the event without the number named solve, for a calibration.
func (f *eventFlags) Descriptions(solve string) (event.Descriptions, error) {
	if solve == "" {
		return event.Descriptions{}, errors.New("--solve: name the number to find, as in --solve count")
	}
	if f.changed(solve) {
		return event.Descriptions{}, fmt.Errorf("--%s is the number to find: leave it out", solve)
	}
	var missing []string
	for _, name := range f.spec.Required {
		if name != solve && !f.changed(name) {
			missing = append(missing, "--"+name)
		}
	}
	if len(missing) > 0 {
		return event.Descriptions{}, fmt.Errorf("%s must be given", strings.Join(missing, " and "))
	}
	return f.described(solve)
}

// described returns the description that the flags make, without the number named solve.
func (f *eventFlags) described(solve string) (in event.Descriptions, err error) {
	if err := f.check(solve); err != nil {
		return in, err
	}
	d := f.d
	if d.Sampling == "allocation" {
		if err := f.allocated(&d, solve); err != nil {
			return in, err
		}
	}
	if f.count != 1 {
		d.Count = &f.count // a count of 1 would show as 1 × the event
	}
	if d.Mechanism == "rr" {
		d.Sensitivity = 0 // the description has no sensitivity
	}
	given := func(name string) bool {
		return name != solve && (f.changed(name) || slices.Contains(f.spec.Required, name))
	}
	if f.offers("sampling-rate") && given("sampling-rate") {
		d.SamplingRate = &f.rate
	}
	if f.offers("eta") && given("eta") {
		d.Eta = &f.eta
	}
	if f.participation != (matrix.Participation{}) {
		d.Participation = &f.participation
	}
	if f.events != "" {
		file, err := event.OpenDescribed(f.events, "")
		if err != nil {
			return in, err
		}
		if d.Events = file.Descriptions.Events; d.Events == nil {
			return in, fmt.Errorf("%s: want an events file, as 'account compose' reads it", f.events)
		}
	}
	in.Events = []event.Description{d}
	return in, nil
}

// allocated sets the mechanism of the steps of a random allocation: Gaussian for --sigma, Laplace for --scale, a table
// for --file. In a calibration, the number named solve counts as a flag.
func (f *eventFlags) allocated(d *event.Description, solve string) error {
	mechanisms := map[string]string{"sigma": "gaussian", "scale": "laplace", "file": "table"}
	var given []string
	for _, name := range []string{"sigma", "scale", "file"} {
		if f.changed(name) || name == solve {
			given = append(given, "--"+name)
			d.Mechanism = mechanisms[name]
		}
	}
	switch {
	case len(given) == 0:
		return errors.New("the step has no mechanism: want --sigma (Gaussian noise), --scale (Laplace noise) or --file " +
			"(a table)")
	case len(given) > 1 && slices.Contains(given, "--"+solve):
		return fmt.Errorf("%s: give only one of them; the number to find is --solve %s", strings.Join(given, " and "), solve)
	case len(given) > 1:
		return fmt.Errorf("%s: give only one of them", strings.Join(given, " and "))
	}
	if d.Mechanism == "table" && !f.changed("sensitivity") {
		d.Sensitivity = 0 // a table has none
	}
	return nil
}

func (f *eventFlags) offers(name string) bool { return slices.Contains(f.names(), name) }
