package premises

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// A finding is the result of one kind of test. All kinds have equal shares of alpha.
type finding struct {
	kind testKind
	cell verify.Cell
	// p is a p-value that is corrected for the number of tests of this kind.
	p    float64
	high bool // the count is above its mean
}

type testKind string

const (
	rateTest      testKind = "sampling rate"
	sizeTest      testKind = "smallest and largest batch"
	sizeSpread    testKind = "spread of the batch sizes"
	inclusionTest testKind = "inclusions of one record"
	recordSpread  testKind = "spread of the inclusions"
	windowTest    testKind = "records outside all batches of an epoch"
	overlapTest   testKind = "common records of steps"
	neighborTest  testKind = "neighboring positions"
	halfTest      testKind = "common records of half epochs"
	batchTest     testKind = "common records of batches of successive epochs"
	halfNeighbors testKind = "neighboring positions in half epochs"
)

// newFinding returns the finding for the most extreme of several counts, given its two tails and the number of tests.
func newFinding(kind testKind, label string, mean, count float64, t confidence.Tails, tests int64) finding {
	f := finding{kind: kind, cell: verify.Cell{Label: label, Claimed: verify.Num(mean), Measured: verify.Num(count)}}
	f.high = count > mean
	f.p = math.Min(1, 2*float64(tests)*math.Min(t.Less, t.Greater))
	return f
}

// findings returns one finding of each kind.
func (f membershipStatistics) findings() []finding {
	switch {
	case f.Epochs != nil:
		return f.Epochs.findings(f)
	case f.Sampling == WithoutReplacement:
		return []finding{f.inclusions(), f.windows(), f.overlaps(), f.neighbors()}
	}
	return []finding{f.total(), f.sizes(), f.sizeSpread(), f.inclusions(), f.recordSpread(), f.windows(), f.overlaps(),
		f.neighbors()}
}

// total tests the number of all members. Null distribution: Bin(n·T, q).
func (f membershipStatistics) total() finding {
	all := int64(f.Records) * int64(f.Steps)
	return newFinding(rateTest, string(rateTest), f.rate(), float64(f.Members)/float64(all),
		binomialTails(f.Members, all, f.rate()), 1)
}

// sizes tests the smallest and the largest batch. Null distribution of each: Bin(n, q).
func (f membershipStatistics) sizes() finding {
	return f.ends(sizeTest, f.Sizes, int64(f.Records), int64(f.Steps), func(x extreme) string {
		return fmt.Sprintf("members of the batch of step %d", x.At)
	})
}

// inclusions tests the records with the fewest and the most inclusions. Null distribution of each: Bin(T, q).
func (f membershipStatistics) inclusions() finding {
	return f.ends(inclusionTest, f.Inclusions, int64(f.Steps), int64(f.Records), func(x extreme) string {
		return fmt.Sprintf("inclusions of record %d in %d steps", x.At, f.Steps)
	})
}

// ends tests the extremes among counts with the distribution Bin(n, q). The number of counts is tests.
func (f membershipStatistics) ends(kind testKind, ends [2]extreme, n, tests int64, label func(extreme) string) finding {
	var list []finding
	for _, x := range ends {
		list = append(list, newFinding(kind, label(x), float64(n)*f.rate(), float64(x.Count),
			binomialTails(x.Count, n, f.rate()), tests))
	}
	return strongest(list)
}

// sizeSpread tests the sum of the squared deviations of the batch sizes, which are independent.
func (f membershipStatistics) sizeSpread() finding {
	return spreadFinding(sizeSpread, f.sizeSquares(), f.SizeSpread, int64(f.Steps))
}

// recordSpread does the same with the inclusions of each record.
func (f membershipStatistics) recordSpread() finding {
	return spreadFinding(recordSpread, f.recordSquares(), f.RecordSpread, int64(f.Records))
}

func spreadFinding(kind testKind, s squares, sum float64, m int64) finding {
	return newFinding(kind, string(kind)+", variance", s.mean*(1-s.p), sum/float64(m), s.tails(sum, m), 1)
}

