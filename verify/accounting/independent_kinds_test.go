package accounting_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// An independent is an event with pairs of output distributions that are computed from its definition.
type independent struct {
	event  event.Event
	adj    event.Adjacency
	cell   string    // kind and sampling
	occurs []pairLaw // pairs of one run that occur; runs are composed with one pair
	above  []pairLaw // the worst pairs of one run, or pairs that dominate them; nil if none are known
}

var bothAdjacencies = []event.Adjacency{event.AddRemove, event.ReplaceOne}

// independents returns one event of each kind, adjacency and sampling, with random parameters.
func independents(r *rand.Rand) (all []independent) {
	for _, adj := range bothAdjacencies {
		all = append(all, noisyEvents(r, adj)...)
		all = append(all, choiceEvents(r, adj)...)
		all = append(all, partitions(r, adj)...)
		all = append(all, subsets(r, adj)...)
		all = append(all, selections(r, adj)...)
		all = append(all, replacements(r, adj)...)
		all = append(all, groups(r, adj)...)
	}
	return all
}

func between(r *rand.Rand, a, b float64) float64 {
	return math.Round((a+(b-a)*r.Float64())*1000) / 1000
}

// A sum is a mechanism that adds noise to a number to which a record contributes up to s.
type sum struct {
	name  string
	event event.Event
	noise noise
	s     float64
}

// noisyEvents returns sums with noise on one number. The noise is log-concave. So the most powerful event of each
// probability against a shift to the right is the same half line for all shifts. Hence the pairs with the farthest
// shifts are the worst, including replaced records with opposite shifts.
func noisyEvents(r *rand.Rand, adj event.Adjacency) (all []independent) {
	// The noise is wide enough to bound the integrand of order 6.
	sigma, scale, rate, bound := between(r, 0.9, 3), between(r, 0.6, 3), between(r, 0.3, 1.5), between(r, 3, 8)
	s, whole := between(r, 0.3, 1.5), float64(1+r.IntN(2))
	wide, coarse := between(r, 2, 4), whole*between(r, 0.6, 2)
	mechanisms := []sum{
		{"gaussian", event.Gaussian(sigma).WithSensitivity(s), gaussianNoise(sigma), s},
		{"laplace", event.Laplace(scale).WithSensitivity(s), laplaceNoise(scale, math.Inf(1)), s},
		{"discrete-laplace", event.DiscreteLaplace(rate).WithSensitivity(whole), discreteLaplaceNoise(rate), whole},
		{"discrete-gaussian", event.DiscreteGaussian(coarse).WithSensitivity(whole), discreteGaussianNoise(coarse), whole},
		{"truncated-laplace", event.TruncatedLaplace(scale, bound).WithSensitivity(s), laplaceNoise(scale, bound), s},
		{"uniform", event.Uniform(bound).WithSensitivity(s), uniformNoise(bound), s},
		{"matrix", event.Matrix(sigma, s, s), gaussianNoise(sigma), s},
		{"tree", treeEvent(wide), gaussianNoise(wide), math.Sqrt(3)},
	}
	q := between(r, 0.05, 0.9)
	m, n := int64(1+r.IntN(4)), int64(5+r.IntN(6))
	share := float64(m) / float64(n)
	for _, x := range mechanisms {
		alone := x.noise.pair(at(x.s), at(0))
		poisson := x.noise.pair(sampled(q, x.s), at(0))
		if adj == event.ReplaceOne {
			alone = x.noise.pair(at(x.s), at(-x.s))
			poisson = x.noise.pair(sampled(q, x.s), sampled(q, -x.s))
		}
		all = append(all, independent{x.event, adj, x.name, []pairLaw{alone}, []pairLaw{alone}})
		if x.name == "matrix" || x.name == "tree" {
			continue
		}
		all = append(all,
			independent{event.Poisson(q, x.event), adj, x.name + " poisson", []pairLaw{poisson}, []pairLaw{poisson}},
			independent{event.FixedBatches(m, x.event), adj, x.name + " fixed", []pairLaw{alone}, []pairLaw{alone}})
		if x.name == "discrete-gaussian" || x.name == "truncated-laplace" || x.name == "uniform" {
			continue // The accountant rejects them on batches of fixed size.
		}
		without := independent{event.WithoutReplacement(m, n, x.event), adj, x.name + " without", nil, nil}
		if adj == event.AddRemove {
			// The record replaces another record, which may contribute the opposite.
			without.occurs = []pairLaw{x.noise.pair(sampled(share, 2*x.s), at(0))}
			without.above = without.occurs
		} else {
			without.occurs = []pairLaw{
				x.noise.pair(sampled(share, x.s), sampled(share, -x.s)),
				x.noise.pair(sampled(share, 2*x.s), at(0)),
			}
		}
		all = append(all, without)
	}
	return append(all, mixtureEvents(r, adj)...)
}

