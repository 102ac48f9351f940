package sequential

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// prior is the prior of the log density ratio along a score: a Gaussian process over the normal quantiles of the
// ranks.
type prior struct {
	level  float64 // standard deviation of a constant
	trend  float64 // standard deviation of the slope
	height float64 // standard deviation of the smooth curve
	length float64 // length scale of the smooth curve
	nugget float64 // independent standard deviation of each cell
	bow    float64 // standard deviation of a quadratic term, the log ratio of two scales
}

func (k prior) covariance(x, y float64) float64 {
	d := (x - y) / k.length
	return k.level*k.level + k.bow*k.bow*(x*x-1)*(y*y-1) + k.trend*k.trend*x*y + k.height*k.height*math.Exp(-d*d/2)
}

// laws returns the believed cell probabilities for the first and the second input, from counts in the cells of a
// score. The last count is for values outside the intervals.
func (k prior) laws(first, second []float64) (p, q []float64) {
	m := len(first) - 1
	both := make([]float64, m)
	for j := range both {
		both[j] = first[j] + second[j]
	}
	ratios := k.ratios(places(both), first[:m], second[:m])
	return laws(append(ratios, (first[m]+2)/(first[m]+second[m]+4)), first, second)
}

// laws returns cell probabilities from the counts. ratios[j] is the probability that an output in cell j comes from
// the first input.
func laws(ratios, first, second []float64) (p, q []float64) {
	m := len(ratios)
	p, q = make([]float64, m), make([]float64, m)
	var sumP, sumQ float64
	for j, r := range ratios {
		mass := first[j] + second[j] + 0.5
		if j == m-1 && mass == 0.5 { // no value was outside
			mass = 1e-6
		}
		p[j], q[j] = mass*r, mass*(1-r)
		sumP, sumQ = sumP+p[j], sumQ+q[j]
	}
	for j := range p {
		p[j], q[j] = p[j]/sumP, q[j]/sumQ
	}
	return p, q
}

const newtonSteps = 12

// ratios returns the predictive probability, for each cell, that an output comes from the first input, from the
// counts of both. It uses the Laplace approximation (Rasmussen & Williams 2006, algorithms 3.1 and 3.2) with
// MacKay's average over the posterior.
func (k prior) ratios(at, first, second []float64) []float64 {
	m := len(at)
	cov := mat.NewSymDense(m, nil)
	for i := range m {
		for j := i; j < m; j++ {
			v := k.covariance(at[i], at[j])
			if i == j {
				v += k.nugget*k.nugget + 1e-9
			}
			cov.SetSym(i, j, v)
		}
	}
	mean := make([]float64, m)
	root := make([]float64, m)
	var chol mat.Cholesky
	factor := func() bool {
		b := mat.NewSymDense(m, nil)
		for i := range m {
			pi := logistic(mean[i])
			root[i] = math.Sqrt((first[i] + second[i]) * pi * (1 - pi))
		}
		for i := range m {
			for j := i; j < m; j++ {
				v := root[i] * cov.At(i, j) * root[j]
				if i == j {
					v++
				}
				b.SetSym(i, j, v)
			}
		}
		return chol.Factorize(b)
	}
	b, kb := mat.NewVecDense(m, nil), mat.NewVecDense(m, nil)
	for range newtonSteps {
		if !factor() {
			return evens(m)
		}
		for i := range m {
			pi := logistic(mean[i])
			b.SetVec(i, root[i]*root[i]*mean[i]+first[i]-(first[i]+second[i])*pi)
		}
		kb.MulVec(cov, b)
		for i := range m {
			kb.SetVec(i, root[i]*kb.AtVec(i))
		}
		if chol.SolveVecTo(kb, kb) != nil {
			break
		}
		for i := range m {
			b.SetVec(i, b.AtVec(i)-root[i]*kb.AtVec(i))
		}
		kb.MulVec(cov, b)
		change := 0.0
		for i := range m {
			change = math.Max(change, math.Abs(kb.AtVec(i)-mean[i]))
			mean[i] = kb.AtVec(i)
		}
		if change < 1e-4 {
			break
		}
	}
	if !factor() {
		return evens(m)
	}
	out := make([]float64, m)
	for i := range m {
		for j := range m {
			kb.SetVec(j, root[j]*cov.At(j, i))
		}
		variance := cov.At(i, i)
		if chol.SolveVecTo(b, kb) == nil {
			variance -= mat.Dot(kb, b)
		}
		out[i] = logistic(mean[i] / math.Sqrt(1+math.Pi/8*math.Max(0, variance)))
	}
	return out
}

// evens returns the belief that the inputs are the same in every cell, for which no bet is made.
func evens(m int) []float64 {
	out := make([]float64, m)
	for i := range out {
		out[i] = 0.5
	}
	return out
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
