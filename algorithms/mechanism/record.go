package mechanism

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Visit is a record of several fields.
type Visit struct {
	Count  int     // 0..5
	Group  int     // 0..3
	Agrees [3]bool // answers to three questions
}

// Record releases a [Visit] as a JSON object, each field by its own mechanism: the count by the truncated
// geometric mechanism, the group by k-ary randomized response, each answer by randomized response. The fields are
// independent. If the counts differ by 1, the groups differ and one answer differs, it is exactly (ln(1+2^-bits) +
// group + answer)-DP.
type Record struct {
	count  *TruncatedGeometric
	group  *KaryResponse
	answer *RandomizedResponse
}

const (
	maxVisits = 5
	groups    = "abcd"
)

// NewRecord returns the mechanism with privacy loss ln(1+2^-bits) for the count, bits in 0..12, and with the
// privacy losses group for the group and answer for each answer, both finite and > 0. Other values give an error
// that wraps ErrDomain.
func NewRecord(bits int, group, answer float64) (*Record, error) {
	count, err := NewTruncatedGeometric(bits, maxVisits)
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

// Release returns an object with the keys "visits", "group" and "answers". "answers" has the keys "agrees" and the
// public "version".
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

// Distribution returns the probabilities of the outputs as products over the fields. The count varies slowest,
// then the group, then the answers in order.
func (m *Record) Distribution(v Visit) []float64 {
	law := product(m.count.Distribution(v.Count), m.group.Distribution(v.Group))
	for _, a := range v.Agrees {
		law = product(law, m.answer.Distribution(bit(a)))
	}
	return law
}

// product returns the joint distribution of two independent outputs, the first varying slowest.
func product(p, q []float64) (law []float64) {
	for _, a := range p {
		for _, b := range q {
			law = append(law, a*b)
		}
	}
	return law
}
