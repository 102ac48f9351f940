package curricula

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

func mnistClaims() []verify.Claim {
	down, up := curricula.DecreasingLinear, curricula.IncreasingLinear
	return []verify.Claim{
		{
			ID: "curricula/noise-curriculum/mnist", Source: "Table 2, linear", Kind: verify.Experiment,
			Statement: "with linear schedules from 5 to 1, of equal ε, the decreasing one ends with the higher accuracy on MNIST in more than half of all runs; softmax regression, samples clipped",
			Check:     contest{digits, armOf("decreasing", down), armOf("increasing", up)},
			Twin:      verify.Twin{Check: contest{synthetic, armOf("increasing", up), armOf("decreasing", down)}, Want: checks.Refuted, Fault: "increasing for decreasing, on synthetic samples"},
		},
		{
			ID: "curricula/sample-curriculum/mnist", Source: "Table 4, first row", Kind: verify.Experiment,
			Statement: "without noise, a shuffled order ends with a higher accuracy on MNIST than the order by the loss of a logistic regression in more than half of all runs; softmax regression",
			Check:     contest{digits, plain("shuffled"), ordered()},
			Twin:      verify.Twin{Check: contest{synthetic, ordered(), plain("shuffled")}, Want: checks.Refuted, Fault: "the sorted order for the shuffled one, on synthetic samples"},
		},
	}
}

// arm is a way to train; train draws all it needs from r.
type arm struct {
	name  string
	train func(ctx context.Context, r *rand.Rand, m curricula.Model, train curricula.Data) (*curricula.Result, error)
}

// base is what the contests share: q = 0.01 and T = 20 as in Section 3.3, the noise
// on the sum of clipped gradients as in the usual libraries.
func base(n int) curricula.Config {
	return curricula.Config{Epochs: epochs, Batch: max(1, n/100), Rate: 0.15, Clip: 1, Clipping: curricula.ClipExample,
		Scale: curricula.ScaleMean, Sampling: curricula.SampleShuffled, Index: curricula.FromZero}
}

func armOf(name string, s curricula.Schedule) arm {
	return arm{name, func(ctx context.Context, r *rand.Rand, m curricula.Model, train curricula.Data) (*curricula.Result, error) {
		c := base(train.Len())
		c.Schedule = s
		return curricula.Train(ctx, r, m, train, c)
	}}
}

// plain has no noise. Sorted classes make a step of fixed length wander, so that
// samples are still clipped, in both arms alike.
func plain(name string) arm { return armOf(name, curricula.Schedule{}) }

func ordered() arm {
	return arm{"sorted", func(ctx context.Context, r *rand.Rand, m curricula.Model, train curricula.Data) (*curricula.Result, error) {
		c := base(train.Len())
		var err error
		if c.Order, err = curricula.SampleCurriculum(ctx, r, train, 3, c.Batch, 0.15); err != nil {
			return nil, err
		}
		c.Sampling = curricula.SampleFixed
		return curricula.Train(ctx, r, m, train, c)
	}}
}

// contest is a paired experiment: both arms are trained with randomness of their own
// and ranked by accuracy on the same test samples, ties by a fair coin. The number of
// runs that better wins is binomial, whatever the law of the accuracies.
type contest struct {
	data           func(s verify.Settings, n, tests int) (train, test curricula.Data, files string, err error)
	better, poorer arm
}

// contestRuns give, all won, a p-value of 2⁻³⁶, below any share of alpha. The same at
// every budget: with fewer nothing could be decided.
const contestRuns = 36

