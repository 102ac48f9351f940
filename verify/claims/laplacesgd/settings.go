package laplacesgd

import (
	"context"
	"math"

	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// printedSettings names the places that print the parameters of the experiments.
const printedSettings = "Sect. 4.2, first paragraph (λ = 0.0001, α = 1, b, η_t), and Sect. 4.1 (sizes, dimensions)"

// setting is a data set with the sizes of an experiment.
type setting struct {
	name         string
	n, d, from   int // records; features; features before picking, 0 if all are used
	indifference int // batch size at which Sect. 4.3 calls private and non-private SGD almost identical
}

// settings lists the data sets of Figs. 1, 2, 3, 8 and 9: the rows that Sect. 4.1 prints and the features of the
// program, without the class.
var settings = []setting{
	{"MNIST", 60_000, 15, 784, 10}, {"KDD Cup", 50_000, 9, 34, 5}, {"Banknote", banknotePrinted, 4, 0, 10},
	{"Occupancy", 8_143, 5, 0, 0}, {"KDD Cup, all features", 50_000, 34, 0, 10},
}

// The number of rows of Banknote in Sect. 4.1 and in the file that it names.
const banknotePrinted, banknoteFile = 1_327, 1_372

// noiseScale is 2/α at the thesis's α.
const noiseScale = 2 / paperAlpha

func settingClaims() []verify.Claim {
	ten := runs{epochs: 10, alpha: paperAlpha, sizes: []size{{1, 1}, {7, 1}, {8, 2}, {3, 5}}}
	single := ten
	single.epochs = 1
	return []verify.Claim{
		{
			ID: "laplace-sgd/settings/noise", Kind: verify.Consistency, Origin: verify.Observation,
			Place: "Figs. 1-3, 8 and 9: " + printedSettings + "; Algorithm 1; Sect. 3.2, ‖x‖ ≤ 1; Sect. 4.3, the batch " +
				"sizes of \"almost identical\"",
			Statement: "on average an update's noise is much longer than any gradient. At b = 1 it is at least 28 times " +
				"as long on MNIST (15 features), 16 and 66 times on KDD Cup (9 and 34 features), 6 times on Banknote (4 " +
				"features), and 8 times on Occupancy (5). At the batch sizes of \"almost identical\" it is still 2.8 " +
				"times on MNIST (b = 10), and on KDD Cup 3.2 times with 9 features (b = 5) and 6.6 times with 34 (b = " +
				"10). Setting: Algorithm 1 as printed, α = 1, rows of norm at most 1",
			Check:    noiseOverGradient(1),
			Control:  checks.Faulty(noiseOverGradient(2), "batches of twice the size"),
			Formerly: []string{"laplace-sgd/settings/noise/mini-batch"},
		},
		{
			ID: "laplace-sgd/settings/noise/picked", Kind: verify.Consistency, Origin: verify.Observation,
			Place: "Sect. 4.1, last paragraph: rows of norm 1, then features picked (Figs. 1, 2, 4 and 7); Sect. 4.2, α = " +
				"1; eq. (7), whose 2 is for rows of norm 1",
			Statement: "MNIST's rows have norm 1 before 15 of 784 features are picked, and a root mean square norm of " +
				"√(15/784) = 0.14 after it. The noise is made for rows of norm 1, seven times as long as for norm 0.14",
			Check:   pickedNorm(settings[0]),
			Control: checks.Faulty(pickedNorm(settings[1]), "KDD Cup, 9 of 34 features"),
		},
		{
			ID: "laplace-sgd/settings/epochs", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Figs. 7 and 8, ten passes: " + aboutPasses + "the paragraph after Theorem 1 (the sum; its example has " +
				"α = 0.01) and those on Figs. 7 and 8; Sect. 4.2, first paragraph, α = 1",
			Statement: "the ten passes of Figs. 7 and 8 at α = 1 together cost 10, and not less. Some outputs are e¹⁰ = " +
				"22,026 times as likely under one of two neighboring data sets as under the other. Setting: noise of " +
				"density (7), rows of norm at most 1, all iterates released; the 20 repeated runs are not counted",
			Check:   ten.reaches(10),
			Control: checks.Faulty(single.reaches(10), "one pass"),
		},
		{
			ID: "laplace-sgd/settings/learning-rate", Kind: verify.Consistency, Origin: verify.Observation,
			Place: "Fig. 6, η = 1/(λt): " + aboutChoice + "the paragraph that shows Fig. 6, last sentence, which calls " +
				"1/(λt) the faster decreasing rate; Sect. 4.2, λ = 0.0001; Algorithm 1",
			Statement: "η = 1/(λt) decreases faster than 1/√t. But at λ = 10⁻⁴ it is larger at all 2,000 updates of " +
				"Fig. 6, 10,000 times at the first and 223 times at the last. The mean length of the first update's noise " +
				"is then over 1/λ = 10,000 (b = 5, d = 5, α = 1)",
			Check:    inverseOverRoot(2_000, 223),
			Control:  checks.Faulty(inverseOverRoot(2e8, 1), "2·10⁸ updates instead of 2,000"),
			Formerly: []string{"laplace-sgd/settings/learning-rate/first-update", "laplace-sgd/learning-rate/faster"},
		},
		{
			ID: "laplace-sgd/settings/learning-rate/guarantee", Kind: verify.Rate, Origin: verify.Implied,
			Place: "Fig. 6, the guarantee of 1/(λt): " + aboutChoice + "second paragraph, that 1/(λt) guarantees fast " +
				"convergence and that the objective is \"not very\" strongly convex, and the sentence after it, \"However " +
				"with the choice of λ\"; eq. (8), b = 5; Algorithm 1",
			Statement: "at λ = 10⁻⁴ the objective is not very strongly convex, as the thesis says. After the 2,000 " +
				"updates of Fig. 6 the guarantee of 1/(λt), E‖w_T − w*‖² ≤ 4G²/(λ²T), exceeds 2 ln 2/λ, which bounds " +
				"‖w*‖², the squared distance at w = 0. Setting: d = 5, b = 5, α = 1",
			Check:   guaranteeExceeds(2_000),
			Control: checks.Faulty(guaranteeExceeds(200_000), "a hundred times as many updates"),
		},
		{
			ID: "laplace-sgd/settings/noise/records", Kind: verify.Consistency, Origin: verify.Observation,
			Place: "Sect. 1, third paragraph, and Sect. 5, future work: more data is said to make up for more privacy; " +
				"eqs. (6) and (8); Sect. 4.2, η_t and λ",
			Statement: "with a fixed batch size, more records do not shorten the noise. Its mean square in the last w " +
				"after one pass rises with the number of records, 1,327, 8,143, 50,000 and 60,000. From first to last it " +
				"rises by a factor of at least 1.38 at b = 1 and 1.94 at b = 50. Setting: η = 1/√t, λ = 10⁻⁴, gradients " +
				"that do not depend on w",
			Check: noiseOverRecords(func(b, _ int) int { return b }),
			Control: checks.Faulty(noiseOverRecords(func(_, n int) int { return n / 100 }),
				"batches that grow with the records, b = n/100"),
		},
		{
			ID: "laplace-sgd/settings/noise/delta", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Alg. 1, line 1: v in the unit ball, as printed; " + printedSettings,
			Statement: "at dimensions up to 9, an update with the printed noise of Algorithm 1 (v in the unit ball) " +
				"needs δ > 1/n at ε = α = 1: on Banknote (d = 4 or 5), Occupancy (5 or 6), synthetic data (5) and KDD Cup " +
				"(9). At d = 15 (MNIST) and 34 (all of KDD Cup) δ is below 10⁻⁸",
			Check: printedDelta(false),
			Control: verify.Control{Check: printedDelta(true), Want: checks.Refuted, Fault: "small and large dimensions " +
				"interchanged"},
			Formerly: []string{"laplace-sgd/settings/noise/delta/large"},
		},
		{
			ID: "laplace-sgd/settings/short-batch", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Figs. 3 and 5, a short last batch: Sect. 4.1, fourth and fifth paragraph, sizes; Sect. 4.2, first " +
				"paragraph, b; Sect. 3.4, eq. (8), which does not mention a last batch with fewer than b records",
			Statement: "a last batch of b′ < b records costs b/b′ if it is averaged over its own b′ records and its " +
				"noise is divided by b as in eq. (8). The thesis does not mention such a batch. The cost is 6.66 on " +
				"Occupancy (b = 20, 3 records), 2.85 on Banknote's printed 1,327 rows (b = 20, 7 records) and 5 on the " +
				"1,372 rows of its file (b = 10, 2 records). Setting: α = 1, rows of norm at most 1",
			Check:   shortCost(laplacesgd.ShortMean),
			Control: checks.Faulty(shortCost(laplacesgd.ShortScaled), "the noise divided by b′"),
			Formerly: []string{"laplace-sgd/settings/short-batch/file", "laplace-sgd/sensitivity/last-batch/mean",
				"laplace-sgd/sensitivity/last-batch/mean/corrected", "laplace-sgd/single-pass/short-batch"},
		},
	}
}

// noiseOverGradient compares the mean length of the noise of one update with multiples of 1, an upper bound on the
// gradient of the logistic loss for rows of norm at most 1. It multiplies the batch sizes by larger.
func noiseOverGradient(larger int) verify.Check {
	return formula.Check{
		Quantity: "mean length of the noise over the longest gradient", Sense: verify.AtLeast,
		Domain: "the data sets with their dimensions; E‖Z‖/b = d²/(d+1)·2/(αb) of Algorithm 1 as printed, d/(d+1) times " +
			"the length under eq. (7); ‖∇ℓ‖ < 1",
		Proof: "the list contains every setting",
		Points: func(add func(formula.Point)) {
			for _, c := range []struct {
				setting, b int
				times      float64
			}{{0, 1, 28}, {1, 1, 16}, {2, 1, 6}, {3, 1, 8}, {4, 1, 66}, {0, 10, 2.8}, {1, 5, 3.2}, {4, 10, 6.6}} {
				s, b := settings[c.setting], c.b*larger
				add(formula.Point{Place: formula.Placef("%s, d=%d, b=%d", s.name, s.d, b), Claimed: c.times, Show: true,
					Measured: bounds.BallGammaMeanLength(s.d, noiseScale) / float64(b)})
			}
		},
	}
}

// pickedNorm compares the root mean square of ‖x‖ over the choice of features with 1/7, for rows of norm 1.
func pickedNorm(s setting) verify.Check {
	return formula.Check{
		Quantity: "root mean square norm of a row", Sense: verify.AtMost,
		Domain: "over the choice of features, for rows of norm 1 before it", Proof: "each feature is picked with the " +
			"same probability",
		Points: formula.ListedPoints(formula.Point{Place: formula.Placef("%s, %d of %d features", s.name, s.d, s.from),
			Measured: math.Sqrt(float64(s.d) / float64(s.from)), Claimed: 1. / 7, Show: true}),
	}
}

// noiseOverRecords compares the noise in the last w after one pass for increasing numbers of records.
func noiseOverRecords(batch func(b, n int) int) verify.Check {
	records := []int{settings[2].n, settings[3].n, settings[1].n, settings[0].n}
	return formula.Check{
		Quantity: "mean square noise in the last w over that for fewer records", Sense: verify.AtLeast,
		Grid: formula.Grid{formula.Over("b", 1, 5, 10, 50)}, Proof: "the list contains every size; d and α cancel",
		Domain: "from each number of records to the next, and from the first to the last at b = 1 and 50; gradients that " +
			"do not depend on w, which attain bounds.NoiseInIterate",
		At: func(at []float64, add func(formula.Point)) {
			noise := func(n int) float64 {
				b := batch(int(at[0]), n)
				return bounds.NoiseInIterate((n+b-1)/b, paperLambda, float64(b), rootOf)
			}
			for i, n := range records[1:] {
				add(formula.Point{Place: formula.Placef("%d and %d records", records[i], n), Claimed: 1, Error: 1e-9,
					Show:     i == 2,
					Measured: noise(n) / noise(records[i])})
			}
			if rise, ok := map[float64]float64{1: 1.38, 50: 1.94}[at[0]]; ok {
				add(formula.Point{Place: formula.Placef("%d and %d records", records[0], records[3]), Claimed: rise,
					Error: 1e-9,
					Show:  true, Measured: noise(records[3]) / noise(records[0])})
			}
		},
	}
}

func rootOf(t int) float64 { return 1 / math.Sqrt(float64(t)) }

// inverseOverRoot compares 1/(λt) with 1/√t up to a last update, at which the claimed ratio is at least factor.
func inverseOverRoot(last, factor float64) verify.Check {
	ratio := func(t float64) float64 { return 1 / (paperLambda * math.Sqrt(t)) }
	return formula.Check{
		Quantity: "factor", Sense: verify.AtLeast, Domain: "1/(λt) over 1/√t at the first and the last update; how much " +
			"faster 1/(λt) falls from one update to the next; the noise of the first update over 1/λ, Algorithm 1 as " +
			"printed",
		Proof: "the ratio 1/(λ√t) falls with t; ‖w*‖ ≤ √(2 ln 2/λ) = 118",
		Points: formula.ListedPoints(
			formula.Point{Place: formula.Placef("1/(λt) over 1/√t, t=1"), Measured: ratio(1), Claimed: 1e4, Show: true,
				Tie: true},
			formula.Point{Place: formula.Placef("1/(λt) over 1/√t, t=%g", last), Measured: ratio(last), Claimed: factor,
				Show: true},
			formula.Point{Place: formula.Placef("fall from t=1 to t=2"), Measured: ratio(1) / ratio(2), Claimed: 1,
				Show: true},
			formula.Point{Place: formula.Placef("fall to t=%g", last), Measured: ratio(last-1) / ratio(last), Claimed: 1,
				Show: true},
			formula.Point{Place: formula.Placef("noise of the first update over 1/λ, b=5, d=5"), Claimed: 1, Show: true,
				Measured: bounds.BallGammaMeanLength(5, noiseScale) / 5},
		),
	}
}

// guaranteeExceeds holds the guarantee against 2 ln 2/λ, with no more in G² than the noise of the updates at b = 5.
func guaranteeExceeds(updates float64) verify.Check {
	return formula.Check{
		Quantity: "4G²/(λ²T)", Sense: verify.Above, Proof: "the gradients make G² larger; the objective is ln 2 at w = 0",
		Domain: "the synthetic data, d = 5, b = 5, α = 1, Algorithm 1 as printed, G² ≥ E‖Z‖²/b²",
		Points: formula.ListedPoints(formula.Point{Place: formula.Placef("T=%g", updates), Show: true,
			Claimed:  2 * math.Ln2 / paperLambda,
			Measured: 4 * bounds.BallGammaMeanSquare(5, noiseScale) / 25 / (paperLambda * paperLambda * updates)}),
	}
}

// reaches compares the privacy loss of a run at its worst known output with epsilon, to 1e-5 relatively: the gradients
// of these outputs are 5e-7 below their supremum.
func (r runs) reaches(epsilon float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "privacy loss of a run", Sense: verify.Equals, Proof: passProof + "; Theorem 1 adds up the passes",
			Domain: "n records in batches of b, (n, b) ∈ {(1, 1), (7, 1), (8, 2), (3, 5)}, the last record replaced, d = " +
				"2, as in laplace-sgd/thm-1",
			Points: func(add func(formula.Point)) {
				for _, size := range r.sizes {
					loss, err := r.loss(ctx, s, size, size.n-1)
					add(formula.Point{Place: formula.Placef("n=%d, b=%d, passes: %d", size.n, size.b, r.epochs), Show: true,
						Measured: loss, Claimed: epsilon, Error: 1e-5, Err: err})
				}
			},
		}.Prepare(ctx, s)
	})
}

