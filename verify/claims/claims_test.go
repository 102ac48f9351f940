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

// judged holds the results of all claims at seed 1, which the tests of this package share.
type judged struct {
	run    verify.Run
	trials map[string]verify.Trial // trials that sample, by claim id
	common *rng.Repeats            // random streams that began during the run
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

// Verdicts equal the recorded ones and do not depend on the seed. The long form compares the seeds 1 and 2 for all
// claims, the short form for every sixteenth claim; .ci/run judges all claims at seed 2.
func TestVerdicts(t *testing.T) {
	l, j := ledger(t), judgedOnce(t)
	checkResults(t, l, j.run.Results)
	checkBaseline(t, j.run)
	first := make(map[string]verify.Result)
	for _, r := range j.run.Results {
		first[r.Claim.ID] = r
	}
	var repeated []verify.Claim
	for i, c := range l.Claims() {
		if testutil.Asked() || testutil.Included() && (i+len(first))%16 == 0 {
			repeated = append(repeated, c)
		}
	}
	run, err := l.Run(context.Background(), repeated, options(2, 7))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range run.Results {
		if before := first[r.Claim.ID]; r.Verdict != before.Verdict {
			t.Errorf("%s: %s with seed 2, %s with seed 1", r.Claim.ID, r.Verdict, before.Verdict)
		}
	}
}

// part limits a trial to its first three shards, each with an eighth of its samples. Two shards would not show a
// dependence on the order of summation.
type part struct{ verify.Trial }

func (f part) Plan() empirical.Plan {
	p := f.Trial.Plan()
	p.Shards, p.SamplesPerShard = min(p.Shards, 3), max(1, p.SamplesPerShard/8)
	return p
}

// Done reports whether the trial can stop early with the merged tally.
func (f part) Done(merged empirical.Tally) bool {
	s, ok := f.Trial.(empirical.Stopper)
	return ok && s.Done(merged)
}

// firstShard limits a trial to its first shard, with a tenth of the samples.
type firstShard struct{ verify.Trial }

func (f firstShard) Plan() empirical.Plan {
	p := f.Trial.Plan()
	p.Shards, p.SamplesPerShard = 1, max(1, p.SamplesPerShard/10)
	return p
}

// tally runs a trial on the given number of workers and returns its tally as JSON.
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

// The number of workers does not change any digit of a tally. The test runs a part of the shards, or all of them if
// DPVERIFY_LONG is set. Prepare and Judge do not use workers.
func TestWorkers(t *testing.T) {
	for id, trial := range judgedOnce(t).trials {
		sampled := verify.Trial(part{trial})
		if testutil.Asked() {
			sampled = trial
		}
		if one, many := tally(t, sampled, 1, id, 1), tally(t, sampled, 1, id, 4); one != many {
			t.Errorf("%s: 4 workers give a different tally (-1 worker +4 workers):\n%s", id, cmp.Diff(one, many))
		}
	}
}

// moments matches the sample moments in a tally. Tallies of sequential tests also contain grids that use their own
// random bits, so that only the moments show whether the samples differ.
var moments = regexp.MustCompile(`"Moments":[^}\]]*[}\]]`)

// A different seed gives different samples. The tallies of a few samples can be equal by chance, so the test then
// compares all shards. It skips claims whose measured value is 0 or infinite at every seed.
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
			t.Errorf("%s: seeds 1 and 2 give the same tally", id)
		}
	}
}

var update = flag.Bool("update", false, "rewrite the recorded verdicts and the sample report")

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

// Every claim has an origin and a place in its paper, and every origin occurs.
func TestClaimsHaveOrigins(t *testing.T) {
	count := make(map[verify.Origin]int)
	for _, c := range ledger(t).Claims() {
		if count[c.Origin]++; c.Origin == "" || c.Place == "" {
			t.Errorf("%s: origin %q and place %q, want both", c.ID, c.Origin, c.Place)
		}
	}
	for _, o := range verify.Origins {
		if count[o] == 0 {
			t.Errorf("no claim has the origin %s", o)
		}
	}
}

// Every claim has a recorded verdict. This test fails before TestVerdicts has judged all claims.
func TestBaselineHasEveryClaim(t *testing.T) {
	if *update {
		t.Skip("-update: TestVerdicts writes the rows that this would miss")
	}
	path, _, recorded := readBaseline(t)
	for _, c := range ledger(t).Claims() {
		if !slices.ContainsFunc(recorded.Claims, func(k reports.BaselineClaim) bool { return k.ID == c.ID }) {
			t.Errorf("%s has no row in %s: check its verdict (dpverify verify %s --budget quick), then write the row with `go test ./verify/claims -run TestVerdicts -update`", c.ID, path, c.ID)
		}
	}
}

// checkBaseline compares the verdicts with the recorded ones. Claims that need data keep their recorded verdicts.
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
		t.Errorf("verdicts at the quick budget differ from %s; if the new ones are right, run this test with -update (-recorded +now):\n%s", path, diff)
	}
}

func sameFigures(a, b verify.Evidence) bool {
	return a.Measured == b.Measured && a.Lower == b.Lower && a.Upper == b.Upper && a.WorstCase == b.WorstCase && slices.Equal(a.Cells, b.Cells)
}

