package laplacesgd

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/privacy"
)

func passClaims() []verify.Claim {
	single := runs{epochs: 1, alpha: 1, sizes: []size{{1, 1}, {7, 1}, {7, 3}, {8, 2}, {10, 10}, {3, 5}}}
	mean, scaled, dropped, double := single, single, single, single
	mean.short, scaled.short, dropped.short = laplacesgd.ShortMean, laplacesgd.ShortScaled, laplacesgd.ShortDrop
	double.epochs = 2
	ten := runs{epochs: 10, alpha: 0.01, sizes: single.sizes}
	tenDropped := ten
	tenDropped.short = laplacesgd.ShortDrop
	return []verify.Claim{
		{
			ID: "laplace-sgd/single-pass", Source: "Sects. 3.4, 4.2", Kind: verify.Privacy,
			Origin: verify.Implied, Place: aboutPasses + "the paragraph after Theorem 1: α is the parameter of a single " +
				"pass; Sect. 4.2, second paragraph, first and third sentence; eqs. (7) and (8)",
			Statement: "all iterates of one pass over disjoint batches, noise of (7) over b, a short last batch divided by b, " +
				"are α-differentially private together",
			Check:   single.against(1, passProof),
			Control: verify.Control{Check: double.against(1, ""), Want: checks.Refuted, Fault: "two passes"},
		},
		{
			ID: "laplace-sgd/single-pass/short-batch", Source: "Sects. 3.4, 4.2, eq. (8) with averages by the word",
			Kind:   verify.Privacy,
			Origin: verify.Reading, Place: "Sect. 3.3, eq. (5), and Sect. 3.4, eq. (8), of a last batch with fewer than b " +
				"records, of which nothing is said: averaged over those that it has",
			Statement: "one pass is α-differentially private where a short last batch is averaged over its own records and " +
				"its noise divided by b",
			Check: mean.against(1, ""),
			Control: verify.Control{Check: scaled.against(1, passProof), Want: checks.Holds,
				Fault: "none: its noise divided by its own size"},
			Corrected: "laplace-sgd/single-pass/short-batch/corrected",
		},
		{
			ID: "laplace-sgd/single-pass/short-batch/corrected", Source: "Sects. 3.4, 4.2, corrected", Kind: verify.Privacy,
			Origin: verify.Correction,
			Place:  "Sect. 3.4, eq. (8), with the number of the batch's records in both places of b",
			Statement: "one pass is α-differentially private where sum and noise of a short last batch are both divided by " +
				"the number of its records",
			Check:   scaled.against(1, passProof),
			Control: verify.Control{Check: mean.against(1, ""), Want: checks.Refuted, Fault: "the noise divided by b"},
		},
		{
			ID: "laplace-sgd/single-pass/short-batch/program", Source: "Sect. 3.4, the program of [1]", Kind: verify.Privacy,
			Origin: verify.Program, Place: trainingFile + ", line 11: ⌊m/b⌋ batches, so that a short one is left out",
			Statement: "one pass is α-differentially private where a short last batch is left out",
			Check:     dropped.against(1, passProof),
			Control:   verify.Control{Check: mean.against(1, ""), Want: checks.Refuted, Fault: "averaged over its own records"},
		},
		{
			ID: "laplace-sgd/single-pass/presence", Source: "Sects. 1 and 3.1", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Sect. 3.1, first paragraph, and Sect. 1, second paragraph: whether a person is in " +
				"the data at all; eq. (1) speaks of the value of one individual",
			Statement: "all iterates of one pass at b = 1 hide whether a record is in the data at all",
			Check:     updatesTell(false),
			Control: verify.Control{Check: updatesTell(true), Want: checks.Holds,
				Fault: "none: the value of one record exchanged, as eq. (1) has it"},
			Corrected: "laplace-sgd/single-pass",
		},
		{
			ID: "laplace-sgd/single-pass/random-batches", Source: "eq. (5), \"randomly chosen batch\"; Sect. 4.2",
			Kind:   verify.Privacy,
			Origin: verify.Reading, Place: "Sect. 3.3, the line before eq. (5), \"randomly chosen batch\": drawn anew for " +
				"each update, where Sect. 4.2, last paragraph, speaks of permutations",
			Statement: "n/b updates, each on a batch drawn anew from all n records, are α-differentially private together",
			Check:     randomBatches(func(_ float64, alpha float64) float64 { return alpha }, ""),
			Control: verify.Control{Check: randomBatches(amplified, amplifiedProof), Want: checks.Holds,
				Fault: "none: the sum of what the updates cost"},
			Corrected: "laplace-sgd/single-pass/random-batches/corrected",
		},
		{
			ID: "laplace-sgd/single-pass/random-batches/corrected", Source: "eq. (5), corrected", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "Sect. 3.3, the line before eq. (5), with Theorem 1",
			Statement: "n updates, each on one record drawn anew from all n, are n " +
				"ln(1+(e^α−1)/n)-differentially private together",
			Check: randomBatches(amplified, amplifiedProof),
			Control: verify.Control{Check: randomBatches(func(_ float64, alpha float64) float64 { return alpha }, ""),
				Want: checks.Refuted, Fault: "α for the whole pass"},
		},
		{
			ID: "laplace-sgd/thm-1", Source: "Theorem 1, Sect. 4.3", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Sect. 4.3, the paragraph after Theorem 1, its example",
			Statement: "ten passes at α = 0.01 are 0.1-differentially private, all iterates released",
			Check: ten.against(0.1, passProof+
				"; Theorem 1 adds the passes up, and holds for passes that see the ones before"),
			Control: verify.Control{Check: ten.against(0.09, ""), Want: checks.Refuted,
				Fault: "nine passes charged: the sum is reached"},
		},
		{
			ID: "laplace-sgd/thm-1/program", Source: "Theorem 1, Sect. 4.3, the program of [1]", Kind: verify.Privacy,
			Origin: verify.Program, Place: trainingFile + ", lines 11, 25, 26 and 29 to 42: one order for all passes, a short " +
				"batch left out in each",
			Statement: "ten passes of the program at α = 0.01, in one order, are 0.1-differentially private with noise of (7)",
			Check:     tenDropped.against(0.1, passProof+"; Theorem 1 adds the passes up, whatever their order"),
			Control:   verify.Control{Check: tenDropped.against(0.09, ""), Want: checks.Refuted, Fault: "nine passes charged"},
		},
		{
			ID: "laplace-sgd/thm-1/sum", Source: "Theorem 1", Kind: verify.Privacy,
			Origin: verify.Stated, Place: "Sect. 4.3, Theorem 1",
			Statement: "the outputs of T mechanisms, ε_i-differentially private each, are Σε_i-differentially private together",
			Check:     responses(1),
			Control:   verify.Control{Check: responses(0.9), Want: checks.Refuted, Fault: "nine tenths of the sum claimed"},
		},
	}
}

