package calibration

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
	"github.com/dpverify/dpverify/verify/formula"
)

// Every kind of check errs at most as often as stated and detects the known faults. A correct case fails by chance
// with probability 0.05 %. If DPVERIFY_LONG is set, the test also makes the 1000 runs of CALIBRATION.md. The short
// form runs only the cases of [met], because many cases are slow audits.
func TestCalibration(t *testing.T) {
	o := Options{Alpha: 0.05, Runs: 1000, Seed: empirical.NewSeed(1), Pool: empirical.NewPool(2)}
	for _, kind := range Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			cases, err := Cases(kind)
			if err != nil {
				t.Fatal(err)
			}
			if !testutil.Asked() {
				for _, c := range met(cases) {
					c.hold(t, o)
				}
				return
			}
			for _, c := range cases {
				c.hold(t, o)
			}
			rows, err := Calibrate(context.Background(), cases, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				if !r.Calibrated() {
					t.Errorf("%s: %s in %d of %d runs, interval [%.4f, %.4f], want %s; %v", r.Name, r.Counted, r.Count, r.Runs, r.Lower.X, r.Upper.X, r.Expected, r.Verdicts)
				}
			}
		})
	}
}

// met returns the cases of the short form. It omits ten in eleven of the leaks at many probabilities, four in five of
// the hidden leaks of the claimed loss, two in three of the replays, and slow cases that differ from another case only in a
// number.
func met(cases []Case) []Case {
	masses, sound, replayed := 0, 0, 0
	return slices.DeleteFunc(slices.Clone(cases), func(c Case) bool {
		switch {
		case strings.Contains(c.Name, "one of 200 coordinates"), strings.Contains(c.Name, "one of 20 pairs"):
			return true // 50 coordinates and 8 pairs stay
		case strings.HasSuffix(c.Name, "times the mass"):
			masses++
			return masses%11 != 1
		case c.Kind == "hidden" && c.isTrue && c.counts() == results.Refuted:
			sound++
			return sound%5 != 1
		case c.Kind == "replay": // the tests of verify/replay also have these releases
			replayed++
			return replayed%3 != 1
		}
		return false
	})
}

// The short form includes leaks at several probabilities and in every mode, and sound mechanisms.
func TestMetHiddenCases(t *testing.T) {
	cases, err := Cases("hidden")
	if err != nil {
		t.Fatal(err)
	}
	few := met(cases)
	if len(few) < len(cases)*2/5 || len(few) == len(cases) {
		t.Errorf("the short form has %d of %d cases", len(few), len(cases))
	}
	for _, text := range []string{"; ε + 1, ", "; 2 (ε + 1), ", "; ∞, ", "; anytime, ε + 1", "; recorded, ε + 1", "; pairs, ε + 1", "; one of 8 pairs, ε + 1", "one of 50 coordinates", "; public"} {
		if !slices.ContainsFunc(few, func(c Case) bool { return strings.Contains(c.Name, text) }) {
			t.Errorf("the short form has no case with %q", text)
		}
	}
	if !slices.ContainsFunc(few, func(c Case) bool { return c.isTrue && c.counts() == results.Refuted }) {
		t.Error("the short form has no leak of the claimed loss")
	}
}

// hold runs a case until Wald's sequential test decides between the stated rate of failures (errors or misses) and a
// gross rate. It rejects a correct case with probability at most 5e-4.
func (c Case) hold(t *testing.T, o Options) {
	t.Helper()
	var row results.CalibrationRow
	row.Alpha = o.Alpha
	expect(&row, c)
	stated := row.Limit // of failures
	if !row.AtMost {
		stated = 1 - row.Limit
	}
	gross, missed := c.gross()
	accept, reject := math.Log(missed), math.Log(1/5e-4)
	failures, runs := 0, 0
	for ratio := 0.0; ratio > accept; runs++ {
		e, err := c.judge(context.Background(), o, runs)
		if err != nil && !c.faults {
			t.Errorf("%s: run %d: %v", c.Name, runs, err)
			return
		}
		c.keepsPromise(t, e)
		if (err != nil || c.counted(e)) == row.AtMost {
			failures++
			ratio += math.Log(gross / stated) // +Inf if no run may fail
		} else {
			ratio += math.Log((1 - gross) / (1 - stated))
		}
		if ratio >= reject {
			t.Errorf("%s: %d of %d runs fail, the last with %s; want %s %s", c.Name, failures, runs+1, e.Verdict, c.counts(), row.Expected)
			return
		}
	}
}

