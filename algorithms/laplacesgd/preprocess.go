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
	// PickDistinct picks different features: a row keeps a norm of at most 1. The default.
	PickDistinct Picking = iota
	// PickAnew picks each feature from all, as the thesis's program does: a feature that
	// is picked k times counts k times, and a row's norm can reach √features.
	PickAnew
)

// Preprocess returns Sect. 4.1: every row divided by its norm, then the given number of
// features picked at random; 0 keeps all and draws nothing. Rows of zeros, of which the
// thesis does not speak, stay. Picking does not look at the data.
//
// Errors: features outside [0, Dim()], an unknown Picking, values missing.
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

// pickAnew copies columns that may be named more than once.
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
