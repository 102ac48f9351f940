package laplacesgd

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/verify"
)

// The words of the thesis in numbers, the same for all figures: "far" is more than half as much again, "almost
// identical" and "a lot of influence" part at a quarter of the smaller, "clear" is a tenth, "much closer" and "huge"
// half of the way to non-private SGD, "a lot smaller" half of the deviation, and what "degrades" or "improves" does so
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
		quantity: quantity + ", relative to the larger", sense: sense, bound: constantly(bound), lo: -1, hi: 1, effect: 0.25,
		value: func(x float64, last func(arm) float64) float64 { return fall(of(x, last)) },
	}
}

// farThenNear is at b = 1 how far the non-private objective is below the private one, and at other batch sizes the
// smaller of both over the larger.
var farThenNear = &measure{
	quantity: "the smaller objective over the larger one (at b = 1: 1 less the non-private over the private one)",
	sense:    verify.AtLeast, hi: 1, effect: effect,
	bound: func(b float64) float64 {
		if b == 1 {
			return 1 - 1/far
		}
		return 1 / near
	},
	value: func(b float64, last func(arm) float64) float64 {
		f := factor(int(b), last)
		if b == 1 {
			return math.Max(0, 1-1/f)
		}
		return math.Min(f, 1/f)
	},
}

// worseThenNear is farThenNear but at b = 1, where it is the share of the factor there in its sum with that at second.
func worseThenNear(second int) *measure {
	m := *farThenNear
	m.quantity = "the smaller objective over the larger one (at b = 1: the share of its factor of private over " +
		"non-private in the sum of both factors)"
	m.bound = func(b float64) float64 {
		if b == 1 {
			return 0.5
		}
		return 1 / near
	}
	m.value = func(b float64, last func(arm) float64) float64 {
		if b == 1 {
			f, g := factor(1, last), factor(second, last)
			return f / (f + g)
		}
		return farThenNear.value(b, last)
	}
	return &m
}

// noisyIsNear is farThenNear at α = 0.01 and b = 1, where nothing is near.
var noisyIsNear = &measure{
	quantity: "the smaller of both objectives over the larger", sense: verify.AtLeast, bound: constantly(1 / near), hi: 1,
	effect: effect,
	value: func(_ float64, last func(arm) float64) float64 {
		f := last(arm{0.01, 1, rootRate, 1}) / last(plain(1, rootRate))
		return math.Min(f, 1/f)
	},
}

// largerBatchIsWorse is about the batch size x beside another.
func largerBatchIsWorse(than int) *measure {
	return falls("rise of the objective from the smaller b", verify.AtLeast, visibleFall,
		func(x float64, last func(arm) float64) (a, b float64) {
			return last(private(int(x), rootRate)), last(private(than, rootRate))
		})
}

// smallerBatchIsWorse is about the batch size x beside a larger one.
func smallerBatchIsWorse(than int) *measure {
	m := largerBatchIsWorse(than)
	m.quantity = "fall of the objective to the larger b, relative to the larger"
	return m
}

// passesImprove is about one pass beside x.
var passesImprove = falls("fall of the objective from one pass", verify.AtLeast, clearFall,
	func(x float64, last func(arm) float64) (a, b float64) {
		return last(private(1, rootRate)), last(passes(x))
	})

// twoPasses holds one pass against two, and two against one.
var twoPasses = falls("objective after so many passes less that after the other number, 1 or 2", verify.AtMost,
	1-1/near, func(x float64, last func(arm) float64) (a, b float64) { return last(passes(x)), last(passes(3 - x)) })

func passes(x float64) arm { return arm{paperAlpha, 1, rootRate, int(x)} }

// halfGap is half of the private objective's distance from the non-private one after one pass, less all of it after x
// passes; objectives count up to 2, as a narrow range takes fewer runs.
func halfGap(later func(x float64) (private, plain arm)) *measure {
	return &measure{
		quantity: "(2 + half of the gap to non-private SGD after one pass − the gap after the others)/3",
		sense:    verify.AtLeast, bound: constantly(2. / 3), hi: 1, effect: 0.02,
		value: func(x float64, last func(arm) float64) float64 {
			gap := func(noisy, still arm) float64 {
				return math.Max(0, math.Min(last(noisy), 2)-math.Min(last(still), 2))
			}
			return (2 + gap(private(1, rootRate), plain(1, rootRate))/2 - gap(later(x))) / 3
		},
	}
}

// laterPasses are those of halfGap.
func laterPasses(x float64) (private, plain arm) { return passes(x), arm{0, 1, rootRate, int(x)} }

// longerNoise compares the factor by which ten passes improve on one with that under noise as long as in 15 dimensions;
// reversed the other way.
func longerNoise(reversed bool) *measure {
	return &measure{
		quantity: "(1 + how far the factor of ten passes is above the other, relative to the larger)/2",
		sense:    verify.AtLeast, bound: constantly(0.5), hi: 1, effect: effect,
		value: func(_ float64, last func(arm) float64) float64 {
			longer := paperAlpha * settings[3].noiseLength(1) / settings[0].noiseLength(1)
			factor := func(alpha float64) float64 {
				return last(arm{alpha, 1, rootRate, 1}) / last(arm{alpha, 1, rootRate, 10})
			}
			own, other := factor(paperAlpha), factor(longer)
			if reversed {
				own, other = other, own
			}
			return (1 + fall(own, other)) / 2
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

// spread is the part of the first rate in the squared differences of two runs each.
func spread(first, second laplacesgd.Rate) *measure {
	return spreadOf(private(5, first), private(5, second), double)
}

// spreadOf is the part of the first arm.
func spreadOf(first, second arm, least float64) *measure {
	squared := func(last func(arm) float64, a arm) float64 {
		difference := last(a) - last(a)
		return difference * difference
	}
	return &measure{
		quantity: "share of the squared difference of two runs", sense: verify.AtLeast, bound: constantly(least), hi: 1,
		effect: effect,
		value: func(_ float64, last func(arm) float64) float64 {
			a, b := squared(last, first), squared(last, second)
			return a / (a + b)
		},
	}
}
