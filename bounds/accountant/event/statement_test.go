package event_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// printedStatement returns a statement in the words of TensorFlow Privacy for 10000 examples, batches of 64, σ = 2, 5
// epochs, microbatches and δ = 1e-6. users is 0 if it has no values for users.
func printedStatement(method string, users int, fixed, poisson, userFixed, userPoisson string) string {
	bound, user := "no bound on number of examples per user", ""
	if users > 0 {
		bound = fmt.Sprintf("at most %d examples per user", users)
		user = "User-level DP with add-or-remove-one adjacency at delta = 1e-06 computed using\n" + method +
			" accounting and group privacy:\n    Epsilon with each example occurring once per epoch:  " + userFixed +
			"\n    Epsilon assuming Poisson sampling (*):       " + userPoisson + "\n\n"
	}
	return "DP-SGD performed over 10000 examples with 64 examples per iteration, noise\nmultiplier 2.0 for 5.0 epochs with " +
		"microbatching, and " + bound + ".\n\nExample-level DP with add-or-remove-one adjacency at delta = 1e-06 computed " +
		"with\n" + method + " accounting:\n    Epsilon with each example occurring once per epoch:        " + fixed +
		"\n    Epsilon assuming Poisson sampling (*):         " + poisson + "\n\n" + user + "(*) Poisson sampling is not usual.\n"
}

const oldSentence = "DP-SGD with sampling rate = 1.67% and noise_multiplier = 1.3 iterated over 900 steps satisfies " +
	"differential privacy with eps = 2.46 and delta = 1e-05.\nThe optimal RDP order is 10.0.\n"

func bracketOf(t *testing.T, f event.File) accountant.Bracket {
	t.Helper()
	r, err := accountant.Epsilons(f.Event, event.AddRemove, f.Delta, accountant.Options{Methods: []string{"best"}})
	if err != nil {
		t.Fatal(err)
	}
	return r[0].Bracket
}

// The values that TensorFlow Privacy's own tests of compute_dp_sgd_privacy_statement expect. Those by PLD accounting are
// exact up to its grid, those by RDP accounting are upper bounds.
func TestPrintedStatements(t *testing.T) {
	pld := printedStatement("PLD", 2, "12.595", "1.199", "30.579", "2.532")
	rdp := printedStatement("RDP", 3, "13.376", "1.616", "56.224", "6.425")
	infinite := printedStatement("RDP", 10, "13.376", "1.616", "366.374", "inf (**)")
	for _, c := range []struct {
		text, sampling, printed string
		tight                   float64 // how far the printed value may be above ours
	}{
		{pld, "fixed", "12.595", 0.002}, {pld, "poisson", "1.199", 0.002},
		{pld, "user-fixed", "30.579", 0.002}, {pld, "user-poisson", "2.532", 0.005},
		{rdp, "", "13.376", 1}, {rdp, "poisson", "1.616", 1}, {rdp, "user-fixed", "56.224", 3}, {rdp, "user-poisson", "6.425", 5},
		{infinite, "user-fixed", "366.374", 20}, {infinite, "user-poisson", "", 0},
	} {
		f, err := event.ReadFile([]byte(c.text), c.sampling)
		if err != nil || f.Epsilon != c.printed || f.Delta != 1e-6 {
			t.Errorf("%s: %q at %v (%v), want %s", c.sampling, f.Epsilon, f.Delta, err, c.printed)
			continue
		}
		var printed float64
		if _, err := fmt.Sscan(c.printed, &printed); err != nil {
			continue
		}
		if b := bracketOf(t, f); !(b.Upper >= printed-c.tight && b.Lower <= printed+0.0005) {
			t.Errorf("%s: %v, printed %s", c.sampling, b, c.printed)
		}
	}
	_, err := event.ReadFile([]byte(printedStatement("PLD", 0, "12.595", "1.199", "", "")), "user-fixed")
	if err == nil || !strings.Contains(err.Error(), "no bound on the number of examples per user") {
		t.Errorf("users without a bound: %v", err)
	}
}

