package inputs

import (
	"math/rand/v2"
	"reflect"
	"slices"
)

// near mutates another field or the records.
func (d *records) near(r *rand.Rand, p Pair[any]) (Pair[any], bool) {
	s, others, ok := d.taken(p)
	if !ok {
		return p, false
	}
	if n := len(others) - 1; n > 0 && r.IntN(n+2) > 1 {
		i := r.IntN(n)
		if i >= d.at {
			i++
		}
		others = slices.Clone(others)
		others[i] = d.object.parts[i].near(r, others[i])
		return d.pair(s, others), true
	}
	s = d.nearSplit(r, s)
	return d.pair(s, others), d.Adjacency == AddOrRemoveOneRecord || !reflect.DeepEqual(s.A, s.B)
}

// nearSplit mutates the records in one of several ways.
func (d *records) nearSplit(r *rand.Rand, s split) split {
	s.Shared = slices.Clone(s.Shared)
	record, n := d.list.record, len(s.Shared)
	_, most := d.room()
	move := r.IntN(16)
	switch {
	case n == 0 && move > 3, move == 0: // the differing record
		s.A = record.near(r, s.A)
	case move == 1: // its position
		s.At = place(r, n+1)
	case move == 2: // the number of records
		size := r.IntN(min(most, 2*n+2) + 1)
		from := append(s.Shared[:n:n], s.A)
		s.Shared = d.fit(slices.Repeat(from, size/len(from)+1)[:size], d.Values[0])
	case move == 3 && n < most: // insert a record
		s.Shared = slices.Insert(s.Shared, place(r, n+1), record.draw(r))
	case n == 0:
		s.A = record.draw(r)
	case move == 3 || move == 4: // remove a record
		i := place(r, n)
		s.Shared = d.fit(slices.Delete(s.Shared, i, i+1), s.A)
	case move < 8: // change one record
		i := place(r, n)
		s.Shared[i] = record.near(r, s.Shared[i])
	case move < 11: // change many records: outputs that depend on all of them change most
		v := s.Shared[place(r, n)]
		if w := record.near(r, v); r.IntN(2) == 0 {
			s.Shared = d.equal(n, w)
		} else { // all equal records
			for i := range s.Shared {
				if reflect.DeepEqual(s.Shared[i], v) {
					s.Shared[i] = w
				}
			}
		}
	case move < 13: // the same value in other records may leak too
		v := append(s.Shared[:n:n], s.A)[place(r, n+1)]
		for range 1 << r.IntN(3) {
			s.Shared[r.IntN(n)] = v
		}
		if r.IntN(2) == 0 {
			s.A = v
		}
	case move == 13:
		slices.SortStableFunc(s.Shared, inOrder)
		if r.IntN(2) == 0 {
			slices.Reverse(s.Shared)
		}
	case move == 14:
		s.Shared = d.fit(slices.Repeat(s.Shared, 2), s.Shared[0])
	default:
		s.Shared[place(r, n)] = record.draw(r)
	}
	if s.At = min(s.At, len(s.Shared)); d.Adjacency == ReplaceOneRecord && r.IntN(4) == 0 {
		s.B = record.near(r, s.B)
	}
	return s
}

// joined mixes the parts in which p and q differ, or extrapolates from p to q.
func (d *records) joined(r *rand.Rand, p, q Pair[any]) (Pair[any], bool) {
	s, others, ok := d.taken(p)
	t, more, also := d.taken(q)
	if !ok || !also {
		return p, false
	}
	least, most := d.room()
	record := d.list.record
	if r.IntN(2) == 0 {
		t.Shared = crossed(r, d.list, s.Shared, t.Shared).([]any)
		t.A, t.B = crossed(r, record, s.A, t.A), crossed(r, record, s.B, t.B)
		for i := range more {
			if i != d.at {
				more[i] = crossed(r, d.object.parts[i], others[i], more[i])
			}
		}
	} else {
		t.Shared = onwardList(r, s.Shared, t.Shared, record, least, most)
		t.A = record.onward(r, s.A, t.A)
		if d.Adjacency == ReplaceOneRecord {
			t.B = record.onward(r, s.B, t.B)
		}
		for i := range more {
			if i != d.at && !reflect.DeepEqual(others[i], more[i]) {
				more[i] = d.object.parts[i].onward(r, others[i], more[i])
			}
		}
	}
	t.At = min(t.At, len(t.Shared))
	return d.pair(t, more), d.Adjacency == AddOrRemoveOneRecord || !reflect.DeepEqual(t.A, t.B)
}
