package accounting_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify/accounting"
)

// A relation is a proved order of two releases: every quantity of the first is at least the same quantity of the
// second. So the upper end of the first is at least the lower end of the second. The other ends need not be ordered.
type relation struct {
	name   string
	reason string
	draw   func(r *rand.Rand) (more, less accounting.Release) // nil: there is no order
	// Without an order: δ(ε) with less noise and with more noise, an ε at which it falls, and one at which it grows.
	delta func(noise, epsilon float64) float64
	noise [2]float64
	at    [2]float64
}

var relations = []relation{
	{name: "count", reason: "fewer runs are a part of more runs", draw: func(r *rand.Rand) (more,
		less accounting.Release) {
		less = drawnRelease(r)
		n := int64(1 + r.IntN(3))
		more = with(less, event.Repeat(n+1, less.Event))
		return more, with(less, event.Repeat(n, less.Event))
	}},
	{name: "composition", reason: "a part of an output is its post-processing", draw: func(r *rand.Rand) (more,
		less accounting.Release) {
		less = drawnRelease(r)
		other := drawnEvent(r)
		if r.IntN(2) == 0 {
			return with(less, event.Compose(less.Event, other)), less
		}
		return with(less, event.Compose(other, less.Event)), less
	}},
	{name: "Poisson sampling", reason: "divergences are jointly quasi-convex", draw: func(r *rand.Rand) (more,
		less accounting.Release) {
		more = accounting.Release{Event: drawnSampleable(r), Adjacency: drawnAdjacency(r)}
		return more, with(more, event.Poisson(between(r, 0.02, 0.98), more.Event))
	}},
	{name: "sampling rate", reason: "a sample of a Poisson sample is a Poisson sample", draw: func(r *rand.Rand) (more,
		less accounting.Release) {
		e, adj, q := drawnSampleable(r), drawnAdjacency(r), between(r, 0.1, 0.98)
		more = accounting.Release{Event: event.Poisson(q, e), Adjacency: adj}
		return more, with(more, event.Poisson(q*between(r, 0.1, 0.98), e))
	}},
	{name: "fixed-size batches", reason: "given the batch, a record is replaced or nothing changes",
		draw: func(r *rand.Rand) (more, less accounting.Release) {
			e := drawnLaw(r, []event.Kind{event.KindGaussian, event.KindLaplace, event.KindDiscreteLaplace})
			n := int64(2 + r.IntN(9))
			less = accounting.Release{Event: event.WithoutReplacement(1+r.Int64N(n-1), n, e), Adjacency: drawnAdjacency(r)}
			return accounting.Release{Event: e, Adjacency: event.ReplaceOne}, less
		}},
	{name: "truncated Poisson batches", reason: "given the draws, a record is added or replaced",
		draw: func(r *rand.Rand) (more, less accounting.Release) {
			e := drawnLaw(r, []event.Kind{event.KindGaussian})
			n := int64(2 + r.IntN(9))
			less = accounting.Release{
				Event:     event.TruncatedPoisson(between(r, 0.05, 0.95), 1+r.Int64N(n), n, e),
				Adjacency: drawnAdjacency(r),
			}
			return accounting.Release{Event: e, Adjacency: event.ReplaceOne}, less
		}},
	{name: "adjacency", reason: "a replaced record may contribute 0, and a moved record is added to one partition",
		draw: func(r *rand.Rand) (more, less accounting.Release) {
			e := drawnLaw(r, contributions)
			if r.IntN(2) == 0 {
				e = event.Poisson(between(r, 0.05, 0.95), e)
			}
			return accounting.Release{Event: e, Adjacency: event.ReplaceOne}, accounting.Release{Event: e}
		}},
	{name: "sensitivity", reason: "contributions of a smaller norm are allowed", draw: func(r *rand.Rand) (more,
		less accounting.Release) {
		e := drawnLaw(r, contributions[:2])
		if r.IntN(2) == 0 {
			e = event.Poisson(between(r, 0.05, 0.95), e)
		}
		less = accounting.Release{Event: e, Adjacency: drawnAdjacency(r)}
		grow := between(r, 1.01, 2)
		return with(less, changed(e, func(e *event.Event) { e.Sensitivity *= grow })), less
	}},
	{name: "noise of Gaussian and Laplace mechanisms", reason: "σ and the scale are units of the sensitivity",
		draw: func(r *rand.Rand) (more, less accounting.Release) {
			e, grow := drawnLaw(r, contributions[:2]), between(r, 1.01, 2)
			more = accounting.Release{Event: e, Adjacency: drawnAdjacency(r)}
			return more, with(more, changed(e, func(e *event.Event) { e.A *= grow }))
		}},
	{name: "ε₀", reason: "the guarantee with the larger ε₀ is weaker", draw: func(r *rand.Rand) (more,
		less accounting.Release) {
		kinds := []event.Kind{event.KindPure, event.KindApproximate, event.KindConcentrated, event.KindExponential}
		e, grow := drawnLaw(r, kinds), between(r, 1.01, 2)
		less = accounting.Release{Event: e, Adjacency: drawnAdjacency(r)}
		return with(less, changed(e, func(e *event.Event) { e.A *= grow })), less
	}},
	{name: "randomized response", reason: "it dominates every pair of the same two-sided pure ε",
		draw: func(r *rand.Rand) (more, less accounting.Release) {
			for {
				less = drawnRelease(r)
				b, err := trueAccount(less, accounting.EpsilonAt(0))
				if err == nil && b.Upper > 0 && b.Upper < 30 {
					return replaced(event.RandomizedResponse(b.Upper, 2)), less
				}
			}
		}},
	{name: "scale of truncated Laplace noise", reason: "wider noise has more probability near the bounds, and they " +
		"distinguish the neighbors",
		noise: [2]float64{1, 2}, at: [2]float64{0.1, 2},
		delta: func(scale, epsilon float64) float64 { return laplaceNoise(scale, 5).pair(at(1), at(0)).delta(epsilon) }},
	{name: "noise of a threshold", reason: "more noise hides an old partition and reveals a new one more often",
		noise: [2]float64{1, 2}, at: [2]float64{0.1, 1},
		delta: func(scale, epsilon float64) float64 {
			n := laplaceNoise(scale, math.Inf(1))
			return math.Max(thresholded(n, 4, at(1), nil).delta(epsilon), n.pair(at(1), at(0)).delta(epsilon))
		}},
	{name: "σ of discrete Gaussian noise", reason: "between two losses, δ is the probability of an integer, which may " +
		"grow with σ",
		noise: [2]float64{0.36, 0.39}, at: [2]float64{1, 3.9},
		delta: func(sigma, epsilon float64) float64 {
			return discreteGaussianNoise(sigma).pair(at(1), at(0)).delta(epsilon)
		}},
}

