package cli

import (
	"fmt"
	"runtime"

	"github.com/dpverify/dpverify/verify"
)

// judgingSeconds holds the seconds that all claims of a paper take on one processor at the quick and the standard
// budget: the user time of “dpverify report” on an amd64 of 2020, divided in proportion to the seconds of --times. It
// is only shown.
var judgingSeconds = map[string]budgetSeconds{
	"prestige":    {4.5, 28},
	"curricula":   {1, 1.5},
	"pairwise":    {0.5, 1},
	"laplace-sgd": {2.5, 9},
	"nonconvex":   {4, 21.5},
}

// reportCost describes a report of whole papers: its number of claims and, if all papers are known, its duration.
func reportCost(claims []verify.Claim, budget verify.Budget, workers int) string {
	processors := map[bool]string{true: "processor", false: "processors"}[workers == 1]
	scope := fmt.Sprintf("%d claims at the %s budget on %d %s", len(claims), budget, workers, processors)
	seconds, counted := 0.0, make(map[string]bool)
	for _, c := range claims {
		t, known := judgingSeconds[c.Paper]
		if !known {
			return scope
		}
		if !counted[c.Paper] {
			counted[c.Paper] = true
			seconds += t.at(budget)
		}
	}
	return scope + ": " + longDuration(seconds/float64(max(1, min(workers, runtime.NumCPU()))))
}

// budgetSeconds holds the durations at two budgets, in seconds.
type budgetSeconds struct{ quick, standard float64 }

// at returns the seconds at a budget. The time of computations does not depend on the budget, and the time of sampling
// is proportional to the samples, so two budgets determine the others.
func (t budgetSeconds) at(budget verify.Budget) float64 {
	const samples = 1 << 20
	quick, here := float64(verify.Quick.Samples(samples))/samples, float64(budget.Samples(samples))/samples
	sampled := (t.standard - t.quick) / (1 - quick)
	return t.standard + sampled*(here-1)
}
