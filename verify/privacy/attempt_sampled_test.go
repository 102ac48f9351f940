package privacy

import (
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// TestSecondLookAtSampledChecks checks the second look of every sampled check. The seed is fixed; a row fails by
// chance with probability below 1e-6.
func TestSecondLookAtSampledChecks(t *testing.T) {
	two := onCoins(20_000, faithfulCoins(1), 1, 0, said(1))
	worse := onCoins(20_000, faithfulCoins(3), 1, 0, said(1)).Cells[0]
	worse.Place = "worse"
	mixed := two
	mixed.Cells = append([]Cell[int, int]{two.Cells[0], worse}, worse)
	mixed.Cells[2].Place = "worse again"
	verifytest.Rows{
		{"private coins", two, verify.Consistent, []string{"2 events and directions of 1 pair", "event said 1", "claimed ε ≤ 1", "the rarest event that occurred has frequency 0.2", "could not have refuted"}},
		{"some coins are not private", mixed, verify.Refuted, []string{"worse, event said 1", "the first, in the order of the domain, of the 2 that fail among 3 pairs"}},
		{"an event that never happens", onCoins(20_000, faithfulCoins(1), 1, 0, Event[int]{"said 2", func(o int) bool { return o == 2 }}), verify.Inconclusive, []string{"other events: those at"}},
		{"an audit that detects nothing", laplaceAudit(1, 1, 100_000), verify.Consistent, []string{"1 pair searched", "claimed privacy loss ε ≤ 1, measured 0.", "could not have refuted the claim"}},
		{"an audit that refutes", laplaceAudit(1, 2, 20_000), verify.Refuted, []string{"the pair and the event, chosen before they were certified"}},
	}.Hold(t)
}

// TestNeededSizeDecides checks that the needed size of an inconclusive claim decides it and a fifth of it does not.
func TestNeededSizeDecides(t *testing.T) {
	verifytest.OpenRows{
		{"coins", 200, func(n int64) verify.Check { return onCoins(n, faithfulCoins(1), 1, 0, said(1)) }},
		{"an audit", 400, func(n int64) verify.Check {
			a := laplaceAudit(1, 1, n)
			a.LogLikelihood = laplaceNoise(1).density
			return a
		}},
	}.Decided(t)
}
