package accounting_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
	"github.com/dpverify/dpverify/verify/privacy"
)

func sgd(q, sigma float64, steps int64) accounting.Release {
	return accounting.Release{Event: event.Repeat(steps, event.Poisson(q, event.Gaussian(sigma)))}
}

func of(e event.Event) accounting.Release { return accounting.Release{Event: e} }

func replaced(e event.Event) accounting.Release {
	return accounting.Release{Event: e, Adjacency: event.ReplaceOne}
}

// multiplier describes full-batch training by its noise multiplier, as in a claims file.
func multiplier(t *testing.T, sigma, sensitivity float64, n int64) accounting.Release {
	t.Helper()
	whole := 1.0
	e, err := event.Description{Mechanism: "sgm", SamplingRate: &whole, NoiseMultiplier: sigma, Sensitivity: sensitivity,
		Count: &n}.Event()
	if err != nil {
		t.Fatal(err)
	}
	return of(e)
}

func digits(n int) *int { return &n }

// Bounds in every privacy definition, each with a control that has the opposite verdict.
func TestAtMost(t *testing.T) {
	gaussian := func(sigma float64, n int64) event.Event { return event.Repeat(n, event.Gaussian(sigma)) }
	run := sgd(0.1, 2, 200) // ε = 3.359659… at δ = 1e-5
	for _, c := range []struct {
		reason  string
		release accounting.Release
		of      accounting.Quantity
		value   float64
		want    verify.Verdict
	}{
		{"a training run", run, accounting.EpsilonAt(1e-5), 3.4, verify.Holds},
		{"a training run with half the noise", sgd(0.1, 1, 200), accounting.EpsilonAt(1e-5), 3.4, verify.Refuted},
		{"a training run with twice the sampling rate", sgd(0.2, 2, 200), accounting.EpsilonAt(1e-5), 3.4, verify.Refuted},
		{"a training run with twice the steps", sgd(0.1, 2, 400), accounting.EpsilonAt(1e-5), 3.4, verify.Refuted},
		{"a training run at a smaller δ", run, accounting.EpsilonAt(1e-6), 3.4, verify.Refuted},
		{"a training run under replace-one", replaced(run.Event), accounting.EpsilonAt(1e-5), 3.4, verify.Refuted},
		{"a training run without sampling", of(gaussian(2, 200)), accounting.EpsilonAt(1e-5), 3.4, verify.Refuted},
		{"a training run, ε just above the true value", run, accounting.EpsilonAt(1e-5), 3.3598, verify.Holds},
		{"a training run, ε just below the true value", run, accounting.EpsilonAt(1e-5), 3.3596, verify.Refuted},
		{"a Gaussian at δ = 0", of(gaussian(1, 1)), accounting.EpsilonAt(0), 1e6, verify.Refuted},
		{"ten releases of ε = 0.1, with equality", of(event.Repeat(10, event.Pure(0.1))), accounting.EpsilonAt(0), 1,
			verify.Holds},
		{"eleven releases of ε = 0.1", of(event.Repeat(11, event.Pure(0.1))), accounting.EpsilonAt(0), 1, verify.Refuted},
		{"three Laplace releases of scale 10, with equality", of(event.Repeat(3, event.Laplace(10))),
			accounting.EpsilonAt(0), 0.3,
			verify.Holds},
		{"three Laplace releases under replace-one", replaced(event.Repeat(3, event.Laplace(10))), accounting.EpsilonAt(0),
			0.3, verify.Refuted},
		{"three Laplace releases under replace-one, with equality", replaced(event.Repeat(3, event.Laplace(10))),
			accounting.EpsilonAt(0), 0.6,
			verify.Holds},
		{"discrete Laplace, with equality", of(event.DiscreteLaplace(0.1).WithSensitivity(3)), accounting.EpsilonAt(0),
			0.3, verify.Holds},
		{"sums of (ε₀, δ₀)", of(event.Repeat(10, event.Approximate(0.1, 1e-6))), accounting.EpsilonAt(1e-5), 1,
			verify.Holds},
		{"sums of (ε₀, δ₀) at too small a δ", of(event.Repeat(10, event.Approximate(0.1, 1e-6))),
			accounting.EpsilonAt(9e-6), 1,
			verify.Refuted},
		{"the double below the largest loss, 4.84/1.53", replaced(event.Repeat(2,
			event.Laplace(1.53).WithSensitivity(1.21))), accounting.EpsilonAt(0), 3.1633986928104574, verify.Inconclusive},
		{"the double above the largest loss, 4.84/1.53", replaced(event.Repeat(2,
			event.Laplace(1.53).WithSensitivity(1.21))),
			accounting.EpsilonAt(0), 3.163398692810458, verify.Holds},
		{"the double below the largest loss, 13.38", of(event.Repeat(2, event.DiscreteLaplace(2.23).WithSensitivity(3))),
			accounting.EpsilonAt(0), 13.379999999999999, verify.Refuted},
		{"δ = 0 at the double below the largest loss", replaced(event.Repeat(2, event.Laplace(1.53).WithSensitivity(1.21))),
			accounting.DeltaAt(3.1633986928104574), 0, verify.Inconclusive},
		{"δ = 0 at the double above the largest loss", replaced(event.Repeat(2, event.Laplace(1.53).WithSensitivity(1.21))),
			accounting.DeltaAt(3.163398692810458), 0, verify.Holds},
		{"δ = 0 at the largest loss", of(event.Repeat(3, event.Laplace(10))), accounting.DeltaAt(0.3), 0, verify.Holds},
		{"a table, with equality", of(event.Table([][2]float64{{0.3, 0.1}, {0.6, 0.3}, {0.1, 0.6}})),
			accounting.DeltaAt(0), 0.5, verify.Inconclusive},
		{"the probability of a new partition, rounded down", of(event.Threshold(4, event.Laplace(2))),
			accounting.DeltaAt(1), 0.1115, verify.Refuted},
		{"the probability of a new partition, rounded up", of(event.Threshold(4, event.Laplace(2))),
			accounting.DeltaAt(1), 0.11157, verify.Holds},
		{"nothing is released", of(event.Compose()), accounting.EpsilonAt(0), 0, verify.Holds},
		{"all is released", of(event.Approximate(0, 1)), accounting.EpsilonAt(0.5), 1e300, verify.Refuted},
		{"δ above the total variation", of(event.Gaussian(1)), accounting.EpsilonAt(0.4), 0, verify.Holds},
		{"δ below the total variation", of(event.Gaussian(1)), accounting.EpsilonAt(0.38), 0, verify.Refuted},
		{"a ρ-zCDP mechanism between the ends of its bracket", of(event.Concentrated(0.5)), accounting.EpsilonAt(1e-5), 4,
			verify.Inconclusive},
		{"a ρ-zCDP mechanism above the upper end", of(event.Concentrated(0.5)), accounting.EpsilonAt(1e-5), 4.8,
			verify.Holds},
		{"δ at an ε", run, accounting.DeltaAt(3.4), 1e-5, verify.Holds},
		{"δ at a smaller ε", run, accounting.DeltaAt(3), 1e-5, verify.Refuted},

		{"zCDP of Gaussians, with equality", of(gaussian(10, 1)), accounting.Rho(), 0.005, verify.Holds},
		{"zCDP of one Gaussian more", of(gaussian(10, 2)), accounting.Rho(), 0.005, verify.Refuted},
		{"zCDP of Laplace noise", of(event.Laplace(1)), accounting.Rho(), 0.5, verify.Holds},
		{"zCDP of Laplace noise, too small a ρ", of(event.Laplace(1)), accounting.Rho(), 0.1, verify.Refuted},
		{"ρ of Laplace noise just above 1/e", of(event.Laplace(1)), accounting.Rho(), 0.3679, verify.Holds},
		{"ρ of Laplace noise below 1/e, the divergence of order 1", of(event.Laplace(1)), accounting.Rho(), 0.3678,
			verify.Refuted},
		{"ρ of permute-and-flip, at most ρ of randomized response", of(event.PermuteAndFlip(2)), accounting.Rho(), 2,
			verify.Holds},
		{"ρ of permute-and-flip, below ρ for two candidates", of(event.PermuteAndFlip(2)), accounting.Rho(), 0.5,
			verify.Refuted},
		{"ρ of permute-and-flip, between the ends of its bracket", of(event.PermuteAndFlip(2)), accounting.Rho(), 1,
			verify.Inconclusive},
		{"μ of permute-and-flip", of(event.PermuteAndFlip(2)), accounting.Mu(), 2.36, verify.Holds},
		{"ρ of a sparse vector", of(event.SparseVector(1, 1, 1)), accounting.Rho(), 2, verify.Holds},
		{"ρ of a discrete Gaussian, with equality", of(event.DiscreteGaussian(2)), accounting.Rho(), 0.125, verify.Holds},
		{"ρ of a discrete Gaussian, too small", of(event.DiscreteGaussian(2)), accounting.Rho(), 0.12, verify.Refuted},
		{"μ of a discrete Gaussian is above μ of a Gaussian", of(event.DiscreteGaussian(2)), accounting.Mu(), 0.505,
			verify.Refuted},
		{"μ of a discrete Gaussian at its supremum", of(event.DiscreteGaussian(2)), accounting.Mu(), 0.50533, verify.Holds},
		{"ρ of a noisy argmax, with equality", of(event.NoisyArgmax(2)), accounting.Rho(), 0.25, verify.Holds},
		{"ρ of correlated noise", of(event.Matrix(5, math.Sqrt(5), math.Sqrt(5))), accounting.Rho(), 0.1001, verify.Holds},
		{"ρ of correlated noise, too small", of(event.Matrix(5, math.Sqrt(5), math.Sqrt(5))), accounting.Rho(), 0.09,
			verify.Refuted},
		{"no ρ exists if supports differ", of(event.TruncatedLaplace(1, 10)), accounting.Rho(), 50, verify.Refuted},
		{"no μ exists if supports differ", of(event.Threshold(20, event.Laplace(1))), accounting.Mu(), 50, verify.Refuted},
		{"μ of many sampled steps, too small", sgd(0.01, 1, 100), accounting.Mu(), 9.9, verify.Refuted},
		{"μ of many sampled steps, which sampling does not reduce", sgd(0.01, 1, 100), accounting.Mu(), 10, verify.Holds},
		{"no zCDP if δ₀ > 0", of(event.Approximate(0.1, 1e-6)), accounting.Rho(), 100, verify.Refuted},
		{"zCDP of a sampled Gaussian", sgd(0.1, 2, 8), accounting.Rho(), 1, verify.Holds},
		{"zCDP of a sampled Gaussian with half the noise", sgd(0.1, 1, 8), accounting.Rho(), 1, verify.Refuted},
		{"Rényi DP of Gaussians, with equality", of(gaussian(10, 3)), accounting.RenyiAt(8), 0.12, verify.Holds},
		{"Rényi DP of one Gaussian more", of(gaussian(10, 4)), accounting.RenyiAt(8), 0.12, verify.Refuted},
		{"Rényi DP of Laplace noise", of(event.Laplace(1)), accounting.RenyiAt(2), 0.63, verify.Holds},
		{"Rényi DP of Laplace noise, too small", of(event.Laplace(1)), accounting.RenyiAt(2), 0.6, verify.Refuted},
		{"Rényi DP of permute-and-flip, between the ends of the bracket", of(event.PermuteAndFlip(1)),
			accounting.RenyiAt(2), 0.6,
			verify.Inconclusive},
		{"Rényi DP of permute-and-flip, at most the divergence of Laplace noise", of(event.PermuteAndFlip(1)),
			accounting.RenyiAt(2), 0.62, verify.Holds},
		{"Rényi DP of permute-and-flip, below the divergence for two candidates", of(event.PermuteAndFlip(1)),
			accounting.RenyiAt(2), 0.4, verify.Refuted},
		{"the best of repeated Laplace releases", of(event.RepeatAndSelect(1, 0.1, event.Laplace(1))),
			accounting.EpsilonAt(0),
			2.9, verify.Holds},
		{"the best of repeated Laplace releases, between the ends of the bracket", of(event.RepeatAndSelect(1, 0.1,
			event.Laplace(1))), accounting.EpsilonAt(0), 2.5,
			verify.Inconclusive},
		{"the best of repeated Laplace releases, too small an ε", of(event.RepeatAndSelect(1, 0.1, event.Laplace(1))),
			accounting.EpsilonAt(0), 2.4,
			verify.Refuted},
		{"Rényi DP of noise whose supports differ", of(event.Uniform(3)), accounting.RenyiAt(2), 1e6, verify.Refuted},
		{"Rényi DP of a discrete Gaussian at a large order", of(event.DiscreteGaussian(1)), accounting.RenyiAt(50), 23,
			verify.Inconclusive},
		{"Rényi DP of sampled Gaussians", sgd(0.1, 2, 100), accounting.RenyiAt(8), 1.9, verify.Holds},
		{"Rényi DP of sampled Gaussians with half the noise", sgd(0.1, 1, 100), accounting.RenyiAt(8), 1.9, verify.Refuted},
		{"GDP of Gaussians, with equality", of(gaussian(10, 100)), accounting.Mu(), 1, verify.Holds},
		{"GDP of Gaussians, with an irrational μ", of(gaussian(1, 2)), accounting.Mu(), 1.4142135623730951, verify.Holds},
		{"GDP of one Gaussian more", of(gaussian(10, 101)), accounting.Mu(), 1, verify.Refuted},
		{"GDP of Laplace noise", of(event.Laplace(1)), accounting.Mu(), 1.3, verify.Holds},
		{"GDP of Laplace noise, too small a μ", of(event.Laplace(1)), accounting.Mu(), 0.9, verify.Refuted},
		{"GDP of a tiny pure ε, rounded down", of(event.Pure(1e-12)), accounting.Mu(),
			1.2533e-12, verify.Refuted},
		{"GDP of a tiny pure ε, rounded up", of(event.Pure(1e-12)), accounting.Mu(), 1.25332e-12, verify.Holds},
		{"no GDP if δ₀ > 0", of(event.Approximate(0.1, 1e-6)), accounting.Mu(), 100, verify.Refuted},
		{"GDP of a whole epoch of shuffled batches", of(event.ShuffledBatches(10, event.Gaussian(1))), accounting.Mu(), 1,
			verify.Holds},
		{"GDP of a whole epoch of shuffled batches, too small a μ", of(event.ShuffledBatches(10, event.Gaussian(1))),
			accounting.Mu(), 0.9,
			verify.Refuted},
		{"shuffled batches, between the ends of the bracket", of(event.ShuffledBatches(10, event.Gaussian(1))),
			accounting.EpsilonAt(1e-5), 4.36, verify.Inconclusive},
		{"the true δ of Laplace noise, rounded up", of(event.Laplace(1)), accounting.EpsilonAt(0.2211993), 0.5,
			verify.Holds},
		{"the true δ of Laplace noise, rounded down", of(event.Laplace(1)), accounting.EpsilonAt(0.2211992), 0.5,
			verify.Refuted},
		{"10¹² steps", of(event.Repeat(1e12, event.Gaussian(1e6))), accounting.Mu(), 1, verify.Holds},
		{"10¹² + 1 steps", of(event.Repeat(1e12+1, event.Gaussian(1e6))), accounting.Mu(), 1, verify.Refuted},
		{"a sensitivity of a tenth, with equality", of(event.Laplace(1).WithSensitivity(0.1)), accounting.EpsilonAt(0),
			0.1, verify.Holds},
		{"bounded range, between the ends of the bracket", of(event.Repeat(5, event.Exponential(0.3))),
			accounting.EpsilonAt(0), 1.4, verify.Inconclusive},
		{"bounded range, with equality", of(event.Repeat(5, event.Exponential(0.3))), accounting.EpsilonAt(0), 1.5,
			verify.Holds},
		{"the largest orders", of(event.Laplace(1)), accounting.RenyiAt(1e308), 1.0001, verify.Holds},
		{"the largest orders, too small a divergence", of(event.Laplace(1)), accounting.RenyiAt(1e308), 0.9999,
			verify.Refuted},
		{"a multiplier whose product with the sensitivity is rounded, with equality", multiplier(t, 0.7, 3, 49),
			accounting.Rho(), 50, verify.Holds},
		{"the same multiplier with one step more", multiplier(t, 0.7, 3, 50), accounting.Rho(), 50, verify.Refuted},
		{"a multiplier with many digits", multiplier(t, 0.7123456789012345, 3.123456789012, 49), accounting.Mu(),
			9.82668977622947,
			verify.Holds},
		{"KL divergence, next to order 1", of(event.Laplace(1)), accounting.RenyiAt(1.0000001), 0.36, verify.Refuted},
		{"a record that is never drawn", sgd(0, 1, 10), accounting.EpsilonAt(0), 0, verify.Holds},
		{"a record that is always drawn, with equality", sgd(1, 10, 100), accounting.Mu(), 1, verify.Holds},
		{"μ of a sampled Gaussian", sgd(0.5, 1, 1), accounting.Mu(), 1, verify.Holds},
		{"μ of a sampled Gaussian with half the noise", sgd(0.5, 0.5, 1), accounting.Mu(), 1, verify.Refuted},
	} {
		e := verifytest.EvidenceOf(t, c.release.AtMost(c.of, c.value))
		if e.Verdict != c.want {
			t.Errorf("%s: %s, %s in [%v, %v] against %v; want %s", c.reason, e.Verdict, e.Quantity, e.Lower.X, e.Upper.X,
				c.value, c.want)
		}
		if text := verifytest.Look(t, c.reason, e); e.Verdict == verify.Refuted && !strings.Contains(text, " hold") {
			t.Errorf("%s: the counterexample does not say what is right: %s", c.reason, text)
		}
		if !(e.Lower.X <= e.Measured.X && e.Measured.X <= e.Upper.X) || e.Samples != 0 || !e.Exact {
			t.Errorf("%s: not a bracket: %+v", c.reason, e)
		}
	}
}

