package calibration

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// Subject is a mechanism with the neighbouring inputs it is audited on.
type Subject struct {
	ID    string
	Delta float64
	// Advertised is the ε that the mechanism claims to have, and the audit's claim.
	Advertised float64
	// Reachable is the exact ε over the subject's inputs, in both directions.
	Reachable func() float64
	// Audit is the black-box audit with the given number of samples of each input
	// of each pair, all phases together.
	Audit func(samples int64) verify.Check
	// Oracle is the ε that a certification with all samples would be expected to
	// find on the best event, chosen by the true likelihood ratio.
	Oracle func(samples int64, alpha float64) (float64, error)
}

// subjectOf is a subject before its types are hidden. Either law or density is
// set: law gives the probabilities of all outputs of a finite mechanism, or of cells of
// outputs within which the likelihood ratio of the inputs of each pair is constant, or nearly.
type subjectOf[D, O any] struct {
	id        string
	mechanism verify.Mechanism[D, O]
	pairs     []inputs.Pair[D]
	law       func(input D) []float64
	density   func(input D, out O) float64 // its logarithm
	// probes are outputs on which the density reaches its largest loss.
	probes []O
	// even says that they are an even grid that carries nearly all mass: the law is
	// summed over them.
	even              bool
	advertised, delta float64
	kept              *kept[D]
}

// kept are the figures of a subject that are computed once, whatever is asked of it how often.
type kept[D any] struct {
	lock  sync.Mutex
	laws  []lawAt[D]
	atoms map[string][]atom // by the purpose and the name of the pair
}

// lawAt is a law at an input.
type lawAt[D any] struct {
	input D
	law   []float64
}

func (s subjectOf[D, O]) hide() Subject {
	s.kept = &kept[D]{atoms: make(map[string][]atom)}
	return Subject{
		ID: s.id, Delta: s.delta, Advertised: s.advertised,
		Reachable: s.reachable,
		Audit: func(samples int64) verify.Check {
			return untypedAudit(s.mechanism, s.pairs, privacy.ApproximateDP(s.advertised, s.delta), samples)
		},
		Oracle: s.oracle,
	}
}

// reachable is the least ε over the pairs, exact for laws (at δ > 0 to 2e-6 of it where cells
// are fine and their ratio is not constant), and else the largest
// loss over the probes; at δ > 0 the hockey-stick divergence is summed over them, which
// are then even.
func (s subjectOf[D, O]) reachable() float64 {
	worst := 0.0
	for _, pair := range s.pairs {
		worst = math.Max(worst, bounds.MinEpsilon(s.lawOf(pair.A), s.lawOf(pair.B), s.delta))
	}
	return worst
}

// lawOf an input, which is not to be changed: of all outputs, of cells, or at the probes.
func (s subjectOf[D, O]) lawOf(input D) []float64 {
	s.kept.lock.Lock()
	defer s.kept.lock.Unlock()
	for _, l := range s.kept.laws {
		if reflect.DeepEqual(l.input, input) {
			return l.law
		}
	}
	of := s.law
	if of == nil {
		of = s.atProbes
	}
	l := lawAt[D]{input, of(input)}
	s.kept.laws = append(s.kept.laws, l)
	return l.law
}

// atProbes are the densities at the probes; summing to 1 where they are even.
func (s subjectOf[D, O]) atProbes(input D) []float64 {
	out := make([]float64, len(s.probes))
	var sum float64
	for i, o := range s.probes {
		out[i] = math.Exp(s.density(input, o))
		sum += out[i]
	}
	for i := range out {
		if s.even {
			out[i] /= sum
		}
	}
	return out
}

// atom is a set of outputs of one likelihood ratio, with its masses.
type atom struct{ ratio, p, q float64 }

// oracleSamples estimate the masses of events where there is no law.
const oracleSamples = 100_000

// oracle takes, over all pairs, the event of large likelihood ratio for which
// certification from the expected counts of all samples finds most.
func (s subjectOf[D, O]) oracle(samples int64, alpha float64) (float64, error) {
	fast := confidence.NewEpsilonFast(s.delta, alpha)
	best := 0.0
	for _, pair := range s.pairs {
		// Where masses are estimated, one sample chooses the event and another
		// measures it: the best of one sample would flatter itself.
		choose, err := s.atoms(pair, "choose")
		if err != nil {
			return 0, err
		}
		measure, err := s.atoms(pair, "measure")
		if err != nil {
			return 0, err
		}
		for range 2 { // both directions
			_, threshold := bestEvent(choose, float64(samples), fast)
			best = math.Max(best, certifiedAt(measure, threshold, float64(samples), fast))
			reverse(choose)
			reverse(measure)
		}
	}
	return best, nil
}

