package dataset

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mathext"

	"github.com/dpverify/dpverify/internal/rng"
)

// minAcceptance is the smallest share of the sphere outside the margin for which [Sphere] draws. A row then takes
// 1000 trials on average.
const minAcceptance = 1e-3

// Sphere draws rows from the uniform distribution on the unit sphere of R^dim without the band |⟨w, x⟩| < margin
// around a hyperplane. It first draws the hyperplane's unit normal w uniformly. The label is the sign of ⟨w, x⟩,
// so w separates the classes with that margin.
//
// The synthetic data of Hardwarsing (2018, Sect. 4.1) are 10,000 samples "from a 5-dimensional sphere" with margin
// 0.001. Use dim = 5 if this counts the features, and dim = 6 if it is the dimension of the surface.
//
// Errors: n < 1, dim < 2, n·dim > 2²⁷, a margin outside [0, 1) or NaN, or a margin that leaves less than 1/1000 of
// the sphere.
func Sphere(r *rand.Rand, n, dim int, margin float64) (data *Dataset, w []float64, err error) {
	if err := checkSize(n, dim, 2); err != nil {
		return nil, nil, err
	}
	if !(margin >= 0 && margin < 1) {
		return nil, nil, fmt.Errorf("dataset: margin %v: need a number in [0, 1)", margin)
	}
	// ⟨w, x⟩² has the distribution Beta(1/2, (dim-1)/2). By symmetry this is its upper tail.
	if share := mathext.RegIncBeta(float64(dim-1)/2, 0.5, (1-margin)*(1+margin)); !(share >= minAcceptance) {
		return nil, nil, fmt.Errorf("dataset: margin %v leaves a share %.2g of the sphere in dimension %d: need at "+
			"least %v", margin, share, dim, minAcceptance)
	}
	w = make([]float64, dim)
	onSphere(r, w)
	values, labels := make([]float64, n*dim), make([]float64, n)
	for i := range labels {
		x := values[i*dim : (i+1)*dim]
		for {
			onSphere(r, x)
			score := floats.Dot(w, x)
			if math.Abs(score) >= margin && score != 0 {
				labels[i] = math.Copysign(1, score)
				break
			}
		}
	}
	data, err = NewDense(dim, values, labels)
	return data, w, err
}

// onSphere draws a uniform unit vector.
func onSphere(r *rand.Rand, x []float64) {
	for {
		for k := range x {
			x[k] = rng.Normal(r)
		}
		if norm := floats.Norm(x, 2); norm > 0 {
			floats.Scale(1/norm, x)
			return
		}
	}
}

// PlantedRule selects how [Planted] labels a row x by the planted θ*.
type PlantedRule int

// PlantedSign assigns the more probable label of the logistic model, the sign of ⟨θ*, x⟩. PlantedLogistic draws +1
// with probability 1/(1+exp(-⟨θ*, x⟩)).
const (
	PlantedSign PlantedRule = iota
	PlantedLogistic
)

// Planted draws θ* and n rows with independent standard normal entries, and labels the rows by θ*. It also returns
// θ*.
//
// The synthetic data of Wang & Xu (2019, experiments) are 10,000 × 100 samples of this model. The paper states the
// logistic probability and then sets y = 1 if it is above 1/2 (PlantedSign). It calls θ* and x random without
// stating their distributions. It then normalizes the rows ([Preparation]).
//
// Errors: n < 1, dim < 1, n·dim > 2²⁷, or an unknown rule.
func Planted(r *rand.Rand, n, dim int, rule PlantedRule) (data *Dataset, theta []float64, err error) {
	if err := checkSize(n, dim, 1); err != nil {
		return nil, nil, err
	}
	if rule != PlantedSign && rule != PlantedLogistic {
		return nil, nil, fmt.Errorf("dataset: rule %d for planted labels is unknown", rule)
	}
	theta = make([]float64, dim)
	for k := range theta {
		theta[k] = rng.Normal(r)
	}
	values, labels := make([]float64, n*dim), make([]float64, n)
	for i := range labels {
		x := values[i*dim : (i+1)*dim]
		for k := range x {
			x[k] = rng.Normal(r)
		}
		score := floats.Dot(theta, x)
		positive := score > 0
		if rule == PlantedLogistic {
			positive = r.Float64()*(1+math.Exp(-score)) < 1
		}
		if labels[i] = -1; positive {
			labels[i] = 1
		}
	}
	data, err = NewDense(dim, values, labels)
	return data, theta, err
}

func checkSize(n, dim, minDim int) error {
	switch {
	case n < 1:
		return fmt.Errorf("dataset: %d rows: need at least 1", n)
	case dim < minDim:
		return fmt.Errorf("dataset: dimension %d: need at least %d", dim, minDim)
	case n > maxDenseValues/dim:
		return errors.New("dataset: the rows would take more than 1 GiB")
	}
	return nil
}
