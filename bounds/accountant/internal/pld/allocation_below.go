package pld

import "math"

// statistic is a score of outputs. It is summed over the steps and discretized into cells after every sum.
type statistic struct {
	shift    float64
	steps    int // of an epoch
	picks    int
	families int // 1: with the record; 2: with either of two opposed records
	// The score of a step is log(1 + theta·R)/theta, or R if theta is 0. For opposed records, it is the score of y
	// minus gamma times the score of −y. For products of R over k-subsets, theta ≈ k/t is the saddle point. For k = 1
	// the score is exact, for opposed records at this gamma.
	theta, gamma float64
	of           StepPair // nil for Gaussian noise
}

func newStatistic(e Epoch) *statistic {
	s := &statistic{shift: 1 / e.Sigma, steps: e.Steps, picks: e.Picks, families: 1, gamma: 1, of: e.Step}
	if e.Replace {
		s.families = 2
	}
	s.theta = float64(e.Picks-1) / float64(e.Steps-e.Picks+1)
	return s
}

// below is the distribution of the cell after some steps. For each cell, mass contains the probabilities with no step
// taken and, for each family, with a uniformly random set of j steps taken, j = 1 … picks; it is 0 if j exceeds the
// number of steps. Their relative error is at most eta. Errors of score do not matter for this.
type below struct {
	score []float64
	mass  []float64
	steps int
	eta   float64
}

func (s *statistic) width() int { return 1 + s.families*s.picks }

// index returns the position of the probability with j steps taken.
func (s *statistic) index(family, j int) int {
	if j == 0 {
		return 0
	}
	return family*s.picks + j
}

// taken returns the position of the probability with all picks taken.
func (s *statistic) taken(family int) int { return s.index(family, s.picks) }

// scoreOf returns the score of an output with likelihood ratio r.
func (s *statistic) scoreOf(r float64) float64 {
	if s.theta == 0 {
		return r
	}
	return math.Log1p(s.theta*r) / s.theta
}

// scoreAt returns the score of Gaussian noise at z.
func (s *statistic) scoreAt(z float64) float64 {
	one := func(z float64) float64 { return s.scoreOf(math.Exp(s.shift*z - s.shift*s.shift/2)) }
	if s.families == 2 {
		return one(z) - s.gamma*one(-z)
	}
	return one(z)
}

// step discretizes the output of one step without its tails, which a lower bound may omit.
func (s *statistic) step(cells int) *below {
	if s.of != nil {
		return s.merged(cells)
	}
	reach, width := reachOf(s.shift), s.width()
	b := &below{
		score: make([]float64, cells), mass: make([]float64, cells*width), steps: 1, eta: stepError(reach, s.shift),
	}
	for i := range cells {
		from := reach * (2*float64(i)/float64(cells) - 1)
		to := reach * (2*float64(i+1)/float64(cells) - 1)
		row := b.mass[i*width:]
		panels(from, to, s.shift, func(d, w float64) {
			z := from + d
			q := w * density(z)
			row[0] += q
			row[1] += w * density(z-s.shift)
			if s.families == 2 {
				row[s.index(1, 1)] += w * density(z+s.shift)
			}
			b.score[i] += q * s.scoreAt(z)
		})
		b.score[i] /= row[0]
	}
	return b
}

// product is a term of the distribution of a sum: weight times two probabilities.
type product struct {
	to, a, b int
	weight   float64
}

// products lists how j of na + nb steps, taken at random, divide into l of the first and j − l of the others. The
// probability is C(na, l)·C(nb, j−l)/C(na+nb, j), a product of at most 3j factors.
func (s *statistic) products(na, nb int) []product {
	list := []product{{0, 0, 0, 1}}
	for j := 1; j <= min(s.picks, na+nb); j++ {
		for l := max(0, j-nb); l <= min(j, na); l++ {
			weight := 1.0
			for i := range l {
				weight *= float64(na-i) * float64(j-i) / (float64(i+1) * float64(na+nb-i))
			}
			for i := range j - l {
				weight *= float64(nb-i) / float64(na+nb-l-i)
			}
			for f := range s.families {
				list = append(list, product{s.index(f, j), s.index(f, l), s.index(f, j-l), weight})
			}
		}
	}
	return list
}