// windows tests the number of pairs of a record and a window of w steps without it. Each has the probability (1−q)^w.
// Null distribution: binomial for Poisson sampling. Without replacement, the records are negatively associated.
func (f membershipStatistics) windows() finding {
	length, windows := f.window()
	n, p := int64(windows)*int64(f.Records), math.Pow(1-f.rate(), float64(length))
	return newFinding(windowTest, fmt.Sprintf("records outside all of %d successive steps, in %d windows", length,
		windows),
		float64(n)*p, float64(f.Unseen), f.tails(f.Unseen, n, p), 1)
}

// overlaps tests the records that steps at one lag have in common. Given the sizes, the batches are independent random
// subsets, so the number for each two steps is hypergeometric, and the numbers at one lag are independent.
func (f membershipStatistics) overlaps() finding {
	var list []finding
	for _, o := range f.Overlaps {
		if o.Lag > 0 {
			list = append(list, o.finding(overlapTest, fmt.Sprintf("common records of steps at a distance of %d", o.Lag),
				int64(f.lags())))
		}
	}
	if len(list) == 0 { // no two steps have members
		return overlap{}.finding(overlapTest, "common records of steps", 1)
	}
	return strongest(list)
}

func (o overlap) finding(kind testKind, label string, tests int64) finding {
	return newFinding(kind, label, o.Mean, float64(o.Common), hoeffdingTails(o.Common, o.Trials, o.Mean), max(1, tests))
}

// neighbors tests how often the positions 2i and 2i+1 are both in a batch. Null distribution: Bin(T·⌊n/2⌋, q²) for
// Poisson sampling. Without replacement, the pairs are negatively associated.
func (f membershipStatistics) neighbors() finding {
	n, p := int64(f.Steps)*int64(f.Records/2), f.rate()*f.rate()
	if f.Sampling != Poisson {
		p = bothDrawn(f.Records, f.Batch)
	}
	return newFinding(neighborTest, "inclusions of both neighbors", float64(n)*p, float64(f.Neighbors),
		f.tails(f.Neighbors, n, p), 1)
}

// tails returns the tails of the number of indicators.
func (f membershipStatistics) tails(k, n int64, p float64) confidence.Tails {
	if f.Sampling == Poisson {
		return binomialTails(k, n, p)
	}
	return chernoffTails(k, n, p)
}

// bothDrawn returns the probability that a random subset contains both of two records.
func bothDrawn(records, size int) float64 {
	if records < 2 {
		return 0
	}
	return float64(size) / float64(records) * float64(size-1) / float64(records-1)
}

// findings returns the findings about the order of epochs.
func (c epochCounts) findings(f membershipStatistics) []finding {
	half := c.Length / 2 * f.Batch
	pairs, p := int64(c.Epochs)*int64(f.Records/2), bothDrawn(f.Records, half)
	var pair overlap
	pair.Common = c.Common
	pair.add(f.Records, f.Batch, f.Batch)
	batches := newFinding(batchTest, fmt.Sprintf("common records of the batches of steps %d and %d", c.Other, c.Step),
		pair.Mean, float64(pair.Common), confidence.Tails{Less: 1,
			Greater: hoeffdingTails(pair.Common, pair.Trials, pair.Mean).Greater}, max(1, c.Pairs))
	return []finding{
		// Given the sizes, the first halves of independent epochs are independent random subsets.
		c.Halves.finding(halfTest, "common records of the first halves of successive epochs", 1),
		// A batch and a batch of the epoch before are independent random subsets. Only the largest number is tested.
		batches,
		// The first half is a random subset, in which pairs of neighbors are negatively associated.
		newFinding(halfNeighbors, "both neighbors in the first half of an epoch", float64(pairs)*p, float64(c.Neighbors),
			chernoffTails(c.Neighbors, pairs, p), 1),
	}
}

// strongest returns the finding with the smallest p-value.
func strongest(list []finding) finding {
	return slices.MinFunc(list, func(a, b finding) int { return cmp.Compare(a.p, b.p) })
}
