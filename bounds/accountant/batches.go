package accountant

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// flattenBatch adds a mechanism on batches of a fixed or limited size.
func (p *profile) flattenBatch(e event.Event, q, count float64, counts map[leaf]float64) error {
	if q < 1 {
		return event.DomainError("%s: it needs the number of records, which is random for a Poisson sample: give "+
			"the batch a smaller size instead", e)
	}
	inner := &profile{adjacency: event.AddRemove}
	l, err := inner.leafOf(e.Parts[0], 1)
	if err != nil {
		return err
	}
	for _, s := range inner.assumptions {
		p.assume(s)
	}
	build := p.fixedSize
	if e.Kind == event.KindTruncatedPoisson {
		build = p.truncated
	}
	if l = build(e, l); l.q == 0 {
		return nil
	}
	counts[l] += count
	return nil
}

// flattenPure adds several mechanisms on one sample by the sum of their ε.
func (p *profile) flattenPure(e event.Event, found event.Kind, q, count float64, counts map[leaf]float64) error {
	all, err := newProfile(e, p.adjacency)
	if err != nil {
		return err
	}
	total := all.pureTotal()
	if math.IsInf(total, 1) {
		return event.DomainError("a Poisson sample shared by several mechanisms is only supported for Gaussians, and for "+
			"mechanisms of a finite ε at δ = 0 (found %s); sample each step instead", event.KindNames[found])
	}
	for _, s := range all.assumptions {
		p.assume(s)
	}
	p.upperOnly = true
	if all.only(func(l leaf) bool { return l.kind == event.KindExponential && l.q == 1 }) {
		return p.flatten(event.Exponential(total), q, count, counts)
	}
	return p.flatten(event.Pure(total), q, count, counts)
}

// fixedSize returns a mechanism on a batch of m of n records. With q = m/n, a record is in the batch with probability
// q; otherwise another record takes its place. Noise hides a replaced record, so the dominating pair is (1−q)Q + qP
// against Q, with P moved by twice the sensitivity. It is attained if all other records are opposite to the record. If
// a record is added, n includes it. If one is replaced, the pair holds at all ε ≥ 0 in both orders and is folded (Zhu,
// Dong & Wang 2022, Theorem 11). A non-adaptive composition attains the pair of one order.
func (p *profile) fixedSize(e event.Event, l leaf) leaf {
	p.assume(fmt.Sprintf("every batch holds %g of %d records, each set of them equally likely", e.B, e.Count))
	if l.q = e.B / float64(e.Count); l.kind == event.KindDiscreteLaplace {
		l.b *= 2
	} else {
		l.a *= 2
	}
	if l.q == 1 && p.adjacency == event.AddRemove {
		// The smaller data set has no batch of this size. If all its records form one batch, no record is replaced.
		smaller := leaf{kind: l.kind, a: l.a / 2, b: l.b, q: 1}
		if l.kind == event.KindDiscreteLaplace {
			smaller.a, smaller.b = l.a, l.b/2
		}
		return p.derived(e, func() pld.Pair { return &pld.Bracketed{Above: &mechanism{l}, Below: &mechanism{smaller}} })
	}
	if p.adjacency == event.AddRemove || l.q == 1 {
		return l
	}
	m := &mechanism{l}
	return p.derived(e, func() pld.Pair { return &pld.Bracketed{Above: pld.NewFolded(m), Below: m} })
}

// truncated returns a Gaussian on a Poisson sample that is cut to m records. Whether the other records alone can cause
// a cut does not depend on the record. So the upper pair may reveal it. Without a possible cut, the mechanism is a
// sampled Gaussian. Otherwise it is at most a batch of fixed size, which contains the record at most as often. For the
// lower pair, the other records contribute nothing, and the record takes part whenever no cut is possible.
func (p *profile) truncated(e event.Event, l leaf) leaf {
	p.assume(fmt.Sprintf("every record joins each step independently with probability %g; of more than %g sampled "+
		"ones, each set of %g is equally likely to stay", e.A, e.B, e.B))
	cut := math.Min(1, numeric.BinomialTail(e.Count-1, e.A, e.B))
	l.q, l.opposed = e.A, p.adjacency == event.ReplaceOne
	if l.q == 0 {
		return l
	}
	same, replaced := &mechanism{l}, &mechanism{leaf{kind: l.kind, a: 2 * l.a, q: l.q}}
	if cut == 0 {
		return l
	}
	return p.derived(e, func() pld.Pair {
		included := l
		b := &pld.Bracketed{Below: pld.Nothing()}
		if included.q *= 1 - cut; included.q >= 1e-100 {
			b.Below = &mechanism{included}
		}
		var second pld.Pair = replaced
		if l.opposed {
			second = pld.NewFolded(replaced)
		}
		if b.Above = second; cut < 1 {
			b.Above = &pld.Revealed{First: same, Second: second, Chance: cut}
		}
		return b
	})
}

// derived returns the leaf of a pair.
func (p *profile) derived(e event.Event, build func() pld.Pair) leaf {
	return p.namedLeaf(e, "", build())
}

// mechanism implements pld.Pair for a leaf.
type mechanism struct{ leaf }

func (m *mechanism) Losses(tail float64) (low, high float64) { return m.lossRange(tail) }
func (m *mechanism) Lattice() (spacing float64, ok bool)     { return m.grid() }
func (m *mechanism) Smooth() bool                            { return m.smooth() }
func (m *mechanism) Cells(h, tail float64) (above, below *pld.Cells) {
	return m.sides(h, tail)
}

func (m *mechanism) LogMoment(alpha float64) pld.Interval {
	beta := math.Max(alpha-1, -alpha)
	forth, back := m.renyiLow(beta)
	if alpha < 0 {
		forth = back
	}
	return pld.Interval{Low: beta * forth * (1 - 4*unit), High: beta * m.renyi(beta) * (1 + 4*unit)}
}

func (m *mechanism) Lost() (p, q pld.Interval) { return p, q }

func (m *mechanism) Most() pld.Interval {
	maxLoss := pureEpsilon(m.leaf)
	return pld.Interval{Low: maxLoss * (1 - 1e-13), High: maxLoss}
}

func (m *mechanism) Symmetric() bool { return m.symmetric() }

func (m *mechanism) Sampled(q float64) (pld.Pair, error) {
	if m.opposed {
		return nil, fmt.Errorf("a sample of a sample with replaced records is not supported")
	}
	sampled := m.leaf
	sampled.q *= q
	return &mechanism{sampled}, nil
}
