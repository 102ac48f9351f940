package sensitivity

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// sensitivityCase is a map with its sensitivity and the proof.
type sensitivityCase struct {
	reason    string
	norm      Norm
	adjacency inputs.Adjacency
	cell      Cell
	tight     float64
	proof     string
}

// check returns a claim of factor times the sensitivity, with or without the derivation.
func (c sensitivityCase) check(factor float64, derived bool) Check {
	cell := c.cell
	cell.Place, cell.Claimed = "the map", factor*c.tight
	s := Check{Quantity: c.reason, Norm: c.norm, Adjacency: c.adjacency, Evaluations: 4000}
	if derived {
		cell.Tight, s.Proof = verify.Num(c.tight), c.proof
	}
	s.Cells = []Cell{cell}
	return s
}

type sensitivityMap = func(*rand.Rand, Input, []float64) error

// sumOf returns the sum of a function of each record, divided by a number.
func sumOf(divisor float64, f func(i int, r Record, add []float64)) sensitivityMap {
	return func(_ *rand.Rand, in Input, dst []float64) error {
		for i, r := range in.Records {
			f(i, r, dst)
		}
		floats.Scale(1/divisor, dst)
		return nil
	}
}

func addPoint(_ int, r Record, dst []float64) { floats.Add(dst, r.X) }

// addClipped adds 3x, clipped to norm 1.
func addClipped(_ int, r Record, dst []float64) {
	floats.AddScaled(dst, 3/math.Max(1, 3*floats.Norm(r.X, 2)), r.X)
}

// logisticGradient computes the mean gradient of ln(1 + e^(−y⟨w,x⟩)) at weights w.
func logisticGradient(_ *rand.Rand, in Input, dst []float64) error {
	for _, r := range in.Records {
		floats.AddScaled(dst, -r.Y/(1+math.Exp(r.Y*floats.Dot(in.Shared, r.X)))/float64(len(in.Records)), r.X)
	}
	return nil
}

// median computes the median of the first coordinates. It sorts its input.
func median(_ *rand.Rand, in Input, dst []float64) error {
	slices.SortFunc(in.Records, func(a, b Record) int {
		if a.X[0] < b.X[0] {
			return -1
		}
		return 1
	})
	dst[0] = in.Records[len(in.Records)/2].X[0]
	return nil
}

// stronglyConvexIterate computes the last of Choice[0] + 1 steps of gradient descent with steps 1/t on ½‖w‖² − ⟨w, x_t⟩
// from a random start, which is the mean of the records used.
func stronglyConvexIterate(r *rand.Rand, in Input, dst []float64) error {
	for i := range dst {
		dst[i] = r.NormFloat64()
	}
	for t := range in.Choice[0] + 1 {
		for i := range dst {
			dst[i] -= (dst[i] - in.Records[t].X[i]) / float64(t+1)
		}
	}
	return nil
}

// misled has its largest difference only at one of eight steps and for one of four seeds.
func misled(r *rand.Rand, in Input, dst []float64) error {
	if coin := r.IntN(4); coin == 3 && in.Choice[0] == 5 {
		addPoint(0, in.Records[0], dst)
		return nil
	}
	floats.AddScaled(dst, 0.9, in.Records[0].X)
	return nil
}

// bump adds a narrow hill of height 1 at (0.31, −0.42).
func bump(_ int, r Record, dst []float64) {
	dst[0] += math.Exp(-50 * (math.Pow(r.X[0]-0.31, 2) + math.Pow(r.X[1]+0.42, 2)))
}

// weighted returns the sum of the points with weights by position.
func weighted(weight func(i int) float64) sensitivityMap {
	return sumOf(1, func(i int, r Record, dst []float64) { floats.AddScaled(dst, weight(i), r.X) })
}

// vertexScores computes the coordinates of the mean with both signs: the scores of the vertices of the ℓ1 ball.
func vertexScores(_ *rand.Rand, in Input, dst []float64) error {
	for _, r := range in.Records {
		for i, v := range r.X {
			dst[2*i] += v / float64(len(in.Records))
			dst[2*i+1] -= v / float64(len(in.Records))
		}
	}
	return nil
}

func unitBall(dim int, norm Norm) Records { return Records{Ball: Ball{dim, norm, 1}} }

