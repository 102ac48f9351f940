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
	counted := checks.Pair(verify.Claim{
		ID: "curricula/table-1/range", Kind: verify.Consistency, Origin: verify.Stated,
		Place: "Table 1, caption: \"between 1 and 5\", with the loop t ∈ [1, T] of Algorithm 1",
		Statement: "every schedule of Table 1 is a noise multiplier between 1 and 5 in all epochs t = 1, …, T of " +
			"Algorithm 1, T = 20",
		Check:    scheduleRange(curricula.Schedules()[:8], curricula.FromOne, []int{epochs}, ""),
		Formerly: []string{"curricula/table-1/mirror/index", "curricula/table-2/eps/index"},
	}, verify.Claim{
		Place: "Table 1, caption: with t counted from 0, as in Figs. 1 and 2 and for the ε of Table 2",
		Statement: "every schedule of Table 1, and the additional exponential one, is between 1 and 5 for t = 0, …, T " +
			"− 1",
		Check: scheduleRange(curricula.Schedules(), curricula.FromZero, []int{2, 3, 5, 7, 20, 100, 1000},
			"each is monotone in t, and its values at 0 and T − 1 are in [1, 5]"),
	}, "t from 0 to T − 1", "t from 1 to T")
	return append(counted,
		verify.Claim{
			ID: "curricula/table-1/ends", Kind: verify.Consistency, Origin: verify.Stated,
			Place: "Table 1, caption: second sentence, with t from 0 and log T in the logarithmic schedule (see the slips " +
				"of the pen)",
			Statement: "decreasing schedules begin with 5 and end with 1, and increasing ones begin with 1 and end with " +
				"5, for t = 0, …, T − 1 and T = 20. In the logarithmic schedule, log(T+1) is replaced by log T",
			Check: scheduleEnds(replaced(curricula.Schedules(), 4, logarithmicCorrected)),
			Control: verify.Control{Check: scheduleEnds(curricula.Schedules()), Want: checks.Contradictory,
				Fault: "log(T+1), as printed"},
			Formerly: []string{"curricula/table-1/ends/corrected"},
		},
		verify.Claim{
			ID: "curricula/table-1/mirror", Kind: verify.Consistency, Origin: verify.Implied,
			Place: "Table 2, first three pairs: their equal ε, and Sect. 4.2, first paragraph (\"its privacy budget is the " +
				"same\")",
			Statement: "the increasing and the decreasing schedule of one shape use the same multipliers and cost the " +
				"same ε. Setting: exponential, piecewise and linear shapes, t from 0",
			Check:   mirrored(3),
			Control: checks.Faulty(mirrored(4), "the quadratic pair, whose multipliers differ"),
		})
}

func replaced(s []curricula.Schedule, i int, by curricula.Schedule) []curricula.Schedule {
	s[i] = by
	return s
}

func scheduleRange(schedules []curricula.Schedule, index curricula.Index, totals []int, proof string) verify.Check {
	return formula.Check{
		Quantity: "|F(t) − 3|, the distance from the middle of [1, 5]", Sense: verify.AtMost,
		Domain: "all epochs, the totals T of the rows", Proof: proof,
		Contradiction: true,
		Points: func(add func(formula.Point)) {
			for _, T := range totals {
				for _, s := range schedules {
					for i, f := range s.Multipliers(T, index) {
						t := i
						if index == curricula.FromOne {
							t++
						}
						add(formula.Point{Place: formula.Placef("%s, T=%d, t=%d: F=%.4g", s.Name, T, t, f),
							Measured: math.Abs(f - 3),
							Claimed:  2, Error: 1e-6, Show: T == epochs && i == T-1})
					}
				}
			}
		},
	}
}

func scheduleEnds(schedules []curricula.Schedule) verify.Check {
	return formula.Check{
		Quantity: "F at its ends", Sense: verify.Equals, Domain: "T = 20, t = 0 and t = 19",
		Proof: "the caption states both ends", Contradiction: true,
		Points: func(add func(formula.Point)) {
			for _, s := range schedules {
				m := s.Multipliers(epochs, curricula.FromZero)
				want := [2]float64{1, 5}
				if s.Name[0] == 'd' {
					want = [2]float64{5, 1}
				}
				for i, t := range []int{0, epochs - 1} {
					// The additional exponential schedule ends e^{−19} away from its limit, below the tolerance.
					add(formula.Point{Place: formula.Placef("%s, t=%d", s.Name, t), Measured: m[t], Claimed: want[i], Error: 1e-7,
						Show: true})
				}
			}
		},
	}
}

// shapes are the schedules of Table 2, the decreasing one of each shape first.
var shapes = [][2]curricula.Schedule{
	{curricula.DecreasingExponential, curricula.IncreasingExponential},
	{curricula.DecreasingPiecewise, curricula.IncreasingPiecewise},
	{curricula.DecreasingLinear, curricula.IncreasingLinear},
	{curricula.DecreasingQuadratic, curricula.IncreasingQuadratic},
}

// mirrored compares the ε of both schedules of the first n shapes.
func mirrored(n int) verify.Check {
	return formula.Check{
		Quantity: "ε of the decreasing schedule", Sense: verify.Equals,
		Domain: "T = 20, δ = 1e-5, Poisson sampling at 0.01, 100 steps an epoch, by Rényi divergences",
		Proof:  "the accounting adds up over epochs, so it depends only on the multipliers, not on their order",
		Points: func(add func(formula.Point)) {
			for _, s := range shapes[:n] {
				down, err1 := rdp(s[0].Multipliers(epochs, curricula.FromZero))
				up, err2 := rdp(s[1].Multipliers(epochs, curricula.FromZero))
				add(formula.Point{Place: formula.Placef("%s against %s", s[0].Name, s[1].Name), Measured: down.Estimate,
					Claimed: up.Estimate, Error: 1e-7, Show: true, Err: cmp.Or(err1, err2)})
			}
		},
	}
}
