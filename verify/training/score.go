package training

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/internal/rng"
)

// Score describes the distribution of the scores in a file, as a comment line of the file states it; see [ParseScore].
// The zero value is for a file without such a line.
type Score struct {
	Kind  string  `json:"kind"`
	Rate  float64 `json:"sampling_rate,omitempty"`    // of a step; 1 if the batches are known
	Noise float64 `json:"noise_multiplier,omitempty"` // noise of a step, in clipping norms
	Steps int     `json:"steps,omitempty"`
	Turns int     `json:"turns,omitempty"` // number of steps whose batch may have a canary, if the batches are known
	Signs string  `json:"signs,omitempty"` // of a canary's gradients
	// Estimated reports whether a likelihood ratio uses the noise that the canaries of the step show, if this is smaller
	// than the noise multiplier.
	Estimated bool `json:"estimated,omitempty"`
}

// Kinds of scores.
const (
	ResponseScore = "randomized-response" // answers of randomized response
	GaussianScore = "gaussian"            // the coin with Gaussian noise of one scale
	SumScore      = "sum"                 // the sum over the steps of the signed noisy gradient
	RatioScore    = "likelihood-ratio"    // the logarithm of the likelihood ratio of all noisy gradients
)

// Signs of the gradients of canaries.
const (
	alternatingSigns = "alternating" // from step to step
	halvesOfSigns    = "halves"      // alternating for every second canary, constant for the others
)

// maxSimulated is the largest number of steps for which the distribution of a score is computed.
const maxSimulated = 5000

// ParseScore reads the score line of a file: a kind, and for sums and likelihood ratios key=value pairs. The keys are
// noise-multiplier, steps, signs and either sampling-rate or turns. An example is
//
//	likelihood-ratio sampling-rate=0.1 noise-multiplier=2 steps=30 signs=halves
func ParseScore(text string) (s Score, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return s, fmt.Errorf("score: want one of %s", strings.Join(scoreKinds, ", "))
	}
	s.Kind = words[0]
	keys := map[string]func(string) error{
		"sampling-rate":    func(v string) (err error) { s.Rate, err = decimal.Float(v); return err },
		"noise-multiplier": func(v string) (err error) { s.Noise, err = decimal.Float(v); return err },
		"steps":            func(v string) (err error) { s.Steps, err = decimal.Count(v); return err },
		"turns":            func(v string) (err error) { s.Turns, err = decimal.Count(v); return err },
		"signs":            func(v string) error { s.Signs = v; return nil },
		"noise": func(v string) error {
			if s.Estimated = v == "estimated"; !s.Estimated {
				return errors.New("want noise=estimated")
			}
			return nil
		},
	}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		set, known := keys[key]
		if !known {
			return s, fmt.Errorf("score %s: %q is unknown or occurs twice: want sampling-rate, noise-multiplier, steps, "+
				"turns, signs or noise=estimated", s.Kind, word)
		}
		if err := set(value); err != nil {
			return s, fmt.Errorf("score %s: %q: %w", s.Kind, word, err)
		}
		delete(keys, key)
	}
	return s, s.check()
}

var scoreKinds = []string{ResponseScore, GaussianScore, SumScore, RatioScore}

// trained reports whether the score is for a training, which has named faults.
func (s Score) trained() bool { return s.Kind == SumScore || s.Kind == RatioScore }

// simulated returns the number of canaries used to compute the distribution of a training's score.
func (s Score) simulated() int {
	const drawn, least, most = 2_000_000, 2_000, 60_000
	return min(max(drawn/s.Steps, least), most)
}

