package papers

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/algorithms/dataset"
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

// The other experiments of the paper run on small data: the test checks the form of the results and that they do
// not depend on the number of workers.
func TestHanExperiments(t *testing.T) {
	cases := []struct {
		name   string
		series []int // of each panel
		change func(*experiment.Options)
	}{
		{"prestige/fig-6", []int{9, 6}, func(o *experiment.Options) { o.Totals = nil }},
		{"prestige/table-3", []int{5, 5, 5}, func(o *experiment.Options) { o.Totals, o.Epsilons = nil, nil }},
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
			if len(one) != len(c.series) {
				t.Fatalf("%d panels, want %d", len(one), len(c.series))
			}
			for i, r := range one {
				if r.State != result.Finished || len(r.Series) != c.series[i] || len(r.Notes) == 0 || !strings.HasPrefix(r.Name, c.name+"/") {
					t.Errorf("%s: %s, %d series, %d notes", r.Name, r.State, len(r.Series), len(r.Notes))
				}
				if (len(r.Findings) > 0) != (c.name == "prestige/fig-6") {
					t.Errorf("%s: findings %q", r.Name, r.Findings)
				}
			}
		})
	}
}

// At the thorough budget λ is chosen by cross-validation, once for each learner and level, and the notes report it.
// A given λ is used unchanged.
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

// ones returns rows with a single 1, of which a quarter are positive; n must be a multiple of 4.
func ones(t *testing.T, n int, dense bool) *dataset.Dataset {
	t.Helper()
	starts, columns, labels := make([]int, n+1), make([]int32, n), make([]float64, n)
	for i := range n {
		starts[i+1], labels[i] = i+1, -1
		if i%4 == 0 {
			labels[i] = 1
		}
	}
	values := slices.Repeat([]float64{1}, n)
	data, err := dataset.NewSparse(1, starts, columns, values, labels)
	if dense {
		data, err = dataset.NewDense(1, values, labels)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The notes state the differences from the paper: the number of rows, the classes and the intercept.
func TestHanStatesDepartures(t *testing.T) {
	const fewer, intercept = "they are not of the same data", "a constant column is added"
	cases := []struct {
		name, set   string
		train, test int
		dense       bool
		says, omits string
	}{
		{"MNIST38 has far more rows", "mnist-3-8", 11984, 1984, false,
			"MNIST38 has 450000 training rows and 97570 test rows (Table 2). Its error rates are for 547570 rows, ours for 13968",
			intercept},
		{"A7A is one row short", "a7a", 16100, 16460, false, "A7A has 16100 training rows and 16461 test rows (Table 2).",
			fewer},
		{"dense rows", "", 12, 4, true, intercept, "Table 2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			train, test := ones(t, c.train, c.dense), ones(t, c.test, c.dense)
			o := experiment.Options{Seed: empirical.NewSeed(1), Train: train, Test: test,
				Open: func(string) (_, _ *dataset.Dataset, err error) { return train, test, nil }}
			h, err := newHan(o, "panel", c.set)
			if err != nil {
				t.Fatal(err)
			}
			notes := strings.Join(h.about(), "\n")
			for _, says := range []string{c.says, "25.0 % of the training rows are +1", "about 1 : 1"} {
				if !strings.Contains(notes, says) {
					t.Errorf("notes without %q:\n%s", says, notes)
				}
			}
			if strings.Contains(notes, c.omits) {
				t.Errorf("notes with %q:\n%s", c.omits, notes)
			}
		})
	}
}

// Table 3 contains errors of DJW and PRESTIGE, and none of SGD.
func TestTable3PrintsNoSGD(t *testing.T) {
	rows := ones(t, 8, false)
	o := experiment.Options{Seed: empirical.NewSeed(1), Open: func(string) (_, _ *dataset.Dataset, err error) { return rows, rows, nil }}
	panels, err := table3Panels(o)
	if err != nil {
		t.Fatal(err)
	}
	task, err := panels[0].Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range task.Units {
		if (u.Series == "SGD") != (u.Reported == nil) {
			t.Errorf("%s has the printed values %v", u.Series, u.Reported)
		}
	}
}
