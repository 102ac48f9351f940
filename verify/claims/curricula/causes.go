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

// causeClaims are what the text says of its schedules and of the causes of its findings, in Sections
// 4.2, 6.2 and 6.3.
func causeClaims() []verify.Claim {
	return slices.Concat([]verify.Claim{
		{
			ID: "curricula/table-2/shape", Source: "Sect. 4.2", Kind: verify.Identity,
			Origin: verify.Reading, Place: "Sect. 4.2, first paragraph, of the schedule that is added to Table 1; \"similar\" " +
				"to the increasing quadratic one read as nearer to it than to the others",
			Statement: "of the increasing schedules of Table 1 the quadratic one is the nearest to the added exponential one, " +
				"by the largest difference of an epoch's multipliers, T = 20",
			Check: nearest(curricula.IncreasingQuadratic, "the schedules are all there are"),
			Control: verify.Control{Check: nearest(curricula.IncreasingLinear, ""), Want: checks.Refuted,
				Fault: "the linear one"},
		},
	}, gainClaims(), reasonClaims())
}

// gainClaims are the explanation of the logarithmic law by gains that slow down.
func gainClaims() []verify.Claim {
	const place = "Sect. 6.2, second paragraph, last sentence: the accuracy increases more slowly with smaller noise"
	return []verify.Claim{
		{
			ID: "curricula/log-law/slower", Source: "Sect. 6.2", Kind: verify.Consistency,
			Origin: verify.Reading, Place: place + ", which would give a logarithmic relationship to ε; \"more slowly\" read " +
				"by steps of the multiplier, as the example before it, 2.5 and 3.0, has it",
			Statement: "where accuracy is linear in log ε it increases more slowly with smaller noise: the gain from each " +
				"multiplier of 5 to 2 to the next smaller one falls with the multiplier, the ε recomputed as those of Table 2",
			Check: slowing(false),
			Control: verify.Control{Check: slowing(true), Want: checks.Holds,
				Fault: "none: gains per unit of ε in the place of gains per unit of the multiplier"},
			Corrected: "curricula/log-law/slower/corrected",
		},
		{
			ID: "curricula/log-law/slower/corrected", Source: "Sect. 6.2, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: place + ", with ε in the place of the noise",
			Statement: "where accuracy is linear in log ε it increases more slowly with larger ε: its gain per unit of ε " +
				"falls from each multiplier of 5 to 2 to the next smaller one",
			Check: slowing(true),
			Control: verify.Control{Check: slowing(false), Want: checks.Contradictory,
				Fault: "gains per unit of the multiplier"},
		},
		{
			ID: "curricula/table-4/gains", Source: "Table 4, Sect. 6.2", Kind: verify.Consistency,
			Origin: verify.Reading, Place: place + "; Table 4, multipliers 5 to 1: \"more slowly\" read as a smaller gain in " +
				"each step of one multiplier",
			Statement: "the printed accuracy of Table 4 without the sample curriculum gains less with each smaller " +
				"multiplier: from 5 to 4, from 4 to 3, from 3 to 2, from 2 to 1",
			Check:     printedGains(5),
			Control:   verify.Control{Check: printedGains(4), Want: checks.Holds, Fault: "none: from multiplier 4 on"},
			Corrected: "curricula/table-4/gains/corrected",
		},
		{
			ID: "curricula/table-4/gains/corrected", Source: "Table 4, corrected", Kind: verify.Consistency,
			Origin: verify.Correction, Place: place + "; Table 4, multipliers 4 to 1",
			Statement: "the printed accuracy of Table 4 without the sample curriculum gains less with each smaller multiplier " +
				"from 4 on: from 4 to 3, from 3 to 2, from 2 to 1",
			Check:   printedGains(4),
			Control: verify.Control{Check: printedGains(5), Want: checks.Contradictory, Fault: "the step from 5 to 4 let in"},
		},
		{
			ID: "curricula/log-law/ends", Source: "Table 4, Sect. 6.2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 6.2, third paragraph, first sentence: with multipliers approaching 1 the " +
				"linearity is disappearing; Table 4",
			Statement: "the printed accuracy of Table 4 at multiplier 1, without the sample curriculum, is farther from the " +
				"line in log ε through those at 2 to 5 than any of these is, the ε recomputed as those of Table 2",
			Check: offLine(1, "the points are all there are"),
			Control: verify.Control{Check: offLine(3, ""), Want: checks.Refuted,
				Fault: "multiplier 3, and the line through the others"},
		},
	}
}

