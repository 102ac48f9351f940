package laplacesgd

import (
	"context"
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
	const corrected = "laplace-sgd/preprocessing"
	return []verify.Claim{
		{
			ID: "laplace-sgd/preprocessing", Source: "Sect. 4.1", Kind: verify.Sensitivity,
			Origin: verify.Implied, Place: "Sect. 4.1, last paragraph: norms 1, then features picked from the original data; " +
				"Sect. 3.2 needs ‖x‖ ≤ 1",
			Statement: "dividing each row by its norm and then picking different features leaves ‖x‖ ≤ 1",
			Check:     rowNorms(laplacesgd.PickDistinct, "a part of a vector is no longer than the vector"),
			Control: verify.Control{Check: rowNorms(laplacesgd.PickAnew, ""), Want: checks.Refuted,
				Fault: "features that may be picked twice"},
		},
		{
			ID: "laplace-sgd/preprocessing/with-replacement", Source: "Sect. 4.1, the program of [1]", Kind: verify.Sensitivity,
			Origin: verify.Program, Place: mnistFile + ", lines 11 and 12, and loadKDD.m, lines 10 and 11: each feature drawn " +
				"from all",
			Statement: "dividing each row by its norm and then picking each feature from all of them leaves ‖x‖ ≤ 1",
			Check:     rowNorms(laplacesgd.PickAnew, ""),
			Control: verify.Control{Check: rowNorms(laplacesgd.PickDistinct, "a part of a vector is no longer than the vector"),
				Want: checks.Holds, Fault: "none: different features"},
			Corrected: corrected,
		},
		{
			ID: "laplace-sgd/datasets", Source: "Sect. 4.1", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 4.1, paragraphs two to five, and the first for the synthetic data",
			Statement: "the data sets have the rows and features that Sect. 4.1 prints, the class not " +
				"counted among the features",
			Check: described(printedSizes),
			Control: verify.Control{Check: syntheticSize(9_999, 5), Want: checks.Refuted,
				Fault: "a synthetic set of 9,999 rows"},
			Corrected: "laplace-sgd/datasets/corrected",
		},
		{
			ID: "laplace-sgd/datasets/corrected", Source: "Sect. 4.1, corrected", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "Sect. 4.1, paragraphs two to five, with the files that they name",
			Statement: "the data sets have the rows and features that Sect. 4.1 prints but for Banknote, 1,372 rows of 4 " +
				"features, and Occupancy, 5 features besides the date",
			Check: described(mendedSizes),
			Control: verify.Control{Check: syntheticSize(9_999, 5), Want: checks.Refuted,
				Fault: "a synthetic set of 9,999 rows"},
		},
		{
			ID: "laplace-sgd/datasets/columns", Source: "Sect. 4.1, the class counted for Banknote and Occupancy",
			Kind:   verify.Consistency,
			Origin: verify.Reading, Place: "Sect. 4.1, paragraphs four and five, d = 5 and d = 6: whether d counts the class " +
				"is not said",
			Statement: "Banknote has 5 and Occupancy 6 columns besides the date, the class among them",
			Check: described(func(name string) (rows, features int) {
				return 0,
					map[string]int{"banknote": 4, "occupancy": 5}[name]
			}),
			Control: verify.Control{Check: syntheticSize(10_000, 6), Want: checks.Refuted,
				Fault: "a synthetic set of 6 features"},
		},
		{
			ID: "laplace-sgd/datasets/occupancy", Source: "Sects. 4.1 and 4.3", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Sect. 4.1, fifth paragraph, d = 6; Sect. 4.3, the paragraph before Fig. 8, \"only " +
				"4\"",
			Statement: "the dimension of the Occupancy data is the same in Sect. 4.1 and in Sect. 4.3",
			Check:     sameNumber("6", "4"),
			Control: verify.Control{Check: sameNumber("15", "15"), Want: checks.Holds,
				Fault: "none: MNIST's reduced dimension, 15 in Sects. 4.1 and 4.3"},
			Corrected: "laplace-sgd/datasets/occupancy/corrected",
		},
		{
			ID: "laplace-sgd/datasets/occupancy/corrected", Source: "Sects. 4.1 and 4.3, corrected", Kind: verify.Consistency,
			Origin: verify.Correction, Place: "Sect. 4.1, fifth paragraph, with the header of the file that it names",
			Statement: "of the seven columns of the Occupancy data date and class are no features, which leaves five",
			Check:     occupancyFeatures(5),
			Control:   verify.Control{Check: occupancyFeatures(6), Want: checks.Contradictory, Fault: "six"},
		},
	}
}

