package accountant

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

func TestParseEvents(t *testing.T) {
	sgm := event.Repeat(100, event.Poisson(0.01, event.Gaussian(1.5)))
	for _, c := range []struct {
		reason, text string
		want         event.Event
		adjacency    string
	}{
		{"YAML list", "- {mechanism: gaussian, sigma: 2, count: 3}\n- {mechanism: laplace, scale: 4}", event.Compose(event.Repeat(3, event.Gaussian(2)), event.Laplace(4)), ""},
		{"mapping with adjacency", "adjacency: replace_one\nevents:\n  - mechanism: rr\n    epsilon0: 1\n    categories: 3", event.RandomizedResponse(1, 3), "replace-one"},
		{"mapping with a group", "adjacency: replace-one\ngroup: 3\nevents: [{mechanism: laplace, scale: 6}]", event.Laplace(2), "replace-one"},
		{"one event with a group", "{mechanism: gaussian, sigma: 6, group: 3}", event.Gaussian(2), ""},
		{"JSON", `{"events": [{"type": "sgm", "noise_multiplier": 1.5, "sampling_rate": 0.01, "count": 100}]}`, sgm, ""},
		{"one event, no list", "mechanism: sgm\nnoise-multiplier: 1.5\nsampling-rate: 0.01\ncount: 100", sgm, ""},
		{"mechanism as key", "- gaussian: {sigma: 1.5, sampling-rate: 0.01, count: 100}", sgm, ""},
		{"schedule", "- {mechanism: schedule, noise-multipliers: [5, 4], sampling-rate: 0.1, steps-each: 7}", event.Schedule(0.1, []float64{5, 4}, 7), ""},
		{"multiplier with sensitivity", "- {mechanism: sgm, noise-multiplier: 1.5, sampling-rate: 0.01, count: 100, sensitivity: 4}", sgm, ""},
		{"a multiplier whose product with the sensitivity is rounded", "- {mechanism: sgm, noise-multiplier: 0.7, sampling-rate: 0.01, count: 100, sensitivity: 3}", event.Repeat(100, event.Poisson(0.01, event.Gaussian(0.7))), ""},
		{"one whose product no double holds", "- {mechanism: sgm, noise-multiplier: 1e3, sampling-rate: 0.01, sensitivity: 1e306}", event.Poisson(0.01, event.Gaussian(1000)), ""},
		{"the sensitivity of a composition", "- {mechanism: compose, sensitivity: 2, events: [{mechanism: laplace, scale: 4}, {mechanism: pure, epsilon0: 1}]}", event.Compose(event.Laplace(2), event.Pure(1)), ""},
		{"and those of its parts", "- {mechanism: compose, sensitivity: 2, events: [{mechanism: laplace, scale: 4, sensitivity: 8}, {mechanism: compose, events: [{mechanism: gaussian, sigma: 1}]}]}", event.Compose(event.Laplace(0.5), event.Gaussian(0.5)), ""},
		{"which no multiplier knows", "- {mechanism: compose, sensitivity: 2, events: [{mechanism: sgm, noise-multiplier: 1.5, sampling-rate: 0.01, count: 100}]}", sgm, ""},
		{"epochs of a fixed partition", "- {mechanism: gaussian, sigma: 2, sampling: fixed, batches: 10, count: 5}", event.Repeat(5, event.FixedBatches(10, event.Gaussian(2))), ""},
		{"nested", "- {mechanism: compose, count: 2, events: [{mechanism: pure, epsilon0: 1}, {mechanism: discrete-laplace, rate: 0.5, sensitivity: 2}]}",
			event.Repeat(2, event.Compose(event.Pure(1), event.DiscreteLaplace(0.5).WithSensitivity(2))), ""},
	} {
		got, adj, err := event.ParseEvents([]byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if (adj == nil) != (c.adjacency == "") || adj != nil && adj.String() != c.adjacency {
			t.Errorf("%s: adjacency %v", c.reason, adj)
		}
		x, errX := newProfile(got, event.AddRemove)
		y, errY := newProfile(c.want, event.AddRemove)
		if errX != nil || errY != nil || len(x.terms) != len(y.terms) {
			t.Errorf("%s: %v, want %v (%v, %v)", c.reason, got, c.want, errX, errY)
			continue
		}
		for i := range x.terms {
			if x.terms[i] != y.terms[i] {
				t.Errorf("%s: term %+v, want %+v", c.reason, x.terms[i], y.terms[i])
			}
		}
	}
}

func TestParseEventsRefuses(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"nothing", "", "the file is empty"},
		{"a number", "7", "no events"},
		{"empty list", "events: []", "no events"},
		{"broken YAML", "- {mechanism: [", "1:"},
		{"unknown mechanism", "- {mechanism: gauss, sigma: 1}", "1:15: event 1: mechanism \"gauss\" is none of"},
		{"unknown key", "- {mechanism: gaussian, sgima: 1}", "sgima"},
		{"key of another mechanism", "- {mechanism: laplace, sigma: 1}", "1:24: event 1: laplace does not use sigma"},
		{"no noise", "- {mechanism: gaussian}", "must be positive"},
		{"negative noise", "- {mechanism: gaussian, sigma: -1}", "1:32: event 1: accountant: sigma is -1: want a finite number above 0"},
		{"wrong type", "- {mechanism: gaussian, sigma: much}", "sigma is much: want a number"},
		{"infinite noise", "- {mechanism: gaussian, sigma: .inf}", "1:32: .inf is not a number in JSON form"},
		{"unknown sampling", "- {mechanism: gaussian, sigma: 1, sampling: systematic}", "want one of none"},
		{"batches without number", "- {mechanism: gaussian, sigma: 1, sampling: shuffled}", "batches ≥ 1"},
		{"sgm without rate", "- {mechanism: sgm, noise-multiplier: 1}", "sampling-rate"},
		{"steps below 1 are not one step", "- {mechanism: schedule, noise-multipliers: [1], sampling-rate: 0.1, steps-each: -5}", "steps-each is -5"},
		{"no steps are not one step", "- {mechanism: schedule, noise-multipliers: [1], sampling-rate: 0.1, steps-each: 0}", "steps-each is 0"},
		{"no sensitivity is not sensitivity 1", "- {mechanism: compose, events: [{mechanism: gaussian, sigma: 1, sensitivity: 0}]}", "sensitivity is 0"},
		{"where", "events:\n  - {mechanism: pure, epsilon0: 1}\n  - mechanism: pure\n    epsilon: 1", "4:5: event 2"},
		{"a rate that would be read as 0", "- {mechanism: sgm, noise-multiplier: 1, sampling-rate: 1e-400}", "1:56: event 1: accountant: sampling-rate is 1e-400, which is beyond the range of a double"},
		{"an ε that would be", "- {mechanism: pure, epsilon0: 0.0001e-330}", "epsilon0 is 0.0001e-330, which is beyond"},
		{"octal or decimal", "- {mechanism: gaussian, sigma: 010}", "1:32: 010 is not a number in JSON form"},
		{"a number in quotes", "- {mechanism: gaussian, sigma: '1'}", "1:32: event 1: sigma is 1: want a number without quotes"},
		{"a fraction of a count", "- {mechanism: gaussian, sigma: 1, count: 1.5}", "count is 1.5: want a whole number"},
		{"a count beyond all integers", "- {mechanism: gaussian, sigma: 1, count: 1e30}", "count is 1e30: want a whole number"},
		{"thirty digits", "- {mechanism: gaussian, sigma: 1, count: 123456789012345678901234567890}", "count is 123456789012345678901234567890: want a whole number"},
		{"beyond a double", "- {mechanism: gaussian, sigma: 1e400}", "sigma is 1e400: want a number"},
		{"never run", "- {mechanism: gaussian, sigma: 1, count: 0}", "1:42: event 1: accountant: count is 0: want a whole number above 0"},
		{"one key in two spellings", "- {mechanism: sgm, noise-multiplier: 1, sampling-rate: 0.1, sampling_rate: 0.2}", "sampling-rate and sampling_rate are the same key"},
		{"a key without a value", "- {mechanism: gaussian, sigma: 1, sensitivity: }", "sensitivity has no value"},
		{"no mapping", "- 3", "want a mapping"},
		{"bad adjacency", "adjacency: swap\nevents: [{mechanism: pure, epsilon0: 1}]", "adjacency"},
		{"a fraction of a group", "group: 1.5\nevents: [{mechanism: pure, epsilon0: 1}]", "1:8: accountant: group is 1.5: want a whole number of records"},
		{"correlated noise with random allocation", "- {mechanism: matrix, strategy: tree, steps: 8, noise-multiplier: 2, sampling: allocation, picks: 1}", "its noise is correlated over the steps"},
		{"a group of a part", "events: [{mechanism: pure, epsilon0: 1, group: 2}]", "group"},
		{"fault inside", "- {mechanism: compose, events: [{mechanism: pure, epsilon0: 1}, {mechanism: pure, epsilon0: -1}]}", "1:93: event 1: event 2"},
		{"a rate above 1", "- {mechanism: sgm, noise-multiplier: 1, sampling-rate: 1.5}", "1:56: event 1: accountant: sampling-rate is 1.5: want a probability"},
		{"a noise of the list", "- {mechanism: schedule, noise-multipliers: [1, 0], sampling-rate: 0.1}", "1:48: event 1: accountant: noise-multipliers is 0"},
	} {
		_, _, err := event.ParseEvents([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.want)
		}
	}
}

