package accountant

import (
	"math"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/strictyaml"
)

func parsed(t *testing.T, text string) event.Descriptions {
	t.Helper()
	body, err := strictyaml.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	d, err := event.ParseDescriptions(body, "")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// At the end that meets the target, ε is at most the target; at the other end, ε is above it.
func TestSolve(t *testing.T) {
	for _, c := range []struct {
		text, name string
		epsilon    float64
		rises      bool
	}{
		{"{mechanism: gaussian}", "sigma", 1, false},
		{"{mechanism: gaussian, group: 3}", "sigma", 1, false},
		{"{mechanism: gaussian, sigma: 10}", "count", 3, true},
		{"{mechanism: gaussian, sigma: 10}", "sensitivity", 1, true},
		{"{mechanism: sgm, noise-multiplier: 1, count: 100}", "sampling-rate", 1, true},
		{"{mechanism: exponential, count: 10}", "epsilon0", 1, true},
		{"{mechanism: gaussian, sigma: 1, sampling: without-replacement, batch: 10, count: 100}", "records", 2, false},
		{"{mechanism: gaussian, sigma: 1, sampling: without-replacement, records: 1000, count: 100}", "batch", 4, true},
		{"{mechanism: matrix, strategy: tree, steps: 64, participation: {times: 4, separation: 16}}", "noise-multiplier", 2, false},
		{"{mechanism: matrix, strategy: tree, steps: 64, noise-multiplier: 20}", "times", 1, true},
		{"[{mechanism: gaussian, sigma: 5}, {mechanism: compose, events: [{mechanism: laplace}]}]", "2.1.scale", 2, false},
		{"{mechanism: repeat-and-select, eta: 1, gamma: .1, events: [{mechanism: gaussian}]}", "1.1.sigma", 2, false},
		{"{mechanism: threshold, scale: 1}", "threshold", 1.1, false},
	} {
		in := parsed(t, c.text)
		target := Target{event.AddRemove, c.epsilon, 1e-5, "best"}
		a, err := Solve(in, c.name, target)
		if err != nil || a.Rises != c.rises || !(a.Lower <= a.Upper) {
			t.Errorf("%s of %s: %+v (%v)", c.name, c.text, a.Bracket, err)
			continue
		}
		if !(a.Proof.Upper <= c.epsilon) {
			t.Errorf("%s of %s: %v, with which ε is %v", c.name, c.text, a.Bracket, a.Proof.Bracket)
		}
		other := a.Lower
		if c.rises {
			other = a.Upper
		}
		if other == 0 || math.IsInf(other, 1) {
			continue
		}
		places := in.Places(c.name)
		if strings.Contains(c.name, ".") {
			places = []string{c.name}
		}
		with, err := in.With(places[0], other)
		if err != nil {
			t.Fatal(err)
		}
		e, err := with.Event()
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Epsilons(e, event.AddRemove, 1e-5, Options{Methods: []string{"best"}}); err != nil || !(r[0].Lower > c.epsilon) {
			t.Errorf("%s of %s: at the other end %v ε is %v (%v)", c.name, c.text, other, r, err)
		}
	}
}

// A group of three moves a sum three times as far, so it needs three times the noise. The control is one record.
func TestSolveForGroup(t *testing.T) {
	target := Target{event.AddRemove, 1, 1e-5, "best"}
	one, err := Solve(parsed(t, "{mechanism: gaussian}"), "sigma", target)
	many, errMany := Solve(parsed(t, "{mechanism: gaussian, group: 3}"), "sigma", target)
	if err != nil || errMany != nil || !(math.Abs(many.Estimate/one.Estimate-3) < 1e-4) {
		t.Errorf("%v for three records, %v for one (%v, %v)", many.Bracket, one.Bracket, err, errMany)
	}
}

// The largest count, compared with the closed form.
func TestSolveCount(t *testing.T) {
	a, err := Solve(parsed(t, "{mechanism: gaussian, sigma: 10}"), "count", Target{event.AddRemove, 3, 1e-5, "gaussian-exact"})
	if err != nil {
		t.Fatal(err)
	}
	n := 1.0
	for ; ; n++ {
		if b, err := (GDP{Mu: math.Sqrt(n+1) / 10}).Epsilon(1e-5); err != nil || b.Upper > 3 {
			break
		}
	}
	if a.Lower != n || a.Upper != n+1 {
		t.Errorf("%v, want %v", a.Bracket, n)
	}
}

func TestSolveRefuses(t *testing.T) {
	for _, c := range []struct{ text, name, want string }{
		{"{mechanism: gaussian, sigma: 1}", "scale", "not a number of these events"},
		{"[{mechanism: gaussian, sigma: 1}, {mechanism: gaussian, sigma: 2}]", "sigma", "want one of 1.sigma, 2.sigma"},
		{"{mechanism: gaussian, sigma: 1}", "3.sigma", "there is no event 3"},
		{"{mechanism: gaussian, sigma: 1}", "1.scale", "gaussian has no number"},
		{"{mechanism: threshold, threshold: 9}", "scale", "not monotonic"},
		{"{mechanism: rr, epsilon0: 1}", "categories", "not monotonic"},
		{"{mechanism: gaussian, sigma: 0.1}", "count", "at count = 1, only ε ≤ 91.8173 is proven"},
		{"[{mechanism: gaussian, sigma: 1, sampling: allocation, steps: 10}, {mechanism: pure, epsilon0: 2}]", "sigma",
			"no sigma is proven to meet ε ≤ 1 at δ = 1e-05"},
		{"{mechanism: sparse-vector, epsilon1: 1, epsilon2: 1}", "cutoff", "not monotonic"},
		{"{mechanism: table, outputs: [[1, 0], [0, 1]]}", "outputs", "not a number"},
	} {
		if a, err := Solve(parsed(t, c.text), c.name, Target{event.AddRemove, 1, 1e-5, "best"}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: %v, %v; want %q", c.name, c.text, a.Bracket, err, c.want)
		}
	}
}
