package curricula

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/mean"
)

// size holds the number of samples, epochs and runs of a contest.
type size struct {
	samples, tests int // training and test samples; 0 means all
	epochs         int
	runs           int64
}

const (
	fewSamples = 1000 // training samples of a small contest, and as many test samples
	fewEpochs  = 10
	// allRuns is large enough for a verdict: 32 runs all won or all lost have the p-value 2⁻³², below half of any claim's
	// alpha.
	allRuns = 32
)

// few returns the size of a contest on 1,000 images. The quick budget has 36 runs; if all are won, the p-value is 2⁻³⁶.
func few(b verify.Budget) size {
	s := size{fewSamples, fewSamples, fewEpochs, 96}
	switch b {
	case verify.Quick:
		s.runs = 36
	case verify.Thorough:
		s.runs = 288
	}
	return s
}

// part returns the size of a contest on a tenth of the images with the paper's T. Batches of a tenth of the size get
// the same noise on their mean gradient. The quick budget has no runs.
func part(b verify.Budget) size {
	s := size{samples: 6000, epochs: epochs, runs: allRuns}
	if b == verify.Quick {
		s.runs = 0
	}
	return s
}

// all returns the size of a contest on all images. A run takes a second or more, so the quick budget has none. The
// thorough budget uses the paper's T.
func all(b verify.Budget) size {
	switch b {
	case verify.Quick:
		return size{epochs: 5}
	case verify.Thorough:
		return size{epochs: epochs, runs: allRuns}
	}
	return size{epochs: 5, runs: allRuns}
}

// trials holds the data that the runs of a contest share.
type trials struct {
	train, test curricula.Data
	epochs      int
	order       []int // order of the sample curriculum, if an arm is sorted
}

// arm is a training algorithm; accuracy trains it once with the generator r and returns the test accuracy.
type arm struct {
	name     string
	sorted   bool // trains on the samples in trials.order
	accuracy func(ctx context.Context, r *rand.Rand, t trials) (float64, error)
}

// level returns an arm with a fixed accuracy.
func level(accuracy float64) arm {
	return arm{name: fmt.Sprintf("an accuracy of %g", accuracy),
		accuracy: func(context.Context, *rand.Rand, trials) (float64, error) { return accuracy, nil }}
}

// source returns n training samples, the given number of test samples (0 means all), and the names of the files.
type source func(s verify.Settings, n, tests int) (train, test curricula.Data, files string, err error)

// contest is a paired experiment. Both arms are trained independently and ranked by accuracy on the same test samples;
// a fair coin decides ties. The number of runs that better wins is binomial for every distribution of the accuracies.
type contest struct {
	data           source
	better, poorer arm
	margin         float64                  // better wins a run if its accuracy is ahead by more; may be negative
	size           func(verify.Budget) size // few, part or all
}

// Prepare trains all runs and decides the verdict: the runs are too few and too long for shards.
func (c contest) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	z := c.size(s.Budget)
	train, test, files, err := c.data(s, z.samples, z.tests)
	if err != nil {
		return nil, err
	}
	e := verify.Evidence{Verdict: verify.Inconclusive, Quantity: "share of runs won", Sense: verify.Above, Data: files}
	if z.runs == 0 {
		e.Needed = fmt.Sprintf("the standard budget, with %d runs of both on %d images; this budget has none", allRuns,
			train.Len())
		return verify.Decided(e), nil
	}
	t := trials{train: train, test: test, epochs: z.epochs}
	if c.better.sorted || c.poorer.sorted {
		if t.order, err = curricula.SampleCurriculum(ctx, s.Stream("order"), train); err != nil {
			return nil, err
		}
	}
	wins, sum := int64(0), 0.0
	var curves verify.CurveRecorder
	for run := range z.runs {
		r := s.Stream("run", fmt.Sprint(run))
		var accuracy [2]float64
		for i, a := range []arm{c.better, c.poorer} {
			if accuracy[i], err = a.accuracy(ctx, r, t); err != nil {
				return nil, err
			}
			curves.AddAt("mean over the runs", a.name, accuracy[i])
		}
		ahead := accuracy[0] - accuracy[1]
		sum += ahead
		if ahead > c.margin || ahead == c.margin && r.IntN(2) == 0 {
			wins++
		}
	}
	e.Method = fmt.Sprintf("independent training runs of softmax regression on the same %d samples, T = %d, batches of "+
		"%d, %d test samples; Clopper-Pearson limits", train.Len(), z.epochs, max(1, train.Len()/steps), test.Len())
	e.Curves = curves.Curves("", "accuracy on the test samples")
	err = c.judge(&e, wins, z.runs, sum/float64(z.runs), s.Alpha)
	return verify.Decided(e), err
}

func (c contest) judge(e *verify.Evidence, wins, runs int64, average, alpha float64) error {
	lower, upper, err := confidence.ClopperPearson(wins, runs, alpha)
	if err != nil {
		return err
	}
	cell := verify.Cell{
		Label: fmt.Sprintf("%s against %s: %d of %d runs won, mean difference in accuracy %+.4f", c.better.name,
			c.poorer.name, wins, runs, average),
		Claimed: verify.Num(0.5), Measured: verify.Num(float64(wins) / float64(runs)), Lower: verify.Num(lower),
		Upper: verify.Num(upper), Samples: runs,
	}
	if c.margin != 0 {
		cell.Label += fmt.Sprintf(", a run is won above %+.4f", c.margin)
	}
	e.Samples, e.Cells = runs, []verify.Cell{cell}
	e.Power = fmt.Sprintf("the runs distinguish a share of 0.95 or more from a half with probability %.2f or more",
		power(runs, alpha, 0.95))
	switch {
	case lower > 0.5:
		e.Verdict = verify.Consistent
		e.Attempt = fmt.Sprintf("%d of %d runs won: the lower limit of the share is %.3g, claimed is more than 0.5",
			wins, runs, lower)
	case upper <= 0.5:
		e.Verdict = verify.Refuted
		e.Counterexample = verify.Counterexample{Cell: cell, Choice: "all runs together: no single run is a counterexample"}
	case 2*wins == runs:
		e.Needed = fmt.Sprintf("exactly half of %d runs won: no number of runs is known to be enough", runs)
	default:
		e.Needed = fmt.Sprintf("about %d runs; this run had %d", max(runs+1, mean.RunsToSettle(cell.Measured.X, alpha/2)),
			runs)
	}
	e.CopyWorst(cell)
	return nil
}

// power returns the probability that the test distinguishes a probability p of winning a run from 0.5.
func power(runs int64, alpha, p float64) float64 {
	total := 0.0
	logChoose := 0.0 // log of the binomial coefficient, from k = runs down
	for k := runs; k > 0; k-- {
		if lower, err := confidence.BinomialLower(k, runs, alpha/2); err != nil || !(lower > 0.5) {
			break
		}
		total += math.Exp(logChoose + float64(k)*math.Log(p) + float64(runs-k)*math.Log1p(-p))
		logChoose += math.Log(float64(k)) - math.Log(float64(runs-k+1))
	}
	return math.Min(1, total)
}
