package eprocess

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/testutil"
)

// rare returns an outcome of a claim that holds with equality: the factor is 100 with probability 1/100, and otherwise
// almost 0.
func rare(r *rand.Rand) Outcome {
	if r.IntN(100) == 0 {
		return outcome("v", math.Log(100))
	}
	return outcome("v", -30)
}

// A machine decides every night. Before it decides, it merges the run of a machine that only collects and that began
// with an empty file. The ids of these runs fall. A sound claim is refuted with probability at most alpha. If such a run
// counted before the runs that had decided without it, each night would be a new first run, and the projects of the
// control would be refuted too often.
func TestMergedRunsCountAfterEarlierDecisions(t *testing.T) {
	const alpha, nights = 0.05, 60
	projects := testutil.Size(150, 5000)
	refuted, control := int64(0), int64(0)
	for project := range projects {
		r := rand.New(rand.NewPCG(5, uint64(project)))
		var runs []Run
		hit, hitControl := false, false
		for n := range nights {
			collected := rare(r)
			runs = append(runs, Run{ID: fmt.Sprintf("c%03d", nights-n), Start: 1, Collects: true,
				Claims: map[string]Outcome{"a": collected}})
			inOrder(runs)
			runs = append(runs, Run{ID: fmt.Sprint(n), Start: 1, Known: 2*n + 1, Merged: unmerged(runs),
				Claims: map[string]Outcome{"a": rare(r)}})
			inOrder(runs)
			hit = hit || WealthOf(runs, "a", 1)[0].Reached(-math.Log(alpha)) != ""
			if n == 0 {
				hitControl = hit
			}
			begun := Stake(1, 1) * math.Exp(collected.LogFactors[0])
			hitControl = hitControl || begun >= 1/alpha
		}
		if hit {
			refuted++
		}
		if hitControl {
			control++
		}
		if forks := Forks(runs); forks != nil {
			t.Fatalf("forks %v of a single machine that decides", forks)
		}
	}
	for name, n := range map[string]int64{"merged": refuted, "control": control} {
		low, err := confidence.BinomialLower(n, int64(projects), 0.001)
		if err != nil {
			t.Fatal(err)
		}
		if (low <= alpha) != (name == "merged") {
			t.Errorf("%s: %d of %d sound projects are refuted, at least %.3f", name, n, projects, low)
		}
		t.Logf("%s: %d of %d sound projects are refuted", name, n, projects)
	}
}

// What a machine decided with stays as it was when it decided, whatever runs are merged later. Runs that no decision
// has used count at the end, and only together.
func TestLaterRunsLeaveEarlierDecisions(t *testing.T) {
	runs := chain(outcome("v", 1), outcome("v", -1), outcome("v", 2))
	want := WealthOf(runs, "a", 1)[0].Log
	collecting := func(id string, known int, log float64) Run {
		return Run{ID: id, Start: 1, Known: known, Collects: true, Claims: map[string]Outcome{"a": outcome("v", log)}}
	}
	merged, err := Union(runs, []Run{collecting("0", 0, 9), collecting("00", 1, -9)})
	if err != nil {
		t.Fatal(err)
	}
	w := WealthOf(merged, "a", 1)[0]
	if diff := cmp.Diff(want, w.Log[:3]); diff != "" {
		t.Errorf("the decided runs (-before +after):\n%s", diff)
	}
	if run := w.Reached(2); run != "" {
		t.Errorf("run %s reached the needed evidence, but a later collecting run lost it", run)
	}
	if got := unmerged(merged); !slices.Equal(got, []runKey{{1, "0"}, {1, "00"}}) {
		t.Errorf("unmerged runs %v", got)
	}
	next := Run{ID: "next", Start: 1, Known: 5, Merged: unmerged(merged), Claims: map[string]Outcome{"a": outcome("v", 0)}}
	all, err := Union([]Run{next}, merged)
	if err != nil {
		t.Fatal(err)
	}
	if got := WealthOf(all, "a", 1)[0]; !slices.Equal(got.Runs, []string{"1", "2", "3", "0", "00", "next"}) ||
		got.Reached(2) != "0" {
		t.Errorf("after the next decision: runs %v, reached by %q", got.Runs, got.Reached(2))
	}
	if got := unmerged(all); got != nil {
		t.Errorf("unmerged runs %v after the decision", got)
	}
	// A branch that decided without run 3, after a collecting run, is a fork.
	branch := Run{ID: "branch", Start: 1, Known: 3, Merged: []runKey{{1, "c"}}, Claims: next.Claims}
	forked, err := Union(runs, []Run{collecting("c", 2, 0), branch})
	if err != nil {
		t.Fatal(err)
	}
	if got := Forks(forked); !slices.Equal(got, []string{"3", "branch"}) {
		t.Errorf("forks %v", got)
	}
}

// A collecting run of a lost start may be merged into a later start. The earlier decisions of the later start stay as
// they were, and its next decision counts the run.
func TestCollectedRunsOfALostStart(t *testing.T) {
	run := func(start int, id string, known int, log float64) Run {
		return Run{ID: id, Start: start, Known: known, Claims: map[string]Outcome{"a": outcome("v", log)}}
	}
	runs := []Run{run(1, "1", 0, 1), run(2, "2", 0, -1), run(2, "3", 1, 0.5)}
	want := WealthOf(runs, "a", 1)[0].Log
	late := run(1, "late", 1, 9)
	late.Collects = true
	merged, err := Union([]Run{late}, runs)
	if err != nil {
		t.Fatal(err)
	}
	if w := WealthOf(merged, "a", 1)[0]; !slices.Equal(w.Log[:3], want) || !w.Open[3] {
		t.Errorf("the decided runs had the evidence %v before the merge, and %v after it; open: %v", want, w.Log[:3], w.Open)
	}
	next := next(merged, 2, "4", false)
	next.Claims = runs[1].Claims
	all, err := Union([]Run{next}, merged)
	if err != nil {
		t.Fatal(err)
	}
	w := WealthOf(all, "a", 1)[0]
	if order := []string{"1", "2 of start 2", "3 of start 2", "late", "4 of start 2"}; !slices.Equal(w.Runs, order) ||
		!slices.Equal(w.Log[:3], want) || w.Log[3] < want[2]+5 || slices.Contains(w.Open, true) || next.Known != 2 {
		t.Errorf("after the next decision: runs %v, evidence %v, open %v", w.Runs, w.Log, w.Open)
	}
	fork := run(2, "fork", 1, 0)
	if all, err = Union(all, []Run{fork}); err != nil || !slices.Equal(Forks(all), []string{"3", "fork", "4"}) {
		t.Errorf("forks %v, %v", Forks(all), err)
	}
}