// printedDelta computes the least δ of one update at ε = α = 1, if the gradient moves by 2, which is 1 in units of
// 2/α. It compares n·δ with 1 at small dimensions and 1e-8/δ with 1 at large ones, or vice versa if exchanged.
func printedDelta(exchanged bool) verify.Check {
	return formula.Check{
		Quantity: "n·δ of an update at ε = α = 1 if d ≤ 9, else 1e-8/δ", Sense: verify.Above,
		Proof: "the list contains every setting, and the supremum of the movement",
		Domain: "noise and its translates by 0.25, 0.5, 0.75 and 1 times the supremum of the gradient's movement, the " +
			"one with the largest δ, on a grid of 100 lengths and 100 angles",
		Points: func(add func(formula.Point)) {
			for _, set := range []setting{{name: "Banknote, the class not counted", n: banknotePrinted, d: 4},
				{name: "Banknote", n: banknotePrinted, d: 5}, {name: "Occupancy, the class not counted", n: 8_143, d: 5},
				{name: "Occupancy", n: 8_143, d: 6}, {name: "synthetic", n: 10_000, d: 5}, {name: "KDD Cup", n: 50_000, d: 9},
				settings[0], settings[4]} {
				p := formula.Point{Place: formula.Placef("%s, d=%d", set.name, set.d), Claimed: 1, Show: true, Error: 0.1}
				delta := 0.0
				for _, share := range []float64{0.25, 0.5, 0.75, 1} {
					pair, err := bounds.NewBallGammaPair(set.d, share*paperAlpha, 100)
					if err != nil {
						p.Err = err
						break
					}
					delta = max(delta, pair.Delta(paperAlpha))
				}
				if p.Measured = float64(set.n) * delta; (set.d > 9) != exchanged {
					p.Measured = 1e-8 / delta
				}
				add(p)
			}
		},
	}
}

// shortCost computes the largest privacy loss of a last batch over the thesis's batch sizes: its sum, which moves by
// 2, is divided by one number and the noise of scale 2/α by another.
func shortCost(short laplacesgd.Short) verify.Check {
	return formula.Check{
		Quantity: "privacy loss of a last batch", Sense: verify.AtLeast, Proof: "the list contains every batch size; the " +
			"average over b′ records moves by 2/b′, and noise of scale 2/(αb′), or a sum divided by b, restores α",
		Domain: "the listed data sets, the b ∈ {1, 2, 5, 10, 20, 50} with the largest loss; it is also the loss of a " +
			"whole run, as each record is in one batch",
		Points: func(add func(formula.Point)) {
			for _, set := range []struct {
				name string
				n    int
				cost float64
			}{{"Banknote as printed", banknotePrinted, 2.85}, {"Banknote's file", banknoteFile, 5},
				{"Occupancy", settings[3].n, 6.66}} {
				worst := formula.Point{Claimed: set.cost, Show: true}
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