// contributions are the kinds of noise on a sum to which a record contributes at most the sensitivity.
var contributions = []event.Kind{
	event.KindGaussian, event.KindLaplace, event.KindDiscreteLaplace, event.KindDiscreteGaussian,
	event.KindTruncatedLaplace, event.KindUniform, event.KindMixture, event.KindThreshold,
}

func with(r accounting.Release, e event.Event) accounting.Release {
	r.Event = e
	return r
}

func drawnAdjacency(r *rand.Rand) event.Adjacency { return bothAdjacencies[r.IntN(2)] }

func drawnRelease(r *rand.Rand) accounting.Release {
	return accounting.Release{Event: drawnEvent(r), Adjacency: drawnAdjacency(r)}
}

// drawnEvent returns a mechanism of any kind, half of the time on a sample if that is accounted.
func drawnEvent(r *rand.Rand) event.Event {
	if r.IntN(2) == 0 {
		return event.Poisson(between(r, 0.05, 0.95), drawnSampleable(r))
	}
	e := drawnLaw(r, nil)
	if r.IntN(6) == 0 {
		return event.RepeatAndSelect([]float64{0, 1, -0.5, 2}[r.IntN(4)], between(r, 0.05, 0.7), drawnLaw(r,
			contributions[:3]))
	}
	return e
}

// drawnSampleable returns a mechanism that the accountant accepts on a Poisson sample.
func drawnSampleable(r *rand.Rand) event.Event {
	for {
		if e := drawnLaw(r,
			nil); e.Kind != event.KindMatrix && e.Kind != event.KindConcentrated && e.Kind != event.KindNoisyArgmax {
			return e
		}
	}
}

