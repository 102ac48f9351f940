package accountant

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// If δ is positive but below the smallest float64, its upper end is positive.
func TestUnderflowIsNoProofOfZero(t *testing.T) {
	for _, c := range []struct {
		reason  string
		event   event.Event
		epsilon float64
	}{
		{"Gaussian", event.Gaussian(1), 60},
		{"Gaussian far out", event.Gaussian(1e3), 1e4},
		{"sampled Gaussian", event.Repeat(10, event.Poisson(0.01, event.Gaussian(1e3))), 1e4},
		{"Laplace next to its largest loss", event.Repeat(10000, event.Laplace(1)), 9999.5},
		{"black boxes next to their largest loss", event.Repeat(10000, event.Pure(1)), 9999.5},
		{"zCDP", event.Concentrated(0.5), 60},
	} {
		results, err := Deltas(c.event, event.AddRemove, c.epsilon, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		for _, r := range results {
			if !(r.Upper > 0) {
				t.Errorf("%s: %s certifies δ ≤ %v, the truth is above zero", c.reason, r.Method, r.Upper)
			}
		}
	}
}

// This mechanism answers by randomized response if it gets a record, and reports that it got none otherwise. For
// replaced records it is ε₀-DP. On a sample, the likelihood ratio of an answer is still e^ε₀, so ε is not amplified,
// and δ(ε) is q times that of the response.
func TestSampledBlackBoxUnderReplaceOne(t *testing.T) {
	const q, eps0 = 0.1, 1.0
	truth := func(eps float64) float64 {
		yes := 1 / (1 + math.Exp(-eps0))
		return q * math.Max(0, yes-math.Exp(eps)*(1-yes))
	}
	fractions := []float64{0.01, 0.5, 0.999}
	if testutil.Asked() {
		fractions = append(fractions, 0.2, 0.9)
	}
	for _, e := range []event.Event{event.Pure(eps0), event.Approximate(eps0, 0), event.Exponential(2 * eps0)} {
		for _, eps := range fractions {
			// A false amplification would be ten times the width.
			results, err := Deltas(event.Poisson(q, e), event.ReplaceOne, eps, Options{Precision: Precision{Width: 0.01}})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range results {
				if !(r.Lower <= truth(eps)) && e.Kind != event.KindExponential || !(r.Upper >= truth(eps)) {
					t.Errorf("%s at ε = %v: %s says [%v, %v], a mechanism has %v", e, eps, r.Method, r.Lower, r.Upper, truth(eps))
				}
			}
		}
	}
	amplified, err := Epsilons(event.Poisson(q, event.Pure(eps0)), event.AddRemove, 0, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := math.Log1p(q * math.Expm1(eps0)); math.Abs(amplified[0].Upper-want) > 1e-9 {
		t.Errorf("under add-or-remove-one ε = %v, want %v: the guarantee covers a missing record", amplified[0].Upper, want)
	}
}

// Sampled randomized response is amplified only if an absent record also reports a value. The result must state this
// assumption.
func TestSampledResponseSaysWhatItAssumes(t *testing.T) {
	for _, adj := range []event.Adjacency{event.AddRemove, event.ReplaceOne} {
		results, err := Epsilons(event.Poisson(0.1, event.RandomizedResponse(1, 2)), adj, 0, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(results[0].Assumptions, func(s string) bool { return strings.Contains(s, "absent record") }) {
			t.Errorf("%s: %q", adj, results[0].Assumptions)
		}
	}
}

func TestBeyondTheNumbersIsRefused(t *testing.T) {
	for _, c := range []struct {
		reason  string
		event   event.Event
		epsilon float64
	}{
		{"infinite ε", event.Gaussian(1), math.Inf(1)},
		{"more steps than can be counted", event.Repeat(math.MaxInt64, event.Laplace(1)), 1},
		{"the same, by nesting", event.Repeat(math.MaxInt64, event.Repeat(math.MaxInt64, event.Gaussian(1))), 1},
		{"noise whose square is infinite", event.Gaussian(1e200), 1},
	} {
		if r, err := Deltas(c.event, event.AddRemove, c.epsilon, Options{}); !errors.Is(err, event.ErrDomain) {
			t.Errorf("%s: %v, error %v, want ErrDomain", c.reason, r, err)
		}
	}
	if _, err := Epsilons(event.Repeat(1e15, event.Laplace(1e4)), event.AddRemove, 1e-5, Options{}); err != nil {
		t.Errorf("as many steps as allowed: %v", err)
	}
}
