package external

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// Case is a question with the certified bracket of its answer.
type Case struct {
	Question
	Bracket accountant.Bracket
}

// errUnsuitable marks a question whose answer is too small, too large or not known well enough.
var errUnsuitable = errors.New("unsuitable question")

// certify returns the question with its certified bracket. The event comes from the JSON of the tree, as every other
// library reads it.
func certify(q Question) (Case, error) {
	f, err := event.ReadFile([]byte(q.Tree.String()), "")
	if err != nil {
		return Case{}, err
	}
	answers, best := accountant.Epsilons, accountant.Options{Methods: []string{"best"}}
	if q.Ask == AskDelta {
		answers = accountant.Deltas
	}
	results, err := answers(f.Event, q.Adjacency, q.At, best)
	if err != nil {
		return Case{}, err
	}
	c := Case{q, results[0].Bracket}
	low, high := 0.02, 20.0
	if q.Ask == AskDelta {
		low, high = 1e-8, 0.5
	}
	if !(c.Bracket.Lower >= low && c.Bracket.Upper <= high && c.Bracket.Upper <= 1.01*c.Bracket.Lower) {
		return c, fmt.Errorf("%w: the answer is in [%v, %v]", errUnsuitable, c.Bracket.Lower, c.Bracket.Upper)
	}
	return c, nil
}

// attempts is the maximum number of questions drawn for a case. About a third of them are suitable.
const attempts = 200

// Generate returns the case with a number in the sequence of a seed. Answers are ε in [0.02, 20] or δ in [1e-8, 0.5],
// with brackets of a relative width of at most 0.01.
func Generate(seed, number uint64) (Case, error) {
	r := rand.New(rand.NewPCG(seed, number^0xacc7a1))
	var last error
	for range attempts {
		c, err := certify(draw(r))
		if err == nil {
			return c, nil
		}
		if last = err; !errors.Is(err, errUnsuitable) {
			break
		}
	}
	return Case{}, fmt.Errorf("question %d of seed %d: %w", number, seed, last)
}

// draw draws a question.
func draw(r *rand.Rand) Question {
	q := Question{Ask: AskEpsilon, Adjacency: event.AddRemove}
	if r.IntN(3) == 0 {
		q.Adjacency = event.ReplaceOne
	}
	if q.At = []float64{1e-8, 1e-6, 1e-6, 1e-5, 1e-3}[r.IntN(5)]; r.IntN(3) == 0 {
		q.Ask, q.At = AskDelta, []float64{0, 0.5, 1, 2, 4}[r.IntN(5)]
	}
	switch r.IntN(5) {
	case 0, 1:
		q.Tree = run(r, q.Adjacency, 1)
	case 2, 3:
		q.Tree = repeatedRun(r, q.Adjacency)
	default:
		q.Tree = Tree{Class: classComposed}
		for range 2 + r.IntN(2) {
			part := run(r, q.Adjacency, 3)
			if r.IntN(3) == 0 {
				part = repeatedRun(r, q.Adjacency)
			}
			q.Tree.Events = append(q.Tree.Events, part)
		}
	}
	return q
}

// repeatedRun draws a mechanism that runs several times, with noise in proportion.
func repeatedRun(r *rand.Rand, adj event.Adjacency) Tree {
	count := []int64{2, 3, 5, 10, 30, 100, 1000}[r.IntN(7)]
	of := run(r, adj, float64(count))
	return Tree{Class: classRepeated, Count: count, Event: &of}
}

// run draws one run of a mechanism, possibly sampled, with the noise for a composition of count runs.
func run(r *rand.Rand, adj event.Adjacency, count float64) Tree {
	scale := math.Sqrt(count)
	switch kind := r.IntN(9); {
	case kind < 2:
		return Tree{Class: classGaussian, Noise: within(r, 0.6, 8, scale)}
	case kind < 4:
		rate := []float64{0.001, 0.01, 0.1, 0.3, 0.7}[r.IntN(5)]
		noise := Tree{Class: classGaussian, Noise: math.Max(0.5, within(r, 0.8, 6, rate*scale))}
		if adj == event.AddRemove && r.IntN(3) == 0 {
			noise = Tree{Class: classLaplace, Noise: math.Max(0.5, within(r, 0.8, 6, rate*scale))}
		}
		return Tree{Class: classPoisson, Rate: rate, Event: &noise}
	case kind < 6:
		return Tree{Class: classLaplace, Noise: within(r, 0.3, 5, scale)}
	case kind < 7:
		s := int64(1 + r.IntN(3))
		return Tree{Class: classDiscreteLaplace, Parameter: within(r, 0.2, 2, 1/scale/float64(s)), Sensitivity: s}
	case kind < 8 && adj == event.ReplaceOne:
		return Tree{Class: classResponse, Parameter: rounded(1-(0.1+0.8*r.Float64())/scale, 3), Buckets: int64(2 + r.IntN(4))}
	}
	epsilon, delta := within(r, 0.1, 2, 1/scale), 0.0
	if r.IntN(2) == 0 {
		delta = 1e-9
	}
	return Tree{Class: classApproximate, Epsilon: &epsilon, Delta: &delta}
}

// within draws a number between low and high in multiples of scale, rounded to three digits.
func within(r *rand.Rand, low, high, scale float64) float64 {
	return rounded(scale*low*math.Pow(high/low, r.Float64()), 3)
}