func treeEvent(multiplier float64) event.Event {
	e, err := event.Description{
		Mechanism: "matrix", Strategy: "tree", Steps: 4, NoiseMultiplier: multiplier,
	}.Event()
	if err != nil {
		panic(err)
	}
	return e
}

func mixtureEvents(r *rand.Rand, adj event.Adjacency) []independent {
	sigma, a, b, w, q := between(r, 1.1, 2), between(r, 0.2, 1), between(r, 1, 2), between(r, 0.1, 0.9), between(r, 0.1,
		0.9)
	e := event.GaussianMixture(sigma, []float64{a, b}, []float64{w, 1 - w})
	n := gaussianNoise(sigma)
	mixed := func(q, sign float64) mixture { return mixture{{1 - q, 0}, {q * w, sign * a}, {q * (1 - w), sign * b}} }
	var all []independent
	for _, q := range []float64{1, q} {
		one := independent{e, adj, "mixture", nil, nil}
		if q < 1 {
			one.event, one.cell = event.Poisson(q, e), "mixture poisson"
		}
		pair := n.pair(mixed(q, 1), at(0))
		if adj == event.ReplaceOne {
			pair = n.pair(mixed(q, 1), mixed(q, -1))
		}
		one.occurs, one.above = []pairLaw{pair}, []pairLaw{pair}
		all = append(all, one)
	}
	return all
}

// A choice has finitely many outputs: their probabilities without the record, with it, and with its replacement.
type choice struct{ absent, with, other []float64 }

// pair returns the pair of a choice on a Poisson sample.
func (c choice) pair(q float64, adj event.Adjacency) pairLaw {
	mix := func(x []float64) []float64 {
		m := make([]float64, len(x))
		for i := range x {
			m[i] = (1-q)*c.absent[i] + q*x[i]
		}
		return m
	}
	if adj == event.AddRemove {
		return finite(mix(c.with), c.absent)
	}
	return finite(mix(c.with), mix(c.other))
}

// relatedChoice returns a pair of neighbors under the adjacency. Replace-one does not restrict an absent record, so
// its output may then show whether the record was in the sample.
func relatedChoice(p, q []float64, adj event.Adjacency) choice {
	if adj == event.AddRemove {
		return choice{absent: q, with: p}
	}
	absent := make([]float64, len(p)+1)
	absent[len(p)] = 1
	return choice{absent, append(append([]float64{}, p...), 0), append(append([]float64{}, q...), 0)}
}

func choiceEvents(r *rand.Rand, adj event.Adjacency) (all []independent) {
	e0, d0, rho, q := between(r, 0.3, 2.5), between(r, 0.01, 0.2), between(r, 0.05, 0.8), between(r, 0.05, 0.9)
	add := func(name string, e event.Event, occurs, above []choice) {
		for _, q := range []float64{1, q} {
			one := independent{e, adj, name, nil, nil}
			if q < 1 {
				one.event, one.cell = event.Poisson(q, e), name+" poisson"
			}
			for _, c := range occurs {
				one.occurs = append(one.occurs, c.pair(q, adj))
			}
			for _, c := range above {
				one.above = append(one.above, c.pair(q, adj))
			}
			all = append(all, one)
		}
	}
	p := 1 / (1 + math.Exp(-e0))
	pure := []choice{relatedChoice([]float64{p, 1 - p}, []float64{1 - p, p}, adj)}
	add("pure", event.Pure(e0), pure, pure)
	approximate := []choice{relatedChoice([]float64{d0, (1 - d0) * p, (1 - d0) * (1 - p), 0},
		[]float64{0, (1 - d0) * (1 - p), (1 - d0) * p, d0}, adj)}
	add("approximate", event.Approximate(e0, d0), approximate, approximate)
	for _, k := range []int{2, 3, 5} {
		responses := randomResponses(e0, k, adj)
		add(fmt.Sprint("rr ", k), event.RandomizedResponse(e0, k), responses, responses)
	}
	var ranged []choice
	for i := 1; i < 20; i++ {
		high, low := math.Exp(e0*float64(i)/20), math.Exp(e0*(float64(i)/20-1))
		b := (1 - low) / (high - low)
		ranged = append(ranged, relatedChoice([]float64{high * b, low * (1 - b)}, []float64{b, 1 - b}, adj))
	}
	add("exponential", event.Exponential(e0), ranged, pure)
	add("permute-and-flip", event.PermuteAndFlip(e0), flips(r, e0, adj), pure)
	add("sparse-vector", event.SparseVector(e0/2, e0/2, 1), sparse(r, e0/2, e0/2, adj), pure)
	add("table", tableEvent, tableChoices(adj), nil)
	gaussian := gaussianNoise(1).pair(at(math.Sqrt(2*rho)), at(0))
	all = append(all,
		independent{event.Concentrated(rho), adj, "zcdp", []pairLaw{gaussian}, nil},
		argmax(between(r, 0.5, 4), adj), laplaceArgmax(between(r, 0.5, 4), adj))
	return append(all, topTwo(r, e0, adj))
}

