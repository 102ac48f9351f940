package external

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// The second back end agrees with the certified brackets of generated questions. The largest relative distance was
// measured as 2.5e-5 for the first 40 questions of seed 1.
func TestSecondAgrees(t *testing.T) {
	t.Parallel()
	for i := range testutil.Size[uint64](20, 500) {
		c, err := Generate(1, i)
		if err != nil {
			t.Fatal(err)
		}
		if err := Confirm(c); err != nil {
			t.Errorf("%s %s %s %v: %v", c.Tree, c.Adjacency, c.Ask, c.At, err)
		}
	}
}

// A bracket that is wrong by 0.1 % is not confirmed. This is the control of the test above.
func TestSecondRejectsWrongBrackets(t *testing.T) {
	for i := range uint64(10) {
		c, err := Generate(1, i)
		if err != nil {
			t.Fatal(err)
		}
		for _, factor := range []float64{0.999, 1.001} {
			wrong := c
			wrong.Bracket.Lower *= factor
			wrong.Bracket.Upper *= factor
			if Confirm(wrong) == nil {
				t.Errorf("%s: a bracket times %v is confirmed", c.Tree, factor)
			}
		}
	}
}

// enumerated returns Σ max(0, P − e^ε·Q) over all outputs of composed mechanisms with finitely many outputs.
func enumerated(pairs [][][2]float64, epsilon, p, q float64) float64 {
	if len(pairs) == 0 {
		return math.Max(0, p-math.Exp(epsilon)*q)
	}
	sum := 0.0
	for _, output := range pairs[0] {
		sum += enumerated(pairs[1:], epsilon, p*output[0], q*output[1])
	}
	return sum
}

// Both back ends contain the enumerated δ of a composition. The probabilities are written by hand from the definitions.
func TestEnumeration(t *testing.T) {
	one := 1.0
	delta := 0.01
	response := func(p, k float64) [][2]float64 { // outputs: true value of one neighbor, of the other, each other value
		out := [][2]float64{{1 - p + p/k, p / k}, {p / k, 1 - p + p/k}}
		for range int(k) - 2 {
			out = append(out, [2]float64{p / k, p / k})
		}
		return out
	}
	// The mechanism that attains (1, 0.01)-DP (Kairouz, Oh & Viswanath 2015).
	attained := [][2]float64{{0.01, 0}, {0.99 * math.E / (1 + math.E), 0.99 / (1 + math.E)},
		{0.99 / (1 + math.E), 0.99 * math.E / (1 + math.E)}, {0, 0.01}}
	tree := Tree{Class: classComposed, Events: []Tree{
		{Class: classResponse, Parameter: 0.4, Buckets: 3},
		{Class: classRepeated, Count: 3, Event: &Tree{Class: classResponse, Parameter: 0.7, Buckets: 2}},
		{Class: classApproximate, Epsilon: &one, Delta: &delta},
	}}
	pairs := [][][2]float64{response(0.4, 3), response(0.7, 2), response(0.7, 2), response(0.7, 2), attained}
	for _, epsilon := range []float64{0, 0.5, 1, 2, 3} {
		want := enumerated(pairs, epsilon, 1, 1)
		q := Question{Tree: tree, Adjacency: event.ReplaceOne, Ask: AskDelta, At: epsilon}
		lower, upper, err := Second(q)
		if err != nil || !(lower <= want*(1+rounding) && upper >= want*(1-rounding) && upper-lower < 1e-3*want) {
			t.Errorf("δ(%v): second back end [%v, %v], enumerated %v: %v", epsilon, lower, upper, want, err)
		}
		c, err := certify(q)
		if err != nil && !errors.Is(err, errUnsuitable) || !(c.Bracket.Lower <= want*(1+1e-12) && c.Bracket.Upper >= want*(1-1e-12)) {
			t.Errorf("δ(%v): certified %v, enumerated %v: %v", epsilon, c.Bracket, want, err)
		}
	}
}

// The second back end rejects events whose losses it does not know.
func TestSecondRejects(t *testing.T) {
	gaussian := Tree{Class: classGaussian, Noise: 1}
	for _, c := range []struct {
		tree   Tree
		reason string
	}{
		{Tree{Class: classPoisson, Rate: 0.5, Event: &Tree{Class: classRepeated, Count: 2, Event: &gaussian}},
			"a sampled composition is not a sampled pair on the line"},
		{Tree{Class: classResponse, Parameter: 0.5, Buckets: 2}, "libraries differ about an added record's value"},
		{Tree{Class: classGaussian}, "no noise"},
		{Tree{Class: "ZCDpEvent"}, "a guarantee without a pair"},
	} {
		q := Question{Tree: c.tree, Adjacency: event.AddRemove, Ask: AskEpsilon, At: 1e-6}
		if _, _, err := Second(q); err == nil || !strings.Contains(err.Error(), "no privacy loss") {
			t.Errorf("%s: error %v, although %s", c.tree, err, c.reason)
		}
	}
}
