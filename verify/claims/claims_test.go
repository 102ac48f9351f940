package claims

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/internal/testutil"
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

// judged is the ledger at seed 1: judged once for the tests of this package.
type judged struct {
	run    verify.Run
	trials map[string]verify.Trial // by the claim, of those that sample
	common *rng.Repeats            // the streams that began
}

var once = sync.OnceValues(func() (judged, error) {
	j := judged{trials: make(map[string]verify.Trial), common: new(rng.Repeats)}
	l, err := Ledger()
	if err != nil {
		return j, err
	}
	defer rng.Watch(j.common.Begun)()
	var mu sync.Mutex
	chosen := l.Claims()
	for i, c := range chosen {
		check := c.Check
		chosen[i].Check = verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
			trial, err := check.Prepare(ctx, s)
			if err == nil && trial != nil && trial.Plan().Shards > 0 {
				mu.Lock()
				defer mu.Unlock()
				j.trials[c.ID] = trial
			}
			return trial, err
		})
	}
	j.run, err = l.Run(context.Background(), chosen, options(1, 2))
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

// The verdicts are those recorded, and do not depend on the seed: of all claims in the long form
// and in .ci/run, which judges the ledger at seed 2, and of every sixteenth here, others whenever
// a claim is added.
func TestVerdicts(t *testing.T) {
	l, j := ledger(t), judgedOnce(t)
	checkResults(t, l, j.run.Results)
	checkBaseline(t, j.run)
	first := make(map[string]verify.Result)
	for _, r := range j.run.Results {
		first[r.Claim.ID] = r
	}
	var again []verify.Claim
	for i, c := range l.Claims() {
		if testutil.Asked() || testutil.Included() && (i+len(first))%16 == 0 {
			again = append(again, c)
		}
	}
	run, err := l.Run(context.Background(), again, options(2, 7))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range run.Results {
		if before := first[r.Claim.ID]; r.Verdict != before.Verdict {
			t.Errorf("%s: %s with seed 2, %s with seed 1", r.Claim.ID, r.Verdict, before.Verdict)
		}
	}
}

// part is the first three shards of a trial, as a sum of two has no order, with an eighth of their samples.
type part struct{ verify.Trial }

func (f part) Plan() empirical.Plan {
	p := f.Trial.Plan()
	p.Shards, p.SamplesPerShard = min(p.Shards, 3), max(1, p.SamplesPerShard/8)
	return p
}

// Done passes on the question to a trial that can have enough.
func (f part) Done(merged empirical.Tally) bool {
	s, ok := f.Trial.(empirical.Stopper)
	return ok && s.Done(merged)
}

// firstShard is a tenth of the first shard of a trial.
type firstShard struct{ verify.Trial }

func (f firstShard) Plan() empirical.Plan {
	p := f.Trial.Plan()
	p.Shards, p.SamplesPerShard = 1, max(1, p.SamplesPerShard/10)
	return p
}

// tally is what a trial counts on so many workers, in JSON.
func tally(t *testing.T, trial verify.Trial, seed uint64, id string, workers int) string {
	t.Helper()
	m, err := empirical.Run(context.Background(), trial, empirical.Options{Seed: empirical.NewSeed(seed).Derive("workers", id), Pool: empirical.NewPool(workers)})
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return string(text)
}

// The tally of every claim does not depend on the workers, to the last digit, in a part of the
// shards; in all where DPVERIFY_LONG is set. What is prepared and judged knows nothing of
// workers.
func TestWorkers(t *testing.T) {
	for id, trial := range judgedOnce(t).trials {
		sampled := verify.Trial(part{trial})
		if testutil.Asked() {
			sampled = trial
		}
		if one, many := tally(t, sampled, 1, id, 1), tally(t, sampled, 1, id, 4); one != many {
			t.Errorf("%s: other tallies on 4 workers (-1 worker +now):\n%s", id, cmp.Diff(one, many))
		}
	}
}

// moments are those of a tally whose other parts, the grids of betting, are filled with coins of
// their own; a tally without moments is taken whole.
var moments = regexp.MustCompile(`"Moments":[^}\]]*[}\]]`)

