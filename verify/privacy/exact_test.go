package privacy

import (
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// response returns the output distribution of randomized response at ε for a bit.
func response(epsilon float64, bit int) []float64 {
	law := make([]float64, 2)
	law[bit], law[1-bit] = 1/(1+math.Exp(-epsilon)), 1/(1+math.Exp(epsilon))
	return law
}

// product returns the distribution of two independent outputs.
func product(p, q []float64) []float64 {
	var out []float64
	for _, a := range p {
		for _, b := range q {
			out = append(out, a*b)
		}
	}
	return out
}

func TestPrivacyOfKnownDistributions(t *testing.T) {
	one, zero := response(1, 1), response(1, 0)
	gaussP, gaussQ := discretizedGaussian(1)
	cases := []struct {
		reason     string
		p, q       []float64
		delta      float64
		want, room float64
	}{
		{"randomized response at ε = 1", one, zero, 0, 1, 1e-14},
		{"at ε = 0.01", response(0.01, 1), response(0.01, 0), 0, 0.01, 1e-14},
		{"at ε = 30, probability 1e-13", response(30, 1), response(30, 0), 0, 30, 1e-13},
		{"twice, losses add up", product(one, one), product(zero, zero), 0, 2, 1e-14},
		{"on differing bits, the loss of each is 1 the other way", product(one, zero), product(zero, one), 0, 2, 1e-14},
		{"with a second output that does not depend on the input", product(one, zero), product(zero, zero), 0, 1, 1e-14},
		{"equal distributions", []float64{0.2, 0.8}, []float64{0.2, 0.8}, 0, 0, 0},
		{"an outcome of probability 0", []float64{0.5, 0.5, 0}, []float64{0.5, 0.5, 0}, 0, 0, 0},
		{"disjoint supports", []float64{1, 0}, []float64{0, 1}, 0, math.Inf(1), 0},
		{"disjoint supports, δ below 1", []float64{1, 0}, []float64{0, 1}, 0.999, math.Inf(1), 0},
		{"an outcome that only one input produces, with probability 1e-300", []float64{1, 1e-300}, []float64{1, 0}, 0, math.Inf(1), 0},
		{"covered by δ", []float64{0.9, 0.1}, []float64{1, 0}, 0.1, 0, 0},
		{"not fully covered by δ", []float64{0.9, 0.1}, []float64{1, 0}, 0.0999, math.Inf(1), 0},
		{"the largest ratio of normal numbers", []float64{0x1p-1022, 1}, []float64{1, 0x1p-1022}, 0, 1022 * math.Ln2, 1e-10},
		// p − e^ε q = δ on the outcome where p is larger: ε = ln((p−δ)/q) by hand.
		{"randomized response at δ = 0.1", one, zero, 0.1, math.Log((one[1] - 0.1) / zero[1]), 1e-13},
		{"δ equal to the total variation", one, zero, one[1] - zero[1], 0, 1e-14},
		// The losses are ln 4 and ln 2. Above ε = ln 2 only the first counts: 0.4 − 0.1e^ε = 0.1 at ε = ln 3.
		// Below it both count: 0.7 − 0.25e^ε = 0.3 at ε = ln 1.6. The other direction, 0.75 − 0.3e^ε, needs a
		// smaller ε: ln 2.17 and ln 1.5.
		{"one of two losses exceeds ε", []float64{0.4, 0.3, 0.3}, []float64{0.1, 0.15, 0.75}, 0.1, math.Log(3), 1e-13},
		{"both losses exceed ε", []float64{0.4, 0.3, 0.3}, []float64{0.1, 0.15, 0.75}, 0.3, math.Log(1.6), 1e-13},
		// Gaussian privacy curve at ε = 0.5 and 2 (Balle & Wang 2018, Thm 8)
		{"a Gaussian at its δ of ε = 0.5", gaussP, gaussQ, gaussianDelta(1, 0.5), 0.5, 1e-5},
		{"a Gaussian at its δ of ε = 2", gaussP, gaussQ, gaussianDelta(1, 2), 2, 1e-5},
	}
	for _, c := range cases {
		for range 2 {
			if got := bounds.MinEpsilon(c.p, c.q, c.delta); !(math.Abs(got-c.want) <= c.room) && got != c.want {
				t.Errorf("%s: ε = %v, want %v", c.reason, got, c.want)
			}
			c.p, c.q = c.q, c.p
		}
	}
}

// discretizedGaussian returns the probabilities of cells of width 1/500 under N(0, 1) and N(mu, 1). Discretization
// reduces the privacy loss by an amount of the order of the squared width.
func discretizedGaussian(mu float64) (p, q []float64) {
	const cell = 1.0 / 500
	mass := func(a, b float64) float64 { // probability of [a, b], as a difference of the nearer tails
		if a > 0 {
			a, b = -b, -a
		}
		return 0.5 * (math.Erfc(-b/math.Sqrt2) - math.Erfc(-a/math.Sqrt2))
	}
	for i := range 20 * 500 {
		a := -10 + mu/2 + cell*float64(i)
		p, q = append(p, mass(a, a+cell)), append(q, mass(a-mu, a+cell-mu))
	}
	return p, q
}

// gaussianDelta returns Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), the δ of μ-GDP at ε.
func gaussianDelta(mu, epsilon float64) float64 {
	phi := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	return phi(mu/2-epsilon/mu) - math.Exp(epsilon)*phi(-mu/2-epsilon/mu)
}

func exactly(pairs ...DistributionPair) Exact {
	return Exact{Domain: "the pairs given", Pairs: func() ([]DistributionPair, error) { return pairs, nil }}
}

func TestExactPrivacyVerdicts(t *testing.T) {
	rr := func(at string, true_, claimed float64) DistributionPair {
		return DistributionPair{Place: at, P: response(true_, 1), Q: response(true_, 0), Epsilon: claimed}
	}
	withDelta := func(p DistributionPair, delta float64) DistributionPair { p.Delta = delta; return p }
	split := DistributionPair{Place: "split", P: []float64{0.1, 0.2, 0.7}, Q: []float64{0, 0, 1}} // 0.1 + 0.2 > 0.3 in float64
	cases := []struct {
		reason  string
		pairs   []DistributionPair
		want    verify.Verdict
		witness string
	}{
		{"a true claim, with equality", []DistributionPair{rr("a", 1, 1)}, verify.Holds, "a"},
		{"with room", []DistributionPair{rr("a", 1, 1.5)}, verify.Holds, "a"},
		{"negative control with twice the loss", []DistributionPair{rr("a", 2, 1)}, verify.Refuted, "a"},
		{"off by 1e-9", []DistributionPair{rr("a", 1+1e-9, 1)}, verify.Refuted, "a"},
		{"the worst of three", []DistributionPair{rr("a", 1, 1), rr("b", 2, 1), rr("c", 1.5, 1)}, verify.Refuted, "b"},
		{"relative to the claim", []DistributionPair{rr("a", 11, 10), rr("b", 0.3, 0.1)}, verify.Refuted, "b"},
		{"δ > 0, covered", []DistributionPair{withDelta(rr("a", 1, math.Log((response(1, 1)[1]-0.1)/response(1, 1)[0])), 0.1)}, verify.Holds, "a"},
		{"δ > 0, not covered", []DistributionPair{withDelta(rr("a", 1, 0.8), 0.05)}, verify.Refuted, "a"},
		{"probabilities that sum to δ up to the last bit", []DistributionPair{withDelta(split, 0.3)}, verify.Holds, "split"},
		{"δ slightly below the sum of the probabilities", []DistributionPair{withDelta(split, 0.3-1e-9)}, verify.Refuted, "split"},
		{"δ below the absolute rounding error is distinguished", []DistributionPair{{Place: "a", P: []float64{1, 2e-15}, Q: []float64{1, 0}, Delta: 1e-15}}, verify.Refuted, "a"},
		{"disjoint supports", []DistributionPair{{Place: "a", P: []float64{1, 0}, Q: []float64{0, 1}, Epsilon: 100}}, verify.Refuted, "a"},
		{"ε = 0 and equal distributions", []DistributionPair{rr("a", 0, 0)}, verify.Holds, "a"},
		{"the worst case is a counterexample, not a rounding error at ε = 0",
			[]DistributionPair{{Place: "a", P: []float64{0.3, 0.7}, Q: []float64{0.3 + 1e-16, 0.7}}, rr("b", 2, 1)}, verify.Refuted, "b"},
	}
	for _, c := range cases {
		e := verifytest.EvidenceOf(t, exactly(c.pairs...))
		if e.Verdict != c.want || e.WorstCase != c.witness || !e.Exact || len(e.Cells) != len(c.pairs) {
			t.Errorf("%s: %s at %s with %d cells, want %s at %s", c.reason, e.Verdict, e.WorstCase, len(e.Cells), c.want, c.witness)
		}
		if ok := e.Measured.X <= e.Claimed.X*(1+1e-11)+1e-11; ok != (c.want == verify.Holds) {
			t.Errorf("%s: %s with measured %v, claimed %v", c.reason, e.Verdict, e.Measured.X, e.Claimed.X)
		}
	}
}

func TestExactPrivacyRejectsInvalidDistributions(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	fair := []float64{0.5, 0.5}
	cases := []struct {
		reason string
		pair   DistributionPair
		names  string
	}{
		{"no outcomes", DistributionPair{}, "0 and 0 outcomes"},
		{"distributions of different lengths", DistributionPair{P: fair, Q: []float64{1}}, "2 and 1"},
		{"a negative probability", DistributionPair{P: []float64{1.5, -0.5}, Q: fair}, "outcome 1"},
		{"a NaN probability", DistributionPair{P: fair, Q: []float64{nan, 1}}, "outcome 0"},
		{"an infinite probability", DistributionPair{P: []float64{inf, 0}, Q: fair}, "sum"},
		{"a subnormal probability", DistributionPair{P: []float64{1e-310, 1}, Q: fair}, "outcome 0"},
		{"sum below 1", DistributionPair{P: fair, Q: []float64{0.5, 0.4}}, "0.9"},
		{"sum above 1", DistributionPair{P: []float64{0.5, 0.50001}, Q: fair}, "1.00001"},
		{"negative ε", DistributionPair{P: fair, Q: fair, Epsilon: -1}, "ε = -1"},
		{"NaN ε", DistributionPair{P: fair, Q: fair, Epsilon: nan}, "ε = NaN"},
		{"infinite ε, which nothing can refute", DistributionPair{P: fair, Q: fair, Epsilon: inf}, "ε = +Inf"},
		{"δ = 1", DistributionPair{P: fair, Q: fair, Delta: 1}, "δ = 1"},
		{"negative δ", DistributionPair{P: fair, Q: fair, Delta: -1e-9}, "δ = -1e-09"},
		{"NaN δ", DistributionPair{P: fair, Q: fair, Delta: nan}, "δ = NaN"},
	}
	for _, c := range cases {
		c.pair.Place = "pair 7"
		err := verifytest.FailureOf(t, exactly(DistributionPair{Place: "fine", P: fair, Q: fair}, c.pair))
		if !strings.Contains(err.Error(), c.names) || !strings.Contains(err.Error(), "pair 7") {
			t.Errorf("%s: %q does not name %q and the pair", c.reason, err, c.names)
		}
	}
	verifytest.FailureOf(t, exactly())
	broken := errors.New("no distribution")
	if err := verifytest.FailureOf(t, Exact{Pairs: func() ([]DistributionPair, error) { return nil, broken }}); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
}

// laws draws two random distributions on 2 to 8 outcomes, some with probability 0.
func laws(t *rapid.T) (p, q []float64) {
	n := rapid.IntRange(2, 8).Draw(t, "outcomes")
	weight := rapid.OneOf(rapid.Float64Range(0.01, 1), rapid.SampledFrom([]float64{0, 1e-12, 0.5, 1}))
	draw := func(name string) []float64 {
		law, sum := make([]float64, n), 0.0
		for i := range law {
			law[i] = weight.Draw(t, name)
			sum += law[i]
		}
		if sum == 0 {
			law[0], sum = 1, 1
		}
		for i := range law {
			law[i] /= sum
		}
		return law
	}
	return draw("p"), draw("q")
}

// merged returns the distribution after merging outcomes into bins, a post-processing of the output.
func merged(p []float64, bins []int) []float64 {
	out := make([]float64, len(p))
	for i, b := range bins {
		out[b] += p[i]
	}
	return out
}

func TestPrivacyLossLaws(t *testing.T) {
	const rounding = 1e-9
	rapid.Check(t, func(t *rapid.T) {
		p, q := laws(t)
		bins := rapid.SliceOfN(rapid.IntRange(0, len(p)-1), len(p), len(p)).Draw(t, "bins")
		delta := rapid.Float64Range(0, 0.9).Draw(t, "delta")
		more := rapid.Float64Range(delta, 0.95).Draw(t, "larger delta")
		loss, least := bounds.MaxLoss(p, q), bounds.MinEpsilon(p, q, delta)
		if loss != bounds.MaxLoss(q, p) || least != bounds.MinEpsilon(q, p, delta) {
			t.Errorf("not symmetric: %v and %v, %v and %v", loss, bounds.MaxLoss(q, p), least, bounds.MinEpsilon(q, p, delta))
		}
		if post := bounds.MaxLoss(merged(p, bins), merged(q, bins)); post > loss+rounding {
			t.Errorf("merging outcomes raised the loss from %v to %v", loss, post)
		}
		if post := bounds.MinEpsilon(merged(p, bins), merged(q, bins), more); post > bounds.MinEpsilon(p, q, more*(1-1e-9))+rounding {
			t.Errorf("merging outcomes raised ε at δ = %v from %v to %v", more, bounds.MinEpsilon(p, q, more), post)
		}
		if !(least >= 0 && least <= loss+rounding) {
			t.Errorf("ε = %v at δ = %v, and %v without", least, delta, loss)
		}
		if tighter := bounds.MinEpsilon(p, q, more); tighter > least+rounding {
			t.Errorf("ε rises from %v to %v as δ rises from %v to %v", least, tighter, delta, more)
		}
		if !math.IsInf(least, 1) {
			if got := math.Max(bounds.HockeyStick(p, q, least), bounds.HockeyStick(q, p, least)); got > delta+rounding {
				t.Errorf("at ε = %v the hockey-stick divergence is %v, above δ = %v", least, got, delta)
			}
		}
	})
}
