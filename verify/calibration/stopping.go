package calibration

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

// stoppingSamples is the maximum number of samples of each input that a run may draw.
const stoppingSamples = 400_000

// Stopping measures how many samples a sequential audit draws until it refutes a false claim. It also computes how
// many would be needed if the densities were known. It audits every subject as a black box, once for each run.
func Stopping(ctx context.Context, o Options) ([]results.StoppingRow, error) {
	if o.Runs < 1 {
		return nil, fmt.Errorf("%d runs: want at least one", o.Runs)
	}
	all := stoppingSubjects()
	var rows []results.StoppingRow
	for i, s := range all {
		drawn := make([]float64, o.Runs)
		_, err := empirical.Each(ctx, o.Pool, o.Runs, func(ctx context.Context, run int) error {
			settings := verify.Settings{Budget: verify.Standard, Alpha: o.Alpha, Pool: o.Pool,
				Seed: o.Seed.Derive("stopping", s.name, strconv.Itoa(run))}
			e, err := verify.Judge(ctx, s.audit(), settings, o.Pool, nil)
			if err != nil {
				return err
			}
			drawn[run] = math.Inf(1)
			if e.Verdict == verify.Refuted {
				drawn[run] = float64(e.Samples / 2)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		slices.Sort(drawn)
		rows = append(rows, results.StoppingRow{Case: s.name, Runs: o.Runs, Alpha: o.Alpha,
			Median: verify.Num(results.Median(drawn)), Min: verify.Num(drawn[0]),
			Max: verify.Num(drawn[o.Runs-1]), Oracle: verify.Num(-math.Log(o.Alpha) / s.growth()),
			Wanted: verify.Number{X: s.wanted, Set: s.wanted > 0}, BestKnown: s.known})
		if o.Progress != nil {
			o.Progress(i+1, len(all))
		}
	}
	return rows, nil
}

func (s stoppingSubject) audit() verify.Check {
	return privacy.Audit[int, float64]{Mechanism: s.mechanism, Guarantee: s.claim, Samples: stoppingSamples, Anytime: true,
		Pairs: []inputs.Pair[int]{{Name: "0 and 1", A: 0, B: 1}}}
}

// growth returns the expected growth of log wealth per pair, in nats, of a bettor who knows the densities of the
// outputs in cells.
func (s stoppingSubject) growth() float64 {
	const cells = 80
	m := s.mechanism
	low, high := mixtureQuantile(m, 1e-4), mixtureQuantile(m, 1-1e-4)
	var laws [2][]float64
	for input := range laws {
		before := 0.0
		for j := range cells {
			next := 1.0
			if j < cells-1 {
				next = m.cdf(input, low+(high-low)*float64(j+1)/cells)
			}
			laws[input] = append(laws[input], math.Max(1e-12, next-before))
			before = next
		}
	}
	return s.claim.Growth(laws[0], laws[1])
}

// mixtureQuantile returns the p-quantile of the equal mixture of both output distributions, by bisection.
func mixtureQuantile(m knownMechanism, p float64) float64 {
	low, high := -1e6, 1e6
	for range 80 {
		middle := (low + high) / 2
		if (m.cdf(0, middle)+m.cdf(1, middle))/2 < p {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
