package claims

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/longtest"
	"github.com/dpverify/dpverify/internal/streams"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

func ledger(t testing.TB) *verify.Ledger {
	t.Helper()
	l, err := Ledger()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func options(seed uint64, workers int) verify.Options {
	return verify.Options{Seed: seed, Alpha: verify.DefaultAlpha, Budget: verify.Quick, Workers: workers}
}

// Every check must be able to fail: its twin is judged the other way. One that several claims
// share is judged once, at the alpha and the seed of the first of them; of each anew in the
// long form.
func TestTwins(t *testing.T) {
	l := ledger(t)
	pool := empirical.NewPool(2)
	judge := func(c verify.Claim) func() (verify.Evidence, error) {
		return sync.OnceValues(func() (verify.Evidence, error) {
			s := verify.Settings{Budget: verify.Quick, Alpha: l.Alpha(c, verify.DefaultAlpha), Seed: empirical.NewSeed(1).Derive("twin", c.ID)}
			return verify.Judge(context.Background(), c.Twin.Check, s, pool, nil)
		})
	}
	common := make(map[verify.Check]func() (verify.Evidence, error))
	for _, c := range l.Claims() {
		twin := judge(c)
		if shared := reflect.ValueOf(c.Twin.Check).Kind() == reflect.Pointer; shared && !longtest.Asked() {
			if common[c.Twin.Check] == nil {
				common[c.Twin.Check] = twin
			}
			twin = common[c.Twin.Check]
		}
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			if c.Twin.Check == nil && untestable(t, c) {
				return
			}
			if c.Twin.Check == nil || len(c.Twin.Want) == 0 || c.Twin.Fault == "" {
				t.Fatal("the claim has no complete twin")
			}
			e, err := twin()
			if err != nil {
				t.Fatal(err)
			}
			checkSecondLook(t, e)
			if !slices.Contains(c.Twin.Want, e.Verdict) {
				t.Errorf("twin (%s): %s, want one of %v; measured %v against %v at %s",
					c.Twin.Fault, e.Verdict, c.Twin.Want, e.Measured.X, e.Claimed.X, e.Witness)
			}
		})
	}
}

// untestable tells whether nothing observable follows from a claim: it needs no twin.
func untestable(t *testing.T, c verify.Claim) bool {
	t.Helper()
	e, err := verify.Judge(context.Background(), c.Check, verify.Settings{Budget: verify.Quick, Alpha: 0.1}, empirical.NewPool(1), nil)
	return err == nil && e.Verdict == verify.Untestable
}

// judged is the ledger at seed 1 with one worker: judged once for the tests of this package.
type judged struct {
	run    verify.Run
	trials map[string]verify.Trial // by the claim, of those that sample
	drew   map[string]bool         // the claims that began a stream
	common *streams.Repeats        // what they began
}

var once = sync.OnceValues(func() (judged, error) {
	j := judged{trials: make(map[string]verify.Trial), drew: make(map[string]bool), common: new(streams.Repeats)}
	l, err := Ledger()
	if err != nil {
		return j, err
	}
	defer streams.Watch(j.common.Begun)()
	chosen := slices.Clone(l.Claims())
	for i, c := range chosen {
		check := c.Check
		chosen[i].Check = verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
			trial, err := check.Prepare(ctx, s)
			if err == nil && trial != nil && trial.Plan().Shards > 0 {
				j.trials[c.ID] = trial
			}
			return trial, err
		})
	}
	o, begun := options(1, 1), 0
	o.Progress = func(p verify.Progress) { // one worker: a claim after the other
		if p.Finished {
			j.drew[p.Claim], begun = j.common.Len() > begun, j.common.Len()
		}
	}
	j.run, err = l.Run(context.Background(), chosen, o)
	return j, err
})

