package papers

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment"
)

// elevations returns rows in the form of Covertype: column 1 is near 3000, the others are near 1.
func elevations(t *testing.T) *dataset.Dataset {
	t.Helper()
	r := empirical.NewSeed(1).Rand()
	const rows, dim = 40, 54
	values, labels := make([]float64, rows*dim), make([]float64, rows)
	for i := range labels {
		labels[i] = float64(1 - 2*(i%2))
		for j := range dim {
			values[i*dim+j] = r.Float64()
		}
		values[i*dim] = 3000 + 100*r.Float64()
	}
	data, err := dataset.NewDense(dim, values, labels)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// onElevations returns options with elevations instead of Covertype.
func onElevations(t *testing.T) experiment.Options {
	data := elevations(t)
	return experiment.Options{Seed: empirical.NewSeed(1), Repeats: 2,
		Open: func(string) (train, test *dataset.Dataset, err error) { return data, nil, nil }}
}

// Covertype is normalized and not standardized: each row keeps its direction.
func TestWangRowsAreNormalised(t *testing.T) {
	data, err := wangRows(onElevations(t), "covertype")
	if err != nil {
		t.Fatal(err)
	}
	for i := range data.Len() {
		x := make([]float64, data.Dim())
		data.Row(i).AddTo(x, 1)
		if math.Abs(floats.Norm(x, 2)-1) > 1e-12 || x[0] < 0.99 {
			t.Fatalf("row %d: norm %v, column 1 %v, want 1 and almost 1", i, floats.Norm(x, 2), x[0])
		}
	}
}

// The figures have the paper's ε. Some series were renamed; their streams keep the old names.
func TestWangFigures(t *testing.T) {
	four := map[string]string{
		"closed form": "closed form", "line 3 as printed": "line 3 as printed",
		"subgradient descent, noise of Wang, Ye & Xu":           "Wang, Ye & Xu",
		"subgradient descent, noise of Zhang et al. with T":     "Zhang et al., with T",
		"subgradient descent, noise of Zhang et al. as printed": "Zhang et al., as printed",
	}
	one := map[string]string{"closed form": "closed form", "line 3 as printed": "line 3 as printed",
		"loss as printed": "loss as printed", "no noise": "no noise"}
	cases := []struct {
		name   string
		series map[string]string // to the name of its streams
		x      []string
		notes  string
	}{
		{"nonconvex/fig-1", one, []string{"0.1", "0.5", "2", "5"}, "cover type 2"},
		{"nonconvex/fig-2", map[string]string{"closed form": "closed form"}, []string{"50", "100", "200", "400", "800"},
			"values of T"},
		{"nonconvex/fig-3", map[string]string{"closed form": "closed form"}, []string{"2", "5", "10", "20", "40"},
			"values of n"},
		{"nonconvex/fig-4", four, []string{"0.5", "2"}, "Covertype only"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e, err := Lookup(c.name)
			if err != nil {
				t.Fatal(err)
			}
			o := onElevations(t)
			panels, err := e.Panels(o)
			if err != nil {
				t.Fatal(err)
			}
			task, err := panels[1].Start(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			got, want := make(map[string][]string), make(map[string][]string)
			for _, u := range task.Units {
				got[u.Series] = append(got[u.Series], u.Key)
			}
			for name, key := range c.series {
				for _, x := range c.x {
					want[name] = append(want[name], fmt.Sprintf("%s at %s", key, x))
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("streams of the series (-want +got):\n%s", diff)
			}
			notes := strings.Join(task.Notes, "\n")
			for _, says := range []string{"G = 0.25", "1-Lipschitz", "divided by its norm", c.notes} {
				if !strings.Contains(notes, says) {
					t.Errorf("notes without %q:\n%s", says, notes)
				}
			}
		})
	}
}
