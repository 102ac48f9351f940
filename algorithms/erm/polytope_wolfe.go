package erm

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// wolfe is the workspace of Wolfe's method for the nearest point of a polytope (Wolfe
// 1976, "Finding the nearest point in a polytope"), with the orthogonal factors of the
// corral's differences in place of his normal equations, which would square the
// condition number. A corral is a set of affinely independent vertices; x is the
// nearest point of its affine hull and inside its convex hull. Each major step adds a
// vertex and brings x nearer, so no corral comes twice.
type wolfe struct {
	set    *Polytope
	x      []float64   // the nearest point so far
	toward []float64   // w - x
	corral []int       // indices of vertices
	weight []float64   // of the corral's vertices in x; positive, sum 1
	target []float64   // weights of the nearest point of the affine hull
	q      [][]float64 // orthonormal; column j spans, with those before, v_(j+1) - v_0
	r      [][]float64 // upper triangular, by columns
	last   []float64   // x of the major step before
	best   []float64   // x of the least gap
}

func newWolfe(p *Polytope) *wolfe {
	return &wolfe{
		set: p, x: make([]float64, p.dim), toward: make([]float64, p.dim),
		last: make([]float64, p.dim), best: make([]float64, p.dim),
	}
}

const ulp = 0x1p-52

// nearest puts the member nearest to a finite w into x, and tells whether it is certified: by
// strong convexity the squared error of x is at most the gap max ⟨w - x, v - x⟩.
//
// Near the optimum a gain may drown in rounding. So the x of the least gap is kept,
// and a number of steps without gain, or a bound on all, ends what might be a cycle.
func (s *wolfe) nearest(w []float64) bool {
	s.start(w)
	least, stalls := math.Inf(1), 0
	for range 20 * (s.set.count + s.set.dim) {
		at, slope, gap := s.steepest(w)
		if gap < least {
			least = gap
			copy(s.best, s.x)
		}
		distance := floats.Norm(s.toward, 2)
		if slope <= 4*ulp*distance || distance <= ulp*s.set.maxNorm || stalls > s.set.dim+8 || !s.add(at) {
			break
		}
		copy(s.last, s.x)
		if s.settle(w); !s.nearer(w) {
			stalls++
		}
	}
	copy(s.x, s.best)
	floats.SubTo(s.toward, w, s.x)
	// By Cauchy and Schwarz no product has overflowed if the limit is far from it.
	limit := 2 * s.set.reach * (1e-10*floats.Norm(s.toward, 2) + 1e-13*s.set.maxNorm)
	return least <= limit && limit <= 1e290
}

// start makes the vertex nearest to w the corral.
func (s *wolfe) start(w []float64) {
	best, least := 0, math.Inf(1)
	for i := range s.set.count {
		if distance := floats.Distance(w, s.set.Point(i), 2); distance < least {
			best, least = i, distance
		}
	}
	s.corral, s.weight = append(s.corral[:0], best), append(s.weight[:0], 1)
	copy(s.x, s.set.Point(best))
}

// steepest returns the vertex outside the corral towards which the distance to w falls
// fastest, with the slope ⟨w - x, v - x⟩/‖v - x‖, 0 if it falls towards none; and the largest
// product ⟨w - x, v - x⟩ of any vertex. The steepest, not that of the largest product: of a
// near and a far vertex on almost one line the far one loses all digits.
func (s *wolfe) steepest(w []float64) (at int, slope, gap float64) {
	floats.SubTo(s.toward, w, s.x)
	gap = math.Inf(-1)
	for i := range s.set.count {
		product, square := 0.0, 0.0
		for j, v := range s.set.Point(i) {
			step := v - s.x[j]
			product += s.toward[j] * step
			square += step * step
		}
		gap = max(gap, product) // NaN stays
		if product > slope*math.Sqrt(square) && !slices.Contains(s.corral, i) {
			at, slope = i, product/math.Sqrt(square)
		}
	}
	return at, slope, gap
}