func judgedOnce(t *testing.T) judged {
	t.Helper()
	j, err := once()
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// The claims that take a second and more: their verdicts at another seed are for the long form,
// and for .ci/run, which judges the ledger at seed 2.
var dear = []string{
	"prestige/lemma-2", "prestige/lemma-2/corrected", "prestige/thm-1", "laplace-sgd/learning-rate/variance",
	"nonconvex/def-8", "nonconvex/def-8/literal", "nonconvex/def-8/literal/corrected", "nonconvex/thm-5/dimension",
	"nonconvex/experiments/iterations", "nonconvex/experiments/trends", "nonconvex/experiments/trends/size",
	"nonconvex/experiments/comparison/synthetic/subgradient", "nonconvex/experiments/comparison/synthetic/zhang",
}

// The verdicts are those recorded, and do not depend on the seed. A claim that draws nothing
// at one seed computes the same at any.
func TestVerdicts(t *testing.T) {
	l, j := ledger(t), judgedOnce(t)
	checkResults(t, l, j.run.Results)
	checkBaseline(t, j.run)
	first := make(map[string]verify.Result)
	for _, r := range j.run.Results {
		first[r.Claim.ID] = r
	}
	draws := slices.DeleteFunc(slices.Clone(l.Claims()), func(c verify.Claim) bool { return !j.drew[c.ID] })
	if len(draws) == 0 || len(draws) == len(first) {
		t.Errorf("%d of %d claims draw: some do, some compute", len(draws), len(first))
	}
	if !longtest.Asked() {
		for _, id := range dear {
			if !j.drew[id] {
				t.Errorf("%s is listed among the dear claims and draws nothing", id)
			}
		}
		draws = slices.DeleteFunc(draws, func(c verify.Claim) bool { return slices.Contains(dear, c.ID) })
	}
	run, err := l.Run(context.Background(), draws, options(2, 7))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range run.Results {
		id := r.Claim.ID
		if r.Verdict != first[id].Verdict {
			t.Errorf("%s: %s with seed 2, %s with seed 1", id, r.Verdict, first[id].Verdict)
		}
		if r.Samples > 0 && r.Measured == first[id].Measured && !math.IsInf(r.Measured.X, 0) && r.Measured.X != 0 {
			t.Errorf("%s: the same measured value under another seed", id)
		}
	}
}

// firstShards are the first shards of a trial, as many as there are workers.
type firstShards struct{ verify.Trial }

func (f firstShards) Plan() empirical.Plan {
	p := f.Trial.Plan()
	p.Shards = min(p.Shards, 4)
	return p
}

// Done passes on the question to a trial that can have enough.
func (f firstShards) Done(merged empirical.Tally) bool {
	s, ok := f.Trial.(empirical.Stopper)
	return ok && s.Done(merged)
}

// The tally of every claim does not depend on the workers, to the last digit, in the first
// four shards; in all where DPVERIFY_LONG is set. What is prepared and judged knows nothing
// of workers.
func TestWorkers(t *testing.T) {
	for id, trial := range judgedOnce(t).trials {
		sampled := verify.Trial(firstShards{trial})
		if longtest.Asked() {
			sampled = trial
		}
		tally := func(workers int) string {
			m, err := empirical.Run(context.Background(), sampled, empirical.Options{Seed: empirical.NewSeed(1).Derive("workers", id), Pool: empirical.NewPool(workers)})
			if err != nil {
				t.Fatalf("%s: %v", id, err)
			}
			text, err := json.Marshal(m)
			if err != nil {
				t.Fatalf("%s: %v", id, err)
			}
			return string(text)
		}
		if one, many := tally(1), tally(4); one != many {
			t.Errorf("%s: other tallies on 4 workers (-1 worker +now):\n%s", id, cmp.Diff(one, many))
		}
	}
}

var update = flag.Bool("update", false, "write the baseline anew")

// readBaseline reads the recorded verdicts.
func readBaseline(t *testing.T) (path string, data []byte, recorded reports.Baseline) {
	t.Helper()
	path = filepath.Join("..", "..", "testdata", "baseline.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if recorded, err = reports.ReadBaseline(bytes.NewReader(data)); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return path, data, recorded
}

// Whose statement a claim is, and where it stands, is said of all of them.
func TestClaimsHaveOrigins(t *testing.T) {
	of := make(map[verify.Origin]int)
	for _, c := range ledger(t).Claims() {
		if of[c.Origin]++; c.Origin == "" || c.Place == "" {
			t.Errorf("%s has no origin or no place: whose statement is it?", c.ID)
		}
	}
	for _, o := range verify.Origins {
		if of[o] == 0 {
			t.Errorf("no claim is %s", o)
		}
	}
}

// A new claim is told at once that it has no recorded verdict, not after all are judged.
func TestBaselineHasEveryClaim(t *testing.T) {
	if *update {
		t.Skip("-update: TestVerdicts writes the rows that this would miss")
	}
	path, _, recorded := readBaseline(t)
	for _, c := range ledger(t).Claims() {
		if !slices.ContainsFunc(recorded.Claims, func(k reports.BaselineClaim) bool { return k.ID == c.ID }) {
			t.Errorf("%s has no row in %s: look at its verdict (dpverify verify %s --budget quick), then `go test ./verify/claims -run TestVerdicts -update` writes the row", c.ID, path, c.ID)
		}
	}
}

// checkBaseline holds the verdicts against the recorded ones: a verdict that moves
// is a change to be looked at. What needs data keeps what was recorded with it.
func checkBaseline(t *testing.T, run verify.Run) {
	t.Helper()
	path, data, recorded := readBaseline(t)
	now, err := reports.NewBaseline(run, recorded)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := now.Write(&b); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(string(data), b.String()); diff != "" {
		t.Errorf("verdicts at the quick budget are not those of %s; if they are right, run this test with -update (-recorded +now):\n%s", path, diff)
	}
}

func sameFigures(a, b verify.Evidence) bool {
	return a.Measured == b.Measured && a.Lower == b.Lower && a.Upper == b.Upper && a.Witness == b.Witness && slices.Equal(a.Cells, b.Cells)
}

// checkResults holds what must be true of every result.
func checkResults(t *testing.T, l *verify.Ledger, results []verify.Result) {
	t.Helper()
	byID := make(map[string]verify.Result)
	for _, r := range results {
		byID[r.Claim.ID] = r
	}
	for _, r := range results {
		if r.Verdict == verify.Error || !slices.Contains(verify.Verdicts, r.Verdict) {
			t.Errorf("%s: verdict %s: %v", r.Claim.ID, r.Verdict, r.Warnings)
		}
		if r.Verdict == verify.Untestable || r.Verdict == verify.NotRun {
			if r.Method == "" && len(r.Warnings) == 0 {
				t.Errorf("%s is %s, without a reason", r.Claim.ID, r.Verdict)
			}
			continue
		}
		if r.Quantity == "" || r.Method == "" || r.Witness == "" {
			t.Errorf("%s: quantity %q, method %q, witness %q: all are needed", r.Claim.ID, r.Quantity, r.Method, r.Witness)
		}
		t.Run(r.Claim.ID, func(t *testing.T) { checkSecondLook(t, r.Evidence) })
		if (r.Verdict == verify.Refuted || r.Verdict == verify.Inconsistent) && r.Claim.Corrected == "" && !strings.HasSuffix(r.Claim.ID, "/corrected") {
			t.Errorf("%s is %s and has no corrected companion", r.Claim.ID, r.Verdict)
		}
		if c := r.Claim.Corrected; c != "" {
			if v := byID[c].Verdict; v != verify.Holds && v != verify.Consistent {
				t.Errorf("%s corrects %s and is %s", c, r.Claim.ID, v)
			}
		}
		if strings.HasSuffix(r.Claim.ID, "/corrected") && r.Verdict != verify.Holds && r.Verdict != verify.Consistent {
			t.Errorf("%s is %s", r.Claim.ID, r.Verdict)
		}
	}
}

// checkSecondLook holds what stands behind a verdict: an attempt for what stands, a case
// that breaks it for what does not, a size for what is open, and nothing else.
func checkSecondLook(t *testing.T, e verify.Evidence) {
	t.Helper()
	want := map[verify.Verdict][3]bool{
		verify.Holds: {true, false, false}, verify.Consistent: {true, false, false},
		verify.Refuted: {false, true, false}, verify.Inconsistent: {false, true, false}, verify.Vacuous: {false, true, false},
		verify.Inconclusive: {false, false, true},
	}[e.Verdict]
	x := e.Counterexample
	if got := [3]bool{e.Attempt != "", x.At != "" && x.Choice != "", e.Needed != ""}; got != want {
		t.Errorf("%s with attempt %q, counterexample %+v, size %q", e.Verdict, e.Attempt, x, e.Needed)
	}
	for _, text := range []string{e.Attempt, e.Needed, x.Choice} {
		if strings.Contains(text, "%!") || strings.Contains(text, "NaN") {
			t.Errorf("a figure is missing in %q", text)
		}
	}
	if x.Measured.Set && e.Verdict != verify.Vacuous && !breaks(e.Sense, x.Cell) {
		t.Errorf("the counterexample at %s, %v [%v, %v], is none to %s %v", x.At, x.Measured.X, x.Lower.X, x.Upper.X, e.Sense, x.Claimed.X)
	}
}

// breaks tells whether the whole interval of a cell is against what is claimed. An interval
// from betting is open where it ends at the claimed value, which was refuted.
func breaks(s verify.Sense, c verify.Cell) bool {
	lower, upper, claimed := c.Measured.X, c.Measured.X, c.Claimed.X
	if c.ExactValue.Set {
		lower, upper = c.ExactValue.X, c.ExactValue.X
	} else if c.Lower.Set && c.Upper.Set {
		lower, upper = c.Lower.X, c.Upper.X
	}
	switch s {
	case verify.AtMost:
		return lower > claimed || lower == claimed && c.Measured.X > claimed
	case verify.Below:
		return lower >= claimed
	case verify.AtLeast:
		return upper < claimed
	case verify.Above:
		return upper <= claimed
	}
	return lower > claimed || upper < claimed
}

// Lemma 2: the factor is 2 whatever the dimension, and the intervals are as narrow as
// promised: 1 % at the standard budget, 4 % in high dimensions, and √8 times as much at
// the quick one, which has an eighth of the samples. The width is not random to speak
// of, so that either budget sees a loss of a quarter of the samples or more.
func TestLemma2(t *testing.T) {
	if testing.Short() {
		t.Skip("samples for some seconds; run without -short")
	}
	narrow := 0.01 * math.Sqrt(8)
	if longtest.Asked() {
		narrow = 0.01
	}
	seen := 0
	for _, c := range lemma2(t).Cells {
		if math.Abs(c.ExactValue.X-2) > 1e-9 {
			t.Errorf("%s: exact factor %v, want 2", c.At, c.ExactValue.X)
		}
		if !strings.HasSuffix(c.At, "ε=1") {
			continue
		}
		seen++
		width, most := (c.Upper.X-c.Lower.X)/c.ExactValue.X, narrow
		if strings.HasPrefix(c.At, "d=123,") || strings.HasPrefix(c.At, "d=784,") {
			most = 4 * narrow
		}
		if width > most || !(c.Lower.X <= 2 && 2 <= c.Upper.X) || c.Samples == 0 {
			t.Errorf("%s: [%v, %v] of %d samples, relative width %.4f, want at most %v around 2", c.At, c.Lower.X, c.Upper.X, c.Samples, width, most)
		}
	}
	if seen != 6 {
		t.Errorf("%d cells at ε = 1, want one for each of the six dimensions", seen)
	}
}

// lemma2 is the evidence on lemma 2: of the ledger that was judged for all tests, or at the
// standard budget in the long form.
func lemma2(t *testing.T) verify.Evidence {
	t.Helper()
	const id = "prestige/lemma-2"
	if !longtest.Asked() {
		results := judgedOnce(t).run.Results
		return results[slices.IndexFunc(results, func(r verify.Result) bool { return r.Claim.ID == id })].Evidence
	}
	l, o := ledger(t), options(1, 2)
	o.Budget = verify.Standard
	chosen, err := l.Select(id)
	if err != nil {
		t.Fatal(err)
	}
	run, err := l.Run(context.Background(), chosen[:1], o)
	if err != nil {
		t.Fatal(err)
	}
	return run.Results[0].Evidence
}
