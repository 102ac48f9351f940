package matrix

import "slices"

// effort bounds the work of the dynamic programme over a forest: pairs of pieces that are joined or compared,
// some tenths of a second.
const effort = 12_000_000

// piece is a set of participations in a stretch of leaves, up to the leaves that are taken within blocks of
// at most distance leaves, each of which holds at most one. first and last are the slack at its ends: the
// leaves before the first participation and behind the last. By the constraints on distances exactly those
// pairs of slacks are possible that have
//
//	first ≤ left, last ≤ right, first + last ≤ both.
//
// More than distance − 1 is as good as that.
type piece struct {
	value             int // the sum of the squares of the counts of all nodes inside
	left, right, both int
	parts             [2]*piece // whence it came; the left stretch is width leaves wide
	width             int
}

// pieces are the pieces of a stretch by their count; none stands for a stretch without participation.
type pieces struct {
	width int
	of    [][]*piece
}

// programme is a dynamic programme for at most times participations, distance apart or more.
type programme struct {
	times, distance int
	spent           int
	found           []piece // none of which is nowhere better than another
}

// programme is the exact maximum, and a pattern of that value; ok is false where it would take too long.
func (f *forest) programme(times, distance int) (best int, pattern []int, ok bool) {
	g := &programme{times: times, distance: distance}
	byHeight := g.heights(f.trees[0].height)
	if byHeight == nil {
		return 0, nil, false
	}
	all := pieces{of: [][]*piece{nil}}
	for _, t := range f.trees {
		// Nothing comes before the first participation, whose slack is forgotten.
		all = g.join(all, byHeight[t.height], func(p piece, _ int) piece {
			p.left, p.both = 0, p.right
			return p
		})
		if g.spent > effort {
			return 0, nil, false
		}
	}
	var top *piece
	for _, set := range all.of {
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

// heights are the pieces of complete trees of all heights; nil if they are too many.
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

// join puts stretches side by side, and finishes what it finds before it drops what is nowhere better than
// something else. It stops short where it takes too long.
func (g *programme) join(a, b pieces, finish func(p piece, count int) piece) pieces {
	most := min(g.times, len(a.of)+len(b.of)-2)
	c := pieces{a.width + b.width, make([][]*piece, most+1)}
	for count := 1; count <= most && g.spent <= effort; count++ {
		g.found = g.found[:0]
		for i := max(0, count-len(b.of)+1); i <= min(count, len(a.of)-1); i++ {
			g.pairs(a, b, i, count-i, finish)
		}
		for _, p := range g.found {
			c.of[count] = append(c.of[count], &p)
		}
	}
	return c
}

// pairs finds the pieces with i participations on the left and j on the right.
func (g *programme) pairs(a, b pieces, i, j int, finish func(p piece, count int) piece) {
	left, right := a.of[i], b.of[j]
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
	gap := g.distance - 1 // leaves, at least, between the last on the left and the first on the right
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

// find keeps a piece, and drops what is nowhere better.
func (g *programme) find(p piece) {
	for i := range g.found {
		if g.found[i].covers(&p) {
			g.spent += i / 4
			// What covers one covers others.
			g.found[0], g.found[i] = g.found[i], g.found[0]
			return
		}
	}
	g.spent += len(g.found) / 2
	g.found = append(slices.DeleteFunc(g.found, func(q piece) bool { return p.covers(&q) }), p)
}

// covers tells whether p is nowhere worse than q.
func (p *piece) covers(q *piece) bool {
	return p.value >= q.value && p.left >= q.left && p.right >= q.right && p.both >= q.both
}

// blocks appends the first leaves of the blocks with a participation; start is the piece's first leaf.
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
