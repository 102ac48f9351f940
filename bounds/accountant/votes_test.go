package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// answered returns the probability that each class is the answer, by Simpson's rule over the noise of its votes.
func answered(one event.Event, votes []float64) []float64 {
	density := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
	below := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	if one.Kind == event.KindLaplaceArgmax {
		density = func(z float64) float64 { return math.Exp(-math.Abs(z)) / 2 }
		below = func(z float64) float64 {
			if z > 0 {
				return 1 - math.Exp(-z)/2
			}
			return math.Exp(z) / 2
		}
	}
	const reach, step = 40, 0.01 // the Laplace density has its kink between two intervals
	p := make([]float64, len(votes))
	for class := range p {
		for i := 0; i <= 2*reach/step; i++ {
			z, weight := -reach+float64(i)*step, 2.0
			if i%2 == 1 {
				weight = 4
			}
			product := density(z) * weight * step / 3
			for other, n := range votes {
				if other != class {
					product *= below(z + (votes[class]-n)/one.A)
				}
			}
			p[class] += product
		}
	}
	return p
}

// neighborsOf returns the votes after one teacher has changed its vote.
func neighborsOf(votes []float64) (all [][]float64) {
	for from := range votes {
		for to := range votes {
			if from != to && votes[from] > 0 {
				moved := slices.Clone(votes)
				moved[from]--
				moved[to]++
				all = append(all, moved)
			}
		}
	}
	return all
}

// divergenceBetween returns the Rényi divergence of order 1 + beta of finite distributions. The probability of the
// likely answer is 1 minus the others, so that small divergences keep their digits.
func divergenceBetween(p, q []float64, beta float64) float64 {
	logOf := func(p []float64, likely int) []float64 {
		l, rest := make([]float64, len(p)), 0.0
		for i := range p {
			if l[i] = math.Log(p[i]); i != likely {
				rest += p[i]
			}
		}
		l[likely] = math.Log1p(-rest)
		return l
	}
	likely := slices.Index(p, slices.Max(p))
	a, b := logOf(p, likely), logOf(q, likely)
	sum, largest := 0.0, math.Inf(-1)
	for i := range p {
		sum += math.Exp(a[i]) * math.Expm1(beta*(a[i]-b[i]))
		largest = math.Max(largest, a[i]/beta+a[i]-b[i])
	}
	return math.Max(largest, math.Min(math.Log1p(sum)/beta, largest+math.Log(float64(len(p)))/beta))
}

// votesBound returns a bound on the divergence at each order.
type votesBound func(c renyiCurve, one event.Event, votes []float64) []float64

