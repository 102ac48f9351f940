package mechanism

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Visit is a record of several fields.
type Visit struct {
	Count  int     // 0..5
	Group  int     // 0..3
	Agrees [3]bool // to three questions
}

// Record releases a [Visit] as a JSON object, each field by a mechanism of its own: the count by the truncated
// geometric law, the group by k-ary randomized response, each answer by randomized response. The fields are
// independent: where counts differ by 1, the groups differ, and one answer does, it is exactly
// (ln(1+2^-bits) + group + answer)-private.
type Record struct {
	count  *TruncatedGeometric
	group  *KaryResponse
	answer *RandomizedResponse
}

const (
	mostVisits = 5
	groups     = "abcd"
)

// NewRecord returns the mechanism at the privacy of the count, ln(1+2^-bits) for bits in 0..12, of the group and of
// each answer, finite and > 0; else an error that wraps ErrDomain.
func NewRecord(bits int, group, answer float64) (*Record, error) {
	count, err := NewTruncatedGeometric(bits, mostVisits)
	if err != nil {
		return nil, err
	}
	g, err := NewKaryResponse(len(groups), group)
	if err != nil {
		return nil, err
	}
	a, err := NewRandomizedResponse(answer)
	if err != nil {
		return nil, err
	}
	return &Record{count: count, group: g, answer: a}, nil
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Release returns an object of "visits", "group", and "answers" with its "agrees" and its public "version".
func (m *Record) Release(r *rand.Rand, v Visit) (any, error) {
	count, err := m.count.Release(r, v.Count)
	if err != nil {
		return nil, err
	}
	if v.Group < 0 || v.Group >= len(groups) {
		return nil, domain.Error("record", "group", v.Group, "0..3")
	}
	group, err := m.group.Release(r, v.Group)
	if err != nil {
		return nil, err
	}
	agrees := []any{}
	for _, a := range v.Agrees {
		noisy, err := m.answer.Release(r, bit(a))
		if err != nil {
			return nil, err
		}
		agrees = append(agrees, noisy == 1)
	}
	return map[string]any{"visits": float64(count), "group": groups[group : group+1],
		"answers": map[string]any{"version": 1.0, "agrees": agrees}}, nil
}

// Distribution returns the probabilities of the outputs: products over the fields, the count slowest, then the
// group, then the answers in order.
func (m *Record) Distribution(v Visit) []float64 {
	law := product(m.count.Distribution(v.Count), m.group.Distribution(v.Group))
	for _, a := range v.Agrees {
		law = product(law, m.answer.Distribution(bit(a)))
	}
	return law
}

// product returns the law of two independent outputs, the first slowest.
func product(p, q []float64) (law []float64) {
	for _, a := range p {
		for _, b := range q {
			law = append(law, a*b)
		}
	}
	return law
}