// gross returns a rate of failures that hold detects, and the probability that it misses it. A rate of 0.6 takes six
// runs if no run fails. A rate of 1/3 takes twelve runs of an exact check, and the first failure decides. For slow
// checks one run without a failure suffices, and a failed run is repeated. The packages of these checks count their
// errors, except for curves and bands, which only this test counts.
func (c Case) gross() (rate, missed float64) {
	switch {
	case slices.Contains([]string{"hidden", "audit", "anytime", "evidence", "precision", "found", "rate", "canaries", "replay"}, c.Kind) || testing.Short():
		return 0.9, 0.11
	case c.exact:
		return 1. / 3, 0.01
	}
	return 0.6, 0.01
}

// Names are unique, because seeds depend on them. Every kind has cases in which the check can err, and cases in which
// it must detect a fault.
func TestCasesAreComplete(t *testing.T) {
	if len(Kinds()) == 0 {
		t.Fatal("no kinds")
	}
	for _, kind := range Kinds() {
		cases, err := Cases(kind)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		errors, faults := 0, 0
		for _, c := range cases {
			if seen[c.Name] || c.Kind != kind || c.check == nil {
				t.Errorf("%s, %s: a case of kind %q, twice or without a check", kind, c.Name, c.Kind)
			}
			seen[c.Name] = true
			if c.wrong() {
				errors++
			} else {
				faults++
			}
		}
		if errors == 0 || faults == 0 || cases[0].About == "" {
			t.Errorf("%s: %d cases of errors, %d of faults, about %q", kind, errors, faults, cases[0].About)
		}
	}
	if _, err := Cases("laws", "tarot"); err == nil || !strings.Contains(err.Error(), "tarot") {
		t.Errorf("an unknown kind: %v", err)
	}
}

// Every check is calibrated: a new one without a case fails here.
func TestEveryCheckIsCalibrated(t *testing.T) {
	others := map[string]string{
		"verify.CheckFunc":      "a function that implements a check",
		"process.Check":         "applies another check to a process",
		"outputs.RecordedCheck": "applies another check to recorded outputs",
		"training.TrainedAudit": "applies training.MultiRunAudit to a process that trains once per sample",
	}
	used := map[string]bool{}
	for _, file := range parsed(t, ".") {
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok {
					used[x.Name+"."+s.Sel.Name] = true
				}
			}
			return true
		})
	}
	checks := 0
	dirs, err := filepath.Glob("../*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range append(dirs, "..") {
		if dir == "../claims" || dir == "../calibration" || dir == "../dptest" { // they use the checks
			continue
		}
		for _, file := range parsed(t, dir) {
			for _, d := range file.Decls {
				receiver := preparing(d)
				if receiver == "" || !ast.IsExported(receiver) {
					continue
				}
				name := file.Name.Name + "." + receiver
				if checks++; !used[name] && others[name] == "" {
					t.Errorf("%s has no case: add one, or add a reason to this test", name)
				}
			}
		}
	}
	if checks < 21 {
		t.Errorf("found only %d checks", checks)
	}
}

