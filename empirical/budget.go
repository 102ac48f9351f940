package empirical

import (
	"fmt"
	"slices"
)

// Budget is the sampling budget of a run.
type Budget string

const (
	Quick    Budget = "quick"
	Standard Budget = "standard"
	Thorough Budget = "thorough"
)

// Budgets lists the budgets from small to large.
var Budgets = []Budget{Quick, Standard, Thorough}

// ParseBudget returns the budget with the given name, or an error.
func ParseBudget(s string) (Budget, error) {
	if b := Budget(s); slices.Contains(Budgets, b) {
		return b, nil
	}
	return "", fmt.Errorf("budget %q: want quick, standard or thorough", s)
}

// Samples scales the number of samples of the standard budget: one eighth for quick, ten times for thorough. It
// returns at least 1.
func (b Budget) Samples(standard int64) int64 {
	switch b {
	case Quick:
		standard /= 8
	case Thorough:
		standard *= 10
	}
	return max(1, standard)
}
