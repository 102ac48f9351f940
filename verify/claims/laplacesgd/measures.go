package laplacesgd

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/verify"
)

// The words of the thesis in numbers, the same for all figures: "far" is more than half as much again, "almost
// identical" and "a lot of influence" part at a quarter of the smaller, "clear" is a tenth, "huge" half of the way to
// non-private SGD, "a lot smaller" half of the standard deviation, and what "degrades" or "improves" does so
// by a twentieth, about twice the error of a mean of 20 permutations in Fig. 4. They were set after a look at a few
// trainings.
const (
	far         = 1.5
	near        = 1.25
	clearFall   = 0.1
	visibleFall = 0.05
	double      = 2. / 3 // of a share that is √r/(1 + √r) for normal values of variances whose ratio is r
)

// fall is how far b is below a, relative to the larger: from −1 to 1.
func fall(a, b float64) float64 { return (a - b) / math.Max(a, b) }

// falls holds the mean of a fall.
func falls(quantity string, sense verify.Sense, bound float64, of func(x float64, last func(arm) float64) (a,
	b float64)) *measure {
	return &measure{
		quantity: quantity + ", relative to the larger", sense: sense, bound: constantly(bound), lo: -1, hi: 1,
		effect: 0.25,
		value:  func(x float64, last func(arm) float64) float64 { return fall(of(x, last)) },
	}
}

// sentence is a statement about single permutations: the mean of value, from 0 to 1, is at least bound.
type sentence struct {
	words string
	bound float64
	value func(last func(arm) float64) float64
}

// each holds the means of several sentences.
func each(all ...sentence) *measure {
	at := func(x float64) sentence { return all[int(x)-1] }
	words := all[0].words
	if len(all) > 1 {
		words = ""
		for i, s := range all {
			words += fmt.Sprintf("%s%d: %s", []string{"", "; "}[min(i, 1)], i+1, s.words)
		}
	}
	return &measure{
		quantity: words, sense: verify.AtLeast, hi: 1, effect: effect, sentences: all,
		bound: func(x float64) float64 { return at(x).bound },
		value: func(x float64, last func(arm) float64) float64 { return at(x).value(last) },
	}
}

// farAt says how far the non-private objective is below the private one.
func farAt(b int) sentence {
	return sentence{fmt.Sprintf("1 less the non-private over the private objective at b = %d", b), 1 - 1/far,
		func(last func(arm) float64) float64 { return math.Max(0, 1-1/factor(b, last)) }}
}

// nearAt is about the smaller of the private and the non-private objective.
func nearAt(b int) sentence {
	return sentence{fmt.Sprintf("the smaller over the larger objective at b = %d", b), 1 / near,
		func(last func(arm) float64) float64 {
			f := factor(b, last)
			return math.Min(f, 1/f)
		}}
}

// worseAt compares the factors of the private over the non-private objective at two batch sizes.
func worseAt(first, second int) sentence {
	return sentence{fmt.Sprintf("share of the factor of private over non-private at b = %d in its sum with that at b "+
		"= %d",
		first, second), 0.5,
		func(last func(arm) float64) float64 {
			f, g := factor(first, last), factor(second, last)
			return f / (f + g)
		}}
}

// spread is about the share of the first arm in the squared differences of two runs each.
func spread(first, second arm, least float64) sentence {
	squared := func(last func(arm) float64, a arm) float64 {
		difference := last(a) - last(a)
		return difference * difference
	}
	return sentence{"share of the squared difference of two runs", least,
		func(last func(arm) float64) float64 {
			a, b := squared(last, first), squared(last, second)
			return a / (a + b)
		}}
}

// fallAt compares the falls from the objective at w = 0.
func fallAt(noisy, still arm) sentence {
	return sentence{"fall of the private objective from ln 2 over that of the non-private one, cut to [0, 1]", 1 / near,
		func(last func(arm) float64) float64 {
			ratio := (math.Ln2 - last(noisy)) / (math.Ln2 - last(still))
			return math.Max(0, math.Min(ratio, 1))
		}}
}

func factor(b int, last func(arm) float64) float64 {
	return last(private(b, rootRate)) / last(plain(b, rootRate))
}

// largerBatchIsWorse compares another batch size with b = 5.
var largerBatchIsWorse = falls("rise of the objective from b = 5", verify.AtLeast, visibleFall,
	func(x float64, last func(arm) float64) (a, b float64) {
		return last(private(int(x), rootRate)), last(private(5, rootRate))
	})

// twoPasses holds one pass against two, and two against one.
var twoPasses = falls("objective after so many passes less that after the other number, 1 or 2", verify.AtMost,
	1-1/near, func(x float64, last func(arm) float64) (a, b float64) { return last(passes(x)), last(passes(3 - x)) })

// halfGap is half of the first arm's distance from non-private SGD, less all of the distance of another arm; objectives
// count up to 2, as a narrow range takes fewer runs.
func halfGap(first arm, later func(x float64) arm) *measure {
	return &measure{
		quantity: "(2 + half of the gap to non-private SGD after one pass − the gap after the others)/3",
		sense:    verify.AtLeast, bound: constantly(2. / 3), hi: 1, effect: 0.02,
		value: func(x float64, last func(arm) float64) float64 {
			capped := func(a arm) float64 { return math.Min(last(a), 2) }
			return (2 + math.Max(0, gap(capped, first))/2 - math.Max(0, gap(capped, later(x)))) / 3
		},
	}
}

// aboveZero is the last objective in units of 2, cut there, against twice log 2.
func aboveZero(rate laplacesgd.Rate) *measure {
	return &measure{
		quantity: "half of the last objective, at most 1", sense: verify.AtLeast, bound: constantly(math.Ln2), hi: 1,
		effect: effect,
		value:  func(_ float64, last func(arm) float64) float64 { return math.Min(last(private(5, rate)), 2) / 2 },
	}
}
