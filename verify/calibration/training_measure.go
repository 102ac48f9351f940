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

// TrainingOptions are the options of Training. Alpha is of each design of each seed, and Runs the seeds of each fault.
type TrainingOptions struct {
	Options
	Attacks   []dpsgd.Attack
	Faults    []dpsgd.Fault // beside the sound training
	Canaries  int           // most of one run
	Trainings int           // most of many runs, at least 2
	Sound     int           // seeds of the sound training, at least 1
}

// check returns an error that names what is out of its domain.
func (o TrainingOptions) check() error {
	const mostRuns = 200_000
	switch {
	case !(o.Alpha > 0 && o.Alpha < 1):
		return fmt.Errorf("alpha %v: want an error probability in (0, 1)", o.Alpha)
	case o.Canaries < 1:
		return fmt.Errorf("canaries %d: want at least 1", o.Canaries)
	case o.Trainings < 2 || o.Trainings > mostRuns:
		return fmt.Errorf("runs %d: want 2 to %d, one with the canary and one without at least", o.Trainings, mostRuns)
	case o.Runs < 1 || o.Sound < 1:
		return fmt.Errorf("%d seeds of each fault and %d of the sound training: want at least 1", o.Runs, o.Sound)
	}
	return nil
}

// Training measures how many canaries, or how many trainings, show that a training is not what its account says. It
// audits the sound training, and that with each fault, by each attack and both designs, a number of times.
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
	of   func(context.Context, dpsgd.Training, trainingClaim, int, verify.Settings) (int, bool, error)
	most int
	to   *results.Detection
}

// row measures both designs.
func (o TrainingOptions) row(ctx context.Context, t dpsgd.Training, claim trainingClaim,
	row *results.TrainingRow) error {
	looks := canaryLooks(min(o.Canaries, t.MaxCanaries()))
	for _, d := range []trainingDesign{{oneRun, o.Canaries, &row.OneRun}, {manyRuns, o.Trainings, &row.Runs}} {
		at := make([]float64, row.Seeds)
		before := processors()
		_, err := empirical.Each(ctx, o.Pool, row.Seeds, func(ctx context.Context, i int) error {
			settings := verify.Settings{Budget: verify.Standard, Alpha: o.Alpha,
				Seed: o.Seed.Derive("training", row.Attack, row.Fault, fmt.Sprint(i))}
			n, found, err := d.of(ctx, t, claim, d.most, settings)
			if at[i] = float64(n); !found {
				at[i] = math.Inf(1)
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%s, fault %q: %w", row.Attack, row.Fault, err)
		}
		*d.to = joinSeeds(at)
		d.to.UpTo, d.to.Seconds = d.most, (processors()-before).Seconds()/float64(row.Seeds)
	}
	row.OneRun.UpTo = looks[len(looks)-1]
	row.Runs.UpTo = o.Trainings / 2 * 2
	return nil
}

// joinSeeds puts the seeds of a design together.
func joinSeeds(at []float64) (f results.Detection) {
	slices.Sort(at)
	for _, n := range at {
		if !math.IsInf(n, 1) {
			f.Seeds++
		}
	}
	middle := len(at) / 2 // the upper one of two: what has been found by then in half of the seeds
	f.Median, f.Min, f.Max = verify.Num(at[middle]), verify.Num(at[0]), verify.Num(at[len(at)-1])
	return f
}
