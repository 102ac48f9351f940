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

// Confidence at which tools have been compared: error 5 %.
const powerAlpha = 0.05

// PowerOptions of the power table.
type PowerOptions struct {
	Subjects []string // ids; empty means all
	Samples  []int64  // of each input of each pair, all phases together
	Seeds    int      // runs a row, at least 1; the median is reported
	Seed     empirical.Seed
	Pool     *empirical.Pool
	Progress func(done, of int) // may be nil
}

// Power audits every subject at every number of samples, once for each seed.
func Power(ctx context.Context, o PowerOptions) ([]results.PowerRow, error) {
	subjects, err := selected(o.Subjects)
	if err != nil {
		return nil, err
	}
	if o.Seeds < 1 || len(o.Samples) == 0 {
		return nil, fmt.Errorf("power of %d runs at %d numbers of samples: want at least one of each", o.Seeds,
			len(o.Samples))
	}
	var rows []results.PowerRow
	done, of := 0, len(subjects)*len(o.Samples)*o.Seeds
	for _, s := range subjects {
		for _, n := range o.Samples {
			row := results.PowerRow{Mechanism: s.ID, Samples: n, Delta: s.Delta}
			known := empirical.Start(ctx, o.Pool, func() (oracle float64, err error) {
				row.Reachable = verify.Num(s.Reachable())
				return s.Oracle(n, powerAlpha)
			})
			var certified, seconds []float64
			for run := range o.Seeds {
				start := time.Now()
				settings := verify.Settings{Budget: verify.Standard, Alpha: powerAlpha,
					Seed: o.Seed.Derive("power", s.ID, strconv.FormatInt(n, 10), strconv.Itoa(run))}
				e, err := verify.Judge(ctx, s.Audit(n), settings, o.Pool, nil)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", s.ID, err)
				}
				certified, seconds = append(certified, e.Lower.X), append(seconds, time.Since(start).Seconds())
				if done++; o.Progress != nil {
					o.Progress(done, of)
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

func selected(ids []string) ([]Subject, error) {
	all, err := Subjects()
	if err != nil || len(ids) == 0 {
		return all, err
	}
	var out []Subject
	for _, id := range ids {
		i := slices.IndexFunc(all, func(s Subject) bool { return s.ID == id })
		if i < 0 {
			return nil, fmt.Errorf("no mechanism %q in the benchmark", id)
		}
		out = append(out, all[i])
	}
	return out, nil
}