// reasonClaims are Reasons 2 and 3 of Section 6.3, and what Reason 2 says of Algorithm 2.
func reasonClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "curricula/reason-2", Source: "Sect. 6.3, Reason 2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 6.3, Reason 2, the sentence on the repeated, fixed order, beside the default " +
				"of Sect. 4.1, second paragraph, a new random order each epoch",
			Statement: "over 20 epochs the fixed order of the sample curriculum makes fewer different batch gradients at one " +
				"θ than a new random order each epoch",
			Check: diversity(curricula.SampleShuffled),
			Control: verify.Control{Check: diversity(curricula.SampleFixed), Want: checks.Contradictory,
				Fault: "the default sample ordering of Algorithm 1 as printed, which is fixed too"},
		},
		{
			ID: "curricula/reason-3", Source: "Sect. 6.3, Reason 3", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Sect. 6.3, Reason 3, last sentence, at the training accuracy 0.9346 of the same " +
				"paragraph; \"affect\" read as bring into another batch, \"small subset\" as at most half",
			Statement: "as most samples are easy, the order of the sample curriculum affects a small subset of them: where it " +
				"only puts last the 6.54 % that the logistic regression misses, spread evenly over the default order, at most " +
				"half of all samples come into another batch",
			Check: displaced(0.0654, verify.AtMost, ""),
			Control: verify.Control{Check: displaced(0.001, verify.AtMost, ""), Want: checks.Holds,
				Fault: "none: one sample in a thousand is hard"},
			Corrected: "curricula/reason-3/corrected",
		},
		{
			ID: "curricula/reason-3/corrected", Source: "Sect. 6.3, Reason 3, corrected", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "in the place of Sect. 6.3, Reason 3, last sentence",
			Statement: "where the sample curriculum only puts last the 6.54 % that the logistic regression misses, spread " +
				"evenly over the default order, at least half of all samples come into another batch",
			Check: displaced(0.0654, verify.AtLeast, "a stable sort moves a sample up by the hard ones before it"),
			Control: verify.Control{Check: displaced(0.001, verify.AtLeast, ""), Want: checks.Refuted,
				Fault: "one sample in a thousand is hard"},
		},
		{
			ID: "curricula/alg-2/order/trained", Source: "Alg. 2, Sect. 5.1", Kind: verify.Sensitivity,
			Origin: verify.Implied, Place: "Sect. 5.1, step 1 (L is trained on the training data, without noise); Algorithm " +
				"2, lines \"Sort C\" to \"where\", with the accounting of Sect. 3.2",
			Statement: "with samples sorted by the loss of a model that is trained on them, a replaced record that keeps its " +
				"own rank moves the clipped batch gradients of an epoch by at most 2C in all",
			Check: retrained(),
			Control: verify.Control{Check: reordered(true, func(int) float64 { return 2 }, ""), Want: checks.Holds,
				Fault: "none: another, fixed model"},
			Corrected: "curricula/alg-2/order/corrected",
		},
	}
}

// apart is the largest difference of two schedules in an epoch, t from 0.
func apart(a, b curricula.Schedule) float64 {
	return floats.Distance(a.Multipliers(epochs, curricula.FromZero), b.Multipliers(epochs, curricula.FromZero),
		math.Inf(1))
}

// nearest holds the distance of a schedule from the added one against those of the other increasing schedules.
func nearest(candidate curricula.Schedule, proof string) verify.Check {
	added := curricula.IncreasingExponential
	return formula.Check{
		Quantity: "largest difference from the added schedule", Sense: verify.Below, Proof: proof, Domain: "T = 20, t from 0",
		Points: func(add func(formula.Point)) {
			for _, other := range curricula.Schedules()[4:8] {
				if other.Name != candidate.Name {
					add(formula.Point{Place: formula.Placef("%s against %s", candidate.Name, other.Name),
						Measured: apart(candidate, added), Claimed: apart(other, added), Show: true})
				}
			}
		},
	}
}

// slowing holds the gain in log ε of a step to the next smaller multiplier against that of the step before, per
// unit of the multiplier or of ε.
func slowing(perEpsilon bool) verify.Check {
	quantity := "gain in log ε"
	if perEpsilon {
		quantity = "gain in log ε per unit of ε"
	}
	return formula.Check{
		Quantity: quantity, Sense: verify.AtMost, Contradiction: true,
		Domain: "steps between the constant multipliers 5, 4, 3, 2 and 1; " + poissonWords + "conversion of Canonne, " +
			"Kamath & Steinke 2020",
		Points: func(add func(formula.Point)) {
			var epsilons []float64
			var failed error
			for c := 5.0; c >= 1; c-- {
				b, err := rdp(curricula.Constant(c).Multipliers(epochs, curricula.FromZero))
				failed, epsilons = cmp.Or(failed, err), append(epsilons, b.Estimate)
			}
			gain := func(i int) float64 {
				g := math.Log(epsilons[i] / epsilons[i-1])
				if perEpsilon {
					g /= epsilons[i] - epsilons[i-1]
				}
				return g
			}
			for i := 2; i < len(epsilons); i++ {
				add(formula.Point{Place: formula.Placef("multiplier %d to %d", 6-i, 5-i), Measured: gain(i), Claimed: gain(i - 1),
					Error: 1e-6, Show: true, Err: failed})
			}
		},
	}
}

