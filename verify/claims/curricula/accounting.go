package curricula

import (
	"math"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

const (
	poissonWords = "Rényi divergences of the sampled Gaussian at rate 0.01, 100 steps an epoch, T = 20, δ = 1e-5, all " +
		"real orders; "
	lossWords = "privacy-loss distribution of the sampled Gaussian at rate 0.01, 100 steps an epoch, T = 20, δ = 1e-5, " +
		"a certified bracket"
)

func accountingClaims() []verify.Claim {
	conversion := checks.Pair(verify.Claim{
		ID: "curricula/table-2/eps", Kind: verify.Consistency, Origin: verify.Stated,
		Place: "Table 2, column ε: with steps 1 to 3 of Sect. 3.2 and the divergence in the first display of step 1",
		Statement: "the ε of Table 2 follow from the Rényi divergences of Section 3.2 and the conversion of Theorem " +
			"3.1. Setting: Poisson sampling at 600/60000, t from 0",
		Check: table2(verify.Equals, poisson(rate, steps, event.AddRemove, "rdp-classical"),
			poissonWords+"conversion by Theorem 3.1"),
	}, verify.Claim{
		Place: "Table 2, column ε: Sect. 3.2 with a different conversion than its Theorem 3.1",
		Statement: "the ε of Table 2 follow from Section 3.2, with t from 0, if the conversion of Canonne, Kamath & " +
			"Steinke replaces Theorem 3.1",
		Check:    table2(verify.Equals, rdp, poissonWords+"conversion of Canonne, Kamath & Steinke 2020"),
		Formerly: []string{"curricula/table-2/eps/orders"},
	}, "the tighter conversion", "the conversion of Theorem 3.1")
	guarantee := checks.Pair(verify.Claim{
		ID: "curricula/table-2/eps/as-written", Kind: verify.Privacy, Origin: verify.Implied,
		Place: "Table 2, column ε: with Algorithm 1 as printed, its batches, and the batch gradient clipped",
		Statement: "Algorithm 1 as printed is (ε, 1e-5)-private with the ε of Table 2 for every loss, if a record is " +
			"replaced. Setting: fixed batches, batch gradient clipped, t from 0",
		Check: table2(verify.AtMost, batches(2), "exact: each record moves one batch gradient per epoch by up to 2C, "+
			"Gaussian noise of standard deviation F(t)C, μ = 2√ΣF⁻²; a loss that is linear in θ attains it"),
		Formerly: []string{"curricula/settings/epsilon"},
	}, verify.Claim{
		ID: "curricula/table-2/eps/poisson",
		Place: "Table 2, column ε: with batches sampled as Sect. 3.2 accounts for them, and each sample clipped as in " +
			"reference [1], so that the sum over a batch moves by at most C",
		Statement: "training is (ε, 1e-5)-private with the ε of Table 2, if a record is added or removed. Setting: " +
			"Poisson batches, each sample clipped",
		Check: table2(verify.AtMost, poisson(rate, steps, event.AddRemove, "pld"), lossWords),
		Formerly: []string{"curricula/alg-1/sampling/corrected", "curricula/alg-1/sensitivity/per-example",
			"curricula/alg-1/sensitivity/per-example/replace"},
	}, "Poisson batches, samples clipped", "fixed batches, their mean clipped")
	constants := checks.Pair(verify.Claim{
		ID: "curricula/table-3/eps", Kind: verify.Consistency, Origin: verify.Stated,
		Place: "Table 3, columns ε and \"Noise type\": its last row, after Sect. 4.2, last paragraph; the multipliers " +
			"1.38 and 1.54 of the other rows have the ε printed next to them",
		Statement: "by the accounting of Table 2, the constant multiplier 1.32 has the ε printed next to it, 1.32",
		Check:     constantRow("1.32", 1.32),
	}, verify.Claim{
		Place: "Table 3, column \"Noise type\": its last row, and the multiplier of its first row, which is not printed",
		Statement: "the constant multipliers 1.05, 1.38, 1.54 and 1.60 have the same ε as the decreasing exponential, " +
			"piecewise, linear and quadratic schedules",
		Check: matching([]float64{1.05, 1.38, 1.54, 1.60}),
	}, "multipliers computed from the ε", "1.32, the ε of the row")
	return slices.Concat(conversion, guarantee, []verify.Claim{{
		ID: "curricula/table-2/eps/replace-one", Kind: verify.Privacy, Origin: verify.Reading,
		Place: "Table 2, column ε: \"only different by a single data point\" (Sect. 1) read as a replaced record",
		Statement: "training is (ε, 1e-5)-private with the ε of Table 2, if a record is replaced. Setting: Poisson " +
			"batches, each sample clipped",
		Check:     table2(verify.AtMost, poisson(rate, steps, event.ReplaceOne, "pld"), lossWords+", a record replaced"),
		Control:   verify.Control{Check: guarantee[1].Check, Want: checks.Holds, Fault: "none: a record added or removed"},
		Corrected: "curricula/table-2/eps/poisson",
	}}, constants)
}

// printedEpsilons holds the ε of Table 2 in the order of shapes.
var printedEpsilons = [4][2]float64{{2.61, 2.61}, {1.64, 1.64}, {1.40, 1.40}, {1.32, 1.69}}

const half = 0.005 // half a unit of the last printed place

func table2(sense verify.Sense, read reading, method string) verify.Check {
	return formula.Brackets{
		Quantity: "ε at δ = 1e-5", Method: method, Sense: sense, Contradiction: sense == verify.Equals,
		Rows: func() (rows []formula.Bracket, err error) {
			for i, pair := range shapes {
				for j, s := range pair {
					b, err := read(s.Multipliers(epochs, curricula.FromZero))
					if err != nil {
						return nil, err
					}
					rows = append(rows, rounded(s.Name, printedEpsilons[i][j], b))
				}
			}
			return rows, nil
		},
	}
}

// constantRow compares a printed ε of Table 3 with the recomputed ε at the printed constant multiplier.
func constantRow(printed string, epsilon float64) verify.Check {
	return formula.Brackets{
		Quantity: "ε at δ = 1e-5", Sense: verify.Equals, Contradiction: true,
		Method: poissonWords + "conversion of Canonne, Kamath & Steinke 2020; the multiplier as printed",
		Rows: func() ([]formula.Bracket, error) {
			multiplier, err := strconv.ParseFloat(printed, 64)
			if err != nil {
				return nil, err
			}
			b, err := rdp(curricula.Constant(multiplier).Multipliers(epochs, curricula.FromZero))
			return []formula.Bracket{rounded("constant "+printed, epsilon, b)}, err
		},
	}
}

// matching compares printed constant multipliers with those that have the same ε as the decreasing schedules.
func matching(claimed []float64) verify.Check {
	return formula.Brackets{
		Quantity: "constant multiplier of equal ε", Sense: verify.Equals, Contradiction: true,
		Method: poissonWords + "solved for the multiplier with the ε of the schedule",
		Rows: func() (rows []formula.Bracket, err error) {
			for i, want := range claimed {
				s := shapes[i][0]
				target, err := rdp(s.Multipliers(epochs, curricula.FromZero))
				if err != nil {
					return nil, err
				}
				build := func(noise float64) event.Event {
					return event.Repeat(epochs*steps, event.Poisson(rate, event.Gaussian(noise)))
				}
				b, err := accountant.Calibrate(build, event.AddRemove, target.Estimate, delta, "rdp")
				if err != nil {
					return nil, err
				}
				found := accountant.Bracket{Lower: b.Upper * (1 - 1e-6), Estimate: b.Upper, Upper: b.Upper * (1 + 1e-6)}
				rows = append(rows, rounded(s.Name, want, found))
			}
			return rows, nil
		},
	}
}

func samplingClaims() []verify.Claim {
	shuffled := func(m []float64) (accountant.Bracket, error) {
		var events []event.Event
		for _, f := range m {
			events = append(events, event.ShuffledBatches(steps, event.Gaussian(f)))
		}
		return certified(event.Compose(events...), event.AddRemove, "shuffled-lower")
	}
	return []verify.Claim{{
		ID: "curricula/alg-1/sampling", Kind: verify.Privacy, Origin: verify.Implied,
		Place: "Sect. 3.2: \"actually a sampled Gaussian mechanism\", with Sect. 4.1, second paragraph, a random order " +
			"each epoch",
		Statement: "if batches partition the data in a new random order each epoch, ε is at most the ε accounted for " +
			"Poisson batches at rate 600/60000. Setting: each sample clipped, noise F(t)C on the sum, a removed record " +
			"leaves its place empty",
		Check: amplified(shuffled, "lower bound on ε of shuffled batches: one epoch, one pair, one event (Chua et al. "+
			"2024); a removed record leaves its place in its batch empty, or is replaced by one of gradient 0"),
		Control: verify.Control{Check: amplified(poisson(rate, steps, event.AddRemove, "pld"), lossWords),
			Want:  checks.Holds,
			Fault: "none: Poisson batches"},
		Corrected: "curricula/table-2/eps/poisson",
		Formerly:  []string{"curricula/alg-1/sampling/shuffled", "curricula/settings/hiding"},
	}}
}

// amplified compares the ε of a batch sampling scheme with the ε accounted for Poisson batches, for three decreasing
// schedules and a constant multiplier.
func amplified(read reading, method string) verify.Check {
	return formula.Brackets{Quantity: "ε at δ = 1e-5", Method: method, Sense: verify.AtMost,
		Rows: func() (rows []formula.Bracket, err error) {
			schedules := []curricula.Schedule{curricula.DecreasingExponential, curricula.DecreasingPiecewise,
				curricula.DecreasingLinear, curricula.Constant(1.38)}
			for _, s := range schedules {
				m := s.Multipliers(epochs, curricula.FromZero)
				claimed, err := rdp(m)
				if err != nil {
					return nil, err
				}
				b, err := read(m)
				if err != nil {
					return nil, err
				}
				rows = append(rows, compare(s.Name, claimed.Estimate, math.Inf(-1), claimed.Upper, b))
			}
			return rows, nil
		}}
}
