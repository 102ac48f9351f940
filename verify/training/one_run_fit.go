package training

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// The power of a score follows from the distribution that its file states. Before a verdict of consistent, its
// parameters are compared with the account, and the scores with the distribution. A refutation does not need these
// checks.

// Steps are equal steps with Gaussian noise, as an account describes them.
type Steps struct {
	Rate  float64 `json:"sampling_rate"`    // 1 if every record, or every record of a fixed batch, is used
	Noise float64 `json:"noise_multiplier"` // standard deviation of the noise over the sensitivity
	Count int64   `json:"count"`            // steps with a record; for fixed batches, the epochs
}

// rounding is the allowed relative difference of parameters, since one of them may be written with fewer digits.
const rounding = 1e-3

func alike(a, b float64) bool { return math.Abs(a-b) <= rounding*math.Max(a, b) }

// contradicts explains why the stated score does not fit the described training. It returns "" if it fits, or if the
// score has no parameters.
func (d *Described) contradicts(s Score) string {
	if d == nil || !s.trained() {
		return ""
	}
	count := s.Steps
	if s.Turns > 0 && d.Steps != nil && d.Steps.Rate == 1 {
		count = s.Turns
	}
	switch told := d.Steps; {
	case told == nil:
		return "the parameters of the stated score cannot be compared with the account: it does not describe equal steps " +
			"with Gaussian noise"
	case !alike(told.Noise, s.Noise):
		return fmt.Sprintf("the stated score is for noise multiplier %g, and the account has %.6g", s.Noise, told.Noise)
	case s.Turns == 0 && !alike(told.Rate, s.Rate):
		return fmt.Sprintf("the stated score is for sampling rate %g, and the account has %.6g", s.Rate, told.Rate)
	case told.Count != int64(count):
		return fmt.Sprintf("the stated score is for %d steps, and the account has %d", count, told.Count)
	}
	return ""
}

// misfitError bounds the probability that scores with the stated distribution are rejected.
const misfitError = 1e-6

// misfit returns the Kolmogorov–Smirnov distance between the scores and the distribution that their file states. It is
// the larger of the distances for included and for excluded canaries. It is 0 if both are below the bound of Dvoretzky,
// Kiefer and Wolfowitz with Massart's constant, at probability 1 − misfitError. It is also 0 if the distribution has no
// fixed shape: answers of randomized response may have any scores.
func (s *Scores) misfit() (worst float64) {
	if !s.Score.trained() && s.Score.Kind != GaussianScore || s.Score.Steps > maxSimulated {
		return 0
	}
	in, out := s.sides()
	laws, miss := s.Score.shapes(in, out)
	for i, own := range [][]float64{out, in} {
		allowed := farthest(len(own)) + miss
		if d := distance(own, laws[i]); !(d <= allowed) {
			worst = math.Max(worst, math.Min(d, 1))
		}
	}
	return worst
}

// farthest returns the distance between a distribution and n draws of it that is exceeded with probability at most a
// quarter of misfitError.
func farthest(n int) float64 { return math.Sqrt(math.Log(8/misfitError) / 2 / float64(n)) }

// shapes returns draws of the stated distribution for excluded and for included canaries, in increasing order, and
// their possible distance from the distribution. Gaussian scores have the means of the given scores and their common
// standard deviation.
func (s Score) shapes(in, out []float64) (laws [2][]float64, miss float64) {
	if s.Kind == GaussianScore {
		const places = 10_000
		means, deviation := spread(out, in)
		for i := range places {
			x := deviation * normalQuantile((float64(i)+0.5)/places)
			laws[0], laws[1] = append(laws[0], means[0]+x), append(laws[1], means[1]+x)
		}
		return laws, 1. / places
	}
	r := rand.New(rand.NewPCG(100, 45)) // a fixed seed: the distribution is the same in all runs
	n := s.simulated()
	for i := range n {
		laws[0], laws[1] = append(laws[0], s.draw(r, "", i, false)), append(laws[1], s.draw(r, "", i, true))
	}
	slices.Sort(laws[0])
	slices.Sort(laws[1])
	return laws, farthest(n)
}

// normalQuantile returns z with P(N(0,1) ≤ z) = p, 0 < p < 1.
func normalQuantile(p float64) float64 {
	if p < 0.5 {
		return -confidence.NormalUpperQuantile(p)
	}
	return confidence.NormalUpperQuantile(1 - p)
}

// spread returns the means of two samples and their common standard deviation.
func spread(a, b []float64) (means [2]float64, deviation float64) {
	squares := 0.0
	for i, side := range [][]float64{a, b} {
		for _, x := range side {
			means[i] += x / float64(len(side))
		}
		for _, x := range side {
			squares += (x - means[i]) * (x - means[i])
		}
	}
	return means, math.Sqrt(squares / float64(len(a)+len(b)))
}

// distance returns the largest difference between the distribution functions of two samples in increasing order, and 1
// if a value is not finite.
func distance(a, b []float64) (most float64) {
	for _, side := range [][]float64{a, b} {
		for _, x := range side {
			if x-x != 0 {
				return 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) || j < len(b); {
		x := math.Inf(1) // the next value of both samples
		if i < len(a) {
			x = a[i]
		}
		if j < len(b) {
			x = min(x, b[j])
		}
		for ; i < len(a) && a[i] == x; i++ {
		}
		for ; j < len(b) && b[j] == x; j++ {
		}
		most = max(most, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return most
}

// misstated explains why the stated score gives no power. It returns "" if no reason is known.
func (f oneRunStatistics) misstated() string {
	words := f.Described.contradicts(f.Score)
	if f.Misfit > 0 {
		if words != "" {
			words += "; "
		}
		words += fmt.Sprintf("the scores do not have the distribution that their file states: they differ from it by "+
			"%.4g, more than chance explains", f.Misfit)
	}
	return words
}
