package privacy

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/eprocess"
	"github.com/dpverify/dpverify/verify/inputs"
)

// laplaceOf returns Laplace noise of the given ε on numbers.
func laplaceOf(epsilon float64) verify.Mechanism[float64, float64] {
	return releaseFunc[float64, float64](func(r *rand.Rand, x float64) (float64, error) {
		return x + (r.ExpFloat64()-r.ExpFloat64())/epsilon, nil
	})
}

// releaseFunc is a mechanism as a function.
type releaseFunc[D, O any] func(r *rand.Rand, input D) (O, error)

func (f releaseFunc[D, O]) Release(r *rand.Rand, input D) (O, error) { return f(r, input) }

// project is a sequence of runs of one claim.
type project[D, O any] struct {
	audit Audit[D, O]
	alpha float64
	seed  uint64
	runs  []eprocess.Run

	collects bool
}

// next adds a run and returns its evidence.
func (p *project[D, O]) next(t *testing.T, version string) verify.Evidence {
	t.Helper()
	id := strconv.Itoa(len(p.runs) + 1)
	bets := &eprocess.Bets{}
	bets.After(p.runs, "p/c", version)
	var outcome eprocess.Outcome
	check := eprocess.Check{Check: RunsAudit[D, O]{p.audit, bets}, Claim: "p/c", Version: version, Weight: 1, RunID: id, Start: 1,
		Collects: p.collects, Runs: p.runs, Bets: bets, Add: func(n eprocess.Outcome) { outcome = n }}
	e, err := verify.Judge(context.Background(), check, verify.Settings{Budget: verify.Standard, Alpha: p.alpha,
		Seed: empirical.NewSeed(p.seed).Derive(id)}, empirical.NewPool(1), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.runs = append(p.runs, eprocess.Run{ID: id, Start: 1, Known: len(p.runs), Claims: map[string]eprocess.Outcome{"p/c": outcome}})
	return e
}

func zeroOne() []inputs.Pair[float64] { return []inputs.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}} }

// A claim that holds with equality is refuted in at most a share alpha of the projects, over all of their runs. The
// control exceeds the claim, and is refuted.
func TestRunsOfSoundProjects(t *testing.T) {
	const alpha = 0.05
	projects, runs := testutil.Size(12, 400), testutil.Size(8, 60)
	for _, c := range []struct {
		epsilon float64
		sound   bool
	}{{1, true}, {1.5, false}} {
		refuted := int64(0)
		for seed := range projects {
			p := project[float64, float64]{alpha: alpha, seed: uint64(seed),
				audit: Audit[float64, float64]{Mechanism: laplaceOf(c.epsilon), Pairs: zeroOne(), Guarantee: ApproximateDP(1, 0), Samples: 256}}
			for range runs {
				if p.next(t, "v").Verdict == verify.Refuted {
					refuted++
					break
				}
			}
		}
		low, err := confidence.BinomialLower(refuted, int64(projects), 0.001)
		if err != nil {
			t.Fatal(err)
		}
		if c.sound && low > alpha || !c.sound && refuted < int64(projects)*9/10 {
			t.Errorf("ε = %g: %d of %d projects are refuted", c.epsilon, refuted, projects)
		}
	}
}

// A violation that begins after sound runs is refuted soon, with and without a new version, and the evidence names the
// run. A later, repaired version is not refuted.
func TestRunsFindANewFault(t *testing.T) {
	for _, version := range []string{"1", "2"} {
		p := project[float64, float64]{alpha: 0.01, seed: 3,
			audit: Audit[float64, float64]{Mechanism: laplaceOf(1), Pairs: zeroOne(), Guarantee: ApproximateDP(1, 0), Samples: 1000}}
		for range 6 {
			if e := p.next(t, "1"); e.Verdict == verify.Refuted {
				t.Fatalf("a sound run is refuted: %v", e.Warnings)
			}
		}
		p.audit.Mechanism = laplaceOf(1.4)
		var e verify.Evidence
		for e.Verdict != verify.Refuted && len(p.runs) < 12 {
			e = p.next(t, version)
		}
		if e.Verdict != verify.Refuted || !strings.Contains(strings.Join(e.Warnings, "\n"), "refuted by run "+p.runs[len(p.runs)-1].ID) {
			t.Errorf("version %s, %d runs: %s, %v", version, len(p.runs), e.Verdict, e.Warnings)
		}
		if again := p.next(t, version); again.Verdict != verify.Refuted {
			t.Errorf("the run after the refutation: %s", again.Verdict)
		}
		p.audit.Mechanism = laplaceOf(1)
		if e := p.next(t, "3"); e.Verdict == verify.Refuted || !strings.Contains(strings.Join(e.Warnings, "\n"), "another version") {
			t.Errorf("the repaired version: %s, %v", e.Verdict, e.Warnings)
		}
	}
}

