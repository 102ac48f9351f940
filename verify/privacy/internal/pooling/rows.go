package pooling

import (
	"context"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/distinguisher"
)

// Rows are those of the search, of both folds, of the inputs that pairs share.
type Rows map[Place]*[2]*distinguisher.Rows

// Draw draws them by a function that draws those of a place in a fold, on the slots of a pool.
func (s Sharing) Draw(ctx context.Context, slots *empirical.Pool,
	draw func(ctx context.Context, p Place, fold int) (*distinguisher.Rows, error)) (Rows, error) {
	type task struct {
		place Place
		into  **distinguisher.Rows
		fold  int
		rows  *distinguisher.Rows
	}
	out := make(Rows, len(s.all))
	var tasks []task
	for _, input := range s.Shared() {
		out[input] = new([2]*distinguisher.Rows)
		for _, p := range s.Pooled(input) {
			for fold := range 2 {
				tasks = append(tasks, task{place: p, into: &out[input][fold], fold: fold})
			}
		}
	}
	_, err := empirical.Each(ctx, slots, len(tasks), func(ctx context.Context, i int) (err error) {
		tasks[i].rows, err = draw(ctx, tasks[i].place, tasks[i].fold)
		return err
	})
	if err != nil {
		return nil, err
	}
	parts := make(map[**distinguisher.Rows][]*distinguisher.Rows)
	for _, t := range tasks {
		parts[t.into] = append(parts[t.into], t.rows)
	}
	for _, t := range tasks {
		if *t.into == nil {
			*t.into = distinguisher.Join(parts[t.into]...)
			delete(parts, t.into)
		}
	}
	return out, nil
}

// Of an input in a fold: nil where it is not shared.
func (r Rows) Of(input Place, fold int) *distinguisher.Rows {
	if pool := r[input]; pool != nil {
		return pool[fold]
	}
	return nil
}
