package matrix

import (
	"errors"
	"fmt"
)

// ErrDomain is wrapped by every error about an argument outside its domain.
var ErrDomain = errors.New("outside the domain")

func domainError(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrDomain)...)
}

// Participation describes the steps in which one record may take part. The zero value is a single participation in any
// step. Fewer participations than Times are always allowed, so a Times that the separation does not allow has no
// effect.
type Participation struct {
	// Times is the maximum number of participations; 0 means 1.
	Times int `json:"times,omitempty"`
	// Separation is the minimum distance of two participations. With 1, any steps are allowed; 0 means 1.
	Separation int `json:"separation,omitempty"`
	// Every, if not 0, is the exact distance of consecutive participations, i, i + Every, i + 2·Every, …, from any step
	// i. It is the number of steps in an epoch with fixed order. It excludes Separation.
	Every int `json:"every,omitempty"`
}

// String describes p.
func (p Participation) String() string {
	switch {
	case p.Times <= 1:
		return "single participation"
	case p.Every > 0:
		return fmt.Sprintf("at most %d participations, every %d steps", p.Times, p.Every)
	}
	return fmt.Sprintf("at most %d participations, at least %d steps apart", p.Times, max(1, p.Separation))
}

// check returns an error that wraps ErrDomain if such participations are impossible in n steps.
func (p Participation) check(n int) error {
	switch {
	case p.Times < 0 || p.Separation < 0 || p.Every < 0:
		return domainError("participation times %d, separation %d, every %d: want none below 0",
			p.Times, p.Separation, p.Every)
	case p.Separation > 0 && p.Every > 0:
		return domainError("participation with separation %d and every %d: give one of them", p.Separation, p.Every)
	case p.Times > n:
		return domainError("participation times %d in %d steps: a record takes part at most once in a step", p.Times, n)
	case p.Times <= 1:
		return nil
	case p.Separation > n:
		return domainError("participation separation %d in %d steps: for a single participation leave times out",
			p.Separation, n)
	case p.Every > n:
		return domainError("participation every %d in %d steps: for a single participation leave times out", p.Every, n)
	}
	return nil
}

// spacing returns the maximum number of participations in n steps, and their distance of at least 1.
func (p Participation) spacing(n int) (times, distance int) {
	times, distance = max(1, p.Times), max(1, p.Separation, p.Every)
	return min(times, (n+distance-1)/distance), distance
}
