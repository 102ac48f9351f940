package curricula

import (
	"cmp"
	"math"

	"github.com/dpverify/dpverify/algorithms/curricula"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func scheduleClaims() []verify.Claim {
	logarithmicCorrected := curricula.Schedule{Name: "increasing logarithmic with log T",
		F: func(t, T float64) float64 { return 4/math.Log(T)*math.Log(t+1) + 1 }}
	return []verify.Claim{
		{
			ID: "curricula/table-1/range", Source: "Table 1 and Figs. 1-2 against Alg. 1", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Table 1, caption (\"between 1 and 5\"), with the loop t ∈ [1, T] of Algorithm 1",
			Statement: "every schedule of Table 1 is a noise multiplier between 1 and 5 in all epochs t = 1, …, T of " +
				"Algorithm 1, T = 20",
			Check: scheduleRange(curricula.Schedules()[:8], curricula.FromOne, []int{epochs}, ""),
			Control: verify.Control{Check: scheduleRange(curricula.Schedules()[:8], curricula.FromZero, []int{epochs}, ""),
				Want: checks.Holds, Fault: "none: t from 0 to T − 1"},
			Corrected: "curricula/table-1/range/corrected",
		},
		{
			ID: "curricula/table-1/range/corrected", Source: "Table 1, t = 0, …, T − 1", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "Table 1, caption, with t counted from 0",
			Statement: "every schedule of Table 1, and the additional exponential one, lies between 1 and 5 for t = 0, …, T − 1",
			Check: scheduleRange(curricula.Schedules(), curricula.FromZero, []int{2, 3, 5, 7, 20, 100, 1000},
				"each is monotone in t, and its values at 0 and T − 1 lie in [1, 5]"),
			Control: verify.Control{Check: scheduleRange(curricula.Schedules(), curricula.FromOne, []int{2, 20}, ""),
				Want: checks.Contradictory, Fault: "t from 1 to T"},
		},
		{
			ID: "curricula/table-1/ends", Source: "Table 1, caption", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Table 1, caption, second sentence; t from 0, as Figs. 1 and 2 draw it",
			Statement: "for t = 0, …, T − 1, T = 20, decreasing schedules begin with 5 and end with 1, and " +
				"increasing ones the other way",
			Check: scheduleEnds(curricula.Schedules()),
			Control: verify.Control{Check: scheduleEnds(curricula.Schedules()[:4]), Want: checks.Holds,
				Fault: "none: the decreasing schedules alone"},
			Corrected: "curricula/table-1/ends/corrected",
		},
		{
			ID: "curricula/table-1/ends/corrected", Source: "Table 1, caption, corrected", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "Table 1, caption, second sentence, with log T in the logarithmic schedule",
			Statement: "with log T for log(T+1) in the logarithmic schedule, all schedules have the ends of the caption for t " +
				"= 0, …, T − 1, T = 20",
			Check:   scheduleEnds(replaced(curricula.Schedules(), 4, logarithmicCorrected)),
			Control: verify.Control{Check: scheduleEnds(curricula.Schedules()), Want: checks.Contradictory, Fault: "log(T+1)"},
		},
		{
			ID: "curricula/table-1/mirror", Source: "Sect. 4.2, Table 2", Kind: verify.Consistency,
			Origin: verify.Implied,
			Place: "Sect. 4.2, first paragraph (\"its privacy budget is the same\") and the equal ε of Table 2, first " +
				"three pairs",
			Statement: "the increasing and the decreasing schedule of one shape use the same multipliers and cost the same ε: " +
				"exponential, piecewise and linear, t from 0",
			Check: mirrored(curricula.FromZero, 3, false),
			Control: verify.Control{Check: mirrored(curricula.FromZero, 4, false), Want: checks.Contradictory,
				Fault: "the quadratic pair, of other multipliers"},
		},
		{
			ID: "curricula/table-1/mirror/index", Source: "Sect. 4.2, Table 2, Alg. 1", Kind: verify.Consistency,
			Origin: verify.Implied, Place: "Table 2, first three pairs, with the loop t ∈ [1, T] of Algorithm 1",
			Statement: "with t = 1, …, T, as Algorithm 1 counts epochs, the increasing and the decreasing schedule of one " +
				"shape cost the same ε: exponential, piecewise and linear",
			Check: mirrored(curricula.FromOne, 3, false),
			Control: verify.Control{Check: mirrored(curricula.FromZero, 3, false), Want: checks.Holds,
				Fault: "none: t from 0"},
			Corrected: "curricula/table-1/mirror",
		},
		{
			ID: "curricula/table-1/mirror/all-shapes", Source: "Tables 1 and 2, caption of Table 2", Kind: verify.Consistency,
			Origin: verify.Reading,
			Place:  "Table 2, caption: \"similar set of noise multipliers\" taken for equal ε in every row",
			Statement: "the increasing and the decreasing schedule of every shape of Table 2, the quadratic one " +
				"included, cost the same ε",
			Check: mirrored(curricula.FromZero, 4, false),
			Control: verify.Control{Check: mirrored(curricula.FromZero, 4, true), Want: checks.Holds,
				Fault: "none: the quadratic schedule mirrored, 1 + 4(1 − t/(T−1))²"},
			Corrected: "curricula/table-1/mirror/all-shapes/corrected",
		},
		{
			ID: "curricula/table-1/mirror/all-shapes/corrected", Source: "Tables 1 and 2, corrected", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "Table 1, decreasing quadratic schedule: the mirror of the increasing one",
			Statement: "with the decreasing quadratic schedule 1 + 4(1 − t/(T−1))², the mirror of the increasing one, all " +
				"four shapes cost the same ε both ways",
			Check: mirrored(curricula.FromZero, 4, true),
			Control: verify.Control{Check: mirrored(curricula.FromZero, 4, false), Want: checks.Contradictory,
				Fault: "the quadratic schedule as printed"},
		},
		{
			ID: "curricula/alg-1/index", Source: "Alg. 1, loop and output", Kind: verify.Consistency,
			Origin: verify.Implied,
			Place: "Algorithm 1, first line (θ_0), the loop t ∈ [1, T], line \"Gradient descent\" (θ_{t+1} from θ_t) and the " +
				"Output θ_T",
			Statement: "the θ_T that Algorithm 1 returns is what its T epochs have made of θ_0",
			Check:     chained(1),
			Control:   verify.Control{Check: chained(0), Want: checks.Holds, Fault: "none: t = 0, …, T − 1"},
			Corrected: "curricula/alg-1/index/corrected",
		},
		{
			ID: "curricula/alg-1/index/corrected", Source: "Alg. 1, loop, corrected", Kind: verify.Consistency,
			Origin: verify.Correction,
			Place:  "Algorithm 1, with the loop t ∈ [0, T − 1], for which Table 1 and the ε of Table 2 are right as well",
			Statement: "with t = 0, …, T − 1 in the loop of Algorithm 1 the θ_T that it returns is what its T epochs have " +
				"made of θ_0",
			Check:   chained(0),
			Control: verify.Control{Check: chained(1), Want: checks.Contradictory, Fault: "the loop as printed"},
		},
	}
}

// chained counts the epochs of Algorithm 1 that lie between θ_0 and θ_T where epoch t, from first on, takes θ_t to
// θ_{t+1}.
func chained(first int) verify.Check {
	return formula.Check{
		Quantity: "epochs between θ_0 and θ_T", Sense: verify.Equals, Contradiction: true,
		Domain: "T = 20, by the indices", Proof: "the indices are all there is",
		Points: func(add func(formula.Point)) {
			from := make([]int, epochs+2) // the epochs that lead from θ_0 to each θ, or −1
			for i := range from {
				from[i] = -1
			}
			from[0] = 0
			for t := first; t < first+epochs; t++ {
				if from[t] >= 0 {
					from[t+1] = from[t] + 1
				}
			}
			add(formula.Point{Place: formula.Placef("t from %d", first), Measured: float64(max(from[epochs], 0)),
				Claimed: epochs,
				Show:    true})
		},
	}
}

func replaced(s []curricula.Schedule, i int, by curricula.Schedule) []curricula.Schedule {
	s[i] = by
	return s
}

func scheduleRange(schedules []curricula.Schedule, index curricula.Index, totals []int, proof string) verify.Check {
	return formula.Check{
		Quantity: "|F(t) − 3|", Sense: verify.AtMost, Domain: "all epochs, the totals T of the rows", Proof: proof,
		Contradiction: true,
		Points: func(add func(formula.Point)) {
			for _, T := range totals {
				for _, s := range schedules {
					for i, f := range s.Multipliers(T, index) {
						t := i
						if index == curricula.FromOne {
							t++
						}
						add(formula.Point{Place: formula.Placef("%s, T=%d, t=%d: F=%.4g", s.Name, T, t, f), Measured: math.Abs(f - 3),
							Claimed: 2, Show: T == epochs && i == T-1})
					}
				}
			}
		},
	}
}

func scheduleEnds(schedules []curricula.Schedule) verify.Check {
	return formula.Check{
		Quantity: "F at its ends", Sense: verify.Equals, Domain: "T = 20, t = 0 and t = 19",
		Proof: "the caption speaks of both ends", Contradiction: true,
		Points: func(add func(formula.Point)) {
			for _, s := range schedules {
				m := s.Multipliers(epochs, curricula.FromZero)
				want := [2]float64{1, 5}
				if s.Name[0] == 'd' {
					want = [2]float64{5, 1}
				}
				for i, t := range []int{0, epochs - 1} {
					// the additional exponential schedule loses e^{−19} against 1
					add(formula.Point{Place: formula.Placef("%s, t=%d", s.Name, t), Measured: m[t], Claimed: want[i], Error: 1e-7,
						Show: true})
				}
			}
		},
	}
}

// shapes of Table 2, the decreasing schedule first.
var shapes = [][2]curricula.Schedule{
	{curricula.DecreasingExponential, curricula.IncreasingExponential},
	{curricula.DecreasingPiecewise, curricula.IncreasingPiecewise},
	{curricula.DecreasingLinear, curricula.IncreasingLinear},
	{curricula.DecreasingQuadratic, curricula.IncreasingQuadratic},
}

// mirrored compares the ε of both schedules of the first n shapes.
func mirrored(index curricula.Index, n int, correct bool) verify.Check {
	return formula.Check{
		Quantity: "ε of the decreasing schedule", Sense: verify.Equals,
		Domain:        "T = 20, δ = 1e-5, Poisson sampling at 0.01, 100 steps an epoch, by Rényi divergences",
		Proof:         "the accounting adds up over epochs and so depends on the multipliers alone, not on their order",
		Contradiction: true,
		Points: func(add func(formula.Point)) {
			for i, s := range shapes[:n] {
				if i == 3 && correct {
					s[0].F = func(t, T float64) float64 { return s[1].F(T-1-t, T) }
				}
				down, err1 := rdp(s[0].Multipliers(epochs, index))
				up, err2 := rdp(s[1].Multipliers(epochs, index))
				add(formula.Point{Place: formula.Placef("%s against %s", s[0].Name, s[1].Name), Measured: down.Estimate,
					Claimed: up.Estimate, Error: 1e-7, Show: true, Err: cmp.Or(err1, err2)})
			}
		},
	}
}