// parsed returns the files of a package without its tests.
func parsed(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// preparing returns the receiver type of a method Prepare, or "".
func preparing(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Recv == nil || f.Name.Name != "Prepare" {
		return ""
	}
	receiver := f.Recv.List[0].Type
	switch x := receiver.(type) {
	case *ast.IndexExpr:
		receiver = x.X
	case *ast.IndexListExpr:
		receiver = x.X
	}
	if name, ok := receiver.(*ast.Ident); ok {
		return name.Name
	}
	return ""
}

// fixed returns a check with a given verdict and error in a fraction of the runs.
func fixed(share float64, v, otherwise verify.Verdict, fails error) verify.Check {
	return verify.CheckFunc(func(_ context.Context, s verify.Settings) (verify.Trial, error) {
		if s.Stream("verdict").Float64() >= share {
			return verify.Decided{Verdict: otherwise}, nil
		}
		return verify.Decided{Verdict: v}, fails
	})
}

// promising returns a check that confirms a claim in a fraction of the runs, and states that large violations of
// probability ≥ mass would have been detected.
func promising(share, mass float64) verify.Check {
	return verify.CheckFunc(func(_ context.Context, s verify.Settings) (verify.Trial, error) {
		e := verify.Evidence{Verdict: verify.Refuted, Sizes: verify.Sizes{LargeProbability: verify.Num(mass)}}
		if s.Stream("verdict").Float64() < share {
			e.Verdict = verify.Consistent
		}
		return verify.Decided(e), nil
	})
}

// Calibrate detects miscalibrated checks and accepts correct ones.
func TestCalibrationHasTeeth(t *testing.T) {
	cases := []struct {
		reason string
		c      Case
		stated string
		good   bool
	}{
		{"refutes what is true in 5 %", Case{isTrue: true, check: fixed(0.05, verify.Refuted, verify.Holds, nil)}, "at most alpha", true},
		{"refutes what is true in 15 %", Case{isTrue: true, check: fixed(0.15, verify.Refuted, verify.Holds, nil)}, "at most alpha", false},
		{"finds what is true contradictory in 15 %", Case{isTrue: true, check: fixed(0.15, verify.Contradictory, verify.Holds, nil)}, "at most alpha", false},
		{"finds what is true vacuous in 15 %", Case{isTrue: true, check: fixed(0.15, verify.Vacuous, verify.Holds, nil)}, "at most alpha", false},
		{"leaves what is true open", Case{isTrue: true, check: fixed(1, verify.Inconclusive, "", nil)}, "at most alpha", true},
		{"computes, and is wrong in 1 %", Case{isTrue: true, exact: true, check: fixed(0.01, verify.Refuted, verify.Holds, nil)}, "never", false},
		{"misses a fault in 10 %", Case{check: fixed(0.9, verify.Refuted, verify.Inconclusive, nil)}, "at least 99 %", false},
		{"finds all faults", Case{check: fixed(1, verify.Refuted, "", nil)}, "at least 99 %", true},
		{"confirms what is false in 15 %", Case{event: results.Confirmed, check: fixed(0.15, verify.Consistent, verify.Inconclusive, nil)}, "at most alpha", false},
		{"confirms what is false in 4 %", Case{event: results.Confirmed, check: fixed(0.04, verify.Holds, verify.Refuted, nil)}, "at most alpha", true},
		{"confirms what is true in 90 %", Case{isTrue: true, event: results.Confirmed, check: fixed(0.9, verify.Holds, verify.Inconclusive, nil)}, "at least 99 %", false},
		{"does not confirm what is false", Case{event: results.Unconfirmed, check: fixed(1, verify.Inconclusive, "", nil)}, "at least 99 %", true},
		{"confirms what is false, and is to leave it open", Case{event: results.Unconfirmed, check: fixed(0.9, verify.Inconclusive, verify.Consistent, nil)}, "at least 99 %", false},
		{"confirms in 4 % what it says it would have seen", Case{event: results.Confirmed, hidden: 0.1, check: promising(0.04, 0.1)}, "at most 1 %", false},
		{"confirms in 0.5 % what it says it would have seen", Case{event: results.Confirmed, hidden: 0.1, check: promising(0.005, 0.1)}, "at most 1 %", true},
		{"confirms what it does not say it would have seen", Case{event: results.Confirmed, hidden: 0.1, check: promising(1, 0.2)}, "at most 1 %", true},
		{"errs in 15 %, which counts", Case{isTrue: true, faults: true, check: fixed(0.15, "", verify.Holds, errors.New("disagree"))}, "at most alpha", false},
	}
	for _, c := range cases {
		c.c.Kind, c.c.Name = "a kind", c.reason
		rows, err := Calibrate(context.Background(), []Case{c.c}, Options{Alpha: 0.05, Runs: 1000, Seed: empirical.NewSeed(1), Pool: empirical.NewPool(2)})
		if err != nil {
			t.Fatal(err)
		}
		if r := rows[0]; r.Calibrated() != c.good || r.Expected != c.stated {
			t.Errorf("%s: %d of %d in [%v, %v], stated %s, calibrated = %v; want %s, %v", c.reason, r.Count, r.Runs, r.Lower.X, r.Upper.X, r.Expected, r.Calibrated(), c.stated, c.good)
		}
	}
	failing := Case{Kind: "a kind", Name: "fails", isTrue: true, check: fixed(0.5, "", verify.Holds, errors.New("out of order"))}
	_, err := Calibrate(context.Background(), []Case{failing}, Options{Alpha: 0.05, Runs: 50, Seed: empirical.NewSeed(1), Pool: empirical.NewPool(2)})
	if err == nil || !strings.Contains(err.Error(), "a kind, fails: run ") || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("a check that fails: %v", err)
	}
}

