package distinguisher_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/distinguisher"
)

// The outputs are uniform on [0, 1] for one input and have density 2x for the other.
func ExampleSearch_Find() {
	r := rand.New(rand.NewPCG(1, 2))
	a, b := distinguisher.NewRows(1, 10_000), distinguisher.NewRows(1, 10_000)
	for range 10_000 {
		a.Append([]float64{r.Float64()})
		b.Append([]float64{math.Sqrt(r.Float64())})
	}
	fast := confidence.NewEpsilonFast(0, 0.01)
	search := distinguisher.Search{Samples: [][2]int64{{100_000, 100_000}}, Certified: fast.Lower}
	events, err := search.Find(a, b)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(events[0].Holds(r, []float64{0}), events[0].Holds(r, []float64{0.9}), events[0].Value > 2)
	// Output: true false true
}

func ExampleEncoder() {
	encode, err := distinguisher.Encoder[[]float64]()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(encode(nil, []float64{0.5, -2}))
	// Output: [2 0.5 -2]
}