// The event probability of the violation is 0.02, and only one of two pairs has it. Outputs are lists of words and
// numbers of different lengths.
func TestRunsBetOnAnyOutputs(t *testing.T) {
	m := releaseFunc[int, any](func(r *rand.Rand, x int) (any, error) {
		if x == 2 && r.Float64() < 0.02 {
			return []any{"error"}, nil
		}
		return []any{"fine", r.NormFloat64(), float64(r.IntN(3))}, nil
	})
	p := project[int, any]{alpha: 0.01, seed: 1, audit: Audit[int, any]{Mechanism: m, Guarantee: ApproximateDP(0.5, 0), Samples: 600,
		Pairs: []inputs.Pair[int]{{Name: "0 and 1", A: 0, B: 1}, {Name: "0 and 2", A: 0, B: 2}}}}
	var e verify.Evidence
	for e.Verdict != verify.Refuted && len(p.runs) < 10 {
		e = p.next(t, "v")
	}
	const pair = "the bets on the pair 0 and 2 have the largest product"
	if e.Verdict != verify.Refuted || !strings.Contains(strings.Join(e.Warnings, "\n"), pair) {
		t.Errorf("after %d runs: %s, %v", len(p.runs), e.Verdict, e.Warnings)
	}
	p.collects = true
	if e := p.next(t, "v"); e.Verdict != verify.Inconclusive || strings.Contains(strings.Join(e.Warnings, "\n"), pair) {
		t.Errorf("a run that collects: %s, %v; want no evidence", e.Verdict, e.Warnings)
	}
}

// A recomputed verdict is the same, and a changed factor changes it.
func TestRunsAreRecomputed(t *testing.T) {
	p := project[float64, float64]{alpha: 0.05, seed: 2,
		audit: Audit[float64, float64]{Mechanism: laplaceOf(2), Pairs: zeroOne(), Guarantee: ApproximateDP(1, 0), Samples: 500}}
	e := p.next(t, "v")
	again, err := e.Statistics.Judge(verify.Settings{Alpha: p.alpha, Budget: verify.Standard})
	if err != nil || again.Verdict != verify.Refuted || again.Verdict != e.Verdict || again.Upper != e.Upper {
		t.Fatalf("%s, recomputed %s, %v", e.Verdict, again.Verdict, err)
	}
	var stored map[string]any
	if err := json.Unmarshal(e.Statistics.Values, &stored); err != nil {
		t.Fatal(err)
	}
	factors := stored["runs"].([]any)[0].(map[string]any)["log_factors"].([]any)
	for i := range factors {
		factors[i] = 0.0
	}
	changed := *e.Statistics
	if changed.Values, err = json.Marshal(stored); err != nil {
		t.Fatal(err)
	}
	if again, err := changed.Judge(verify.Settings{Alpha: p.alpha, Budget: verify.Standard}); err != nil || again.Verdict == verify.Refuted {
		t.Errorf("with factors of 1: %s, %v", again.Verdict, err)
	}
}

