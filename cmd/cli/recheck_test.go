package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

// flip answers 1 with a probability that depends on the input, 0 or 1.
type flip struct{ zero, one float64 }

func (f flip) Release(r *rand.Rand, input int) (float64, error) {
	if r.Float64() < [2]float64{f.zero, f.one}[input] {
		return 1, nil
	}
	return 0, nil
}

func flipAudit(f flip, g privacy.Guarantee, band bool) verify.Check {
	return privacy.Audit[int, float64]{Mechanism: f, Guarantee: g, Samples: 80_000, Band: band,
		Pairs: []inputs.Pair[int]{{Name: "0 and 1", A: 0, B: 1}}}
}

func events(f flip, epsilon float64) verify.Check {
	return privacy.Sampled[int, float64]{Samples: 80_000, Effect: 2, Cells: []privacy.Cell[int, float64]{{Place: "0 and 1",
		Mechanism: f, A: 0, B: 1, Epsilon: epsilon,
		Events: []privacy.Event[float64]{{Name: "output = 1", Holds: func(o float64) bool { return o == 1 }}}}}}
}

func rate(law, bounded bool, sense verify.Sense) verify.Check {
	r := mean.Rate{Quantity: "error", Variable: "n", Grid: []float64{1, 2, 4, 8, 16}, Replicates: 800, Sense: sense,
		Exponent: -1, PowerLaw: law, Effect: 0.5, Resolution: 0.3,
		Range: func(x float64) (lo, hi float64) { return 0.5 / x, 2 / x },
		Run: func(_ context.Context, r *rand.Rand, x float64) (float64, error) {
			return (0.9 + 0.2*r.Float64()) / x, nil
		}}
	if bounded {
		r.Bound = func(x float64) float64 { return 0.95 / x }
		r.Trivial = func(float64) float64 { return 3 }
	}
	return r
}

func orders(p float64) verify.Check {
	return mean.Compare{Quantity: "error", Names: []string{"a", "b"}, Orders: []mean.Order{{Less: 0, More: 1}}, Replicates: 1600,
		Run: func(_ context.Context, r *rand.Rand) ([]float64, error) {
			if r.Float64() < p {
				return []float64{0, 1}, nil
			}
			return []float64{1, 0}, nil
		}}
}

func statedMean(ranges [][2]float64, variances []float64, at float64) verify.Check {
	return mean.Stated{Quantity: "x", Mean: []float64{at}, Ranges: ranges, Variances: variances, Samples: 8000, Effect: 0.5,
		Sample: func(r *rand.Rand, dst []float64) error { dst[0] = r.Float64(); return nil }}
}

func drawn(l distribution.Distribution) verify.Check {
	return distribution.Check{Quantity: "x", Distribution: l, Samples: 80_000, Effect: 0.1,
		Sample: func(r *rand.Rand) (any, error) { return float64(r.IntN(3)), nil }}
}