// randomResponses treats an absent record as category 0.
func randomResponses(e0 float64, k int, adj event.Adjacency) []choice {
	response := func(i int) []float64 { return randomResponse(e0, k, i) }
	choices := []choice{{response(0), response(1), response(0)}}
	if adj == event.ReplaceOne && k > 2 {
		choices = append(choices, choice{response(0), response(1), response(2)})
	}
	return choices
}

// randomResponse returns the probabilities of the reports of category i.
func randomResponse(e0 float64, k, i int) []float64 {
	p := make([]float64, k)
	for j := range p {
		p[j] = 1 / (math.Exp(e0) + float64(k-1))
	}
	p[i] *= math.Exp(e0)
	return p
}

var tableRows = [][2]float64{{0.5, 0.2}, {0.3, 0.3}, {0.2, 0.4}, {0, 0.1}}
var tableEvent = event.Table(tableRows)

func tableChoices(adj event.Adjacency) []choice {
	var p, q []float64
	for _, row := range tableRows {
		p, q = append(p, row[0]), append(q, row[1])
	}
	return []choice{relatedChoice(p, q, adj)}
}

// flipChances returns the probabilities of the candidates of permute-and-flip at scores of sensitivity 1. Candidate i
// is accepted with probability p_i = exp(ε₀(score − best)/2) when its turn comes. With uniform arrival times t it is
// released with probability p_i ∫ Π_{j≠i} (1 − t p_j) dt.
func flipChances(e0 float64, scores []float64) []float64 {
	best := math.Inf(-1)
	for _, s := range scores {
		best = math.Max(best, s)
	}
	accept, chance := make([]float64, len(scores)), make([]float64, len(scores))
	for i, s := range scores {
		accept[i] = math.Exp(e0 * (s - best) / 2)
	}
	for i := range scores {
		product := []float64{1}
		for j, p := range accept {
			if j != i {
				next := make([]float64, len(product)+1)
				for d, c := range product {
					next[d] += c
					next[d+1] -= p * c
				}
				product = next
			}
		}
		for d, c := range product {
			chance[i] += accept[i] * c / float64(d+1)
		}
	}
	return chance
}

// flips returns permute-and-flip at several scores.
func flips(r *rand.Rand, e0 float64, adj event.Adjacency) (choices []choice) {
	for n := 2; n <= 6; n++ {
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i] = float64(r.IntN(4))
			b[i] = a[i] + []float64{-1, 1, 1}[r.IntN(3)]
		}
		choices = append(choices, relatedChoice(flipChances(e0, a), flipChances(e0, b), adj))
		clear(a)
		for i := range b {
			b[i] = 1
		}
		b[0] = -1
		choices = append(choices, relatedChoice(flipChances(e0, a), flipChances(e0, b), adj))
	}
	return choices
}

