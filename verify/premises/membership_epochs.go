package premises

import "slices"

// epochCounts holds the counts of a training whose epochs use each record at most once.
type epochCounts struct {
	Length int `json:"length"` // steps in an epoch
	// Halves counts the records that the first halves of successive epochs have in common.
	Halves overlap `json:"halves,omitzero"`
	Epochs int     `json:"epochs,omitempty"` // epochs whose first half is in the log
	// Neighbors counts the positions 2i and 2i+1 that are both in the first half of an epoch.
	Neighbors int64 `json:"neighbors,omitempty"`
	// Common is the largest number of records that two full batches of successive epochs have in common.
	Common int64 `json:"common,omitempty"`
	Step   int   `json:"step,omitempty"`  // the later batch of the two
	Other  int   `json:"other,omitempty"` // the earlier batch
	Pairs  int64 `json:"pairs,omitempty"` // number of compared pairs of batches
}

// epochLength returns the number of steps in an epoch and the size of its last batch. If the number of records is
// not a multiple of the batch size, the last batch is smaller or is dropped. The size of the step after the full
// batches decides.
func epochLength(records, batch int, size func(step int) (int, bool)) (length, last int) {
	full, rest := records/batch, records%batch
	switch got, logged := size(full); {
	case rest == 0 || full > 0 && logged && got == batch:
		return full, batch
	default:
		return full + 1, rest
	}
}

// epochs compares the first halves and the batches of successive epochs, or records the first violation of the claimed
// structure.
func (f *membershipStatistics) epochs(l *Log, keys []uint64) {
	length, last := epochLength(f.Records, f.Batch, func(i int) (int, bool) {
		if i >= len(l.Steps) {
			return 0, false
		}
		return len(l.Steps[i].Batch), true
	})
	f.Epochs = &epochCounts{Length: length}
	want := func(i int) int {
		if i%length == length-1 {
			return last
		}
		return f.Batch
	}
	if f.Broken = f.otherSize(l, want); f.Broken != nil {
		return
	}
	if f.Broken = twiceInEpoch(keys, length); f.Broken != nil {
		return
	}
	if f.Sampling == Fixed {
		f.Broken = otherBatch(l, length)
		return
	}
	if length > 1 {
		f.Epochs.halves(f, keys)
	}
	f.Epochs.batches(l, f)
}

// twiceInEpoch returns the first record that is in two batches of one epoch, or nil.
func twiceInEpoch(keys []uint64, length int) *breach {
	for i := 1; i < len(keys); i++ {
		a, b := int(uint32(keys[i-1])), int(uint32(keys[i]))
		if keys[i-1]>>32 == keys[i]>>32 && a/length == b/length {
			return &breach{Kind: twiceInAnEpoch, Step: b + 1, Other: a + 1, Record: int(keys[i] >> 32)}
		}
	}
	return nil
}

// otherBatch returns the first step whose batch differs from the batch one epoch earlier, or nil.
func otherBatch(l *Log, length int) *breach {
	sorted := func(i int) []int32 { return slices.Sorted(slices.Values(l.Steps[i].Batch)) }
	for i := length; i < len(l.Steps); i++ {
		before, now := sorted(i-length), sorted(i)
		for _, record := range before {
			if _, found := slices.BinarySearch(now, record); !found {
				return &breach{Kind: otherOrder, Step: i + 1, Other: i - length + 1, Record: int(record)}
			}
		}
	}
	return nil
}

// halves counts the records that first halves of successive epochs share, and the neighboring positions that are both
// in a first half.
func (c *epochCounts) halves(f *membershipStatistics, keys []uint64) {
	half := c.Length / 2
	c.Epochs = f.Steps / c.Length
	if f.Steps%c.Length >= half {
		c.Epochs++
	}
	var next int
	var before []int
	var buffers [2][]int
	eachRecord(keys, func(record int, steps []int) {
		in := buffers[0][:0]
		for _, step := range steps {
			if epoch := step / c.Length; step%c.Length < half && epoch < c.Epochs {
				if len(in) > 0 && in[len(in)-1] == epoch-1 {
					c.Halves.Common++
				}
				in = append(in, epoch)
			}
		}
		if record%2 == 1 && record == next {
			c.Neighbors += common(before, in)
		}
		before, next = in, record+1
		buffers[0], buffers[1] = buffers[1], in
	})
	size := half * f.Batch
	c.Halves.Lag = c.Length
	for range c.Epochs - 1 {
		c.Halves.add(f.Records, size, size)
	}
}

// batches compares each full batch with the full batches of the epoch before.
func (c *epochCounts) batches(l *Log, f *membershipStatistics) {
	if f.Steps <= c.Length { // an epoch can be too long for the tables below
		return
	}
	slot := make(map[int32]int, c.Length*f.Batch) // step that used a record in the epoch before
	counts := make([]int64, c.Length)
	for start := c.Length; start < f.Steps; start += c.Length {
		clear(slot)
		for i := start - c.Length; i < start; i++ {
			for _, record := range l.Steps[i].Batch {
				slot[record] = i
			}
		}
		for i := start; i < min(f.Steps, start+c.Length); i++ {
			if len(l.Steps[i].Batch) == f.Batch {
				clear(counts)
				for _, record := range l.Steps[i].Batch {
					if other, ok := slot[record]; ok && len(l.Steps[other].Batch) == f.Batch {
						counts[other%c.Length]++
					}
				}
				c.Pairs += int64(c.Length)
				c.keep(counts, i, start-c.Length)
			}
		}
	}
}

// keep stores the largest of the counts of a step.
func (c *epochCounts) keep(counts []int64, step, start int) {
	for j, n := range counts {
		if n > c.Common {
			c.Common, c.Step, c.Other = n, step+1, start+j+1
		}
	}
}
