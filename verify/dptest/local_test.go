package dptest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

// reportOf is ε-randomized response among the words (Kairouz et al. 2016).
func reportOf(words []string, epsilon float64) func(r *rand.Rand, word string) string {
	return func(r *rand.Rand, word string) string {
		k := float64(len(words))
		if r.Float64() < (math.Exp(epsilon)-1)/(math.Exp(epsilon)+k-1) {
			return word
		}
		return words[r.IntN(len(words))]
	}
}

type patient struct {
	Age  int  `json:"age"`
	Sick bool `json:"sick"`
}

func local[D any](t inputs.Type) inputs.PairSpace[D] {
	return inputs.MustPairSpace[D](inputs.Space{Values: t, Neighbors: inputs.AnyTwo()})
}

// TestLocalPrivacy checks local privacy, where any two values are neighbors. The claim holds at the mechanism's ε.
// It is refuted at half of ε and for a mechanism that is wrong for only one pair.
func TestLocalPrivacy(t *testing.T) {
	words := []string{"red", "green", "blue", "grey"}
	colors := local[string](inputs.Enum("red", "green", "blue", "grey"))
	interval := local[float64](inputs.Float(-3, 1))
	patients := local[patient](inputs.Object(map[string]inputs.Type{"age": inputs.Int(0, 100), "sick": inputs.Bool()}))
	said := reportOf(words, 1)
	number := func(r *rand.Rand, x float64) float64 { return x + laplace(r, 4) } // the interval has length 4
	flip := func(r *rand.Rand, x bool) bool { return x != (r.Float64() < 1/(1+math.Exp(0.5))) }
	person := func(r *rand.Rand, p patient) patient {
		return patient{int(math.Round(float64(p.Age) + laplace(r, 200))), flip(r, p.Sick)}
	}
	for _, c := range []struct {
		name    string
		refuted bool
		run     func(f *fake)
	}{
		{"words", false, func(f *fake) {
			Audit(f, said, privacy.ApproximateDP(1, 0), Generated(colors), Search(12), Samples(8000))
		}},
		{"words, half of ε", true, func(f *fake) {
			Audit(f, said, privacy.ApproximateDP(0.5, 0), Generated(colors), Search(12), Samples(8000))
		}},
		{"one pair of words", true, func(f *fake) {
			Audit(f, func(r *rand.Rand, word string) string {
				if out := said(r, word); word != "green" || out != "grey" {
					return out
				}
				return word
			}, privacy.ApproximateDP(1, 0), Generated(colors), Search(12), Samples(8000))
		}},
		{"an interval", false, func(f *fake) {
			Audit(f, number, privacy.ApproximateDP(1, 0), Generated(interval), Search(20), Samples(8000))
		}},
		{"an interval, half of ε", true, func(f *fake) {
			Audit(f, number, privacy.ApproximateDP(0.5, 0), Generated(interval), Search(20), Samples(8000))
		}},
		{"objects", false, func(f *fake) {
			Audit(f, person, privacy.ApproximateDP(1, 0), Generated(patients), Search(20), Samples(8000))
		}},
		{"objects, one field without noise", true, func(f *fake) {
			Audit(f, func(r *rand.Rand, p patient) patient { return patient{person(r, p).Age, p.Sick} }, privacy.ApproximateDP(1, 0),
				Generated(patients), Search(20), Samples(8000))
		}},
		{"sensitivity equal to the length of an interval", false, func(f *fake) {
			Sensitivity(f, func(x float64) []float64 { return []float64{x} }, sensitivity.L1, 4, Generated(interval))
		}},
		{"sensitivity below the length of an interval", true, func(f *fake) {
			Sensitivity(f, func(x float64) []float64 { return []float64{x} }, sensitivity.L1, 3.9, Generated(interval))
		}},
	} {
		f := &fake{name: "TestIt"}
		c.run(f)
		if want := map[bool]string{true: "fail", false: "pass"}[c.refuted]; f.outcome() != want {
			t.Errorf("%s: %s: %s", c.name, f.outcome(), f.text())
		}
	}
}
