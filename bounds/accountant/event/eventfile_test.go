package event_test

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
)

const step = `{"class_name": "PoissonSampledDpEvent", "sampling_probability": 0.01, "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 1.1}}`

// Every file format, and the event that it describes.
func TestRead(t *testing.T) {
	sgd := func(sigma float64, n int64) event.Event {
		return event.Repeat(n, event.Poisson(0.01, event.Gaussian(sigma)))
	}
	for _, c := range []struct {
		reason, text string
		want         event.Event
	}{
		{"our own", "- {mechanism: sgm, sampling-rate: 0.01, noise-multiplier: 1.1, count: 3}", event.Compose(sgd(1.1, 3))},
		{"a tree", `{"module_name": "dp_accounting.dp_event", "class_name": "SelfComposedDpEvent", "count": 100, "event": ` + step + `}`, sgd(1.1, 100)},
		{"a tree with tabs", "{\n\t\"class_name\": \"SelfComposedDpEvent\",\n\t\"count\": 100,\n\t\"event\": " + step + "\n}", sgd(1.1, 100)},
		{"a tree as tuples", `["dp_accounting.dp_event", "SelfComposedDpEvent", ["m", "PoissonSampledDpEvent", 0.01, ["m", "GaussianDpEvent", 1.1]], 100]`, sgd(1.1, 100)},
		{"a batch with replacement", `["m", "SampledWithReplacementDpEvent", 1000, 10, ["m", "GaussianDpEvent", 1.1]]`, event.WithReplacement(10, 1000, event.Gaussian(1.1))},
		{"a tree by keys", `{"SelfComposedDpEvent": {"count": 100, "event": {"PoissonSampledDpEvent": {"sampling_probability": 0.01, "event": {"GaussianDpEvent": {"noise_multiplier": 1.1}}}}}}`, sgd(1.1, 100)},
		{"a tree by keys with modules", `{"dp_accounting.GaussianDpEvent": {"noise_multiplier": 1.1}}`, event.Gaussian(1.1)},
		{"a list of trees", "[" + step + "," + step + "]", event.Compose(event.Poisson(0.01, event.Gaussian(1.1)), event.Poisson(0.01, event.Gaussian(1.1)))},
		{"a composition", `{"class_name": "ComposedDpEvent", "events": [{"class_name": "NoOpDpEvent"}, {"class_name": "LaplaceDpEvent", "noise_multiplier": 2}]}`, event.Compose(event.Compose(), event.Laplace(2))},
		{"as tuples", `["m", "ComposedDpEvent", [["m", "NoOpDpEvent"], ["m", "LaplaceDpEvent", 2]]]`, event.Compose(event.Compose(), event.Laplace(2))},
		{"discrete Laplace", `{"class_name": "DiscreteLaplaceDpEvent", "noise_parameter": 0.5, "sensitivity": 2}`, event.DiscreteLaplace(0.5).WithSensitivity(2)},
		{"(ε, δ)", `{"class_name": "EpsilonDeltaDpEvent", "epsilon": 1, "delta": 1e-6}`, event.Approximate(1, 1e-6)},
		{"pure", `{"class_name": "EpsilonDeltaDpEvent", "epsilon": 1, "delta": 0.0}`, event.Pure(1)},
		{"zCDP", `{"class_name": "ZCDpEvent", "rho": 0.5, "xi": 0.0}`, event.Concentrated(0.5)},
		{"bounded range", `{"class_name": "ExponentialMechanismDpEvent", "epsilon": 1}`, event.Exponential(1)},
		{"nothing private", `{"class_name": "NonPrivateDpEvent"}`, event.Approximate(0, 1)},
		{"no noise", `{"class_name": "GaussianDpEvent", "noise_multiplier": 0}`, event.Approximate(0, 1)},
		{"responses that tell all", `{"class_name": "RandomizedResponseDpEvent", "noise_parameter": 0, "num_buckets": 3}`, event.Approximate(0, 1)},
		{"responses that tell nothing", `{"class_name": "RandomizedResponseDpEvent", "noise_parameter": 1, "num_buckets": 3}`, event.Compose()},
		{"Opacus", `{"history": [[1.1, 0.01, 100], [0.9, 0.01, 7]], "mechanism": "rdp"}`, event.Compose(sgd(1.1, 100), sgd(0.9, 7))},
		{"its history alone", `[[1.1, 0.01, 100]]`, event.Compose(sgd(1.1, 100))},
		{"steps that are written with a point", `[[1.1, 0.01, 100.0]]`, event.Compose(sgd(1.1, 100))},
	} {
		f, err := event.ReadFile([]byte(c.text), "")
		if err != nil || f.Event.String() != c.want.String() {
			t.Errorf("%s: %v (%v), want %v", c.reason, f.Event, err, c.want)
		}
	}
	// Two buckets, each drawn with probability p/2: the odds of the true value are (2 − p)/p.
	f, err := event.ReadFile([]byte(`{"class_name": "RandomizedResponseDpEvent", "noise_parameter": 0.5, "num_buckets": 2}`), "")
	if err != nil || math.Abs(f.Event.A-math.Log(3)) > 1e-15 || f.Event.B != 2 {
		t.Errorf("responses: %v (%v)", f.Event, err)
	}
	// log 19 is 2.94443897916644046…, slightly above the nearest float64.
	f, err = event.ReadFile([]byte(`{"class_name": "RandomizedResponseDpEvent", "noise_parameter": 0.1, "num_buckets": 2}`), "")
	if err != nil || !(f.Event.A > 2.9444389791664404 && f.Event.A < 2.94443897916645) {
		t.Errorf("responses are not rounded up: %v (%v)", f.Event, err)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"an event that is not here", `{"class_name": "UnsupportedDpEvent"}`, `1:1: unsupported event: class "UnsupportedDpEvent"`},
		{"one inside", `{"class_name": "SelfComposedDpEvent", "count": 2,` + "\n" + ` "event": {"class_name": "UnsupportedDpEvent"}}`, `2:11: unsupported event: class "UnsupportedDpEvent"`},
		{"no class", `{"class_name": 3}`, "1:1: want a DpEvent"},
		{"no event", `{"class_name": "SelfComposedDpEvent", "count": 2, "event": 3}`, "1:60: want a DpEvent"},
		{"a field that is none", `{"class_name": "GaussianDpEvent", "sigma": 1}`, "GaussianDpEvent has no field sigma: it has noise_multiplier"},
		{"a field too few", `{"class_name": "GaussianDpEvent"}`, "lacks its field noise_multiplier"},
		{"a field too many", `["m", "GaussianDpEvent", 1, 2]`, "1:29: GaussianDpEvent has only 1 field"},
		{"not a number", `{"class_name": "GaussianDpEvent", "noise_multiplier": NaN}`, "noise_multiplier is NaN: want a number"},
		{"a number in quotes", `{"class_name": "GaussianDpEvent", "noise_multiplier": "1"}`, "noise_multiplier is 1: want a number"},
		{"noise below 0", `{"class_name": "GaussianDpEvent", "noise_multiplier": -1}`, "1:55: noise_multiplier is -1"},
		{"a rate above 1", `{"class_name": "PoissonSampledDpEvent", "sampling_probability": 2, "event": {"class_name": "NoOpDpEvent"}}`, "sampling_probability is 2: want a probability"},
		{"never run", `{"class_name": "SelfComposedDpEvent", "count": 0, "event": {"class_name": "NoOpDpEvent"}}`, "count is 0: want a whole number of at least 1"},
		{"half a time", `{"class_name": "SelfComposedDpEvent", "count": 1.5, "event": {"class_name": "NoOpDpEvent"}}`, "count is 1.5: want a whole"},
		{"an empty composition", `{"class_name": "ComposedDpEvent", "events": []}`, "want a list of at least one DpEvent"},
		{"ξ", `{"class_name": "ZCDpEvent", "rho": 1, "xi": 0.1}`, "xi is 0.1"},
		{"an empty history", `{"history": []}`, "1:13: history: want a list"},
		{"no history", `{"history": null, "mechanism": "rdp"}`, "history: want a list"},
		{"a rate that would be read as 0", `[[1, 1e-400, 3]]`, "1:6: the sample rate is 1e-400, which is beyond the range of a double"},
		{"an ε that would be", `{"class_name": "EpsilonDeltaDpEvent", "epsilon": 1e-400, "delta": 0}`, "epsilon is 1e-400, which is beyond"},
		{"two forms at once", `{"class_name": "GaussianDpEvent", "noise_multiplier": 1, "GaussianDpEvent": {"noise_multiplier": 5}}`, "has no field GaussianDpEvent"},
		{"a pair", `{"history": [[1, 0.1]]}`, "1:14: an entry of a history"},
		{"a rate above 1 in it", `{"history": [[1, 1.1, 3]]}`, "1:18: the sample rate is 1.1"},
		{"no steps", `{"history": [[1, 0.1, 0]]}`, "the number of steps is 0"},
		{"another mechanism", `{"history": [[1, 0.1, 1]], "mechanism": "magic"}`, "mechanism: want one of"},
		{"another key", `{"history": [[1, 0.1, 1]], "optimizer": 3}`, "unknown key optimizer"},
		{"neither", "hello", "it seems to be a text without a statement"},
		{"nothing", "", "the file is empty"},
		{"half a statement", "DP-SGD performed over a few examples", "1:1: a statement of TensorFlow Privacy whose first sentence"},
		{"a statement without δ", strings.Split(fixture(t, "statement.txt"), "Example-level")[0], "without the example-level"},
		{"two statements", fixture(t, "statement.txt") + strings.Replace(fixture(t, "statement.txt"), "1.1", "1.2", 1), "more than one statement"},
		{"batches larger than the data", strings.Replace(fixture(t, "statement.txt"), "over 60000", "over 100", 1), "1:1: 256 examples per batch of 100"},
		{"a δ that would be read as 0", strings.Replace(fixture(t, "statement.txt"), "1e-05", "1e-400", 1), "delta is 1e-400: want a probability below 1, 0 or at least"},
		{"noise that would be", strings.Replace(fixture(t, "statement.txt"), "multiplier 1.1", "multiplier 1e-400", 1), "noise multiplier 1e-400 is beyond the range"},
		{"an ε that is not a number", strings.Replace(fixture(t, "statement.txt"), "21.900", "21.9.0", 1), "without the example-level"},
		{"the other", strings.Replace(fixture(t, "statement.txt"), "1.281", "01.281", 1), "without the example-level"},
		{"no epochs", strings.Replace(fixture(t, "statement.txt"), "for 15.0", "for 0.0", 1), "0.0 epochs: want a number above 0"},
	} {
		if f, err := event.ReadFile([]byte(c.text), ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", c.reason, f.Event, err, c.want)
		}
	}
	if _, err := event.ReadFile([]byte(step), "poisson"); err == nil || !strings.Contains(err.Error(), "allows a choice") {
		t.Errorf("a choice where there is none: %v", err)
	}
	if _, err := event.ReadFile([]byte(fixture(t, "statement.txt")), "often"); err == nil || !strings.Contains(err.Error(), "want fixed or poisson or user-fixed") {
		t.Errorf("a choice of neither: %v", err)
	}
	if _, err := event.OpenFile(filepath.Join(t.TempDir(), "none"), ""); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func fixture(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "account", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A statement contains two accounts, and each reported ε is a bound.
func TestStatement(t *testing.T) {
	for _, c := range []struct {
		sampling, event, epsilon string
	}{
		{"", "15 × fixed-batches(235, gaussian(σ=1.1, sensitivity=1))", "21.900"},
		{"fixed", "15 × fixed-batches(235, gaussian(σ=1.1, sensitivity=1))", "21.900"},
		{"poisson", "3516 × poisson(q=0.004266666666666667, gaussian(σ=1.1, sensitivity=1))", "1.281"},
	} {
		f, err := event.ReadFile([]byte(fixture(t, "statement.txt")), c.sampling)
		if err != nil || f.Event.String() != c.event || f.Epsilon != c.epsilon || f.Delta != 1e-5 || f.Adjacency == nil || len(f.Notes) == 0 {
			t.Errorf("%q: %v, %+v; want %s and ε = %s", c.sampling, err, f, c.event, c.epsilon)
		}
	}
	doubled := strings.Replace(fixture(t, "statement.txt"), "without microbatching, and no\nbound on number of examples per user", "with microbatching, and at\nmost 3 examples per user", 1)
	f, err := event.ReadFile([]byte(doubled), "")
	if err != nil || !strings.Contains(f.Event.String(), "sensitivity=2") || len(f.Notes) != 3 {
		t.Errorf("with microbatches: %v, %+v", err, f)
	}
}

// A non-private event and an event without effect are accepted.
func TestEndsOfTheScale(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
	}{{`{"class_name": "NonPrivateDpEvent"}`, math.Inf(1)}, {`{"class_name": "NoOpDpEvent"}`, 0}, {`[[0, 0.5, 10]]`, math.Inf(1)}, {`[[1, 0, 10]]`, 0}} {
		f, err := event.ReadFile([]byte(c.text), "")
		if err != nil {
			t.Fatal(err)
		}
		r, err := accountant.Epsilons(f.Event, event.AddRemove, 1e-5, accountant.Options{Methods: []string{"best"}})
		if err != nil || r[0].Lower != c.want || r[0].Upper != c.want {
			t.Errorf("%s: %v (%v), want %v", c.text, r, err, c.want)
		}
	}
}
