package study

import (
	"context"
	"errors"
	"math"
	"sync"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/empirical"
)

// each computes f(0), …, f(n-1) on the pool's slots and returns the results in
// that order. The first failure stops the others; where several fail before that, the
// error of the lowest index is returned. A panic in f is an error.
func each[T any](ctx context.Context, o Options, n int, f func(ctx context.Context, i int) (T, error)) ([]T, error) {
	pool := o.Pool
	if pool == nil {
		pool = empirical.NewPool(1)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		results = make([]T, n)
		failed  = make([]error, n)
		next    = make(chan int)
		mu      sync.Mutex // of done, and of calls to Progress
		done    int
		workers sync.WaitGroup
	)
	work := func(i int) {
		results[i], failed[i] = empirical.Do(ctx, pool, func(ctx context.Context) (T, error) { return f(ctx, i) })
		if failed[i] != nil {
			cancel()
			return
		}
		mu.Lock()
		defer mu.Unlock()
		done++
		if o.Progress != nil {
			o.Progress(done, n)
		}
	}
	for range min(pool.Size(), n) {
		workers.Go(func() {
			for i := range next {
				work(i)
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return results, firstError(ctx, failed)
}

// firstError prefers what went wrong over the cancellation that followed it.
func firstError(ctx context.Context, failed []error) error {
	for _, err := range failed {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return context.Cause(ctx)
}

// confidence is the level of the intervals of a series.
const confidence = 0.95

// point appends mean, deviation (divisor n-1) and interval of the values of n ≥ 2
// repeats at x. The interval is Student's, cut to [0, 1], where the values of all
// experiments here lie. It takes repeats as normal, which is fair for error rates over
// thousands of rows and rough for a handful of repeats.
func (s *Series) point(x float64, values []float64) {
	mean, sd := stat.MeanStdDev(values, nil)
	n := float64(len(values))
	half := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1+confidence)/2) * sd / math.Sqrt(n)
	s.X = append(s.X, x)
	s.Mean = append(s.Mean, mean)
	s.SD = append(s.SD, sd)
	s.Lower = append(s.Lower, max(0, mean-half))
	s.Upper = append(s.Upper, min(1, mean+half))
}
