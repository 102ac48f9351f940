package accountant

import (
	"errors"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/ties"
)

// Calibrate returns the noise at which build(noise) reaches epsilon at delta,
// by the named method ("best", "rdp", "pld", …, see Methods). build must give
// events whose ε falls as the noise grows, as the σ of a Gaussian or the scale of
// a Laplace does. Upper is on the private side: with that noise the method
// certifies ε ≤ epsilon. Lower, where the method proves lower ends, is noise
// with which ε is certainly above; 0 otherwise. epsilon > 0, 0 ≤ delta < 1.
//
// The answer is looked for between 1e-4 and 1e7; outside, an error says so.
func Calibrate(build func(noise float64) event.Event, adj event.Adjacency, epsilon, delta float64,
	name string) (Bracket, error) {
	if !(epsilon > 0 && !math.IsInf(epsilon, 1)) || !(delta >= 0 && delta < 1) {
		return Bracket{}, event.DomainError("calibration to ε = %v, δ = %v: need ε > 0 finite, 0 ≤ δ < 1", epsilon, delta)
	}
	if !slices.Contains(Methods(), name) {
		return Bracket{}, event.DomainError("unknown method %q", name)
	}
	tolerance := 1e-12
	if name == "pld" || name == "best" {
		tolerance = 1e-5 // brackets of relative width 1e-3 deserve no more
	}
	var failure, breach error
	gap := func(end func(Bracket) float64) func(float64) float64 {
		return func(noise float64) float64 {
			r, err := Epsilons(build(noise), adj, delta, Options{Methods: []string{name}})
			if errors.Is(err, ErrBreach) {
				breach = err
			}
			if err != nil {
				// Far too little noise may be refused; then there is no privacy.
				failure = err
				return math.Inf(1)
			}
			failure = nil
			return end(r[0].Bracket) - epsilon
		}
	}
	above := gap(func(b Bracket) float64 { return b.Upper })
	upper := func(logNoise float64) float64 { return above(math.Exp(logNoise)) }
	// A bracket of the root first: cheap steps outwards from noise 1.
	lo, hi := 0.0, 0.0
	for ; !(upper(hi) <= 0); hi += 1 {
		if breach != nil {
			return Bracket{}, breach
		}
		if lo = hi; hi > math.Log(1e7) {
			if failure != nil {
				return Bracket{}, failure
			}
			return Bracket{}, event.DomainError("no noise up to 1e7 reaches ε = %v at δ = %v by %s", epsilon, delta, name)
		}
	}
	for ; lo == hi || upper(lo) <= 0; lo -= 1 {
		if hi = math.Min(hi, lo+1); lo < math.Log(1e-4) {
			return Bracket{}, event.DomainError("noise 1e-4 already reaches ε = %v at δ = %v", epsilon, delta)
		}
	}
	noise := fewDigits(math.Exp(fallingRootTo(upper, lo, hi, tolerance)), func(x float64) bool { return above(x) <= 0 })
	answer := Bracket{0, noise, noise}
	below := gap(func(b Bracket) float64 { return b.Lower })
	lower := func(logNoise float64) float64 { return below(math.Exp(logNoise)) }
	if lower(lo-0.1) > 0 {
		// The end where lower is still above: one step inside the last bracket.
		at := fallingRootTo(lower, lo-0.1, math.Log(noise), tolerance)
		answer.Lower = math.Exp(at) * (1 - 2*tolerance*(1+math.Abs(at)))
		if !(lower(math.Log(answer.Lower)) > 0) {
			answer.Lower = 0
		}
		answer.Estimate = (answer.Lower + 2*answer.Upper) / 3
		if answer.Lower == 0 {
			answer.Estimate = answer.Upper
		}
	}
	if breach != nil {
		return Bracket{}, breach
	}
	answer, err := sealed(name, answer, math.Inf(1))
	return answer, breachOf(err, build(noise))
}

// fewDigits is a noise of ten digits next to x that is enough, above it where none below is: it
// is written out in full, and the last digits of a root differ between machines. x itself where
// neither is enough.
func fewDigits(x float64, enough func(noise float64) bool) float64 {
	const digits = 10
	near := ties.Settled(x, digits)
	if near > 0 && enough(near) {
		return near
	}
	// Half a unit of the last digit is between 5e-11 and 5e-10 of x.
	for _, up := range []float64{1e-10, 1e-9} {
		if next := ties.Settled(x*(1+up), digits); next > x && enough(next) {
			return next
		}
	}
	return x
}