// checkResults checks the requirements on every result: a valid verdict, the texts that it needs, and a true correction
// or a reviewer note for each false claim.
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
				t.Errorf("%s is %s and has no reason", r.Claim.ID, r.Verdict)
			}
			continue
		}
		if r.Quantity == "" || r.Method == "" || r.WorstCase == "" {
			t.Errorf("%s: quantity %q, method %q, worst case %q, want all three", r.Claim.ID, r.Quantity, r.Method, r.WorstCase)
		}
		if r.Verdict == verify.Contradictory && r.Claim.Origin != verify.Stated {
			t.Errorf("%s is contradictory and its origin is %s: only stated claims contradict each other", r.Claim.ID, r.Claim.Origin)
		}
		t.Run(r.Claim.ID, func(t *testing.T) { checkSecondLook(t, r.Evidence) })
		explained := r.Claim.Corrected != "" || r.Claim.Origin == verify.Reading ||
			slices.ContainsFunc(notes, func(n verify.ReviewerNote) bool { return n.ID == r.Claim.ID })
		if (r.Verdict == verify.Refuted || r.Verdict == verify.Contradictory) && !explained {
			t.Errorf("%s is %s and has neither a correction nor a reviewer note", r.Claim.ID, r.Verdict)
		}
		if c := r.Claim.Corrected; c != "" {
			if v := byID[c].Verdict; v != verify.Holds && v != verify.Consistent {
				t.Errorf("%s, the correction of %s, is %s", c, r.Claim.ID, v)
			}
		}
		if strings.HasSuffix(r.Claim.ID, "/corrected") && r.Verdict != verify.Holds && r.Verdict != verify.Consistent {
			t.Errorf("%s is %s", r.Claim.ID, r.Verdict)
		}
	}
}

// checkSecondLook checks what supports a verdict: the attempted refutation of an accepted claim, the counterexample to
// a rejected one, or the sample size that an inconclusive claim needs, and nothing else.
func checkSecondLook(t *testing.T, e verify.Evidence) {
	t.Helper()
	want := map[verify.Verdict][3]bool{
		verify.Holds: {true, false, false}, verify.Consistent: {true, false, false},
		verify.Refuted: {false, true, false}, verify.Contradictory: {false, true, false}, verify.Vacuous: {false, true, false},
		verify.Inconclusive: {false, false, true},
	}[e.Verdict]
	x := e.Counterexample
	if got := [3]bool{e.Attempt != "", x.Label != "" && x.Choice != "", e.Needed != ""}; got != want {
		t.Errorf("%s has attempt %q, counterexample %+v, needed size %q", e.Verdict, e.Attempt, x, e.Needed)
	}
	for _, text := range []string{e.Attempt, e.Needed, x.Choice} {
		if strings.Contains(text, "%!") || strings.Contains(text, "NaN") {
			t.Errorf("%q lacks a number", text)
		}
	}
	// The cell of an estimator holds its factor, but this counterexample is its mean orthogonal to X.
	across := strings.Contains(x.Label, "mean across X")
	if x.Measured.Set && e.Verdict != verify.Vacuous && !across && !breaks(e.Sense, x.Cell) {
		t.Errorf("counterexample at %s: %v [%v, %v] does not contradict %s %v", x.Label, x.Measured.X, x.Lower.X, x.Upper.X, e.Sense, x.Claimed.X)
	}
}

// breaks reports whether the whole interval of a cell contradicts the claimed value. An interval from a sequential test
// that ends at the claimed value excludes this end, because the test rejected it.
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

// Lemma 2: the factor is 2 in every dimension. The relative width of its intervals is at most 1 % at the standard
// budget, or 4 % in high dimensions. At the quick budget, which has an eighth of the samples, it is √8 times that. The
// width varies little, so the test detects a loss of a quarter of the samples at either budget.
func TestLemma2(t *testing.T) {
	if testing.Short() {
		t.Skip("samples for several seconds; run without -short")
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
		width, maxWidth := (c.Upper.X-c.Lower.X)/c.ExactValue.X, narrow
		if strings.HasPrefix(c.Label, "d=123,") || strings.HasPrefix(c.Label, "d=784,") {
			maxWidth = 4 * narrow
		}
		if width > maxWidth || !(c.Lower.X <= 2 && 2 <= c.Upper.X) || c.Samples == 0 {
			t.Errorf("%s: [%v, %v] of %d samples, relative width %.4f, want at most %v and 2 in the interval", c.Label, c.Lower.X, c.Upper.X, c.Samples, width, maxWidth)
		}
	}
	if seen != 6 {
		t.Errorf("%d cells at ε = 1, want 6, one per dimension", seen)
	}
}

// lemma2 returns the evidence on Lemma 2: from the shared run, or at the standard budget in the long form.
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

// Every claim with the origin "correction" is the correction of some claim.
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
			t.Errorf("%s has the origin correction, but no claim names it as its correction", c.ID)
		}
	}
}

// Errata are complete, and the claims that they replace are retired with the erratum's place as the reason.
func TestErrata(t *testing.T) {
	ledger, err := Ledger()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range Papers() {
		for _, e := range p.Errata {
			for _, id := range e.Formerly {
				if !strings.Contains(ledger.Retired(id), e.Place) {
					t.Errorf("%s: reason for retirement %q does not name the erratum at %s", id, ledger.Retired(id), e.Place)
				}
			}
		}
	}
	complete := verify.Erratum{Place: "eq. (3)", Printed: "B", Meant: "B²", Reason: "eq. (4) has it", Bearing: "nothing"}
	incomplete := complete
	incomplete.Reason = ""
	if err := (notes{Errata: []verify.Erratum{complete}}).check("p"); err != nil {
		t.Error(err)
	}
	if err := (notes{Errata: []verify.Erratum{complete, incomplete}}).check("p"); err == nil || !strings.Contains(err.Error(), "erratum 2") {
		t.Errorf("erratum without a reason: error %v, want one about erratum 2", err)
	}
}
