package premises

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// alternative is another way of sampling. The log detects it with probability at least 0.99 if detected is set.
type alternative struct {
	name     string
	detected bool
	main     bool // a log that does not detect it is inconclusive
}

// alternatives returns other ways of sampling, and whether the tests detect them if each kind has this share of alpha.
func (f membershipStatistics) alternatives(share float64) []alternative {
	if f.Epochs != nil {
		return f.Epochs.alternatives(f, share)
	}
	n, size := int64(f.Records), max(1, int(math.Round(float64(f.Records)*f.rate())))
	length, windows := f.window()
	shuffled, fixed, blocks := f, f, f
	tiled := length > 1 && f.Records >= length // an epoch of batches of at least one record fills a window
	var list []alternative
	if tiled {
		size := min(size, f.Records/length)
		shuffled.Unseen = int64(windows) * int64(f.Records-length*size)
		list = append(list, alternative{fmt.Sprintf("batches of %d shuffled in epochs of %s", size,
			verify.Plural(length, "step")), shuffled.windows().p <= share, true})
	}
	epoch := int(math.Min(math.MaxInt32, math.Ceil(1/f.rate()-1e-9)))
	fixed.Overlaps = [2]overlap{repeatedOverlap(epoch, f.Records, size, max(0, f.Steps-epoch))}
	list = append(list, alternative{fmt.Sprintf("a fixed order of batches of %d (visible after one epoch, %s)", size,
		verify.Plural(epoch, "step")), fixed.overlaps().p <= share, !tiled && f.Sampling != Poisson})
	if f.Sampling == Poisson {
		constant := f
		constant.SizeSpread = float64(f.Steps) * f.sizeSquares().of(int64(size))
		list = append(list, alternative{fmt.Sprintf("batches of fixed size %d", size), constant.sizeSpread().p <= share,
			!tiled})
	}
	blocks.Neighbors = int64(f.Steps) * int64((size-1)/2)
	list = append(list, alternative{"batches of contiguous positions", blocks.neighbors().p <= share, false})
	list = append(list, detectedRates("one record sampled", int64(f.Steps), f.rate(), share/float64(2*n)))
	if f.Sampling == Poisson {
		list = append(list, detectedRates("all records sampled", int64(f.Steps)*n, f.rate(), share/2))
		if low, _ := recordRates(int64(f.Steps)*n, f.rate(), share/2); low == 0 { // batches may well be empty
			list = append(list, alternative{"a sampler without any records", false, true})
		}
	}
	return list
}

// repeatedOverlap returns the overlap of pairs of equal batches at a lag.
func repeatedOverlap(lag, records, size, pairs int) overlap {
	o := overlap{Lag: lag, Common: int64(size)}
	o.add(records, size, size)
	return overlap{Lag: lag, Common: o.Common * int64(pairs), Trials: o.Trials * int64(pairs),
		Mean: o.Mean * float64(pairs)}
}

// recordRates returns a low and a high rate. If the true rate is at most low or at least high, n trials refute the
// claimed rate with probability at least 0.99. Each tail of the test has probability at most miss. low is 0 and high
// is 1 if no such rates exist.
func recordRates(n int64, rate, miss float64) (low, high float64) {
	least, most := confidence.BinomialRange(n, rate, miss)
	high = 1
	if most < n {
		high, _ = confidence.BinomialUpper(most, n, 1-verify.TargetPower)
	}
	if least > 0 {
		low, _ = confidence.BinomialLower(least, n, 1-verify.TargetPower)
	}
	return low, high
}

func detectedRates(what string, n int64, rate, miss float64) alternative {
	low, high := recordRates(n, rate, miss)
	var ends []string
	if low > 0 {
		ends = append(ends, fmt.Sprintf("at most %.3g", low))
	}
	if high < 1 {
		ends = append(ends, fmt.Sprintf("at least %.3g", high))
	}
	if len(ends) == 0 {
		return alternative{what + " at any other rate", false, false}
	}
	return alternative{what + " at a rate of " + strings.Join(ends, " or "), true, false}
}

// alternatives returns the alternatives to independent permutations.
func (c epochCounts) alternatives(f membershipStatistics, share float64) []alternative {
	detected := func(c epochCounts, kind testKind) bool {
		for _, x := range c.findings(f) {
			if x.kind == kind {
				return x.p <= share
			}
		}
		return false
	}
	half := c.Length / 2 * f.Batch
	fixed, moved, blocks := c, c, c
	fixed.Halves = repeatedOverlap(c.Length, f.Records, half, max(0, c.Epochs-1))
	if c.Pairs > 0 {
		fixed.Common, moved.Common = int64(f.Batch), int64(f.Batch)
	}
	blocks.Neighbors = int64(c.Epochs) * int64((half-1)/2)
	return []alternative{
		{"a fixed order of batches (visible from two epochs on)", detected(fixed, halfTest) || detected(fixed, batchTest),
			true},
		{"the same batches in another order", detected(moved, batchTest), false},
		{"batches in the order of the positions", c.Epochs > 0 && detected(blocks, halfNeighbors), false},
	}
}

// sufficient returns a number of steps that detect the main alternatives, or 0 if it is above 10⁸.
func (f membershipStatistics) sufficient(share float64) int {
	detected := func(steps int) bool { return missed(f.extended(steps).alternatives(share), true) == "" }
	low := f.Steps + 1
	for high := low; high < 1e8; high *= 2 {
		if detected(high) {
			return low + sort.Search(high-low, func(i int) bool { return detected(low + i) })
		}
	}
	return 0
}

// extended returns the design of a log with another number of steps.
func (f membershipStatistics) extended(steps int) membershipStatistics {
	f.Steps, f.Members = steps, int64(math.Ceil(float64(f.Records)*float64(steps)*f.rate()))
	if f.Epochs != nil {
		c := *f.Epochs
		c.Epochs, c.Pairs = steps/c.Length, int64(max(0, steps-c.Length))*int64(c.Length)
		f.Epochs = &c
	}
	return f
}

// missed lists the alternatives that are not detected, all or only the main ones.
func missed(list []alternative, main bool) string {
	return names(list, func(a alternative) bool { return !a.detected && (a.main || !main) })
}

func names(list []alternative, chosen func(alternative) bool) string {
	var out []string
	for _, a := range list {
		if chosen(a) {
			out = append(out, a.name)
		}
	}
	return strings.Join(out, "; ")
}

// power states which alternatives the log would have detected.
func power(list []alternative) string {
	var text []string
	if yes := names(list, func(a alternative) bool { return a.detected }); yes != "" {
		text = append(text, fmt.Sprintf("detected with probability at least %v: %s", verify.TargetPower, yes))
	}
	if not := missed(list, false); not != "" {
		text = append(text, "possibly not detected: "+not)
	}
	return strings.Join(text, "; ")
}
