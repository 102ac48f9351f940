package laplacesgd

import (
	"fmt"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// Picking is a reading of "picking the number of features in the reduced dimension
// randomly" (Sect. 4.1).
type Picking int

const (
	// PickDistinct picks different features, so a row keeps a norm of at most 1. This is the default.
	PickDistinct Picking = iota
	// PickAnew picks each feature independently, as the thesis's program does. A feature that is picked k times
	// counts k times, and a row's norm can reach √features.
	PickAnew
)

// Preprocess applies Sect. 4.1: it divides every row by its norm and picks the given number of features at random.
// 0 keeps all features and draws nothing. Rows of zeros, which the thesis does not mention, are unchanged. Picking
// does not depend on the data.
//
// Errors: features outside [0, Dim()], an unknown Picking, or missing values.
func Preprocess(r *rand.Rand, data *dataset.Dataset, features int, picking Picking) (*dataset.Dataset, error) {
	if features < 0 || features > data.Dim() {
		return nil, fmt.Errorf("laplacesgd: %d features: the rows have %d", features, data.Dim())
	}
	if picking != PickDistinct && picking != PickAnew {
		return nil, fmt.Errorf("laplacesgd: Picking %d is unknown", picking)
	}
	prepared, err := dataset.Preparation{Scale: dataset.ScaleRows}.Fit(data)
	if err != nil {
		return nil, err
	}
	unit, err := prepared.Apply(data)
	if err != nil || features == 0 {
		return unit, err
	}
	if picking == PickDistinct {
		return unit.Columns(r.Perm(unit.Dim())[:features])
	}
	return pickAnew(r, unit, features)
}

// pickAnew draws the features with replacement and copies their columns.
func pickAnew(r *rand.Rand, data *dataset.Dataset, features int) (*dataset.Dataset, error) {
	picked := make([]int, features)
	for k := range picked {
		picked[k] = r.IntN(data.Dim())
	}
	values, labels := make([]float64, 0, data.Len()*features), make([]float64, data.Len())
	row := make([]float64, data.Dim())
	for i := range labels {
		clear(row)
		data.Row(i).AddTo(row, 1)
		for _, column := range picked {
			values = append(values, row[column])
		}
		labels[i] = data.Label(i)
	}
	return dataset.NewDense(features, values, labels)
}
