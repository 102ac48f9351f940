package replay

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// arranged makes one call of Laplace noise, with scale 10 and sensitivity 1, for each entry of shown. It outputs the
// released values of the calls whose entry is true, and the index of the largest among the others.
type arranged struct {
	shown []bool
	// joined combines the shown and hidden values into the output; nil outputs them as above.
	joined func(shown, hidden data) any
}

const arrangedScale = 10

func (m arranged) Run(seed uint64, input data, replay []Call) (Run, error) {
	r := rand.New(rand.NewPCG(seed, 5))
	var calls []Call
	var shown, hidden data
	for i, is := range m.shown {
		c := primitive.Call{Kind: primitive.Laplace, Value: data{float64(len(input)) + 0.41*float64(i%7)},
			Scale: arrangedScale, Sensitivity: 1, Norm: primitive.L1}
		v := c.Value[0] + arrangedScale*r.ExpFloat64()*float64(2*r.IntN(2)-1)
		if i < len(replay) {
			v = replay[i].Released[0]
		}
		calls = append(calls, Call{Call: c, Released: data{v}})
		if is {
			shown = append(shown, v)
		} else {
			hidden = append(hidden, v)
		}
	}
	if m.joined != nil {
		return NewRun(calls, m.joined(shown, hidden))
	}
	best := -1
	if len(hidden) > 0 {
		best = largest(hidden)
	}
	return NewRun(calls, append(slices.Clone(shown), float64(best)))
}

// arrangements returns patterns of shown (true) and hidden calls: all periodic ones up to the length, blocks, and
// drawn ones.
func arrangements(length, drawn int) (all [][]bool) {
	from := func(f func(i int) bool) {
		out := make([]bool, length)
		for i := range out {
			out[i] = f(i)
		}
		all = append(all, out)
	}
	for period := 1; period <= length; period++ {
		from(func(i int) bool { return i%period == 0 })
		from(func(i int) bool { return i%period != 0 })
		from(func(i int) bool { return i < period })
		from(func(i int) bool { return i >= period })
	}
	r := rand.New(rand.NewPCG(8, 8))
	for range drawn {
		share := r.Float64()
		from(func(int) bool { return r.Float64() < share })
	}
	return all
}

// The order of shown and hidden calls does not change the verdict. Each shown call costs 0.1 and the index at most
// 0.2. A claim of the sum is never refuted, and a claim below the cost of the shown calls always is.
func TestArrangements(t *testing.T) {
	given := []inputs.Pair[data]{{A: data{1, 1, 1}, B: data{1, 1}}}
	lengths := []int{12}
	if testutil.Size(0, 1) == 1 {
		lengths = []int{12, 64}
	}
	for _, length := range lengths {
		for k, shown := range arrangements(length, testutil.Size(40, 300)) {
			count := 0
			for _, is := range shown {
				if is {
					count++
				}
			}
			cost := float64(count) / arrangedScale
			for _, c := range []struct {
				claim float64
				want  verify.Verdict
			}{{cost + 0.2, verify.Inconclusive}, {cost * 0.95, verify.Refuted}} {
				if c.claim == 0 {
					continue
				}
				p := Replay[data]{Subject: arranged{shown: shown}, Claim: privacy.ApproximateDP(c.claim, 0), Given: given}
				if f := find(t, p, Account, uint64(k)); f.Verdict != c.want {
					t.Errorf("%v, claim %v: %s: %s", shown, c.claim, f.Verdict, f.How+f.Needed)
				}
			}
		}
	}
}

// These outputs follow each call separately but do not determine all released values. Each claim holds by another
// proof, or is not known to fail.
func TestJoinedOutputs(t *testing.T) {
	sum := func(v data) (s float64) {
		for _, x := range v {
			s += x
		}
		return s
	}
	each := func(f func(x float64) float64) func(shown, _ data) any {
		return func(shown, _ data) any {
			out := slices.Clone(shown)
			for i := range out {
				out[i] = f(out[i])
			}
			return out
		}
	}
	alternating := func(shown, _ data) any {
		s := 0.0
		for i, x := range shown {
			s += x * float64(1-2*(i%2))
		}
		return s
	}
	for _, c := range []struct {
		name   string
		calls  int
		claim  float64
		joined func(shown, hidden data) any
	}{
		{"a difference, without the data", 2, 0.01, alternating},
		{"an alternating sum, without the data", 16, 0.01, alternating},
		{"differences around a circle", 3, 0.01, func(v, _ data) any {
			return data{v[0] - v[1], v[1] - v[2],
				v[2] - v[0]}
		}},
		{"differences of adjacent values", 8, 0.01, func(v, _ data) any {
			out := data{}
			for i := range len(v) - 1 {
				out = append(out, v[i+1]-v[i])
			}
			return out
		}},
		{"a ratio", 2, 0.101, func(v, _ data) any { return v[0] / v[1] }},
		{"a sum", 2, 0.15, func(v, _ data) any { return sum(v) }},
		{"a weighted sum", 3, 0.25, func(v, _ data) any { return v[0] + v[1]/3 + v[2]/7 }},
		{"the largest", 4, 0.2, func(v, _ data) any { return slices.Max(v) }},
		{"the median", 5, 0.3, func(v, _ data) any { v = slices.Sorted(slices.Values(v)); return v[2] }},
		{"sorted", 4, 0.3, func(v, _ data) any { return slices.Sorted(slices.Values(v)) }},
		{"the minimum and the maximum", 5, 0.2, func(v, _ data) any { return data{slices.Min(v), slices.Max(v)} }},
		{"a remainder", 2, 0.15, each(func(x float64) float64 { return math.Mod(math.Abs(x), 5) })},
		{"magnitudes around 2.5", 2, 0.15, each(func(x float64) float64 { return math.Abs(x - 2.5) })},
		{"sines", 2, 0.15, each(math.Sin)},
		{"signs", 4, 0.3, each(func(x float64) float64 { return math.Copysign(1, x) })},
		{"above a threshold", 4, 0.3, each(func(x float64) float64 { return math.Min(1, math.Max(0, math.Floor(x-50))) })},
		{"shares of the whole", 3, 0.25, func(v, _ data) any { s := sum(v); return data{v[0] / s, v[1] / s, v[2] / s} }},
		{"the parity of rounded values", 3, 0.01, func(v, _ data) any {
			return float64(int64(math.Round(v[0])+math.Round(v[1])+math.Round(v[2])) & 1)
		}},
	} {
		p := Replay[data]{Subject: arranged{shown: slices.Repeat([]bool{true}, c.calls), joined: c.joined},
			Claim: privacy.ApproximateDP(c.claim, 0), Given: []inputs.Pair[data]{{A: data{1, 1, 1}, B: data{1, 1}}}}
		for seed := range uint64(5) {
			if f := find(t, p, Account, seed); f.Verdict != verify.Inconclusive {
				t.Errorf("%s: %s: %s", c.name, f.Verdict, f.How)
			}
		}
	}
}

