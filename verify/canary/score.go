package canary

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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
	}
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		set, known := keys[key]
		if !known {
			return s, fmt.Errorf("score %s: %q is unknown, or there twice: want sampling-rate, noise-multiplier, steps, turns or signs",
				s.Kind, word)
		}
		if err := set(value); err != nil {
			return s, fmt.Errorf("score %s: %q is not a number", s.Kind, word)
		}
		delete(keys, key)
	}
	return s, s.check()
}

var scoreKinds = []string{ResponseScore, GaussianScore, SumScore, RatioScore}

// check returns an error that names what is out of its domain.
func (s Score) check() error {
	trained := s.Kind == SumScore || s.Kind == RatioScore
	switch {
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
		return fmt.Errorf("score %s: sampling-rate=%v, turns=%d: want a rate above 0 and at most 1, or turns if batches are known",
			s.Kind, s.Rate, s.Turns)
	}
	return nil
}

// of is the score of a noisy gradient in clipping norms, with the sign of its step.
func (s Score) of(x float64) float64 {
	if s.Kind == SumScore {
		return x
	}
	loss := (2*x - 1) / (2 * s.Noise * s.Noise)
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

// draw is the score of canary i of a training with a fault.
func (s Score) draw(r *rand.Rand, f fault, i int, in bool) float64 {
	noise := s.Noise
	if f == halfNoise {
		noise /= 2
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
		sum += s.of(x + noise*ziggurat.Normal(r))
		if alternates {
			sign = -sign
		}
	}
	return sum
}

// ranked has the share of included canaries among scores by their rank: the score's expected quantile.
type ranked struct {
	chance float64
	before []int   // included scores before each place
	spread float64 // how far the ranks of drawn scores are from their law
}

// rank draws the scores of as many included as excluded canaries.
func rank(chance float64, n int, draw func(i int, in bool) float64) ranked {
	type scored struct {
		x  float64
		in bool
	}
	all := make([]scored, 2*n)
	for i := range all {
		all[i] = scored{draw(i/2, i%2 == 0), i%2 == 0}
	}
	slices.SortFunc(all, func(a, b scored) int {
		switch {
		case a.x < b.x:
			return -1
		case a.x > b.x:
			return 1
		}
		return 0
	})
	r := ranked{chance: chance, before: make([]int, len(all)+1), spread: rankError(float64(n))}
	for i, x := range all {
		r.before[i+1] = r.before[i]
		if x.in {
			r.before[i+1]++
		}
	}
	return r
}

// rankError bounds, but for a probability rankMiss, how far the empirical distribution function of n values is from
// their law (Dvoretzky, Kiefer & Wolfowitz 1956; Massart 1990).
func rankError(n float64) float64 { return math.Sqrt(math.Log(2/rankMiss) / (2 * n)) }

// below is the probability that a canary is included and that its score is below the quantile u of all scores.
func (r ranked) below(u float64) float64 {
	n := len(r.before) - 1
	half := float64(n) / 2
	all := func(i int) float64 {
		in := float64(r.before[i])
		return r.chance*in/half + (1-r.chance)*(float64(i)-in)/half
	}
	low, high := 0, n
	for high-low > 1 {
		if middle := (low + high) / 2; all(middle) <= u {
			low = middle
		} else {
			high = middle
		}
	}
	return r.chance * float64(r.before[low]) / half
}

// right is a lower bound of the mean probability that guesses are right on so many canaries, if a larger score
// speaks for inclusion: their true quantiles differ from their ranks by at most the two errors.
func (r ranked) right(p picked, canaries int64) float64 {
	m := float64(canaries)
	shift := r.spread + rankError(m)
	share := func(from, to float64) float64 { // of the included; the probability is 0 below the range and 1 above
		in := r.below(min(max(to, 0), 1)) - r.below(min(max(from, 0), 1))
		return (in + max(to-1, 0) - max(from-1, 0)) / (to - from)
	}
	right := 0.0
	add := func(of int64, from, to float64, in bool) {
		switch {
		case of == 0:
		case in:
			right += float64(of) * share(1-to/m-shift, 1-from/m-shift)
		default:
			right += float64(of) * (1 - share(from/m+shift, to/m+shift))
		}
	}
	for _, in := range []bool{true, false} {
		side := p.Out
		if in {
			side = p.In
		}
		edge := float64(side.Beyond)
		add(side.Beyond, 0, edge, in)
		add(side.Chosen, edge, edge+float64(side.Tied), in)
	}
	return right / float64(p.guesses())
}
