package calibration

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/dpsgd"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

// TrainingOptions are the options of Training. Alpha is the error probability of each design and seed, and Runs is
// the number of seeds of each fault.
type TrainingOptions struct {
	Options
	Attacks   []dpsgd.Attack
	Faults    []dpsgd.Fault // in addition to the sound algorithm
	Canaries  int           // maximum in the one-run design
	Trainings int           // maximum in the multi-run design, at least 2
	Sound     int           // seeds of the sound algorithm, at least 1
}

// check returns an error for an option outside its domain.
func (o TrainingOptions) check() error {
	const maxRuns = 200_000
	switch {
	case !(o.Alpha > 0 && o.Alpha < 1):
		return fmt.Errorf("alpha %v: want an error probability in (0, 1)", o.Alpha)
	case o.Canaries < 1:
		return fmt.Errorf("canaries %d: want at least 1", o.Canaries)
	case o.Trainings < 2 || o.Trainings > maxRuns:
		return fmt.Errorf("runs %d: want 2 to %d, at least one with the canary and one without", o.Trainings, maxRuns)
	case o.Runs < 1 || o.Sound < 1:
		return fmt.Errorf("%d seeds of each fault and %d of the sound algorithm: want at least 1", o.Runs, o.Sound)
	}
	return nil
}

// Training measures how many canaries, or how many training runs, refute the account of a faulty training algorithm.
// It audits the sound algorithm and the algorithm with each fault, by each attack and both designs, once for each
// seed.
func Training(ctx context.Context, s TrainingSubject, o TrainingOptions) ([]results.TrainingRow, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	claim, err := s.claim()
	if err != nil {
		return nil, err
	}
	faults := append([]dpsgd.Fault{dpsgd.Sound}, o.Faults...)
	var rows []results.TrainingRow
	for _, attack := range o.Attacks {
		for _, fault := range faults {
			row := results.TrainingRow{Fault: string(fault), Attack: string(attack), Account: verify.Num(claim.Epsilon.Upper),
				Claimed: verify.Num(claim.Guarantee.Value()), Delta: s.Delta, Alpha: o.Alpha, Seeds: o.Runs}
			if fault == dpsgd.Sound {
				row.Seeds = o.Sound
			}
			training, err := s.Train(attack, fault)
			if err == nil {
				err = o.row(ctx, training, claim, &row)
			} else if fault != dpsgd.Sound {
				row.Cannot, err = err.Error(), nil
			}
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
			if o.Progress != nil {
				o.Progress(len(rows), len(o.Attacks)*len(faults))
			}
		}
	}
	return rows, nil
}

// trainingDesign is the design of an audit.
type trainingDesign struct {
	run    func(context.Context, dpsgd.Training, trainingClaim, int, verify.Settings) (int, bool, error)
	limit  int
	result *results.Detection
}

// row measures both designs of an audit.
func (o TrainingOptions) row(ctx context.Context, t dpsgd.Training, claim trainingClaim,
	row *results.TrainingRow) error {
	looks := canaryLooks(min(o.Canaries, t.MaxCanaries()))
	for _, d := range []trainingDesign{{oneRun, o.Canaries, &row.OneRun}, {manyRuns, o.Trainings, &row.Runs}} {
		sizes := make([]float64, row.Seeds)
		before := processors()
		_, err := empirical.Each(ctx, o.Pool, row.Seeds, func(ctx context.Context, i int) error {
			settings := verify.Settings{Budget: verify.Standard, Alpha: o.Alpha,
				Seed: o.Seed.Derive("training", row.Attack, row.Fault, fmt.Sprint(i))}
			n, found, err := d.run(ctx, t, claim, d.limit, settings)
			if sizes[i] = float64(n); !found {
				sizes[i] = math.Inf(1)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%s, fault %q: %w", row.Attack, row.Fault, err)
		}
		*d.result = joinSeeds(sizes)
		d.result.UpTo, d.result.Seconds = d.limit, (processors()-before).Seconds()/float64(row.Seeds)
	}
	row.OneRun.UpTo = looks[len(looks)-1]
	row.Runs.UpTo = o.Trainings / 2 * 2
	return nil
}

// joinSeeds summarizes the sizes at which the seeds of a design refuted the claim. It sorts sizes.
func joinSeeds(sizes []float64) (f results.Detection) {
	slices.Sort(sizes)
	for _, n := range sizes {
		if !math.IsInf(n, 1) {
			f.Seeds++
		}
	}
	middle := len(sizes) / 2 // the upper median: at this size more than half of the seeds have refuted the claim
	f.Median, f.Min, f.Max = verify.Num(sizes[middle]), verify.Num(sizes[0]), verify.Num(sizes[len(sizes)-1])
	return f
}
