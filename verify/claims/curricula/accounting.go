package curricula

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

const (
	poissonWords = "Rényi divergences of the sampled Gaussian at rate 0.01, 100 steps an epoch, T = 20, δ = " +
		"1e-5, all real orders; "
	lossWords = "privacy-loss distribution of the sampled Gaussian at rate 0.01, 100 steps an epoch, T = 20, δ = " +
		"1e-5, a certified bracket"
)

func accountingClaims() []verify.Claim {
	literal := poisson(rate, steps, event.AddRemove, "rdp-classical")
	certain := checks.Shared(table2(verify.AtMost, curricula.FromZero, poisson(rate, steps, event.AddRemove, "pld"),
		lossWords))
	corrected := checks.Shared(table2(verify.Equals, curricula.FromZero, rdp,
		poissonWords+"conversion of Canonne, Kamath & Steinke 2020"))
	holding := verify.Control{Check: corrected, Want: checks.Holds,
		Fault: "none: rate 0.01, t from 0, the tighter conversion"}
	accounting := func(suffix, source string, origin verify.Origin, place, statement string,
		check verify.Check) verify.Claim {
		return verify.Claim{
			ID: "curricula/table-2/eps" + suffix, Source: source, Kind: verify.Consistency, Statement: statement,
			Origin: origin, Place: place,
			Check: check, Control: holding, Corrected: "curricula/table-2/eps/corrected",
		}
	}
	return []verify.Claim{
		accounting("", "Table 2, Sect. 3.2", verify.Implied,
			"Table 2, column ε, with steps 1 to 3 of Sect. 3.2: the divergence of the first display of step 1",
			"the ε of Table 2 follow from the Rényi divergences that Section 3.2 defines, of Poisson sampling at 600/60000 "+
				"with t from 0, and the conversion of Theorem 3.1",
			table2(verify.Equals, curricula.FromZero, literal, poissonWords+"conversion by Theorem 3.1")),
		{
			ID: "curricula/table-2/eps/corrected", Source: "Table 2, Sect. 3.2 with another conversion",
			Kind:   verify.Consistency,
			Origin: verify.Correction, Place: "Table 2, column ε: Sect. 3.2 with another conversion than its Theorem 3.1",
			Statement: "the ε of Table 2 follow from Section 3.2 with t from 0 and the conversion of Canonne, Kamath & " +
				"Steinke in place of Theorem 3.1",
			Check: corrected,
			Control: verify.Control{Check: table2(verify.Equals, curricula.FromZero, poisson(0.0105, steps, event.AddRemove,
				"rdp"),
				"sampling rate 0.0105"),
				Want: checks.Contradictory, Fault: "a sampling rate 5 % too large"},
		},
		accounting("/index", "Table 2, Alg. 1", verify.Reading,
			"Table 2, column ε, with t counted as in the loop of Algorithm 1",
			"the ε of Table 2 follow from Section 3.2 with t = 1, …, T as in Algorithm 1, and the conversion of Canonne, "+
				"Kamath & Steinke in place of Theorem 3.1",
			table2(verify.Equals, curricula.FromOne, rdp, poissonWords+"t = 1, …, T")),
		accounting("/per-epoch", "Table 2, Sect. 3.2, step 1", verify.Reading,
			"Sect. 3.2, step 1: \"for each epoch\" read as one release an epoch",
			"the ε of Table 2 follow from Section 3.2 with one sampled Gaussian release an epoch, and the conversion of "+
				"Canonne, Kamath & Steinke in place of Theorem 3.1",
			table2(verify.Equals, curricula.FromZero, poisson(rate, 1, event.AddRemove, "rdp"),
				"Rényi divergences, one release an epoch at rate 0.01")),
		accounting("/divergence", "Table 2, Sect. 3.2, step 1", verify.Reading,
			"Table 2, column ε, with steps 1 to 3 of Sect. 3.2: the last display of step 1, \"the actual divergence to "+
				"calculate\", for the divergence of the first",
			"the ε of Table 2 follow from the expression that Section 3.2 says is calculated, and Theorem 3.1",
			table2(verify.Equals, curricula.FromZero, printedDivergenceEpsilon,
				poissonWords+"α/(α−1) D_{α+1}, which the display is, conversion by Theorem 3.1")),
		{
			ID: "curricula/table-2/eps/orders", Source: "Table 2, Sect. 3.2 with another conversion", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Table 2, column ε: the orders are nowhere printed, those of the tutorials " +
				"of the usual libraries are taken",
			Statement: "the ε of Table 2 follow from Rényi divergences at the orders 1.1, 1.2, …, 10.9, 12, 13, …, 63 alone, " +
				"t from 0, and the conversion of Canonne, Kamath & Steinke in place of Theorem 3.1",
			Check: table2(verify.Equals, curricula.FromZero, atOrders(tenths()),
				"Rényi divergences at the given orders, conversion of Canonne, Kamath & Steinke 2020, Prop. 12"),
			Control: verify.Control{Check: table2(verify.Equals, curricula.FromZero, atOrders(integers(2, 64)),
				"orders 2 to 64"),
				Want: checks.Contradictory, Fault: "the integer orders 2 to 64, too coarse near the best one"},
		},
		{
			ID: "curricula/table-2/eps/poisson", Source: "Table 2", Kind: verify.Privacy,
			Origin: verify.Correction, Place: "Table 2, column ε, with batches sampled as Sect. 3.2 accounts for them",
			Statement: "with batches sampled as Poisson, each sample clipped, and a record added or removed, training is (ε, " +
				"1e-5)-private with the ε of Table 2",
			Check: certain,
			Control: verify.Control{Check: table2(verify.AtMost, curricula.FromZero, poisson(0.03, steps, event.AddRemove,
				"pld"),
				lossWords),
				Want: checks.Refuted, Fault: "three times the sampling rate"},
		},
		{
			ID: "curricula/table-2/eps/replace-one", Source: "Table 2, Sect. 1", Kind: verify.Privacy,
			Origin: verify.Reading,
			Place:  "Table 2, column ε; \"only different by a single data point\" (Sect. 1) read as a replaced record",
			Statement: "with batches sampled as Poisson, each sample clipped, and a record replaced, training is (ε, " +
				"1e-5)-private with the ε of Table 2",
			Check: table2(verify.AtMost, curricula.FromZero, poisson(rate, steps, event.ReplaceOne, "pld"),
				lossWords+", a record replaced"),
			Control: verify.Control{Check: certain, Want: checks.Holds,
				Fault: "none: a record added or removed"},
			Corrected: "curricula/table-2/eps/poisson",
		},
		{
			ID: "curricula/table-2/eps/as-written", Source: "Table 2, Alg. 1", Kind: verify.Privacy,
			Origin: verify.Implied,
			Place:  "Table 2, column ε, with Algorithm 1 as printed: its batches, and the batch gradient clipped",
			Statement: "Algorithm 1 as printed, with fixed batches and the batch gradient clipped, is (ε, 1e-5)-private with " +
				"the ε of Table 2 for every loss, a record replaced, t from 0",
			Check: table2(verify.AtMost, curricula.FromZero, batches(2),
				"exact: each record moves one batch gradient an epoch by up to 2C, Gaussian noise of deviation F(t)C, μ = "+
					"2√ΣF⁻²; attained by a loss that is linear in θ"),
			Control: verify.Control{Check: certain, Want: checks.Holds,
				Fault: "none: Poisson batches, samples clipped"},
			Corrected: "curricula/table-2/eps/poisson",
		},
		{
			ID: "curricula/table-3/eps", Source: "Table 3", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Table 3, columns ε and \"Noise type\", after Sect. 4.2, last paragraph",
			Statement: "the constant multipliers 1.38, 1.54 and 1.32 have the ε printed beside them, 1.64, 1.40 and 1.32, by " +
				"the accounting that gives Table 2",
			Check: table3([]constantRow{{"1.38", 1.64}, {"1.54", 1.40}, {"1.32", 1.32}}),
			Control: verify.Control{Check: table3([]constantRow{{"1.38", 1.64}, {"1.54", 1.40}}), Want: checks.Holds,
				Fault: "none: the first two"},
			Corrected: "curricula/table-3/eps/corrected",
		},
		{
			ID: "curricula/table-3/eps/corrected", Source: "Table 3, corrected", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "Table 3, column \"Noise type\", last row",
			Statement: "the constant multipliers with the ε of the decreasing piecewise, linear and quadratic schedules are " +
				"1.38, 1.54 and 1.60",
			Check: matching([]float64{1.38, 1.54, 1.60}),
			Control: verify.Control{Check: matching([]float64{1.38, 1.54, 1.32}), Want: checks.Contradictory,
				Fault: "1.32, the row's ε"},
		},
	}
}

