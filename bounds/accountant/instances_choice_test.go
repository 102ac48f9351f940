package accountant

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// selectionInstance releases the best of a random number of runs of a table. Later rows are better.
func selectionInstance(r *rand.Rand, adjacency event.Adjacency) instance {
	o := drawTable(r)
	for i := range o {
		for c := range o[i] {
			o[i][c] = (o[i][c] + 0.05) / (1 + 0.05*float64(len(o)))
		}
	}
	eta, gamma := []float64{-0.5, 0, 1, 2.5}[r.IntN(4)], math.Exp(-4*r.Float64()-0.05)
	pgf := func(x float64) float64 {
		if eta == 0 {
			return math.Log1p(-(1-gamma)*x) / math.Log(gamma)
		}
		return math.Expm1(-eta*math.Log1p(-(1-gamma)*x)) / math.Expm1(-eta*math.Log(gamma))
	}
	best := make(outcomes, len(o))
	var sums [2]float64
	for i := range o {
		for c := range o[i] {
			before := pgf(sums[c])
			sums[c] = math.Min(1, sums[c]+o[i][c])
			best[i][c] = pgf(sums[c]) - before
		}
	}
	return instance{fmt.Sprint(o), event.RepeatAndSelect(eta, gamma, event.Table(o)), adjacency, best, false}
}

// sparseInstance reports which queries are above the threshold, up to the cutoff.
func sparseInstance(r *rand.Rand) instance {
	e1, e2, cutoff, n := math.Exp(2*r.Float64()-1), math.Exp(2*r.Float64()-1), 1+r.IntN(2), 1+r.IntN(5)
	values := [2][]float64{make([]float64, n), make([]float64, n)}
	away := float64(r.IntN(3) - 1)
	for i := range n {
		values[0][i] = 6*r.Float64() - 3
		move := away
		if r.IntN(3) == 0 || away == 0 {
			move = float64(r.IntN(3) - 1)
		}
		values[1][i] = values[0][i] + move
	}
	scale := 2 * float64(cutoff) / e2
	o := make(outcomes, 1<<n)
	const h = 0.01
	for x := -40.0; x < 40; x += h {
		weight := laplaceCDF(x+h) - laplaceCDF(x)
		if x > 0 {
			weight = laplaceCDF(-x) - laplaceCDF(-x-h)
		}
		for c := range values {
			for answer := range o {
				p, over := weight, 0
				for i, v := range values[c] {
					above := laplaceCDF((v - (x+h/2)/e1) / scale)
					switch {
					case over == cutoff && answer>>i&1 == 1:
						p = 0
					case over == cutoff:
					case answer>>i&1 == 1:
						p *= above
						over++
					default:
						p *= laplaceCDF(-(v - (x+h/2)/e1) / scale)
					}
				}
				o[answer][c] += p
			}
		}
	}
	return instance{fmt.Sprint(values), event.SparseVector(e1, e2, int64(cutoff)), event.AddRemove, o, false}
}

// flippedInstance chooses by permute-and-flip: in a random order, it accepts a candidate with probability e^{ε₀(score −
// best)/2}.
func flippedInstance(r *rand.Rand) instance {
	epsilon0, n := math.Exp(3*r.Float64()-1.5), 2+r.IntN(3)
	o := make(outcomes, n)
	scores := [2][]float64{make([]float64, n), make([]float64, n)}
	for i := range n {
		scores[0][i] = float64(r.IntN(3))
		scores[1][i] = scores[0][i] + float64(r.IntN(3)-1)
	}
	for c, s := range scores {
		best, flips := s[0], make([]float64, n)
		for _, x := range s {
			best = math.Max(best, x)
		}
		for i, x := range s {
			flips[i] = math.Exp(epsilon0 * (x - best) / 2)
		}
		// P(i) = Σ over sets of candidates that came earlier and were rejected.
		for i := range n {
			for set := range 1 << n {
				if set>>i&1 == 1 {
					continue
				}
				p, before := flips[i], 0.0
				for j := range n {
					if set>>j&1 == 1 {
						p *= 1 - flips[j]
						before++
					}
				}
				// In a uniform order, the candidates before i are exactly this set.
				o[i][c] += p * math.Gamma(before+1) * math.Gamma(float64(n)-before) / math.Gamma(float64(n)+1)
			}
		}
	}
	return instance{fmt.Sprint(scores), event.PermuteAndFlip(epsilon0), event.AddRemove, o, false}
}

