package premises

import (
	"errors"
	"fmt"

	"github.com/dpverify/dpverify/verify"
)

// Premises returns the premises of the account of a training, each with its check in the log. The divisor is also
// checked in the log of a second run, and compared with it, if neighbor is not nil. The second run has the same number
// of steps, on a data set with one record more or less. Premises returns a [ParameterError] if the claim is invalid,
// and an error if a log has no steps or was not built by [ReadLog] or by [NewLog] and [Log.Add].
func Premises(l, neighbor *Log, t Training) ([]Premise, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if err := l.check(); err != nil {
		return nil, err
	}
	if neighbor != nil {
		if err := neighbors(l, neighbor); err != nil {
			return nil, err
		}
	}
	return []Premise{membership(l, t), norms(l, t), noise(l, t), divisor(l, neighbor, t), update(l, t), steps(l, t)}, nil
}

// check returns an error unless the log has steps with values at the logged coordinates.
func (l *Log) check() error {
	if l == nil || len(l.Steps) == 0 || l.Records < 1 || l.Coordinates < 1 {
		return errors.New("the log has no steps, records or coordinates: add each step of the training")
	}
	for i, s := range l.Steps {
		k := l.Coordinates
		if len(s.Sum) != k || len(s.Size) != k || len(s.Noise) != k || len(s.Released) != k || !positive(s.Divisor) {
			return fmt.Errorf("step %d does not have values at %d coordinates and a positive divisor: add it by Log.Add",
				i+1, k)
		}
	}
	return nil
}

// decided returns the verdict on statistics, which it checks as a reader of the report does.
func decided(method string, f verify.Statistics, s verify.Settings) (verify.Trial, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	e, err := verify.JudgeStatistics(method, f, s)
	return verify.Decided(e), err
}
