package pairwise

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

// unprepared holds the rows of a check before their preparation, and the preparation.
type unprepared struct {
	*dataset.Dataset
	prepare dataset.Preparation
}

// source returns the rows of a check.
type source func(verify.Settings) (unprepared, error)

// fromFile returns a source that reads a known data set, which is prepared as in the experiments.
func fromFile(name string) source {
	return func(s verify.Settings) (unprepared, error) {
		data, _, err := checks.Open(s, name)
		return unprepared{data, pairwise.Preparation(name)}, err
	}
}

// planted returns a source of 700 uniform rows of the unit sphere of R^d, labeled by the sign in one direction.
func planted(d int) source {
	return func(s verify.Settings) (unprepared, error) {
		data, _, err := dataset.Sphere(s.Stream("planted"), 700, d, 0.2)
		return unprepared{Dataset: data}, err
	}
}

// alternating returns planted rows with alternating labels.
func alternating(d int) source {
	return func(s verify.Settings) (unprepared, error) {
		data, err := planted(d)(s)
		if err != nil {
			return unprepared{}, err
		}
		data.Dataset, err = relabeled(data.Dataset, func(i int) float64 { return float64(1 - 2*(i&1)) })
		return data, err
	}
}

// relabeled returns the data with different labels.
func relabeled(data *dataset.Dataset, label func(i int) float64) (*dataset.Dataset, error) {
	values, labels := make([]float64, 0, data.Len()*data.Dim()), make([]float64, data.Len())
	for i := range labels {
		row := make([]float64, data.Dim())
		data.Row(i).AddTo(row, 1)
		values, labels[i] = append(values, row...), label(i)
	}
	return dataset.NewDense(data.Dim(), values, labels)
}

// split returns the first n rows in a random order and the others, prepared with the constants of the first n.
func (u unprepared) split(r *rand.Rand, n int) (train, test *dataset.Dataset, err error) {
	return u.prepare.Split(u.Dataset, r.Perm(u.Len()), min(n, u.Len()-1))
}
