package laplacesgd

import (
	"context"
	"math"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// releaseSettings are about what is released at the thesis's settings, and what it costs.
func releaseSettings() []verify.Claim {
	ten := runs{epochs: 10, alpha: paperAlpha, sizes: []size{{1, 1}, {7, 1}, {8, 2}, {3, 5}}}
	single := ten
	single.epochs = 1
	return []verify.Claim{
		{
			ID: "laplace-sgd/settings/epochs", Source: "Figs. 7 and 8, ten passes", Kind: verify.Privacy,
			Origin: verify.Observation,
			Place: aboutPasses + "the paragraph after Theorem 1 (the sum; its example has α = 0.01) " +
				"and those on Figs. 7 and 8 (ten passes); Sect. 4.2, first paragraph, α = 1",
			Statement: "the ten passes of Figs. 7 and 8 cost 10 in all, a likelihood ratio of 22,026, and no less",
			Check:     ten.reaches(10),
			Control:   verify.Control{Check: single.reaches(10), Want: checks.Refuted, Fault: "one pass"},
		},
		{
			ID: "laplace-sgd/settings/published", Source: "Figs. 1-9, all curves", Kind: verify.Privacy,
			Origin: verify.Observation,
			Place: "Sect. 4.2, first and last paragraph: batches, rates, 20 permutations with noise " +
				"of their own; Sect. 4.3, Figs. 1 to 9: which of them on which data; Theorem 1",
			Statement: "each curve is a mean of 20 private runs on the same data, and b and η are chosen by comparing them: " +
				"where every curve has runs of its own, Theorem 1 charges 540 for MNIST, 500 for Occupancy, 80 for KDD Cup and " +
				"40 for Banknote in all, where α = 1 is stated",
			Check:   publishedCost(20),
			Control: verify.Control{Check: publishedCost(1), Want: checks.Refuted, Fault: "one run a curve"},
		},
		{
			ID: "laplace-sgd/settings/published/delta", Source: "Figs. 1-9, all curves, by the accountant", Kind: verify.Privacy,
			Origin: verify.Observation, Place: "the lines of laplace-sgd/settings/published; δ = 10⁻⁶ is ours",
			Statement: "allowing δ = 10⁻⁶ helps little: 540 runs of which no more is known than that each is 1-private " +
				"leave ε above 300",
			Check:   composed(540),
			Control: verify.Control{Check: composed(40), Want: checks.Refuted, Fault: "said of Banknote's 40 runs"},
		},
		{
			ID: "laplace-sgd/settings/objective", Source: "Figs. 1-9, the objective", Kind: verify.Privacy,
			Origin: verify.Observation,
			Place: "Sect. 4.3, Figs. 1 to 9: objective values on the training data, after private " +
				"updates, without noise of their own; eq. (2)",
			Statement: "the objective on the training data is published without noise: with w known its loss of privacy is " +
				"infinite, as it moves with any record",
			Check:   objectiveTells(false),
			Control: verify.Control{Check: objectiveTells(true), Want: checks.Refuted, Fault: "the objective on other data"},
		},
		{
			ID: "laplace-sgd/settings/noise/delta", Source: "Alg. 1, Figs. 2, 3, 5, 6 and 8", Kind: verify.Privacy,
			Origin: verify.Observation, Place: "Algorithm 1, line 1, to the letter; " + printedSettings,
			Statement: "with noise of Algorithm 1 as printed an update at α = 1 is (1, δ)-private for no δ of 1/n or below on " +
				"Banknote (d = 5, or 4 without the class), Occupancy (6 or 5), the synthetic data (5) and KDD Cup (9)",
			Check: printedDelta(verify.Above, func(n int) float64 { return 1 / float64(n) }, small4To9),
			Control: verify.Control{Check: printedDelta(verify.Above, func(n int) float64 { return 1 / float64(n) },
				large15To34),
				Want: checks.Refuted, Fault: "said of MNIST at d = 15 and of all features of KDD Cup"},
		},
		{
			ID: "laplace-sgd/settings/noise/delta/large", Source: "Alg. 1, Figs. 1, 4, 7 and 9", Kind: verify.Privacy,
			Origin: verify.Observation, Place: "Algorithm 1, line 1, to the letter; " + printedSettings,
			Statement: "with noise of Algorithm 1 as printed an update at α = 1 is (1, 1e-8)-private at d = 15 (MNIST) and " +
				"d = 34 (all features of KDD Cup): its loss is infinite, and next to never seen",
			Check: printedDelta(verify.Below, func(int) float64 { return 1e-8 }, large15To34),
			Control: verify.Control{Check: printedDelta(verify.Below, func(int) float64 { return 1e-8 }, small4To9),
				Want: checks.Refuted, Fault: "said of d = 4 to 9"},
		},
		{
			ID: "laplace-sgd/settings/hiding", Source: "Sect. 3.4, the last w", Kind: verify.Privacy,
			Origin: verify.Observation, Place: "Sect. 3.4, eqs. (6) and (7); Sect. 4.2, η_t = 1/√t and a single pass",
			Statement: "where w_T alone is released, at b = 1, the record of the first update still costs all of α, whatever " +
				"later noise covers it: the noise with the largest step, the first, rules the tail",
			Check: lastIterateLoss(1, paperAlpha),
			Control: verify.Control{Check: lastIterateLoss(2, paperAlpha), Want: checks.Refuted,
				Fault: "said of the record of the second update, which costs α/√2"},
		},
		{
			ID: "laplace-sgd/settings/short-batch", Source: "Figs. 3 and 5, averages by the word", Kind: verify.Privacy,
			Origin: verify.Observation,
			Place: "Sect. 4.1, fourth and fifth paragraph: sizes; Sect. 4.2, first paragraph: b; " +
				"Sect. 3.4, eq. (8), of a last batch with fewer than b records, of which nothing is said: averaged over those " +
				"that it has",
			Statement: "a short last batch averaged over its own b′ records, its noise divided by b, costs b/b′: up to 6.66 " +
				"on Occupancy (b = 20, 3 records) and 2.85 on the 1,327 rows of Banknote (b = 20, 7 records), where α = 1 " +
				"is stated",
			Check: shortCost(laplacesgd.ShortMean, banknotePrinted, 2.85, 6.66),
			Control: verify.Control{Check: shortCost(laplacesgd.ShortPrinted, banknotePrinted, 2.85, 6.66), Want: checks.Refuted,
				Fault: "its sum divided by b, as eq. (8) prints it"},
		},
		{
			ID: "laplace-sgd/settings/short-batch/file", Source: "Fig. 3, averages by the word, the file's rows",
			Kind:   verify.Privacy,
			Origin: verify.Observation,
			Place: "the lines of laplace-sgd/settings/short-batch; Sect. 4.1, fourth paragraph: 1,327 " +
				"images, where the file that it names has 1,372",
			Statement: "a short last batch averaged over its own b′ records, its noise divided by b, costs up to 5 on the " +
				"1,372 rows of Banknote's file (b = 10, 2 records), where α = 1 is stated",
			Check: shortCost(laplacesgd.ShortMean, banknoteFile, 5),
			Control: verify.Control{Check: shortCost(laplacesgd.ShortMean, banknotePrinted, 5), Want: checks.Refuted,
				Fault: "said of 1,327 rows"},
		},
		{
			ID: "laplace-sgd/settings/picked/program", Source: "Fig. 2, the program of [1]", Kind: verify.Privacy,
			Origin: verify.Program, Place: mnistFile + ", line 11, and loadKDD.m, line 10",
			Statement: "the program picks some feature of KDD Cup twice in over two thirds of its draws: a row along it has " +
				"the norm √2 then, and an update at α = 1 costs 1.41 or more",
			Check: pickedTwice(34, 9),
			Control: verify.Control{Check: pickedTwice(784, 15), Want: checks.Refuted,
				Fault: "said of MNIST, 15 of 784 features"},
		},
		{
			ID: "laplace-sgd/settings/synthetic/program", Source: "Fig. 6, the program of [1]", Kind: verify.Privacy,
			Origin: verify.Program, Place: syntheticFile + ", line 7: rows of the cube [−1, 1]^5, not divided by their " +
				"norms; " + trainingFile + ", line 46: the noise of rows of norm 1",
			Statement: "the rows of Fig. 6 have norms up to √5, so that its updates at α = 1 cost up to 2.23 and more",
			Check:     cubeCost(math.Sqrt(5)),
			Control:   verify.Control{Check: cubeCost(1), Want: checks.Refuted, Fault: "rows divided by their norms"},
		},
	}
}

// reaches is the loss of a run at its worst known output against what it must be, to 1e-5 of it: the outputs
// have gradients that are short of their supremum by 5e-7.
func (r runs) reaches(epsilon float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "privacy loss of a run", Sense: verify.Equals, Proof: passProof + "; Theorem 1 adds the passes up",
			Domain: "n records in batches of b, (n, b) ∈ {(1, 1), (7, 1), (8, 2), (3, 5)}, the last record exchanged, d = 2, " +
				"as in laplace-sgd/thm-1",
			Points: func(add func(formula.Point)) {
				for _, size := range r.sizes {
					loss, err := r.loss(ctx, s, size, size.n-1)
					add(formula.Point{Place: formula.Placef("n=%d, b=%d, passes: %d", size.n, size.b, r.epochs), Show: true,
						Measured: loss,
						Claimed:  epsilon, Error: 1e-5, Err: err})
				}
			},
		}.Prepare(ctx, s)
	})
}

