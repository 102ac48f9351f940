package dptest_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/dptest"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

// t replaces the *testing.T of a test function. It prints the log messages of a test.
var t = printer{}

type printer struct{ testing.TB }

func (printer) Helper()                           {}
func (printer) Name() string                      { return "TestExample" }
func (printer) Log(args ...any)                   { fmt.Println(args...) }
func (printer) Logf(string, ...any)               { fmt.Println("ok") }
func (printer) Error(args ...any)                 { fmt.Println(figure.ReplaceAllString(fmt.Sprint(args...), "$1")) }
func (printer) Fatalf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// figure matches a printed number. It is printed to one digit after the point, because floating-point results
// differ between processors.
var figure = regexp.MustCompile(`(\d\.\d)\d+`)

// laplace draws Laplace noise with the given scale.
func laplace(r *rand.Rand, scale float64) float64 {
	return math.Copysign(r.ExpFloat64()*scale, r.Float64()-0.5)
}

// This example audits a scalar mechanism on one pair of inputs.
func ExampleAudit() {
	noisyCount := func(r *rand.Rand, people []string) float64 { return float64(len(people)) + laplace(r, 1) }

	dptest.Audit(t, noisyCount, privacy.ApproximateDP(1, 0), dptest.Pair([]string{"Ada"}, []string{}))
	// Output: ok
}

// A mechanism with half of the required noise fails. The message shows the smallest pair.
func ExampleAudit_faulty() {
	noisySum := func(r *rand.Rand, ages []float64) float64 {
		sum := 0.0
		for _, a := range ages {
			sum += min(a, 100)
		}
		return sum + laplace(r, 50) // ε = 1 needs a scale of 100
	}
	people := inputs.Datasets[float64]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []float64{0, 100}, MaxRecords: 2}

	dptest.Audit(t, noisySum, privacy.ApproximateDP(1, 0), dptest.Generated(people), dptest.Samples(10_000))
	// Output:
	// dptest: privacy claim refuted
	//   claim:          1-DP, so privacy loss ε ≤ 1
	//   certified:      privacy loss ε ≥ 1.6 (plain estimate 2.0, from 10792 samples)
	//                   δ ≥ 0.2 at ε = 1
	//   error:          a true claim is refuted with probability at most 1e-09
	//   event:          output ≤ 4.0
	//                   more likely under B, compared with A, than the claim allows
	//   smallest pair:  A = []float64{100}
	//                   B = []float64{}
	//   why:            the number is at most 4.0, in 54.5 % of the outputs under B and 7.2 % under A; for example -57.8 or -32.7 or -49.2
	//                   looks like noise that is too small for the shift of the outputs, by a factor of at least 1.6, or a claimed privacy loss ε that is too small: the medians of the number differ by 99.4; even 1.6 times the noise would leave a privacy loss ε of at least 1.0, with error 0.0; no verdict rests on that
	//   to reproduce:   DPTEST_SEED=1 go test -run '^TestExample$' github.com/dpverify/dpverify/verify/dptest
}

// This example audits a vector mechanism with Gaussian noise on datasets of two records.
func ExampleAudit_vector() {
	noisyMoments := func(r *rand.Rand, x []float64) []float64 {
		var sum, squares float64
		for _, v := range x {
			sum, squares = sum+v, squares+v*v
		}
		scale := math.Sqrt2 // records are in [0, 1], so each sum changes by at most 1
		return []float64{sum + scale*r.NormFloat64(), squares + scale*r.NormFloat64()}
	}
	records := inputs.Datasets[float64]{Adjacency: inputs.ReplaceOneRecord, Values: []float64{0, 1}, MinRecords: 2, MaxRecords: 2}

	dptest.Audit(t, noisyMoments, privacy.GaussianDP(1), dptest.Generated(records), dptest.Samples(6_000), dptest.EventProbability(0.4))
	// Output: ok
}

// This example audits a mechanism with discrete outputs. Outputs may be strings, booleans, integers or slices of
// them.
func ExampleAudit_discrete() {
	randomizedResponse := func(r *rand.Rand, answer bool) bool {
		return answer != (r.Float64() < 0.25) // a lie with probability 1/4: ε = ln 3
	}

	dptest.Audit(t, randomizedResponse, privacy.ApproximateDP(math.Log(3), 0), dptest.Pair(true, false))
	// Output: ok
}