const passProof = "given w, an update on a batch with the record moves by 2/b and has noise Z/b (‖z‖ − ‖z′‖ ≤ ‖z − " +
	"z′‖); updates without it have the same law, and no later update of the pass looks at it again"

type size struct{ n, b int }

// runs are whole runs of SGD in dimension 2 whose iterates are released; two data sets
// differ in one record.
type runs struct {
	epochs int
	alpha  float64
	short  laplacesgd.Short
	sizes  []size
}

// against computes the loss of a run at its worst known output, and holds it against
// epsilon, for every place of the record that differs.
func (r runs) against(epsilon float64, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "privacy loss of a run", Sense: verify.AtMost, Proof: proof,
			Domain: "n records in batches of b, (n, b) ∈ {(1, 1), (7, 1), (7, 3), (8, 2), (10, 10), (3, 5)}, every place of " +
				"the record that differs, d = 2, w_0 of length 10⁶ across the two values of that record, the others drawn; η_t = " +
				"1/√t, λ = 10⁻⁴; at the iterates of the run without noise on one data set, where the loss is largest given each w",
			Points: func(add func(formula.Point)) {
				for _, size := range r.sizes {
					for place := range size.n {
						loss, err := r.loss(ctx, s, size, place)
						add(formula.Point{Place: formula.Placef("n=%d, b=%d, record %d, passes: %d", size.n, size.b, place+1, r.epochs),
							Show: place == size.n-1, Measured: loss, Claimed: epsilon, Err: err})
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

// neighbouring are two data sets that differ at a place in a record across e₁.
func neighbouring(s verify.Settings, n, place int) (pair [2]*dataset.Dataset, err error) {
	data, _, err := dataset.Sphere(s.Common("rows"), n, 2, 0)
	if err != nil {
		return pair, err
	}
	for k, sign := range []float64{1, -1} {
		values, labels := make([]float64, 0, 2*n), make([]float64, n)
		for i := range n {
			if labels[i] = data.Label(i); i == place {
				labels[i] = 1
				values = append(values, -1e-3, sign*math.Sqrt(1-1e-6))
				continue
			}
			values = append(values, data.Row(i).Values...)
		}
		if pair[k], err = dataset.NewDense(2, values, labels); err != nil {
			return pair, err
		}
	}
	return pair, nil
}

// loss adds up ln of the density ratios of the updates: the algorithm's gradients at its own
// iterates, the theory's density of the noise.
func (r runs) loss(ctx context.Context, s verify.Settings, size size, place int) (float64, error) {
	pair, err := neighbouring(s, size.n, place)
	if err != nil {
		return 0, err
	}
	w := []float64{1e6, 0}
	step, total := 0, 0.0
	var g [2][]float64
	g[0], g[1] = make([]float64, 2), make([]float64, 2)
	per := (size.n + size.b - 1) / size.b
	if divisor, _ := r.short.Divisors(size.b, size.n%size.b); divisor == 0 {
		per = size.n / size.b // the short batch is left out in every pass; 0 is never divided by, as there are no updates
	}
	add := func(_ int, next []float64) {
		first := step % per * size.b
		rows := make([]int, 0, size.b)
		for i := first; i < min(first+size.b, size.n); i++ {
			rows = append(rows, i)
		}
		sum, noise := r.short.Divisors(size.b, len(rows))
		for k := range pair {
			laplacesgd.BatchGradient(pair[k], rows, w, sum, g[k])
		}
		floats.Sub(g[1], g[0])
		floats.Scale(noise, g[1])
		total += sphereNoise(r.alpha, []float64{0, 0}) - sphereNoise(r.alpha, g[1])
		copy(w, next)
		step++
	}
	c := laplacesgd.Config{Lambda: 1e-4, Rate: laplacesgd.Rate{Scale: 1}, Batch: size.b, Epochs: r.epochs, Short: r.short,
		Order: laplacesgd.OrderGiven, Init: []float64{1e6, 0}, Observe: add}
	_, err = laplacesgd.SGD(ctx, s.Common("unused"), pair[0], c)
	return total, err
}

const amplifiedProof = "a batch holds the record with probability 1/n, which makes ln(1+(e^α−1)/n) of α (Balle, " +
	"Barthe & Gaboardi 2018, Theorem 9, for pure privacy); Theorem 1 adds the updates up"

// amplified is n ln(1+(e^α−1)/n).
func amplified(n, alpha float64) float64 { return n * math.Log1p(math.Expm1(alpha)/n) }

// randomBatches is the loss of n updates on single records drawn anew, where all other
// records have the gradient of the second data set: at the first one's gradient, given any w,
// ln of ((1/n)ρ(0) + (1−1/n)ρ(Δ))/ρ(Δ), and the sum over the updates.
func randomBatches(claimed func(n, alpha float64) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "privacy loss of n updates", Sense: verify.AtMost, Proof: proof,
		Domain: "b = 1, n ∈ {1, 2, 10, 1000}, α ∈ {0.01, 1, 10}, d ≥ 2, a gradient that moves by 2(1 − 10⁻⁶), w so long " +
			"that updates do not turn it",
		Points: func(add func(formula.Point)) {
			for _, n := range []float64{1, 2, 10, 1000} {
				for _, alpha := range alphas {
					far := sphereNoise(alpha, []float64{2 * (1 - 1e-6), 0}) - sphereNoise(alpha, []float64{0, 0})
					update := math.Log(1/n+(1-1/n)*math.Exp(far)) - far
					add(formula.Point{Place: formula.Placef("n=%g, α=%g", n, alpha), Measured: n * update, Claimed: claimed(n, alpha),
						Show: true})
				}
			}
		},
	}
}

// responses are products of randomized responses, the pair that pure privacy allows to
// differ most.
func responses(share float64) verify.Check {
	return privacy.Exact{
		Domain: "T randomized responses with ε_i as named",
		Proof:  "ln of a product of ratios is the sum of their logarithms, each at most ε_i; randomized responses reach it",
		Pairs: func() ([]privacy.DistributionPair, error) {
			var pairs []privacy.DistributionPair
			for _, c := range []struct {
				at       string
				epsilons []float64
			}{
				{"one ε = 1", []float64{1}}, {"ε = 0.5 and 2", []float64{0.5, 2}},
				{"ten ε = 0.01", []float64{0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01}},
			} {
				p, q := []float64{1}, []float64{1}
				for _, e := range c.epsilons {
					m, err := paper.RandomizedResponse(e)
					if err != nil {
						return nil, err
					}
					p, q = product(p, m[0]), product(q, m[1])
				}
				sum, err := bounds.SequentialComposition(c.epsilons...)
				if err != nil {
					return nil, err
				}
				pairs = append(pairs, privacy.DistributionPair{Place: c.at, P: p, Q: q, Epsilon: share * sum})
			}
			return pairs, nil
		},
	}
}

// product is the law of two independent outcomes.
func product(a []float64, b [2]float64) []float64 {
	out := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x*y)
		}
	}
	return out
}

