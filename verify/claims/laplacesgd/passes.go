package laplacesgd

import (
	"context"
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
	double := single
	double.epochs = 2
	ten := runs{epochs: 10, alpha: 0.01, sizes: single.sizes}
	return []verify.Claim{
		{
			ID: "laplace-sgd/single-pass", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Sect. 4.3, \"Multiple passes\": the paragraph after Theorem 1, which calls α the parameter of a " +
				"single pass; Sect. 4.2, second paragraph; eqs. (7) and (8); eq. (1), for a changed value of one record. " +
				"Sects. 1 and 3.1 also ask whether a person is in the data: at b = 1 the number of iterates, n, reveals it",
			Statement: "one pass over disjoint batches is α-differentially private with all iterates released, if the " +
				"value of one record changes. Setting: batches of eq. (8), the short last one included and its sum " +
				"divided by b; noise of density (7), rows of norm at most 1",
			Check: single.against(1, passProof+"; the same holds for passes that leave the short batch out, or divide its "+
				"sum and its noise by its own size", laplacesgd.ShortPrinted, laplacesgd.ShortDrop, laplacesgd.ShortScaled),
			Control: checks.Faulty(double.against(1, "", laplacesgd.ShortPrinted), "two passes"),
			Formerly: []string{"laplace-sgd/single-pass/short-batch/corrected", "laplace-sgd/single-pass/short-batch/program",
				"laplace-sgd/single-pass/presence"},
		},
		{
			ID: "laplace-sgd/single-pass/random-batches", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Sect. 3.3, the line before eq. (5): \"randomly chosen batch\"; Sect. 4.2, last paragraph, " +
				"permutations; Theorem 1",
			Statement: "if each of n updates draws its record independently from all n records, the n updates cost n " +
				"ln(1+(e^α−1)/n) instead of α: 1.72 at α = 1 and n = 1000. This is another reading of \"randomly chosen " +
				"batch\" before eq. (5), without the permutations of Sect. 4.2. Setting: noise of density (7), rows of " +
				"norm at most 1, b = 1",
			Check:    randomBatches(func(n, alpha float64) float64 { return n * math.Log1p(math.Expm1(alpha)/n) }),
			Control:  checks.Faulty(randomBatches(func(_, alpha float64) float64 { return alpha }), "α for the whole pass"),
			Formerly: []string{"laplace-sgd/single-pass/random-batches/corrected"},
		},
		{
			ID: "laplace-sgd/thm-1", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Sect. 4.3, the paragraph after Theorem 1: its example",
			Statement: "ten passes over the same disjoint batches at α = 0.01 are together 0.1-differentially private " +
				"with all iterates released. Setting: noise of density (7), rows of norm at most 1",
			Check: ten.against(0.1, passProof+"; Theorem 1 adds up the passes in any order, also if a pass depends on the "+
				"ones before", laplacesgd.ShortPrinted, laplacesgd.ShortDrop),
			Control:  checks.Faulty(ten.against(0.09, "", laplacesgd.ShortPrinted), "only nine passes accounted"),
			Formerly: []string{"laplace-sgd/thm-1/program"},
		},
		{
			ID: "laplace-sgd/thm-1/sum", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Theorem 1: Sect. 4.3, \"Multiple passes\"",
			Statement: "the outputs of T mechanisms on the same data, each ε_i-differentially private, are together " +
				"Σε_i-differentially private. Computed for randomized responses, which attain the sum",
			Check:   responses(1),
			Control: checks.Faulty(responses(0.9), "nine tenths of the sum claimed"),
		},
	}
}

const passProof = "given w, an update on a batch with the record moves by 2/b and has noise Z/b (‖z‖ − ‖z′‖ ≤ ‖z − " +
	"z′‖); updates without it have the same distribution, and no later update of the pass uses it"

type size struct{ n, b int }

// runs describes whole runs of SGD in dimension 2 that release all iterates, on two data sets that differ in one
// record.
type runs struct {
	epochs int
	alpha  float64
	short  laplacesgd.Short
	sizes  []size
}