// Rapid draws the inputs. One audit covers all of them.
func ExampleRandomPairs() {
	noisyMean := func(r *rand.Rand, x [2]float64) float64 { return (x[0]+x[1])/2 + laplace(r, 1) }
	point := rapid.Custom(func(t *rapid.T) inputs.Pair[[2]float64] {
		record := rapid.Float64Range(0, 2)
		same := record.Draw(t, "same")
		return inputs.Pair[[2]float64]{
			A: [2]float64{same, record.Draw(t, "a")},
			B: [2]float64{same, record.Draw(t, "b")},
		}
	})

	dptest.Audit(t, noisyMean, privacy.ApproximateDP(1, 0), dptest.RandomPairs(5, point), dptest.Samples(20_000), dptest.EventProbability(0.1))
	// Output: ok
}

// Rapid draws the records of the datasets. The audit also tests the edge cases of the space.
func ExampleRandomDatasets() {
	noisyMax := func(r *rand.Rand, x []int) int {
		var votes [3]float64
		for _, v := range x {
			votes[v]++
		}
		best, at := math.Inf(-1), 0
		for i, v := range votes {
			if v += 2 * r.ExpFloat64(); v > best {
				best, at = v, i
			}
		}
		return at
	}
	ballots := inputs.Datasets[int]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []int{0, 1, 2}}

	dptest.Audit(t, noisyMax, privacy.ApproximateDP(1, 0), dptest.RandomDatasets(20, ballots, rapid.IntRange(0, 2)), dptest.Samples(20_000), dptest.EventProbability(0.1))
	// Output: ok
}

// A mechanism that can fail or that has a batch form is a [verify.Mechanism].
func ExampleAuditMechanism() {
	mechanism := dptest.ReleaseFunc[float64, float64](func(r *rand.Rand, x float64) (float64, error) {
		if math.IsNaN(x) {
			return 0, fmt.Errorf("input %v", x)
		}
		return x + laplace(r, 2), nil
	})

	dptest.AuditMechanism(t, mechanism, privacy.ApproximateDP(0.5, 0), dptest.Pair(0., 1.))
	// Output: ok
}

// This example checks the mean of a noisy sum, given a bound on the variance of the noise.
func ExampleUnbiased() {
	noisySum := func(r *rand.Rand, x []float64) float64 { return x[0] + x[1] + laplace(r, 2) }

	dptest.Unbiased(t, noisySum, []float64{3, 4}, []float64{7}, dptest.Variance(8))
	// Output: ok
}

// This example checks the distribution of a noisy sum. Claiming the standard deviation as the scale is refuted.
func ExampleDistribution() {
	noisySum := func(r *rand.Rand, x []float64) float64 { return x[0] + x[1] + laplace(r, math.Sqrt2) }

	dptest.Distribution(t, noisySum, []float64{3, 4}, distribution.Laplace(7, math.Sqrt2))
	dptest.Distribution(t, noisySum, []float64{3, 4}, distribution.Laplace(7, 1), dptest.Name("the noisy sum"))
	// Output:
	// ok
	// dptest: the noisy sum: claim refuted
	//   claim:          Kolmogorov distance to Laplace(7, 1) ≤ 0
	//   measured:       0.0, certified within [0.0, 0.0], from 100000 samples
	//   at:             output ≤ 5.8: fraction 0.2 of the samples, stated probability 0.1
	//   error:          a true claim is refuted with probability at most 1e-09
	//   to reproduce:   DPTEST_SEED=1 go test -run '^TestExample$' github.com/dpverify/dpverify/verify/dptest
}

// The error of the mean of n uniform numbers decreases as n^(−1/2).
func ExampleRate() {
	distance := func(r *rand.Rand, n float64) float64 {
		sum := 0.0
		for range int(n) {
			sum += r.Float64()
		}
		return math.Abs(sum/n - 0.5)
	}

	dptest.Rate(t, distance, -0.5, []float64{4, 8, 16, 32, 64}, dptest.Range(0, 0.5), dptest.Samples(20_000))
	// Output: ok
}

