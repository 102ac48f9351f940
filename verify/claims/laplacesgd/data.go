package laplacesgd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func dataClaims() []verify.Claim {
	claims := checks.Pair(verify.Claim{
		ID: "laplace-sgd/preprocessing/with-replacement", Kind: verify.Sensitivity, Origin: verify.Program,
		Place: "The program of [1]: " + mnistFile + ", lines 11 and 12, and loadKDD.m, lines 10 and 11, each feature " +
			"drawn from all; Sect. 4.1",
		Statement: "rows that were divided by their norms keep ‖x‖ ≤ 1 if features are picked as in the published " +
			"program, each from all features (with replacement)",
		Check:    rowNorms(laplacesgd.PickAnew, ""),
		Formerly: []string{"laplace-sgd/settings/picked/program"},
	}, verify.Claim{
		ID: "laplace-sgd/preprocessing", Origin: verify.Implied,
		Place: "Sect. 4.1, last paragraph: norms 1, then features picked from the original data; Sect. 3.2 needs ‖x‖ ≤ 1",
		Statement: "rows that were divided by their norms keep ‖x‖ ≤ 1, which Sect. 3.2 assumes, if different " +
			"features are then picked (without replacement), as in Sect. 4.1",
		Check: rowNorms(laplacesgd.PickDistinct, "the norm of a subvector is at most the norm of the vector"),
	}, "different features", "features that may be picked twice")
	claims = append(claims, verify.Claim{
		ID: "laplace-sgd/datasets", Kind: verify.Consistency, Origin: verify.Stated,
		Place: "Sect. 4.1, paragraphs two to five: sizes and dimensions; the first paragraph for the synthetic data",
		Statement: "the data sets have the rows and columns that Sect. 4.1 prints. MNIST: 60,000 images of 784 " +
			"features. KDD Cup: 34 continuous features, at least 50,000 rows. Occupancy: 8,143 rows, 6 columns with the " +
			"class and without the date. Banknote: 5 columns with the class, 1,372 rows (printed as 1,327, see the " +
			"errata)",
		Check:    described,
		Control:  checks.Faulty(syntheticSize(9_999, 5), "a synthetic set of 9,999 rows"),
		Formerly: []string{"laplace-sgd/datasets/corrected", "laplace-sgd/datasets/columns"},
	})
	const corrected = "laplace-sgd/datasets/occupancy/corrected"
	return append(claims, verify.Claim{
		ID: "laplace-sgd/datasets/occupancy", Kind: verify.Consistency, Origin: verify.Stated,
		Place:     "Sects. 4.1 and 4.3: Sect. 4.1, fifth paragraph, d = 6; Sect. 4.3, before Fig. 8, \"only 4\"",
		Statement: "Sect. 4.1 and Sect. 4.3 give the Occupancy data the same dimension",
		Check:     sameNumber("6", "4"),
		Control: verify.Control{Check: sameNumber("15", "15"), Want: checks.Holds,
			Fault: "none: MNIST's reduced dimension, 15 in Sects. 4.1 and 4.3"},
		Corrected: corrected,
	}, verify.Claim{
		ID: corrected, Kind: verify.Consistency, Origin: verify.Correction,
		Place: "Sect. 4.1, fifth paragraph: the header of the file that it names",
		Statement: "the Occupancy file has seven columns; without date and class there are d = 5 features. The 6 of " +
			"Sect. 4.1 counts the class",
		Check:   occupancyFeatures(5),
		Control: checks.Faulty(occupancyFeatures(6), "six features"),
	})
}

// rowNorms compares the largest norm of prepared random rows with 1; some rows are parallel to an axis, and some have
// extreme lengths. With replacement it repeats the preparation until a row along an axis contains its feature twice.
func rowNorms(picking laplacesgd.Picking, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "largest ‖x‖", Sense: verify.AtMost, Proof: proof,
			Domain: fmt.Sprintf("rows of dimension 34 and 784, each axis and as many random directions, of length 10^k, |k| "+
				"≤ 150; 9 of 34 features (KDD Cup) and 15 of 784 (MNIST); with replacement some feature is picked twice "+
				"with probability %.2f and %.2f", repeatProbability(settings[1]), repeatProbability(settings[0])),
			Points: func(add func(formula.Point)) {
				for _, set := range settings[:2] {
					norm, err := preparedNorm(s.Common("rows"), set.from, set.d, picking)
					add(formula.Point{Place: formula.Placef("%s, %d of %d features", set.name, set.d, set.from), Measured: norm,
						Claimed: 1, Show: true, Err: err})
				}
			},
		}.Prepare(ctx, s)
	})
}

