package curricula

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

const settingsPlace = "Sect. 3.3 (60,000 images, batches of 600, 20 epochs) with "

// settingsClaims put the parameters of Section 3.3 and Tables 1 to 4 into the algorithms and their
// accounting.
func settingsClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "curricula/settings/epsilon", Source: "Table 2, Alg. 1", Kind: verify.Privacy, Origin: verify.Observation,
			Place: settingsPlace + "Algorithm 1 as printed and the ε of Table 2",
			Statement: "with batches in default order and the batch gradient clipped, as printed, and a record replaced, a " +
				"run of Algorithm 1 on a loss linear in θ costs more than ten times the ε of Table 2",
			Check:   costs(batches(2), 10),
			Control: verify.Control{Check: costs(rdp, 10), Want: checks.Refuted, Fault: "Poisson samples, each record clipped"},
		},
		{
			ID: "curricula/settings/hiding", Source: "Table 2, Alg. 1", Kind: verify.Privacy, Origin: verify.Observation,
			Place: settingsPlace + "the sampled Gaussian of Sect. 3.2 and the batches of Algorithm 1",
			Statement: "with batches in default order and each sample clipped, a run costs more than three times the ε of " +
				"Table 2, which is that of Poisson samples",
			Check:   costs(batches(1), 3),
			Control: verify.Control{Check: costs(rdp, 3), Want: checks.Refuted, Fault: "Poisson samples"},
		},
		{
			ID: "curricula/settings/order", Source: "Table 4, Alg. 2", Kind: verify.Privacy, Origin: verify.Observation,
			Place: settingsPlace + "Algorithm 2, whose order is by the losses of all records, and the ε of Table 2",
			Statement: "a record that changes its rank among 60,000 moves all 100 batches of an epoch: with the sample " +
				"curriculum a run can cost more than a hundred times the ε of Table 2",
			Check:   costs(batches(2*math.Sqrt(steps)), 100),
			Control: verify.Control{Check: costs(batches(1), 100), Want: checks.Refuted, Fault: "one batch an epoch"},
		},
		{
			ID: "curricula/settings/noise", Source: "Alg. 1, Table 1", Kind: verify.Rate, Origin: verify.Observation,
			Place: "Algorithm 1, lines \"Gradient clip\" and \"Add noise\", with the multipliers of Table 1; the size of the " +
				"network of Sect. 3.3 is not printed, two small convolutions and a dense layer are taken",
			Statement: "the noise of a step, added to the mean gradient of a batch as printed, is on average more than fifty " +
				"times as long as that gradient, clipped, can be, at every multiplier of Table 1",
			Check: noiseLength(1, verify.Above, 50),
			Control: verify.Control{Check: noiseLength(600, verify.Above, 50), Want: checks.Refuted,
				Fault: "noise on the sum over the batch"},
		},
		{
			ID: "curricula/settings/noise/sum", Source: "Alg. 1 read as its reference [1]", Kind: verify.Rate,
			Origin: verify.Observation,
			Place:  "Algorithm 1, line \"Add noise\", read as in reference [1]: on the sum over a batch of 600",
			Statement: "were the noise of a step added to the sum over a batch of 600, it would on average be shorter than " +
				"the clipped mean gradient can be, at every multiplier of Table 1",
			Check: noiseLength(600, verify.Below, 1),
			Control: verify.Control{Check: noiseLength(1, verify.Below, 1), Want: checks.Refuted,
				Fault: "noise on the mean"},
		},
		{
			ID: "curricula/settings/delta", Source: "Table 2", Kind: verify.Privacy, Origin: verify.Observation,
			Place:     settingsPlace + "δ = 1e-5 of Sect. 4.2, last paragraph",
			Statement: "δn, the number of records that (0, δ)-privacy lets a mechanism publish whole on average, is below 1",
			Check:     published(delta),
			Control:   verify.Control{Check: published(2 * delta), Want: checks.Refuted, Fault: "twice the δ"},
		},
		{
			ID: "curricula/settings/all-runs", Source: "Tables 2 to 4", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Tables 2 to 4: eight schedules, the constants 1.38, 1.54 and 1.32, and 1 to 5 twice, on the same images",
			Statement: "together the private runs that Tables 2 to 4 print, each at its own multipliers and accounted as " +
				"Poisson samples, cost more than twice the largest ε that is printed, 2.61",
			Check:   together(2),
			Control: verify.Control{Check: together(20), Want: checks.Refuted, Fault: "twenty times for twice"},
		},
	}
}