// curves are the private curves or points of a figure: Sect. 4.3.
type curves struct {
	set            string
	batches, rates int
	passes         []int
}

// published are Figs. 1 to 5 and 7 to 9, in this order.
var published = []curves{
	{"MNIST", 2, 1, []int{1}}, {"KDD Cup", 2, 1, []int{1}}, {"Banknote", 2, 1, []int{1}}, {"MNIST", 6, 2, []int{1}},
	{"Occupancy", 6, 2, []int{1}}, {"MNIST", 1, 1, []int{1, 2, 10}}, {"Occupancy", 1, 1, []int{1, 2, 10}},
	{"KDD Cup", 2, 1, []int{1}},
}

// publishedCost adds up α over curves, permutations and passes.
func publishedCost(permutations int) verify.Check {
	return formula.Check{
		Quantity: "sum of α over all private runs", Sense: verify.Equals, Proof: "counted, and added up by Theorem 1",
		Domain: "Figs. 1 to 5 and 7 to 9, all on the same records of a data set",
		Points: func(add func(formula.Point)) {
			for i, set := range []string{"MNIST", "Occupancy", "KDD Cup", "Banknote"} {
				var costs []float64
				for _, c := range published {
					for _, passes := range c.passes {
						for range c.batches * c.rates * permutations * passes {
							if c.set == set {
								costs = append(costs, paperAlpha)
							}
						}
					}
				}
				sum, err := bounds.SequentialComposition(costs...)
				add(formula.Point{Place: formula.Placef("%s", set), Measured: sum, Show: true, Err: err,
					Claimed: []float64{540, 500, 80, 40}[i]})
			}
		},
	}
}