// check returns an error that names a parameter out of its domain.
func (s Score) check() error {
	switch trained := s.trained(); {
	case !slices.Contains(scoreKinds, s.Kind):
		return fmt.Errorf("score %q: want one of %s", s.Kind, strings.Join(scoreKinds, ", "))
	case !trained && s != Score{Kind: s.Kind}:
		return fmt.Errorf("score %s has no parameters", s.Kind)
	case !trained:
		return nil
	case s.Signs != alternatingSigns && s.Signs != halvesOfSigns:
		return fmt.Errorf("score %s: signs=%s: want %s or %s", s.Kind, s.Signs, alternatingSigns, halvesOfSigns)
	case !(s.Noise > 0 && s.Noise <= 1e6):
		return fmt.Errorf("score %s: noise-multiplier=%v: want a number above 0 and at most 1e6", s.Kind, s.Noise)
	case s.Steps < 1 || s.Turns < 0 || s.Turns > s.Steps:
		return fmt.Errorf("score %s: steps=%d, turns=%d: want at least 1 step, and no more turns than steps", s.Kind,
			s.Steps,
			s.Turns)
	case s.Turns == 0 && !(s.Rate > 0 && s.Rate <= 1), s.Turns > 0 && s.Rate != 0:
		return fmt.Errorf("score %s: sampling-rate=%v, turns=%d: want a rate above 0 and at most 1, or turns if batches "+
			"are known",
			s.Kind, s.Rate, s.Turns)
	}
	return nil
}

// stepScore returns the contribution of one step to a score, for the noisy gradient x in clipping norms, times the sign
// of its step. The likelihood ratio is for the given noise.
func (s Score) stepScore(x, noise float64) float64 {
	if s.Kind == SumScore {
		return x
	}
	loss := (2*x - 1) / (2 * noise * noise)
	if s.Turns > 0 || s.Rate == 1 {
		return loss
	}
	if loss > 500 { // beyond this, 1 − q is negligible
		return loss + math.Log(s.Rate)
	}
	return math.Log1p(s.Rate * math.Expm1(loss))
}

// fault is a fault of a training that an account does not allow.
type fault string

const (
	halfNoise   fault = "half the noise"
	keptSums    fault = "sums of gradients kept between steps"
	knownOrders fault = "a known order of batches"
)

// faults returns the faults of a training with this score: the ones that the verdict of consistent needs, and the
// untested ones. A known order can be tested only if the score uses it.
func (s Score) faults() (needed []fault, untested []fault) {
	needed = []fault{halfNoise}
	if s.Steps > 1 {
		needed = append(needed, keptSums)
	}
	switch {
	case s.Turns > 0 && s.Turns < s.Steps:
		needed = append(needed, knownOrders)
	case s.Rate > 0 && s.Rate < 1:
		untested = append(untested, knownOrders)
	}
	return needed, untested
}

// draw returns the score of canary i of a training with a fault, or without one if f is "".
func (s Score) draw(r *rand.Rand, f fault, i int, in bool) float64 {
	noise := s.Noise
	if f == halfNoise {
		noise /= 2
	}
	ratioOf := s.Noise
	if s.Estimated {
		ratioOf = noise
	}
	alternates := s.Signs == alternatingSigns || i%2 == 1
	steps, rate := s.Steps, s.Rate
	if s.Turns > 0 {
		steps, rate = s.Turns, 1
	}
	sum, kept, sign := 0.0, 0.0, 1.0
	for range steps {
		x := 0.0
		if in && (rate == 1 || r.Float64() < rate) {
			x = 1
		}
		if f == keptSums {
			kept += sign * x
			x = sign * kept
		}
		sum += s.stepScore(x+noise*rng.Normal(r), ratioOf)
		if alternates {
			sign = -sign
		}
	}
	return sum
}

// ranked holds drawn scores in increasing order, half of them from included canaries.
type ranked struct {
	chance float64
	values []float64
	before []int // number of included scores before each place
}

// rank draws n scores of included canaries, and n of excluded ones.
func rank(chance float64, n int, draw func(i int, in bool) float64) ranked {
	in, out := make([]float64, n), make([]float64, n)
	for i := range n {
		in[i], out[i] = draw(i, true), draw(i, false)
	}
	slices.Sort(in)
	r := ranked{chance: chance, values: slices.Sorted(slices.Values(append(out, in...))), before: make([]int, 2*n+1)}
	for i, x := range r.values {
		r.before[i] = lowerBound(in, x)
	}
	r.before[2*n] = n
	return r
}

