package pld

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// StepPair is the pair of one step of an epoch: P with the record, Q without it. Every step of a mechanism must be
// dominated by it, in both orders, given the earlier outputs. LaplaceStep and TableStep return StepPairs; an Epoch
// without one has Gaussian noise.
//
// As for Gaussian noise, let X be the mean over the k-subsets of the products of the ratios R_i = dP/dQ of independent
// steps. The pair with the likelihood ratio X against Qᵗ dominates the mechanism. Proof: if one pair dominates another
// for all γ ≥ 0, a randomization that is the same for both distributions maps it to the other (Blackwell 1953; Dong,
// Roth & Su 2019, Theorem 2.10). So output i of the mechanism, given the earlier outputs, is a randomization of a
// variable distributed as P if the record is in step i and as Q otherwise. The randomizations do not depend on the
// steps that the record takes, so the outputs are a randomization of t independent variables, of which k random ones
// are distributed as P. A mechanism whose steps are the pair itself attains the pair.
//
// The part of P that is singular to Q is the same for each of the steps. So for k = 1 it has the same probability in
// the epoch: the curve is E_Q(X − γ)⁺ plus this probability, with R the density of the rest. In the other order,
// outputs with R = 0 in all steps have infinite loss.
type StepPair interface {
	// spread returns R under Q, spread along chords to about cells points, and the probability of infinite loss.
	spread(cells int) (a *above, infinite float64)
	// merge returns outputs merged to about cells, by increasing R, each with the relative error eta, and the probability
	// of infinite loss, rounded down.
	merge(cells int) (outputs []Atom, eta, infinite float64)
}

// mostStepLoss is the largest finite loss of a StepPair. Products of larger ratios with probabilities that underflow
// could exceed the slack underflow.
const mostStepLoss = 100

// laplaceStep is Laplace noise of scale 1 that is moved by the shift s. At y, R is e^{−s} for y ≤ 0, e^{2y−s} up to s,
// and e^s beyond.
type laplaceStep float64

// LaplaceStep returns the pair of Laplace noise. shift is the sensitivity divided by the scale, from 1e-6 to 100.
func LaplaceStep(shift float64) (StepPair, error) {
	if !(shift >= 1e-6 && shift <= mostStepLoss) {
		return nil, fmt.Errorf("%w: sensitivity / scale = %v, want 1e-6 to %d in random allocation", numeric.ErrDomain, shift,
			mostStepLoss)
	}
	return laplaceStep(shift), nil
}

func (l laplaceStep) edge(i, cells int) float64 { return float64(l) * (float64(i) / float64(cells)) }

// spread divides (0, s) into cells. A cell of width w has a probability of (e^{−from} − e^{−to})/2 under Q. Its chord
// gives e^{−from}·tanh(w/2)/2 to the lower and e^{−to}·tanh(w/2)/2 to the upper end.
func (l laplaceStep) spread(cells int) (a *above, infinite float64) {
	s := float64(l)
	a = &above{
		x: make([]float64, cells+1), q: make([]float64, cells+1), steps: 1, reach: reachOf(0),
		jitter: 16 * unit * (1 + s), eta: 64 * unit,
	}
	for i := range cells + 1 {
		a.x[i] = math.Exp(2*l.edge(i, cells) - s)
	}
	a.q[0], a.q[cells] = 0.5, math.Exp(-s)/2
	for i := range cells {
		from, to := l.edge(i, cells), l.edge(i+1, cells)
		share := math.Expm1(to-from) / (math.Exp(to-from) + 1) / 2
		a.q[i] += share * math.Exp(-from)
		a.q[i+1] += share * math.Exp(-to)
	}
	return a, 0
}

func (l laplaceStep) merge(cells int) (outputs []Atom, eta, infinite float64) {
	s := float64(l)
	outputs = append(outputs, Atom{P: math.Exp(-s) / 2, Q: 0.5})
	for i := range cells {
		from, to := l.edge(i, cells), l.edge(i+1, cells)
		width := math.Expm1(to-from) / 2
		outputs = append(outputs, Atom{P: math.Exp(from-s) * width, Q: math.Exp(-to) * width})
	}
	return append(outputs, Atom{P: 0.5, Q: math.Exp(-s) / 2}), unit * (64 + 4*s), 0
}

// tableStep has the outputs of a table by increasing ratio, without those of infinite loss under P.
type tableStep struct {
	outputs  []Atom
	ratio    []float64
	infinite float64
	rel      float64 // relative error of probabilities and ratios
}