// nearer tells whether x is nearer to w than last, by ⟨2w - x - last, x - last⟩ > 0: the
// difference of two squared distances would vanish for a distant w.
func (s *wolfe) nearer(w []float64) bool {
	gain := 0.0
	for j, v := range s.x {
		gain += (w[j]/2 - v/2 + w[j]/2 - s.last[j]/2) * (v - s.last[j])
	}
	return gain > 0
}

// add appends a vertex of weight 0 to the corral; false if it depends on the others.
func (s *wolfe) add(at int) bool {
	s.corral, s.weight = append(s.corral, at), append(s.weight, 0)
	if s.factor(len(s.corral) - 2) {
		return true
	}
	s.corral, s.weight = s.corral[:len(s.corral)-1], s.weight[:len(s.weight)-1]
	return false
}

// factor makes column j of q and r, from v_(j+1) - v_0, by Gram–Schmidt, done twice; false if
// the vertex is in the affine hull of those before, up to rounding.
func (s *wolfe) factor(j int) bool {
	for len(s.q) <= j {
		s.q, s.r = append(s.q, make([]float64, s.set.dim)), append(s.r, make([]float64, len(s.q)+1))
	}
	column, entries := s.q[j], s.r[j]
	floats.SubTo(column, s.set.Point(s.corral[j+1]), s.set.Point(s.corral[0]))
	length := floats.Norm(column, 2)
	clear(entries)
	for range 2 {
		for i := range j {
			product := floats.Dot(s.q[i], column)
			entries[i] += product
			floats.AddScaled(column, -product, s.q[i])
		}
	}
	entries[j] = floats.Norm(column, 2)
	if !(entries[j] > 16*ulp*length) {
		return false
	}
	floats.Scale(1/entries[j], column)
	return true
}

// settle does the minor steps: as long as the nearest point of the affine hull is outside
// the corral's hull, go towards it up to the boundary and drop the vertices left behind.
func (s *wolfe) settle(w []float64) {
	for {
		s.affine(w)
		fraction, leaving := 1.0, -1
		for i, t := range s.target {
			if t <= 0 {
				f := 0.0 // for a vertex just added that is not wanted
				if s.weight[i] > 0 {
					f = s.weight[i] / (s.weight[i] - t)
				}
				if leaving < 0 || f < fraction {
					fraction, leaving = f, i
				}
			}
		}
		for i, t := range s.target {
			s.weight[i] += fraction * (t - s.weight[i])
		}
		if leaving < 0 {
			break
		}
		s.drop(leaving)
	}
	clear(s.x)
	total := floats.Sum(s.weight)
	for i, at := range s.corral {
		floats.AddScaled(s.x, s.weight[i]/total, s.set.Point(at))
	}
}

// affine puts into target the weights of the point of the affine hull nearest to w.
func (s *wolfe) affine(w []float64) {
	size := len(s.corral)
	s.target = append(s.target[:0], s.weight...)
	floats.SubTo(s.toward, w, s.set.Point(s.corral[0]))
	for j := range size - 1 {
		s.target[j+1] = floats.Dot(s.q[j], s.toward)
		floats.AddScaled(s.toward, -s.target[j+1], s.q[j])
	}
	s.target[0] = 1
	for j := size - 2; j >= 0; j-- {
		s.target[j+1] /= s.r[j][j]
		for i := range j {
			s.target[i+1] -= s.r[j][i] * s.target[j+1]
		}
		s.target[0] -= s.target[j+1]
	}
}

// drop removes the vertex i and every other one of no weight; the first vertex of the
// corral is part of all columns.
func (s *wolfe) drop(i int) {
	s.weight[i] = 0
	kept := 0
	for k, weight := range s.weight {
		if weight > 0 {
			s.corral[kept], s.weight[kept] = s.corral[k], weight
			kept++
		}
	}
	s.corral, s.weight = s.corral[:kept], s.weight[:kept]
	for j := range kept - 1 {
		if !s.factor(j) {
			s.corral, s.weight = s.corral[:j+1], s.weight[:j+1]
			return
		}
	}
}