func TestResultJSON(t *testing.T) {
	data, err := json.Marshal(Result{Method: "rdp", Bracket: Bracket{0, 1.5, math.Inf(1)}, Assumptions: []string{"a"}})
	want := `{"method":"rdp","lower":0,"estimate":1.5,"upper":"inf","assumptions":["a"],"warnings":[]}`
	if err != nil || string(data) != want {
		t.Errorf("%s, want %s (%v)", data, want, err)
	}
}

// The warnings that a result must contain, and those that it must not contain.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		reason    string
		event     event.Event
		adjacency event.Adjacency
		method    string
		want      string
	}{
		{"noise of add/remove", event.Gaussian(1), event.ReplaceOne, "best", "twice the contribution"},
		{"nothing to warn of", event.Gaussian(1), event.AddRemove, "best", ""},
		{"shuffled", event.ShuffledBatches(10, event.Gaussian(1)), event.AddRemove, "best", "not Poisson"},
		{"fixed", event.FixedBatches(10, event.Gaussian(1)), event.AddRemove, "best", "not Poisson"},
		{"classical formula", event.Gaussian(1), event.AddRemove, "gaussian-classical", "ε < 1 only"},
		{"classical formula in its range", event.Gaussian(10), event.AddRemove, "gaussian-classical", ""},
	} {
		rs, err := Epsilons(c.event, c.adjacency, 1e-5, Options{Methods: []string{c.method}})
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(rs[0].Warnings, "; ")
		if c.want == "" && all != "" || !strings.Contains(all, c.want) {
			t.Errorf("%s: warnings %q, want %q", c.reason, all, c.want)
		}
	}
}