// One step on a Poisson sample in which a user has two examples, by listing which of them are sampled.
func TestUserStep(t *testing.T) {
	text := strings.NewReplacer("10000", "8", "with 64", "with 2", "5.0 epochs with micro", "0.25 epochs without micro").Replace(
		printedStatement("RDP", 2, "1.0", "1.0", "1.0", "1.0"))
	f, err := event.ReadFile([]byte(text), "user-poisson")
	if err != nil {
		t.Fatal(err)
	}
	group := make([]float64, len(normal(0, 1)))
	for sampled := range 4 {
		chance, n := 1.0, 0
		for bit := range 2 {
			if sampled>>bit&1 == 1 {
				chance, n = chance*0.25, n+1
			} else {
				chance *= 0.75
			}
		}
		group = mixed([]float64{1, chance}, group, normal(float64(n), 2))
	}
	want := divergence(normal(0, 2), group, 0.1)
	r, err := accountant.Deltas(f.Event, event.AddRemove, 0.1, accountant.Options{Methods: []string{"best"}})
	if err != nil || !(r[0].Lower <= want+1e-6 && r[0].Upper >= want-1e-6 && r[0].Width() < 1e-3) {
		t.Errorf("%v: %v (%v), want δ = %v", f.Event, r, err, want)
	}
}

// Older versions print one sentence. Its ε has three significant digits, also if they are zeros.
func TestOldSentences(t *testing.T) {
	for _, c := range []struct{ text, event, epsilon string }{
		{oldSentence, "900 × poisson(q=0.0167, gaussian(σ=1.3, sensitivity=1))", "2.46"},
		{"> DP-SGD with sampling rate = 3% and noise_multiplier = 1.018 iterated over 5000 steps satisfies differential\n> privacy with eps = 16 and delta = 1e-05.", "5000 × poisson(q=0.03, gaussian(σ=1.018, sensitivity=1))", "16.0"},
		{"DP-SGD with\n\tsampling rate = 0.417%,\n\tnoise_multiplier = 1.3,\n\titerated over 3600 steps,\nsatisfies differential privacy with\n\tepsilon = 0.9,\n\tdelta = 1e-05.\nThe optimal alpha is 16.", "3600 × poisson(q=0.00417, gaussian(σ=1.3, sensitivity=1))", "0.900"},
		{strings.Replace(oldSentence, "2.46", "1e+03", 1), "900 × poisson(q=0.0167, gaussian(σ=1.3, sensitivity=1))", "1.00e+03"},
		{strings.Replace(oldSentence, "2.46", "inf", 1), "900 × poisson(q=0.0167, gaussian(σ=1.3, sensitivity=1))", ""},
	} {
		f, err := event.ReadFile([]byte(c.text), "")
		if err != nil || f.Event.String() != c.event || f.Epsilon != c.epsilon || f.Delta != 1e-5 || f.Adjacency == nil {
			t.Errorf("%s: %v, %+v; want %s and %s", c.text, err, f, c.event, c.epsilon)
		}
	}
	// The printed 2.46 is an upper bound, by Rényi accounting.
	f, err := event.ReadFile([]byte(oldSentence), "poisson")
	if b := bracketOf(t, f); err != nil || !(b.Upper <= 2.465 && b.Upper > 1.8) {
		t.Errorf("printed 2.46: %v (%v)", b, err)
	}
	for _, c := range []struct{ from, to, sampling, want string }{
		{"", "", "fixed", "contains only the account with Poisson sampling"},
		{"1.67%", "167%", "", "1:22: the sampling rate is 167%"},
		{"over 900 steps", "over 0 steps", "", "0 steps: want"},
		{"1e-05", "1", "", "delta is 1"},
		{"1.67%", "{q}%", "", "not as compute_dp_sgd_privacy writes it"},
	} {
		if f, err := event.ReadFile([]byte(strings.Replace(oldSentence, c.from, c.to, 1)), c.sampling); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", c.to, f.Event, err, c.want)
		}
	}
}