// against compares the privacy loss of a run at its worst known output with epsilon, for every position of the
// differing record and several treatments of a short last batch.
func (r runs) against(epsilon float64, proof string, short ...laplacesgd.Short) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "privacy loss of a run", Sense: verify.AtMost, Proof: proof,
			Domain: "n records in batches of b, (n, b) ∈ {(1, 1), (7, 1), (7, 3), (8, 2), (10, 10), (3, 5)}, every place " +
				"of the record that differs, d = 2, w_0 of length 10⁶ nearly orthogonal to the two values of that record, " +
				"the others random; η_t = 1/√t, λ = 10⁻⁴; at the iterates of the run without noise on one data set, which " +
				"have the largest loss given each w",
			Points: func(add func(formula.Point)) {
				for _, r.short = range short {
					for _, size := range r.sizes {
						for place := range size.n {
							loss, err := r.loss(ctx, s, size, place)
							at := formula.Placef("n=%d, b=%d, record %d, passes: %d%s", size.n, size.b, place+1, r.epochs,
								shortWords[r.short])
							add(formula.Point{Place: at, Show: place == size.n-1, Measured: loss, Claimed: epsilon, Err: err})
						}
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

var shortWords = map[laplacesgd.Short]string{laplacesgd.ShortDrop: ", no short batch",
	laplacesgd.ShortScaled: ", a short batch divided by its size"}

// neighboring returns two data sets that differ in the record at place, whose two values are nearly orthogonal to e₁.
func neighboring(s verify.Settings, n, place int) (pair [2]*dataset.Dataset, err error) {
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

// loss returns the sum of the log density ratios of the updates, from the gradients of our implementation at its
// iterates and the noise density of package bounds.
func (r runs) loss(ctx context.Context, s verify.Settings, size size, place int) (float64, error) {
	pair, err := neighboring(s, size.n, place)
	if err != nil {
		return 0, err
	}
	w := []float64{1e6, 0}
	step, total := 0, 0.0
	var g [2][]float64
	g[0], g[1] = make([]float64, 2), make([]float64, 2)
	per := (size.n + size.b - 1) / size.b
	if divisor, _ := r.short.Divisors(size.b, size.n%size.b); divisor == 0 {
		per = size.n / size.b // no pass uses the short batch; if per is 0, add is never called
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

// randomBatches computes the privacy loss of n updates on independently drawn single records, if all other records have
// the gradient of the second data set's record. At the gradient of the first one, the loss of an update is
// ln(((1/n)ρ(0) + (1−1/n)ρ(Δ))/ρ(Δ)) for every w; the losses of the updates add up.
func randomBatches(claimed func(n, alpha float64) float64) verify.Check {
	return formula.Check{
		Quantity: "privacy loss of n updates", Sense: verify.Equals, Grid: formula.Grid{formula.Over("n", 2, 10, 1000),
			formula.Over("α", 0.01, 1)},
		Proof: "a batch contains the record with probability 1/n, which reduces α to ln(1+(e^α−1)/n) (Balle, Barthe & " +
			"Gaboardi 2018, Theorem 9, for pure privacy); Theorem 1 adds up the updates",
		Domain: "b = 1, d ≥ 2, a gradient that moves by 2(1 − 10⁻⁶), w so long that updates hardly rotate it",
		At: func(at []float64, add func(formula.Point)) {
			n, alpha := at[0], at[1]
			far := sphereNoise(alpha, []float64{2 * (1 - 1e-6), 0}) - sphereNoise(alpha, []float64{0, 0})
			update := math.Log(1/n+(1-1/n)*math.Exp(far)) - far
			add(formula.Point{Measured: n * update, Claimed: claimed(n, alpha), Error: 1e-4, Show: true})
		},
	}
}

// responses compares the privacy loss of several randomized responses with share times the sum of their ε. Randomized
// response is the extreme case of pure differential privacy.
func responses(share float64) verify.Check {
	return privacy.Exact{
		Domain: "T randomized responses with the listed ε_i",
		Proof: "the log of a product of ratios is the sum of their logs, each at most ε_i; randomized responses attain " +
			"it",
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

// product returns the joint distribution of two independent outcomes.
func product(a []float64, b [2]float64) []float64 {
	out := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x*y)
		}
	}
	return out
}
