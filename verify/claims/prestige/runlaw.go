package prestige

import (
	"maps"
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	paper "github.com/dpverify/dpverify/bounds/printed"
)

// runLaw is the exact law of a run of Algorithm 1 on one record of dimension 1, without
// projection: from w = 2, hinge loss, λ = 1, R = 2, L = 3, D_th falling by √T. A gradient
// of norm above L is clipped, and at g = 0 the direction is uniform.
//
// In dimension 1 an update moves w by ±R/(λ√t), so the outcome is a word of signs, one for
// each update made. Words of up to ten signs lead to different w: the square roots
// of 1, 2, 3, 5, 6, 7 and 10 are linearly independent over the rationals, those of 4, 8 and 9
// are 2, 2√2 and 3, and no signs make 1 ± ½ ± ⅓ or 1/√2 ± 1/(2√2) vanish or meet.
type runLaw struct {
	epochs    int
	threshold float64
	memoise   bool // one perturbed label for all epochs
}

const (
	lawStart, lawLambda, lawRadius, lawLipschitz = 2.0, 1.0, 2.0, 3.0
)

// of returns the mass of every word of signs.
func (l runLaw) of(e example) (map[string]float64, error) {
	sampler, err := mechanism.NewPrivateSampling(1, gradientEpsilon, lawLipschitz, 1)
	if err != nil {
		return nil, err
	}
	response, err := paper.RandomizedResponse(labelEpsilon)
	if err != nil {
		return nil, err
	}
	kept, turned := response[0][0], response[0][1]
	each := []noisyLabel{{e.y, kept}, {-e.y, turned}}
	if !l.memoise {
		return l.words(e.x, sampler, each), nil
	}
	mixture := make(map[string]float64)
	for _, label := range each {
		for word, mass := range l.words(e.x, sampler, []noisyLabel{{label.y, 1}}) {
			mixture[word] += label.mass * mass
		}
	}
	return mixture, nil
}

// noisyLabel is a perturbed label and its probability.
type noisyLabel struct{ y, mass float64 }

// words runs the epochs, with the labels drawn anew in each.
func (l runLaw) words(x float64, sampler *mechanism.PrivateSampling, labels []noisyLabel) map[string]float64 {
	law := map[string]float64{"": 1}
	for epoch := 1; epoch <= l.epochs; epoch++ {
		threshold := paper.Threshold(l.threshold, 1, epoch)
		next := make(map[string]float64)
		for _, word := range slices.Sorted(maps.Keys(law)) { // in an order, since sums are rounded
			mass, w := law[word], position(word)
			for _, label := range labels {
				if !(w*x*label.y >= threshold) {
					next[word] += mass * label.mass
					continue
				}
				up := mass * label.mass * upward(sampler, lawLambda*w+erm.Hinge{}.Derivative(label.y*w*x)*label.y*x,
					lawLipschitz)
				next[word+"+"] += up
				next[word+"-"] += mass*label.mass - up
			}
		}
		law = next
	}
	return law
}

// position is w after the updates of a word: a sign is that of the change of w.
func position(word string) float64 {
	w := lawStart
	for t, sign := range word {
		step := lawRadius / (lawLambda * math.Sqrt(float64(t+1)))
		if sign == '-' {
			step = -step
		}
		w += step
	}
	return w
}

// upward is the probability that −G is positive for the gradient g, clipped to L.
func upward(sampler *mechanism.PrivateSampling, g, lipschitz float64) float64 {
	along, against := sampler.HalfSpaceDensity(math.Min(math.Abs(g), lipschitz))
	if g > 0 { // −G has the sign of g where G lies against it
		return against / 2
	}
	return along / 2
}

// aligned lists the masses of all words of up to n signs in one order.
func aligned(law map[string]float64, n int) []float64 {
	var masses []float64
	level := []string{""}
	for length := 0; ; length++ {
		for _, word := range level {
			masses = append(masses, law[word])
		}
		if length == n {
			return masses
		}
		next := make([]string, 0, 2*len(level))
		for _, word := range level {
			next = append(next, word+"+", word+"-")
		}
		level = next
	}
}
