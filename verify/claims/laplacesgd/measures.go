package laplacesgd

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/verify"
)

// Thresholds for the words of the thesis, the same for all figures: "far" is a factor of 1.5, "almost identical" is
// within a factor of 1.25 and "a lot of influence" beyond it, "clear" is a change by a tenth, "huge" is half of the
// way to non-private SGD, and "a lot smaller" is half of the standard deviation. "Degrades" and "improves" are changes
// by a twentieth, about twice the error of a mean of 20 permutations in Fig. 4. We chose the thresholds after a few
// runs.
const (
	far         = 1.5
	near        = 1.25
	clearFall   = 0.1
	visibleFall = 0.05
	double      = 2. / 3 // the expected share of a normal difference with r times the variance is √r/(1 + √r)
)

// fall returns the relative decrease from a to b, (a − b)/max(a, b), from −1 to 1.
func fall(a, b float64) float64 { return (a - b) / math.Max(a, b) }

// falls returns the measure whose value is the relative decrease between two objectives.
func falls(quantity string, sense verify.Sense, bound float64, objectives func(x float64, last func(arm) float64) (a,
	b float64)) *measure {
	return &measure{
		quantity: quantity + ", relative to the larger", sense: sense, bound: constantly(bound), lo: -1, hi: 1,
		effect: 0.25,
		value:  func(x float64, last func(arm) float64) float64 { return fall(objectives(x, last)) },
	}
}

// sentence is the statement that the mean of value over permutations, from 0 to 1, is at least bound.
type sentence struct {
	words string
	bound float64
	value func(last func(arm) float64) float64
}

// each returns the measure of several sentences; x is the number of a sentence.
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

// farAt states that the non-private objective is far below the private one.
func farAt(b int) sentence {
	return sentence{fmt.Sprintf("1 − non-private objective/private objective at b = %d", b), 1 - 1/far,
		func(last func(arm) float64) float64 { return math.Max(0, 1-1/factor(b, last)) }}
}

// nearAt states that the private and the non-private objective are almost identical.
func nearAt(b int) sentence {
	return sentence{fmt.Sprintf("the smaller over the larger objective at b = %d", b), 1 / near,
		func(last func(arm) float64) float64 {
			f := factor(b, last)
			return math.Min(f, 1/f)
		}}
}

// worseAt states that the ratio of the private to the non-private objective is larger at the first batch size.
func worseAt(first, second int) sentence {
	return sentence{fmt.Sprintf("ratio of private to non-private objective at b = %d over its sum with the ratio at b "+
		"= %d",
		first, second), 0.5,
		func(last func(arm) float64) float64 {
			f, g := factor(first, last), factor(second, last)
			return f / (f + g)
		}}
}

// spread states that the first arm has a larger variance: the squared difference of two of its runs is on average at
// least the given share of its sum with that of the second arm.
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

// fallAt states that the private objective decreases from the objective at w = 0 almost as much as the non-private one.
func fallAt(noisy, plain arm) sentence {
	return sentence{"decrease of the private objective from ln 2 over that of the non-private one, clipped to [0, 1]",
		1 / near,
		func(last func(arm) float64) float64 {
			ratio := (math.Ln2 - last(noisy)) / (math.Ln2 - last(plain))
			return math.Max(0, math.Min(ratio, 1))
		}}
}

func factor(b int, last func(arm) float64) float64 {
	return last(private(b, rootRate)) / last(plain(b, rootRate))
}

// largerBatchIsWorse measures the rise of the objective from b = 5 to another batch size.
var largerBatchIsWorse = falls("rise of the objective from b = 5", verify.AtLeast, visibleFall,
	func(x float64, last func(arm) float64) (a, b float64) {
		return last(private(int(x), rootRate)), last(private(5, rootRate))
	})

// twoPasses compares one pass with two (x = 1), and two passes with one (x = 2).
var twoPasses = falls("objective after this number of passes minus that after the other number, 1 or 2", verify.AtMost,
	1-1/near, func(x float64, last func(arm) float64) (a, b float64) { return last(passes(x)), last(passes(3 - x)) })

// halfGap measures half of the first arm's distance from non-private SGD minus the distance of another arm. Objectives
// above 2 count as 2, because a narrow range needs fewer runs.
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

// aboveZero compares half of the last objective, at most 1, with ln 2: the objective is at least twice that of w = 0.
func aboveZero(rate laplacesgd.Rate) *measure {
	return &measure{
		quantity: "half of the last objective, at most 1", sense: verify.AtLeast, bound: constantly(math.Ln2), hi: 1,
		effect: effect,
		value:  func(_ float64, last func(arm) float64) float64 { return math.Min(last(private(5, rate)), 2) / 2 },
	}
}