// exceededVotes draws votes and counts the exact divergences to their neighbors that exceed a bound. It also counts the
// bounds below the data-independent curve.
func exceededVotes(t *testing.T, bound votesBound) (exceeded, smaller int) {
	r := rand.New(rand.NewPCG(58, 2))
	for range testutil.Size(12, 300) {
		one := event.NoisyArgmax(0.5 + 3*r.Float64())
		if r.IntN(2) == 0 {
			one = event.LaplaceArgmax(0.5 + 3*r.Float64())
		}
		votes := []float64{float64(r.IntN(25)), float64(r.IntN(6)), float64(r.IntN(4))}[:2+r.IntN(2)]
		curve, err := renyiPoints(one, event.AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		here := answered(one, votes)
		bounds := bound(curve, one, votes)
		for _, moved := range neighborsOf(votes) {
			there := answered(one, moved)
			for i := 8; i < len(curve); i += 16 {
				if curve[i].beta > 100 {
					break
				}
				b := bounds[i]
				if b < curve[i].r {
					smaller++
				}
				exact := math.Max(divergenceBetween(here, there, curve[i].beta), divergenceBetween(there, here, curve[i].beta))
				if exact > b*(1+1e-9)+1e-11 {
					exceeded++
				}
			}
		}
	}
	return exceeded, smaller
}

// The bounds are never below the exact divergences. Each control omits a condition: that the order ν of Hölder's
// inequality is at least λ, or that u also bounds the neighbor's probability.
func TestVotesAgainstQuadrature(t *testing.T) {
	certified := func(c renyiCurve, one event.Event, votes []float64) []float64 { return c.votes(unlikely(one, votes)) }
	if exceeded, smaller := exceededVotes(t, certified); exceeded > 0 || smaller < 50 {
		t.Errorf("%d divergences exceed the bound, which is below the curve %d times", exceeded, smaller)
	}
	for name, fault := range map[string]votesBound{
		"any ν": func(c renyiCurve, one event.Event, votes []float64) []float64 {
			logU, all := unlikely(one, votes), make([]float64, len(c))
			for i, at := range c {
				rare := math.Inf(1)
				for _, other := range c {
					rare = math.Min(rare, at.beta*other.r+(1-at.beta/other.beta)*logU)
				}
				all[i] = math.Min(at.r, math.Log1p(math.Exp(rare))/at.beta)
			}
			return all
		},
		"the neighbor's votes ignored": func(c renyiCurve, one event.Event, votes []float64) []float64 {
			moved := slices.Clone(votes)
			moved[slices.Index(votes, slices.Max(votes))] += 2
			return c.votes(unlikely(one, moved))
		},
	} {
		if exceeded, _ := exceededVotes(t, fault); exceeded == 0 {
			t.Errorf("%s: no divergence exceeds the bound", name)
		} else {
			t.Logf("%s: %d divergences exceed it", name, exceeded)
		}
	}
}

// At the returned ε, the enumerated answers to two queries have at most the given δ, for each neighbor. There are two
// controls. At small margins, the returned ε equals the ε of the data-independent Rényi curve. At half of the returned
// ε, some neighbors have a larger δ.
func TestVotesEpsilon(t *testing.T) {
	const delta = 1e-3
	one := event.LaplaceArgmax(1)
	tooLarge := 0
	for _, counts := range [][][]float64{{{8, 2}, {9, 1}}, {{12, 3}, {6, 9}}, {{7, 0}, {7, 0}}} {
		epsilon, err := VotesEpsilon(one, event.ReplaceOne, counts, delta)
		if err != nil {
			t.Fatal(err)
		}
		for _, first := range neighborsOf(counts[0]) {
			for _, second := range neighborsOf(counts[1]) {
				var o outcomes
				for i, p := range answered(one, counts[0]) {
					for j, q := range answered(one, counts[1]) {
						o = append(o, [2]float64{p * q, answered(one, first)[i] * answered(one, second)[j]})
					}
				}
				if d := o.delta(epsilon); d > delta {
					t.Errorf("%v and %v, %v: δ = %v at ε = %v", counts, first, second, d, epsilon)
				}
				if o.delta(epsilon/2) > delta {
					tooLarge++
				}
			}
		}
	}
	if tooLarge == 0 {
		t.Error("half of the figure is still an upper bound for all neighbors")
	}
	for _, one := range []event.Event{event.LaplaceArgmax(1), event.NoisyArgmax(2)} {
		curve, err := renyiPoints(one, event.AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		independent := math.Inf(1)
		for _, at := range curve {
			independent = math.Min(independent, Tight.epsilonAt(at.beta, at.r, math.Log(delta)))
		}
		near, err := VotesEpsilon(one, event.AddRemove, [][]float64{{5, 4, 5}}, delta)
		clear, other := VotesEpsilon(one, event.AddRemove, [][]float64{{99, 4, 5}}, delta)
		if err != nil || other != nil || !(math.Abs(near-independent) <= 1e-12*near && clear < 0.1*near) {
			t.Errorf("%v: ε = %v at a small margin, %v at a large one, %v for all votes (%v, %v)", one, near, clear,
				independent, err, other)
		}
	}
}

func TestVotesRejected(t *testing.T) {
	one := event.NoisyArgmax(2)
	for _, c := range []struct {
		one    event.Event
		counts [][]float64
		delta  float64
	}{
		{event.Gaussian(1), [][]float64{{1, 2}}, 1e-5}, {one, nil, 1e-5}, {one, [][]float64{{1}}, 1e-5},
		{one, [][]float64{{1, 2}, {1, 2, 3}}, 1e-5}, {one, [][]float64{{1, -2}}, 1e-5}, {one, [][]float64{{1, 0.5}}, 1e-5},
		{one, [][]float64{{math.NaN(), 1}}, 1e-5}, {one, [][]float64{{1, 2}}, math.NaN()}, {one, [][]float64{{1, 2}}, 2},
		{event.NoisyArgmax(0), [][]float64{{1, 2}}, 1e-5},
	} {
		if e, err := VotesEpsilon(c.one, event.AddRemove, c.counts, c.delta); !errors.Is(err, event.ErrDomain) {
			t.Errorf("%v, %v at %v: ε = %v, error %v", c.one, c.counts, c.delta, e, err)
		}
	}
	if e, err := VotesEpsilon(one, event.AddRemove, [][]float64{{1e15, 0}}, 0); err != nil || !math.IsInf(e, 1) {
		t.Errorf("δ = 0: ε = %v (%v), want +Inf", e, err)
	}
}

// The enumerated δ of one or two answers on drawn votes of two to four classes is at most the upper end of the bracket,
// for all neighbors. In the control, the bracket is for noise that is 1.5 times as large.
func TestVotesBelowTheBracket(t *testing.T) {
	for _, c := range []struct {
		factor float64
		want   bool
	}{{1, true}, {1.5, false}} {
		r := rand.New(rand.NewPCG(58, 5))
		below := true
		for range testutil.Size(6, 100) {
			one := event.NoisyArgmax(0.5 + 3*r.Float64())
			if r.IntN(2) == 0 {
				one = event.LaplaceArgmax(0.5 + 3*r.Float64())
			}
			votes := make([]float64, 2+r.IntN(3))
			for i := range votes {
				votes[i] = float64(r.IntN(4))
			}
			accounted := one
			accounted.A *= c.factor
			here, runs, epsilon := answered(one, votes), 1+r.IntN(2), 0.5*r.Float64()
			b, err := LossDelta(event.Repeat(int64(runs), accounted), event.AddRemove, epsilon, Precision{})
			if err != nil {
				t.Fatal(err)
			}
			for _, moved := range neighborsOf(votes) {
				o := outcomes{{1, 1}}
				for range runs {
					var next outcomes
					for i, q := range answered(one, moved) {
						for _, done := range o {
							next = append(next, [2]float64{done[0] * here[i], done[1] * q})
						}
					}
					o = next
				}
				below = below && o.delta(epsilon) <= b.Upper+1e-9
			}
		}
		if below != c.want {
			t.Errorf("%g times the noise: all answers below the bracket: %v", c.factor, below)
		}
	}
}