// Another seed gives other samples: a tally of few may be the same by chance, that of all
// shards is not, unless what is measured is 0 or infinite at any seed.
func TestSeeds(t *testing.T) {
	j := judgedOnce(t)
	for _, r := range j.run.Results {
		id, trial := r.Claim.ID, j.trials[r.Claim.ID]
		if trial == nil || r.Samples == 0 || math.IsInf(r.Measured.X, 0) || r.Measured.X == 0 {
			continue
		}
		drawn := func(sampled verify.Trial, seed uint64) []string {
			text := tally(t, sampled, seed, id, 1)
			if found := moments.FindAllString(text, -1); found != nil {
				return found
			}
			return []string{text}
		}
		same := func(sampled verify.Trial) bool { return slices.Equal(drawn(sampled, 1), drawn(sampled, 2)) }
		if same(firstShard{trial}) && same(trial) {
			t.Errorf("%s: the same tally under another seed", id)
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
	return a.Measured == b.Measured && a.Lower == b.Lower && a.Upper == b.Upper && a.WorstCase == b.WorstCase && slices.Equal(a.Cells, b.Cells)
}

// checkResults holds what must be true of every result.
func checkResults(t *testing.T, l *verify.Ledger, results []verify.Result) {
	t.Helper()
	byID := make(map[string]verify.Result)
	for _, r := range results {
		byID[r.Claim.ID] = r
	}
	notes, err := ReviewerNotes()
	if err != nil {
		t.Fatal(err)
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
		if r.Quantity == "" || r.Method == "" || r.WorstCase == "" {
			t.Errorf("%s: quantity %q, method %q, witness %q: all are needed", r.Claim.ID, r.Quantity, r.Method, r.WorstCase)
		}
		if r.Verdict == verify.Contradictory && r.Claim.Origin != verify.Stated {
			t.Errorf("%s is contradictory and its origin is %s: only stated claims contradict each other", r.Claim.ID, r.Claim.Origin)
		}
		t.Run(r.Claim.ID, func(t *testing.T) { checkSecondLook(t, r.Evidence) })
		explained := r.Claim.Corrected != "" || r.Claim.Origin == verify.Reading ||
			slices.ContainsFunc(notes, func(n verify.ReviewerNote) bool { return n.ID == r.Claim.ID })
		if (r.Verdict == verify.Refuted || r.Verdict == verify.Contradictory) && !explained {
			t.Errorf("%s is %s and has neither a corrected companion nor a remark", r.Claim.ID, r.Verdict)
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
		verify.Refuted: {false, true, false}, verify.Contradictory: {false, true, false}, verify.Vacuous: {false, true, false},
		verify.Inconclusive: {false, false, true},
	}[e.Verdict]
	x := e.Counterexample
	if got := [3]bool{e.Attempt != "", x.Label != "" && x.Choice != "", e.Needed != ""}; got != want {
		t.Errorf("%s with attempt %q, counterexample %+v, size %q", e.Verdict, e.Attempt, x, e.Needed)
	}
	for _, text := range []string{e.Attempt, e.Needed, x.Choice} {
		if strings.Contains(text, "%!") || strings.Contains(text, "NaN") {
			t.Errorf("a figure is missing in %q", text)
		}
	}
	across := strings.Contains(x.Label, "mean across X") // of an estimator: beside its factor, which the cell is of
	if x.Measured.Set && e.Verdict != verify.Vacuous && !across && !breaks(e.Sense, x.Cell) {
		t.Errorf("the counterexample at %s, %v [%v, %v], is none to %s %v", x.Label, x.Measured.X, x.Lower.X, x.Upper.X, e.Sense, x.Claimed.X)
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
	if testutil.Asked() {
		narrow = 0.01
	}
	seen := 0
	for _, c := range lemma2(t).Cells {
		if math.Abs(c.ExactValue.X-2) > 1e-9 {
			t.Errorf("%s: exact factor %v, want 2", c.Label, c.ExactValue.X)
		}
		if !strings.HasSuffix(c.Label, "ε=1") {
			continue
		}
		seen++
		width, most := (c.Upper.X-c.Lower.X)/c.ExactValue.X, narrow
		if strings.HasPrefix(c.Label, "d=123,") || strings.HasPrefix(c.Label, "d=784,") {
			most = 4 * narrow
		}
		if width > most || !(c.Lower.X <= 2 && 2 <= c.Upper.X) || c.Samples == 0 {
			t.Errorf("%s: [%v, %v] of %d samples, relative width %.4f, want at most %v around 2", c.Label, c.Lower.X, c.Upper.X, c.Samples, width, most)
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
	if !testutil.Asked() {
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

// A correction repairs a claim, and what repairs a claim is no statement at a setting.
func TestCorrectionsCorrect(t *testing.T) {
	ledger, err := Ledger()
	if err != nil {
		t.Fatal(err)
	}
	repaired := make(map[string]string)
	for _, c := range ledger.Claims() {
		repaired[c.Corrected] = c.ID
	}
	for _, c := range ledger.Claims() {
		if c.Origin == verify.Correction && repaired[c.ID] == "" {
			t.Errorf("%s is a correction of no claim", c.ID)
		}
	}
}

// Errata say everything that a reader needs, and answer for the claims that were about them.
func TestErrata(t *testing.T) {
	ledger, err := Ledger()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Papers() {
		for _, e := range p.Errata {
			for _, id := range e.Formerly {
				if !strings.Contains(ledger.Retired(id), e.Place) {
					t.Errorf("%s is not retired for the sake of %s", id, e.Place)
				}
			}
		}
	}
	whole := verify.Erratum{Place: "eq. (3)", Printed: "B", Meant: "B²", Reason: "eq. (4) has it", Bearing: "nothing"}
	lacking := whole
	lacking.Reason = ""
	if err := (notes{Errata: []verify.Erratum{whole}}).check("p"); err != nil {
		t.Error(err)
	}
	if err := (notes{Errata: []verify.Erratum{whole, lacking}}).check("p"); err == nil || !strings.Contains(err.Error(), "erratum 2") {
		t.Errorf("an erratum without a reason: %v", err)
	}
}
