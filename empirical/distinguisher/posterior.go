package distinguisher

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// sizes holds the candidate standard deviations of the components of a log ratio.
var sizes = []float64{1e-4, 0.003, 0.01, 0.03, 0.1, 0.3, 1}

// Components of a ratio: by prefix of the word, by bin, by both, and independent for each cell.
const (
	byWord = iota
	byBin
	byBoth
	alone
	parts
)

// minPosteriorWeight is the smallest likelihood, relative to the best fit, with which a fit contributes.
const minPosteriorWeight = 0.05

// prior describes the prior of the cells' ratios.
type prior struct {
	words, bins     *mat.SymDense // similarity of cells
	ratio           *mat.VecDense // observed ratio
	variance        []float64
	withoutBins     bool
	scratch, system *mat.SymDense
}

// fittedPosterior holds the log likelihood for one choice of sizes.
type fittedPosterior struct {
	sizes      [parts]int // indices in sizes
	likelihood float64    // log likelihood
}

// fit computes the posterior of the ratios of all cells. cells up to each cell, and from each cell on.
func (m *sequenceModel) fit(spelled [][]uint64, cells []countedWords, na, nb float64) {
	n := len(cells)
	p := &prior{words: mat.NewSymDense(n, nil), bins: mat.NewSymDense(n, nil), ratio: mat.NewVecDense(n, nil),
		variance: make([]float64, n), withoutBins: len(m.edges) == 0, scratch: mat.NewSymDense(n, nil),
		system: mat.NewSymDense(n, nil)}
	for i, c := range cells {
		x, y := c.a+0.5, c.b+0.5
		p.ratio.SetVec(i, math.Log(x/y*nb/na))
		p.variance[i] = 1/x + 1/y
		for j, d := range cells[:i+1] {
			p.words.SetSym(i, j, likeness(spelled[c.word], spelled[d.word]))
			p.bins.SetSym(i, j, near(c.bin, d.bin))
		}
	}
	mean, covariance := p.averaged(p.fits())
	m.mean = mean
	m.Posterior = trendOf(mean, covariance, cells)
}

// fits returns fits at the sizes tried by coordinate ascent of the likelihood.
func (p *prior) fits() (all []fittedPosterior) {
	var best fittedPosterior
	try := func(at [parts]int) {
		if slices.ContainsFunc(all, func(f fittedPosterior) bool { return f.sizes == at }) {
			return
		}
		f := fittedPosterior{at, p.likelihood(at)}
		if len(all) == 0 || f.likelihood > best.likelihood {
			best = f
		}
		all = append(all, f)
	}
	if p.withoutBins {
		for i := range sizes {
			for j := range sizes {
				try([parts]int{byWord: i, alone: j})
			}
		}
		return all
	}
	try([parts]int{byWord: 3, byBin: 3, byBoth: 3})
	for range 2 {
		for part := range parts {
			for i := range sizes {
				at := best.sizes
				at[part] = i
				try(at)
			}
		}
	}
	return all
}

// covariance returns the prior covariance of the cells' ratios at some sizes, valid until the next call.
func (p *prior) covariance(at [parts]int) *mat.SymDense {
	var v [parts]float64
	for part, i := range at {
		v[part] = sizes[i] * sizes[i]
	}
	if p.withoutBins {
		v[byBin], v[byBoth] = 0, 0
	}
	n := len(p.variance)
	for i := range n {
		for j := i; j < n; j++ {
			u, w := p.words.At(i, j), p.bins.At(i, j)
			p.scratch.SetSym(i, j, v[byWord]*u+v[byBin]*w+v[byBoth]*u*w)
		}
		p.scratch.SetSym(i, i, p.scratch.At(i, i)+v[alone])
	}
	return p.scratch
}

// factorized returns the factorized covariance of the observed ratios, including counting errors, and its product
// of the inverse with these ratios. ok is false if rounding prevents the factorization.
func (p *prior) factorized(covariance *mat.SymDense) (out mat.Cholesky, solved mat.VecDense, ok bool) {
	p.system.CopySym(covariance)
	for i, v := range p.variance {
		p.system.SetSym(i, i, p.system.At(i, i)+v)
	}
	ok = out.Factorize(p.system) && out.SolveVecTo(&solved, p.ratio) == nil
	return out, solved, ok
}

// likelihood returns the log likelihood of sizes. The observed ratios are treated as normal.
func (p *prior) likelihood(at [parts]int) float64 {
	system, solved, ok := p.factorized(p.covariance(at))
	if !ok {
		return math.Inf(-1)
	}
	return -(mat.Dot(p.ratio, &solved) + system.LogDet()) / 2
}

// averaged returns the mean and the covariance of the ratios, averaged over all fits by likelihood.
func (p *prior) averaged(fits []fittedPosterior) (mean []float64, covariance *mat.SymDense) {
	n := len(p.variance)
	top := slices.MaxFunc(fits, func(f, g fittedPosterior) int {
		return cmp.Compare(f.likelihood,
			g.likelihood)
	}).likelihood
	mean, covariance = make([]float64, n), mat.NewSymDense(n, nil)
	var sum float64
	for _, f := range fits {
		weight := math.Exp(f.likelihood - top)
		if !(weight >= minPosteriorWeight) {
			continue
		}
		k := p.covariance(f.sizes)
		system, solved, _ := p.factorized(k)
		var at mat.VecDense
		var gain, known mat.Dense
		at.MulVec(k, &solved)
		if system.SolveTo(&gain, k) != nil {
			continue
		}
		known.Mul(k, &gain)
		sum += weight
		for i := range n {
			mean[i] += weight * at.AtVec(i)
			for j := i; j < n; j++ {
				square := k.At(i, j) - known.At(i, j) + at.AtVec(i)*at.AtVec(j)
				covariance.SetSym(i, j, covariance.At(i, j)+weight*square)
			}
		}
	}
	if sum == 0 { // rounding prevents every fit: use 0
		return mean, covariance
	}
	for i := range mean {
		mean[i] /= sum
	}
	for i := range n {
		for j := i; j < n; j++ {
			covariance.SetSym(i, j, covariance.At(i, j)/sum-mean[i]*mean[j])
		}
	}
	return mean, covariance
}

// trendOf returns the cells in ascending order of their ratios, with the standard deviations of the mean ratio of
// the cells up to each cell, and from each cell on.
func trendOf(mean []float64, covariance *mat.SymDense, cells []countedWords) *trend {
	n := len(mean)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(mean[i], mean[j]) })
	t := &trend{FromLow: make([]float64, n), FromHigh: make([]float64, n)}
	for _, i := range order {
		t.Upto, t.Ratio = append(t.Upto, mean[i]), append(t.Ratio, mean[i])
	}
	outwards := func(deviation []float64, place func(int) int) {
		var rows, squares float64
		for j := range n {
			i := order[place(j)]
			weight := cells[i].a + cells[i].b
			with := weight * covariance.At(i, i)
			for l := range j {
				other := order[place(l)]
				with += 2 * (cells[other].a + cells[other].b) * covariance.At(i, other)
			}
			rows, squares = rows+weight, squares+weight*with
			deviation[place(j)] = math.Sqrt(math.Max(0, squares)) / rows
		}
	}
	outwards(t.FromLow, func(j int) int { return j })
	outwards(t.FromHigh, func(j int) int { return n - 1 - j })
	return t
}
