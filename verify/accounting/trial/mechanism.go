package trial

import (
	"math"
	"math/rand/v2"
)

// state is the contribution of the differing record, in units of the sensitivity. It is 1, 0 if the record is absent,
// or −1 if another record replaces it. Noise on a sum also accepts any other sum.
type state float64

const (
	present state = 1
	absent  state = 0
	other   state = -1
)

// mechanism is an event as a sampler. Its output is a fixed number of cells.
type mechanism interface {
	// draw appends an output to out.
	draw(r *rand.Rand, s state, out []float64) []float64
	// logDensity returns the logarithm of the density of the first cells of out, with respect to a measure
	// that does not depend on the state, and the cells that follow.
	logDensity(s state, out []float64) (log float64, rest []float64)
}

// logMix returns log(Σ wᵢ e^lᵢ) of two terms.
func logMix(w0, l0, w1, l1 float64) float64 {
	if w0 == 0 || math.IsInf(l0, -1) {
		return math.Log(w1) + l1
	}
	if w1 == 0 || math.IsInf(l1, -1) {
		return math.Log(w0) + l0
	}
	if l0 > l1 {
		return l0 + math.Log(w0+w1*math.Exp(l1-l0))
	}
	return l1 + math.Log(w1+w0*math.Exp(l0-l1))
}

// mixture sums weighted densities.
type mixture struct{ most, sum float64 }

func (m *mixture) add(weight, log float64) {
	if weight == 0 || math.IsInf(log, -1) {
		return
	}
	if m.sum == 0 || log > m.most {
		m.sum *= math.Exp(m.most - log)
		m.most = log
	}
	m.sum += weight * math.Exp(log-m.most)
}

func (m *mixture) log() float64 {
	if m.sum == 0 {
		return math.Inf(-1)
	}
	return m.most + math.Log(m.sum)
}

// composed runs mechanisms one after another on the same data.
type composed []mechanism

func (c composed) draw(r *rand.Rand, s state, out []float64) []float64 {
	for _, m := range c {
		out = m.draw(r, s, out)
	}
	return out
}

func (c composed) logDensity(s state, out []float64) (total float64, rest []float64) {
	for _, m := range c {
		var l float64
		l, out = m.logDensity(s, out)
		total += l
	}
	return total, out
}

// poisson runs a mechanism on a sample that contains each record with probability q.
type poisson struct {
	q  float64
	of mechanism
}

func (p poisson) draw(r *rand.Rand, s state, out []float64) []float64 {
	if r.Float64() >= p.q {
		s = absent
	}
	return p.of.draw(r, s, out)
}

func (p poisson) logDensity(s state, out []float64) (float64, []float64) {
	without, rest := p.of.logDensity(absent, out)
	if s == absent {
		return without, rest
	}
	with, _ := p.of.logDensity(s, out)
	return logMix(1-p.q, without, p.q, with), rest
}

// fixedSize adds noise to the sum of a batch of fixed size, drawn without replacement. Every other record contributes
// −1.
type fixedSize struct {
	batch, records int
	of             mechanism
}

func (f fixedSize) draw(r *rand.Rand, s state, out []float64) []float64 {
	values := make([]state, f.records)
	for i := range values {
		values[i] = other
	}
	values[0] = s
	if s == absent {
		values = values[1:]
	}
	sum := state(0)
	for i := range min(f.batch, len(values)) {
		j := i + r.IntN(len(values)-i)
		values[i], values[j] = values[j], values[i]
		sum += values[i]
	}
	return f.of.draw(r, sum, out)
}

func (f fixedSize) logDensity(s state, out []float64) (float64, []float64) {
	if s == absent {
		return f.of.logDensity(-state(min(f.batch, f.records-1)), out)
	}
	without, rest := f.of.logDensity(-state(f.batch), out)
	with, _ := f.of.logDensity(s-state(f.batch-1), out)
	q := float64(f.batch) / float64(f.records)
	return logMix(1-q, without, q, with), rest
}

// truncated adds noise to the sum of a Poisson sample of limited size: random records are dropped. All other records
// contribute the same number.
type truncated struct {
	q             float64
	most, records int
	others        state
	of            mechanism
}

func (t truncated) draw(r *rand.Rand, s state, out []float64) []float64 {
	var sample []state
	for range t.records - 1 {
		if r.Float64() < t.q {
			sample = append(sample, t.others)
		}
	}
	if s != absent && r.Float64() < t.q {
		sample = append(sample, s)
	}
	sum := state(0)
	for i := range min(t.most, len(sample)) {
		j := i + r.IntN(len(sample)-i)
		sample[i], sample[j] = sample[j], sample[i]
		sum += sample[i]
	}
	return t.of.draw(r, sum, out)
}

func (t truncated) logDensity(s state, out []float64) (float64, []float64) {
	at := func(sum state) float64 {
		l, _ := t.of.logDensity(sum, out)
		return l
	}
	var m mixture
	for j := range t.records {
		chance := binomial(t.records-1, j, t.q)
		without := t.others * state(min(j, t.most))
		if s == absent {
			m.add(chance, at(without))
			continue
		}
		stays := math.Min(1, float64(t.most)/float64(j+1))
		m.add(chance*(1-t.q*stays), at(without))
		m.add(chance*t.q*stays, at(t.others*state(min(j, t.most-1))+s))
	}
	_, rest := t.of.logDensity(absent, out)
	return m.log(), rest
}

// binomial returns the probability of k successes in n trials.
func binomial(n, k int, q float64) float64 {
	p := 1.0
	for i := range k {
		p *= float64(n-i) / float64(i+1) * q
	}
	return p * math.Pow(1-q, float64(n-k))
}

// steps runs a mechanism count times and puts the record into one of several sets of steps, each equally likely.
// Batches of a fixed partition have one set, and shuffled batches have one set for each batch. In every step the other
// records add up to others.
type steps struct {
	count  int
	sets   [][]int
	others state
	of     mechanism
}

func (a steps) sums(set []int, s state) []state {
	sums := make([]state, a.count)
	for i := range sums {
		sums[i] = 2 * a.others
	}
	for _, i := range set {
		sums[i] = a.others + s
	}
	return sums
}

func (a steps) draw(r *rand.Rand, s state, out []float64) []float64 {
	for _, sum := range a.sums(a.sets[r.IntN(len(a.sets))], s) {
		out = a.of.draw(r, sum, out)
	}
	return out
}

func (a steps) logDensity(s state, out []float64) (float64, []float64) {
	var m mixture
	rest := out
	for _, set := range a.sets {
		total, l := 0.0, 0.0
		rest = out
		for _, sum := range a.sums(set, s) {
			l, rest = a.of.logDensity(sum, rest)
			total += l
		}
		m.add(1/float64(len(a.sets)), total)
	}
	return m.log(), rest
}

// subsets lists all sets of k of the first n numbers.
func subsets(n, k int) (sets [][]int) {
	if k == 0 {
		return [][]int{nil}
	}
	for last := k - 1; last < n; last++ {
		for _, s := range subsets(last, k-1) {
			sets = append(sets, append(s[:k-1:k-1], last))
		}
	}
	return sets
}
