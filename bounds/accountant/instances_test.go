package accountant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/longtest"
)

// An instance is a mechanism on two neighbouring inputs, by the probabilities of its outputs: those of the field's own
// definitions, enumerated or integrated, without a dominating pair, a lattice bound or a formula of the package.
type instance struct {
	what      string
	event     event.Event // that describes the mechanism
	adjacency event.Adjacency
	outputs   outcomes
	worst     bool // no inputs are worse: the bracket holds this very δ
}

// composed is δ(ε) of n runs between two, by rounding every loss up and down to a lattice; rows of the smaller order of
// the neighbours do not count.
func (o outcomes) composed(n int, epsilon float64) (low, high float64) {
	if n == 1 {
		d := o.delta(epsilon)
		return d * (1 - 1e-9), d*(1+1e-9) + 1e-14
	}
	for _, swapped := range []bool{false, true} {
		for _, up := range []float64{0, 1} {
			d := o.rounded(n, epsilon, swapped, up)
			if up == 0 {
				low = math.Max(low, d-1e-12)
			} else {
				high = math.Max(high, d+1e-12)
			}
		}
	}
	return low, high
}

func (o outcomes) rounded(n int, epsilon float64, swapped bool, up float64) float64 {
	const most = 30.0 // a larger loss is infinite, or, rounded down, this
	const points = 1 << 15
	h := 2 * most * float64(n) / points
	mass, lost := make([]complex128, points), 0.0
	for _, row := range o {
		p, q := row[0], row[1]
		if swapped {
			p, q = q, p
		}
		loss := math.Log(p / q)
		switch {
		case p == 0:
			continue
		case q == 0 || loss > most && up == 1:
			lost += p
			continue
		}
		loss = math.Max(-most, math.Min(most, loss))
		i := int(math.Floor(loss/h + up))
		mass[(i+points)%points] += complex(p, 0)
	}
	fft := fourier.NewCmplxFFT(points)
	mass = fft.Coefficients(nil, mass)
	for i, z := range mass {
		w := z
		for range n - 1 {
			w *= z
		}
		mass[i] = w
	}
	mass = fft.Sequence(nil, mass)
	d := -math.Expm1(float64(n) * math.Log1p(-math.Min(lost, 1)))
	for i, m := range mass {
		if i >= points/2 {
			i -= points
		}
		if x := float64(i) * h; x > epsilon {
			d += real(m) / points * -math.Expm1(epsilon-x)
		}
	}
	return d
}

// check holds a bracket against an instance, run n times; the instance must not be above it, nor below where it is the worst.
func (in instance) check(n int, epsilon float64) error {
	e := in.event
	if n > 1 {
		e = event.Repeat(int64(n), e)
	}
	rs, err := Deltas(e, in.adjacency, epsilon, Options{Methods: []string{"best"}, Precision: Precision{Width: 0.05, MaxPoints: 1 << 15}})
	if err != nil {
		return fmt.Errorf("%s under %s at ε = %v: %w", e, in.adjacency, epsilon, err)
	}
	low, high := in.outputs.composed(n, epsilon)
	if b := rs[0].Bracket; !(low <= b.Upper*(1+1e-9)+1e-14) || in.worst && !(b.Lower <= high*(1+1e-9)+1e-14) {
		return fmt.Errorf("%s under %s at ε = %v: %v does not hold %v to %v of %s", e, in.adjacency, epsilon, b, low, high, in.what)
	}
	return nil
}

// noiseCells are the outputs of noise with this distribution function moved by two amounts, in cells of a width.
func noiseCells(cdf func(x float64) float64, movesP, movesQ, weightP, weightQ []float64, from, to, h float64) (o outcomes) {
	mass := func(moves, weights []float64, a, b float64) (p float64) {
		for i, m := range moves {
			x, y := a-m, b-m
			if x+y > 0 { // symmetric noise: tails as tails
				x, y = -y, -x
			}
			p += weights[i] * (cdf(y) - cdf(x))
		}
		return p
	}
	o = append(o, [2]float64{mass(movesP, weightP, math.Inf(-1), from), mass(movesQ, weightQ, math.Inf(-1), from)})
	for x := from; x < to-h/2; x += h {
		o = append(o, [2]float64{mass(movesP, weightP, x, x+h), mass(movesQ, weightQ, x, x+h)})
	}
	return append(o, [2]float64{mass(movesP, weightP, to, math.Inf(1)), mass(movesQ, weightQ, to, math.Inf(1))})
}

