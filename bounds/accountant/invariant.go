package accountant

import (
	"errors"
	"fmt"
	"math"
)

// ErrBreach is wrapped where results contradict themselves or one another. Then one of
// them is wrong, none is returned, and the error names the event and the methods.
var ErrBreach = errors.New("brackets contradict one another: please report this")

// sealed is what every bracket passes on its way out of the package: it is
// 0 ≤ lower ≤ estimate ≤ upper ≤ most, or an error.
func sealed(method string, b Bracket, most float64) (Bracket, error) {
	if !(0 <= b.Lower && b.Lower <= b.Estimate && b.Estimate <= b.Upper && b.Upper <= most) {
		return Bracket{}, fmt.Errorf("accountant: %s gave [%v, %v, %v]: %w", method, b.Lower, b.Estimate, b.Upper, ErrBreach)
	}
	return b, nil
}

// sealedEpsilon and sealedDelta seal what a closed form without an event returns.
func sealedEpsilon(method string, b Bracket, err error) (Bracket, error) {
	return sealedUpTo(method, b, err, math.Inf(1))
}

func sealedDelta(method string, b Bracket, err error) (Bracket, error) {
	return sealedUpTo(method, b, err, 1)
}

func sealedUpTo(method string, b Bracket, err error, most float64) (Bracket, error) {
	if err != nil {
		return Bracket{}, err
	}
	return sealed(method, b, most)
}

// breachOf adds the event to a breach.
func breachOf(err error, e Event) error {
	if errors.Is(err, ErrBreach) {
		return fmt.Errorf("%w (event %s)", err, e)
	}
	return err
}

// agreeing reports the first two methods whose brackets do not meet: all speak of the
// same truth.
func agreeing(results []Result) error {
	for i, x := range results {
		for _, y := range results[:i] {
			if !(x.Lower <= y.Upper && y.Lower <= x.Upper) {
				return fmt.Errorf("accountant: %s gave [%v, %v] and %s gave [%v, %v]: %w", y.Method, y.Lower, y.Upper, x.Method, x.Lower, x.Upper, ErrBreach)
			}
		}
	}
	return nil
}

// remaining brackets (δ − lost)/(1 − lost), what a total δ leaves where a probability
// lost, known to a few roundings, is gone for good; exact where nothing is lost, and
// negative where δ is certainly not enough.
func remaining(delta, lost float64) (low, high float64) {
	if lost == 0 {
		return delta, delta
	}
	const few = 8 * unit
	if delta < lost*(1-few) {
		return -1, -1
	}
	kept := 1 - lost
	low = (delta - lost*(1+few)) / (kept + few) * (1 - few)
	if kept <= 2*few {
		return low, 1
	}
	return low, math.Min(1, (delta-lost*(1-few))/(kept-few)*(1+few))
}

// inverted moves the ends of a bracket of ε out until the certified δ proves them: at
// upper δ is at most the target, at lower at least. b holds candidates; beyond most
// δ does not fall any more.
func inverted(b Bracket, most, target float64, delta func(epsilon float64) Bracket) Bracket {
	inf := math.Inf(1)
	if delta(most).Lower > target {
		return Bracket{inf, inf, inf}
	}
	for step := math.Max(b.Upper-b.Estimate, 4*unit*b.Upper); delta(b.Upper).Upper > target; step *= 2 {
		if b.Upper >= most {
			b.Upper = inf
			break
		}
		b.Upper = math.Min(b.Estimate+2*step, most)
	}
	for step := math.Max(b.Estimate-b.Lower, 4*unit*b.Estimate); b.Lower > 0 && delta(b.Lower).Lower < target; step *= 2 {
		b.Lower = math.Max(0, b.Estimate-2*step)
	}
	return b
}