func sensitivityCases() []sensitivityCase {
	const n, d = 10, 5
	signed := func(dim int) Records { return Records{Ball{dim, L2, 1}, []float64{-1, 1}} }
	triangle := "the triangle inequality, attained at opposite points of the boundary"
	return []sensitivityCase{
		{"mean of n = 10 points, d = 5", L2, inputs.ReplaceOneRecord, Cell{Map: sumOf(n, addPoint), OutputLength: d, N: n, Records: unitBall(d, L2)}, 2. / n, triangle},
		{"sum of clipped points, add or remove", L2, inputs.AddOrRemoveOneRecord, Cell{Map: sumOf(1, addClipped), OutputLength: d, N: n, Records: unitBall(d, L2)}, 1, triangle},
		{"sum of clipped points, replace one", L2, inputs.ReplaceOneRecord, Cell{Map: sumOf(1, addClipped), OutputLength: d, N: n, Records: unitBall(d, L2)}, 2, triangle},
		{"mini-batches of 4, the last one of 2", L2, inputs.ReplaceOneRecord, Cell{Map: func(_ *rand.Rand, in Input, dst []float64) error {
			for i, r := range in.Records {
				size := min(4, n-i/4*4)
				floats.AddScaled(dst[i/4*2:i/4*2+2], 1/float64(size), r.X)
			}
			return nil
		}, OutputLength: 6, N: n, Records: unitBall(2, L2)}, 2. / 2, triangle},
		{"logistic gradient, any weights of norm at most 1000", L2, inputs.ReplaceOneRecord, Cell{Map: logisticGradient, OutputLength: 3, N: 1, Records: signed(3), Shared: Ball{3, L2, 1000}}, 2, "both gradients have norm at most 1; approached as the weights grow"},
		{"logistic gradient of a batch of 4", L2, inputs.ReplaceOneRecord, Cell{Map: logisticGradient, OutputLength: 3, N: 4, Records: signed(3), Shared: Ball{3, L2, 1000}}, 2. / 4, "both gradients have norm at most 1; approached as the weights grow"},
		{"median of 5 numbers, which jumps", L2, inputs.ReplaceOneRecord, Cell{Map: median, OutputLength: 1, N: 5, Records: unitBall(1, L2)}, 2, "the diameter of the domain, attained where the middle one of ±1 changes its side"},
		{"a narrow hill inside the disc", L2, inputs.AddOrRemoveOneRecord, Cell{Map: sumOf(1, bump), OutputLength: 1, N: 3, Records: unitBall(2, L2)}, 1, "its height"},
		{"weights by position, the first counts most", L2, inputs.ReplaceOneRecord, Cell{Map: weighted(func(i int) float64 { return 1 / float64(i+1) }), OutputLength: 2, N: 40, Records: unitBall(2, L2)}, 2, triangle},
		{"weights by position, the last counts most", L2, inputs.ReplaceOneRecord, Cell{Map: weighted(func(i int) float64 { return 1 / float64(40-i) }), OutputLength: 2, N: 40, Records: unitBall(2, L2)}, 2, triangle},
		{"weights by position, the 14th counts most", L2, inputs.ReplaceOneRecord, Cell{Map: weighted(func(i int) float64 { return 1 / (1 + math.Abs(float64(i-13))) }), OutputLength: 2, N: 40, Records: unitBall(2, L2)}, 2, triangle},
		{"d = 1, a square", L1, inputs.ReplaceOneRecord, Cell{Map: sumOf(1, func(_ int, r Record, dst []float64) { dst[0] += r.X[0] * r.X[0] }), OutputLength: 1, N: 3, Records: unitBall(1, LInf)}, 1, "squares are in [0, 1]"},
		{"ℓ1 norm of points of the ℓ2 ball, worst on the diagonal", L1, inputs.AddOrRemoveOneRecord, Cell{Map: sumOf(1, addPoint), OutputLength: 4, N: 2, Records: unitBall(4, L2)}, 2, "Cauchy and Schwarz, attained on the diagonal"},
		{"scores of the vertices of the ℓ1 ball", LInf, inputs.ReplaceOneRecord, Cell{Map: vertexScores, OutputLength: 6, N: 8, Records: unitBall(3, L1)}, 2. / 8, triangle},
		{"an iterate, worst after one step, from a random start", L2, inputs.ReplaceOneRecord, Cell{Map: stronglyConvexIterate, OutputLength: 2, N: 6, Records: unitBall(2, L2), Choices: []int{6}}, 2, triangle},
		{"one step and one stream in four are worst", L2, inputs.ReplaceOneRecord, Cell{Map: misled, OutputLength: 2, N: 1, Records: unitBall(2, L2), Choices: []int{8}}, 2, triangle},
		{"a count of labels, a domain of no points", L1, inputs.ReplaceOneRecord, Cell{Map: sumOf(1, func(_ int, r Record, dst []float64) { dst[int(r.Y)]++ }), OutputLength: 3, N: 4, Records: Records{Labels: []float64{0, 1, 2}}}, 2, "one count less, one more"},
	}
}

func judgeSensitivity(t *testing.T, s Check, seed uint64) (verify.Evidence, error) {
	t.Helper()
	return verify.Judge(context.Background(), s, verify.Settings{Budget: verify.Standard, Alpha: verifytest.Alpha, Seed: empirical.NewSeed(seed)}, verifytest.Pool, nil)
}

// A claim 5 % below the sensitivity is refuted within 4000 pairs at every seed, and the true claim holds. A fault of
// the search that affects one seed in three is detected by a case with probability 0.8, one that affects half of the
// seeds with probability 0.94. The long form detects both almost surely.
func TestSensitivityFindsAFaultOfFivePercent(t *testing.T) {
	for _, c := range sensitivityCases() {
		t.Run(c.reason, func(t *testing.T) {
			for seed := uint64(1); seed <= testutil.Size[uint64](4, 20); seed++ {
				low, err := judgeSensitivity(t, c.check(0.95, false), seed)
				if err != nil || low.Verdict != verify.Refuted {
					t.Fatalf("seed %d, 5 %% too low: %s, found %v of %v, %v", seed, low.Verdict, low.Measured.X, c.tight, err)
				}
				if value, err := c.check(0.95, false).Replay(low.WorstCase); err != nil || value != low.Measured.X {
					t.Fatalf("seed %d: the witness %s replays as %v, not %v; %v", seed, low.WorstCase, value, low.Measured.X, err)
				}
				sound, err := judgeSensitivity(t, c.check(1, true), seed)
				if err != nil || sound.Verdict != verify.Holds || len(sound.Warnings) > 0 {
					t.Fatalf("seed %d, sound: %s, found %v of %v, %v, %v", seed, sound.Verdict, sound.Measured.X, c.tight, sound.Warnings, err)
				}
			}
		})
	}
}