// TestTooFewRuns: runs are too few if the interval of a perfect count reaches beyond the limit.
func TestTooFewRuns(t *testing.T) {
	for _, r := range []results.CalibrationRow{
		{AtMost: true, Limit: 0.01, Runs: 50}, {AtMost: true, Limit: 0.01, Runs: 756}, {AtMost: true, Limit: 0.01, Runs: 757},
		{AtMost: true, Limit: 0.05, Runs: 50}, {AtMost: true, Limit: 0.05, Runs: 1000},
		{Limit: 0.99, Runs: 500}, {Limit: 0.99, Runs: 756}, {Limit: 0.99, Runs: 757},
	} {
		perfect := r.Runs
		if r.AtMost {
			perfect = 0
		}
		lower, upper, err := confidence.ClopperPearson(perfect, r.Runs, results.IntervalError)
		if err != nil {
			t.Fatal(err)
		}
		if want := r.AtMost && upper > r.Limit || !r.AtMost && lower < r.Limit; r.TooFewRuns() != want {
			t.Errorf("%d runs, limit %v: too few = %v, and a perfect count has the interval [%v, %v]", r.Runs, r.Limit, !want, lower, upper)
		}
	}
	if (results.CalibrationRow{AtMost: true, Runs: 5}).TooFewRuns() {
		t.Error("5 runs are too few for a check that must never err")
	}
}

// A row depends neither on the number of workers nor on the other kinds.
func TestCalibrationIsDeterministic(t *testing.T) {
	calibrated := func(workers int, kinds ...string) []results.CalibrationRow {
		cases, err := Cases(kinds...)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := Calibrate(context.Background(), cases, Options{Alpha: 0.3, Runs: 20, Seed: empirical.NewSeed(2), Pool: empirical.NewPool(workers)})
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	together := calibrated(3, "significance", "compare")
	apart := slices.Concat(calibrated(1, "compare"), calibrated(2, "significance"))
	if !reflect.DeepEqual(together, apart) {
		t.Errorf("together %+v, apart %+v", together, apart)
	}
}

// A calibration ends when its context is canceled.
func TestCalibrationEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	cases, err := Cases("compare")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Calibrate(ctx, cases, Options{Alpha: 0.05, Runs: 5, Seed: empirical.NewSeed(1), Pool: empirical.NewPool(1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// The sides of every identity differ by less than 0.1 of the tolerance of the check. Otherwise the calibration would
// measure the identities.
func TestIdentitiesAreTrue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i, f := range identities {
		for range 10_000 {
			if left, right := f(r); !(left > 0 && left/right-1 < 1e-13 && right/left-1 < 1e-13) {
				t.Fatalf("identity %d: %v and %v", i, left, right)
			}
		}
	}
}

// Ties are rounded in both directions and other values to the nearest number. With cut, values are rounded in both
// directions.
func TestPress(t *testing.T) {
	p := press{r: rand.New(rand.NewPCG(1, 2)), places: 2}
	for _, c := range []struct {
		thousandths int64
		want        []string
	}{{1499, []string{"0.01"}}, {1501, []string{"0.02"}}, {0, []string{"0.00"}}, {123_456_000, []string{"1234.56"}}, {1500, []string{"0.01", "0.02"}}} {
		seen := map[string]bool{}
		for range 64 { // 64 ties have the same direction with probability 2⁻⁶³
			seen[p.cell(p.round(c.thousandths)).Text] = true
		}
		for _, text := range c.want {
			if !seen[text] {
				t.Errorf("%d thousandths are never printed as %s: %v", c.thousandths, text, seen)
			}
		}
		if len(seen) != len(c.want) {
			t.Errorf("%d thousandths are printed as %v, want %v", c.thousandths, seen, c.want)
		}
	}
	p.cut, p.percent = true, true
	if got := p.cell(p.round(1499)); got.Rounding != formula.AnyRounding || got.Text != "0.01%" && got.Text != "0.02%" {
		t.Errorf("1499 thousandths are cut to %+v", got)
	}
	if got := p.round(2000); got != 2 {
		t.Errorf("2 units are cut to %d", got)
	}
}
