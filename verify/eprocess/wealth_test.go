package eprocess

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/testutil"
)

func outcome(version string, logs ...float64) Outcome {
	return Outcome{Version: version, Weight: 1, LogFactors: logs}
}

// chain returns runs of start 1 that follow each other, with one claim.
func chain(outcomes ...Outcome) (runs []Run) {
	for i, n := range outcomes {
		runs = append(runs, Run{ID: fmt.Sprint(i + 1), Start: 1, Known: i, Claims: map[string]Outcome{"a": n}})
	}
	return runs
}

// The wealth is the sum over the starting runs of the products from there on, computed by its definition.
func TestWealthIsAMixtureOfProducts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logs := rapid.SliceOfN(rapid.Float64Range(-3, 3), 1, 12).Draw(t, "logs")
		versions := rapid.SliceOfN(rapid.SampledFrom([]string{"v", "w"}), len(logs), len(logs)).Draw(t, "versions")
		var outcomes []Outcome
		for i, l := range logs {
			outcomes = append(outcomes, outcome(versions[i], l, -l))
		}
		for _, w := range WealthOf(chain(outcomes...), "a", 1) {
			var want []float64
			for end := range logs {
				if versions[end] != w.Version {
					continue
				}
				sum := 0.0
				for _, sign := range []float64{1, -1} {
					for begin := range end + 1 {
						if versions[begin] != w.Version {
							continue
						}
						product := stakeOf(1) * firstClaims * (reserve(begin+1) - reserve(begin+2)) / 2
						for i := begin; i <= end; i++ {
							if versions[i] == w.Version {
								product *= math.Exp(sign * logs[i])
							}
						}
						sum += product
					}
				}
				want = append(want, math.Log(sum))
			}
			if diff := cmp.Diff(want, w.Log, cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) < 1e-9 })); diff != "" {
				t.Fatalf("version %s (-definition +wealth):\n%s", w.Version, diff)
			}
		}
	})
}

// All stakes, shares and reserves of a project sum to at most 1, whatever claims are added.
func TestSharesSumToAtMostOne(t *testing.T) {
	starts := 0.0
	for k := 1; k < 1e5; k++ {
		starts += stakeOf(k)
	}
	if !(starts <= 1 && starts > 0.9999) {
		t.Errorf("the stakes of the starts sum to %v", starts)
	}
	for n := 1; n < 1000; n++ {
		if !(reserve(n) > reserve(n+1) && reserve(n+1) > 0) {
			t.Fatalf("reserves %v, %v", reserve(n), reserve(n+1))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		var runs []Run
		for i := range rapid.IntRange(1, 20).Draw(t, "runs") {
			claims := make(map[string]Outcome)
			ids := rapid.SliceOfNDistinct(rapid.StringMatching("[a-h]"), 1, 5, rapid.ID[string]).Draw(t, "claims")
			for _, id := range ids {
				claims[id] = Outcome{Version: "v", Weight: 1 / float64(len(ids)), LogFactors: []float64{0}}
			}
			runs = append(runs, Run{ID: fmt.Sprint(i), Start: 1, Known: i, Claims: claims})
		}
		sum := 0.0
		all := shares(runs)
		for _, id := range slices.Sorted(maps.Keys(all)) {
			sum += all[id]
		}
		if !(sum <= 1+1e-12) {
			t.Fatalf("the shares sum to %v", sum)
		}
		before := shares(runs[:len(runs)-1])
		for id, s := range before {
			if shares(runs)[id] != s {
				t.Fatalf("the share of %s changed when claims were added", id)
			}
		}
	})
}