// recheckChecks has checks of all methods, with both sorts of verdicts.
var recheckChecks = map[string]recheckKind{
	"an audit that refutes":       {flipAudit(flip{0.2, 0.6}, privacy.ApproximateDP(0.5, 0), false), privacy.AuditMethod, verify.Refuted},
	"an audit of (ε, δ)":          {flipAudit(flip{0.4, 0.5}, privacy.ApproximateDP(1, 0.05), false), privacy.AuditMethod, verify.Consistent},
	"an audit of ρ with a band":   {flipAudit(flip{0.4, 0.5}, privacy.ZeroConcentratedDP(0.5), true), privacy.AuditMethod, ""},
	"an audit of a curve":         {flipAudit(flip{0.2, 0.6}, privacy.GaussianDP(0.5), false), privacy.AuditMethod, verify.Refuted},
	"given events that refute":    {events(flip{0.2, 0.6}, 0.5), privacy.SampledMethod, verify.Refuted},
	"given events":                {events(flip{0.4, 0.5}, 1), privacy.SampledMethod, verify.Consistent},
	"a rate":                      {rate(false, false, verify.AtMost), mean.RateMethod, verify.Consistent},
	"a law of growth":             {rate(true, false, verify.AtMost), mean.RateMethod, ""},
	"bounds of means":             {rate(false, true, verify.AtMost), mean.RateMethod, verify.Refuted},
	"an order":                    {orders(0.9), mean.CompareMethod, verify.Consistent},
	"an order that does not hold": {orders(0.2), mean.CompareMethod, verify.Refuted},
	"a mean in a range":           {statedMean([][2]float64{{0, 1}}, nil, 0.5), mean.StatedMethod, verify.Consistent},
	"a mean of bounded variance":  {statedMean(nil, []float64{0.1}, 0.9), mean.StatedMethod, verify.Refuted},
	"a mean of nothing known":     {statedMean(nil, nil, 0.5), mean.StatedMethod, verify.Inconclusive},
	"a discrete law":              {drawn(distribution.Values(map[float64]float64{0: 1. / 3, 1: 1. / 3, 2: 1. / 3})), distribution.Method, verify.Consistent},
	"a law that is another":       {drawn(distribution.Values(map[float64]float64{0: 0.5, 1: 0.25, 2: 0.25})), distribution.Method, verify.Refuted},
	"a continuous law":            {drawn(distribution.Uniform(0, 3)), distribution.Method, verify.Refuted},
	"a factor": {mean.Unbiased{Claimed: 1, Effect: 0.5, Cells: []mean.UnbiasedCell{{Place: "d = 3", Target: []float64{1, 0, 0},
		Bound: 4, Samples: 80_000, Sample: func(r *rand.Rand, dst []float64) error {
			dst[0], dst[1], dst[2] = 2*r.Float64(), r.Float64()-0.5, r.Float64()-0.5
			return nil
		}}}}, mean.UnbiasedMethod, verify.Consistent},
}

const alpha = 1e-4

