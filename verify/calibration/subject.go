package calibration

import (
	"cmp"
	"math"
	"math/rand/v2"
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

// Subject is a mechanism with the neighboring inputs on which it is audited.
type Subject struct {
	ID    string
	delta float64
	// advertised is the ε that the mechanism claims, and the claim of the audit.
	advertised float64
	// Reachable returns the true ε over the subject's inputs, in both directions.
	Reachable func() float64
	// audit returns the black-box audit with the given number of samples of each input of each pair, over all phases.
	audit func(samples int64) verify.Check
	// oracle returns the ε that certification with all samples would be expected to find on the best event, chosen by
	// the true likelihood ratio.
	oracle func(samples int64, alpha float64) (float64, error)
}

// subjectOf is a subject before its types are hidden. Either law or density is set. law returns the probabilities of
// all outputs of a finite mechanism, or of cells of outputs. In a cell, the likelihood ratio of the inputs of each
// pair is constant or nearly constant.
type subjectOf[D, O any] struct {
	id        string
	mechanism verify.Mechanism[D, O]
	pairs     []inputs.Pair[D]
	law       func(input D) []float64
	density   func(input D, out O) float64 // log density
	// probes are outputs on which the density reaches its largest loss.
	probes []O
	// even means that the probes are an even grid of nearly all probability, over which the density is summed.
	even              bool
	advertised, delta float64
}

func (s subjectOf[D, O]) hide() Subject {
	laws := sync.OnceValue(s.laws)
	atoms := sync.OnceValues(func() ([]pairAtoms, error) { return s.atoms(laws()) })
	return Subject{
		ID: s.id, delta: s.delta, advertised: s.advertised,
		Reachable: func() float64 { return s.reachable(laws()) },
		audit: func(samples int64) verify.Check {
			return untypedAudit(s.mechanism, s.pairs, privacy.ApproximateDP(s.advertised, s.delta), samples)
		},
		oracle: func(samples int64, alpha float64) (float64, error) {
			pairs, err := atoms()
			if err != nil {
				return 0, err
			}
			return oracle(pairs, s.delta, samples, alpha), nil
		},
	}
}

// reachable returns the smallest ε that holds for all pairs. It is exact for distributions; at δ > 0, if the ratio is
// not constant in a cell, its relative error is below 2e-6. For densities it is the largest loss over the probes. At
// δ > 0 it sums the hockey-stick divergence over the probes, which must be even.
func (s subjectOf[D, O]) reachable(laws [][2][]float64) float64 {
	worst := 0.0
	for _, l := range laws {
		worst = math.Max(worst, bounds.MinEpsilon(l[0], l[1], s.delta))
	}
	return worst
}

// laws returns the probabilities at both inputs of each pair: of all outputs, of cells, or at the probes.
func (s subjectOf[D, O]) laws() (list [][2][]float64) {
	law := s.law
	if law == nil {
		law = s.atProbes
	}
	for _, pair := range s.pairs {
		list = append(list, [2][]float64{law(pair.A), law(pair.B)})
	}
	return list
}

// atProbes returns the densities at the probes, normalized to the sum 1 if the probes are even.
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

// atom is a set of outputs with the same likelihood ratio, and its probabilities p and q. ratio is the log ratio.
type atom struct{ ratio, p, q float64 }

// oracleSamples is the number of samples that estimate the probabilities of events if there is no law.
const oracleSamples = 100_000

// pairAtoms are the atoms of a pair. If probabilities are estimated, one sample chooses the event and an independent
// sample measures it, because the estimate for the best event of the same sample would be biased upwards.
type pairAtoms struct{ choose, measure []atom }

// oracle returns the largest ε that certification would find from expected counts, over all pairs, both directions
// and all events {ratio ≥ threshold}.
func oracle(pairs []pairAtoms, delta float64, samples int64, alpha float64) float64 {
	fast := confidence.NewEpsilonFast(delta, alpha)
	best := 0.0
	for _, pair := range pairs {
		choose, measure := slices.Clone(pair.choose), slices.Clone(pair.measure)
		for range 2 { // both directions
			_, threshold := bestEvent(choose, float64(samples), fast)
			best = math.Max(best, certifiedAt(measure, threshold, float64(samples), fast))
			reverse(choose)
			reverse(measure)
		}
	}
	return best
}

// bestEvent returns the threshold on the ratio with the largest certified ε, and that ε. Atoms of equal ratio stay
// together.
func bestEvent(atoms []atom, n float64, fast confidence.EpsilonFast) (best, threshold float64) {
	slices.SortFunc(atoms, func(a, b atom) int { return cmp.Compare(b.ratio, a.ratio) })
	var p, q float64
	next := 0.0 // p + q of the next event to try: a geometric grid is fine enough
	for i, a := range atoms {
		p, q = p+a.p, q+a.q
		if p+q >= next && (i+1 == len(atoms) || atoms[i+1].ratio < a.ratio-1e-9) {
			next = 1.01 * (p + q)
			if v := fast.Lower(math.Min(n, n*p), n, math.Min(n, n*q), n); v > best {
				best, threshold = v, a.ratio
			}
		}
	}
	return best, threshold
}

// certifiedAt returns the ε that certification would find on the event {ratio ≥ threshold} from expected counts.
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

// atoms returns the atoms of each pair: the outputs of a finite mechanism or of a grid, or else samples of both
// inputs. The density ratio of a sample gives its weights under both inputs.
func (s subjectOf[D, O]) atoms(laws [][2][]float64) (list []pairAtoms, err error) {
	for i, pair := range s.pairs {
		var pa pairAtoms
		if s.law != nil || s.even {
			p, q := laws[i][0], laws[i][1]
			for k := range p {
				if p[k] > 0 || q[k] > 0 {
					pa.choose = append(pa.choose, atom{math.Log(p[k] / q[k]), p[k], q[k]})
				}
			}
			pa.measure = pa.choose
		} else if pa.choose, err = s.drawnAtoms(pair, "choose"); err != nil {
			return nil, err
		} else if pa.measure, err = s.drawnAtoms(pair, "measure"); err != nil {
			return nil, err
		}
		list = append(list, pa)
	}
	return list, nil
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

// untypedInput is a mechanism on inputs of type any. The generic audit is compiled for each pair of input and output
// types, which takes the compiler nearly a second. With untypedInput only the output types differ. The released
// outputs and the equality of inputs are the same.
type untypedInput[D, O any] struct{ mechanism verify.Mechanism[D, O] }

func (h untypedInput[D, O]) Release(r *rand.Rand, input any) (O, error) {
	return h.mechanism.Release(r, input.(D))
}

// ReleaseN calls the mechanism's ReleaseN if it has one, or else its Release for each output.
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

// untypedAudit returns an audit with the given number of samples of each input of each pair.
func untypedAudit[D, O any](m verify.Mechanism[D, O], pairs []inputs.Pair[D], g privacy.Guarantee,
	samples int64) privacy.Audit[any, O] {
	a := privacy.Audit[any, O]{Mechanism: untypedInput[D, O]{m}, Guarantee: g, Samples: samples}
	for _, p := range pairs {
		a.Pairs = append(a.Pairs, inputs.Pair[any]{Name: p.Name, A: p.A, B: p.B})
	}
	return a
}
