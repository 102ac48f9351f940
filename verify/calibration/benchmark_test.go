package calibration

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

// Every faulty mechanism is refuted, and every sound control survives, at the error probability of one claim of a
// claim set.
func TestFaults(t *testing.T) {
	pool := empirical.NewPool(2)
	for _, c := range faults() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			e, err := verify.Judge(context.Background(), c.check, verify.Settings{Budget: verify.Standard, Alpha: 1e-8, Seed: empirical.NewSeed(1).Derive(c.Name)}, pool, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.isTrue == (e.Verdict == verify.Refuted) {
				t.Errorf("%s: %s [%v, %v] against %v at %s", e.Verdict, e.Quantity, e.Lower.X, e.Upper.X, e.Claimed.X, e.WorstCase)
			}
		})
	}
}

// published has the true ε of the mechanisms of the published comparisons.
var published = map[string]float64{
	"laplace_0.1": 0.1, "laplace_1": 1, "rr_0.1": 0.1, "rr_1": 1, "trunc_geom": math.Log1p(0.125), "noisy_hist1": 0.1, "noisy_hist2": 10,
	"rnm1": 0.0946, "rnm2": 0.1, "rnm3": 0.25, "rnm4": math.Inf(1), "svt1": 0.0885, "svt2": 0.0882, "svt3": 0.5, "svt4": 0.1725, "svt5": math.Inf(1),
	"svt6": 0.42, "rappor": 0.3, "onetime_rappor": 0.6005, "prefix_sum": 1, "gauss_1": 4.377,
}

func TestReachable(t *testing.T) {
	subjects, err := Subjects()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects[:len(published)] {
		want := published[s.ID]
		if got := s.Reachable(); got != want && !(math.Abs(got-want) <= 6e-4*math.Max(1, want)) {
			t.Errorf("%s: true ε %v, the published table has %v", s.ID, got, want)
		}
		run := func(f results.PublicFigure) bool { return f.At1e5 != "–" }
		if !slices.ContainsFunc(results.Public(s.ID), run) {
			t.Errorf("%s: no figures of public tools", s.ID)
		}
	}
}

// The certified ε does not exceed the true ε, and stays above a floor. The floors are the values at the last change
// of the search, minus a margin for the few runs here. The test uses one run at 3e4 samples, with fewer samples for
// long outputs, or the median of three runs at 1e5 samples if DPVERIFY_LONG is set. One run of a sound audit exceeds
// the true ε with probability 5 %. A subject that fails is therefore judged by the median of three runs, which
// exceeds it with probability 0.7 %.
func TestPower(t *testing.T) {
	if testing.Short() {
		t.Skip("audits for some seconds; run without -short")
	}
	samples, seeds := int64(3e4), 1
	shorter := map[string]int64{"noisy_hist2": 3e3, "svt5": 6e3, "onetime_rappor": 1e4, "prefix_sum": 1e4}
	floors := map[string]float64{"laplace_1": 0.94, "rr_1": 0.94, "noisy_hist2": 6.3, "svt5": 5.5, "onetime_rappor": 0.33, "prefix_sum": 0.2, "gauss_1": 2.25,
		"discrete_gauss": 2.1, "sub_rr": 0.95, "permute_flip": 0.85}
	if testutil.Asked() {
		samples, seeds, shorter = 1e5, 3, nil
		floors = map[string]float64{"laplace_1": 0.96, "rr_1": 0.97, "noisy_hist2": 8, "svt5": 6.5, "onetime_rappor": 0.45, "prefix_sum": 0.5, "gauss_1": 2.5,
			"discrete_gauss": 2.5, "sub_rr": 1.05, "permute_flip": 0.95}
	}
	for _, id := range slices.Sorted(maps.Keys(floors)) {
		samples := cmp.Or(shorter[id], samples)
		row := powerOf(t, id, samples, seeds)
		fails := func() bool { return row.Certified.X < floors[id] || row.Certified.X > row.Reachable.X }
		if fails() && seeds < 3 {
			row = powerOf(t, id, samples, 3)
		}
		if fails() {
			t.Errorf("%s: certified %v (true ε %v), want at least %v", id, row.Certified.X, row.Reachable.X, floors[id])
		}
	}
	if _, err := Subjects("laplace_1", "nothing"); err == nil || !strings.Contains(err.Error(), "nothing: no such mechanism; there are laplace_0.1, ") {
		t.Errorf("an unknown mechanism: %v", err)
	}
}

func powerOf(t *testing.T, id string, samples int64, seeds int) results.PowerRow {
	t.Helper()
	rows, err := Power(context.Background(), must(Subjects(id)), []int64{samples}, Options{Runs: seeds, Seed: empirical.NewSeed(1), Pool: empirical.NewPool(2)})
	if err != nil {
		t.Fatal(err)
	}
	return rows[0]
}

// Target on two idle cores: 0.5 s.
func BenchmarkAuditScalar1e6(b *testing.B) { benchmarkAudit(b, "laplace_1", 1e6) }

// Targets on two idle cores: 20 s and 2 GiB.
func BenchmarkAuditGradient500(b *testing.B) { benchmarkAudit(b, "gradient_500", 1e5) }

// benchmarkAudit reports the time and the memory that the process has obtained from the system. If no other benchmark
// runs, this is the memory of the audit.
func benchmarkAudit(b *testing.B, id string, samples int64) {
	subjects := must(Subjects(id))
	pool := empirical.NewPool(2)
	for b.Loop() {
		settings := verify.Settings{Budget: verify.Standard, Alpha: powerAlpha, Seed: empirical.NewSeed(1)}
		if _, err := verify.Judge(context.Background(), subjects[0].audit(samples), settings, pool, nil); err != nil {
			b.Fatal(err)
		}
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	b.ReportMetric(float64(memory.Sys)/(1<<20), "MiB")
}

// An audit returns identical evidence on one worker and on two, for few and many pairs, numbers, sequences and
// repeated outputs.
func TestAuditsAreTheSameOnAnyWorkers(t *testing.T) {
	for _, id := range []string{"laplace_1", "trunc_geom", "svt3", "gradient_50"} {
		subjects := must(Subjects(id))
		var found [2]string
		for k := range found {
			settings := verify.Settings{Budget: verify.Standard, Alpha: powerAlpha, Seed: empirical.NewSeed(1)}
			e, err := verify.Judge(context.Background(), subjects[0].audit(1500), settings, empirical.NewPool(k+1), nil)
			if err != nil {
				t.Fatal(err)
			}
			written, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			found[k] = string(written)
		}
		if found[0] != found[1] {
			t.Errorf("%s: on one worker\n%s\non two workers\n%s", id, found[0], found[1])
		}
	}
}