// reportOf returns a report of one claim, as JSON.
func reportOf(t *testing.T, check verify.Check) []byte {
	t.Helper()
	ledger, err := verify.NewLedger(verify.Claim{ID: "test/claim", Paper: "test", Source: "here", Statement: "it is so",
		Kind: verify.Privacy, Check: check, Control: verify.Control{Check: check, Want: []verify.Verdict{verify.Refuted}, Fault: "none"}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := ledger.Run(context.Background(), ledger.Claims(), verify.Options{Seed: 1, Alpha: alpha,
		Budget: verify.Quick, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := reports.JSON(&b, reports.Document{Run: run, Version: "v0"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// reportOfKind returns the report of a kind of check. Tests that change reports share it.
func reportOfKind(t *testing.T, name string) []byte {
	t.Helper()
	report, ok := kindReports.Load(name)
	if !ok {
		report, _ = kindReports.LoadOrStore(name, reportOf(t, allKinds()[name].check))
	}
	return report.([]byte)
}

var kindReports sync.Map

// allKinds returns the kinds of checks by name.
var allKinds = sync.OnceValue(func() map[string]recheckKind {
	all := trainingKinds()
	maps.Copy(all, recheckChecks)
	maps.Copy(all, otherKinds())
	return all
})

// of compares a report with its recomputed fields and with the known claims.
func recheckBytes(report []byte, known knownClaims) (recheckResult, error) {
	d, err := reports.ReadJSON(bytes.NewReader(report))
	if err != nil {
		return recheckResult{}, err
	}
	return recheckReport(context.Background(), recheckInput{Name: "report.json", Raw: report, Document: d, Version: "v0", Claims: known})
}

// isBroken reports whether a report is rejected or has a difference.
func isBroken(report []byte) bool {
	r, err := recheckBytes(report, knownClaims{})
	return err != nil || r.Err() != nil
}

// rechecked returns the outcome for the claim of a report.
func rechecked(t *testing.T, report []byte) recheckedClaim {
	t.Helper()
	r, err := recheckBytes(report, knownClaims{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Claims[0]
}

// An unchanged report is recomputed without a difference. After a change of any stored number by hand there is one.
func TestReportsAreJudgedAgain(t *testing.T) {
	all := trainingKinds()
	maps.Copy(all, recheckChecks)
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			report := reportOfKind(t, name)
			d, err := reports.ReadJSON(bytes.NewReader(report))
			if err != nil {
				t.Fatal(err)
			}
			all, err := recheckBytes(report, knownClaims{})
			if err != nil {
				t.Fatal(err)
			}
			got := all.Claims[0]
			if got.Standing != standingRecomputed || got.Method != c.method || all.Err() != nil || all.Open() != nil {
				t.Fatalf("%+v %v\n%s", got, all.Whole, report)
			}
			if v := d.Run.Results[0].Verdict; c.want != "" && v != c.want {
				t.Errorf("the verdict is %s, want %s", v, c.want)
			}
			every := 14                                                                // one change in fourteen, from another offset per check
			if strings.Contains(name, "band") || c.method == training.MultiRunMethod { // bands and exact distributions are slow
				every = 97
				if strings.Contains(name, "band") {
					every = 2 * 97
				}
			}
			if testutil.Asked() {
				every = 1
			}
			for i, place := range tampered(t, report) {
				if i%every == len(name)%every && !immaterial(place.path) && !isBroken(place.report()) {
					t.Errorf("%s: changed by hand, nothing is found", place.path)
				}
			}
		})
	}
}

// immaterial reports whether the verdict, the interval and the power of these checks may not depend on a stored
// statistic.
func immaterial(path string) bool {
	if strings.Contains(path, ".series[") { // series of means are only shown; series of scores are in the next test
		return true
	}
	facts, ok := strings.CutPrefix(path, ".basis.facts")
	for _, part := range []string{
		".certificates[1].",  // figures of the smaller pair that the counterexample does not show
		".scores[",           // sequential tests use the order of scores, not their distances
		".at_thresholds[",    // limits of a curve, if other limits are tighter
		".above[", ".below[", // thresholds that do not give the largest limit
		"_moments.",            // of scores with limit 0
		".guesses[", ".fixed[", // weaker numbers of guesses decide nothing
		".views[",                         // the weaker one of two tests decides nothing
		".sums.",                          // points that are not next to a limit
		".cuts[",                          // the end of a cell appears only in words
		".pilot[0]",                       // the grid within a range does not depend on the pilot
		".across.",                        // a search's bound across its direction, if another is smaller
		".error",                          // of computed values
		".squares",                        // of values with betting limits
		".x",                              // of bounds, which a report stores next to it
		".spread",                         // stored next to a bound on the variance
		".scale",                          // of values without known bounds
		".scores", ".most_rows", ".total", // power of a larger run, if it detects the effect
		".effect", ".effect_across", ".resolution", ".exponent", ".trivial", // requested, if less is detected
	} {
		if ok && strings.Contains(facts, part) {
			return true
		}
	}
	return false
}

// reportChange is a changed field of a report.
type reportChange struct {
	path   string
	report func() []byte // the changed report
}

// tampered returns the changes of one number, or of one count in a line of counts.
func tampered(t *testing.T, report []byte) (out []reportChange) {
	t.Helper()
	var whole map[string]any
	if err := json.Unmarshal(report, &whole); err != nil {
		t.Fatal(err)
	}
	emit := func(path string, set func(any), before, after any) {
		out = append(out, reportChange{path, func() []byte {
			set(after)
			defer set(before)
			raw, err := json.Marshal(whole)
			if err != nil {
				t.Fatal(err)
			}
			return raw
		}})
	}
	var walk func(path string, node any, set func(any))
	walk = func(path string, node any, set func(any)) {
		switch node := node.(type) {
		case map[string]any:
			for key, value := range node {
				walk(path+"."+key, value, func(x any) { node[key] = x })
			}
		case []any:
			for i, value := range node {
				walk(fmt.Sprintf("%s[%d]", path, i), value, func(x any) { node[i] = x })
			}
		case float64:
			another := node + 1
			if node != math.Trunc(node) {
				another = node * 1.01
			}
			emit(path, set, node, another)
		case string:
			if words := strings.Fields(node); len(words) > 3 && strings.Contains(words[3], ":") && strings.Contains(path, "facts") {
				changed := slices.Clone(words)
				changed[3] += "0" // ten times the count
				emit(path, set, node, strings.Join(changed, " "))
			}
		}
	}
	walk("", whole["claims"].([]any)[0], nil)
	slices.SortFunc(out, func(a, b reportChange) int { return strings.Compare(a.path, b.path) })
	return out
}

// Changed counts of the deciding test are found: they are not immaterial. A changed curve is found if it follows from
// counts.
func TestCountsThatDecideAreFound(t *testing.T) {
	for _, c := range []struct {
		name, path string
		want       int
	}{
		{"an audit that refutes", ".counts[", 2},
		{"canaries that refute", ".guesses[", 2},
		{"canaries that refute", ".series[", 150},
		{"canaries of μ of an event", ".fixed[", 6},
		{"runs that refute", "hits", 2},
		{"runs of an event", "hits", 4},
		{"bets on runs", ".levels[", 6},
		{"a pair that is found", ".certificates[0].facts.views[", 2},
		{"a pair that is found", ".certificates[1].facts.views[", 2},
		{"a pair that is found", ".search.", 1},
	} {
		found, of := 0, 0
		for _, place := range tampered(t, reportOfKind(t, c.name)) {
			if strings.Contains(place.path, c.path) && found < c.want {
				of++
				if isBroken(place.report()) {
					found++
				}
			}
		}
		if found < c.want {
			t.Errorf("%s: %d of the %d numbers of %s decide, want %d", c.name, found, of, c.path, c.want)
		}
	}
}

// A consistently changed report looks like another run. An impossible report is rejected.
func TestWhatCannotBeIsRefused(t *testing.T) {
	report := string(reportOfKind(t, "given events that refute"))
	for _, c := range []struct{ reason, old, new string }{
		{"another verdict", `"verdict": "refuted"`, `"verdict": "consistent"`},
		{"a method of another check", `"method": "privacy/events"`, `"method": "mean/rate"`},
		{"a larger share of alpha", `"basis": {`, `"basis": {"share": 2,`},
		{"more alpha than there is", `"alpha": 0.0001`, `"alpha": 0.00005`},
		{"a field that the method does not have", `"facts": {`, `"facts": {"other": 1,`},
		{"nothing but the method", `"facts": {`, `"lost": {`},
	} {
		changed := strings.Replace(report, c.old, c.new, 1)
		if changed == report {
			t.Fatalf("%s: %q is not in the report", c.reason, c.old)
		}
		if !isBroken([]byte(changed)) {
			t.Errorf("%s: nothing is found", c.reason)
		}
	}
	// Without its counts a claim is open, and the result says so.
	if c := rechecked(t, withoutFields(t, []byte(report), "basis")); c.Standing != standingOpen || c.Why == "" || len(c.Unchecked) == 0 {
		t.Errorf("%+v", c)
	}
}

// withoutFields returns a report whose claim lacks some fields.
func withoutFields(t *testing.T, report []byte, fields ...string) []byte {
	t.Helper()
	return changedReport(t, report, func(_, claim map[string]any) {
		for _, f := range fields {
			delete(claim, f)
		}
	})
}

// changedReport returns a report with a changed claim.
func changedReport(t *testing.T, report []byte, change func(whole, claim map[string]any)) []byte {
	t.Helper()
	var whole map[string]any
	if err := json.Unmarshal(report, &whole); err != nil {
		t.Fatal(err)
	}
	change(whole, whole["claims"].([]any)[0].(map[string]any))
	raw, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