func normalCDF(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func laplaceCDF(x float64) float64 {
	if x > 0 {
		return 1 - math.Exp(-x)/2
	}
	return math.Exp(x) / 2
}

// batches are the sums of the batches of m of the contributions, each as likely.
func batches(contributions []float64, m int) (sums, weights []float64) {
	for set := range 1 << len(contributions) {
		sum, size := 0.0, 0
		for i, c := range contributions {
			if set>>i&1 == 1 {
				sum, size = sum+c, size+1
			}
		}
		if size == m {
			sums = append(sums, sum)
		}
	}
	for range sums {
		weights = append(weights, 1/float64(len(sums)))
	}
	return sums, weights
}

// cutSamples are those of Poisson samples, of more than m each set of m as likely.
func cutSamples(contributions []float64, q float64, m int) (sums, weights []float64) {
	n := len(contributions)
	for set := range 1 << n {
		chance, sampled := 1.0, []float64{}
		for i, c := range contributions {
			if set>>i&1 == 1 {
				chance, sampled = chance*q, append(sampled, c)
			} else {
				chance *= 1 - q
			}
		}
		s, w := batches(sampled, min(m, len(sampled)))
		for i := range s {
			sums, weights = append(sums, s[i]), append(weights, chance*w[i])
		}
	}
	return sums, weights
}

// drawInstance is one of the kinds of events on drawn inputs.
func drawInstance(r *rand.Rand, kind int) instance {
	u := func(a, b float64) float64 { return a + (b-a)*r.Float64() }
	contribution := func() float64 {
		return []float64{1, -1, 0, u(-1, 1)}[r.IntN(4)]
	}
	sigma := math.Exp(u(-0.7, 1.5))
	adjacency := []event.Adjacency{event.AddRemove, event.ReplaceOne}[r.IntN(2)]
	others := make([]float64, 1+r.IntN(4))
	for i := range others {
		others[i] = contribution()
		if r.IntN(2) == 0 {
			others[i] = -1
		}
	}
	span := 12*sigma + 6
	with := append([]float64{1}, others...)
	without := others
	if adjacency == event.ReplaceOne {
		without = append([]float64{contribution()}, others...)
	}
	switch kind {
	case 0: // batches without replacement
		m := 1 + r.IntN(len(others))
		a, wa := batches(with, m)
		b, wb := batches(without, m)
		scale := func(x float64) float64 { return normalCDF(x / sigma) }
		e := event.WithoutReplacement(int64(m), int64(len(with)), event.Gaussian(sigma))
		if r.IntN(2) == 0 {
			scale = func(x float64) float64 { return laplaceCDF(x / sigma) }
			e = event.WithoutReplacement(int64(m), int64(len(with)), event.Laplace(sigma))
		}
		return instance{fmt.Sprint(with, without, m), e, adjacency, noiseCells(scale, a, b, wa, wb, -span, span, sigma/64), false}
	case 1: // truncated samples
		m, q := 1+r.IntN(len(with)), u(0.02, 1)
		a, wa := cutSamples(with, q, m)
		b, wb := cutSamples(without, q, m)
		return instance{fmt.Sprint(with, without, m), event.TruncatedPoisson(q, int64(m), int64(len(with)), event.Gaussian(sigma)), adjacency,
			noiseCells(func(x float64) float64 { return normalCDF(x / sigma) }, a, b, wa, wb, -span, span, sigma/64), false}
	case 2: // selection among runs
		return selectionInstance(r, adjacency)
	case 3: // sparse vector
		return sparseInstance(r)
	case 4: // permute and flip
		return flippedInstance(r)
	case 5: // the best two of four
		return peeledInstance(r)
	case 6: // threshold
		return thresholdInstance(r)
	case 7:
		return argmaxInstance(r)
	case 8:
		return allocationInstance(r, adjacency)
	case 9:
		return noiseInstance(r, adjacency)
	case 10:
		return mixtureInstance(r, adjacency)
	case 11:
		return movedInstance(r)
	case 12: // what adds no noise to a sum, on a sample
		for {
			if in, ok := drawInstance(r, 2+r.IntN(7)).sampled(u(0, 1)); ok {
				return in
			}
		}
	default: // tables
		o := drawTable(r)
		e := event.Table(o)
		if r.IntN(2) == 0 {
			q := u(0, 1)
			e, adjacency = event.Poisson(q, e), event.AddRemove
			sampled := make(outcomes, len(o))
			for i, row := range o {
				sampled[i] = [2]float64{(1-q)*row[1] + q*row[0], row[1]}
			}
			o = sampled
		}
		return instance{"the table", e, adjacency, o, true}
	}
}

const instanceKinds = 14

// sampled is the mechanism on a Poisson sample. Where a record is replaced, the output shows who was sampled, and
// nothing where the record was not.
func (in instance) sampled(q float64) (instance, bool) {
	switch k := in.event.Kind; {
	case k == event.KindRepeat || k == event.KindAllocation && in.event.B > 1:
		return in, false
	case k == event.KindThreshold && in.adjacency == event.ReplaceOne: // two partitions, each of them sampled
		return in, false
	}
	var o outcomes
	for _, row := range in.outputs {
		if in.adjacency == event.ReplaceOne {
			o = append(o, [2]float64{q * row[0], q * row[1]})
		} else {
			o = append(o, [2]float64{(1-q)*row[1] + q*row[0], row[1]})
		}
	}
	if in.adjacency == event.ReplaceOne {
		o = append(o, [2]float64{1 - q, 1 - q})
	}
	return instance{"sampled: " + in.what, event.Poisson(q, in.event), in.adjacency, o, false}, true
}

// noiseInstance is noise with a bound, or of integers, on a sum on a Poisson sample.
func noiseInstance(r *rand.Rand, adjacency event.Adjacency) instance {
	scale, q, move := math.Exp(1.5*r.Float64()), 1.0, 1.0
	if r.IntN(3) > 0 {
		q = r.Float64()
	}
	other, weight := 0.0, 1-q // Q: all at 0, or what took its place moves it
	if adjacency == event.ReplaceOne {
		other = []float64{-1, 0, 2*r.Float64() - 1}[r.IntN(3)]
	}
	worst := other == 0 && adjacency == event.AddRemove || other == -1 && q == 1
	var e event.Event
	var o outcomes
	switch r.IntN(3) {
	case 0:
		other = math.Round(other)
		e = event.DiscreteGaussian(scale)
		mass := func(k float64) float64 { return math.Exp(-k * k / (2 * scale * scale)) }
		total := 0.0
		for k := -200.0; k <= 200; k++ {
			total += mass(k)
		}
		for k := -150.0; k <= 150; k++ {
			o = append(o, [2]float64{(q*mass(k-move) + weight*mass(k)) / total, (q*mass(k-other) + weight*mass(k)) / total})
		}
	case 1:
		bound := 0.3 + 5*r.Float64()
		e = event.TruncatedLaplace(scale, bound)
		// The edges of the cells, so narrow that a loss is one in each, are not those of the noise.
		cdf := func(x float64) float64 {
			x = math.Max(-bound, math.Min(bound, x))
			if x > 0 {
				return 0.5 + math.Expm1(-x/scale)/math.Expm1(-bound/scale)/2
			}
			return 0.5 - math.Expm1(x/scale)/math.Expm1(-bound/scale)/2
		}
		h := bound / 512
		o = noiseCells(cdf, []float64{0, move}, []float64{0, other}, []float64{weight, q}, []float64{weight, q}, -bound-1-h, bound+1+h, h)
		worst = false
	default:
		bound := 0.3 + 5*r.Float64()
		e = event.Uniform(bound)
		cdf := func(x float64) float64 { return math.Max(0, math.Min(1, (x+bound)/(2*bound))) }
		h := bound / 512
		o = noiseCells(cdf, []float64{0, move}, []float64{0, other}, []float64{weight, q}, []float64{weight, q}, -bound-1-h, bound+1+h, h)
		worst = false
	}
	if q < 1 {
		e = event.Poisson(q, e)
	}
	return instance{fmt.Sprint(q, " to ", other), e, adjacency, o, worst}
}

// mixtureInstance is a group that contributes by chance, in one direction, or against another.
func mixtureInstance(r *rand.Rand, adjacency event.Adjacency) instance {
	sigma, n := math.Exp(1.5*r.Float64()-0.5), 1+r.IntN(4)
	shifts, weights, back, sum := make([]float64, n), make([]float64, n), make([]float64, n), 0.0
	for i := range n {
		shifts[i], weights[i] = float64(r.IntN(3)), r.Float64()
		if r.IntN(2) == 0 {
			shifts[i] = 2 * r.Float64()
		}
		sum += weights[i]
		if adjacency == event.ReplaceOne {
			back[i] = -shifts[i]
		}
	}
	for i := range n {
		weights[i] /= sum
	}
	e := event.GaussianMixture(sigma, shifts, weights)
	w := weights
	if q := r.Float64(); r.IntN(2) == 0 {
		e, shifts, back = event.Poisson(q, e), append([]float64{0}, shifts...), append([]float64{0}, back...)
		w = []float64{1 - q}
		for _, x := range weights {
			w = append(w, q*x)
		}
	}
	cdf := func(x float64) float64 { return normalCDF(x / sigma) }
	return instance{fmt.Sprint(shifts, w), e, adjacency, noiseCells(cdf, shifts, back, w, w, -12*sigma-3, 12*sigma+3, sigma/64), false}
}

// movedInstance is a record that leaves a partition and joins another, on a Poisson sample.
func movedInstance(r *rand.Rand) instance {
	scale, over, q := math.Exp(r.Float64()), 1+4*r.Float64(), r.Float64()
	if r.IntN(2) == 0 {
		q = 1
	}
	cdf, e := func(x float64) float64 { return laplaceCDF(x / scale) }, event.Laplace(scale)
	if r.IntN(2) == 0 {
		cdf, e = func(x float64) float64 { return normalCDF(x / scale) }, event.Gaussian(scale)
	}
	partition := func(others float64, joins [2]float64) outcomes { // joins: how likely the record is in it
		law := noiseCells(cdf, []float64{others, others + 1}, []float64{others, others + 1}, []float64{1 - joins[0], joins[0]},
			[]float64{1 - joins[1], joins[1]}, over, over+10*scale, scale/4)
		if others == 0 { // it is not there without the record
			law = noiseCells(cdf, []float64{1}, []float64{1}, joins[:1], joins[1:], over, over+10*scale, scale/4)
			law[0][0] += 1 - joins[0]
			law[0][1] += 1 - joins[1]
		}
		return law
	}
	left, joined := float64(r.IntN(3)), float64(r.IntN(3))
	var o outcomes
	for _, a := range partition(left, [2]float64{q, 0}) {
		for _, b := range partition(joined, [2]float64{0, q}) {
			o = append(o, [2]float64{a[0] * b[0], a[1] * b[1]})
		}
	}
	moved := event.Threshold(over, e)
	if q < 1 {
		moved = event.Poisson(q, moved)
	}
	return instance{fmt.Sprint("partitions of ", left, joined), moved, event.ReplaceOne, o, false}
}

// selectionInstance releases the best of a random number of runs of a table, the later rows being better.
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

// sparseInstance tells which of some queries are above, up to the cutoff.
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
			for told := range o {
				p, over := weight, 0
				for i, v := range values[c] {
					above := laplaceCDF((v - (x+h/2)/e1) / scale)
					switch {
					case over == cutoff && told>>i&1 == 1:
						p = 0
					case over == cutoff:
					case told>>i&1 == 1:
						p *= above
						over++
					default:
						p *= laplaceCDF(-(v - (x+h/2)/e1) / scale)
					}
				}
				o[told][c] += p
			}
		}
	}
	return instance{fmt.Sprint(values), event.SparseVector(e1, e2, int64(cutoff)), event.AddRemove, o, false}
}