// objectiveTells is the loss of the objective at a given w for two values of one record: none where they are
// the same number, infinite where not.
func objectiveTells(other bool) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "privacy loss of the objective at a known w", Sense: verify.Above,
			Domain: "the objective (2) of 100 synthetic records at w = (1, …, 1)/10, the last record replaced by its opposite",
			Proof:  "a number without noise that differs has no outcome in common",
			Points: func(add func(formula.Point)) {
				loss, err := objectiveLoss(s, other)
				add(formula.Point{Place: formula.Placef("n = 100, d = 5"), Measured: loss, Claimed: paperAlpha, Show: true,
					Err: err})
			},
		}.Prepare(ctx, s)
	})
}

func objectiveLoss(s verify.Settings, other bool) (float64, error) {
	const n, d = 100, 5
	data, _, err := dataset.Sphere(s.Common("rows"), n, d, 0.001)
	if err != nil {
		return 0, err
	}
	var values [2]float64
	for k := range values {
		rows, labels := make([]float64, 0, n*d), make([]float64, n)
		for i := range n {
			rows = append(rows, data.Row(i).Values...)
			if labels[i] = data.Label(i); i == n-1 && k == 1 && !other {
				labels[i] = -labels[i]
			}
		}
		neighbour, err := dataset.NewDense(d, rows, labels)
		if err != nil {
			return 0, err
		}
		values[k] = laplacesgd.Objective(paperLambda).Value([]float64{.1, .1, .1, .1, .1}, neighbour)
	}
	if values[0] == values[1] {
		return 0, nil
	}
	return math.Inf(1), nil
}