// bestEvent chooses the threshold on the ratio by the masses in p and q. Atoms of
// one ratio are taken together.
func bestEvent(atoms []atom, n float64, fast confidence.EpsilonFast) (best, threshold float64) {
	slices.SortFunc(atoms, func(a, b atom) int { return cmp.Compare(b.ratio, a.ratio) })
	var p, q float64
	least := 0.0 // the mass at which to look next: a geometric grid is enough
	for i, a := range atoms {
		p, q = p+a.p, q+a.q
		if p+q >= least && (i+1 == len(atoms) || atoms[i+1].ratio < a.ratio-1e-9) {
			least = 1.01 * (p + q)
			if v := fast.Lower(math.Min(n, n*p), n, math.Min(n, n*q), n); v > best {
				best, threshold = v, a.ratio
			}
		}
	}
	return best, threshold
}

// certifiedAt is what certification finds on the event of ratios from threshold on.
func certifiedAt(atoms []atom, threshold, n float64, fast confidence.EpsilonFast) float64 {
	var p, q float64
	for _, a := range atoms {
		if a.ratio >= threshold-1e-9 {
			p, q = p+a.p, q+a.q
		}
	}
	return fast.Lower(math.Min(n, n*p), n, math.Min(n, n*q), n)
}

func reverse(atoms []atom) {
	for i, a := range atoms {
		atoms[i] = atom{-a.ratio, a.q, a.p}
	}
}

// atoms of a pair, the caller's own: the outputs of a finite mechanism or on a grid; else samples of both
// inputs together, each of which tells by its density ratio of both laws.
func (s subjectOf[D, O]) atoms(pair inputs.Pair[D], purpose string) ([]atom, error) {
	if s.law != nil || s.even {
		var out []atom
		p, q := s.lawOf(pair.A), s.lawOf(pair.B)
		for i := range p {
			if p[i] > 0 || q[i] > 0 {
				out = append(out, atom{math.Log(p[i] / q[i]), p[i], q[i]})
			}
		}
		return out, nil
	}
	s.kept.lock.Lock()
	defer s.kept.lock.Unlock()
	name := purpose + " " + pair.Name
	if s.kept.atoms[name] == nil {
		drawn, err := s.drawnAtoms(pair, purpose)
		if err != nil {
			return nil, err
		}
		s.kept.atoms[name] = drawn
	}
	return slices.Clone(s.kept.atoms[name]), nil
}

func (s subjectOf[D, O]) drawnAtoms(pair inputs.Pair[D], purpose string) (out []atom, err error) {
	seed := empirical.NewSeed(1).Derive("oracle", purpose, s.id, pair.Name)
	for side, input := range []D{pair.A, pair.B} {
		r := seed.Derive(strconv.Itoa(side)).Rand()
		for range oracleSamples {
			o, err := s.mechanism.Release(r, input)
			if err != nil {
				return nil, err
			}
			ratio := s.density(pair.A, o) - s.density(pair.B, o)
			out = append(out, atom{ratio, 1 / (1 + math.Exp(-ratio)) / oracleSamples, 1 / (1 + math.Exp(ratio)) / oracleSamples})
		}
	}
	return out, nil
}

// untypedInput takes inputs whose type is hidden. The engine of audits is compiled for each pair of types that is
// audited, which takes the compiler most of a second; so only the types of outputs differ here. What is released,
// and which inputs are equal, is the same.
type untypedInput[D, O any] struct{ mechanism verify.Mechanism[D, O] }

func (h untypedInput[D, O]) Release(r *rand.Rand, input any) (O, error) {
	return h.mechanism.Release(r, input.(D))
}

// ReleaseN is that of the mechanism, or its Release for each output.
func (h untypedInput[D, O]) ReleaseN(r *rand.Rand, input any, out []O) (err error) {
	if batch, ok := h.mechanism.(verify.BatchMechanism[D, O]); ok {
		return batch.ReleaseN(r, input.(D), out)
	}
	for i := range out {
		if out[i], err = h.mechanism.Release(r, input.(D)); err != nil {
			return err
		}
	}
	return nil
}

// untypedAudit is an audit of so many samples of each input of each pair.
func untypedAudit[D, O any](m verify.Mechanism[D, O], pairs []inputs.Pair[D], g privacy.Guarantee,
	samples int64) privacy.Audit[any, O] {
	a := privacy.Audit[any, O]{Mechanism: untypedInput[D, O]{m}, Guarantee: g, Samples: samples}
	for _, p := range pairs {
		a.Pairs = append(a.Pairs, inputs.Pair[any]{Name: p.Name, A: p.A, B: p.B})
	}
	return a
}
