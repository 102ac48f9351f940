package pairwise

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

// source gives the rows of a check: from a file, or made.
type source func(verify.Settings) (*dataset.Dataset, error)

// fromFile reads a known data set, standardised and brought to norm 1.
func fromFile(name string) source {
	return func(s verify.Settings) (*dataset.Dataset, error) {
		known, err := dataset.Known(name)
		if err != nil {
			return nil, err
		}
		data, _, err := checks.Open(s, name)
		if err != nil {
			return nil, err
		}
		for _, p := range []dataset.Preparation{known.Preparation, {Standardize: true, Scale: dataset.ScaleRows}} {
			fitted, err := p.Fit(data)
			if err != nil {
				return nil, err
			}
			if data, err = fitted.Apply(data); err != nil {
				return nil, err
			}
		}
		return data, nil
	}
}

// planted is 700 uniform rows of the unit sphere of R^d with the sign of one direction as label.
func planted(d int) source {
	return func(s verify.Settings) (*dataset.Dataset, error) {
		data, _, err := dataset.Sphere(s.Stream("planted"), 700, d, 0.2)
		return data, err
	}
}

// alternating has planted rows with labels that alternate.
func alternating(d int) source {
	return func(s verify.Settings) (*dataset.Dataset, error) {
		data, err := planted(d)(s)
		if err != nil {
			return nil, err
		}
		return relabelled(data, func(i int) float64 { return float64(1 - 2*(i&1)) })
	}
}

// relabelled is the data with other labels.
func relabelled(data *dataset.Dataset, label func(i int) float64) (*dataset.Dataset, error) {
	values, labels := make([]float64, 0, data.Len()*data.Dim()), make([]float64, data.Len())
	for i := range labels {
		row := make([]float64, data.Dim())
		data.Row(i).AddTo(row, 1)
		values, labels[i] = append(values, row...), label(i)
	}
	return dataset.NewDense(data.Dim(), values, labels)
}

// splitRows returns the first n rows in a random order, and the rest of them.
func splitRows(r *rand.Rand, data *dataset.Dataset, n int) (train, test *dataset.Dataset, err error) {
	order := r.Perm(data.Len())
	n = min(n, data.Len()-1)
	if train, err = data.Subset(order[:n]); err != nil {
		return nil, nil, err
	}
	test, err = data.Subset(order[n:])
	return train, test, err
}