// probabilities returns the probability that the score of a canary is between two places and the canary is included,
// and the same probability for an excluded canary.
func (r ranked) probabilities(from, to int) (in, out float64) {
	half := float64(len(r.values)) / 2
	n := float64(r.before[to] - r.before[from])
	return r.chance * n / half, (1 - r.chance) * (float64(to-from) - n) / half
}

// probability returns the probability that the score of any canary is between two places.
func (r ranked) probability(from, to int) float64 {
	in, out := r.probabilities(from, to)
	return in + out
}

// spreads is the allowed error of score quantiles, in standard deviations. Random scores exceed it with probability
// below rankMiss.
const spreads = 3.5

// right returns a lower bound of the mean probability that guesses are right on this many canaries, if a larger score
// is evidence for inclusion. It returns 0 if guessed scores are tied, which the distribution does not allow. Given the
// least extreme guessed score, the more extreme ones are independent draws of the distribution beyond it. The bound
// allows for sampling error: this tail may contain a larger share of the distribution, and if guesses are on both
// sides of the median, the median of the scores may differ from the median of the distribution.
func (r ranked) right(p picked, canaries int64) float64 {
	if p.In.Tied > 1 || p.Out.Tied > 1 {
		return 0
	}
	m, n := float64(canaries), len(r.values)
	share := float64(p.guesses()) / m
	share = min(1, share+spreads*math.Sqrt(share*(1-share)/m))
	least, in, out := 1.0, p.In.Beyond+p.In.Chosen > 0, p.Out.Beyond+p.Out.Chosen > 0
	shift := spreads / (2 * math.Sqrt(m))
	for _, centre := range []float64{0.5 - shift, 0.5, 0.5 + shift} {
		below, above := 0, n // places at the end of the scores guessed out, and at the start of the scores guessed in
		switch {
		case in && out:
			below, above = r.beyond(r.values[min(max(int(centre*float64(n)), 0), n-1)], share)
		case in:
			above = sort.Search(n, func(i int) bool { return r.probability(i, n) <= share })
		default:
			below = sort.Search(n, func(i int) bool { return r.probability(0, i) >= share })
		}
		least = min(least, r.rightBeyond(below, above))
	}
	return least
}

// rightBeyond returns a lower bound of the probability that a guess is right: "out" for scores before one place, "in"
// from another place on. The numbers of drawn scores there are binomial. Their limits hold together with probability
// 1 − rankMiss, for any number of drawn scores.
func (r ranked) rightBeyond(below, above int) float64 {
	n := len(r.values)
	drawn := int64(n / 2) // of each kind
	inAbove, inBelow := int64(r.before[n]-r.before[above]), int64(r.before[below])
	outAbove, outBelow := int64(n-above)-inAbove, int64(below)-inBelow
	least := func(k int64) float64 { p, _ := confidence.BinomialLower(k, drawn, rankMiss/4); return p }
	most := func(k int64) float64 { p, _ := confidence.BinomialUpper(k, drawn, rankMiss/4); return p }
	right := r.chance*least(inAbove) + (1-r.chance)*least(outBelow)
	wrong := 0.0
	if above < n {
		wrong += (1 - r.chance) * most(outAbove)
	}
	if below > 0 {
		wrong += r.chance * most(inBelow)
	}
	if !(right+wrong > 0) {
		return 0
	}
	return right / (right + wrong)
}

// beyond returns the places of the scores that are furthest from a centre and have this share of all scores.
func (r ranked) beyond(centre, share float64) (below, above int) {
	near, far := 0.0, max(centre-r.values[0], r.values[len(r.values)-1]-centre)
	for range 60 {
		distance := (near + far) / 2
		below, above = lowerBound(r.values, centre-distance), lowerBound(r.values, centre+distance)
		if r.probability(0, below)+r.probability(above, len(r.values)) > share {
			near = distance
		} else {
			far = distance
		}
	}
	return lowerBound(r.values, centre-near), lowerBound(r.values, centre+near)
}
