package curricula

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/dpverify/dpverify/algorithms/curricula"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// causeClaims returns the claims about the explanations in Sections 6.2 and 6.3.
func causeClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "curricula/table-4/gains", Kind: verify.Consistency, Origin: verify.Reading,
			Place: "Table 4 and Sect. 6.2, second paragraph, last sentence: the accuracy increases more slowly with " +
				"smaller noise, applied to the multipliers 4 to 1",
			Statement: "without the sample curriculum, the printed accuracy of Table 4 gains less with each smaller " +
				"multiplier from 4 on: from 4 to 3, from 3 to 2, from 2 to 1",
			Check:   printedGains(4),
			Control: checks.Faulty(printedGains(5), "the step from 5 to 4 included"),
			Formerly: []string{"curricula/table-4/gains/corrected", "curricula/log-law/slower",
				"curricula/log-law/slower/corrected"},
		},
		{
			ID: "curricula/log-law/ends", Kind: verify.Consistency, Origin: verify.Stated,
			Place: "Table 4 and Sect. 6.2, third paragraph, first sentence: with multipliers approaching 1 the linearity " +
				"is disappearing",
			Statement: "without the sample curriculum, the printed accuracy of Table 4 at multiplier 1 is farther from " +
				"the line in log ε through the accuracies at 2 to 5 than any of these. The accounting of Table 2 gives the ε",
			Check:   offLine(1, "Table 4 has no other points"),
			Control: checks.Faulty(offLine(3, ""), "multiplier 3, and the line through the others"),
		},
		{
			ID: "curricula/reason-2", Kind: verify.Consistency, Origin: verify.Stated,
			Place: "Sect. 6.3, Reason 2: the sentence on the repeated, fixed order, compared with the default of Sect. " +
				"4.1, second paragraph, a new random order each epoch",
			Statement: "at one θ, the fixed order of the sample curriculum makes less than a tenth as many different " +
				"batch gradients as a new random order each epoch. Setting: 20 epochs of 100 batches, 1,000 records, no " +
				"noise",
			Check: diversity(curricula.SampleShuffled),
			Control: checks.Faulty(diversity(curricula.SampleFixed),
				"the sample order of Algorithm 1 as printed, which is fixed"),
		},
		{
			ID: "curricula/alg-2/order/trained", Kind: verify.Sensitivity, Origin: verify.Implied,
			Place: "Sect. 5.1, step 1: L is trained on the training data, without noise; Algorithm 2, lines \"Sort C\" to " +
				"\"where\", with the accounting of Sect. 3.2",
			Statement: "if samples are sorted by the loss of a model trained on them, a replaced record that keeps its " +
				"own rank moves the clipped batch gradients of an epoch by at most 2C together",
			Check: retrained(),
			Control: verify.Control{Check: reordered(true, func(int) float64 { return 2 }, ""), Want: checks.Holds,
				Fault: "none: another, fixed model"},
			Corrected: "curricula/alg-2/order/corrected",
		},
	}
}

// printedGains compares the gain in accuracy of each step to the next smaller multiplier with the gain of the step
// before, in Table 4 from the given multiplier on.
func printedGains(from int) verify.Check {
	return formula.Check{
		Quantity: "gain in accuracy", Sense: verify.Below,
		Domain: "the printed accuracies of Table 4 without the sample curriculum", Proof: "Table 4 has no other points",
		Points: func(add func(formula.Point)) {
			accuracy := func(multiplier int) float64 {
				a, _, err := paper.CurriculaTable4.Number(fmt.Sprint(multiplier), "without")
				if err != nil {
					return math.NaN()
				}
				return a
			}
			gain := func(multiplier int) float64 { return accuracy(multiplier-1) - accuracy(multiplier) }
			for m := from - 1; m >= 2; m-- {
				add(formula.Point{Place: formula.Placef("multiplier %d to %d", m, m-1), Measured: gain(m), Claimed: gain(m + 1),
					Error: 1e-9, Show: true})
			}
		},
	}
}