// Damaged rows of an earlier run are an error.
func TestRunsRejectDamagedRows(t *testing.T) {
	for _, c := range []struct{ state, rows, want string }{
		{`[{"event": "x", "X": 3, "Y": 1, "N": 2}]`, `[]`, "want counts in [0, samples]"},
		{`[{"event": "x"}]`, `[]`, "want rows of 1 pairs"},
		{`[{"event": "x"}]`, `[{"width": [1, 1], "rows": ["AAAA", ""]}]`, "not numbers in base64"},
		{`{}`, `[]`, "the counts of an earlier run"},
		{`[]`, `[]`, "are for 0 pairs: want 1"},
	} {
		p := project[float64, float64]{audit: Audit[float64, float64]{Mechanism: laplaceOf(1), Pairs: zeroOne(), Guarantee: ApproximateDP(1, 0), Samples: 300}}
		a := RunsAudit[float64, float64]{p.audit, &eprocess.Bets{Earlier: []eprocess.Outcome{{State: json.RawMessage(c.state), Rows: json.RawMessage(c.rows)}}}}
		_, err := a.Prepare(context.Background(), verify.Settings{Alpha: 0.05, Budget: verify.Standard, Seed: empirical.NewSeed(1)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", c.state, c.rows, err, c.want)
		}
	}
}

// logistic is 1 with probability 1/(1 + e^(−x/2)), else 0.
var logistic = releaseFunc[int, int](func(r *rand.Rand, x int) (int, error) {
	if r.Float64() < 1/(1+math.Exp(-float64(x)/2)) {
		return 1, nil
	}
	return 0, nil
})

// logisticLoss returns the privacy loss between the inputs 0 and x at the event of a row.
func logisticLoss(t *testing.T, label string, x float64) float64 {
	t.Helper()
	switch {
	case strings.HasSuffix(label, "output ≤ 1"), strings.HasSuffix(label, "output ≥ 0"):
		return 0
	case strings.HasSuffix(label, "output ≤ 0"):
		return math.Log(0.5 * (1 + math.Exp(x/2)))
	case strings.HasSuffix(label, "output > 0"), strings.HasSuffix(label, "output ≥ 1"):
		return math.Log(2 / (1 + math.Exp(-x/2)))
	}
	t.Fatalf("unknown event in %q", label)
	return 0
}

// Each run certifies limits for an event of each pair. In at most a share alpha of the projects, a limit of any run is
// wrong. The control has intervals of a quarter of the length, and errs in at least half of the projects.
func TestRunsCertifyLimitsForEachPair(t *testing.T) {
	const alpha = 0.2
	projects, runs := testutil.Size(12, 200), testutil.Size(6, 20)
	missed := make(map[float64]int64) // by length
	for seed := range projects {
		p := project[int, int]{alpha: alpha, seed: uint64(seed), audit: Audit[int, int]{Guarantee: ApproximateDP(2, 0), Samples: 200,
			Mechanism: logistic, Pairs: []inputs.Pair[int]{{Name: "0 and 1", A: 0, B: 1}, {Name: "0 and 3", A: 0, B: 3}}}}
		outside := make(map[float64]bool)
		for range runs {
			e := p.next(t, "v")
			if len(e.Cells) != 2 || e.Samples != e.Cells[0].Samples+e.Cells[1].Samples {
				t.Fatalf("%d rows, %d samples: want one row for each pair, and all their samples", len(e.Cells), e.Samples)
			}
			for _, c := range e.Cells {
				x := 1.0
				if strings.HasPrefix(c.Label, "0 and 3") {
					x = 3
				}
				loss := logisticLoss(t, c.Label, x)
				for _, length := range []float64{1, 0.25} {
					low, high := c.Measured.X-length*(c.Measured.X-c.Lower.X), c.Measured.X+length*(c.Upper.X-c.Measured.X)
					outside[length] = outside[length] || loss < low-1e-9 || loss > high+1e-9
				}
			}
		}
		for length, out := range outside {
			if out {
				missed[length]++
			}
		}
	}
	low, err := confidence.BinomialLower(missed[1], int64(projects), 0.001)
	if err != nil {
		t.Fatal(err)
	}
	if low > alpha || missed[0.25] < int64(projects)/2 {
		t.Errorf("of %d projects, the limits err in %d and intervals of a quarter of the length in %d", projects, missed[1], missed[0.25])
	}
}

// The limits after all runs of a version err with probability at most alpha together, although the counted event
// changes. So the shares of the runs sum to at most 1.
func TestLimitsShareTheErrorOverAllEvents(t *testing.T) {
	p := project[float64, float64]{alpha: 0.05, seed: 4,
		audit: Audit[float64, float64]{Mechanism: laplaceOf(1), Pairs: zeroOne(), Guarantee: ApproximateDP(1, 0), Samples: 256}}
	sum := 0.0
	events := make(map[string]bool)
	for range 9 {
		e := p.next(t, "v")
		var stored struct {
			Run verify.SufficientStatistics `json:"run"`
		}
		if err := json.Unmarshal(e.Statistics.Values, &stored); err != nil {
			t.Fatal(err)
		}
		var counted []eventCount
		if err := json.Unmarshal(p.runs[len(p.runs)-1].Claims["p/c"].State, &counted); err != nil {
			t.Fatal(err)
		}
		events[counted[0].Event] = true
		sum += stored.Run.Share
	}
	if len(events) < 3 || !(sum > 0.4 && sum <= 1) {
		t.Errorf("the shares of %d events sum to %v, want at most 1", len(events), sum)
	}
}

// Bet has the same factors and rows as Prepare, on several pairs. It rejects a guarantee that every mechanism meets.
func TestBetIsThatOfPrepare(t *testing.T) {
	audit := Audit[float64, float64]{Mechanism: laplaceOf(1), Guarantee: ApproximateDP(1, 0), Samples: 256,
		Pairs: []inputs.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}, {Name: "1 and 0", A: 1, B: 0}}}
	s := verify.Settings{Alpha: 0.05, Budget: verify.Standard, Seed: empirical.NewSeed(1)}
	var earlier []eprocess.Outcome
	for range 3 {
		var all [2]eprocess.Bets
		for i := range all {
			all[i].Earlier = earlier
			a := RunsAudit[float64, float64]{audit, &all[i]}
			bet := a.Bet
			if i == 1 {
				bet = func(ctx context.Context, s verify.Settings) error { _, err := a.Prepare(ctx, s); return err }
			}
			if err := bet(context.Background(), s); err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(all[0].LogFactors, all[1].LogFactors) || string(all[0].Rows) != string(all[1].Rows) {
			t.Errorf("after %d runs: factors %v, want %v", len(earlier), all[0].LogFactors, all[1].LogFactors)
		}
		earlier = append(earlier, eprocess.Outcome{LogFactors: all[0].LogFactors, State: all[0].State, Rows: all[0].Rows})
		s.Seed = s.Seed.Derive("next")
	}
	audit.Guarantee = ApproximateDP(700, 0)
	err := RunsAudit[float64, float64]{audit, &eprocess.Bets{}}.Bet(context.Background(), s)
	if err == nil || !strings.Contains(err.Error(), "want one that bets can refute") {
		t.Errorf("ε = 700: %v", err)
	}
}
