package external

import (
	"context"
	"slices"
)

const (
	maxShrinkRequests = 400
	// maxFailedRequests limits the questions for shrinking an error, each of which may last as long as the timeout.
	maxFailedRequests = 12
)

// shrink returns the smallest question that still has the row's verdict. It asks the accountant smaller questions.
func (t *trial) shrink(ctx context.Context, row Row) (Row, error) {
	left := maxShrinkRequests
	if row.Verdict == Failed {
		left = maxFailedRequests
	}
	for found := true; found; {
		found = false
		for _, smaller := range reductions(row.Tree) {
			if err := ctx.Err(); err != nil {
				return row, err
			}
			q := row.Question
			q.Tree = smaller
			c, err := certify(q)
			if err != nil {
				continue
			}
			if left == 0 {
				return row, nil
			}
			left--
			if r := t.judge(c); r.Verdict == row.Verdict {
				row, found = r, true
				break
			}
		}
	}
	return row, nil
}

// reductions lists smaller trees: with fewer events first, then with fewer repetitions, then with rounder numbers. No
// sequence of reductions is infinite.
func reductions(t Tree) (all []Tree) {
	all = append(all, t.parts()...)
	if t.Class == classComposed && len(t.Events) > 2 {
		for i := range t.Events {
			one := t
			one.Events = slices.Delete(slices.Clone(t.Events), i, i+1)
			all = append(all, one)
		}
	}
	for i, part := range t.parts() {
		for _, smaller := range reductions(part) {
			all = append(all, t.with(i, smaller))
		}
	}
	for _, count := range []int64{2, t.Count / 10, t.Count / 2, t.Count - 1} {
		if count >= 2 && count < t.Count {
			one := t
			one.Count = count
			all = append(all, one)
		}
	}
	for _, digits := range []int{1, 2} {
		if one, changed := t.rounder(digits); changed {
			all = append(all, one)
		}
	}
	return all
}

// with returns the tree with another part.
func (t Tree) with(i int, part Tree) Tree {
	if t.Event != nil {
		t.Event = &part
		return t
	}
	t.Events = slices.Clone(t.Events)
	t.Events[i] = part
	return t
}

// rounder returns the event with its numbers rounded to some digits, and reports whether that changes one.
func (t Tree) rounder(digits int) (Tree, bool) {
	changed := false
	round := func(x float64) float64 {
		y := rounded(x, digits)
		changed = changed || x != y
		return y
	}
	t.Noise, t.Parameter, t.Rate = round(t.Noise), round(t.Parameter), round(t.Rate)
	if t.Epsilon != nil {
		epsilon := round(*t.Epsilon)
		t.Epsilon = &epsilon
	}
	return t, changed
}