// The claimed sensitivity of a sum of ages is 100. The search finds an age that is not clamped.
func ExampleSensitivity() {
	sum := func(ages []float64) (s float64) {
		for _, a := range ages {
			s += a
		}
		return s
	}
	people := inputs.Datasets[float64]{Adjacency: inputs.AddOrRemoveOneRecord, Values: []float64{0, 100}}

	dptest.Sensitivity(t, sum, sensitivity.L1, 100, dptest.Generated(people))
	dptest.Sensitivity(t, sum, sensitivity.L1, 100, dptest.RandomDatasets(20, people, rapid.SampledFrom([]float64{1, 130})))
	// Output:
	// ok
	// dptest: the sensitivity: claim refuted
	//   claim:          ℓ1-sensitivity of the map ≤ 100
	//   measured:       130
	//   smallest pair:  A = []float64{130}
	//                   B = []float64{}
	//                   which differ by 130
	//   error:          computed, not sampled: a true claim is not refuted
	//   to reproduce:   DPTEST_SEED=1 go test -run '^TestExample$' github.com/dpverify/dpverify/verify/dptest
}

// Noise that is rounded to a grid much coarser than its rounding errors does not leak the input through its
// low-order bits.
func ExamplePrecision() {
	rounded := func(r *rand.Rand, x float64) float64 { return math.Round((x+laplace(r, 1))*256) / 256 }

	dptest.Precision(t, rounded, privacy.ApproximateDP(1, 0), dptest.Pair(0., 1.))
	// Output: ok
}

// Check runs any check of the packages under verify.
func ExampleCheck() {
	records := sensitivity.Records{Ball: sensitivity.Ball{Dim: 2, Norm: sensitivity.L2, Radius: 1}}
	mean := func(_ *rand.Rand, in sensitivity.Input, dst []float64) error {
		for _, record := range in.Records {
			dst[0], dst[1] = dst[0]+record.X[0]/5, dst[1]+record.X[1]/5
		}
		return nil
	}

	dptest.Check(t, sensitivity.Check{
		Quantity: "the mean of five points", Norm: sensitivity.L2, Adjacency: inputs.ReplaceOneRecord,
		Proof: "only one of five points moves, by at most 2",
		Cells: []sensitivity.Cell{{Place: "n = 5", Map: mean, OutputLength: 2, N: 5, Records: records, Claimed: 0.4, Tight: verify.Num(0.4)}},
	}, dptest.Name("the mean"))
	// Output: ok
}

// Claim runs a claim and a control with the fault that its check must find.
func ExampleClaim() {
	answers := func(lie float64) verify.Check {
		return distribution.Check{Quantity: "the answer", Distribution: distribution.Bernoulli(0.25), Samples: 100_000,
			Sample: func(r *rand.Rand) (any, error) { return r.Float64() < lie, nil }}
	}

	dptest.Claim(t, verify.Claim{
		ID: "survey/lie", Statement: "an answer is a lie with probability 1/4", Kind: verify.Law, Check: answers(0.25),
		Control: verify.Control{Check: answers(0.3), Want: []verify.Verdict{verify.Refuted}, Fault: "lies of probability 0.3"},
	})
	// Output: ok
}

// This library draws its own randomness, returns errors, and returns a result that may be nil.
func ExampleMust() {
	count := func(rows []string, epsilon float64) (*int, error) {
		if !(epsilon > 0) {
			return nil, fmt.Errorf("ε = %v", epsilon)
		}
		n := len(rows) + int(math.Round(laplace(rand.New(rand.NewPCG(rand.Uint64(), 0)), 1/epsilon)))
		if n < 0 {
			return nil, nil
		}
		return &n, nil
	}

	mechanism := dptest.Must(func(_ *rand.Rand, rows []string) (*int, error) { return count(rows, 1) })
	dptest.Audit(t, mechanism, privacy.ApproximateDP(1, 0), dptest.Pair([]string{"Ada"}, []string{}))
	// Output: ok
}

