package sensitivity

import (
	"math"

	"gonum.org/v1/gonum/optimize"
)

const (
	// maxEvolved is the largest number of real parameters for CMA-ES. Its covariance matrix has that many rows, and
	// larger ones need more evaluations than are available.
	maxEvolved = 64
	// A run of CMA-ES ends when this number of generations gained less than this share.
	evolvedGain, evolvedStale = 1e-7, 40
)

// evolve improves the best pairs by CMA-ES with larger and smaller initial steps, in units of the radii. It spends the
// remaining evaluations on local search from the best pair.
func (s *sensitivitySearch) evolve(evaluations int64) {
	runs := []struct {
		from int // index in the pool
		step float64
	}{{0, 0.3}, {0, 0.03}, {1, 0.3}, {0, 0.003}}
	allowance, spent := evaluations/int64(len(runs)+1), int64(0)
	for _, run := range runs {
		if run.from < len(s.pool) {
			s.left = allowance
			s.cmaes(s.pool[run.from], run.step)
			spent += allowance - s.left
		}
	}
	s.order()
	s.left = evaluations - spent
	s.climb(s.pool[0])
}

// cmaes improves the real parameters of a pair.
func (s *sensitivitySearch) cmaes(best *suspect, step float64) {
	blocks, trial := s.evolved(best), s.newSuspect()
	trial.copyFrom(best)
	var start []float64
	for _, i := range blocks {
		start = append(start, s.block(best, i)...)
	}
	if len(start) == 0 || s.over() {
		return
	}
	problem := optimize.Problem{
		// CMA-ES calls this from another goroutine, one call at a time.
		Func: func(x []float64) float64 {
			for _, i := range blocks {
				x = x[copy(s.block(trial, i), x):]
				s.confine(trial, i)
			}
			if !s.evaluate(trial) {
				return math.Inf(1)
			}
			if trial.rank > best.rank {
				best.copyFrom(trial)
			}
			return -trial.rank
		},
		Status: func() (optimize.Status, error) {
			if s.over() {
				return optimize.FunctionEvaluationLimit, nil
			}
			return optimize.NotTerminated, nil
		},
	}
	// A failure of the method, such as a degenerate covariance matrix, only ends this run. Errors of the map are stored
	// in s.err.
	_, _ = optimize.Minimize(problem, start, &optimize.Settings{
		Converger: &optimize.FunctionConverge{Relative: evolvedGain, Iterations: evolvedStale},
	}, &optimize.CmaEsChol{InitStepSize: step, Src: s.r})
}

// evolved returns the blocks of parameters that CMA-ES varies: all used blocks, or if these are too large the differing
// records and the shared parameters, or none.
func (s *sensitivitySearch) evolved(c *suspect) (blocks []int) {
	n, d, shared := s.cell.N, s.cell.Records.Dim, s.cell.Shared.Dim
	switch {
	case s.slots()*d+shared <= maxEvolved:
		for i := range s.slots() {
			blocks = append(blocks, i)
		}
	case 2*d+shared > maxEvolved:
		return nil
	case s.replace:
		blocks = []int{c.at, n}
	default:
		blocks = []int{c.at}
	}
	return append(blocks, n+1)
}

// tidy makes a pair easier to read if that reduces the difference by no more than its last digits: it puts records on
// the first axis, makes other records equal or zero, and prefers the first labels and few decimals.
func (s *sensitivitySearch) tidy(best *suspect) {
	n, trial := s.cell.N, s.newSuspect()
	minValue := best.value - negligible*math.Abs(best.value)
	if best.value > s.cell.Claimed {
		minValue = math.Max(minValue, math.Nextafter(s.cell.Claimed, math.Inf(1)))
	}
	try := func(change func()) bool {
		trial.copyFrom(best)
		change()
		simpler := s.evaluate(trial) && trial.value >= minValue
		if simpler {
			best.copyFrom(trial)
		}
		return simpler
	}
	for _, factor := range []float64{1, -1, 0} {
		try(func() { s.putOthers(trial, s.block(trial, trial.at), factor, trial.labels[trial.at]) })
	}
	for _, sign := range []float64{1, -1} {
		try(func() { s.putAxis(trial, sign) })
	}
	try(func() { trial.seed = firstSeed })
	for i := n + 1; i >= 0 && !s.over(); i-- {
		if i <= n {
			try(func() { trial.labels[i] = 0 })
		}
		x := s.block(trial, i)
		simpler := len(x) == 0 || try(func() { clear(x) })
		for digits := 0; digits < 6 && !simpler; digits++ {
			simpler = try(func() { s.blockNorm(i).round(x, digits) })
		}
	}
}

// putOthers makes all records equal except the one that differs.
func (s *sensitivitySearch) putOthers(c *suspect, x []float64, factor float64, label int) {
	for j := range s.cell.N {
		if j != c.at {
			put(s.block(c, j), x, factor)
			c.labels[j] = label
		}
	}
}

// putAxis puts the differing records at opposite ends of the first axis.
func (s *sensitivitySearch) putAxis(c *suspect, sign float64) {
	a, other := s.block(c, c.at), s.block(c, s.cell.N)
	if len(a) > 0 {
		clear(a)
		a[0] = sign
		put(other, a, -1)
	}
}

// round rounds a point of the unit ball to a number of decimals, or truncates it if the rounded point is outside the
// ball.
func (n Norm) round(x []float64, decimals int) {
	unit := math.Pow10(decimals)
	nearest := make([]float64, len(x))
	for i, v := range x {
		nearest[i] = math.Round(v*unit) / unit
		x[i] = math.Trunc(v*unit) / unit
	}
	if n.length(nearest) <= 1 {
		copy(x, nearest)
	}
}