// dimensioned is a data set of some figure.
type dimensioned struct {
	name string
	n, d int
}

var (
	small4To9 = []dimensioned{{"Banknote, the class not counted", banknotePrinted, 4}, {"Banknote", banknotePrinted, 5},
		{"Occupancy, the class not counted", 8_143, 5}, {"Occupancy", 8_143, 6}, {"synthetic", 10_000, 5},
		{"KDD Cup", 50_000, 9}}
	large15To34 = []dimensioned{{"MNIST", 60_000, 15}, {"KDD Cup, all features", 50_000, 34}}
)

// printedDelta is the least δ of one update at ε = α = 1, the gradient moved by 2, which is 1 in units of 2/α.
func printedDelta(sense verify.Sense, claimed func(n int) float64, sets []dimensioned) verify.Check {
	return formula.Check{
		Quantity: "δ of an update at ε = α = 1", Sense: sense, Proof: "these are the settings, and the supremum of the " +
			"movement",
		Domain: "noise and its translate by a quarter, half, three quarters and all of the supremum of the gradient's " +
			"movement, whichever needs most, on a grid of 100 lengths and 100 angles",
		Points: func(add func(formula.Point)) {
			for _, set := range sets {
				p := formula.Point{Place: formula.Placef("%s, d=%d", set.name, set.d), Claimed: claimed(set.n), Show: true,
					Error: 0.1}
				for _, share := range []float64{0.25, 0.5, 0.75, 1} {
					pair, err := bounds.NewBallGammaPair(set.d, share*paperAlpha, 100)
					if err != nil {
						p.Err = err
						break
					}
					p.Measured = max(p.Measured, pair.Delta(paperAlpha))
				}
				add(p)
			}
		},
	}
}

// lastIterateLoss is the supremum of the loss of w_T for two values of the record of an update, where no
// gradient depends on w: the density of a sum of independent noise of scales s_t = 2η_t/α falls as that
// of the largest scale, so that a movement of 2η_k costs 2η_k/s_1 in the tail, and no output more than
// that, as the densities are radial and log-concave: their logarithms fall the steeper the
// farther out. At T = 2 in one dimension the density is known.
func lastIterateLoss(k int, claimed float64) verify.Check {
	return formula.Check{
		Quantity: "privacy loss of w_T in the tail", Sense: verify.Equals,
		Domain: "T = 2, λ = 0, d = 1 with gradients that move by 2, 40 to 200 scales out",
		Proof: "more updates have smaller scales, and leave the tail to the first; other records with rows of zeros are " +
			"allowed",
		Points: func(add func(formula.Point)) {
			first, second := noiseScale, noiseScale*rootOf(2)
			for _, scales := range []float64{40, 100, 200} {
				x := scales * first
				loss := logSumDensity(first, second, x) - logSumDensity(first, second, x+2*rootOf(k))
				add(formula.Point{Place: formula.Placef("record %d, %g scales "+
					"out", k, scales), Measured: loss, Claimed: claimed, Error: 1e-4,
					Show: true})
			}
		},
	}
}