// Reported numbers: the rounded quantity, the number of digits, and the direction.
func TestEquals(t *testing.T) {
	run := sgd(0.1, 2, 200) // 3.359659…
	p := func(text string) accounting.Reported { return accounting.Reported{Text: text} }
	for _, c := range []struct {
		reason  string
		of      accounting.Quantity
		printed accounting.Reported
		want    verify.Verdict
		says    string
	}{
		{"two digits, rounded to the nearest", accounting.EpsilonAt(1e-5), p("3.36"), verify.Holds, "3.35"},
		{"three digits, rounded up", accounting.EpsilonAt(1e-5), p("3.360"), verify.Holds, ""},
		{"rounded up, but nearest is stated", accounting.EpsilonAt(1e-5), accounting.Reported{Text: "3.37",
			Rounding: accounting.Nearest}, verify.Refuted, "rounds to 3.36"},
		{"rounded up, as stated", accounting.EpsilonAt(1e-5), accounting.Reported{Text: "3.36", Rounding: accounting.Up},
			verify.Holds, ""},
		{"rounded down, but up is stated", accounting.EpsilonAt(1e-5), accounting.Reported{Text: "3.35",
			Rounding: accounting.Up}, verify.Refuted, "rounds to 3.36"},
		{"rounded down, as stated", accounting.EpsilonAt(1e-5), accounting.Reported{Text: "3.359",
			Rounding: accounting.Down}, verify.Holds, ""},
		{"two units off", accounting.EpsilonAt(1e-5), p("3.38"), verify.Refuted, "rounds to 3.36"},
		{"a true bound that is not the value", accounting.EpsilonAt(1e-5), p("4.00"), verify.Refuted, "rounds to 3.36"},
		{"one digit", accounting.EpsilonAt(1e-5), p("3.4"), verify.Holds, ""},
		{"more digits than in the text, so the last digit is 0", accounting.EpsilonAt(1e-5),
			accounting.Reported{Text: "3.4",
				Digits: digits(2)}, verify.Refuted, "rounds to 3.36"},
		{"no digit, rounded to the nearest", accounting.EpsilonAt(1e-5), p("3"), verify.Holds, ""},
		{"no digit, rounded up", accounting.EpsilonAt(1e-5), accounting.Reported{Text: "4.0", Digits: digits(0)},
			verify.Holds,
			""},
		{"no digit, wrong", accounting.EpsilonAt(1e-5), p("5"), verify.Refuted, "rounds to 3"},
		{"more digits than the bracket determines", accounting.EpsilonAt(1e-5), p("3.3596597654"), verify.Inconclusive,
			"narrower bracket"},
		{"five digits, which need a narrower bracket", accounting.EpsilonAt(1e-5), accounting.Reported{Text: "3.35966",
			Rounding: accounting.Nearest}, verify.Holds, ""},
		{"δ", accounting.DeltaAt(3), p("5.5e-5"), verify.Holds, ""},
		{"δ, wrong", accounting.DeltaAt(3), p("5.0e-5"), verify.Refuted, "rounds to 5.5e-05"},
	} {
		e := verifytest.EvidenceOf(t, run.Equals(c.of, c.printed))
		text := verifytest.Look(t, c.reason, e)
		if e.Verdict != c.want || !strings.Contains(text, c.says) {
			t.Errorf("%s: %s in [%v, %v] of %s: %s; want %s and %q", c.reason, e.Verdict, e.Lower.X, e.Upper.X,
				c.printed.Text, text, c.want, c.says)
		}
	}
	if e := verifytest.EvidenceOf(t, run.AtMostReported(accounting.EpsilonAt(1e-5),
		p("4.0"))); e.Verdict != verify.Holds {
		t.Errorf("a printed bound: %s", e.Verdict)
	}
	if e := verifytest.EvidenceOf(t, run.AtMostReported(accounting.EpsilonAt(1e-5),
		p("3.3"))); e.Verdict != verify.Holds {
		t.Errorf("a printed bound that was rounded down: %s", e.Verdict)
	}
	if e := verifytest.EvidenceOf(t, run.AtMostReported(accounting.EpsilonAt(1e-5),
		p("3.2"))); e.Verdict != verify.Refuted {
		t.Errorf("a printed bound that is none: %s", e.Verdict)
	}
}

