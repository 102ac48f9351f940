package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Shuffled is the set with its rows in a uniformly random order.
func (s *Dataset) Shuffled(r *rand.Rand) *Dataset {
	out, err := s.Subset(r.Perm(s.Len()))
	if err != nil {
		panic("dataset: a permutation left its range: " + err.Error()) // cannot happen: Perm stays in [0, n)
	}
	return out
}

// Split parts the rows at random into a training and a test set; the test set
// gets the share testShare of the rows, rounded to the nearest whole number,
// and each part at least one row.
//
// Errors: testShare outside (0, 1) or NaN, or fewer than 2 rows.
func (s *Dataset) Split(r *rand.Rand, testShare float64) (train, test *Dataset, err error) {
	if !(testShare > 0 && testShare < 1) {
		return nil, nil, fmt.Errorf("dataset: test share %v: need a number in (0, 1)", testShare)
	}
	n := s.Len()
	if n < 2 {
		return nil, nil, fmt.Errorf("dataset: cannot split %d row: need at least 2", n)
	}
	size := min(max(int(math.Round(testShare*float64(n))), 1), n-1)
	order := r.Perm(n)
	if test, err = s.Subset(order[:size]); err != nil {
		return nil, nil, err
	}
	train, err = s.Subset(order[size:])
	return train, test, err
}
