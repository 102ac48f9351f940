package reports

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/empirical/experiment/papers"
	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/verify"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with testdata/golden/name, or rewrites the file under -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("..", "testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := differs(t, path, got); diff != "" {
		t.Errorf("%s differs (-want +got); `go test ./reports -update` rewrites it:\n%s", name, diff)
	}
}

func differs(t *testing.T, path string, got []byte) string {
	t.Helper()
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return cmp.Diff(string(want), string(got))
}

func num(x float64) verify.Number { return verify.Num(x) }

var inf = math.Inf(1)

// example returns a run with one claim of each verdict. Its papers, claims and figures are invented, so a change of
// the claim set does not change a golden file.
func example() Document {
	claim := func(id, source, statement string, kind verify.Kind) verify.Claim {
		return verify.Claim{ID: id, Paper: "example", Source: source, Statement: statement, Kind: kind}
	}
	lemma7 := claim("example/lemma-7", "Lemma 7, eq. (21)", "with C as printed, the release is unbiased: E[Z|X] = X", verify.Unbiasedness)
	lemma7.Corrected = "example/lemma-7/corrected"
	corrected := claim("example/lemma-7/corrected", "Lemma 7, with C derived anew", "with C′ the release is unbiased", verify.Unbiasedness)
	corrected.Origin, corrected.Place = verify.Correction, "Lemma 7, eq. (21)"
	orphan := claim("example/table-1", "Table 1 and Sect. 4", "the table's n_t is the n_t of the text", verify.Consistency)
	orphan.Corrected = "example/table-1/corrected"
	other := claim("other/fact", "p. 3", "a statement of a paper without metadata: <b>, a|b, `x` and *y*", verify.Privacy)
	other.Paper = "other"
	cell := func(at string, measured, lower, upper, exact float64, n int64) verify.Cell {
		return verify.Cell{Label: at, Claimed: num(1), Measured: num(measured), Lower: num(lower), Upper: num(upper), ExactValue: num(exact), Samples: n}
	}
	results := []verify.Result{
		{Claim: lemma7, Alpha: 1e-8, Evidence: verify.Evidence{
			Verdict: verify.Refuted, Quantity: "⟨E[Z|X],X⟩/‖X‖²", Sense: verify.Equals,
			Claimed: num(1), Measured: num(0.87314), Lower: num(0.87223), Upper: num(0.87398), Ratio: num(0.87314),
			Samples: 2_000_000, Method: "betting intervals for the factor in 2 of 3 cells", Power: "a factor off by 0.01 would have been seen",
			WorstCase: "d=4, eps=0.3, x=[1 0 0 0]",
			Cells: []verify.Cell{
				cell("d=4, eps=0.3", 0.87314, 0.87223, 0.87398, 0.87312, 1_000_000),
				cell("d=9, eps=0.3", 0.9412, 0.9399, 0.9423, 0.94121, 1_000_000),
				{Label: "d=9, eps=0.01", Claimed: num(1), Measured: num(0.93), Lower: num(0.93), Upper: num(0.93), ExactValue: num(0.93)},
			},
			Counterexample: verify.Counterexample{
				Cell:   verify.Cell{Label: "d=1, eps=0.01", Claimed: num(1), Measured: num(0.91), Lower: num(0.91), Upper: num(0.91), ExactValue: num(0.91)},
				Choice: "the first, in the order of the domain, of the 2 that fail among 3 cells",
			},
			Tried: verify.Tried{
				Cases: 3, Case: "cell", From: "d=4, eps=0.3", To: "d=9, eps=0.01",
				Nearest: cell("d=4, eps=0.3", 0.87314, 0.87223, 0.87398, 0.87312, 1_000_000), Margin: num(-0.12602),
			},
		}},
		{Claim: corrected, Alpha: 1e-8, Evidence: verify.Evidence{
			Verdict: verify.Consistent, Quantity: "⟨E[Z|X],X⟩/‖X‖²", Sense: verify.Equals,
			Claimed: num(1), Measured: num(1.0002), Lower: num(0.9987), Upper: num(1.0018), Ratio: num(1.0002), Samples: 1_000_000,
			Method: "betting intervals", Power: "a factor off by 0.01 would have been seen", WorstCase: "d=4, eps=0.3",
			Tried: verify.Tried{
				Cases: 3, Case: "cell", From: "d=4, eps=0.3", To: "d=9, eps=0.01",
				Nearest: cell("d=4, eps=0.3", 1.0002, 0.9987, 1.0018, 1, 1_000_000), Margin: num(0.0013),
			},
			Detects: verify.Detects{Effect: 0.01, Relative: true, Probability: 0.99},
			Attempt: "3 cells, from d=4, eps=0.3 to d=9, eps=0.01; the nearest to breaking, d=4, eps=0.3, measures the factor 1 [0.9987, 1.002]",
		}},
		{Claim: claim("example/prop-2", "Prop. 2", "the release is ε-private", verify.Privacy), Alpha: 1e-8, Evidence: verify.Evidence{
			Verdict: verify.Holds, Exact: true, Quantity: "privacy loss ε", Sense: verify.AtMost, Claimed: num(0.3), Measured: num(0.3), Lower: num(0.3), Upper: num(0.3), Ratio: num(1),
			Method: "evaluated on all pairs of bits; the whole domain follows: there are no others", WorstCase: "0 → 1",
			Attempt: "3 pairs, from 0 → 1 to 0 → 1, ten times, every event in both directions",
			Cells: []verify.Cell{
				{Label: "0 → 1", Claimed: num(0.3), Measured: num(0.3)}, {Label: "0 → 1, twice", Claimed: num(0.6), Measured: num(0.45)}, {Label: "0 → 1, ten times", Claimed: num(3), Measured: num(2.2)},
			},
		}},
		{Claim: claim("example/thm-1", "Theorem 1", "the gap is at most κ/√T", verify.Rate), Alpha: 1e-8, Evidence: verify.Evidence{
			Verdict: verify.Inconclusive, Quantity: "slope of log gap in log T", Sense: verify.Below, Claimed: num(-0.5), Measured: num(-0.41), Lower: num(-0.62), Upper: num(-0.2), Samples: 400,
			Warnings: []string{"the replicates are few"}, Power: "the interval of the slope reaches beyond the claimed -0.5: need ≥ 12000 replicates", WorstCase: "T=100 … T=1600",
			Needed: "about 12000 replicates at each point; this run had 80",
			Cells: []verify.Cell{
				{Label: "T=25", Measured: num(0.9), Lower: num(0.7), Upper: num(1.1), Samples: 80}, {Label: "T=100", Measured: num(0.31), Lower: num(0.22), Upper: num(0.41), Samples: 80},
				{Label: "T=400", Measured: num(0.17), Lower: num(0.1), Upper: num(0.24), Samples: 80}, {Label: "T=1600", Measured: num(0.1), Lower: num(-0.01), Upper: num(0.2), Samples: 80},
			},
			Curves: exampleSeries(),
		}},
		{Claim: orphan, Alpha: 1e-8, Evidence: verify.Evidence{
			Verdict: verify.Contradictory, Exact: true, Quantity: "n_t", Sense: verify.Equals, Claimed: num(100), Measured: num(128), Lower: num(128), Upper: num(128), Ratio: num(1.28), WorstCase: "t = 1",
			Method:         "evaluated on this grid: t in 1..10",
			Counterexample: verify.Counterexample{Cell: verify.Cell{Label: "t = 1", Claimed: num(100), Measured: num(128)}, Choice: "the only one of 10 points that fails"},
		}},
		{Claim: claim("example/remark-3", "Remark 3", "the budget is at most ∞", verify.Privacy), Alpha: 1e-8, Evidence: verify.Evidence{
			Verdict: verify.Vacuous, Exact: true, Quantity: "privacy loss ε", Sense: verify.AtMost, Claimed: num(inf), Measured: num(1.5e-7),
			Counterexample: verify.Counterexample{Cell: verify.Cell{Label: "n = 10"}, Choice: "the first of 3 points, none of which is an instance of the theorem: n < T"},
		}},
		{Claim: claim("example/fig-1", "Fig. 1", "the error falls with ε", verify.Experiment), Alpha: 1e-8, Evidence: verify.Evidence{
			Verdict: verify.NotRun, Data: "rcv1.train.libsvm.gz is not here",
		}},
		{Claim: claim("example/remark-9", "Remark 9", "the method is widely applicable", verify.Consistency), Alpha: 1e-8, Evidence: verify.Evidence{
			Verdict: verify.Untestable, Method: "no observable is named",
		}},
		{Claim: other, Alpha: 1e-8, Evidence: verify.Evidence{
			Verdict: verify.Error, Warnings: []string{"preparing: panic: index out of range"},
		}},
	}
	options := verify.Options{Seed: 1, Alpha: 1e-6, Budget: verify.Standard, Workers: 2}
	return Document{
		Title: "dpverify report", Version: "v0.1.0", Go: "go1.26.8", Command: Command(options, "report"), Experiments: papers.Abouts(),
		Papers: []Paper{{ID: "example", Title: "A Paper of Examples", Authors: "Doe & Roe", Year: 2020, Edition: "doi:10.1000/1",
			Assessment: "the table can be relied on, the lemma cannot", Items: []string{"table-1", "lemma-7"}, File: "verify/claims/example/example.go",
			Errata: []verify.Erratum{{Place: "eq. (3)", Printed: "‖G‖₂² = B", Meant: "‖G‖₂² = B²", Reason: "Algorithm 1 releases gradients of norm B", Bearing: "nothing"}}}, {ID: "absent", Title: "Not in this run"}},
		Places: map[string]Place{"other/fact": {File: "verify/claims/other/other.go"}},
		Run:    verify.Run{Options: options, Results: results, Selected: len(results)},
		Full:   true,
		Remarks: []verify.ReviewerNote{{ID: "example/lemma-7", Impact: verify.ImpactTheorem, Title: "C gives {found}, not {claimed}", Consequence: "estimates are too small",
			Reason: "the integral is taken over the whole sphere, and C over half of it", Formula: `C = ½·√d`, CorrectedFormula: `C = √d`}},
	}
}