// drawnLaw returns a mechanism of one of the kinds, or of any, with random parameters.
func drawnLaw(r *rand.Rand, kinds []event.Kind) event.Event {
	sigma, s, e0, whole := between(r, 0.6, 3), between(r, 0.3, 1.5), between(r, 0.2, 2.5), float64(1+r.IntN(2))
	all := []event.Event{
		event.Gaussian(sigma).WithSensitivity(s),
		event.Laplace(sigma).WithSensitivity(s),
		event.DiscreteLaplace(e0).WithSensitivity(whole),
		event.DiscreteGaussian(sigma).WithSensitivity(whole),
		event.TruncatedLaplace(sigma, between(r, 2, 8)).WithSensitivity(s),
		event.Uniform(between(r, 2, 8)).WithSensitivity(s),
		event.GaussianMixture(sigma, []float64{s, 1.2}, []float64{0.25, 0.75}),
		event.Threshold(between(r, 1.6, 6), event.Laplace(sigma)).WithSensitivity(s),
		event.Threshold(between(r, 1.6, 6), event.Gaussian(sigma)).WithSensitivity(s),
		event.RandomizedResponse(e0, 2+r.IntN(4)),
		event.Exponential(e0), event.Pure(e0), event.Approximate(e0, between(r, 0.01, 0.2)),
		event.Concentrated(between(r, 0.05, 1)),
		event.PermuteAndFlip(e0), event.NoisyArgmax(sigma), event.SparseVector(e0/2, e0/3, 1+r.Int64N(3)),
		tableEvent, event.Matrix(sigma, s, s), event.TopK(e0, 1+r.Int64N(3)),
	}
	for {
		if e := all[r.IntN(len(all))]; kinds == nil || slices.Contains(kinds, e.Kind) {
			return e
		}
	}
}

// drawnQuantity returns a quantity that the accountant brackets for every release, possibly by +Inf.
func drawnQuantity(r *rand.Rand) accounting.Quantity {
	switch r.IntN(8) {
	case 0:
		return accounting.EpsilonAt(0)
	case 1:
		return accounting.EpsilonAt(between(r, 0.001, 0.3))
	case 2, 3:
		return accounting.DeltaAt(between(r, 0.05, 2))
	case 4:
		return accounting.Rho()
	default:
		return accounting.RenyiAt(between(r, 1.05, 9))
	}
}

// violation queries an account for a drawn pair of releases, and describes how the answers contradict the relation.
func (x relation) violation(a account, r *rand.Rand) (string, error) {
	more, less := x.draw(r)
	q := drawnQuantity(r)
	above, err := a(more, q)
	if err != nil {
		return "", fmt.Errorf("%s: %v: %w", x.name, more, err)
	}
	below, err := a(less, q)
	if err != nil {
		return "", fmt.Errorf("%s: %v: %w", x.name, less, err)
	}
	if below.Lower > above.Upper*(1+1e-9)+1e-14 {
		return fmt.Sprintf("%s: %v of %v is at most %.9g, and of %v at least %.9g, but %s",
			x.name, q, more, above.Upper, less, below.Lower, x.reason), nil
	}
	return "", nil
}

func TestRelations(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 4))
	for i := range testutil.Size(220, 3300) {
		if x := relations[i%len(relations)]; x.draw != nil {
			violation, err := x.violation(trueAccount, r)
			if violation != "" || err != nil {
				t.Error(violation, err)
			}
		}
	}
}

// Relations without an order have a counterexample to each direction.
func TestNoOrder(t *testing.T) {
	for _, x := range relations {
		if x.draw != nil {
			continue
		}
		for falls, epsilon := range x.at {
			if more, less := x.delta(x.noise[falls], epsilon), x.delta(x.noise[1-falls], epsilon); more <= less {
				t.Errorf("%s: δ(%g) is %g at %g, and %g at %g", x.name, epsilon, more, x.noise[falls], less, x.noise[1-falls])
			}
		}
	}
}

// A consequence is a proved inequality between two numbers, both from brackets of one release.
type consequence struct {
	name   string
	values func(ask asking, r *rand.Rand) (low, high float64)
}

// An asking returns the bracket of a quantity for one release.
type asking func(accounting.Quantity) accountant.Bracket

