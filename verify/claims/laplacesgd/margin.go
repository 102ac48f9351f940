package laplacesgd

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// largestMargin returns bounds on the largest margin of any hyperplane through the origin, the maximum over ‖w‖ = 1 of
// min ⟨w, u_i⟩, for rows u_i = y_i x_i of length d. By duality it is the distance between the origin and the convex
// hull of the rows. The norm of any point x of the hull is an upper bound, and the margin of w = x/‖x‖ a lower bound,
// even if the search does not converge. The search is Wolfe's (1976, "Finding the nearest point in a polytope"), with
// corrals of at most d+1 rows.
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

// corral is a convex combination of rows; in holds their indices.
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

// add adds a row and moves to the point of least norm. It removes rows whose weight falls to 0.
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

// affine returns the weights of the point of least norm in the affine hull of the rows. Their sum is 1; they can be
// negative.
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
