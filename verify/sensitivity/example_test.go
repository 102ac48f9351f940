package sensitivity_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

// Ten points of the unit disc are averaged in batches of four. The claimed sensitivity of each average is 2/4. The last
// batch has only two points, so that the claim is false.
func ExampleCheck() {
	const n, batch, d = 10, 4, 2
	averages := func(_ *rand.Rand, in sensitivity.Input, dst []float64) error {
		for i, record := range in.Records {
			first := i / batch * batch
			average := dst[first/batch*d : first/batch*d+d]
			floats.AddScaled(average, 1/float64(min(batch, n-first)), record.X)
		}
		return nil
	}
	check := sensitivity.Check{
		Quantity: "the averages of batches of 4 of 10 points", Norm: sensitivity.L2, Adjacency: inputs.ReplaceOneRecord,
		Cells: []sensitivity.Cell{{
			Place: "n = 10", Map: averages, OutputLength: 3 * d, N: n,
			Records: sensitivity.Records{Ball: sensitivity.Ball{Dim: d, Norm: sensitivity.L2, Radius: 1}},
			Claimed: 2. / batch,
		}},
	}
	settings := verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}
	e, err := verify.Judge(context.Background(), check, settings, empirical.NewPool(1), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s %s %.3g, found %.3g\n", e.Verdict, e.Quantity, e.Sense, e.Claimed.X, e.Measured.X)
	replayed, err := check.Replay(e.WorstCase)
	fmt.Printf("replayed: %.3g %v\n", replayed, err)
	// Output:
	// refuted: ℓ2-sensitivity of the averages of batches of 4 of 10 points ≤ 0.5, found 1
	// replayed: 1 <nil>
}