// flippedInstance chooses by permute-and-flip: heads with probability e^{ε₀(score − best)/2} in a random order.
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
		// P(i) = Σ over sets of others that came before and failed.
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
				// In a uniform order the others before i are just this set.
				o[i][c] += p * math.Gamma(before+1) * math.Gamma(float64(n)-before) / math.Gamma(float64(n)+1)
			}
		}
	}
	return instance{fmt.Sprint(scores), event.PermuteAndFlip(epsilon0), event.AddRemove, o, false}
}

// peeledInstance names the best two candidates in their order.
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

// thresholdInstance releases the noisy count of a partition above the threshold, if there is any record in it.
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

// argmaxInstance names the class of three with the most noisy votes.
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

// allocationInstance has one or two of two steps.
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

// Mechanisms run on drawn neighbours are within the brackets.
func TestDrawnInstances(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 3))
	n := instanceKinds
	if longtest.Asked() {
		n = 200 * instanceKinds
	}
	for i := range n {
		in := drawInstance(r, i%instanceKinds)
		runs, epsilon := 1+r.IntN(3), 3*r.Float64()*r.Float64()
		if err := in.check(runs, epsilon); err != nil {
			t.Error(err)
		}
	}
}

// Of a pair that is known between two, the one below may end left of the losses at which the one above is composed:
// once it was a lower bound of 1.
func TestLowerBoundLeftOfTheWindow(t *testing.T) {
	e := event.Poisson(0.4884869200193389, event.TruncatedLaplace(4.150977965759134, 2.3814263697034135))
	for _, epsilon := range []float64{0.2, 0.4975510109231629, 0.6} {
		replaced, err := LossDelta(e, event.ReplaceOne, epsilon, Precision{Width: 0.05, MaxPoints: 1 << 15})
		added, errAdded := LossDelta(e, event.AddRemove, epsilon, Precision{})
		if err != nil || errAdded != nil || !(replaced.Lower <= added.Upper && replaced.Upper >= added.Lower) {
			t.Errorf("ε = %v: replaced %v, added %v (%v, %v)", epsilon, replaced, added, err, errAdded)
		}
	}
}
