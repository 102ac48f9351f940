package accountant

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// ErrBreach is wrapped by an error if results are inconsistent. One of them must then be wrong, so no result is
// returned. The error contains the event and the methods.
var ErrBreach = errors.New("brackets contradict one another: please report this")

// sealed returns the bracket if 0 ≤ lower ≤ estimate ≤ upper ≤ limit, and an error otherwise. Every exported bracket
// passes this check.
func sealed(method string, b Bracket, limit float64) (Bracket, error) {
	if !(0 <= b.Lower && b.Lower <= b.Estimate && b.Estimate <= b.Upper && b.Upper <= limit) {
		return Bracket{}, fmt.Errorf("accountant: %s gave [%v, %v, %v]: %w", method, b.Lower, b.Estimate, b.Upper, ErrBreach)
	}
	return b, nil
}

// sealedEpsilon and sealedDelta check the brackets of closed forms, which have no event.
func sealedEpsilon(method string, b Bracket, err error) (Bracket, error) {
	return sealedUpTo(method, b, err, math.Inf(1))
}

func sealedDelta(method string, b Bracket, err error) (Bracket, error) {
	return sealedUpTo(method, b, err, 1)
}

func sealedUpTo(method string, b Bracket, err error, limit float64) (Bracket, error) {
	if err != nil {
		return Bracket{}, err
	}
	return sealed(method, b, limit)
}

// breachOf adds the event to an error that wraps ErrBreach.
func breachOf(err error, e event.Event) error {
	if errors.Is(err, ErrBreach) {
		return fmt.Errorf("%w (event %s)", err, e)
	}
	return err
}

// agreeing returns an error for the first two methods whose brackets do not intersect. All methods bracket the same
// value.
func agreeing(results []Result) error {
	for i, x := range results {
		for _, y := range results[:i] {
			if !(x.Lower <= y.Upper && y.Lower <= x.Upper) {
				return fmt.Errorf("accountant: %s gave [%v, %v] and %s gave [%v, %v]: %w", y.Method, y.Lower, y.Upper, x.Method,
					x.Lower, x.Upper, ErrBreach)
			}
		}
	}
	return nil
}
