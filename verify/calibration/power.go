package calibration

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

// powerAlpha is the error probability of the published comparisons of tools.
const powerAlpha = 0.05

// Power audits every subject at every number of samples of each input of each pair, over all phases, once for each
// run. A row has the median of the runs, each at error probability 5 %.
func Power(ctx context.Context, subjects []Subject, samples []int64, o Options) ([]results.PowerRow, error) {
	if o.Runs < 1 || len(samples) == 0 {
		return nil, fmt.Errorf("power of %d runs at %d numbers of samples: want at least one of each", o.Runs, len(samples))
	}
	var rows []results.PowerRow
	done, total := 0, len(subjects)*len(samples)*o.Runs
	for _, s := range subjects {
		for _, n := range samples {
			row := results.PowerRow{Mechanism: s.ID, Samples: n, Delta: s.delta}
			known := empirical.Start(ctx, o.Pool, func() (oracle float64, err error) {
				row.Reachable = verify.Num(s.Reachable())
				return s.oracle(n, powerAlpha)
			})
			var certified, seconds []float64
			for run := range o.Runs {
				start := time.Now()
				settings := verify.Settings{Budget: verify.Standard, Alpha: powerAlpha,
					Seed: o.Seed.Derive("power", s.ID, strconv.FormatInt(n, 10), strconv.Itoa(run))}
				e, err := verify.Judge(ctx, s.audit(n), settings, o.Pool, nil)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", s.ID, err)
				}
				certified, seconds = append(certified, e.Lower.X), append(seconds, time.Since(start).Seconds())
				if done++; o.Progress != nil {
					o.Progress(done, total)
				}
			}
			oracle, err := known()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.ID, err)
			}
			row.Oracle = verify.Num(oracle)
			slices.Sort(certified)
			slices.Sort(seconds)
			row.Certified, row.Min, row.Max = verify.Num(results.Median(certified)), verify.Num(certified[0]),
				verify.Num(certified[len(certified)-1])
			row.Seconds = results.Median(seconds)
			rows = append(rows, row)
		}
	}
	return rows, nil
}
