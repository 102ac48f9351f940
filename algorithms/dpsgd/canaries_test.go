package dpsgd

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/algorithms/dataset"
)

// points returns 40 records in two classes, in the forms of both packages.
func points(t *testing.T) (curricula.Samples, *dataset.Dataset) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	s := curricula.Samples{K: 2}
	var values, labels []float64
	for i := range 40 {
		x := []float64{r.Float64() - 0.5, r.Float64() - 0.5}
		s.X, s.Y = append(s.X, x), append(s.Y, i%2)
		values, labels = append(values, x...), append(labels, float64(2*(i%2)-1))
	}
	data, err := dataset.NewDense(2, values, labels)
	if err != nil {
		t.Fatal(err)
	}
	return s, data
}

func descent(t *testing.T, a Attack, f Fault) *DPSGD {
	s, _ := points(t)
	return &DPSGD{Model: func() curricula.Model {
		m, err := curricula.NewSoftmax(2, 2)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}, Data: s, SamplingRate: 0.25, Steps: 16, Clip: 2, NoiseMultiplier: 3, LearningRate: 0.5, Length: 10, Attack: a, Fault: f}
}

// halves returns n coins, every second one true.
func halves(n int) []bool {
	coins := make([]bool, n)
	for i := range coins {
		coins[i] = i%2 == 0
	}
	return coins
}

// moments returns the means and variances of the scores: index 0 for excluded, 1 for included canaries.
func moments(t *testing.T, training Training, n int) (mean, variance [2]float64) {
	t.Helper()
	coins := halves(n)
	scores, err := training.Scores(context.Background(), rand.New(rand.NewPCG(3, 4)), coins)
	if err != nil {
		t.Fatal(err)
	}
	var count [2]float64
	for i, s := range scores {
		side := 0
		if coins[i] {
			side = 1
		}
		count[side]++
		mean[side] += s
		variance[side] += s * s
	}
	for side := range mean {
		mean[side] /= count[side]
		variance[side] = variance[side]/count[side] - mean[side]*mean[side]
	}
	return mean, variance
}

// For 16 steps with q = 1/4 and σ = 3, the score of an excluded canary has the distribution N(0, 144). An included
// canary adds Bin(16, q). Each fault changes one of these moments. The tolerances are 6 standard deviations of
// 1000 scores for the means, and wider for the variances. The probability of a false alarm is below 1e-6.
func TestScoreDistributions(t *testing.T) {
	const n = 2000
	for _, c := range []struct {
		fault    Fault
		reason   string
		mean     float64 // of the included canaries
		noise    float64 // variance of the excluded canaries
		sampling float64 // variance that sampling adds
	}{
		{Sound, "no fault", 4, 144, 3},
		{HalfScale, "a quarter of the variance", 4, 36, 3},
		{NoClip, "gradients of 10 times the norm", 40, 144, 300},
		{WrongRate, "canaries in all steps", 16, 144, 0},
		{NoiseOnce, "noise cancels", 4, 0, 3},
		{SameSeed, "noise cancels, and a canary is in all steps or none", 4, 0, 48},
	} {
		mean, variance := moments(t, descent(t, WhiteBox, c.fault), n)
		deviation := math.Sqrt((c.noise + c.sampling) / (n / 2))
		if !(math.Abs(mean[1]-c.mean) <= 6*deviation+0.1) || !(math.Abs(mean[0]) <= 6*math.Sqrt(c.noise/(n/2))+1e-9) {
			t.Errorf("%q, %s: means %v, want 0 and %v", c.fault, c.reason, mean, c.mean)
		}
		if !(math.Abs(variance[0]-c.noise) <= 0.3*c.noise+1e-9) ||
			!(math.Abs(variance[1]-c.noise-c.sampling) <= 0.3*(c.noise+c.sampling)) {
			t.Errorf("%q, %s: variances %v, want %v and %v", c.fault, c.reason, variance, c.noise, c.noise+c.sampling)
		}
	}
	// With clipping per batch, a canary contributes more than C/Batch.
	if mean, _ := moments(t, descent(t, WhiteBox, ClipPerBatch), n); !(mean[1] > 5) {
		t.Errorf("clipped per batch: a mean of %v, want more than 4", mean[1])
	}
}

