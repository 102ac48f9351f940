package laplacesgd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/mean"
)

// The program that reference [1] of the thesis names (MATLAB), and its files.
const (
	repository    = "github.com/RayelH/Differentially-Private-SGD"
	laplaceFile   = repository + ", laplace.m"
	trainingFile  = "DPSGD.m of " + repository
	mnistFile     = repository + ", loadMnist.m"
	syntheticFile = repository + ", loadSynData.m"
)

func programClaims() []verify.Claim {
	const everyRecord = "laplace-sgd/every-observation"
	return []verify.Claim{
		{
			ID: everyRecord, Source: "Sect. 4.2", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 4.2, last paragraph, second sentence, with the batches of eq. (8)",
			Statement: "one pass in batches of eq. (8), a short last one among them, uses every observation, in each data set " +
				"at each batch size",
			Check: recordsUsed(laplacesgd.ShortPrinted),
			Control: verify.Control{Check: recordsUsed(laplacesgd.ShortDrop), Want: checks.Refuted,
				Fault: "the short batch left " +
					"out"},
		},
		{
			ID: everyRecord + "/program", Source: "Sect. 4.2, the program of [1]", Kind: verify.Consistency,
			Origin: verify.Program, Place: trainingFile + ", lines 11 and 36: ⌊m/b⌋ batches, in every pass the same",
			Statement: "one pass of the program uses every observation, in each data set at each batch size",
			Check:     recordsUsed(laplacesgd.ShortDrop),
			Control: verify.Control{Check: recordsUsed(laplacesgd.ShortPrinted), Want: checks.Holds,
				Fault: "none: the short batch of eq. (8)"},
			Corrected: everyRecord,
		},
		{
			ID: "laplace-sgd/labels/program", Source: "Sect. 4.1, the program of [1]", Kind: verify.Consistency,
			Origin: verify.Program, Place: mnistFile + ", line 16: the labels 1 to 9 become −1, and 0 stays 0, which Sect. " +
				"3.2 does not allow; eq. (4) has the label as a factor",
			Statement: "with the program's labels for MNIST, 0 against the rest, a record of each digit has a gradient: its " +
				"slope at w = 0 is ½",
			Check:   digitSlopes(0),
			Control: verify.Control{Check: digitSlopes(1), Want: checks.Holds, Fault: "none: the label 1 for the digit 0"},

			Corrected: "laplace-sgd/labels/program/corrected",
		},
		{
			ID: "laplace-sgd/labels/program/corrected", Source: "Sects. 3.2 and 4.1, corrected", Kind: verify.Consistency,
			Origin: verify.Correction,
			Place: "Sect. 3.2, first paragraph, y ∈ {−1, 1}; Sect. 4.1, third paragraph, 0 against " +
				"the others",
			Statement: "with the label 1 for the digit 0 and −1 for the others a record of each digit has the slope ½ at w = 0",
			Check:     digitSlopes(1),
			Control:   verify.Control{Check: digitSlopes(0), Want: checks.Refuted, Fault: "the label 0 for the digit 0"},
		},
		{
			ID: "laplace-sgd/datasets/synthetic", Source: "Sect. 4.1", Kind: verify.Consistency,
			Origin: verify.Reading, Place: "Sect. 4.1, first paragraph, last sentence: whether rows near to the hyperplane " +
				"were left out is not said, here none are; \"5-dimensional\" may count the sphere's own dimensions, 6 features",
			Statement: "10,000 points drawn uniformly from the sphere, each with the label of its side of a hyperplane, are " +
				"linearly separable with margin 0.001",
			Check:     margins(sphereRows(0), 0.001),
			Control:   bandLeftOut,
			Corrected: "laplace-sgd/datasets/synthetic/corrected",
		},
		{
			ID: "laplace-sgd/datasets/synthetic/corrected", Source: "Sect. 4.1, corrected", Kind: verify.Consistency,
			Origin: verify.Correction,
			Place:  "Sect. 4.1, first paragraph, last sentence, the margin made by leaving rows out",
			Statement: "10,000 points drawn uniformly from the sphere without a band of 0.001 to either side of a hyperplane " +
				"are linearly separable with margin 0.001",
			Check:   bandLeaves(0.001, 0.001, "the hyperplane that labels the rows has the margin"),
			Control: verify.Control{Check: bandLeaves(0, 0.001, ""), Want: checks.Refuted, Fault: "no band left out"},
		},
		{
			ID: "laplace-sgd/datasets/synthetic/program", Source: "Sect. 4.1, the program of [1]", Kind: verify.Consistency,
			Origin: verify.Program, Place: syntheticFile + ", lines 4 to 14: rows of a cube, labels by a hyperplane; the " +
				"rounded rows of line 14 are not kept",
			Statement: "the program's 10,000 synthetic points, uniform in the cube [−1, 1]^5, are linearly separable with " +
				"margin 0.001",
			Check:     margins(cubeRows, 0.001),
			Control:   bandLeftOut,
			Corrected: "laplace-sgd/datasets/synthetic/corrected",
		},
	}
}

// bandLeftOut is the twin of both programs' data.
var bandLeftOut = verify.Control{Check: checks.Shared(margins(sphereRows(0.003), 0.001)), Want: checks.Consistent,
	Fault: "none: the rows within 0.003 of the hyperplane not drawn"}

