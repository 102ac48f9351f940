package witness

// table is two samples side by side: the distinct rows, and how often each was
// seen in either. Discrete outputs shrink to a few rows; others keep one each.
type table struct {
	rows   *Rows
	a, b   []float64 // counts of each row
	na, nb float64   // their sums
}

// newTable counts the rows from..to, as shares of each sample.
func newTable(a, b *Rows, from, to float64) *table {
	t := &table{rows: NewRows(a.Width, 0)}
	t.rows.plan = a.plan
	index := make(map[uint64]int)
	for side, s := range []*Rows{a, b} {
		n := float64(s.Len())
		for i := int(from * n); i < int(to*n); i++ {
			row := s.Row(i)
			k := rowKey(row)
			at, seen := index[k]
			if !seen {
				at = len(t.a)
				index[k] = at
				t.rows.Append(row)
				t.a, t.b = append(t.a, 0), append(t.b, 0)
			}
			if side == 0 {
				t.a[at]++
				t.na++
			} else {
				t.b[at]++
				t.nb++
			}
		}
	}
	return t
}

// values of a function of the rows.
func (t *table) values(f func([]float64) float64) []float64 {
	out := make([]float64, len(t.a))
	for i := range out {
		out[i] = f(t.rows.Row(i))
	}
	return out
}

// rowKey identifies a row by its bits: a multiply–xorshift hash (the finaliser of
// MurmurHash3) chained over the values. Rows that collide, one pair in 2⁶⁴, would
// be counted as one, which can only dull the search.
func rowKey(row []float64) uint64 {
	h := uint64(len(row))
	for _, v := range row {
		h ^= key(v)
		h *= 0xff51afd7ed558ccd
		h ^= h >> 33
		h *= 0xc4ceb9fe1a85ec53
		h ^= h >> 29
	}
	return h
}
