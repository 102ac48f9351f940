package pld

import (
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// This file contains pairs for the shuffled reports of n users, who all use one local randomizer with parameter ε₀. One
// user's value is a in the first data set and b in the second. With e = e^ε₀, every pair is a list of groups, which
// are revealed. A group has s reports that are a or b, and others that count as rest reports. Let i be the number of
// reports a and j = s − i. Then P has the density ∝ rest + e·i + j, and Q ∝ rest + i + e·j, against fair coins.
//
// Two facts make coarser lists possible. Let N = rest + s, so the density is ∝ N + (e−1)i.
//
//   - Add one fair coin to a group. Given the new count i, s/(s+1) of it is expected to be old. So the new group has
//     s+1 coins and N(s+1)/s. This is post-processing, so (N, s) dominates (N(s+1)/s, s+1).
//   - Mixing P and Q with the coins shows that (N, s) dominates (N′, s) for N′ ≥ N.
//
// Groups with s₁ ≤ s ≤ s₂ are therefore dominated by (s₁·min N/s, s₁), and dominate (s₂·max N/s, s₂).
//
// For any ε₀-DP randomizer R and any value x, R(x) ≥ (R(a) + R(b))/(2e). Also R(a) = (e·A + B)/(e+1) and R(b) = (A +
// e·B)/(e+1) for two distributions A and B, so R(a) + R(b) = A + B (Kairouz, Oh & Viswanath 2015). So each other user
// reports a draw from A or from B with probability 1/(2e) each, and otherwise draws from a distribution that depends
// only on x. The numbers of draws from A and B determine the rest of the output, in both data sets by the same rule:
// the other users are a random subset of known size. That gives groups of s = 1 + Bin(n−1, 1/e) and no rest (Feldman,
// McMillan & Talwar 2021, Theorem 3.1).

// reach is the number of standard deviations to which binomial distributions are summed. The omitted probability
// is at most 2·exp(−reach²/2), by Hoeffding's inequality.
const reach = 11

// A list of counts becomes at most maxGroups groups in the middle of the distribution, fewGroups if each of them has a
// list of its own. Tails of probability tailShare become about tailGroups groups.
const (
	maxGroups, fewGroups, tailGroups = 1024, 64, 16
	tailShare                        = 1e-6
)

// group is a group of reports with its probability, which is the same under P and Q.
type group struct{ weight, s, rest float64 }

// Shuffled describes the shuffled reports of n users. Categories is the number of categories of randomized response, or
// 0 for any ε₀-DP randomizer.
type Shuffled struct {
	Users      int64
	Epsilon0   float64
	Categories float64
}

// Above returns a pair that dominates the reports of every pair of data sets that differ in one value.
func (s Shuffled) Above() (*Finite, error) {
	e := math.Exp(s.Epsilon0)
	switch {
	case s.Categories == 0:
		return s.pair(s.clones(math.Exp(-s.Epsilon0)))
	case s.Categories == 2:
		// Both categories are values of the pair: R(x) ≥ (R(a) + R(b))/(e+1), with equality at x's other category.
		return s.pair(s.clones(2 / (e + 1)))
	}
	return s.pair(s.responses())
}

// Below returns a pair that two data sets attain.
func (s Shuffled) Below() (*Finite, error) {
	k := s.Categories
	if k == 0 { // randomized response is an ε₀-DP randomizer; three categories leak more if ε₀ is large
		if k = 3; s.Epsilon0 < math.Ln2 {
			k = 2
		}
	}
	if k == 2 {
		return s.binary()
	}
	return s.third(k)
}

// clones returns the groups of other users who report from A or B with probability r.
func (s Shuffled) clones(r float64) (groups []group, omitted float64, above bool) {
	counts := binomial(float64(s.Users-1), r)
	for i := range counts.weights {
		groups = append(groups, group{counts.weights[i], counts.first + float64(i) + 1, 0})
	}
	// More reports reveal less, so the upper tail joins the last group.
	groups[len(groups)-1].weight += counts.beyond
	return merged(groups, true, maxGroups), counts.below, true
}

// responses returns the groups of randomized response with k ≥ 3 categories. Each other user reports a uniform category
// with probability k/(e+k−1), and the true value otherwise. The pair reveals which users report uniformly. The other
// users' reports are then known, and N−1 uniform reports hide the differing one. More of them reveal less. The reports
// that are neither a nor b are uniform on the other categories in both data sets.
func (s Shuffled) responses() (groups []group, omitted float64, above bool) {
	k, e := s.Categories, math.Exp(s.Epsilon0)
	counts := binomial(float64(s.Users-1), math.Min(1, k/(e+k-1)))
	var totals []group
	for i := range counts.weights {
		totals = append(totals, group{counts.weights[i], counts.first + float64(i) + 1, 0})
	}
	totals[len(totals)-1].weight += counts.beyond
	omitted = counts.below
	for _, t := range merged(totals, true, fewGroups) {
		n := t.s
		among := binomial(n, 2/k)
		limit := max(fewGroups, min(maxGroups, int(2e5/(reach*math.Sqrt(2*n/k)+1)))) // bounds the time
		var given []group
		for i, w := range among.weights {
			of := among.first + float64(i)
			density := (1 + (e-1)/n*of/2) * (k / (k + e - 1))
			given = append(given, group{t.weight * w * density, of, n - of})
		}
		groups = append(groups, merged(given, true, limit)...)
		omitted += t.weight * (among.below + among.beyond) * e
	}
	return groups, omitted, true
}

// third returns the pair of data sets in which all other users have a third value. Each of them reports a or b with
// probability w = 1/(e+k−1) each, so s is the number of reports a or b. Against trinomial reports of all n users,
// the differing user multiplies the density by (e·i + j)/n + (k−2)w(n−s)/(n(1−2w)).
func (s Shuffled) third(k float64) (*Finite, error) {
	e, n := math.Exp(s.Epsilon0), float64(s.Users)
	w := 1 / (e + k - 1)
	counts := binomial(n, 2*w)
	var groups []group
	for i, weight := range counts.weights {
		of := counts.first + float64(i)
		rest := (k - 2) * (n - of) / (e + k - 3) // 1 − 2w = (e+k−3)w
		groups = append(groups, group{weight * (rest + (e+1)*of/2) / n, of, rest})
	}
	return s.pair(merged(groups, false, maxGroups), 0, false)
}

// binary returns the pair of data sets of randomized response with two categories, in which all other users have the
// value b. The output is the number x of reports a. Against Bin(n, 1/(e+1)), which is Q, the differing user multiplies
// the density by (e·x + (n−x)/e)/n.
func (s Shuffled) binary() (*Finite, error) {
	e, n := math.Exp(s.Epsilon0), float64(s.Users)
	counts := binomial(n, 1/(e+1))
	ratio := func(i int) float64 {
		x := counts.first + float64(i)
		return (e*x + (n-x)/e) / n
	}
	last := len(counts.weights) - 1
	g := newLossGrid(math.Max(-math.Log(ratio(0)), math.Log(ratio(last))), false)
	at := g.start(ratio(0))
	for i, w := range counts.weights {
		r := ratio(i)
		at = g.put(at, w*r, w, r)
	}
	return g.pair(0, s.Epsilon0, s.rounding())
}

func (s Shuffled) rounding() float64 { return 1e-10 + 0x1p-50*float64(s.Users) }

// merged replaces adjacent groups, whose s increases, by fewer groups. Above, the list dominates the given one;
// otherwise it is dominated. The middle of the distribution becomes at most limit groups, the tails a few more.
func merged(groups []group, above bool, limit int) (merged []group) {
	total, before := 0.0, 0.0
	for _, g := range groups {
		total += g.weight
	}
	middle := 0
	unlikely := func(before float64) bool { return math.Min(before, total-before) < tailShare*total }
	for _, g := range groups {
		if before += g.weight; !unlikely(before) {
			middle++
		}
	}
	before = 0
	for first := 0; first < len(groups); {
		size := 1 + (middle-1)/limit
		if before += groups[first].weight; unlikely(before) {
			size = 1 + len(groups)/tailGroups
		}
		if groups[first].s == 0 { // reveals nothing
			size = 1
		}
		end := min(first+size, len(groups))
		merged = append(merged, joined(groups[first:end], above))
		for _, g := range groups[first+1 : end] {
			before += g.weight
		}
		first = end
	}
	return merged
}

// joined returns one group for several, by the two facts at the beginning of this file.
func joined(groups []group, above bool) group {
	if len(groups) == 1 {
		return groups[0]
	}
	all, perCoin := group{s: groups[0].s}, groups[0].rest/groups[0].s
	if !above {
		all.s = groups[len(groups)-1].s
	}
	for _, g := range groups {
		all.weight += g.weight
		if r := g.rest / g.s; r < perCoin == above {
			perCoin = r
		}
	}
	all.rest = all.s * perCoin
	return all
}

// pair returns the pair of a list of groups. Omitted outputs have a probability of at most omitted under P and under Q.
// Above, they count as the largest possible loss ε₀.
func (s Shuffled) pair(groups []group, omitted float64, above bool) (*Finite, error) {
	more := math.Expm1(s.Epsilon0)
	ratio := func(g group, i float64) float64 {
		return (g.rest + g.s + more*i) / (g.rest + g.s + more*(g.s-i))
	}
	largest := 0.0
	windows := make([][2]float64, len(groups))
	for i, g := range groups {
		half := math.Ceil(reach * math.Sqrt(g.s) / 2)
		windows[i] = [2]float64{math.Max(0, math.Floor(g.s/2-half)), math.Min(g.s, math.Ceil(g.s/2+half))}
		largest = math.Max(largest, math.Log(ratio(g, windows[i][1])))
		if windows[i][0] > 0 { // densities against the coins are at most 2
			omitted += g.weight * 4 * math.Exp(-reach*reach/2)
		}
	}
	grid := newLossGrid(largest, above)
	for i, g := range groups {
		from, to := windows[i][0], windows[i][1]
		center := math.Floor(g.s / 2)
		chance := make([]float64, int(to-from)+1)
		chance[int(center-from)] = math.Exp(numeric.LogBinomial(g.s, center, 0.5, 0.5))
		for x := center + 1; x <= to; x++ {
			chance[int(x-from)] = chance[int(x-from)-1] * (g.s - x + 1) / x
		}
		for x := center - 1; x >= from; x-- {
			chance[int(x-from)] = chance[int(x-from)+1] * (x + 1) / (g.s - x)
		}
		all := g.rest + g.s + more*g.s/2
		at := grid.start(ratio(g, from))
		for x := from; x <= to; x++ {
			w := g.weight * chance[int(x-from)] / all
			p, q := w*(g.rest+g.s+more*x), w*(g.rest+g.s+more*(g.s-x))
			at = grid.put(at, p, q, p/q)
		}
	}
	return grid.pair(omitted, s.Epsilon0, s.rounding())
}

// counts is a binomial distribution between two tails.
type counts struct {
	first         float64
	weights       []float64
	below, beyond float64 // the probabilities of the tails, rounded up
}

func binomial(n, p float64) (c counts) {
	if n == 0 || p == 0 || p == 1 {
		return counts{first: n * p, weights: []float64{1}}
	}
	half := reach*math.Sqrt(n*p*(1-p)) + reach*reach
	c.first = math.Max(0, math.Floor(n*p-half))
	last := math.Min(n, math.Ceil(n*p+half))
	for x := c.first; x <= last; x++ {
		c.weights = append(c.weights, math.Exp(numeric.LogBinomial(n, x, p, 1-p)))
	}
	if c.first > 0 {
		c.below = numeric.BinomialTail(int64(n), 1-p, n-c.first+1)
	}
	if last < n {
		c.beyond = numeric.BinomialTail(int64(n), p, last+1)
	}
	return c
}

// lossGrid collects outputs in cells of their loss, evenly spaced from −largest to largest.
type lossGrid struct {
	above bool
	edges []float64 // e^loss
	cells []Atom
}

func newLossGrid(largest float64, above bool) *lossGrid {
	const cells = 1 << 12
	g := &lossGrid{above: above, edges: make([]float64, cells+1), cells: make([]Atom, cells)}
	h := math.Max(largest, 1e-6) * (1 + 1e-12) / (cells / 2)
	for i := range g.edges {
		g.edges[i] = math.Exp(h * float64(i-cells/2))
	}
	return g
}

// start returns the cell of a ratio P/Q.
func (g *lossGrid) start(ratio float64) int {
	low, high := 0, len(g.cells)-1
	for low < high {
		if mid := (low + high + 1) / 2; g.edges[mid] <= ratio {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

// put adds an output with the given ratio P/Q, at cell at or above it, and returns its cell.
func (g *lossGrid) put(at int, p, q, ratio float64) int {
	for at < len(g.cells)-1 && ratio > g.edges[at+1] {
		at++
	}
	g.cells[at].P += p
	g.cells[at].Q += q
	return at
}

// pair returns the pair of the collected outputs. Below, the outputs of a cell are one output. Above, they move to the
// ends of the cell such that the sums of both probabilities remain: the chords of the convex curve δ. A probability of
// omitted counts as loss ε₀ in both orders.
func (g *lossGrid) pair(omitted, epsilon0, rounding float64) (*Finite, error) {
	if !g.above {
		var outputs []Atom
		for _, a := range g.cells {
			if a.P > smallestAtom && a.Q > smallestAtom {
				outputs = append(outputs, a)
			}
		}
		return NewFinite(outputs, rounding)
	}
	at := make([]float64, len(g.edges)) // probabilities under Q
	for i, a := range g.cells {
		left, right := g.edges[i], g.edges[i+1]
		up := math.Min(a.Q, math.Max(0, (a.P-left*a.Q)/(right-left)))
		at[i+1] += up
		at[i] += a.Q - up
	}
	var outputs []Atom
	for i, q := range at {
		if q > smallestAtom {
			outputs = append(outputs, Atom{P: math.Min(1, q*g.edges[i]), Q: math.Min(1, q)})
		} else {
			omitted += 2 * smallestAtom * math.Max(1, g.edges[i])
		}
	}
	if omitted = math.Min(1, omitted); omitted > 0 {
		less := omitted * math.Exp(-epsilon0)
		outputs = append(outputs, Atom{P: omitted, Q: less}, Atom{P: less, Q: omitted})
	}
	return NewFinite(outputs, rounding)
}

// smallestAtom is the probability below which a cell is omitted.
const smallestAtom = 1e-60
