package papers

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

func runNamed(t *testing.T, name string, o experiment.Options) []result.Result {
	t.Helper()
	e, err := Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	results, err := e.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// The other experiments of the paper on small data: their shape, and that the workers do not
// matter.
func TestHanExperiments(t *testing.T) {
	cases := []struct {
		name           string
		panels, series int
		change         func(*experiment.Options)
	}{
		{"prestige/fig-6", 2, 6, func(o *experiment.Options) { o.Totals = nil }},
		{"prestige/table-3", 3, 4, func(o *experiment.Options) { o.Totals, o.Epsilons = nil, nil }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			o := small(t)
			c.change(&o)
			one := runNamed(t, c.name, o)
			o.Pool = empirical.NewPool(2)
			if diff := cmp.Diff(one, runNamed(t, c.name, o)); diff != "" {
				t.Errorf("2 workers: %s", diff)
			}
			if len(one) != c.panels {
				t.Fatalf("%d panels, want %d", len(one), c.panels)
			}
			for _, r := range one {
				if r.State != result.Finished || len(r.Series) != c.series || len(r.Notes) == 0 || !strings.HasPrefix(r.Name, c.name+"/") {
					t.Errorf("%s: %s, %d series, %d notes", r.Name, r.State, len(r.Series), len(r.Notes))
				}
				if (len(r.Findings) > 0) != (c.name == "prestige/fig-6") {
					t.Errorf("%s: findings %q", r.Name, r.Findings)
				}
			}
		})
	}
}

// At the thorough budget λ is chosen by cross-validation, once for a learner and level, and
// the notes tell which; a λ that is given is taken.
func TestHanCrossValidation(t *testing.T) {
	o := small(t)
	o.Budget, o.Repeats, o.Epochs, o.Epsilons, o.Totals = empirical.Thorough, 2, 1, []float64{8}, nil
	chosen := func() string { return strings.Join(runNamed(t, "prestige/fig-4", o)[0].Notes, "\n") }
	if notes := chosen(); !strings.Contains(notes, "λ chosen: SGD: ") || !strings.Contains(notes, "PRESTIGE, projected: ") || !strings.Contains(notes, "10-fold") {
		t.Errorf("notes %s", notes)
	}
	o.Lambda = 0.5
	if notes := chosen(); strings.Contains(notes, "chosen") || !strings.Contains(notes, "λ = 0.5 is fixed") {
		t.Errorf("notes %s", notes)
	}
}
