package erm

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/mechanism"
)

// Polytope is the convex hull of finitely many points, the set Conv(A) of Wang & Xu
// (2019, Assumption 4). Its Gaussian width has no closed form: EstimateWidth.
type Polytope struct {
	dim, count int
	vertices   []float64 // count rows of dim entries
	maxNorm    float64
	reach      float64 // largest distance from the first vertex
	pool       sync.Pool
}

// NewPolytope copies at least one point, all of one length ≥ 1 and with entries of
// magnitude at most 1e100; else it returns an error that wraps mechanism.ErrDomain. Points that
// are no vertices of the hull do no harm.
func NewPolytope(points [][]float64) (*Polytope, error) {
	if len(points) == 0 {
		return nil, mechanism.DomainError("polytope", "number of points", 0, "at least 1")
	}
	dim := len(points[0])
	if err := checkDim("polytope", dim); err != nil {
		return nil, err
	}
	p := &Polytope{dim: dim, count: len(points), vertices: make([]float64, 0, dim*len(points))}
	for i, point := range points {
		if len(point) != dim {
			return nil, mechanism.DomainError("polytope", fmt.Sprintf("length of point %d", i), len(point), fmt.Sprintf("%d, as of point 0", dim))
		}
		for _, v := range point {
			if !(math.Abs(v) <= maxSize) {
				return nil, mechanism.DomainError("polytope", fmt.Sprintf("entry of point %d", i), v, "a magnitude of at most 1e100")
			}
		}
		p.vertices = append(p.vertices, point...)
		p.maxNorm = max(p.maxNorm, floats.Norm(point, 2))
		p.reach = max(p.reach, floats.Distance(point, points[0], 2))
	}
	p.pool.New = func() any { return newWolfe(p) }
	return p, nil
}

// Name is polytope(dim, points).
func (p *Polytope) Name() string { return fmt.Sprintf("polytope(dim=%d, points=%d)", p.dim, p.count) }

// Dim is the dimension of the space.
func (p *Polytope) Dim() int { return p.dim }

// Points is the number of points given, the |A| of Wang & Xu (2019, Theorem 6).
func (p *Polytope) Points() int { return p.count }

// Point is the point i from 0, not to be changed.
func (p *Polytope) Point(i int) []float64 { return p.vertices[i*p.dim : (i+1)*p.dim : (i+1)*p.dim] }

// Contains tells whether the distance from w to the set is at most tol. A tol below
// 1e-12·MaxNorm is not resolved: the projection is rounded.
func (p *Polytope) Contains(w []float64, tol float64) bool {
	if !isVector(w, p.dim) {
		return false
	}
	s := p.pool.Get().(*wolfe)
	defer p.pool.Put(s)
	return s.nearest(w) && floats.Distance(w, s.x, 2) <= tol
}

// Project finds the nearest member by Wolfe's finite method in time O(points·dim) a
// step. Rounding moves the result as if w had moved by some 1e-15·(‖w‖ + MaxNorm). Optimality
// is certified afterwards: should rounding ever spoil it, or a product of w overflow, every
// entry is NaN.
func (p *Polytope) Project(w []float64) {
	if !finite(w) {
		fillNaN(w)
		return
	}
	s := p.pool.Get().(*wolfe)
	defer p.pool.Put(s)
	if !s.nearest(w) {
		fillNaN(w)
		return
	}
	copy(w, s.x)
}

// Linear writes the first point of least ⟨g, v⟩ to dst in time O(points·dim).
func (p *Polytope) Linear(g, dst []float64) {
	if !finite(g) {
		fillNaN(dst)
		return
	}
	best, least := 0, math.Inf(1)
	for i := range p.count {
		if value := floats.Dot(g, p.Point(i)); value < least {
			best, least = i, value
		}
	}
	copy(dst, p.Point(best))
}

// MaxNorm is the largest norm of a point.
func (p *Polytope) MaxNorm() float64 { return p.maxNorm }

// Diameter is the largest distance of two points, found in time O(points²·dim).
func (p *Polytope) Diameter() float64 {
	diameter := 0.0
	for i := range p.count {
		for j := range i {
			diameter = max(diameter, floats.Distance(p.Point(i), p.Point(j), 2))
		}
	}
	return diameter
}
