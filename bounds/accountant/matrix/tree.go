package matrix

import "math/bits"

// forest is tree aggregation with disjoint complete binary trees. Each node is a row with ones for its leaves. All sums
// are integers and exact.
type forest struct {
	trees []tree
	steps int
}

// tree is a complete binary tree with 2^height leaves, from step start on.
type tree struct{ start, height int }

// newForest covers each period of restart steps, or all steps if restart is 0, by trees whose sizes are the binary
// digits of its length, largest first. Their nodes are those that streaming aggregation completes.
func newForest(steps, restart int) *forest {
	if restart == 0 {
		restart = steps
	}
	f := &forest{steps: steps}
	for start := 0; start < steps; start += restart {
		for at, left := start, min(restart, steps-start); left > 0; {
			t := tree{at, bits.Len(uint(left)) - 1}
			f.trees = append(f.trees, t)
			at, left = at+1<<t.height, left-1<<t.height
		}
	}
	return f
}

// counts contains the number of participations below each node, and the sum of their squares.
type counts struct {
	f      *forest
	treeOf []int // the tree that contains a step
	node   []int // the nodes of tree t from 2·start on, in heap order
	square int
}

func newCounts(f *forest) *counts {
	c := &counts{f: f, treeOf: make([]int, f.steps), node: make([]int, 2*f.steps)}
	for i, t := range f.trees {
		for j := range 1 << t.height {
			c.treeOf[t.start+j] = i
		}
	}
	return c
}

// add changes the number of participations at a step by change, which is 1 or −1.
func (c *counts) add(step, change int) {
	t := c.f.trees[c.treeOf[step]]
	for node := 1<<t.height + step - t.start; node > 0; node >>= 1 {
		k := &c.node[2*t.start+node]
		c.square += change * (2**k + change)
		*k += change
	}
}

// window returns the best value among times consecutive elements of steps, and the index of its first one.
func (c *counts) window(steps []int, times int) (best, first int) {
	for i, p := range steps {
		if i >= times {
			c.add(steps[i-times], -1)
		}
		if c.add(p, 1); c.square > best {
			best, first = c.square, max(0, i-times+1)
		}
	}
	for _, p := range steps[max(0, len(steps)-times):] {
		c.add(p, -1)
	}
	return best, first
}

func (f *forest) fixedOrder(times, distance int) Sensitivity {
	c := newCounts(f)
	best, first := 0, 0
	for residue := range min(distance, f.steps) {
		line := evenly(residue, f.steps, distance, f.steps)
		if v, i := c.window(line, times); v > best {
			best, first = v, line[i]
		}
	}
	s := float64(best)
	return bracket(s, s, true, evenly(first, times, distance, f.steps), "tree: all starts")
}

func (f *forest) separated(times, distance int) Sensitivity {
	top := f.filled(times, distance)
	low, pattern := f.greedy(times, distance, top)
	theorem := "tree: every level filled by full nodes"
	if low < top {
		if v, p, ok := f.programme(times, distance); ok {
			low, top, pattern, theorem = v, v, p, "tree: dynamic programme over its nodes"
		}
	}
	return bracket(float64(low), float64(top), low == top, pattern, theorem)
}

// filled returns an upper bound of the sum of squares, level by level. A node with 2^h leaves has at most
// ⌈2^h/distance⌉ participations. A sum of squares with given total and maximum count is largest if all counts but one
// are 0 or the maximum. If distance is a power of two and there is one tree, the steps 0, distance, 2·distance, …
// attain the bound on all levels.
func (f *forest) filled(times, distance int) int {
	sum := 0
	for h := 0; ; h++ {
		nodes := 0
		for _, t := range f.trees {
			if t.height >= h {
				nodes += 1 << (t.height - h)
			}
		}
		if nodes == 0 {
			return sum
		}
		full := (1<<h + distance - 1) / distance
		inside := min(times, nodes*full)
		sum += inside/full*full*full + inside%full*(inside%full)
	}
}

// greedy returns the best of a few patterns, whose steps are distance apart and rounded up to a multiple of a power of
// two. It stops if the value reaches the upper bound limit.
func (f *forest) greedy(times, distance, limit int) (best int, pattern []int) {
	c := newCounts(f)
	for align := 1; align <= f.steps && best < limit; align *= 2 {
		for _, offset := range []int{0, distance / 2} {
			var line []int
			for p := offset; p < f.steps; p += distance {
				t := f.trees[c.treeOf[p]]
				if p = t.start + (p-t.start+align-1)&^(align-1); p < f.steps {
					line = append(line, p)
				}
			}
			if v, i := c.window(line, times); v > best {
				best, pattern = v, line[i:min(len(line), i+times)]
			}
		}
	}
	return best, pattern
}