// repeatProbability returns the probability that d features picked with replacement are not all different.
func repeatProbability(s setting) float64 {
	different := 1.0
	for k := range s.d {
		different *= 1 - float64(k)/float64(s.from)
	}
	return 1 - different
}

func preparedNorm(r *rand.Rand, d, features int, picking laplacesgd.Picking) (float64, error) {
	rows := 2 * d
	values, labels := make([]float64, rows*d), make([]float64, rows)
	for i := range labels {
		labels[i] = 1
		row, size := values[i*d:(i+1)*d], math.Pow10(r.IntN(301)-150)
		if i%2 == 0 {
			row[i/2] = size
			continue
		}
		for k := range row {
			row[k] = size * rng.Normal(r)
		}
	}
	data, err := dataset.NewDense(d, values, labels)
	if err != nil {
		return 0, err
	}
	for range 100 {
		prepared, err := laplacesgd.Preprocess(r, data, features, picking)
		if err != nil {
			return 0, err
		}
		if norm := prepared.MaxNorm(); norm > 1.1 || picking == laplacesgd.PickDistinct {
			return norm, nil
		}
	}
	return 1, nil
}

// described reads the four real data sets and compares their sizes with those of Sect. 4.1.
var described = checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
	var points []formula.Point
	var files []string
	for _, set := range []struct {
		name           string
		rows, features int // rows 0: at least the 50,000 of the subsample
		class          bool
	}{{"mnist-0-rest", 60_000, 784, false}, {"kddcup99", 0, 34, false}, {"banknote", banknoteFile, 5, true},
		{"occupancy", 8_143, 6, true}} {
		data, _, err := checks.Open(s, set.name)
		if err != nil {
			return nil, err
		}
		files = append(files, checks.Files(set.name))
		rows, measured, columns, what := set.rows, data.Len(), data.Dim(), "features"
		if rows == 0 { // the 50,000 rows of KDD Cup are a subsample
			rows, measured = 50_000, min(measured, 50_000)
		}
		if set.class {
			columns, what = columns+1, "columns with the class"
		}
		points = append(points,
			formula.Point{Place: formula.Placef("%s, rows", set.name), Measured: float64(measured), Claimed: float64(rows),
				Show: true},
			formula.Point{Place: formula.Placef("%s, %s", set.name, what), Measured: float64(columns),
				Claimed: float64(set.features), Show: true})
	}
	return checks.OnFile(strings.Join(files, ", "), counted(points)), nil
})

func counted(points []formula.Point) verify.Check {
	return formula.Check{
		Quantity: "count", Sense: verify.Equals, Domain: "rows and numeric columns of the data sets", Proof: "counted",
		Points: formula.ListedPoints(points...),
	}
}

// syntheticSize compares the size of the synthetic data, which need no file, with claimed numbers.
func syntheticSize(rows, features int) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		data, _, err := dataset.Sphere(s.Stream("rows"), 10_000, 5, 0.001)
		if err != nil {
			return nil, err
		}
		return counted([]formula.Point{
			{Place: formula.Placef("synthetic, rows"), Measured: float64(data.Len()), Claimed: float64(rows), Show: true},
			{Place: formula.Placef("synthetic, features"), Measured: float64(data.Dim()), Claimed: float64(features),
				Show: true},
		}), nil
	})
}

// sameNumber compares two printed numbers.
func sameNumber(first, second string) verify.Check {
	return formula.Formulas{{
		Result:  formula.Cell{Place: "Sect. 4.1", Text: first, Rounding: formula.AsReported},
		Inputs:  []formula.Cell{{Place: "Sect. 4.3", Text: second, Rounding: formula.AsReported}},
		Formula: func(x []float64) float64 { return x[0] },
	}}
}

// occupancyFeatures compares the number of columns of the file without date and class with a claimed number.
func occupancyFeatures(claimed float64) verify.Check {
	// UCI, datatraining.txt
	columns := []string{"date", "Temperature", "Humidity", "Light", "CO2", "HumidityRatio", "Occupancy"}
	return formula.Check{
		Quantity: "columns without date and class", Sense: verify.Equals, Domain: "the header of the file",
		Proof: "counted",
		Points: func(add func(formula.Point)) {
			add(formula.Point{Place: formula.Placef("date … Occupancy"), Measured: float64(len(columns) - 2),
				Claimed: claimed,
				Show:    true})
		},
	}
}
