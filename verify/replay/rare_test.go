package replay

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// parity is 1 for an odd number of records.
func parity(d data) float64 { return float64(len(d) % 2) }

// phi returns the standard normal distribution function.
func phi(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// roundedDelta returns the smallest δ at ε of a value that moves by 1, with noise of standard deviation 1, rounded to
// multiples of a step: the sum of the excess probabilities of all multiples, maximized over the value.
func roundedDelta(epsilon, step float64) (worst float64) {
	probability := func(k, value float64) float64 {
		return phi(step*(k+0.5)-value) - phi(step*(k-0.5)-value)
	}
	for offset := 0.0; offset < step; offset += step / 500 {
		delta := 0.0
		for k := -20 / step; k < 20/step; k++ {
			delta += math.Max(0, probability(k, offset)-math.Exp(epsilon)*probability(k, offset+1))
		}
		worst = math.Max(worst, delta)
	}
	return worst
}

// rare holds releases that are slightly more private than their calls cost, or that are so because of an event in few
// runs. A search makes many replays and must not report one in which the event does not occur.
var rare = []practice{
	// With probability 0.9 the record moves the value by 1, else by 0.5. At ε = 1, δ is 0.9·0.126937 + 0.1·0.006829.
	{"a weight by noise that is released", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(1, 0.115),
		one(func(n *primitive.Noise, d data) (data, error) {
			z, err := n.Laplace(3, 1, 0)
			if err != nil {
				return nil, err
			}
			weight := 1.0
			if z > 3+math.Log(5) {
				weight = 0.5
			}
			v, err := n.Gaussian(weight*parity(d), 1, 1)
			return data{z, v}, err
		})},
	// The second answer is made with probability 0.9: δ is 0.1·δ₁ + 0.9·δ₂, for μ = 1 and √2 at ε = 1.
	{"a second answer in nine of ten runs", inputs.AddOrRemoveOneRecord,
		privacy.ApproximateDP(1, 0.1*gaussianDelta(1, 1)+0.9*gaussianDelta(1, math.Sqrt2)+1e-4),
		one(func(n *primitive.Noise, d data) (out data, err error) {
			z, err := n.Laplace(3, 1, 0)
			if err != nil {
				return nil, err
			}
			out = data{z}
			for range map[bool]int{true: 1, false: 2}[z > 3+math.Log(5)] {
				v, err := n.Gaussian(parity(d), 1, 1)
				if err != nil {
					return nil, err
				}
				out = append(out, v)
			}
			return out, nil
		})},
	{"rounded to quarters", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(1, roundedDelta(1, 0.25)+1e-6),
		one(func(n *primitive.Noise, d data) (float64, error) {
			v, err := n.Gaussian(sum(d, 0, 1), 1, 1)
			return math.Round(4*v) / 4, err
		})},
	{"rounded to 0.4", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(1, roundedDelta(1, 0.4)+1e-6),
		one(func(n *primitive.Noise, d data) (float64, error) {
			v, err := n.Gaussian(sum(d, 0, 1), 1, 1)
			return math.Round(v/0.4) * 0.4, err
		})},
	// Values 2 scales apart: the log ratio is at most 0.2 + ln((1 + e^-4.4)/(1 + e^-4)) = 0.1940.
	{"two noisy values, sorted", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(0.195, 0),
		one(func(n *primitive.Noise, d data) (data, error) {
			v, err := noisy(n, data{20 + parity(d), -parity(d)}, 10)
			slices.Sort(v)
			return v, err
		})},
	// A record is in the sample with probability 0.9: ln(1 + 0.9(e − 1)) = 0.9346.
	{"a sample by public coins", inputs.ReplaceOneRecord, privacy.ApproximateDP(math.Log1p(0.9*math.Expm1(1)), 0),
		one(func(n *primitive.Noise, d data) (float64, error) {
			u := make(data, len(d))
			if len(d) > 0 {
				err := n.Public(u, func(r *rand.Rand) {
					for i := range u {
						u[i] = r.Float64()
					}
				})
				if err != nil {
					return 0, err
				}
			}
			s := 0.0
			for i, v := range d {
				if u[i] < 0.9 {
					s += clip(v, 0, 1)
				}
			}
			return n.Laplace(s, 1, 1)
		})},
	// One of many records is left out.
	{"all but one record, by a public choice", inputs.ReplaceOneRecord,
		privacy.ApproximateDP(math.Log1p(5./6*math.Expm1(1)), 0),
		one(func(n *primitive.Noise, d data) (float64, error) {
			u := make(data, 1)
			if err := n.Public(u, func(r *rand.Rand) { u[0] = float64(r.IntN(6)) }); err != nil {
				return 0, err
			}
			s := 0.0
			for i, v := range d {
				if float64(i) != u[0] {
					s += clip(v, 0, 1)
				}
			}
			return n.Laplace(s, 1, 1)
		})},
	// A weight by noise that is not released: with probability 0.9 the value moves by 1, else by 0.
	{"a value in nine of ten runs", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(math.Log1p(0.9*math.Expm1(1)), 0),
		one(func(n *primitive.Noise, d data) (float64, error) {
			z, err := n.Laplace(3, 1, 0)
			if err != nil {
				return 0, err
			}
			if z > 3+math.Log(5) {
				return n.Laplace(0.5, 1, 1)
			}
			return n.Laplace(parity(d), 1, 1)
		})},
	// Values in 0..6, 20 deviations within the ends: a factor of P(z > 25)/P(z > 26) < e^27 at the ends, and of less
	// between them.
	{"Gaussian noise, clamped", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(30, 0),
		one(func(n *primitive.Noise, d data) (float64, error) {
			v, err := n.Gaussian(sum(d, 0, 1), 1, 1)
			return clip(v, -20, 26), err
		})},
	{"a clip that a noisy quantile gives", inputs.AddOrRemoveOneRecord, privacy.ApproximateDP(1, 0.116),
		one(func(n *primitive.Noise, d data) (data, error) {
			// The bound is 1 with probability 0.75 and smaller otherwise.
			z, err := n.Laplace(2, 1, 0)
			if err != nil {
				return nil, err
			}
			bound := clip(z-2+math.Log(2)+1, 0.1, 1)
			v, err := n.Gaussian(bound*parity(d), 1, 1)
			return data{z, v}, err
		})},
}

// gaussianDelta returns δ(ε) of the Gaussian mechanism with sensitivity μ in standard deviations.
func gaussianDelta(epsilon, mu float64) float64 {
	return phi(mu/2-epsilon/mu) - math.Exp(epsilon)*phi(-mu/2-epsilon/mu)
}

// Releases with true claims that cost less than their calls only in some runs are not refuted.
func TestRareIsNotRefuted(t *testing.T) {
	for _, c := range rare {
		t.Run(c.name, func(t *testing.T) {
			for seed := range testutil.Size[uint64](2, 10) {
				p := Replay[data]{Subject: c.f, Claim: c.claim, Space: space(c.adjacency)}
				if f := find(t, p, Account, seed); f.Verdict != verify.Inconclusive {
					t.Errorf("seed %d: %s: %s", seed, f.Verdict, f.How)
				}
			}
		})
	}
}
