package formula_test

import (
	"context"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
)

// Sampling each record with probability q turns ε into ln(1 + q(e^ε − 1)) (Li, Qardaji & Su
// 2012; Balle, Barthe & Gaboardi 2018). It is often said to turn it into qε, which is less: the relation
// is evaluated over a grid, and the worst point refutes it.
func ExampleCheck() {
	check := formula.Check{
		Quantity: "ε after sampling", Sense: verify.AtMost,
		Grid: formula.Grid{formula.Over("q", 0.1, 0.5), formula.Over("ε", 0.5, 1, 2)},
		At: func(at []float64, add func(formula.Point)) {
			q, epsilon := at[0], at[1]
			add(formula.Point{Measured: math.Log1p(q * math.Expm1(epsilon)), Claimed: q * epsilon})
		},
	}
	settings := verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}
	e, err := verify.Judge(context.Background(), check, settings, empirical.NewPool(1), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s at %s: %.3g where %.3g is claimed\n", e.Verdict, e.WorstCase, e.Measured.X, e.Claimed.X)
	// Output:
	// refuted at q=0.1, ε=2: 0.494 where 0.2 is claimed
}