// The verdict changes at the ends of the bracket, and is never wrong.
func TestEndsOfTheBracket(t *testing.T) {
	for _, r := range []accounting.Release{sgd(0.1, 2, 100), of(event.Repeat(5, event.Gaussian(3))), of(event.Repeat(7,
		event.Laplace(3))),
		of(event.Repeat(20, event.RandomizedResponse(0.3, 2))), replaced(sgd(0.02, 2, 50).Event)} {
		b, err := r.Bracket(accounting.EpsilonAt(1e-6), accountant.Precision{})
		if err != nil {
			t.Fatal(err)
		}
		fine, err := r.Bracket(accounting.EpsilonAt(1e-6), accountant.Precision{Width: testutil.Size(1e-5, 1e-6)})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			reason string
			value  float64
			never  verify.Verdict
		}{
			{"the upper end", b.Upper, verify.Refuted}, {"the lower end", b.Lower, verify.Holds}, {"above it",
				b.Upper * (1 + 1e-9), verify.Refuted},
			{"below it", b.Lower * (1 - 1e-9), verify.Holds}, {"the narrow upper end", fine.Upper, verify.Refuted},
			{"the narrow lower end", fine.Lower, verify.Holds},
		} {
			e := verifytest.EvidenceOf(t, r.AtMost(accounting.EpsilonAt(1e-6), c.value))
			if e.Verdict == c.never && b.Width() > 0 {
				t.Errorf("%s at %s, %v of [%v, %v]: %s", r, c.reason, c.value, b.Lower, b.Upper, e.Verdict)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	nan := math.NaN()
	good := of(event.Gaussian(1))
	for _, c := range []struct {
		reason string
		check  verify.Check
		says   string
	}{
		{"no event", accounting.Release{}.AtMost(accounting.Rho(), 1), "an event without a kind"},
		{"a negative ε", good.AtMost(accounting.EpsilonAt(0.1), -1), "claimed ε = -1"},
		{"ε is NaN", good.AtMost(accounting.EpsilonAt(0.1), nan), "claimed ε = NaN"},
		{"δ = 1", good.AtMost(accounting.EpsilonAt(1), 1), "claimed δ = 1"},
		{"δ is NaN", good.AtMost(accounting.EpsilonAt(nan), 1), "claimed δ = NaN"},
		{"order 1", good.AtMost(accounting.RenyiAt(1), 1), "order 1"},
		{"no quantity", good.AtMost(accounting.Quantity{}, 1), "no guarantee"},
		{"no noise", of(event.Gaussian(0)).AtMost(accounting.Mu(), 1), "must be positive"},
		{"a word", good.Equals(accounting.EpsilonAt(0.1), accounting.Reported{Text: "one"}), "not a reported number"},
		{"below 0", good.Equals(accounting.EpsilonAt(0.1), accounting.Reported{Text: "-1"}), "not a reported number"},
		{"beyond doubles", good.Equals(accounting.EpsilonAt(0.1), accounting.Reported{Text: "1e400"}), "beyond the range"},
		{"fewer digits than in the text", good.Equals(accounting.EpsilonAt(0.1), accounting.Reported{Text: "1.32",
			Digits: digits(1)}), "more than 1 digits"},
		{"digits below 0", good.Equals(accounting.EpsilonAt(0.1), accounting.Reported{Text: "1", Digits: digits(-1)}),
			"digits -1"},
		{"another rounding", good.Equals(accounting.EpsilonAt(0.1), accounting.Reported{Text: "1", Rounding: "even"}),
			`rounding "even"`},
		{"too many steps to count", sgd(0.01, 1, math.MaxInt64).AtMost(accounting.EpsilonAt(0.1), 1), "at most 1e+15"},
	} {
		if err := verifytest.FailureOf(t, c.check); !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.says)
		}
	}
}

