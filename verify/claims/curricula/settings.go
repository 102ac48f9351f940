package curricula

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// settingsClaims returns observations: the parameters of Section 3.3 and Tables 1 to 4, put into the algorithms and
// their accounting.
func settingsClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "curricula/settings/order", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Table 4, Alg. 2: with 60,000 images, batches of 600 and 20 epochs (Sect. 3.3), an order by the losses " +
				"of all records, and the ε of Table 2",
			Statement: "with the sample curriculum, a run can cost more than a hundred times the ε of Table 2. A record " +
				"that moves from the first rank of 60,000 to the last changes all 100 batches of an epoch",
			Check:   costs(2*math.Sqrt(steps), 100),
			Control: checks.Faulty(costs(1, 100), "one changed batch per epoch"),
		},
		{
			ID: "curricula/settings/noise", Kind: verify.Rate, Origin: verify.Observation,
			Place: "Alg. 1, Table 1: lines \"Gradient clip\" and \"Add noise\" with the multipliers of Table 1; the size " +
				"of the network of Sect. 3.3 is not printed, ours has two small convolutions and a dense layer",
			Statement: "if noise is added to the clipped mean gradient of a batch, as printed, the mean length of the " +
				"noise exceeds fifty times C, the largest length of this gradient. Setting: every multiplier of Table 1, a " +
				"small network whose size is our assumption",
			Check:    noiseLength(1),
			Control:  checks.Faulty(noiseLength(600), "noise on the sum over the batch"),
			Formerly: []string{"curricula/settings/noise/sum"},
		},
	}
}

// bracketError returns a bound on the relative error of a bracket's estimate.
func bracketError(b accountant.Bracket) float64 { return (b.Upper - b.Lower) / b.Upper }

// costs checks that ε is at least times the printed ε, for the decreasing schedules, if batches use each record once
// per epoch and one record changes a release by up to moves·C (see batches).
func costs(moves, times float64) verify.Check {
	return formula.Check{
		Quantity: "ε at δ = 1e-5, divided by the ε of Table 2", Sense: verify.AtLeast,
		Domain: "the decreasing schedules of Table 2, T = 20, t from 0, to within the certified bracket",
		Points: func(add func(formula.Point)) {
			printedShapes(func(s curricula.Schedule, epsilon float64) {
				b, err := batches(moves)(s.Multipliers(epochs, curricula.FromZero))
				add(formula.Point{Place: formula.Placef("%s", s.Name), Measured: b.Estimate / epsilon, Claimed: times,
					Error: bracketError(b), Show: true, Err: err})
			})
		},
	}
}

// noiseLength compares the mean length of the noise of a step with 50 C. In p dimensions this length is
// √2·Γ((p+1)/2)/Γ(p/2) times FC/samples, if the noise on the sum of the samples is divided by their number.
func noiseLength(samples float64) verify.Check {
	return formula.Check{
		Quantity: "mean length of the noise, divided by C", Sense: verify.Above,
		Grid: formula.Grid{formula.Over("multiplier", 1, 2, 3, 4, 5)}, Domain: "the network of the experiments",
		Proof: "the mean of the chi distribution",
		At: func(at []float64, add func(formula.Point)) {
			p := float64(curricula.NewCNN().Params())
			above, _ := math.Lgamma((p + 1) / 2)
			below, _ := math.Lgamma(p / 2)
			add(formula.Point{Place: formula.Placef("%g weights", p), Claimed: 50, Error: 1e-9, Show: true,
				Measured: at[0] * math.Sqrt2 * math.Exp(above-below) / samples})
		},
	}
}