// printedEpsilons of Table 2, in the order of shapes.
var printedEpsilons = [4][2]float64{{2.61, 2.61}, {1.64, 1.64}, {1.40, 1.40}, {1.32, 1.69}}

const half = 0.005 // of a unit of the last printed place

func table2(sense verify.Sense, index curricula.Index, read reading, method string) verify.Check {
	return formula.Brackets{
		Quantity: "ε at δ = 1e-5", Method: method, Sense: sense, Contradiction: sense == verify.Equals,
		Rows: func() (rows []formula.Bracket, err error) {
			for i, pair := range shapes {
				for j, s := range pair {
					b, err := read(s.Multipliers(epochs, index))
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

// constantRow is a printed multiplier of two decimals and its ε.
type constantRow struct {
	multiplier string
	epsilon    float64
}

// table3 recomputes ε at the multipliers as they are printed.
func table3(table []constantRow) verify.Check {
	return formula.Brackets{
		Quantity: "ε at δ = 1e-5", Sense: verify.Equals, Contradiction: true,
		Method: poissonWords + "conversion of Canonne, Kamath & Steinke 2020; the multiplier as printed",
		Rows: func() (rows []formula.Bracket, err error) {
			for _, p := range table {
				var multiplier float64
				if _, err = fmt.Sscan(p.multiplier, &multiplier); err != nil {
					return nil, err
				}
				b, err := rdp(curricula.Constant(multiplier).Multipliers(epochs, curricula.FromZero))
				if err != nil {
					return nil, err
				}
				rows = append(rows, rounded("constant "+p.multiplier, p.epsilon, b))
			}
			return rows, nil
		},
	}
}

// matching finds the constant multipliers that have the ε of the decreasing
// schedules from the piecewise one on.
func matching(claimed []float64) verify.Check {
	return formula.Brackets{
		Quantity: "constant multiplier of equal ε", Sense: verify.Equals, Contradiction: true,
		Method: poissonWords + "solved for the multiplier whose ε is that of the schedule",
		Rows: func() (rows []formula.Bracket, err error) {
			for i, want := range claimed {
				s := shapes[1+i][0]
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
	fixed := func(m []float64) (accountant.Bracket, error) { return batches(1)(m) }
	shuffled := func(m []float64) (accountant.Bracket, error) {
		var events []event.Event
		for _, f := range m {
			events = append(events, event.ShuffledBatches(steps, event.Gaussian(f)))
		}
		b, err := certified(event.Compose(events...), event.AddRemove, "shuffled-lower")
		return b, err
	}
	sampled := poisson(rate, steps, event.AddRemove, "rdp")
	exact := poisson(rate, steps, event.AddRemove, "pld")
	poissonBatches := checks.Shared(amplified(exact, lossWords))
	return []verify.Claim{
		{
			ID: "curricula/alg-1/sampling", Source: "Alg. 1, Sect. 3.2", Kind: verify.Privacy,
			Origin: verify.Implied,
			Place: "Sect. 3.2 (\"actually a sampled Gaussian mechanism\") with the batches B_i ⊂ D′ of Algorithm 1 in " +
				"default order",
			Statement: "with batches that partition the data in its default order, each sample clipped, ε is at most what is " +
				"accounted, that of Poisson batches at rate 600/60000",
			Check: amplified(fixed, "exact: a record takes part in one Gaussian release an epoch, μ = √ΣF⁻²; attained "+
				"where all other gradients are 0"),
			Control:   verify.Control{Check: poissonBatches, Want: checks.Holds, Fault: "none: Poisson batches"},
			Corrected: "curricula/alg-1/sampling/corrected",
		},
		{
			ID: "curricula/alg-1/sampling/shuffled", Source: "Alg. 1, Sect. 4.1", Kind: verify.Privacy,
			Origin: verify.Implied,
			Place: "Sect. 3.2 (\"actually a sampled Gaussian mechanism\") with Sect. 4.1, second paragraph: a random " +
				"order each epoch",
			Statement: "with batches that partition the data in a random order drawn each epoch, each sample clipped, ε is at " +
				"most what is accounted, that of Poisson batches at rate 600/60000",
			Check: amplified(shuffled,
				"lower bound on ε of shuffled batches: one epoch, one pair, one event (Chua et al. 2024); a removed record "+
					"leaves its place in its batch empty, or is replaced by one of gradient 0"),
			Control:   verify.Control{Check: poissonBatches, Want: checks.Holds, Fault: "none: Poisson batches"},
			Corrected: "curricula/alg-1/sampling/corrected",
		},
		{
			ID: "curricula/alg-1/sampling/corrected", Source: "Alg. 1, with Poisson batches", Kind: verify.Privacy,
			Origin: verify.Correction,
			Place:  "Sect. 3.2 (\"actually a sampled Gaussian mechanism\"), with batches that are sampled so",
			Statement: "with batches that hold each record independently with probability 600/60000, each sample clipped, ε " +
				"is at most what is accounted",
			Check: amplified(exact, lossWords),
			Control: verify.Control{Check: formula.Brackets{Quantity: "ε at δ = 1e-5",
				Method: "the accounted ε lowered by a third",
				Sense:  verify.AtMost,
				Rows:   func() ([]formula.Bracket, error) { return amplifiedRows(exact, sampled, 2./3) }}, Want: checks.Refuted,
				Fault: "the accounted ε lowered by a third"},
		},
	}
}

// amplified holds the ε of a way to make batches against the accounted one, on three
// decreasing schedules and a constant multiplier.
func amplified(read reading, method string) verify.Check {
	return formula.Brackets{Quantity: "ε at δ = 1e-5", Method: method, Sense: verify.AtMost,
		Rows: func() ([]formula.Bracket, error) { return amplifiedRows(read, rdp, 1) }}
}

func amplifiedRows(read, accounted reading, share float64) (rows []formula.Bracket, err error) {
	schedules := []curricula.Schedule{curricula.DecreasingExponential, curricula.DecreasingPiecewise,
		curricula.DecreasingLinear, curricula.Constant(1.38)}
	for _, s := range schedules {
		m := s.Multipliers(epochs, curricula.FromZero)
		claimed, err := accounted(m)
		if err != nil {
			return nil, err
		}
		b, err := read(m)
		if err != nil {
			return nil, err
		}
		rows = append(rows, beside(s.Name, share*claimed.Estimate, math.Inf(-1), share*claimed.Upper, b))
	}
	return rows, nil
}