// A statement within a Markdown page, a notebook or a JSON string; the program that prints it is no second statement.
func TestPages(t *testing.T) {
	text := printedStatement("PLD", 2, "12.595", "1.199", "30.579", "2.532")
	marshal := func(v any) string {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	cells := func(source string, output any) string {
		return marshal(map[string]any{"nbformat": 4, "cells": []any{map[string]any{"cell_type": "code", "source": []string{source},
			"outputs": []any{output}}}})
	}
	printed := map[string]any{"output_type": "stream", "text": strings.SplitAfter(text, "\n")}
	value := map[string]any{"data": map[string]any{"text/plain": []string{"'" + strings.ReplaceAll(text, "\n", `\n`) + "'"}}}
	for name, page := range map[string]string{
		"Markdown":         "# Privacy\n\nOur model:\n\n```\n" + text + "```\n\nThat is all: really.\n",
		"a quote":          "# Privacy\n\n> " + strings.ReplaceAll(text, "\n", "\n> ") + "\n",
		"a JSON string":    marshal(text),
		"printed output":   cells("print(statement)", printed),
		"twice the same":   cells("# "+text, printed),
		"a value":          cells("statement", value),
		"with its program": cells("f'DP-SGD performed over {n} examples'", printed),
	} {
		f, err := event.ReadFile([]byte(page), "")
		if err != nil || f.Epsilon != "12.595" || !strings.Contains(f.Event.String(), "sensitivity=2") {
			t.Errorf("%s: %v, %+v", name, err, f)
		}
	}
	if _, err := event.ReadFile([]byte("# Two\n\n"+text+"\n"+oldSentence), ""); err == nil || !strings.Contains(err.Error(), "more than one statement") {
		t.Errorf("two different statements: %v", err)
	}
}

// The state of an Opacus accountant within a checkpoint.
func TestCheckpoint(t *testing.T) {
	state := `{"history": [[1.0, 0.01, 500]], "mechanism": "rdp"}`
	for _, text := range []string{
		`{"module_state_dict": {}, "privacy_accountant_state_dict": ` + state + `, "epoch": 3}`,
		`{"a": [{"b": ` + state + `}, ` + strings.Replace(state, "rdp", "gdp", 1) + `]}`,
		"epoch: 3\nprivacy_accountant_state_dict:\n  mechanism: prv\n  history:\n  - [1.0, 0.01, 500]\n",
	} {
		f, err := event.ReadFile([]byte(text), "")
		if err != nil || f.Event.String() != "compose(500 × poisson(q=0.01, gaussian(σ=1, sensitivity=1)))" || len(f.Notes) != 2 {
			t.Errorf("%s: %v (%v), notes %q", text, f.Event, err, f.Notes)
		}
	}
	for text, want := range map[string]string{
		`{"a": ` + state + `, "b": ` + strings.Replace(state, "500", "501", 1) + `}`: "a second history at b, which differs from the one at a",
		`{"a": {"history": [], "mechanism": "rdp"}}`:                                 "1:19: history: want a list",
		`{"a": {"history": {"loss": [1]}, "mechanism": "rdp"}}`:                      "1:19: history: want a list",
	} {
		if f, err := event.ReadFile([]byte(text), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %q", text, f.Event, err, want)
		}
	}
}

// The kind that an unreadable file seems to be.
func TestKinds(t *testing.T) {
	for text, want := range map[string]string{
		"": "the file is empty", " \n": "the file is empty",
		"PK\x03\x04\x00\x00":                             "a zip archive, as torch.save writes",
		"\x80\x02}q\x00.":                                "a Python pickle",
		"\x80\x05\x95":                                   "a Python pickle",
		"\x93NUMPY\x01":                                  "a NumPy array",
		"a: 1\x00":                                       "binary data",
		"<!doctype html><p>hello":                        "an HTML or XML page",
		"import json\nprint(1)\n":                        "a program",
		`{"nbformat": 4, "cells": []}`:                   "a Jupyter notebook without",
		`{"class_name": "GaussianDpEvent", "noise_mul`:   "JSON that ends too early",
		`[[1.1, 0.01, 100`:                               "JSON that ends too early",
		"GaussianDpEvent(noise_multiplier=1.1)":          "the printed form of a Python object",
		"{'history': [(1.1, 0.01, 3)]}":                  "the printed form of a Python object",
		"step,epsilon\n1,0.5\n2,0.7\n":                   "a CSV file",
		"# Privacy\n\nWe trained with care and noise.\n": "a text without a statement",
		"We trained the model with care.\n- [x":          "a text without a statement",
	} {
		_, err := event.ReadFile([]byte(text), "")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "want an events file (YAML or JSON)") {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
	// An events file with a mistake keeps the parser's message and its place.
	for _, text := range []string{"- {mechanism: gaussian, sigma: 1\n", "mechanism: [gaussian\n", "- mechanism: gaussian\n  sigma: 'x\n"} {
		if _, err := event.ReadFile([]byte(text), ""); err == nil || strings.Contains(err.Error(), "seems to be") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// rr has two categories by default. δ = (e^ε₀ − e^ε)/(1 + e^ε₀) at ε₀ = 1, solved for ε.
func TestDefaultCategories(t *testing.T) {
	f, err := event.ReadFile([]byte("[{mechanism: rr, epsilon0: 1}]"), "")
	if err != nil {
		t.Fatal(err)
	}
	f.Delta = 1e-5
	if b, want := bracketOf(t, f), math.Log(math.E-1e-5*(1+math.E)); !(b.Lower <= want+1e-12 && b.Upper >= want-1e-12) {
		t.Errorf("%v, want %v", b, want)
	}
	if _, err := event.ReadFile([]byte("[{mechanism: rr, epsilon0: 1, categories: 0}]"), ""); err == nil {
		t.Error("0 categories are accepted")
	}
}
