package cli

import (
	"fmt"
	"runtime"

	"github.com/dpverify/dpverify/verify"
)

// judgingSeconds is how many seconds all claims of a paper take one processor at the quick and at the standard budget:
// the user time of “dpverify report” on an amd64 of 2020, divided among the papers as the seconds of --times are. It is
// told and decides nothing.
var judgingSeconds = map[string]budgetSeconds{
	"prestige":    {4.5, 28},
	"curricula":   {1, 1.5},
	"pairwise":    {0.5, 1},
	"laplace-sgd": {2.5, 9},
	"nonconvex":   {4, 21.5},
}

// reportCost says what a report of whole papers is to do, and about how long that takes where the papers are known.
func reportCost(claims []verify.Claim, budget verify.Budget, workers int) string {
	processors := map[bool]string{true: "processor", false: "processors"}[workers == 1]
	doing := fmt.Sprintf("%d claims at the %s budget on %d %s", len(claims), budget, workers, processors)
	seconds, counted := 0.0, make(map[string]bool)
	for _, c := range claims {
		t, known := judgingSeconds[c.Paper]
		if !known {
			return doing
		}
		if !counted[c.Paper] {
			counted[c.Paper] = true
			seconds += t.at(budget)
		}
	}
	return doing + ": " + longDuration(seconds/float64(max(1, min(workers, runtime.NumCPU()))))
}

// budgetSeconds are those at two budgets, in seconds.
type budgetSeconds struct{ quick, standard float64 }

// at is the time at a budget. Of what is computed it is the same at each, and of what is sampled it rises as the
// samples do, so that two budgets tell the others.
func (t budgetSeconds) at(budget verify.Budget) float64 {
	const samples = 1 << 20
	quick, here := float64(verify.Quick.Samples(samples))/samples, float64(budget.Samples(samples))/samples
	sampled := (t.standard - t.quick) / (1 - quick)
	return t.standard + sampled*(here-1)
}
