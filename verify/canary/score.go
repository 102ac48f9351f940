package canary

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/internal/ziggurat"
)

// Score is the law of the scores of a file, as its first line states it: see [ParseScore]. The zero value is a file
// that states none.
type Score struct {
	Kind  string  `json:"kind"`
	Rate  float64 `json:"sampling_rate,omitempty"`    // of a step; 1 if the batches are known
	Noise float64 `json:"noise_multiplier,omitempty"` // noise of a step, in clipping norms
	Steps int     `json:"steps,omitempty"`
	Turns int     `json:"turns,omitempty"` // the steps whose batch may have a canary, if the batches are known
	Signs string  `json:"signs,omitempty"` // of a canary's gradients
	// Estimated is whether a likelihood ratio is for the noise of the step, which the canaries show, if it is smaller than
	// the noise multiplier.
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

// mostSimulated is the largest number of steps for which the law of a score is computed.
const mostSimulated = 5000

// ParseScore reads the statement of a file: a kind, and for sums and likelihood ratios key=value for noise-multiplier,
// steps, signs and either sampling-rate or turns. An example is
//
//	likelihood-ratio sampling-rate=0.1 noise-multiplier=2 steps=30 signs=halves
func ParseScore(text string) (s Score, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return s, fmt.Errorf("score: want one of %s", strings.Join(scoreKinds, ", "))
	}
	s.Kind = words[0]
	keys := map[string]func(string) error{
		"sampling-rate":    func(v string) (err error) { s.Rate, err = strconv.ParseFloat(v, 64); return err },
		"noise-multiplier": func(v string) (err error) { s.Noise, err = strconv.ParseFloat(v, 64); return err },
		"steps":            func(v string) (err error) { s.Steps, err = strconv.Atoi(v); return err },
		"turns":            func(v string) (err error) { s.Turns, err = strconv.Atoi(v); return err },
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
			return s, fmt.Errorf("score %s: %q is unknown, or there twice: want sampling-rate, noise-multiplier, steps, "+
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

// trained reports whether the score is of a training, whose faults are named.
func (s Score) trained() bool { return s.Kind == SumScore || s.Kind == RatioScore }

// simulated is the number of canaries by which the law of a training's score is computed.
func (s Score) simulated() int {
	const drawn, least, most = 2_000_000, 2_000, 60_000
	return min(max(drawn/s.Steps, least), most)
}

// check returns an error that names what is out of its domain.
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
		return fmt.Errorf("score %s: noise-multiplier=%v: want one above 0, and at most 1e6", s.Kind, s.Noise)
	case s.Steps < 1 || s.Turns < 0 || s.Turns > s.Steps:
		return fmt.Errorf("score %s: steps=%d, turns=%d: want at least 1 step, and no more turns than steps", s.Kind, s.Steps,
			s.Turns)
	case s.Turns == 0 && !(s.Rate > 0 && s.Rate <= 1), s.Turns > 0 && s.Rate != 0:
		return fmt.Errorf("score %s: sampling-rate=%v, turns=%d: want a rate above 0 and at most 1, or turns if batches "+
			"are known",
			s.Kind, s.Rate, s.Turns)
	}
	return nil
}

// of is the score of a noisy gradient in clipping norms, with the sign of its step; noise is what the ratio is for.
func (s Score) of(x, noise float64) float64 {
	if s.Kind == SumScore {
		return x
	}
	loss := (2*x - 1) / (2 * noise * noise)
	if s.Turns > 0 || s.Rate == 1 {
		return loss
	}
	if loss > 500 { // beyond which 1 − q is nothing
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

// faults are those of a training whose score this is. Those that the verdict of consistent needs come first; a
// known order can be tested only if the score uses it.
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

// draw is the score of canary i of a training with a fault; "" is none.
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
		sum += s.of(x+noise*ziggurat.Normal(r), ratioOf)
		if alternates {
			sign = -sign
		}
	}
	return sum
}

// ranked are drawn scores, of as many included as excluded canaries, in rising order.
type ranked struct {
	chance float64
	values []float64
	before []int // included scores before each place
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

// probabilities are those of an included canary among the drawn scores from one place to another, and of any canary.
func (r ranked) probabilities(from, to int) (in, all float64) {
	half := float64(len(r.values)) / 2
	n := float64(r.before[to] - r.before[from])
	return r.chance * n / half, (r.chance*n + (1-r.chance)*(float64(to-from)-n)) / half
}

// spreads is the number of standard deviations by which a quantile of the scores is allowed to differ from its
// expectation, and the share of included canaries among drawn scores from their law: each is exceeded with probability
// below rankMiss.
const spreads = 3.5

// right is a lower bound of the mean probability that guesses are right on so many canaries, if a larger score
// speaks for inclusion; 0 if scores that are guessed are tied, which the law does not allow. Given the least
// extreme guessed score, the more extreme ones are independent draws of the law beyond it: that is allowed to
// include more of the law, and for guesses on both sides of the median, another median.
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
		below, above := 0, n // places that end the scores guessed out, and that begin those guessed in
		switch {
		case in && out:
			below, above = r.beyond(r.values[min(max(int(centre*float64(n)), 0), n-1)], share)
		case in:
			above = sort.Search(n, func(i int) bool { _, all := r.probabilities(i, n); return all <= share })
		default:
			below = sort.Search(n, func(i int) bool { _, all := r.probabilities(0, i); return all >= share })
		}
		rightIn, allIn := r.probabilities(above, n)
		wrongOut, allOut := r.probabilities(0, below)
		x := (rightIn + allOut - wrongOut) / (allIn + allOut)
		least = min(least, x-spreads*math.Sqrt(x*(1-x)/float64(n-above+below)))
	}
	return max(0, least)
}

// beyond are the places of the scores that are furthest from a centre and have this share of all.
func (r ranked) beyond(centre, share float64) (below, above int) {
	near, far := 0.0, max(centre-r.values[0], r.values[len(r.values)-1]-centre)
	for range 60 {
		distance := (near + far) / 2
		below, above = lowerBound(r.values, centre-distance), lowerBound(r.values, centre+distance)
		_, low := r.probabilities(0, below)
		if _, high := r.probabilities(above, len(r.values)); low+high > share {
			near = distance
		} else {
			far = distance
		}
	}
	return lowerBound(r.values, centre-near), lowerBound(r.values, centre+near)
}
