package matrix

import "slices"

// effort limits the work of the dynamic program over a forest to this number of joined or compared pairs of pieces,
// which takes a few tenths of a second.
const effort = 12_000_000

// piece is a set of participations in a range of leaves. Blocks of at most distance leaves contain at most one
// participation each, and a piece leaves open which leaf of a block it is. first and last are the slack at its ends:
// the leaves before the first and after the last participation. The distance constraints allow exactly the pairs with
//
//	first ≤ left, last ≤ right, first + last ≤ both.
//
// A slack above distance − 1 is equivalent to distance − 1.
type piece struct {
	value             int // sum of squares of the counts of all nodes inside
	left, right, both int
	parts             [2]*piece // the pieces that were joined; the left range is width leaves wide
	width             int
}

// pieces contains the pieces of a range by their count. Index 0 represents a range without participation.
type pieces struct {
	width  int
	pieces [][]*piece
}

// programme is a dynamic program for at most times participations, at least distance apart.
type programme struct {
	times, distance int
	spent           int
	found           []piece // pieces of which none is dominated by another
}

// programme returns the exact maximum and a pattern that attains it. ok is false if it would take too long.
func (f *forest) programme(times, distance int) (best int, pattern []int, ok bool) {
	g := &programme{times: times, distance: distance}
	byHeight := g.heights(f.trees[0].height)
	if byHeight == nil {
		return 0, nil, false
	}
	all := pieces{pieces: [][]*piece{nil}}
	for _, t := range f.trees {
		// Nothing precedes the first participation, so its slack is irrelevant.
		all = g.join(all, byHeight[t.height], func(p piece, _ int) piece {
			p.left, p.both = 0, p.right
			return p
		})
		if g.spent > effort {
			return 0, nil, false
		}
	}
	var top *piece
	for _, set := range all.pieces {
		for _, p := range set {
			if top == nil || p.value > top.value {
				top = p
			}
		}
	}
	next := 0
	for _, block := range top.blocks(0, nil) {
		pattern = append(pattern, max(next, block))
		next = pattern[len(pattern)-1] + distance
	}
	return top.value, pattern, true
}

// heights returns the pieces of complete trees of all heights, or nil if there are too many.
func (g *programme) heights(highest int) []pieces {
	all := make([]pieces, highest+1)
	for h := range all {
		width := 1 << h
		if width <= g.distance {
			slack := width - 1
			all[h] = pieces{width, [][]*piece{nil, {{value: h + 1, left: slack, right: slack, both: slack}}}}
			continue
		}
		all[h] = g.join(all[h-1], all[h-1], func(p piece, count int) piece {
			p.value += count * count
			return p
		})
		if g.spent > effort {
			return nil
		}
	}
	return all
}

// join combines adjacent ranges. It applies finish to every new piece, then drops dominated pieces. It stops early if
// it takes too long.
func (g *programme) join(a, b pieces, finish func(p piece, count int) piece) pieces {
	maxCount := min(g.times, len(a.pieces)+len(b.pieces)-2)
	c := pieces{a.width + b.width, make([][]*piece, maxCount+1)}
	for count := 1; count <= maxCount && g.spent <= effort; count++ {
		g.found = g.found[:0]
		for i := max(0, count-len(b.pieces)+1); i <= min(count, len(a.pieces)-1); i++ {
			g.pairs(a, b, i, count-i, finish)
		}
		for _, p := range g.found {
			c.pieces[count] = append(c.pieces[count], &p)
		}
	}
	return c
}

// pairs joins the pieces with i participations on the left and j on the right.
func (g *programme) pairs(a, b pieces, i, j int, finish func(p piece, count int) piece) {
	left, right := a.pieces[i], b.pieces[j]
	find := func(p piece) {
		p.left, p.right = min(p.left, p.both, g.distance-1), min(p.right, p.both, g.distance-1)
		p.both = min(p.both, p.left+p.right)
		g.find(finish(p, i+j))
	}
	g.spent += 1 + len(left)*len(right)
	switch {
	case i == 0:
		for _, p := range right {
			find(piece{p.value, p.left + a.width, p.right, p.both + a.width, [2]*piece{nil, p}, a.width})
		}
	case j == 0:
		for _, p := range left {
			find(piece{p.value, p.left, p.right + b.width, p.both + b.width, [2]*piece{p, nil}, a.width})
		}
	}
	gap := g.distance - 1 // minimum number of leaves between the last participation on the left and the first on the right
	for _, p := range left {
		for _, q := range right {
			if p.right+q.left >= gap {
				find(piece{
					value: p.value + q.value,
					left:  min(p.left, p.both-max(0, gap-q.left)),
					right: min(q.right, q.both-max(0, gap-p.right)),
					both:  p.both + q.both - gap,
					parts: [2]*piece{p, q}, width: a.width,
				})
			}
		}
	}
}

// find adds a piece unless it is dominated, and drops the pieces that it dominates.
func (g *programme) find(p piece) {
	for i := range g.found {
		if g.found[i].covers(&p) {
			g.spent += i / 4
			// A piece that dominates one candidate probably dominates the next ones too, so try it first.
			g.found[0], g.found[i] = g.found[i], g.found[0]
			return
		}
	}
	g.spent += len(g.found) / 2
	g.found = append(slices.DeleteFunc(g.found, func(q piece) bool { return p.covers(&q) }), p)
}

// covers reports whether p dominates q: it is at least as good in every respect.
func (p *piece) covers(q *piece) bool {
	return p.value >= q.value && p.left >= q.left && p.right >= q.right && p.both >= q.both
}

// blocks appends the first leaf of each block with a participation. start is the piece's first leaf.
func (p *piece) blocks(start int, to []int) []int {
	if p.parts == [2]*piece{} {
		return append(to, start)
	}
	if p.parts[0] != nil {
		to = p.parts[0].blocks(start, to)
	}
	if p.parts[1] != nil {
		to = p.parts[1].blocks(start+p.width, to)
	}
	return to
}
