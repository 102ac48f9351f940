package distribution

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// Dependent outputs of the stated distribution cause an error, not a refutation.
func TestLawOfAState(t *testing.T) {
	state := 0.0
	check := of(Normal(0, 1), 20_000, func(r *rand.Rand) any {
		state = 0.95*state + math.Sqrt(1-0.95*0.95)*r.NormFloat64()
		return state
	})
	_, err := verify.Judge(t.Context(), check, verify.Settings{Budget: verify.Standard, Alpha: 1e-3},
		empirical.NewPool(1), nil)
	if err == nil || !strings.Contains(err.Error(), "outputs are not independent: a state is carried") {
		t.Error(err)
	}
}

// A scale that drifts during the run is an error: the outputs do not have a single distribution.
func TestLawOfADrift(t *testing.T) {
	calls := 0.0
	check := of(Normal(0, 1), 20_000, func(r *rand.Rand) any { calls++; return r.NormFloat64() + calls/20_000 })
	_, err := verify.Judge(t.Context(), check, verify.Settings{Budget: verify.Standard, Alpha: 1e-3},
		empirical.NewPool(1), nil)
	if err == nil || !strings.Contains(err.Error(), "outputs are not independent: ") {
		t.Error(err)
	}
}

// A shift of the mean by half a standard deviation is detected at 10⁹ trials, whose tails take a second to compute.
func TestManyTrialsHaveTeeth(t *testing.T) {
	check := of(Binomial(1e9, 0.5), 20_000,
		func(r *rand.Rand) any { return int64(math.Round(5.0001e8 + math.Sqrt(2.5e8)*r.NormFloat64())) })
	if e := judged(t, check, 1e-6); e.Verdict != verify.Refuted {
		t.Errorf("%s: %s", e.Verdict, e.Needed)
	}
}

// Integers beyond 2⁵³ do not refute the claim, although doubles represent only half of them.
func TestLawBeyondWholeDoubles(t *testing.T) {
	for _, location := range []int64{1 << 53, -1 << 53} {
		check := of(DiscreteLaplace(float64(location), 2), 20_000,
			func(r *rand.Rand) any { return location + int64(geometric(r, 2)) })
		if e := judged(t, check, 1e-3); e.Verdict != verify.Inconclusive {
			t.Errorf("at %d: %s: %s", location, e.Verdict, e.WorstCase)
		}
	}
}