// offLine compares the distance of the printed accuracy at one multiplier from the least-squares line in log ε through
// the others with the distances of the others.
func offLine(out float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "distance from the line", Sense: verify.Above, Proof: proof,
		Domain: "constant multipliers 1 to 5 of Table 4, without the sample curriculum",
		Points: func(add func(formula.Point)) {
			var x, y []float64
			var outX, outY float64
			var failed error
			for c := 1.0; c <= 5; c++ {
				accuracy, _, err1 := paper.CurriculaTable4.Number(fmt.Sprint(c), "without")
				b, err2 := rdp(curricula.Constant(c).Multipliers(epochs, curricula.FromZero))
				if failed = cmp.Or(failed, err1, err2); c == out {
					outX, outY = math.Log(b.Estimate), accuracy
					continue
				}
				x, y = append(x, math.Log(b.Estimate)), append(y, accuracy)
			}
			intercept, slope := stat.LinearRegression(x, y, nil, false)
			for i := range x {
				add(formula.Point{Place: formula.Placef("multiplier %g against the point at log ε = %.3f", out, x[i]),
					Measured: math.Abs(outY - intercept - slope*outX), Claimed: math.Abs(y[i] - intercept - slope*x[i]),
					Error: 1e-5,
					Show:  true, Err: failed})
			}
		},
	}
}

// diversity compares the number of different batch gradients in 20 epochs of a fixed order with a tenth of the number
// under another sampling scheme.
func diversity(other curricula.Sampling) verify.Check {
	return checks.Deferred(func(ctx context.Context, s verify.Settings) (verify.Check, error) {
		r := s.Stream("records")
		data := curricula.Samples{Y: make([]int, 1000), K: 1}
		for range data.Y {
			data.X = append(data.X, []float64{r.Float64()})
		}
		count := func(order string, sampling curricula.Sampling) (float64, error) {
			// C is above all gradients, and the loss is linear in θ, so that equal gradients mean equal batches.
			config := curricula.Config{Epochs: epochs, Batch: len(data.X) / steps, Rate: 1, Clip: 10, Sampling: sampling}
			seen := make(map[float64]bool)
			config.Observe = func(g []float64) { seen[g[0]] = true }
			_, err := curricula.Train(ctx, s.Stream("order", order), linear{1}, data, config)
			return float64(len(seen)), err
		}
		fixed, err := count("fixed", curricula.SampleFixed)
		if err != nil {
			return nil, err
		}
		others, err := count("other", other)
		return formula.Check{
			Quantity: "different batch gradients of the fixed order", Sense: verify.Below,
			Domain: "1,000 records, batches of 10, T = 20, a loss that is linear in θ",
			Points: formula.ListedPoints(formula.Point{Place: formula.Placef("against a tenth of the default order's"),
				Measured: fixed,
				Claimed:  others / 10, Show: true}),
		}, err
	})
}

// retrained sorts b records, whose gradients alternate between C and −C, by the loss of a logistic regression trained
// on them. The replaced record has a much larger feature than the others: its label decides the sign of the slope and
// so the order of the others, and it has the least loss with either label.
func retrained() verify.Check {
	return formula.Check{
		Quantity: "ℓ2 distance of an epoch's clipped gradients, divided by C", Sense: verify.AtMost,
		Grid:   formula.Grid{formula.Over("b", 3, 11, 101)},
		Domain: "b batches of one record, alternating gradients ±C; the label of one record is changed",
		At: func(at []float64, add func(formula.Point)) {
			first, rank, err1 := trainedGradients(int(at[0]), 0)
			second, other, err2 := trainedGradients(int(at[0]), 1)
			p := formula.Point{Claimed: 2, Show: true, Err: cmp.Or(err1, err2)}
			if p.Err == nil && rank != other {
				p.Err = fmt.Errorf("the record has the ranks %d and %d", rank, other)
			}
			if p.Err == nil {
				p.Measured = floats.Distance(first, second, 2)
			}
			add(p)
		},
	}
}

// trainedGradients returns the gradients of an epoch and the rank of the record with the given label.
func trainedGradients(b, label int) (gradients []float64, rank int, err error) {
	seen, shown := curricula.Samples{K: 2}, curricula.Samples{K: 2} // data of the ordering model, and of the epoch
	for i := range b {
		x, y := float64(i)/float64(b), 0
		if i == b-1 {
			x, y = 10*float64(b), label
		}
		seen.X, seen.Y = append(seen.X, []float64{x}), append(seen.Y, y)
		shown.X, shown.Y = append(shown.X, []float64{0, float64(1 - 2*(i%2))}), append(shown.Y, 0)
	}
	ctx, r := context.Background(), rand.New(rand.NewPCG(0, 0))
	order, err := curricula.SampleCurriculum(ctx, r, seen)
	if err != nil {
		return nil, 0, err
	}
	config := curricula.Config{Epochs: 1, Batch: 1, Rate: 1, Clip: 1, Order: order}
	gradients, err = observed(secondFeature{linear{2}}, shown, config, nil)
	return gradients, slices.Index(order, b-1), err
}
