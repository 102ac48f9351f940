package curricula

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

func sensitivityClaims() []verify.Claim {
	const ball = "a clipped gradient is in the ball of radius C, which has the diameter 2C; two samples with opposite " +
		"gradients of different norms attain it"
	mean := checks.Pair(verify.Claim{
		ID: "curricula/alg-1/sensitivity", Kind: verify.Sensitivity, Origin: verify.Implied,
		Place: "Algorithm 1, line \"Gradient clip\": with the noise of standard deviation F(t)C in the next line, and " +
			"Sect. 1 on neighboring datasets",
		Statement: "if the mean gradient of a batch is clipped to norm C, adding or removing one record of the batch " +
			"moves it by at most C",
		Check:    clipped(1, 0, ""),
		Formerly: []string{"curricula/alg-1/sensitivity/replace"},
	}, verify.Claim{
		Place: "Algorithm 1, line \"Gradient clip\": its sensitivity",
		Statement: "if the mean gradient of a batch is clipped to norm C, adding or removing one record moves it by at " +
			"most 2C, and some batches attain 2C (both batches nonempty)",
		Check: clipped(2, 2, ball),
	}, "the bound 2C", "the bound C")
	sorted := checks.Pair(verify.Claim{
		ID: "curricula/alg-2/order", Kind: verify.Sensitivity, Origin: verify.Implied,
		Place: "Algorithm 2, lines \"Sort C\" to \"where\": with the accounting of Sect. 3.2 for Algorithm 1",
		Statement: "if samples are sorted by the loss of another, fixed model, a replaced record moves the clipped " +
			"batch gradients of an epoch by at most 2C together, as with fixed batches",
		Check:    reordered(false, func(int) float64 { return 2 }, ""),
		Formerly: []string{"curricula/alg-2/order/attack", "curricula/alg-2/order/same-loss"},
	}, verify.Claim{
		Place: "Algorithm 2, lines \"Sort C\" to \"where\": the effect of a replaced record",
		Statement: "if samples are sorted, a replaced record moves the b clipped batch gradients of an epoch by at most " +
			"2C√b together, and some data attain this. An epoch costs as much as b epochs with fixed batches",
		Check: reordered(false, func(b int) float64 { return 2 * math.Sqrt(float64(b)) },
			"each of the b gradients moves by at most 2C"),
		Formerly: []string{"curricula/alg-2/order/attack/corrected"},
	}, "the bound 2C√b", "the bound 2C")
	return slices.Concat(mean, sorted)
}

// linear is the model L(θ; x) = ⟨θ, x⟩, whose gradient at a sample x is x.
type linear struct{ d int }

func (l linear) Params() int                    { return l.d }
func (l linear) Dim() int                       { return l.d }
func (linear) Classes() int                     { return 2 }
func (linear) Init(_ *rand.Rand, t []float64)   { clear(t) }
func (linear) Predict([]float64, []float64) int { return 0 }

func (linear) Gradient(theta, x []float64, _ int, g []float64) float64 {
	floats.Add(g, x)
	return floats.Dot(theta, x)
}

func (linear) Loss(theta, x []float64, _ int) float64 { return floats.Dot(theta, x) }

// clipped measures the sensitivity of the clipped mean gradient in one step of Algorithm 1 on one batch, with C = 1 and
// gradients of norm up to 10. If there is a proof, tight is the exact sensitivity.
func clipped(claimed, tight float64, proof string) verify.Check {
	check := sensitivity.Check{Quantity: "the clipped mean gradient of a batch, divided by C", Norm: sensitivity.L2,
		Adjacency: inputs.AddOrRemoveOneRecord,
		Proof:     proof, Evaluations: 8000}
	for _, c := range []struct{ n, d int }{{2, 1}, {3, 1}, {2, 2}, {5, 3}} {
		cell := sensitivity.Cell{
			Place: fmt.Sprintf("batch of %d, d = %d", c.n, c.d), OutputLength: c.d, N: c.n, Claimed: claimed,
			Records: sensitivity.Records{Ball: sensitivity.Ball{Dim: c.d, Norm: sensitivity.L2, Radius: 10}},
			Map: func(r *rand.Rand, in sensitivity.Input, dst []float64) error {
				if len(in.Records) == 0 {
					return nil
				}
				data := curricula.Samples{K: 1, Y: make([]int, len(in.Records))}
				for _, record := range in.Records {
					data.X = append(data.X, record.X)
				}
				config := curricula.Config{Epochs: 1, Batch: len(data.X), Rate: 1, Clip: 1, Clipping: curricula.ClipBatch,
					Observe: func(g []float64) { copy(dst, g) }}
				_, err := curricula.Train(context.Background(), r, linear{c.d}, data, config)
				return err
			},
		}
		if proof != "" {
			cell.Tight = verify.Num(tight)
		}
		check.Cells = append(check.Cells, cell)
	}
	return check
}

