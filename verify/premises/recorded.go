package premises

import (
	"fmt"
	"math"
	"slices"
)

// NewLog returns an empty log of a training in Go on a data set of the given number of records, at least 1. It keeps
// contributions, noise and released values at the given coordinates, which should be drawn at random once.
func NewLog(records int, coordinates []int) *Log {
	return &Log{Name: "training", Records: records, Coordinates: len(coordinates), at: slices.Clone(coordinates)}
}

// Add appends the next step of the training. batch holds the positions of the records in the batch, from 0.
// contributions holds the whole contribution of each of these records after clipping. noise is the noise on their sum.
// released is the vector that the training uses: (sum + noise) / divisor. All vectors have the same length. Add copies
// what it keeps. It returns an error, and does not add the step, if a shape is wrong or a kept number is not finite.
func (l *Log) Add(batch []int, contributions [][]float64, noise, released []float64, divisor float64) error {
	next := len(l.Steps) + 1
	s := step{Divisor: &divisor}
	for _, record := range batch {
		if record < 0 || record > math.MaxInt32 {
			return fmt.Errorf("step %d: record %d: want a position from 0 to %d", next, record, l.Records-1)
		}
		s.Batch = append(s.Batch, int32(record))
	}
	var err error
	for i, c := range contributions {
		if len(c) != len(noise) {
			return fmt.Errorf("step %d: contribution %d has %d values and the noise %d: want equal lengths", next, i, len(c),
				len(noise))
		}
		s.Norms = append(s.Norms, norm(c))
		var logged []float64
		if logged, err = l.logged(c); err != nil {
			return fmt.Errorf("step %d: contribution %d: %w", next, i, err)
		}
		s.Contributions = append(s.Contributions, logged)
	}
	if s.Noise, err = l.logged(noise); err != nil {
		return fmt.Errorf("step %d: noise: %w", next, err)
	}
	if s.Released, err = l.logged(released); err != nil {
		return fmt.Errorf("step %d: released vector: %w", next, err)
	}
	if err := s.check(l); err != nil {
		return fmt.Errorf("step %d: %w", next, err)
	}
	l.Steps = append(l.Steps, s.condensed(l.Coordinates))
	return nil
}

// logged returns the values of a vector at the logged coordinates.
func (l *Log) logged(vector []float64) ([]float64, error) {
	out := make([]float64, len(l.at))
	for j, coordinate := range l.at {
		if coordinate < 0 || coordinate >= len(vector) {
			return nil, fmt.Errorf("%d values have no coordinate %d, which is logged", len(vector), coordinate)
		}
		out[j] = vector[coordinate]
	}
	return out, nil
}
