package laplacesgd

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// largestMargin encloses the largest margin of any hyperplane through the origin,
// max over ‖w‖ = 1 of min ⟨w, u_i⟩, for rows u_i = y_i x_i of length d. By duality it is the distance of the
// origin from the rows' convex hull: a point of the hull bounds it from above by its norm, and, as a w,
// from below, whatever the search has missed. The point is Wolfe's (1976, "Finding the nearest point in
// a polytope"): corrals of at most d+1 rows.
func largestMargin(rows [][]float64) (lower, upper float64, err error) {
	hull := corral{rows: rows, in: []int{0}, weight: []float64{1}}
	upper = math.Inf(1)
	for range 100 {
		x := hull.point()
		norm := floats.Norm(x, 2)
		nearest, least := 0, math.Inf(1)
		for i, u := range rows {
			if p := floats.Dot(u, x); p < least {
				nearest, least = i, p
			}
		}
		upper, lower = min(upper, norm), max(lower, least/norm)
		if lower >= upper*(1-1e-6) {
			return lower, upper, nil
		}
		if err := hull.add(nearest); err != nil {
			return lower, upper, err
		}
	}
	return lower, upper, nil
}

// corral is a convex combination of some rows.
type corral struct {
	rows   [][]float64
	in     []int
	weight []float64
}

func (c *corral) point() []float64 {
	x := make([]float64, len(c.rows[0]))
	for k, i := range c.in {
		floats.AddScaled(x, c.weight[k], c.rows[i])
	}
	return x
}

// add takes a row in and goes to the point of least norm, leaving out rows whose weight would fall to 0.
func (c *corral) add(row int) error {
	c.in, c.weight = append(c.in, row), append(c.weight, 0)
	for {
		affine, err := c.affine()
		if err != nil {
			return err
		}
		step := 1.0
		for k, a := range affine {
			if a <= 0 {
				step = min(step, c.weight[k]/(c.weight[k]-a))
			}
		}
		var in []int
		var weight []float64
		for k, a := range affine {
			if w := c.weight[k] + step*(a-c.weight[k]); w > 1e-12 {
				in, weight = append(in, c.in[k]), append(weight, w)
			}
		}
		floats.Scale(1/floats.Sum(weight), weight)
		c.in, c.weight = in, weight
		if step == 1 {
			return nil
		}
	}
}

// affine are the weights, of sum 1 and any sign, of the point of least norm in the rows' affine hull.
func (c *corral) affine() ([]float64, error) {
	n := len(c.in)
	system, right := mat.NewDense(n+1, n+1, nil), mat.NewVecDense(n+1, nil)
	right.SetVec(n, 1)
	for i := range n {
		system.Set(i, n, 1)
		system.Set(n, i, 1)
		for j := range n {
			system.Set(i, j, floats.Dot(c.rows[c.in[i]], c.rows[c.in[j]]))
		}
	}
	var solution mat.VecDense
	var bad mat.Condition
	if err := solution.SolveVec(system, right); err != nil && (!errors.As(err, &bad) || math.IsInf(float64(bad), 1)) {
		return nil, err
	}
	return solution.RawVector().Data[:n], nil
}