var consequences = []consequence{
	{"Rényi divergences grow with the order", func(ask asking, r *rand.Rand) (low, high float64) {
		alpha := between(r, 1.05, 6)
		return ask(accounting.RenyiAt(alpha)).Lower, ask(accounting.RenyiAt(alpha * between(r, 1.01, 2))).Upper
	}},
	{"ε-DP has D_α ≤ ε", func(ask asking, r *rand.Rand) (low, high float64) {
		return ask(accounting.RenyiAt(between(r, 1.05, 20))).Lower, ask(accounting.EpsilonAt(0)).Upper
	}},
	{"ε-DP has ρ ≤ ε tanh(ε/2)", func(ask asking, r *rand.Rand) (low, high float64) {
		epsilon := ask(accounting.EpsilonAt(0)).Upper
		return ask(accounting.Rho()).Lower, epsilon * math.Tanh(epsilon/2)
	}},
	{"ρ-zCDP has D_α ≤ ρα", func(ask asking, r *rand.Rand) (low, high float64) {
		alpha := between(r, 1.05, 9)
		return ask(accounting.RenyiAt(alpha)).Lower, alpha * ask(accounting.Rho()).Upper
	}},
	{"μ-GDP has ρ ≤ μ²/2", func(ask asking, r *rand.Rand) (low, high float64) {
		mu := ask(accounting.Mu()).Upper
		return ask(accounting.Rho()).Lower, mu * mu / 2
	}},
	{"μ-GDP has the δ of a Gaussian", func(ask asking, r *rand.Rand) (low, high float64) {
		mu, epsilon := ask(accounting.Mu()).Upper, between(r, 0, 2)
		if math.IsInf(mu, 1) || mu == 0 {
			return 0, 1
		}
		phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		gaussian := phi(mu/2-epsilon/mu) - math.Exp(epsilon)*phi(-mu/2-epsilon/mu)
		return ask(accounting.DeltaAt(epsilon)).Lower, gaussian + 1e-12
	}},
	{"δ at ε(δ) is δ", func(ask asking, r *rand.Rand) (low, high float64) {
		delta := between(r, 0.001, 0.3)
		epsilon := ask(accounting.EpsilonAt(delta)).Upper
		if math.IsInf(epsilon, 1) {
			return 0, 1
		}
		return ask(accounting.DeltaAt(epsilon)).Lower, delta
	}},
	{"δ below ε(δ) is more", func(ask asking, r *rand.Rand) (low, high float64) {
		delta := between(r, 0.001, 0.3)
		epsilon := ask(accounting.EpsilonAt(delta)).Lower
		if epsilon == 0 || math.IsInf(epsilon, 1) {
			return 0, 1
		}
		return delta, ask(accounting.DeltaAt(0.999 * epsilon)).Upper
	}},
	{"ε(δ) falls with δ", func(ask asking, r *rand.Rand) (low, high float64) {
		delta := between(r, 0.001, 0.2)
		return ask(accounting.EpsilonAt(delta * between(r, 1, 3))).Lower, ask(accounting.EpsilonAt(delta)).Upper
	}},
	{"δ(ε) falls with ε", func(ask asking, r *rand.Rand) (low, high float64) {
		epsilon := between(r, 0.05, 2)
		return ask(accounting.DeltaAt(epsilon * between(r, 1, 3))).Lower, ask(accounting.DeltaAt(epsilon)).Upper
	}},
	{"Mironov's conversion", func(ask asking, r *rand.Rand) (low, high float64) {
		alpha, delta := between(r, 1.5, 20), between(r, 0.0001, 0.1)
		return ask(accounting.EpsilonAt(delta)).Lower, ask(accounting.RenyiAt(alpha)).Upper + math.Log(1/delta)/(alpha-1)
	}},
}

func (x consequence) violation(a account, release accounting.Release, r *rand.Rand) (violation string, err error) {
	low, high := x.values(func(q accounting.Quantity) accountant.Bracket {
		b, fault := a(release, q)
		if fault != nil {
			err = fmt.Errorf("%s: %v: %v: %w", x.name, release, q, fault)
		}
		return b
	}, r)
	if err == nil && low > high*(1+1e-9)+1e-14 {
		violation = fmt.Sprintf("%s: %v: %.9g is above %.9g", x.name, release, low, high)
	}
	return violation, err
}

func TestConsequences(t *testing.T) {
	r := rand.New(rand.NewPCG(45, 5))
	for i := range testutil.Size(88, 2000) {
		violation, err := consequences[i%len(consequences)].violation(trueAccount, drawnRelease(r), r)
		if violation != "" || err != nil {
			t.Error(violation, err)
		}
	}
}