// bracketError is the relative error of a bracket's estimate, either way.
func bracketError(b accountant.Bracket) float64 { return (b.Upper - b.Lower) / b.Upper }

// costs holds the ε of a reading at the decreasing schedules against a multiple of the printed ones.
func costs(read reading, times float64) verify.Check {
	return formula.Check{
		Quantity: "ε at δ = 1e-5, divided by that of Table 2", Sense: verify.AtLeast,
		Domain: "the decreasing schedules of Table 2, T = 20, t from 0, to within the certified bracket",
		Points: func(add func(formula.Point)) {
			printedShapes(func(s curricula.Schedule, epsilon float64) {
				b, err := read(s.Multipliers(epochs, curricula.FromZero))
				add(formula.Point{Place: formula.Placef("%s", s.Name), Measured: b.Estimate / epsilon, Claimed: times,
					Error: bracketError(b), Show: true, Err: err})
			})
		},
	}
}

// noiseLength is the mean length of the noise of a step over C, on a gradient that is a sum divided
// by so many samples: √2·Γ((p+1)/2)/Γ(p/2) times F/samples in p dimensions.
func noiseLength(samples float64, sense verify.Sense, claimed float64) verify.Check {
	return formula.Check{
		Quantity: "mean length of the noise, divided by C", Sense: sense,
		Domain: "the network of the experiments, multipliers 1 to 5",
		Proof:  "the mean of the chi law",
		Points: func(add func(formula.Point)) {
			p := float64(curricula.NewCNN().Params())
			above, _ := math.Lgamma((p + 1) / 2)
			below, _ := math.Lgamma(p / 2)
			for f := 1.0; f <= 5; f++ {
				add(formula.Point{Place: formula.Placef("multiplier %g, %g weights", f, p),
					Measured: f * math.Sqrt2 * math.Exp(above-below) / samples, Claimed: claimed, Error: 1e-9, Show: true})
			}
		},
	}
}

func published(delta float64) verify.Check {
	return formula.Check{
		Quantity: "δn", Sense: verify.Below, Domain: "n = 60,000",
		Points: func(add func(formula.Point)) {
			add(formula.Point{Place: formula.Placef("δ = %g", delta), Measured: delta * 60_000, Claimed: 1, Error: 1e-12,
				Show: true})
		},
	}
}

// together holds the certified ε of all printed runs against a multiple of the largest printed one.
func together(times float64) verify.Check {
	return formula.Check{
		Quantity: "ε at δ = 1e-5", Sense: verify.AtLeast,
		Domain: "21 runs, T = 20, Poisson sampling at 0.01, to within the certified bracket",
		Points: func(add func(formula.Point)) {
			var runs []event.Event
			run := func(s curricula.Schedule, count int64) {
				e := event.Schedule(rate, s.Multipliers(epochs, curricula.FromZero), steps)
				runs = append(runs, event.Repeat(count, e))
			}
			for _, pair := range shapes {
				run(pair[0], 1)
				run(pair[1], 1)
			}
			for _, c := range []float64{1.38, 1.54, 1.32} {
				run(curricula.Constant(c), 1)
			}
			for c := 1.0; c <= 5; c++ {
				run(curricula.Constant(c), 2)
			}
			b, err := accounts.Of("ε of all printed runs", func() (accountant.Bracket, error) {
				return accountant.LossEpsilon(event.Compose(runs...), event.AddRemove, delta, accountant.Precision{Width: 0.05})
			})
			add(formula.Point{Place: formula.Placef("21 runs"), Measured: b.Estimate, Claimed: times * printedEpsilons[0][0],
				Error: bracketError(b), Show: true, Err: err})
		},
	}
}