// exampleSeries returns two curves along T, the second with fewer points, and values at named places.
func exampleSeries() []verify.Curve {
	point := func(x, mean, lower, upper float64) verify.CurvePoint {
		return verify.CurvePoint{X: num(x), Mean: num(mean), Lower: num(lower), Upper: num(upper), Runs: 10}
	}
	return []verify.Curve{
		{Name: "private", Variable: "T", Quantity: "gap", Points: []verify.CurvePoint{
			point(25, 0.9, 0.8, 1), point(50, 0.6, 0.5, 0.7), point(100, 0.31, 0.28, 0.34), point(200, 0.22, 0.2, 0.24), point(400, 0.17, 0.15, 0.19), point(800, 0.13, 0.11, 0.15), point(1600, 0.1, 0.08, 0.12),
		}},
		{Name: "not private", Variable: "T", Quantity: "gap", Points: []verify.CurvePoint{point(25, 0.5, 0.45, 0.55), point(1600, 0.06, 0.05, 0.07)}},
		{Name: "mean over the runs", Quantity: "testing error rate", Points: []verify.CurvePoint{
			{Label: "SGD", Mean: num(0.16123), Lower: num(0.1602), Upper: num(0.1622), Runs: 20}, {Label: "printed", Mean: num(0.15)},
		}},
	}
}

func exampleOutcome() ExperimentRun {
	return ExperimentRun{
		Experiment: result.About{Name: "example/fig-1", Title: "Error against privacy", Source: "Fig. 1", Data: "two classes"},
		Seed:       1, Version: "v0.1.0", Go: "go1.26.8", Command: "dpverify experiment example/fig-1 --train 'my data.csv' --seed 1",
		Results: []result.Result{{
			Name: "example/fig-1/a", Title: "Panel a", XLabel: "ε", YLabel: "testing error rate",
			Series: []result.Series{
				{Name: "SGD", X: []float64{0.1, 1}, Mean: []float64{0.1612, 0.1612}, SD: []float64{0.0021, 0.0021}, Lower: []float64{0.1602, 0.1602}, Upper: []float64{0.1622, 0.1622}},
				{Name: "DJW | literal", X: []float64{1}, Mean: []float64{0.24}, SD: []float64{0}, Lower: []float64{0.24}, Upper: []float64{0.24}},
			},
			Notes: []string{"200 rows"},
		}},
	}
}

func render(t *testing.T, f func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