// Outputs that determine the released values, each in another way, are charged in full.
func TestOutputsThatDetermine(t *testing.T) {
	for _, c := range []struct {
		name   string
		joined func(v, _ data) any
	}{
		{"prefix sums", func(v, _ data) any {
			out := slices.Clone(v)
			for i := range out[1:] {
				out[i+1] += out[i]
			}
			return out
		}},
		{"suffix sums", func(v, _ data) any {
			out := slices.Clone(v)
			for i := len(out) - 2; i >= 0; i-- {
				out[i] += out[i+1]
			}
			return out
		}},
		{"rounded", func(v, _ data) any {
			out := []int{}
			for _, x := range v {
				out = append(out, int(math.Round(x)))
			}
			return out
		}},
		{"clamped at 0", func(v, _ data) any {
			out := data{}
			for _, x := range v {
				out = append(out, math.Max(0, x))
			}
			return out
		}},
		{"exponentials, in a map", func(v, _ data) any {
			out := map[string]float64{}
			for i, x := range v {
				out[fmt.Sprint("q", i)] = math.Exp(-x / 20)
			}
			return out
		}},
	} {
		p := Replay[data]{Subject: arranged{shown: slices.Repeat([]bool{true}, 6), joined: c.joined},
			Claim: privacy.ApproximateDP(0.55, 0), Given: []inputs.Pair[data]{{A: data{1, 1, 1}, B: data{1, 1}}}}
		if f := find(t, p, Account, 1); f.Verdict != verify.Refuted {
			t.Errorf("%s: %s: %s", c.name, f.Verdict, f.Needed)
		}
	}
}

// Only some of 100,000 calls are tested. A shown value is found if it has the largest possible cost.
func TestManyCalls(t *testing.T) {
	if !testutil.Asked() {
		t.Skipf("takes half a minute: set %s=1", testutil.Variable)
	}
	p := Replay[data]{Subject: arranged{shown: make([]bool, 100_000)}, Claim: privacy.ApproximateDP(1, 0),
		Given: []inputs.Pair[data]{{A: data{1, 1, 1}, B: data{1, 1}}}}
	if f := find(t, p, Account, 1); f.Verdict != verify.Inconclusive {
		t.Errorf("%s: %s", f.Verdict, f.How)
	}
}

// Sensitivity 0 declares that a value is the same for all neighbors. It is refuted if the value differs, and costs
// nothing otherwise.
func TestSensitivityZero(t *testing.T) {
	for _, c := range []struct {
		name string
		f    mechanism
		want verify.Verdict
	}{
		{"a value of the data", one(func(n *primitive.Noise, d data) (float64, error) {
			return n.Laplace(sum(d, 0, 1), 1,
				0)
		}),
			verify.Refuted},
		{"a fraction of the data", one(func(n *primitive.Noise, d data) (float64, error) {
			return n.Gaussian(sum(d, 0, 1)/3, 1, 0)
		}), verify.Refuted},
		{"scores of the data", one(func(n *primitive.Noise, d data) (int, error) {
			return n.Exponential(data{0, sum(d, 0, 1)}, 1, 0)
		}), verify.Refuted},
		{"a public value", one(func(n *primitive.Noise, _ data) (float64, error) { return n.Laplace(3, 1, 0) }),
			verify.Inconclusive},
		{"public scores", one(func(n *primitive.Noise, _ data) (int, error) { return n.Exponential(data{0, 2}, 1, 0) }),
			verify.Inconclusive},
		{"a rounded value", one(func(n *primitive.Noise, d data) (float64, error) {
			return n.Laplace(0.1*float64(1+len(d))+0.2-0.1*float64(len(d)), 1, 0)
		}), verify.Inconclusive},
	} {
		p := Replay[data]{Subject: c.f, Claim: privacy.ApproximateDP(0.001, 0),
			Given: []inputs.Pair[data]{{A: data{1, 1}, B: data{1}}}}
		if f := find(t, p, Sensitivity, 1); f.Verdict != c.want {
			t.Errorf("%s: %s: %s", c.name, f.Verdict, f.How+f.Needed)
		}
		if f := find(t, p, Account, 1); f.Verdict != verify.Inconclusive {
			t.Errorf("%s, its account: %s: %s", c.name, f.Verdict, f.How)
		}
	}
}