// rowNorms prepares drawn rows, among them ones along an axis and ones of extreme size.
func rowNorms(picking laplacesgd.Picking, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "largest ‖x‖", Sense: verify.AtMost, Proof: proof,
			Domain: "60 rows of dimension d ∈ {5, 34, 784}, a third of them along an axis, of length 10^k, |k| ≤ 150; " +
				"1, d/2 or d features",
			Points: func(add func(formula.Point)) {
				for _, d := range []int{5, 34, 784} {
					for _, features := range []int{1, d / 2, d} {
						norm, err := preparedNorm(s.Common("rows"), d, features, picking)
						at := formula.Placef("d=%d, %s", d, verify.Plural(features, "feature"))
						add(formula.Point{Place: at, Measured: norm, Claimed: 1, Show: true,
							Err: err})
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

func preparedNorm(r *rand.Rand, d, features int, picking laplacesgd.Picking) (float64, error) {
	const rows = 60
	values, labels := make([]float64, rows*d), make([]float64, rows)
	for i := range labels {
		labels[i] = 1
		row, size := values[i*d:(i+1)*d], math.Pow10(r.IntN(301)-150)
		if i%3 == 0 {
			row[i/3%d] = size
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
	prepared, err := laplacesgd.Preprocess(r, data, features, picking)
	if err != nil {
		return 0, err
	}
	return prepared.MaxNorm(), nil
}

// printedSizes is what Sect. 4.1 prints; 0 where nothing is said of the file (the 50,000
// rows of KDD Cup are a subsample).
func printedSizes(name string) (rows, features int) {
	switch name {
	case "mnist-0-rest":
		return 60_000, 784
	case "kddcup99":
		return 0, 34
	case "banknote":
		return 1_327, 5
	}
	return 8_143, 6
}

func mendedSizes(name string) (rows, features int) {
	switch name {
	case "banknote":
		return 1_372, 4
	case "occupancy":
		return 8_143, 5
	}
	return printedSizes(name)
}

// described reads the four real data sets and compares their sizes; 0 is not compared.
func described(sizes func(name string) (rows, features int)) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		var points []formula.Point
		var files []string
		add := func(name, what string, measured, claimed int) {
			if claimed > 0 {
				points = append(points, formula.Point{Place: formula.Placef("%s, %s", name, what), Measured: float64(measured),
					Claimed: float64(claimed), Show: true})
			}
		}
		for _, name := range []string{"mnist-0-rest", "kddcup99", "banknote", "occupancy"} {
			rows, features := sizes(name)
			if rows == 0 && features == 0 {
				continue
			}
			data, _, err := checks.Open(s, name)
			if err != nil {
				return nil, err
			}
			files = append(files, checks.Files(name))
			add(name, "rows", data.Len(), rows)
			add(name, "features", data.Dim(), features)
			if name == "kddcup99" {
				add(name, "rows for the subsample", min(data.Len(), 50_000), 50_000)
			}
		}
		return checks.OnFile(strings.Join(files, ", "), counted(points)), nil
	})
}

func counted(points []formula.Point) verify.Check {
	return formula.Check{
		Quantity: "count", Sense: verify.Equals, Domain: "rows and numeric features of the data sets, the class not counted",
		Proof: "counted",
		Points: func(add func(formula.Point)) {
			for _, p := range points {
				add(p)
			}
		},
	}
}

// syntheticSize counts the synthetic data, which need no file.
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

// occupancyFeatures takes the columns of the file that are no features away.
func occupancyFeatures(claimed float64) verify.Check {
	// UCI, datatraining.txt
	columns := []string{"date", "Temperature", "Humidity", "Light", "CO2", "HumidityRatio", "Occupancy"}
	return formula.Check{
		Quantity: "columns without date and class", Sense: verify.Equals, Domain: "the header of the file", Proof: "counted",
		Contradiction: true,
		Points: func(add func(formula.Point)) {
			add(formula.Point{Place: formula.Placef("date … Occupancy"), Measured: float64(len(columns) - 2), Claimed: claimed,
				Show: true})
		},
	}
}