// The sizes of the data sets, as far as the experiments take them: those that Sect. 4.1 prints and the true one.
var setSizes = []struct {
	name string
	n    int
}{{"MNIST", 60_000}, {"KDD Cup", 50_000}, {"Banknote", banknotePrinted},
	{"Banknote, the file", banknoteFile}, {"Occupancy", 8_143}, {"synthetic", 10_000}}

// paperBatches are those of Sect. 4.2.
var paperBatches = []int{1, 2, 5, 10, 20, 50}

// recordsUsed counts the records that a pass of the implementation looks at.
func recordsUsed(short laplacesgd.Short) verify.Check {
	return formula.Check{
		Quantity: "records that a pass uses", Sense: verify.Equals, Proof: "counted",
		Domain: "the sizes of the data sets (Sect. 4.1; Banknote with the 1,372 of its file as well), " +
			"b ∈ {1, 2, 5, 10, 20, 50}",
		Points: func(add func(formula.Point)) {
			for _, set := range setSizes {
				for _, b := range paperBatches {
					used := set.n
					if divisor, _ := short.Divisors(b, set.n%b); divisor == 0 {
						used -= set.n % b
					}
					add(formula.Point{Place: formula.Placef("%s, b=%d", set.name, b), Measured: float64(used), Claimed: float64(set.n),
						Show: b == 50})
				}
			}
		},
	}
}

// digitSlopes is the factor of x in eq. (4) at w = 0, where the digit 0 has the label zero.
func digitSlopes(zero float64) verify.Check {
	return formula.Check{
		Quantity: "length of the gradient at w = 0 over ‖x‖", Sense: verify.Equals, Domain: "the digits 0 to 9",
		Proof: "there are no other digits",
		Points: func(add func(formula.Point)) {
			for digit := range 10 {
				y := -1.0
				if digit == 0 {
					y = zero
				}
				add(formula.Point{Place: formula.Placef("digit %d, label %g", digit, y), Claimed: 0.5, Show: digit < 2,
					Measured: math.Abs(y * erm.Logistic{}.Derivative(0))})
			}
		},
	}
}

// sides draws rows of dimension d times their labels.
type sides func(r *rand.Rand, n, d int) ([][]float64, error)

// sphereRows are on the sphere, outside a band around the hyperplane.
func sphereRows(band float64) sides {
	return func(r *rand.Rand, n, d int) ([][]float64, error) {
		data, _, err := dataset.Sphere(r, n, d, band)
		if err != nil {
			return nil, err
		}
		rows := make([][]float64, n)
		for i := range rows {
			rows[i] = make([]float64, d)
			data.Row(i).AddTo(rows[i], data.Label(i))
		}
		return rows, nil
	}
}

// cubeRows are as the program draws them, but for the sign of all labels, which no margin knows.
func cubeRows(r *rand.Rand, n, d int) ([][]float64, error) {
	w, rows := make([]float64, d), make([][]float64, n)
	for k := range w {
		w[k] = r.Float64()
	}
	for i := range rows {
		rows[i] = make([]float64, d)
		for k := range rows[i] {
			rows[i][k] = 2*r.Float64() - 1
		}
		if floats.Dot(w, rows[i]) < 0 {
			floats.Scale(-1, rows[i])
		}
	}
	return rows, nil
}

// margins holds the mean of the largest margin of 10,000 rows, each above twice the claimed one counted as that.
func margins(rows sides, margin float64) verify.Check {
	return mean.Rate{
		Quantity: fmt.Sprintf("largest margin, capped at %g", 2*margin),
		Variable: "number of features", Grid: []float64{5, 6}, Replicates: 768, Effect: effect,
		Sense: verify.AtLeast, Bound: func(float64) float64 { return margin },
		Range: func(float64) (lo, hi float64) { return 0, 2 * margin },
		Note:  largestByDuality,
		Run: func(_ context.Context, r *rand.Rand, d float64) (float64, error) {
			drawn, err := rows(r, 10_000, int(d))
			if err != nil {
				return 0, err
			}
			_, upper, err := largestMargin(drawn)
			return min(upper, 2*margin), err
		},
	}
}

const largestByDuality = "the largest margin of any hyperplane through the origin is enclosed by duality: the norm " +
	"of a point of the convex hull of the rows times their labels bounds it from above"

// bandLeaves is the largest margin of drawn rows without a band.
func bandLeaves(band, margin float64, proof string) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		var points []formula.Point
		for _, d := range []int{5, 6} {
			drawn, err := sphereRows(band)(s.Stream("rows", strconv.Itoa(d)), 10_000, d)
			if err != nil {
				return nil, err
			}
			lower, _, err := largestMargin(drawn)
			points = append(points, formula.Point{Place: formula.Placef("%d features", d), Measured: lower, Claimed: margin,
				Show: true, Err: err})
		}
		return formula.Check{
			Quantity: "largest margin", Sense: verify.AtLeast, Proof: proof, Points: formula.ListedPoints(points...),
			Domain: "10,000 rows drawn; " + largestByDuality + ", and it, as a normal, from below",
		}, nil
	})
}