// An interrupted check returns an error and no verdict.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := of(event.Gaussian(1)).AtMost(accounting.Rho(), 1).Prepare(ctx, verify.Settings{}); err == nil {
		t.Error("an interrupted check goes on")
	}
}

func ExampleRelease_AtMost() {
	training := accounting.Release{Event: event.Repeat(10_000, event.Poisson(0.01, event.Gaussian(1.1)))}
	for _, epsilon := range []float64{6, 3} {
		check := training.AtMost(accounting.EpsilonAt(1e-5), epsilon)
		e, err := verify.Judge(context.Background(), check, verify.Settings{Budget: verify.Standard}, verifytest.Pool, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("ε = %g: %s\n%s%s\n", epsilon, e.Verdict, e.Attempt, e.Counterexample.Choice)
	}
	// Output:
	// ε = 6: holds
	// the privacy loss ε at δ = 1e-05 of this description is at most 5.19264 for all neighbors and events; 6 is claimed
	// ε = 3: refuted
	// the only description; (5.19264, 1e-05)-DP holds, and with ε = 3, δ = 0.00597019
}

// QuantityOf inverts Guarantee.
func TestQuantityOf(t *testing.T) {
	for _, g := range []privacy.Guarantee{privacy.ApproximateDP(1, 0), privacy.ApproximateDP(1, 1e-5),
		privacy.ZeroConcentratedDP(0.5), privacy.RenyiDP(2, 0.5), privacy.GaussianDP(0.5)} {
		if q := accounting.QuantityOf(g); q.Guarantee(g.Value()) != g {
			t.Errorf("%s is %s at %v", g, q, g.Value())
		}
	}
	if q := accounting.QuantityOf(privacy.Guarantee{}); q != (accounting.Quantity{}) {
		t.Errorf("no guarantee claims %s", q)
	}
}