// updatesTell is what the number of iterates alone gives away of a data set and one without its last
// record, or with another in its place.
func updatesTell(replaced bool) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return privacy.Exact{
			Domain: "the number of iterates of a pass, at n = 2, 10 and 50 and b = 1",
			Proof:  "it is the number of records",
			Pairs: func() ([]privacy.DistributionPair, error) {
				var pairs []privacy.DistributionPair
				for _, n := range []int{2, 10, 50} {
					var steps [2]int
					other := n - 1
					if replaced {
						other = n
					}
					for k, rows := range []int{n, other} {
						data, _, err := dataset.Sphere(s.Common("rows"), rows, 2, 0)
						if err != nil {
							return nil, err
						}
						c := laplacesgd.Config{Lambda: paperLambda, Rate: rootRate, Batch: 1, Epochs: 1}
						run, err := laplacesgd.Private(ctx, s.Common("run"), data, c, laplacesgd.Privacy{Alpha: paperAlpha})
						if err != nil {
							return nil, err
						}
						steps[k] = run.Steps
					}
					at := fmt.Sprintf("%d and %s", n, verify.Plural(other, "record"))
					pair := privacy.DistributionPair{Place: at, P: []float64{1}, Q: []float64{1},
						Epsilon: paperAlpha}
					if steps[0] != steps[1] {
						pair.P, pair.Q = []float64{1, 0}, []float64{0, 1}
					}
					pairs = append(pairs, pair)
				}
				return pairs, nil
			},
		}.Prepare(ctx, s)
	})
}
