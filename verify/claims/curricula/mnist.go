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
	"github.com/dpverify/dpverify/empirical/limits"
	"github.com/dpverify/dpverify/internal/ziggurat"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/series"
)

func mnistClaims() []verify.Claim {
	down, up := curricula.DecreasingLinear, curricula.IncreasingLinear
	return []verify.Claim{
		{
			ID: "curricula/noise-curriculum/mnist", Source: "Table 2, linear", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Sect. 6.1, first paragraph, of Table 2; softmax regression is ours",
			Statement: "with linear schedules from 5 to 1, of equal ε, the decreasing one ends with the higher accuracy on " +
				"MNIST in more than half of all runs; softmax regression on " +
				"pixels averaged over 2 × 2, trained on 1,000 images, samples clipped",
			Check: contest{digits, armOf("decreasing", down), armOf("increasing", up)},
			Twin: verify.Twin{Check: contest{synthetic, armOf("increasing", up), armOf("decreasing", down)},
				Want: checks.Refuted, Fault: "increasing for decreasing, on synthetic samples"},
		},
		{
			ID: "curricula/sample-curriculum/mnist", Source: "Table 4, first row", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Sect. 5.2, last paragraph, of Table 4, first row; softmax regression is ours",
			Statement: "without noise, batch gradients clipped as printed, a shuffled order ends with a higher accuracy on " +
				"MNIST than the order by the loss of a logistic regression in more than half of all runs; softmax regression on " +
				"pixels averaged over 2 × 2, trained on 1,000 images",
			Check: contest{digits, plain("shuffled", curricula.ClipBatch), ordered(curricula.ClipBatch)},
			Twin: verify.Twin{Check: contest{synthetic, noisy("multiplier 20", 20), plain("no noise", curricula.ClipBatch)},
				Want: checks.Refuted, Fault: "noise of multiplier 20 for the shuffled order, none for the sorted one, " +
					"on synthetic samples"},
		},
		{
			ID: "curricula/sample-curriculum/mnist/per-example", Source: "Table 4, first row, clipped as in reference [1]",
			Kind:   verify.Experiment,
			Origin: verify.Reading,
			Place:  "Sect. 5.2, last paragraph, of Table 4, first row, each sample clipped as in reference [1]",
			Statement: "without noise, the gradient of each sample clipped, a shuffled order ends with a higher accuracy on " +
				"MNIST than the order by the loss of a logistic regression in more than half of all runs; softmax regression on " +
				"pixels averaged over 2 × 2, trained on 1,000 images",
			Check: contest{digits, plain("shuffled", curricula.ClipExample), ordered(curricula.ClipExample)},
			Twin: verify.Twin{Check: contest{synthetic, noisy("multiplier 20", 20),
				plain("no noise", curricula.ClipExample)}, Want: checks.Refuted,
				Fault: "noise of multiplier 20 for the shuffled order, none for the sorted one, on synthetic samples"},
			Corrected: "curricula/sample-curriculum/mnist",
		},
	}
}

// arm is a way to train; train draws all it needs from r.
type arm struct {
	name  string
	train func(ctx context.Context, r *rand.Rand, m curricula.Model, train curricula.Data) (*curricula.Result, error)
}

// base is what the contests share: q = 0.01 as in Section 3.3, ten epochs, the noise
// on the sum of clipped gradients as in the usual libraries.
func base(n int) curricula.Config {
	return curricula.Config{Epochs: contestEpochs, Batch: max(1, n/steps), Rate: 0.15, Clip: 1,
		Clipping: curricula.ClipExample,
		Scale:    curricula.ScaleMean, Sampling: curricula.SampleShuffled, Index: curricula.FromZero}
}

func armOf(name string, s curricula.Schedule) arm {
	return arm{name, func(ctx context.Context, r *rand.Rand, m curricula.Model, train curricula.Data) (*curricula.Result,
		error) {
		c := base(train.Len())
		c.Schedule = s
		return curricula.Train(ctx, r, m, train, c)
	}}
}

// plain has no noise, and clips to C = 1 all the same.
func plain(name string, clipping curricula.Clipping) arm {
	return arm{name, func(ctx context.Context, r *rand.Rand, m curricula.Model, train curricula.Data) (*curricula.Result,
		error) {
		c := base(train.Len())
		c.Clipping = clipping
		return curricula.Train(ctx, r, m, train, c)
	}}
}

func noisy(name string, multiplier float64) arm { return armOf(name, curricula.Constant(multiplier)) }