// sparse returns the index of the first of some queries above a noisy threshold, by quadrature over its noise.
func sparse(r *rand.Rand, e1, e2 float64, adj event.Adjacency) (choices []choice) {
	// Simpson's rule on panels that end at the kinks, which are integers.
	const panels = 32
	last := int(math.Ceil(32 / e1))
	outcomes := func(queries []float64) []float64 {
		p := make([]float64, len(queries)+1)
		for i := -last * panels; i <= last*panels; i++ {
			tau := float64(i) / panels
			weight := e1 / 2 * math.Exp(-e1*math.Abs(tau)) * float64(2+2*(i&1)) / 3 / panels
			for j, x := range queries {
				above := laplaceTail((tau - x) * e2 / 2)
				p[j] += weight * above
				weight *= 1 - above
			}
			p[len(queries)] += weight
		}
		return p
	}
	for _, n := range []int{1, 3, 8} {
		a, b := make([]float64, n), make([]float64, n)
		level := float64(r.IntN(9) - 4)
		for i := range a {
			a[i] = level
			b[i] = level + 1
		}
		b[n-1] = level - 1
		choices = append(choices, relatedChoice(outcomes(a), outcomes(b), adj))
	}
	return choices
}

func laplaceTail(x float64) float64 {
	if x < 0 {
		return 1 - math.Exp(x)/2
	}
	return math.Exp(-x) / 2
}

// argmax returns two classes with explicit votes. A replaced record moves one vote, and an added record casts one.
// Every argmax is a post-processing of all noisy votes, which move by √2.
func argmax(sigma float64, adj event.Adjacency) independent {
	moved := 2.0
	if adj == event.AddRemove {
		moved = 1
	}
	one := independent{event.NoisyArgmax(sigma), adj, "noisy-argmax", nil, nil}
	for margin := -4.0; margin <= 6; margin++ {
		wins := func(by float64) []float64 {
			return []float64{math.Erfc(-by/sigma/2) / 2, math.Erfc(by/sigma/2) / 2}
		}
		one.occurs = append(one.occurs, finite(wins(margin), wins(margin-moved)))
	}
	one.above = []pairLaw{gaussianNoise(sigma).pair(at(math.Sqrt2), at(0))}
	return one
}

// laplaceArgmax returns two classes whose votes have Laplace noise, with explicit votes. (1 + x/2)e^{−x}/2 is the tail
// of the difference of two Laplace variables of scale 1. Every argmax is a post-processing of all noisy votes, of
// which two move by 1.
func laplaceArgmax(scale float64, adj event.Adjacency) independent {
	moved := 2.0
	if adj == event.AddRemove {
		moved = 1
	}
	one := independent{event.LaplaceArgmax(scale), adj, "laplace-argmax", nil, nil}
	above := func(x float64) float64 {
		tail := (1 + math.Abs(x)/2) * math.Exp(-math.Abs(x)) / 2
		if x < 0 {
			return 1 - tail
		}
		return tail
	}
	for margin := -4.0; margin <= 10; margin++ {
		wins := func(by float64) []float64 { return []float64{above(-by / scale), above(by / scale)} }
		one.occurs = append(one.occurs, finite(wins(margin), wins(margin-moved)))
	}
	step := 1 / scale / 60
	vote := laplaceNoise(scale, math.Inf(1)).pair(at(1), at(0)).spread(step)
	one.above = []pairLaw{independently(vote, vote).spread(step)}
	return one
}

// topTwo chooses two of three candidates in order. The log odds of each choice vary within a range of ε₀.
func topTwo(r *rand.Rand, e0 float64, adj event.Adjacency) independent {
	lists := func(scores [3]float64) (p []float64) {
		for i, x := range scores {
			for j, y := range scores {
				if i != j {
					whole := math.Exp(scores[0]) + math.Exp(scores[1]) + math.Exp(scores[2])
					p = append(p, math.Exp(x)/whole*math.Exp(y)/(whole-math.Exp(x)))
				}
			}
		}
		return p
	}
	one := independent{event.TopK(e0, 2), adj, "top-k", nil, nil}
	for range 4 {
		var a, b [3]float64
		for i := range a {
			a[i] = between(r, 0, 3)
			b[i] = a[i] + e0*float64(r.IntN(2))
		}
		one.occurs = append(one.occurs, finite(lists(a), lists(b)))
	}
	p := 1 / (1 + math.Exp(-2*e0))
	one.above = []pairLaw{finite([]float64{p, 1 - p}, []float64{1 - p, p})}
	return one
}