// A total of orders is claimed to be 1-DP in units of 100. A bug leaves the largest order unclamped in some
// datasets. The search over the space finds such a pair and shrinks it.
func ExampleSearch() {
	type order struct {
		Amount int    `json:"amount"`
		Region string `json:"region"`
	}
	noisyTotal := func(r *rand.Rand, orders []order) float64 {
		total, worst := 0, 0
		for _, o := range orders {
			total, worst = total+min(o.Amount, 100), max(worst, o.Amount)
		}
		if len(orders) > 2 && orders[2].Region == "south" {
			total += worst
		}
		return float64(total)/100 + laplace(r, 1)
	}
	orders := inputs.MustPairSpace[[]order](inputs.Space{
		Values: inputs.List(inputs.Object(map[string]inputs.Type{
			"amount": inputs.Int(0, 1000), "region": inputs.Enum("north", "west", "south")}), 0, 20),
		Neighbors: inputs.AddOrRemoveOne(),
	})

	dptest.Audit(t, noisyTotal, privacy.ApproximateDP(1, 0), dptest.Generated(orders), dptest.Search(100), dptest.Samples(20_000))
	// Output:
	// dptest: privacy claim refuted
	//   claim:          1-DP, so privacy loss ε ≤ 1
	//   certified:      privacy loss ε ≥ 1.8 (plain estimate 2.3, from 4196 samples)
	//                   δ ≥ 0.2 at ε = 1
	//   error:          a true claim is refuted with probability at most 1e-09
	//   event:          output ≤ 1.1
	//                   more likely under B, compared with A, than the claim allows
	//   smallest pair:  A = []dptest_test.order{dptest_test.order{Amount:0, Region:"north"}, dptest_test.order{Amount:0, Region:"north"}, dptest_test.order{Amount:250, Region:"south"}}
	//                   B = []dptest_test.order{dptest_test.order{Amount:0, Region:"north"}, dptest_test.order{Amount:250, Region:"south"}}
	//   why:            the number is at most 1.1, in 55.8 % of the outputs under B and 5.2 % under A; for example 1.0 or -1.9 or 0.0
	//                   looks like noise that is too small for the shift of the outputs, by a factor of at least 2, or a claimed privacy loss ε that is too small: the medians of the number differ by 2.4; even 2 times the noise would leave a privacy loss ε of at least 1.0, with error 0.0; no verdict rests on that
	//   to reproduce:   DPTEST_SEED=1 go test -run '^TestExample$' github.com/dpverify/dpverify/verify/dptest
}

// The claimed mean is the exact sum for every input. The search finds an input at which the release clamps the sum.
func ExampleUnbiasedOver() {
	exact := func(x []float64) []float64 {
		s := 0.0
		for _, v := range x {
			s += v
		}
		return []float64{s}
	}
	clamped := func(r *rand.Rand, x []float64) float64 {
		return math.Max(-20, math.Min(20, exact(x)[0]+laplace(r, 1)))
	}
	space := inputs.Space{Values: inputs.List(inputs.Float(0, 4), 0, 10)}

	dptest.UnbiasedOver(t, clamped, exact, space, dptest.Range(-20, 40), dptest.Search(50), dptest.Samples(20_000))
	// Output:
	// dptest: the mean: claim refuted
	//   claim:          E[Z] = 39.8
	//   measured:       20, certified within [19.7, 20.1], from 8128 samples
	//   at:             the output at [4,4,4,3.8,4,4,4,4,4,4]
	//   simplest:       the output at [3,4,4,3.8,4,4]
	//   error:          a true claim is refuted with probability at most 1e-09
	//   to reproduce:   DPTEST_SEED=1 go test -run '^TestExample$' github.com/dpverify/dpverify/verify/dptest
}

// This example checks the distribution at all inputs of a space. The noise of the mechanism wrongly decreases with
// the number of records.
func ExampleDistributionOver() {
	noisyCount := func(r *rand.Rand, x []bool) float64 { return float64(len(x)) + laplace(r, 2-float64(len(x))/10) }
	stated := func(x []bool) distribution.Distribution { return distribution.Laplace(float64(len(x)), 2) }
	space := inputs.Space{Values: inputs.List(inputs.Bool(), 0, 8)}

	dptest.DistributionOver(t, noisyCount, stated, space, dptest.Search(20), dptest.Samples(20_000))
	// Output:
	// dptest: the distribution: claim refuted
	//   claim:          Kolmogorov distance to Laplace(8, 2) ≤ 0
	//   measured:       0.0, certified within [0.0, 0.1], from 10368 samples
	//   at:             at [true,true,false,true,true,true,true,true], output ≤ 6.0: fraction 0.0 of the samples, stated probability 0.1
	//   simplest:       at [true,false,false,true,true,true,true,true], output ≤ 9.4: fraction 0.8 of the samples, stated probability 0.7
	//   error:          a true claim is refuted with probability at most 1e-09
	//   to reproduce:   DPTEST_SEED=1 go test -run '^TestExample$' github.com/dpverify/dpverify/verify/dptest
}
