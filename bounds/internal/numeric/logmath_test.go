package numeric

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
)

// functions has the accuracies that the comments state. They are relative to the value, with an absolute term if the
// value is a logarithm that can be near zero.
var functions = map[string]struct {
	eval     func(a []float64) float64
	rel, abs float64
}{
	"Log1mExp":    {func(a []float64) float64 { return Log1mExp(a[0]) }, 1e-15, 0},
	"LogAddExp":   {func(a []float64) float64 { return LogAddExp(a[0], a[1]) }, 1e-15, 0},
	"LogSubExp":   {func(a []float64) float64 { return LogSubExp(a[0], a[1]) }, 1e-15, 0},
	"ExpSeries2":  {func(a []float64) float64 { return ExpSeries2(a[0]) }, 1e-14, 0},
	"Mills":       {func(a []float64) float64 { return Mills(a[0]) }, 1e-13, 0},
	"MillsSlope":  {func(a []float64) float64 { return MillsSlope(a[0]) }, 2e-14, 0},
	"LogPhi":      {func(a []float64) float64 { return LogPhi(a[0]) }, 1e-13, 0},
	"LogBinomial": {func(a []float64) float64 { return LogBinomial(a[0], a[1], a[2], a[3]) }, 1e-14, 2e-12},
	"LogPowerGap": {func(a []float64) float64 { return LogPowerGap(a[0], a[1], a[2], math.Log1p(a[2])) }, 1e-13, 1e-13},
}

func TestReferenceTable(t *testing.T) {
	data, err := os.ReadFile("testdata/reference.tsv")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(string(data)), "\n")[1:] {
		fields := strings.Split(line, "\t")
		f, ok := functions[fields[0]]
		if !ok {
			t.Fatalf("no function %q", fields[0])
		}
		seen[fields[0]]++
		values := make([]float64, len(fields)-1)
		for i, s := range fields[1:] {
			if values[i], err = strconv.ParseFloat(s, 64); err != nil {
				t.Fatal(err)
			}
		}
		args, want := values[:len(values)-1], values[len(values)-1]
		got := f.eval(args)
		if !(math.Abs(got-want) <= f.rel*math.Abs(want)+f.abs) {
			t.Errorf("%s(%v) = %.17g, want %.17g (relative %.2g)", fields[0], args, got, want, got/want-1)
		}
	}
	for name := range functions {
		if seen[name] == 0 {
			t.Errorf("%s has no row in the table", name)
		}
	}
}

func TestLimits(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		reason    string
		got, want float64
	}{
		{"log(1−e⁰)", Log1mExp(0), -inf},
		{"zero plus zero", LogAddExp(-inf, -inf), -inf},
		{"minus zero", LogSubExp(-3, -inf), -3},
		{"equal terms", LogSubExp(-3, -3), -inf},
		{"LogPhi at +Inf", LogPhi(inf), 0},
		{"LogPhi at −Inf", LogPhi(-inf), -inf},
		{"impossible count", LogBinomial(3, 4, 0.5, 0.5), -inf},
		{"Mills far below 0", Mills(-50), inf},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %v, want %v", c.reason, c.got, c.want)
		}
	}
	if !math.IsNaN(LogSubExp(-4, -3)) {
		t.Error("a negative difference must be NaN")
	}
	for _, p := range []float64{-1, -10, -40, -700} {
		z := TailPoint(p)
		if LogPhi(-z) > p || LogPhi(-z+1e-6*math.Max(1, z)) < p {
			t.Errorf("TailPoint(%v) = %v is not the quantile", p, z)
		}
	}
}

func BenchmarkLogPhi(b *testing.B) {
	z := -3.0
	for b.Loop() {
		_ = LogPhi(z)
	}
}
