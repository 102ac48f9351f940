package calibration

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/eprocess"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

const (
	projectNights  = 200 // nights of a project
	projectSamples = 20  // samples of each input in a night
)

// evidenceCases returns projects that keep their evidence. The true claims hold with equality on every night. The last
// two cases are controls.
func evidenceCases() []Case {
	symbols := []inputs.Pair[int]{{Name: "0 and 1", A: 0, B: 1}, {Name: "1 and 2", A: 1, B: 2}}
	bits, pure := symbols[:1], privacy.ApproximateDP(1, 0)
	laplace, response := must(mechanism.NewLaplace(1)), must(mechanism.NewRandomizedResponse(1))
	// The privacy loss of the Gaussian is ∓1 at −0.5 and 1.5. These are ends of cells, so the cells keep its δ at ε = 1.
	gauss := gaussianCurve(1)
	fourCells := releaseFunc[int, int](func(r *rand.Rand, x int) (int, error) {
		y, err := gauss.release(r, x)
		return int(math.Floor(max(-1, min(2, y.(float64)+0.5)))), err
	})
	return []Case{
		projectOf("Laplace", true, 1, laplace, zeroAndOne, pure),
		projectOf("randomized response", true, 1, response, bits, pure),
		projectOf("discrete Laplace", true, 1, must(mechanism.NewDiscreteLaplace(1)), bits, pure),
		projectOf("Gaussian in four cells at its (ε, δ)", true, 1, fourCells, bits,
			privacy.ApproximateDP(1, gauss.delta(1)*(1+1e-12))),
		projectOf("three answers, two pairs", true, 1, must(mechanism.NewKaryResponse(3, 1)), symbols, pure),
		projectOf("randomized response at twice ε", false, 1, must(mechanism.NewRandomizedResponse(2)), bits, pure),
		projectOf("randomized response, best of 8 samples", false, 8, response, bits, pure),
	}
}

// projectOf returns the case of a project that audits a mechanism every night. Each run draws its samples tries times,
// and adds the draw with the largest evidence. The premise of the evidence holds only for tries = 1.
func projectOf[D, O any](name string, isTrue bool, tries int, m verify.Mechanism[D, O], pairs []inputs.Pair[D],
	g privacy.Guarantee) Case {
	return Case{Name: name, isTrue: isTrue, check: verify.CheckFunc(
		func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
			p := project[D, O]{settings: s, tries: tries, audit: privacy.Audit[D, O]{Mechanism: m, Pairs: pairs,
				Guarantee: g, Samples: projectSamples, Anytime: true}}
			refuted, err := p.run(ctx, projectNights)
			if refuted {
				return verify.Decided{Verdict: verify.Refuted}, err
			}
			return verify.Decided{Verdict: verify.Inconclusive}, err
		})}
}

// project simulates the evidence of a project. One machine decides every night. From time to time, a second machine
// collects in a file of its own.
type project[D, O any] struct {
	audit    privacy.Audit[D, O]
	settings verify.Settings
	tries    int // number of draws per run; the run adds the one with the largest evidence
	decides  evidenceFile
	collects *evidenceFile // nil while there is only one machine
	version  int
}

// evidenceFile holds the runs of an evidence file in order, and the number of the present start.
type evidenceFile struct {
	runs  []eprocess.Run
	start int
}

const (
	claimOfProject = "project"
	// Probabilities of events per night. In this order: the version changes, the deciding machine loses its file, the
	// other machine copies this file and begins to collect, its file is merged. They do not depend on the samples.
	versionRate, lossRate, forkRate, mergeRate = 0.04, 0.005, 0.025, 0.1
)

// run simulates the nights until the evidence refutes the present version, and reports whether it does.
func (p *project[D, O]) run(ctx context.Context, nights int) (refuted bool, err error) {
	r := p.settings.Stream("schedule")
	p.decides.start = 1
	for n := range nights {
		if err := p.change(r); err != nil {
			return false, err
		}
		if p.collects != nil {
			if err := p.add(ctx, p.collects, "collected-"+strconv.Itoa(n), true); err != nil {
				return false, err
			}
		}
		if err := p.add(ctx, &p.decides, strconv.Itoa(n), false); err != nil || p.refutes() {
			return err == nil, err
		}
	}
	return false, nil
}

// change draws the events before a night.
func (p *project[D, O]) change(r *rand.Rand) (err error) {
	if r.Float64() < versionRate {
		p.version++
	}
	if r.Float64() < lossRate {
		p.decides = evidenceFile{start: p.decides.start + 1}
	}
	switch x := r.Float64(); {
	case p.collects == nil && x < forkRate:
		other := p.decides
		p.collects = &other
	case p.collects != nil && x < mergeRate:
		p.decides.runs, err = eprocess.Union(p.decides.runs, p.collects.runs)
		p.collects = nil
	}
	return err
}

// add draws the samples of a run and adds it to a file.
func (p *project[D, O]) add(ctx context.Context, f *evidenceFile, id string, collects bool) error {
	version := strconv.Itoa(p.version)
	var best *eprocess.Bets
	for try := range p.tries {
		bets := &eprocess.Bets{}
		bets.After(f.runs, claimOfProject, version)
		s := p.settings
		s.Seed = s.Seed.Derive("run", id, strconv.Itoa(try))
		if err := (privacy.RunsAudit[D, O]{Audit: p.audit, Bets: bets}).Bet(ctx, s); err != nil {
			return err
		}
		if best == nil || sum(bets.LogFactors) > sum(best.LogFactors) {
			best = bets
		}
	}
	check := eprocess.Check{Claim: claimOfProject, Version: version, Weight: 1, RunID: id, Start: f.start, Runs: f.runs,
		Collects: collects}
	f.runs = check.AllRuns(eprocess.Outcome{Version: version, Weight: 1, LogFactors: best.LogFactors, State: best.State,
		Rows: best.Rows})
	return nil
}

func sum(x []float64) (total float64) {
	for _, v := range x {
		total += v
	}
	return total
}

// refutes reports whether the deciding machine refutes the present version.
func (p *project[D, O]) refutes() bool {
	for _, w := range eprocess.WealthOf(p.decides.runs, claimOfProject, 1) {
		if w.Version == strconv.Itoa(p.version) && w.Reached(-math.Log(p.settings.Alpha)) != "" {
			return true
		}
	}
	return false
}
