package laplacesgd

import (
	"context"
	"math"
	"strconv"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
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
	return []verify.Claim{
		{
			ID: "laplace-sgd/every-observation/program", Kind: verify.Consistency, Origin: verify.Program,
			Place: "The program of [1]: " + trainingFile + ", lines 11 and 36, ⌊m/b⌋ batches, the same in every pass; " +
				"Sect. 4.2, last paragraph, second sentence",
			Statement: "one pass of the published program uses every observation, as Sect. 4.2 says, for each data set and " +
				"each batch size",
			Check: recordsUsed(laplacesgd.ShortDrop),
			Control: verify.Control{Check: recordsUsed(laplacesgd.ShortPrinted), Want: checks.Holds,
				Fault: "none: the batches of eq. (8), with a short last one"},
			Corrected: "laplace-sgd/single-pass",
			Formerly:  []string{"laplace-sgd/every-observation"},
		},
		{
			ID: "laplace-sgd/labels/program", Kind: verify.Consistency, Origin: verify.Program,
			Place: "The program of [1]: " + mnistFile + ", line 16, the labels 1 to 9 become −1, and 0 stays 0, which " +
				"Sect. 3.2 does not allow; eq. (4) has the label as a factor",
			Statement: "with the published program's labels for MNIST, every record's gradient (4) at w = 0 is half as " +
				"long as the record, as with the labels ±1. The program's labels are 0 for the digit 0 and −1 for the " +
				"other nine",
			Check:     digitSlopes(0),
			Control:   verify.Control{Check: digitSlopes(1), Want: checks.Holds, Fault: "none: the label 1 for the digit 0"},
			Corrected: "laplace-sgd/eq-4",
		},
		{
			ID: "laplace-sgd/datasets/synthetic", Kind: verify.Consistency, Origin: verify.Stated,
			Place: "Sect. 4.1, first paragraph: its last sentence; \"5-dimensional\" may count the sphere's own " +
				"dimensions, 6 features",
			Statement: "10,000 points drawn uniformly from the unit sphere in 5 or 6 dimensions are linearly separable " +
				"with margin 0.001, as Sect. 4.1 says, if the points within 0.001 of a hyperplane are left out",
			Check:    bandLeaves(0.001, "the hyperplane that labels the rows has this margin"),
			Control:  checks.Faulty(bandLeaves(0, ""), "no points left out"),
			Formerly: []string{"laplace-sgd/datasets/synthetic/corrected"},
		},
		{
			ID: "laplace-sgd/datasets/synthetic/program", Kind: verify.Privacy, Origin: verify.Program,
			Place: "Fig. 6, the program of [1]: " + syntheticFile + ", lines 4 to 14, rows of the cube, not divided by " +
				"their norms; " + trainingFile + ", line 46, the noise for rows of norm 1",
			Statement: "one update on the published program's synthetic data is 1-differentially private. Setting: rows " +
				"uniform in [−1, 1]^5, noise of density (7) at α = 1",
			Check: cubeCost(math.Sqrt(5)),
			Control: verify.Control{Check: cubeCost(1), Want: checks.Holds,
				Fault: "none: rows divided by their norms"},
			Corrected: "laplace-sgd/alg-1/privacy/corrected",
			Formerly:  []string{"laplace-sgd/settings/synthetic/program"},
		},
	}
}

// cubeCost computes the privacy loss of an update on rows of the given norm with noise made for rows of norm 1. The two
// values of the record have opposite gradients, and the output is one of them (compare updateLoss).
func cubeCost(norm float64) verify.Check {
	return formula.Check{
		Quantity: "privacy loss of an update", Sense: verify.AtMost, Domain: "d = 5, α = 1, noise of density (7), a row " +
			"of the largest norm and its opposite",
		Proof: "the gradient moves by 2‖x‖",
		Points: func(add func(formula.Point)) {
			moved := []float64{2 * norm, 0, 0, 0, 0}
			add(formula.Point{Place: formula.Placef("‖x‖=%.4g", norm), Show: true, Claimed: paperAlpha,
				Measured: sphereNoise(paperAlpha, make([]float64, 5)) - sphereNoise(paperAlpha, moved)})
		},
	}
}

// setSizes lists the numbers of rows in the experiments: those that Sect. 4.1 prints, and the rows of Banknote's file.
var setSizes = []struct {
	name string
	n    int
}{{"MNIST", 60_000}, {"KDD Cup", 50_000}, {"Banknote", banknotePrinted},
	{"Banknote, the file", banknoteFile}, {"Occupancy", 8_143}, {"synthetic", 10_000}}

// paperBatches are the batch sizes of Sect. 4.2.
var paperBatches = []int{1, 2, 5, 10, 20, 50}

// recordsUsed compares the number of records that a pass uses with the size of the data set.
func recordsUsed(short laplacesgd.Short) verify.Check {
	return formula.Check{
		Quantity: "records that a pass uses", Sense: verify.Equals, Proof: "counted",
		Domain: "the sizes of the data sets in Sect. 4.1 and the 1,372 rows of Banknote's file, b ∈ {1, 2, 5, 10, 20, 50}",
		Points: func(add func(formula.Point)) {
			for _, set := range setSizes {
				for _, b := range paperBatches {
					used := set.n
					if divisor, _ := short.Divisors(b, set.n%b); divisor == 0 {
						used -= set.n % b
					}
					add(formula.Point{Place: formula.Placef("%s, b=%d", set.name, b), Measured: float64(used),
						Claimed: float64(set.n),
						Show:    b == 50})
				}
			}
		},
	}
}

// digitSlopes computes the factor of x in eq. (4) at w = 0, if the digit 0 has the label zero.
func digitSlopes(zero float64) verify.Check {
	return formula.Check{
		Quantity: "length of the gradient at w = 0 over ‖x‖", Sense: verify.Equals,
		Grid: formula.Grid{formula.Over("digit", 0, 1, 2, 3,
			4, 5, 6, 7, 8, 9)}, Proof: "the list contains every digit",
		At: func(at []float64, add func(formula.Point)) {
			y := -1.0
			if at[0] == 0 {
				y = zero
			}
			add(formula.Point{Place: formula.Placef("label %g", y), Claimed: 0.5, Show: at[0] < 2,
				Measured: math.Abs(y * erm.Logistic{}.Derivative(0))})
		},
	}
}

// bandLeaves compares the largest margin of random rows on the sphere, outside a band around a hyperplane, with 0.001.
func bandLeaves(band float64, proof string) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		var points []formula.Point
		for _, d := range []int{5, 6} {
			data, _, err := dataset.Sphere(s.Stream("rows", strconv.Itoa(d)), 10_000, d, band)
			if err != nil {
				return nil, err
			}
			rows := make([][]float64, data.Len())
			for i := range rows {
				rows[i] = make([]float64, d)
				data.Row(i).AddTo(rows[i], data.Label(i))
			}
			lower, _, err := largestMargin(rows)
			points = append(points, formula.Point{Place: formula.Placef("%d features", d), Measured: lower, Claimed: 0.001,
				Show: true, Err: err})
		}
		return formula.Check{
			Quantity: "largest margin", Sense: verify.AtLeast, Proof: proof, Points: formula.ListedPoints(points...),
			Domain: "10,000 random rows; a point of the convex hull of the rows times their labels gives bounds on the " +
				"largest margin of any hyperplane through the origin: its norm from above, and its margin as a normal vector " +
				"from below",
		}, nil
	})
}