// reordered sorts b records by the loss of another model so that their gradients alternate between C and −C. It
// replaces the record of least loss and measures the ℓ2 distance of the b gradients of an epoch with batches of one
// record.
func reordered(sameRank bool, claimed func(b int) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "ℓ2 distance of an epoch's clipped gradients, divided by C", Sense: verify.AtMost, Proof: proof,
		Grid: formula.Grid{formula.Over("b", 1, 2, 10, 100)},
		Domain: "b batches of one record, alternating gradients ±C; one record has the least loss in one data set and " +
			"the greatest in the other",
		At: func(at []float64, add func(formula.Point)) {
			b := int(at[0])
			x, y := sortedPair(b, sameRank)
			first, err1 := epochGradients(x)
			second, err2 := epochGradients(y)
			p := formula.Point{Claimed: claimed(b), Show: true, Err: cmp.Or(err1, err2)}
			if p.Err == nil {
				p.Measured = floats.Distance(first, second, 2)
			}
			add(p)
		},
	}
}

// sortedPair returns neighboring data sets of b records (feature of the ordering model, gradient).
func sortedPair(b int, sameRank bool) (x, y curricula.Samples) {
	sign := func(i int) float64 { return float64(1 - 2*(i%2)) }
	x, y = curricula.Samples{K: 2}, curricula.Samples{K: 2}
	for i := range b {
		for _, s := range []*curricula.Samples{&x, &y} {
			s.X, s.Y = append(s.X, []float64{float64(i) / float64(b), sign(i)}), append(s.Y, 0)
		}
	}
	y.X[0] = []float64{2, sign(b)} // continues the alternating signs at the end
	if sameRank {
		y.X[0] = []float64{0, -sign(0)}
	}
	return x, y
}

// secondFeature is the linear model that uses only the second feature.
type secondFeature struct{ linear }

func (secondFeature) Params() int { return 1 }

func (secondFeature) Gradient(theta, x []float64, _ int, g []float64) float64 {
	g[0] += x[1]
	return theta[0] * x[1]
}

// epochGradients sorts samples by the loss of a fixed logistic regression on the first feature, and returns the
// gradients of one epoch of Algorithm 2 with batches of one sample, without noise.
func epochGradients(data curricula.Samples) ([]float64, error) {
	model, err := curricula.NewSoftmax(2, 2)
	if err != nil {
		return nil, err
	}
	theta := make([]float64, model.Params())
	theta[1] = 1 // the logit of class 1 is the first feature, so the loss of class 0 increases with it
	losses, err := curricula.Losses(model, theta, data)
	if err != nil {
		return nil, err
	}
	config := curricula.Config{Epochs: 1, Batch: 1, Rate: 1, Clip: 1, Order: curricula.Order(losses)}
	return observed(secondFeature{linear{2}}, data, config, nil)
}

// noise is a noise multiplier and the generator of the noise.
type noise struct {
	multiplier float64
	r          *rand.Rand
}

// observed returns the concatenated gradients that a run releases. If noisy is nil, they have no noise.
func observed(m curricula.Model, data curricula.Samples, config curricula.Config,
	noisy *noise) (all []float64, err error) {
	r := rand.New(rand.NewPCG(0, 0)) // a run without noise releases nothing random
	if noisy != nil {
		config.Schedule, r = curricula.Constant(noisy.multiplier), noisy.r
	}
	config.Observe = func(g []float64) { all = append(all, g...) }
	_, err = curricula.Train(context.Background(), r, m, data, config)
	return all, err
}
