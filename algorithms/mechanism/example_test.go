package mechanism_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/mechanism"
)

// The largest log ratio of the exact distributions for 0 and 1 is the true ε of randomized response.
func ExampleRandomizedResponse_Distribution() {
	m, err := mechanism.NewRandomizedResponse(1.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	zero, one := m.Distribution(0), m.Distribution(1)
	fmt.Printf("P(0|0) = %.3f, P(0|1) = %.3f\n", zero[0], one[0])
	fmt.Printf("ε = %.3f\n", math.Log(zero[0]/one[0]))
	// Output:
	// P(0|0) = 0.818, P(0|1) = 0.182
	// ε = 1.500
}

// A count of sensitivity 1 is released with ε = 1/2. The seed determines the noise.
func ExampleDiscreteLaplace_ReleaseN() {
	m, err := mechanism.NewDiscreteLaplace(0.5)
	if err != nil {
		fmt.Println(err)
		return
	}
	out := make([]int, 5)
	if err := m.ReleaseN(rand.New(rand.NewPCG(1, 2)), 100, out); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out)
	fmt.Printf("log ratio at 101: %.3f\n", m.LogDensity(101, 101)-m.LogDensity(100, 101))
	// Output:
	// [101 100 103 101 101]
	// log ratio at 101: 0.500
}

// Sparse vector Algorithm 4 claims ε = 0.1. Two neighboring inputs show that its true ε is larger.
func ExampleSparseVector_Distribution() {
	m, err := mechanism.NewSVT4(0.1, 1, 1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	a := m.Distribution([]float64{0, 0, 0, 0, 0, 2, 2, 2, 2, 2})
	b := m.Distribution([]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1})
	worst := 0.0
	for i := range a {
		worst = max(worst, math.Abs(math.Log(a[i]/b[i])))
	}
	fmt.Printf("claimed ε ≤ 0.1, exact ε of this pair: %.3f\n", worst)
	// Output:
	// claimed ε ≤ 0.1, exact ε of this pair: 0.171
}