// TableStep returns the pair of a table: the first column is the distribution with the record, the second without it.
// Each column is divided by its sum. Finite losses of outputs that are possible with the record are at most 100.
func TableStep(rows [][2]float64) (StepPair, error) {
	var p, q float64
	for _, row := range rows {
		p, q = p+row[0], q+row[1]
	}
	t := &tableStep{rel: 4 * unit * float64(len(rows)+4)}
	for i, row := range rows {
		a := Atom{P: row[0] / p, Q: row[1] / q}
		switch {
		case !(a.P >= 0 && a.P <= 1 && a.Q >= 0 && a.Q <= 1):
			return nil, fmt.Errorf("%w: output %d has probabilities %v and %v: want numbers in [0, 1]", numeric.ErrDomain, i+1,
				a.P, a.Q)
		case a.Q == 0:
			t.infinite += a.P
		case a.P > 0 && !(math.Abs(a.loss()) <= mostStepLoss):
			return nil, fmt.Errorf("%w: output %d has a privacy loss of %.4g: want at most %d in random allocation",
				numeric.ErrDomain, i+1, a.loss(), mostStepLoss)
		default:
			t.outputs = append(t.outputs, a)
		}
	}
	if len(t.outputs) == 0 {
		return nil, fmt.Errorf("%w: a table without outputs: want probabilities that add up to 1", numeric.ErrDomain)
	}
	slices.SortStableFunc(t.outputs, func(a, b Atom) int { return cmp.Compare(a.P/a.Q, b.P/b.Q) })
	for _, a := range t.outputs {
		t.ratio = append(t.ratio, a.P/a.Q)
	}
	return t, nil
}

// spread keeps the ratios, or evenly chosen ones of many.
func (t *tableStep) spread(cells int) (a *above, infinite float64) {
	a = &above{steps: 1, reach: reachOf(0), jitter: t.rel, eta: t.rel}
	distinct := slices.Compact(slices.Clone(t.ratio))
	last := len(distinct) - 1
	for i := range min(last, cells) + 1 {
		a.x = append(a.x, distinct[i*last/max(1, min(last, cells))])
	}
	if low, high := a.x[0], a.x[len(a.x)-1]; high <= low*(1+1e-9) {
		a.x = append(a.x, high+1e-9*math.Max(1, high)) // a grid needs two points
	}
	a.q = make([]float64, len(a.x))
	left, right := make([]float64, len(a.x)), make([]float64, len(a.x))
	k := 0
	for i, r := range t.ratio {
		for k+2 < len(a.x) && r >= a.x[k+1] {
			k++
		}
		left[k] += t.outputs[i].Q * (a.x[k+1] - r)
		right[k] += t.outputs[i].Q * (r - a.x[k])
	}
	a.chords(left, right)
	return a, t.infinite * (1 + t.rel)
}

func (t *tableStep) merge(cells int) (outputs []Atom, eta, infinite float64) {
	n := len(t.outputs)
	for i := range min(n, cells) {
		var sum Atom
		for _, a := range t.outputs[i*n/min(n, cells) : (i+1)*n/min(n, cells)] {
			sum.P, sum.Q = sum.P+a.P, sum.Q+a.Q
		}
		outputs = append(outputs, sum)
	}
	return outputs, t.rel, t.infinite * (1 - t.rel)
}

// merged is the distribution of the cell after a step that is not Gaussian.
func (s *statistic) merged(cells int) *below {
	outputs, eta, _ := s.of.merge(cells)
	width := s.width()
	b := &below{score: make([]float64, len(outputs)), mass: make([]float64, len(outputs)*width), steps: 1, eta: eta}
	for i, a := range outputs {
		b.score[i], b.mass[i*width], b.mass[i*width+1] = s.scoreOf(a.P/a.Q), a.Q, a.P
	}
	return b
}

// lowerOf returns the lower pair of an epoch whose steps are not Gaussian. A record that takes k steps has an output of
// infinite loss in one of them with probability 1 − (1 − p)^k. In the other order, outputs have infinite loss if their
// score is 0, because then R is 0 in all steps; this cell becomes empty. For k > 1, there are more such outputs.
func (s *statistic) lowerOf(b *below, cells int) AllocatedPair {
	revealed := 0.0
	if b.score[0] == 0 && b.mass[s.taken(0)] == 0 {
		revealed = math.Max(0, b.mass[0]*(1-1.01*b.eta)-underflow)
		b.mass[0] = 0
	}
	pair := AllocatedPair{s.law(b, s.taken(0), 0), s.law(b, 0, s.taken(0))}
	pair.Add.Infinite = revealed
	if _, _, p := s.of.merge(cells); p > 0 {
		pair.Remove.Infinite = -math.Expm1(float64(s.picks)*math.Log1p(-math.Min(1, p))) * (1 - 16*unit)
	}
	return pair
}

// distinctSums returns the increasing sums of two lists of numbers that are not negative, or nil if they are many for n
// points. It keeps the smallest of sums that differ by rounding.
func distinctSums(a, b []float64, n int) []float64 {
	if len(a)*len(b) > 8*n {
		return nil
	}
	var sums []float64
	for _, u := range a {
		for _, v := range b {
			sums = append(sums, u+v)
		}
	}
	slices.Sort(sums)
	kept := sums[:1]
	for _, v := range sums[1:] {
		if v > kept[len(kept)-1]*(1+1e-13) {
			kept = append(kept, v)
		}
	}
	if len(kept) > n {
		return nil
	}
	return kept
}