// plus returns the distribution of the cell of the sum of scores, with about n cells. If a is b, it is the sum of two
// independent copies.
func (s *statistic) plus(a, b *below, n int) *below {
	edges := s.grid(a, b, n)
	cells, width := len(edges)-1, s.width()
	sum := &below{
		score: make([]float64, cells), mass: make([]float64, cells*width), steps: a.steps + b.steps,
		// A cell gets at most one run for each cell of a, in up to picks + 1 terms. Weights are products.
		eta: a.eta + b.eta + 1.01*unit*float64(len(a.score)*(s.picks+1)+len(b.score)+12*s.picks+16),
	}
	list := s.products(a.steps, b.steps)
	run := make([]float64, width)
	start := 0
	for i, u := range a.score {
		from := a.mass[i*width : (i+1)*width]
		flush := func(k int, scores float64) {
			to := sum.mass[k*width : (k+1)*width]
			for _, p := range list {
				to[p.to] += p.weight * from[p.a] * run[p.b]
			}
			sum.score[k] += from[0] * (u*run[0] + scores)
			clear(run)
		}
		first, times := 0, 1.0
		if a == b { // both orders of a pair at once
			first = i
		}
		for start+1 < cells && u+b.score[first] >= edges[start+1] {
			start++
		}
		k, scores := start, 0.0
		for j := first; j < len(b.score); j++ {
			v := b.score[j]
			if y := u + v; y >= edges[k+1] && k+1 < cells {
				flush(k, scores)
				scores = 0
				for k+1 < cells && y >= edges[k+1] {
					k++
				}
			}
			for c, m := range b.mass[j*width : (j+1)*width] {
				run[c] += times * m
			}
			scores += times * v * b.mass[j*width]
			if a == b {
				times = 2
			}
		}
		flush(k, scores)
	}
	sum.settle(edges, width)
	return sum
}

// settle divides the sums of scores by the probabilities. It keeps the means within their cells, and therefore sorted,
// although the outermost cells extend beyond their edges.
func (b *below) settle(edges []float64, width int) {
	for k := range b.score {
		mean := b.score[k] / b.mass[k*width]
		if !(mean >= edges[k] && mean <= edges[k+1]) {
			mean = (edges[k] + edges[k+1]) / 2
		}
		b.score[k] = mean
	}
}

// grid returns the edges of the cells of the sum.
func (s *statistic) grid(a, b *below, n int) []float64 {
	// Divide the typical number of steps taken, at least one, in proportion.
	if s.of != nil {
		if edges := distinctSums(a.score, b.score, n); edges != nil {
			edges = append(edges, 2*edges[len(edges)-1]+1) // the last cell contains the largest sums
			for i := range edges {
				edges[i] *= 1 - 1e-14 // means are rounded
			}
			return edges
		}
	}
	steps := a.steps + b.steps
	taken := min(s.picks, (s.picks*steps+s.steps-1)/s.steps)
	first, share := math.Modf(float64(taken) * float64(a.steps) / float64(steps))
	points := sketchTaken(s.coarsen(a, int(first)), s.coarsen(b, taken-int(first)-1), a == b, share)
	return layGrid(points, 1+s.families, n, tailLog, tailLog)
}

// coarsen groups the cells, with their probabilities with the given number of steps taken, and with one more.
func (s *statistic) coarsen(b *below, taken int) []sketch {
	var list []sketch
	width := s.width()
	groups(len(b.score), func(from, to int) {
		g := sketch{low: b.score[from], high: b.score[min(to, len(b.score)-1)]}
		for i := from; i < to; i++ {
			row := b.mass[i*width:]
			g.mass += row[0]
			for f := range s.families {
				g.less[f] += row[s.index(f, taken)]
				g.more[f] += row[s.index(f, taken+1)]
			}
		}
		list = append(list, g)
	})
	return list
}

// law returns the distribution of the cell with probabilities at index p against those at index q. It is safe to omit
// cells, to decrease probabilities under P and to increase those under Q.
func (s *statistic) law(b *below, p, q int) *AllocationLaw {
	law := &AllocationLaw{}
	width := s.width()
	for k := range b.score {
		mp, mq := b.mass[k*width+p], b.mass[k*width+q]+underflow
		if mp <= underflow {
			continue
		}
		logP, logQ := math.Log(mp), math.Log(mq)
		rounding := 16 * unit
		law.add(logP-1.01*b.eta-rounding*(1+math.Abs(logP)), logQ+1.01*b.eta+rounding*(1+math.Abs(logQ)))
		law.Rounding = math.Max(law.Rounding, 2.01*(1.01*b.eta+rounding*(1+math.Max(math.Abs(logP), math.Abs(logQ)))))
	}
	return law.sort()
}