// peeledInstance returns the best two candidates in order.
func peeledInstance(r *rand.Rand) instance {
	epsilon0, n := math.Exp(3*r.Float64()-1.5), 3+r.IntN(2)
	scores := [2][]float64{make([]float64, n), make([]float64, n)}
	for i := range n {
		scores[0][i] = float64(r.IntN(3))
		scores[1][i] = scores[0][i] + float64(r.IntN(3)-1)
	}
	var o outcomes
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			var row [2]float64
			for c, s := range scores {
				all, rest := 0.0, 0.0
				for l, x := range s {
					w := math.Exp(epsilon0 * x / 2)
					if all += w; l != i {
						rest += w
					}
				}
				row[c] = math.Exp(epsilon0*(s[i]+s[j])/2) / (all * rest)
			}
			o = append(o, row)
		}
	}
	return instance{fmt.Sprint(scores), event.TopK(epsilon0, 2), event.AddRemove, o, false}
}

// thresholdInstance releases the noisy count of a partition if it is above the threshold and the partition contains a
// record.
func thresholdInstance(r *rand.Rand) instance {
	scale, over, count := math.Exp(2*r.Float64()-1), 1+6*r.Float64(), float64(1+r.IntN(4))
	cdf, e := func(x float64) float64 { return laplaceCDF(x / scale) }, event.Laplace(scale)
	if r.IntN(2) == 0 {
		cdf, e = func(x float64) float64 { return normalCDF(x / scale) }, event.Gaussian(scale)
	}
	o := noiseCells(cdf, []float64{count}, []float64{count - 1}, []float64{1}, []float64{1}, over, over+12*scale, scale/64)
	if count == 1 {
		for i := range o {
			o[i][1] = 0
		}
		o[0][1] = 1
	}
	return instance{fmt.Sprint("a partition of ", count), event.Threshold(over, e), event.AddRemove, o, false}
}

// argmaxInstance returns the class, out of three, with the most noisy votes.
func argmaxInstance(r *rand.Rand) instance {
	sigma := math.Exp(2*r.Float64() - 1)
	votes := [2][3]float64{}
	for i := range votes[0] {
		votes[0][i] = 3 * r.Float64()
	}
	votes[1] = votes[0]
	votes[1][r.IntN(3)]--
	votes[1][r.IntN(3)]++
	o := make(outcomes, 3)
	for x := -10.0; x < 10; x += 0.01 {
		for c := range votes {
			for i := range o {
				p := normalCDF(x+0.01) - normalCDF(x)
				for j := range o {
					if j != i {
						p *= normalCDF((x + 0.005) + (votes[c][i]-votes[c][j])/sigma)
					}
				}
				o[i][c] += p
			}
		}
	}
	return instance{fmt.Sprint(votes), event.NoisyArgmax(sigma), event.AddRemove, o, false}
}

// allocationInstance takes part in one or two of two steps.
func allocationInstance(r *rand.Rand, adjacency event.Adjacency) instance {
	sigma, picks := math.Exp(1.5*r.Float64()-0.3), 1+r.IntN(2)
	h := 1.0 / 16
	cell := func(x, shift float64) float64 {
		x -= shift
		if x > 0 {
			x = -x - h
		}
		return normalCDF(x+h) - normalCDF(x)
	}
	var o outcomes
	mu := 1 / sigma
	law := func(x, y, mu float64) float64 {
		if picks == 2 {
			return cell(x, mu) * cell(y, mu)
		}
		return (cell(x, mu)*cell(y, 0) + cell(x, 0)*cell(y, mu)) / 2
	}
	for x := -8.0; x < 8+mu; x += h {
		for y := -8.0; y < 8+mu; y += h {
			row := [2]float64{law(x, y, mu), cell(x, 0) * cell(y, 0)}
			if adjacency == event.ReplaceOne {
				row[1] = law(x, y, -mu)
			}
			o = append(o, row)
		}
	}
	return instance{"two steps", event.Allocation(2, int64(picks), event.Gaussian(sigma)), adjacency, o, false}
}