// A union counts each run once, in any order of the files.
func TestUnion(t *testing.T) {
	a := chain(outcome("v", 1), outcome("v", -1), outcome("v", 2))
	fork := func(id string, log float64) []Run {
		return append(slices.Clone(a), Run{ID: id, Start: 1, Known: 3, Claims: map[string]Outcome{"a": outcome("v", log)}})
	}
	b, c := fork("b", 0.5), fork("c", 0.7)
	later := append(slices.Clone(b), Run{ID: "later", Start: 1, Known: 4, Claims: map[string]Outcome{"a": outcome("v", 3)}})
	of := func(lists ...[]Run) []float64 {
		all, err := Union(lists...)
		if err != nil {
			t.Fatal(err)
		}
		return WealthOf(all, "a", 1)[0].Log
	}
	if diff := cmp.Diff(of(a), of(a, a)); diff != "" {
		t.Errorf("A and A∪A:\n%s", diff)
	}
	both := of(append(slices.Clone(b), c[3]))
	for name, got := range map[string][]float64{"A∪B with A∪C": of(b, c), "A∪C with A∪B": of(c, b), "all three": of(a, c, b, b)} {
		if diff := cmp.Diff(both, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	if len(both) != 5 {
		t.Errorf("A∪B∪C has %d runs, want 5", len(both))
	}
	if diff := cmp.Diff(of(later), of(a, later)); diff != "" {
		t.Errorf("a later A with A:\n%s", diff)
	}
	if all, err := Union(b, c); err != nil || !slices.Equal(Forks(all), []string{"b", "c"}) {
		t.Errorf("forks %v, %v", Forks(all), err)
	}
	collecting := slices.Clone(c)
	collecting[3].Collects = true
	if all, err := Union(b, collecting); err != nil || Forks(all) != nil {
		t.Errorf("forks %v of a run that only collects", Forks(all))
	}
	other := slices.Clone(a)
	other[1].Claims = map[string]Outcome{"a": outcome("v", 9)}
	if _, err := Union(a, other); err == nil {
		t.Error("two different runs with one id are accepted")
	}
}

// Merging collected runs extends the process of the deciding runs: the wealth at each earlier decision stays the same,
// and each run follows the runs that it knew.
func TestMergingExtendsTheProcess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		files := make([][]Run, 3) // the first one decides
		at := make(map[string]float64)
		knew := make(map[string][]Run)
		wealth := func(runs []Run) map[string]float64 {
			out := make(map[string]float64)
			for _, w := range WealthOf(runs, "a", 1) {
				for i, id := range w.Runs {
					out[id] = w.Log[i]
				}
			}
			return out
		}
		for n := range rapid.IntRange(1, 25).Draw(t, "steps") {
			f := rapid.IntRange(0, 2).Draw(t, "file")
			if rapid.IntRange(0, 3).Draw(t, "merge") == 0 {
				other := rapid.IntRange(0, 2).Draw(t, "other")
				all, err := Union(files[f], files[other])
				if err != nil {
					t.Fatal(err)
				}
				files[f] = all
				continue
			}
			id := fmt.Sprintf("%c%d", 'z'-rune(n), f)
			r := next(files[f], 1, id, f != 0)
			r.Claims = map[string]Outcome{"a": outcome("v", rapid.Float64Range(-1, 1).Draw(t, "log"))}
			knew[id] = files[f]
			files[f] = append(slices.Clone(files[f]), r)
			inOrder(files[f])
			if f == 0 {
				at[id] = wealth(files[0])[id]
			}
		}
		all, err := Union(files...)
		if err != nil {
			t.Fatal(err)
		}
		after := wealth(all)
		for id, w := range at {
			if math.Abs(after[id]-w) > 1e-9 {
				t.Fatalf("the wealth at decision %s was %v, and is %v after merging", id, w, after[id])
			}
		}
		place := make(map[string]int)
		for i, r := range all {
			place[r.ID] = i
		}
		for id, earlier := range knew {
			for _, r := range earlier {
				if place[r.ID] > place[id] {
					t.Fatalf("run %s counts after run %s, which knew it", r.ID, id)
				}
			}
		}
	})
}

// sound returns the runs of a project whose claim is true and holds with equality: the logarithm of each factor is
// normal, and the mean of the factor is 1.
func sound(r *rand.Rand, nights, reset int, events bool) (runs []Run) {
	start, known, version := 1, 0, 0
	step := 0.1 + 1.2*r.Float64()
	for n := range nights {
		forks := 1
		if reset > 0 && n > 0 && n%reset == 0 {
			start, known = start+1, 0
		}
		if events {
			version += r.IntN(40) / 39
			forks += r.IntN(10) / 9
		}
		for f := range forks {
			bets := []float64{step*r.NormFloat64() - step*step/2, step/2*r.NormFloat64() - step*step/8}
			runs = append(runs, Run{ID: fmt.Sprintf("%d-%d", n, f), Start: start, Known: known,
				Claims: map[string]Outcome{"a": outcome(fmt.Sprint(version), bets...)}})
		}
		known += forks
	}
	return runs
}

// Over the life of a project a sound claim is refuted with probability at most alpha, through new versions, merged
// forks and restarts. The control gives every start the whole alpha, and refutes too often.
func TestErrorOverTheLifeOfAProject(t *testing.T) {
	const alpha, nights = 0.05, 200
	projects := testutil.Size(1000, 20_000)
	refuted := func(runs []Run) bool {
		return slices.ContainsFunc(WealthOf(runs, "a", 1), func(w Wealth) bool { return w.Reached(-math.Log(alpha)) != "" })
	}
	forgetful := func(runs []Run) bool { // one bet with the whole wealth, which starts again after each loss of the file
		start, log := 0, 0.0
		for _, r := range runs {
			if r.Start != start {
				start, log = r.Start, 0
			}
			if log += r.Claims["a"].LogFactors[0]; log >= -math.Log(alpha) {
				return true
			}
		}
		return false
	}
	for _, c := range []struct {
		name    string
		reset   int
		events  bool
		refuted func([]Run) bool
		sound   bool
	}{
		{"one version", 0, false, refuted, true},
		{"versions and forks", 0, true, refuted, true},
		{"versions, forks and restarts", 20, true, refuted, true},
		{"control: restarts with the whole alpha", 20, false, forgetful, false},
	} {
		n := int64(0)
		for project := range projects {
			if c.refuted(sound(rand.New(rand.NewPCG(11, uint64(project))), nights, c.reset, c.events)) {
				n++
			}
		}
		low, err := confidence.BinomialLower(n, int64(projects), 0.001)
		if err != nil {
			t.Fatal(err)
		}
		if (low <= alpha) != c.sound {
			t.Errorf("%s: %d of %d sound projects are refuted, at least %.3f", c.name, n, projects, low)
		}
		t.Logf("%s: %d of %d sound projects are refuted", c.name, n, projects)
	}
}