// A record with a wrong label has a smaller loss after training on it.
func TestBlackBoxDetects(t *testing.T) {
	d := descent(t, BlackBox, Sound)
	d.NoiseMultiplier = 0.01
	with, without := 0.0, 0.0
	for i := range 20 {
		for _, in := range []bool{false, true} {
			scores, err := d.Scores(context.Background(), rand.New(rand.NewPCG(5, uint64(i))), []bool{in})
			if err != nil {
				t.Fatal(err)
			}
			if in {
				with += scores[0]
			} else {
				without += scores[0]
			}
		}
	}
	if !(with > without) {
		t.Errorf("scores of %v with the canary and of %v without", with, without)
	}
}

// The means of included and excluded canaries match their gradients in the other trainings.
func TestOtherTrainings(t *testing.T) {
	_, data := points(t)
	laplace := &Laplace{Data: data, Epsilon: 1e4, Batch: 5, Epochs: 3, LearningRate: 0.1, Length: 10}
	mean, _ := moments(t, laplace, 20)
	if !(math.Abs(mean[1]-3) < 0.1 && math.Abs(mean[0]+3) < 0.1) {
		t.Errorf("Laplace: means %v, want 3 after 3 passes, and −3", mean)
	}
	laplace.Fault = NoClip
	if mean, _ := moments(t, laplace, 20); !(math.Abs(mean[1]-30) < 1) {
		t.Errorf("Laplace, rows of norm 10: a mean of %v, want 30", mean[1])
	}
	laplace.Fault, laplace.Epsilon = NoiseOnce, 0.1
	if mean, variance := moments(t, laplace, 20); !(math.Abs(mean[1]-3) < 0.01 && variance[1] < 1e-6) {
		t.Errorf("Laplace, noise once: %v, %v: want it to cancel", mean, variance)
	}
	local := &Local{Data: data, Epsilon: 20, Epochs: 1}
	coins := halves(400)
	scores, err := local.Scores(context.Background(), rand.New(rand.NewPCG(3, 4)), coins)
	if err != nil {
		t.Fatal(err)
	}
	for i, in := range coins {
		if (scores[i] > 0) != in { // wrong with probability e^−20
			t.Errorf("local: canary %d has the score %v, and its coin is %v", i, scores[i], in)
		}
	}
}

func TestTrainingsReject(t *testing.T) {
	_, data := points(t)
	for _, c := range []struct {
		says, reason string
		training     Training
		canaries     int
	}{
		{"want 1 to", "without canaries", descent(t, WhiteBox, Sound), 0},
		{"want 1 to 40", "more canaries than records", descent(t, BlackBox, Sound), 41},
		{"cannot be 4 times", "large sampling rate", &DPSGD{SamplingRate: 0.5, Steps: 2, Clip: 1, NoiseMultiplier: 1,
			LearningRate: 1, Length: 2, Fault: WrongRate}, 1},
		{"draws once", "one step", &DPSGD{SamplingRate: 1, Steps: 1, Clip: 1, NoiseMultiplier: 1, LearningRate: 1, Length: 2,
			Fault: SameSeed}, 1},
		{"cannot detect it", "short canaries", &DPSGD{SamplingRate: 1, Steps: 1, Clip: 1, NoiseMultiplier: 1, LearningRate: 1,
			Length: 1, Attack: WhiteBox, Fault: NoClip}, 1},
		{"is empty", "rate below one record", &DPSGD{Data: curricula.Samples{}, SamplingRate: 0.01, Steps: 1, Clip: 1,
			NoiseMultiplier: 1, LearningRate: 1, Length: 2, Attack: WhiteBox, Model: descent(t, WhiteBox, Sound).Model}, 1},
		{"neither clips nor samples", "no clipping", &Laplace{Data: data, Epsilon: 1, Batch: 1, Epochs: 1, LearningRate: 1, Length: 2,
			Fault: ClipPerBatch}, 1},
		{"may have half-scale", "noise drawn by each record", &Local{Data: data, Epsilon: 1, Epochs: 1, Fault: NoiseOnce}, 1},
	} {
		_, err := c.training.Scores(context.Background(), rand.New(rand.NewPCG(1, 1)), make([]bool, c.canaries))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.says)
		}
	}
}
