package premises

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// membership returns the premise that the batches were sampled as claimed.
func membership(l *Log, t Training) Premise {
	return Premise{Name: "membership", Statement: t.sampled(),
		Check: verify.CheckFunc(func(_ context.Context, s verify.Settings) (verify.Trial, error) {
			return decided(MembershipMethod, collectMembership(l, t), s)
		})}
}

// sampled returns the claimed sampling as a sentence.
func (t Training) sampled() string {
	switch t.Sampling {
	case Poisson:
		return fmt.Sprintf("each step includes each record independently with probability %.4g", t.Rate)
	case WithoutReplacement:
		return fmt.Sprintf("each step draws %d distinct records, independently of the other steps", t.Batch)
	case Shuffled:
		return fmt.Sprintf("each epoch permutes the records at random and cuts them into batches of %d", t.Batch)
	}
	return fmt.Sprintf("each epoch uses the same batches of %d records in the same order", t.Batch)
}

// collectMembership counts the memberships of a log.
func collectMembership(l *Log, t Training) membershipStatistics {
	f := membershipStatistics{Sampling: t.Sampling, Rate: t.Rate, Batch: t.Batch, Records: l.Records, Steps: len(l.Steps)}
	f.Sizes = [2]extreme{{Count: math.MaxInt64}, {Count: -1}}
	for i, s := range l.Steps {
		f.Members += int64(len(s.Batch))
		f.Sizes = widened(f.Sizes, extreme{int64(len(s.Batch)), i + 1})
	}
	keys := inclusions(l)
	if f.Broken = repeatedRecord(keys); f.Broken != nil {
		return f
	}
	switch {
	case f.certain():
		f.Broken = f.otherSize(l, func(int) int { return l.Records })
	case t.Sampling == Poisson:
		f.spread(l, keys)
		f.steps(l, keys)
	case t.Sampling == WithoutReplacement:
		if f.Broken = f.otherSize(l, func(int) int { return t.Batch }); f.Broken == nil {
			f.steps(l, keys)
		}
	default:
		f.epochs(l, keys)
	}
	return f
}

// inclusions returns the sorted list of record<<32 + step over all members of all batches, with steps from 0.
func inclusions(l *Log) []uint64 {
	var keys []uint64
	for i, s := range l.Steps {
		for _, record := range s.Batch {
			keys = append(keys, uint64(record)<<32|uint64(i))
		}
	}
	slices.Sort(keys)
	return keys
}

// repeatedRecord returns the first record that a batch contains twice, or nil.
func repeatedRecord(keys []uint64) *breach {
	for i := 1; i < len(keys); i++ {
		if keys[i] == keys[i-1] {
			return &breach{Kind: recordTwice, Step: int(uint32(keys[i])) + 1, Record: int(keys[i] >> 32)}
		}
	}
	return nil
}

// otherSize returns the first step whose batch does not have the wanted size, or nil.
func (f *membershipStatistics) otherSize(l *Log, want func(step int) int) *breach {
	for i, s := range l.Steps {
		if len(s.Batch) != want(i) {
			return &breach{Kind: otherSize, Step: i + 1, Size: len(s.Batch), Want: want(i)}
		}
	}
	return nil
}

// eachRecord calls the function for each record that is in at least one batch, in order, with its steps from 0. The
// slice stays valid until the call after the next one.
func eachRecord(keys []uint64, do func(record int, steps []int)) {
	var buffers [2][]int
	for i := 0; i < len(keys); {
		record := keys[i] >> 32
		steps := buffers[0][:0]
		for ; i < len(keys) && keys[i]>>32 == record; i++ {
			steps = append(steps, int(uint32(keys[i])))
		}
		do(int(record), steps)
		buffers[0], buffers[1] = buffers[1], steps
	}
}

// spread sums the squared deviations of the batch sizes and of the inclusions of each record.
func (f *membershipStatistics) spread(l *Log, keys []uint64) {
	sizes, records := f.sizeSquares(), f.recordSquares()
	for _, s := range l.Steps {
		f.SizeSpread += sizes.of(int64(len(s.Batch)))
	}
	included := 0
	eachRecord(keys, func(_ int, steps []int) {
		f.RecordSpread += records.of(int64(len(steps)))
		included++
	})
	f.RecordSpread += float64(f.Records-included) * records.of(0)
}

// steps counts the inclusions of each record, the records without any in a window of one epoch, the records that
// steps have in common, and the inclusions of neighboring positions.
func (f *membershipStatistics) steps(l *Log, keys []uint64) {
	f.Inclusions = [2]extreme{{Count: math.MaxInt64}, {Count: -1}}
	overlaps := make([]int64, f.lags()+1)
	next, before := 0, []int(nil) // first position after the last record, and the steps of that record
	window, windows := f.window()
	f.Unseen = int64(windows) * int64(f.Records)
	eachRecord(keys, func(record int, steps []int) {
		if record > next { // no step includes the records from next to record − 1
			f.Inclusions, before = widened(f.Inclusions, extreme{0, next}), nil
		}
		f.Inclusions = widened(f.Inclusions, extreme{int64(len(steps)), record})
		if record%2 == 1 {
			f.Neighbors += common(before, steps)
		}
		for i, step := range steps {
			if in := step / window; in < windows && (i == 0 || steps[i-1]/window < in) {
				f.Unseen--
			}
			for j := i - 1; j >= 0 && step-steps[j] < len(overlaps); j-- {
				overlaps[step-steps[j]]++
			}
		}
		next, before = record+1, steps
	})
	if next < f.Records {
		f.Inclusions = widened(f.Inclusions, extreme{0, next})
	}
	for lag := 1; lag < len(overlaps); lag++ {
		o := overlap{Lag: lag, Common: overlaps[lag]}
		for i := range len(l.Steps) - lag {
			o.add(f.Records, len(l.Steps[i].Batch), len(l.Steps[i+lag].Batch))
		}
		f.keep(o)
	}
}

// keep stores an overlap if it deviates more than the stored one on the same side of the mean.
func (f *membershipStatistics) keep(o overlap) {
	side := 0
	if float64(o.Common) > o.Mean {
		side = 1
	}
	divergence := func(o overlap) float64 { return divergence(o.Common, o.Trials, o.Mean/float64(o.Trials)) }
	if o.Trials > 0 && (f.Overlaps[side].Lag == 0 || divergence(o) > divergence(f.Overlaps[side])) {
		f.Overlaps[side] = o
	}
}

// common returns the number of values that two ascending lists have in common.
func common(a, b []int) (n int64) {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			a, b = a[1:], b[1:]
			n++
		}
	}
	return n
}

// widened returns the smallest and the largest count, including a new one.
func widened(ends [2]extreme, x extreme) [2]extreme {
	if x.Count < ends[0].Count {
		ends[0] = x
	}
	if x.Count > ends[1].Count {
		ends[1] = x
	}
	return ends
}