// printedGains holds the gain of a step to the next smaller multiplier, in Table 4 from a multiplier on, against that
// of the step before.
func printedGains(from int) verify.Check {
	return formula.Check{
		Quantity: "gain in accuracy", Sense: verify.Below, Contradiction: true,
		Domain: "the printed accuracies of Table 4 without the sample curriculum", Proof: "the points are all there are",
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

// offLine holds the distance of the printed accuracy at a multiplier from the least-squares line in log ε through the
// others against theirs.
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
					Measured: math.Abs(outY - intercept - slope*outX), Claimed: math.Abs(y[i] - intercept - slope*x[i]), Error: 1e-5,
					Show: true, Err: failed})
			}
		},
	}
}

// diversity counts the different batch gradients of 20 epochs in a fixed order against those of another.
func diversity(other curricula.Sampling) verify.Check {
	return checks.Deferred(func(ctx context.Context, s verify.Settings) (verify.Check, error) {
		r := s.Stream("records")
		data := curricula.Samples{Y: make([]int, 1000), K: 1}
		for range data.Y {
			data.X = append(data.X, []float64{r.Float64()})
		}
		count := func(sampling curricula.Sampling) (float64, error) {
			// C is out of the way, and the loss linear in θ: a gradient tells its batch
			config := curricula.Config{Epochs: epochs, Batch: len(data.X) / steps, Rate: 1, Clip: 10, Sampling: sampling}
			seen := make(map[float64]bool)
			config.Observe = func(g []float64) { seen[g[0]] = true }
			_, err := curricula.Train(ctx, s.Stream("order", fmt.Sprint(sampling)), linear{1}, data, config)
			return float64(len(seen)), err
		}
		fixed, err := count(curricula.SampleFixed)
		if err != nil {
			return nil, err
		}
		others, err := count(other)
		return formula.Check{
			Quantity: "different batch gradients of the fixed order", Sense: verify.Below, Contradiction: true,
			Domain: "1,000 records, batches of 10, T = 20, a loss that is linear in θ",
			Points: formula.ListedPoints(formula.Point{Place: formula.Placef("against the default order"), Measured: fixed,
				Claimed: others,
				Tie:     fixed == others, Show: true}),
		}, err
	})
}

// displaced is the share of the 60,000 samples that a stable sort by easy and hard brings into another batch.
func displaced(hard float64, sense verify.Sense, proof string) verify.Check {
	return formula.Check{
		Quantity: "share of the samples that change their batch", Sense: sense, Proof: proof,
		Domain: "60,000 samples, batches of 600, hard ones spread evenly over the default order",
		Points: func(add func(formula.Point)) {
			losses, moved := make([]float64, steps*600), 0
			for i := range losses {
				losses[i] = math.Floor(float64(i+1)*hard) - math.Floor(float64(i)*hard)
			}
			for place, i := range curricula.Order(losses) {
				if place/600 != i/600 {
					moved++
				}
			}
			add(formula.Point{Place: formula.Placef("%g %% hard", 100*hard), Measured: float64(moved) / float64(len(losses)),
				Claimed: 0.5, Show: true})
		},
	}
}

// retrained sorts b records of gradients C and −C in turn by the loss of a logistic regression that is trained on
// them. The record replaced has a feature ten times all others together: its label decides on which side the easy
// ones are, and it has the least loss either way.
func retrained() verify.Check {
	return formula.Check{
		Quantity: "ℓ2 distance of an epoch's clipped gradients, in units of C", Sense: verify.AtMost,
		Domain: "b ∈ {3, 11, 101} batches of one record, gradients ±C in turn; the label of one record is changed",
		Points: func(add func(formula.Point)) {
			for _, b := range []int{3, 11, 101} {
				first, rank, err1 := trainedGradients(b, 0)
				second, other, err2 := trainedGradients(b, 1)
				p := formula.Point{Place: formula.Placef("b=%d", b), Claimed: 2, Show: true, Err: cmp.Or(err1, err2)}
				if p.Err == nil && rank != other {
					p.Err = fmt.Errorf("the record has the ranks %d and %d", rank, other)
				}
				if p.Err == nil {
					p.Measured = floats.Distance(first, second, 2)
				}
				add(p)
			}
		},
	}
}

// trainedGradients are those of an epoch, and the rank of the record of the given label.
func trainedGradients(b, label int) (gradients []float64, rank int, err error) {
	seen, shown := curricula.Samples{K: 2}, curricula.Samples{K: 2} // by L, and by the epoch
	for i := range b {
		x, y := float64(i)/float64(b), 0
		if i == b-1 {
			x, y = 10*float64(b), label
		}
		seen.X, seen.Y = append(seen.X, []float64{x}), append(seen.Y, y)
		shown.X, shown.Y = append(shown.X, []float64{0, float64(1 - 2*(i%2))}), append(shown.Y, 0)
	}
	ctx, r := context.Background(), rand.New(rand.NewPCG(0, 0))
	order, err := curricula.SampleCurriculum(ctx, r, seen, 1, b, 1)
	if err != nil {
		return nil, 0, err
	}
	config := curricula.Config{Epochs: 1, Batch: 1, Rate: 1, Clip: 1, Order: order}
	gradients, err = observed(secondFeature{linear{2}}, shown, config, nil)
	return gradients, slices.Index(order, b-1), err
}
