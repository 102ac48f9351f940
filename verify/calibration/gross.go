package calibration

import (
	"context"
	"fmt"
	"math"
	"sort"
	"strconv"
	"sync/atomic"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

const (
	grossEpsilon = 1    // claim of every mechanism
	grossPower   = 0.95 // share of the runs that must refute the claim
	// grossSizes is the number of sample sizes on the grid. Three steps double the size.
	grossSizes = 31
	mostKnown  = 1 << 20
)

// grossSize returns the number of samples of each input at step k of the grid.
func grossSize(k int) int64 {
	return int64(math.Round(verify.MinSamples * math.Pow(2, float64(k)/3)))
}

// Gross measures how many samples of each input a black-box audit needs to refute the claim of mechanisms with a
// gross fault in a rare combination. It also computes how many samples the test of the best known event needs, and
// counts how often the audit refutes the repaired mechanism.
func Gross(ctx context.Context, o Options) ([]results.GrossRow, error) {
	if o.Runs < 1 {
		return nil, fmt.Errorf("%d runs: want at least one", o.Runs)
	}
	all := grossFaults()
	var rows []results.GrossRow
	for i, f := range all {
		row, err := measureGross(ctx, f, o)
		if err != nil {
			name, _ := f.label()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		rows = append(rows, row)
		if o.Progress != nil {
			o.Progress(i+1, len(all))
		}
	}
	return rows, nil
}

func measureGross(ctx context.Context, f grossFault, o Options) (results.GrossRow, error) {
	name, output := f.label()
	row := results.GrossRow{Fault: name, Output: output, Runs: o.Runs, Alpha: o.Alpha, UpTo: grossSize(grossSizes - 1)}
	p, q := f.probabilities()
	row.Known = knownEventSamples(p, q, o.Alpha)
	start := sort.Search(grossSizes-1, func(k int) bool { return grossSize(k) >= row.Known })
	step, err := firstStep(start, func(k int) (bool, error) {
		refuted, err := grossRuns(ctx, f, false, grossSize(k), o)
		return refuted >= neededRuns(o.Runs), err
	})
	if err != nil {
		return row, err
	}
	row.Audit = verify.Num(math.Inf(1))
	if step < grossSizes {
		row.Audit = verify.Num(float64(grossSize(step)))
	}
	row.Control, err = grossRuns(ctx, f, true, grossSize(min(step, grossSizes-1)), o)
	return row, err
}

// neededRuns returns the smallest number of refutations that is a share of at least grossPower of the runs.
func neededRuns(runs int) int { return runs - int(float64(runs)*(1-grossPower)+1e-9) }

// grossRuns returns the number of runs in which the audit refutes the faulty or the repaired mechanism. If the runs
// of the faulty one cannot reach neededRuns, it skips the other runs, and the number is below neededRuns.
func grossRuns(ctx context.Context, f grossFault, repaired bool, samples int64, o Options) (int, error) {
	check, variant := f.audit(repaired, samples), "fault"
	if repaired {
		variant = "control"
	}
	name, _ := f.label()
	var refuted, missed atomic.Int64
	_, err := empirical.Each(ctx, o.Pool, o.Runs, func(ctx context.Context, run int) error {
		if !repaired && int(missed.Load()) > o.Runs-neededRuns(o.Runs) {
			return nil
		}
		settings := verify.Settings{Budget: verify.Standard, Alpha: o.Alpha, Pool: o.Pool,
			Seed: o.Seed.Derive("gross", name, variant, strconv.FormatInt(samples, 10), strconv.Itoa(run))}
		e, err := verify.Judge(ctx, check, settings, o.Pool, nil)
		if e.Verdict == verify.Refuted {
			refuted.Add(1)
		} else {
			missed.Add(1)
		}
		return err
	})
	return int(refuted.Load()), err
}

// firstStep returns the first step of the grid at which enough reports true, or grossSizes if there is none. It
// doubles or halves the size from start until the result changes, then bisects. It assumes that all larger sizes
// are enough.
func firstStep(start int, enough func(k int) (bool, error)) (int, error) {
	low, high := -1, grossSizes // low is not enough, high is
	for k := start; low < k && k < high; {
		ok, err := enough(k)
		switch {
		case err != nil:
			return 0, err
		case ok:
			high = k
		default:
			low = k
		}
		switch {
		case high == grossSizes:
			k = min(low+3, max(grossSizes-1, low+1))
		case low == -1:
			k = max(high-3, 0)
		default:
			k = (low + high) / 2
		}
	}
	return high, nil
}

// knownEventSamples returns the number of samples of each input at which counts of an event prove more than
// grossEpsilon with probability at least grossPower. p > e^grossEpsilon q are the probabilities of the event. The
// number is the smallest one up to the small steps that discrete counts cause, or mostKnown if it is larger.
func knownEventSamples(p, q, alpha float64) int64 {
	enough := func(n int64) bool { return knownEventPower(n, p, q, alpha) >= grossPower }
	n := int64(1)
	for n < mostKnown && !enough(n) {
		n *= 2
	}
	least := n/2 + 1
	return least + int64(sort.Search(int(n-least), func(i int) bool { return enough(least + int64(i)) }))
}

// knownEventPower returns the probability that n samples of each input prove more than grossEpsilon by an event of
// probabilities p and q. It neglects counts of probability below 1e-6.
func knownEventPower(n int64, p, q, alpha float64) float64 {
	const miss = 5e-7
	few, many := confidence.BinomialRange(n, p, miss)
	low, high := confidence.BinomialRange(n, q, miss)
	likely, other := distuv.Binomial{N: float64(n), P: p}, distuv.Binomial{N: float64(n), P: q}
	power := 0.0
	for y := low; y <= high; y++ {
		few += int64(sort.Search(int(many-few)+1, func(i int) bool {
			return confidence.Exceeds(few+int64(i), n, y, n, grossEpsilon, 0, alpha)
		}))
		if few > many {
			break
		}
		chance := 1.0 // if q = 0
		if q > 0 {
			chance = other.Prob(float64(y))
		}
		power += chance * likely.Survival(float64(few)-1)
	}
	return power
}