func ordered(clipping curricula.Clipping) arm {
	return arm{"sorted", func(ctx context.Context, r *rand.Rand, m curricula.Model,
		train curricula.Data) (*curricula.Result, error) {
		c := base(train.Len())
		c.Clipping, c.Sampling = clipping, curricula.SampleFixed
		var err error
		if c.Order, err = curricula.SampleCurriculum(ctx, r, train, 3, c.Batch, 0.15); err != nil {
			return nil, err
		}
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

const (
	contestEpochs  = 10
	contestSamples = 1000 // of training, and as many of testing
)

// contestRuns are 36 at the quick budget: all won, they have a p-value of 2⁻³⁶, below
// any share of alpha.
func contestRuns(b verify.Budget) int64 {
	switch b {
	case verify.Quick:
		return 36
	case verify.Thorough:
		return 288
	}
	return 96
}

// Prepare trains all runs; they are few and long, and no shards of one sampling.
func (c contest) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	train, test, files, err := c.data(s, contestSamples, contestSamples)
	if err != nil {
		return nil, err
	}
	runs, wins, sum := contestRuns(s.Budget), int64(0), 0.0
	var curves series.Curves
	for run := range runs {
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
			curves.AddAt("mean over the runs", a.name, accuracy[i])
		}
		sum += accuracy[0] - accuracy[1]
		if accuracy[0] > accuracy[1] || accuracy[0] == accuracy[1] && r.IntN(2) == 0 {
			wins++
		}
	}
	e, err := c.judge(wins, runs, sum/float64(runs), s.Alpha, files)
	e.Series = curves.Series("", "accuracy on the test samples")
	return verify.Decided(e), err
}

func (c contest) judge(wins, runs int64, average, alpha float64, files string) (verify.Evidence, error) {
	lower, upper, err := limits.ClopperPearson(wins, runs, alpha)
	if err != nil {
		return verify.Evidence{}, err
	}
	cell := verify.Cell{
		At: fmt.Sprintf("%s against %s: %d of %d runs won, mean difference in accuracy %+.4f", c.better.name,
			c.poorer.name, wins, runs, average),
		Claimed: verify.Num(0.5), Measured: verify.Num(float64(wins) / float64(runs)), Lower: verify.Num(lower),
		Upper: verify.Num(upper), Samples: runs,
	}
	e := verify.Evidence{
		Verdict: verify.Inconclusive, Quantity: "share of runs won", Sense: verify.Above, Samples: runs, Data: files,
		Cells: []verify.Cell{cell},
		Method: fmt.Sprintf("training of softmax regression on the same %d samples with randomness of its own, %d epochs, "+
			"batches of %d, as many test samples; Clopper-Pearson limits", contestSamples, contestEpochs, contestSamples/steps),
		Power: fmt.Sprintf("a share of 0.95 or more is told from a half with probability %.2f or more",
			power(runs, alpha, 0.95)),
	}
	switch {
	case lower > 0.5:
		e.Verdict = verify.Consistent
		e.Attempt = fmt.Sprintf("%d runs, of which %d were won: by its lower limit a share above %.3g, where half is claimed",
			runs, wins, lower)
	case upper <= 0.5:
		e.Verdict = verify.Refuted
		e.Counterexample = verify.Counterexample{Cell: cell, Choice: "all runs together: no single one is a counterexample"}
	case 2*wins == runs:
		e.Needed = fmt.Sprintf("no number of runs is known to settle a share of a half, as in the %d of this one", runs)
	default:
		e.Needed = fmt.Sprintf("about %d runs; this run had %d", max(runs+1, mean.RunsToSettle(cell.Measured.X, alpha/2)),
			runs)
	}
	e.WorstOf(cell)
	return e, nil
}

// power is the probability that a share of runs p is told from a half.
func power(runs int64, alpha, p float64) float64 {
	total := 0.0
	logChoose := 0.0 // of runs over k, from k = runs down
	for k := runs; k > 0; k-- {
		if lower, err := limits.BinomialLower(k, runs, alpha/2); err != nil || !(lower > 0.5) {
			break
		}
		total += math.Exp(logChoose + float64(k)*math.Log(p) + float64(runs-k)*math.Log1p(-p))
		logChoose += math.Log(float64(k)) - math.Log(float64(runs-k+1))
	}
	return math.Min(1, total)
}

const mnistFile = "mnist-train-images-idx3-ubyte.gz"

// digits are the first images of MNIST, averaged over 2 × 2 pixels.
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
	return quarter(curricula.Images{Images: a, N: n}), quarter(curricula.Images{Images: b, N: tests}),
		checks.Files("mnist"), nil
}

func quarter(m curricula.Images) curricula.Samples {
	half, whole := m.Cols/2, make([]float64, m.Dim())
	s := curricula.Samples{K: m.Classes()}
	for i := range m.Len() {
		s.Y = append(s.Y, m.Load(i, whole))
		x := make([]float64, m.Rows/2*half)
		for j := range x {
			at := 2*(j/half)*m.Cols + 2*(j%half)
			x[j] = (whole[at] + whole[at+1] + whole[at+m.Cols] + whole[at+m.Cols+1]) / 4
		}
		s.X = append(s.X, x)
	}
	return s
}

// synthetic are overlapping Gaussian clouds in ten dimensions, one a class.
func synthetic(s verify.Settings, n, tests int) (train, test curricula.Data, files string, err error) {
	r := s.Stream("synthetic")
	draw := func(n int) curricula.Samples {
		c := curricula.Samples{K: 10}
		for i := range n {
			x := make([]float64, 10)
			for j := range x {
				x[j] = 0.5 * ziggurat.Normal(r)
			}
			x[i%10]++
			c.X, c.Y = append(c.X, x), append(c.Y, i%10)
		}
		return c
	}
	return draw(n), draw(tests), "", nil
}