// logSumDensity is ln of the density of the sum of two independent Laplace variables of scales a > b at x ≥ 0:
// (a e^(−x/a) − b e^(−x/b))/(2(a² − b²)).
func logSumDensity(a, b, x float64) float64 {
	return -x/a + math.Log(a-b*math.Exp(x/a-x/b)) - math.Log(2*(a*a-b*b))
}

// pickedTwice is the probability that some of the features drawn from all is drawn twice.
func pickedTwice(from, features int) verify.Check {
	return formula.Check{
		Quantity: "probability that a feature is picked twice", Sense: verify.Above, Proof: "1 − Π (1 − i/D)",
		Domain: "features drawn one after the other from all D",
		Points: func(add func(formula.Point)) {
			none := 1.0
			for i := range features {
				none *= 1 - float64(i)/float64(from)
			}
			add(formula.Point{Place: formula.Placef("%d of %d "+
				"features", features, from), Measured: 1 - none, Claimed: 2. / 3, Show: true})
		},
	}
}

// cubeCost is the loss of an update whose noise is for rows of norm 1, on rows of the norm that is given: at the
// gradient of one, with that of the other opposite (compare updateLoss).
func cubeCost(norm float64) verify.Check {
	return formula.Check{
		Quantity: "privacy loss of an update", Sense: verify.Above, Domain: "d = 5, α = 1, noise of density (7)",
		Proof: "the gradient moves by 2‖x‖; a ball of radius 1 has the share 8π²/15/2⁵ = .164 of the cube",
		Points: func(add func(formula.Point)) {
			moved := []float64{2 * norm, 0, 0, 0, 0}
			add(formula.Point{Place: formula.Placef("‖x‖=%.4g", norm), Show: true, Claimed: 2.23,
				Measured: sphereNoise(paperAlpha, make([]float64, 5)) - sphereNoise(paperAlpha, moved)})
		},
	}
}

// composed is ε of private runs by their optimal composition, at δ = 10⁻⁶.
func composed(count int64) verify.Check {
	return formula.Check{
		Quantity: "ε at δ = 10⁻⁶", Sense: verify.Above, Proof: "the optimal composition, which randomized response attains",
		Domain: "adaptive composition of runs that are 1-private each",
		Points: func(add func(formula.Point)) {
			o := accountant.OptimalComposition{Epsilon0: paperAlpha, K: count}
			bracket, err := o.Epsilon(1e-6)
			add(formula.Point{Place: formula.Placef("%d runs", count), Measured: bracket.Lower, Claimed: 300, Error: 1e-6,
				Show: true,
				Err:  err})
		},
	}
}

// shortCost is the largest loss of a last batch over the thesis's batch sizes: the movement 2 of its sum over the
// one divisor, against noise of scale 2/α over the other.
func shortCost(short laplacesgd.Short, banknote int, costs ...float64) verify.Check {
	return formula.Check{
		Quantity: "privacy loss of a last batch", Sense: verify.AtLeast, Proof: "these are all the batch sizes",
		Domain: "the rows that are named, b ∈ {1, 2, 5, 10, 20, 50}, the one that costs most",
		Points: func(add func(formula.Point)) {
			sets := []dimensioned{{name: "Banknote", n: banknote}, {name: "Occupancy", n: settings[3].n}}
			for i, cost := range costs {
				set, worst := sets[i], formula.Point{Claimed: cost, Show: true}
				for _, b := range paperBatches {
					size := set.n % b
					if size == 0 {
						size = b
					}
					sum, noise := short.Divisors(b, size)
					if loss := paperAlpha * noise / sum; loss > worst.Measured {
						worst.Measured, worst.Place = loss, formula.Placef("%s, n=%d, b=%d, %s", set.name, set.n, b,
							verify.Plural(size, "record"))
					}
				}
				add(worst)
			}
		},
	}
}