// Prepare trains all runs; they are few and long, and no shards of one sampling.
func (c contest) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	train, test, files, err := c.data(s, 200, 1000)
	if err != nil {
		return nil, err
	}
	wins, sum := int64(0), 0.0
	for run := range contestRuns {
		r := s.Stream("run", fmt.Sprint(run))
		var accuracy [2]float64
		for i, a := range []arm{c.better, c.poorer} {
			m, err := curricula.NewSoftmax(train.Dim(), train.Classes())
			if err != nil {
				return nil, err
			}
			result, err := a.train(ctx, r, m, train)
			if err != nil {
				return nil, err
			}
			accuracy[i] = curricula.Accuracy(m, result.Theta, test)
		}
		sum += accuracy[0] - accuracy[1]
		if accuracy[0] > accuracy[1] || accuracy[0] == accuracy[1] && r.IntN(2) == 0 {
			wins++
		}
	}
	return c.judge(wins, sum/contestRuns, s.Alpha, files)
}

func (c contest) judge(wins int64, mean, alpha float64, files string) (verify.Trial, error) {
	lower, upper, err := empirical.ClopperPearson(wins, contestRuns, alpha)
	if err != nil {
		return nil, err
	}
	cell := verify.Cell{
		At:      fmt.Sprintf("%s against %s: %d of %d runs won, mean difference in accuracy %+.4f", c.better.name, c.poorer.name, wins, contestRuns, mean),
		Claimed: verify.Num(0.5), Measured: verify.Num(float64(wins) / contestRuns), Lower: verify.Num(lower), Upper: verify.Num(upper), Samples: contestRuns,
	}
	e := verify.Evidence{
		Verdict: verify.Inconclusive, Quantity: "share of runs won", Sense: verify.Above, Samples: contestRuns, Data: files, Cells: []verify.Cell{cell},
		Method: "paired training on the same samples with randomness of its own, 200 training and 1,000 test samples, 20 epochs, batches of 2; Clopper-Pearson limits",
		Power:  fmt.Sprintf("a share of 0.95 or more is told from a half with probability %.2f or more", power(alpha, 0.95)),
	}
	switch {
	case lower > 0.5:
		e.Verdict = verify.Consistent
	case upper <= 0.5:
		e.Verdict = verify.Refuted
	}
	e.WorstOf(cell)
	return verify.Decided(e), nil
}

// power is the probability that a share of runs p is told from a half.
func power(alpha, p float64) float64 {
	total := 0.0
	logChoose := 0.0 // of contestRuns over k, from k = contestRuns down
	for k := int64(contestRuns); k > 0; k-- {
		if lower, err := empirical.BinomialLower(k, contestRuns, alpha/2); err != nil || !(lower > 0.5) {
			break
		}
		total += math.Exp(logChoose + float64(k)*math.Log(p) + float64(contestRuns-k)*math.Log1p(-p))
		logChoose += math.Log(float64(k)) - math.Log(float64(contestRuns-k+1))
	}
	return math.Min(1, total)
}

const mnistFile = "mnist-train-images-idx3-ubyte.gz"

// digits are the first images of MNIST.
func digits(s verify.Settings, n, tests int) (train, test curricula.Data, files string, err error) {
	if s.Data == "" {
		return nil, nil, "", &verify.MissingData{File: mnistFile}
	}
	a, b, err := dataset.OpenMNIST(s.Data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, "", &verify.MissingData{File: mnistFile, Dir: s.Data}
	}
	if err != nil {
		return nil, nil, "", err
	}
	return curricula.Images{Images: a, N: n}, curricula.Images{Images: b, N: tests}, "mnist", nil
}

// synthetic are overlapping Gaussian clouds in ten dimensions, one a class.
func synthetic(s verify.Settings, n, tests int) (train, test curricula.Data, files string, err error) {
	r := s.Stream("synthetic")
	draw := func(n int) curricula.Samples {
		c := curricula.Samples{K: 10}
		for i := range n {
			x := make([]float64, 10)
			for j := range x {
				x[j] = 0.5 * r.NormFloat64()
			}
			x[i%10]++
			c.X, c.Y = append(c.X, x), append(c.Y, i%10)
		}
		return c
	}
	return draw(n), draw(tests), "", nil
}