// The same training loop under different assumptions. Batches that are not Poisson samples are not amplified. A fixed
// partition is exactly one step per epoch.
func TestPremises(t *testing.T) {
	const delta = 1e-5
	best := func(e event.Event, adj event.Adjacency) Bracket {
		rs, err := Epsilons(e, adj, delta, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return rs[0].Bracket
	}
	step := event.Gaussian(0.6)
	poisson := best(event.Repeat(1000, event.Poisson(0.01, step)), event.AddRemove)
	fixed := best(event.Repeat(10, event.FixedBatches(100, step)), event.AddRemove)
	shuffled := best(event.Repeat(10, event.ShuffledBatches(100, step)), event.AddRemove)
	exact, _ := GDP{math.Sqrt(10) / 0.6}.Epsilon(delta)
	if !(fixed.Lower <= exact.Estimate && exact.Estimate <= fixed.Upper) || fixed.Width() > 1e-9*fixed.Upper {
		t.Errorf("fixed partition %v, exact %v", fixed, exact)
	}
	if !(poisson.Upper < fixed.Lower) {
		t.Errorf("Poisson %v does not amplify against %v", poisson, fixed)
	}
	if shuffled.Upper < fixed.Estimate || !(shuffled.Lower > 0) || shuffled.Lower > shuffled.Upper {
		t.Errorf("shuffled %v: nothing better than %v is proven", shuffled, fixed)
	}
	// One epoch with little noise: shuffling is certifiably worse than Poisson accounting claims.
	epoch := best(event.ShuffledBatches(100, event.Gaussian(0.4)), event.AddRemove)
	claimed := best(event.Repeat(100, event.Poisson(0.01, event.Gaussian(0.4))), event.AddRemove)
	if !(epoch.Lower > claimed.Upper) {
		t.Errorf("shuffled epoch %v, Poisson claim %v", epoch, claimed)
	}
	// Several Gaussians on one sample are one sampled Gaussian.
	joint := best(event.Poisson(0.1, event.Repeat(4, event.Gaussian(2))), event.AddRemove)
	if one := best(event.Poisson(0.1, event.Gaussian(1)), event.AddRemove); joint != one {
		t.Errorf("joint sample %v, one Gaussian %v", joint, one)
	}
	if nested := best(event.Poisson(0.5, event.Poisson(0.2, event.Gaussian(1))), event.AddRemove); nested != best(event.Poisson(0.1, event.Gaussian(1)), event.AddRemove) {
		t.Errorf("nested sampling %v", nested)
	}
}

func TestCalibrate(t *testing.T) {
	sgm := func(s float64) event.Event { return event.Repeat(1000, event.Poisson(0.01, event.Gaussian(s))) }
	for _, c := range []struct {
		reason         string
		build          func(float64) event.Event
		epsilon, delta float64
		method         string
	}{
		{"one Gaussian", event.Gaussian, 1, 1e-5, "gaussian-exact"},
		{"sampled Gaussian by Rényi DP", sgm, 1, 1e-5, "rdp"},
		{"sampled Gaussian certified", sgm, 1, 1e-5, "pld"},
		{"a thousand Laplace", func(b float64) event.Event { return event.Repeat(1000, event.Laplace(b)) }, 2, 1e-6, "pld"},
		{"Laplace without δ", event.Laplace, 0.5, 0, "best"},
	} {
		b, err := Calibrate(c.build, event.AddRemove, c.epsilon, c.delta, c.method)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		rs, err := Epsilons(c.build(b.Upper), event.AddRemove, c.delta, Options{Methods: []string{c.method}})
		if err != nil || !(rs[0].Upper <= c.epsilon && rs[0].Upper >= 0.995*c.epsilon) {
			t.Errorf("%s: noise %v gives %v (%v)", c.reason, b, rs, err)
		}
		if b.Lower > 0 {
			rs, err = Epsilons(c.build(b.Lower), event.AddRemove, c.delta, Options{Methods: []string{c.method}})
			if err != nil || !(rs[0].Lower > c.epsilon) {
				t.Errorf("%s: at the lower end of %v still %v (%v)", c.reason, b, rs, err)
			}
		}
	}
	exact, _ := GaussianSigma(1, 1e-5, 1)
	if b, err := Calibrate(event.Gaussian, event.AddRemove, 1, 1e-5, "gaussian-exact"); err != nil || !near(b.Upper, exact.Upper) {
		t.Errorf("calibrated %v, exact %v (%v)", b, exact, err)
	}
	for _, eps := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := Calibrate(event.Gaussian, event.AddRemove, eps, 1e-5, "rdp"); !errors.Is(err, event.ErrDomain) {
			t.Errorf("ε = %v: error %v", eps, err)
		}
	}
	if _, err := Calibrate(event.Gaussian, event.AddRemove, 1e-9, 0, "best"); err == nil {
		t.Error("a Gaussian without δ was calibrated")
	}
}
