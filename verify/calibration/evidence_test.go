package calibration

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/eprocess"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

func responseProject(epsilon float64, seed uint64) *project[int, int] {
	return &project[int, int]{tries: 1, decides: evidenceFile{start: 1},
		settings: verify.Settings{Budget: verify.Standard, Alpha: 0.05, Seed: empirical.NewSeed(seed)},
		audit: privacy.Audit[int, int]{Mechanism: must(mechanism.NewRandomizedResponse(epsilon)), Samples: projectSamples,
			Guarantee: privacy.ApproximateDP(1, 0), Pairs: []inputs.Pair[int]{{Name: "0 and 1", A: 0, B: 1}}, Anytime: true}}
}

// The simulation has the same factors, rows and verdicts as complete audits: before a violation, after it, and in a new
// version.
func TestProjectsAreThoseOfAudits(t *testing.T) {
	p := responseProject(1, 1)
	refuted := 0
	for n := range 14 { // sound before night 4; a new version from night 12 on
		switch n {
		case 4:
			p.audit.Mechanism = must(mechanism.NewRandomizedResponse(3))
		case 12:
			p.version++
		}
		id, version := strconv.Itoa(n), strconv.Itoa(p.version)
		bets := &eprocess.Bets{}
		bets.After(p.decides.runs, claimOfProject, version)
		var night eprocess.Outcome
		check := eprocess.Check{Claim: claimOfProject, Version: version, Weight: 1, RunID: id, Start: 1,
			Runs: p.decides.runs, Bets: bets, Check: privacy.RunsAudit[int, int]{Audit: p.audit, Bets: bets},
			Add: func(n eprocess.Outcome) { night = n }}
		s := p.settings
		s.Seed = s.Seed.Derive("run", id, "0")
		e, err := verify.Judge(context.Background(), check, s, empirical.NewPool(1), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.add(context.Background(), &p.decides, id, false); err != nil {
			t.Fatal(err)
		}
		if e.Verdict == verify.Refuted {
			refuted++
		}
		added := p.decides.runs[n].Claims[claimOfProject]
		if !slices.Equal(added.LogFactors, night.LogFactors) || string(added.Rows) != string(night.Rows) {
			t.Errorf("night %d: factors %v, want %v", n, added.LogFactors, night.LogFactors)
		}
		if got := p.refutes(); got != (e.Verdict == verify.Refuted) {
			t.Errorf("night %d: refuted = %t, want the verdict %s", n, got, e.Verdict)
		}
	}
	if refuted == 0 || refuted > 8 {
		t.Errorf("%d of 14 nights refute their version, want some of the nights 4 to 11", refuted)
	}
}

// Simulated projects have several versions, starts after a loss, merged runs, and bets in most runs.
func TestProjectsChange(t *testing.T) {
	versions, restarts, merged, bets, runs := 0, 0, 0, 0, 0
	for seed := range uint64(8) {
		p := responseProject(1, seed)
		if _, err := p.run(context.Background(), projectNights); err != nil {
			t.Fatal(err)
		}
		versions += p.version
		restarts += p.decides.start - 1
		for _, r := range p.decides.runs {
			runs++
			merged += len(r.Merged)
			if slices.ContainsFunc(r.Claims[claimOfProject].LogFactors, func(x float64) bool { return x != 0 }) {
				bets++
			}
		}
	}
	if versions < 6 || restarts == 0 || merged < 6 || bets < runs*2/3 {
		t.Errorf("8 projects have %d versions, %d restarts, %d merged runs, and bets on %d of %d runs", versions, restarts,
			merged, bets, runs)
	}
}
