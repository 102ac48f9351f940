package curricula

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// reading returns the ε at δ = 1e-5 of a run with the given multipliers of the epochs.
type reading func(multipliers []float64) (accountant.Bracket, error)

// compare returns a printed number, rounded from [low, high], with the bracket of its recomputation.
func compare(at string, shown, low, high float64, b accountant.Bracket) formula.Bracket {
	return formula.Bracket{Place: at, Reported: shown, Low: low, High: high, Lower: b.Lower, Estimate: b.Estimate,
		Upper: b.Upper}
}

// rounded returns compare for a number that is printed with two decimals.
func rounded(at string, printed float64, b accountant.Bracket) formula.Bracket {
	return compare(at, printed, printed-half, printed+half, b)
}

// accounts caches brackets, because several claims and their controls account for the same runs.
var accounts checks.Memo[accountant.Bracket]

// certified returns the bracket of ε for an event by one accounting method.
func certified(e event.Event, adj event.Adjacency, method string) (accountant.Bracket, error) {
	return accounts.Of(fmt.Sprintf("ε of %#v, %v, by %s", e, adj, method), func() (accountant.Bracket, error) {
		results, err := accountant.Epsilons(e, adj, delta,
			accountant.Options{Methods: []string{method}, Precision: accountant.Precision{Width: 0.02}})
		if err != nil {
			return accountant.Bracket{}, err
		}
		for _, r := range results {
			if r.Method == method {
				return r.Bracket, nil
			}
		}
		return accountant.Bracket{}, fmt.Errorf("no result of the method %s", method)
	})
}

// exactly returns the bracket of an upper bound as a number. The accountant computes it to 1e-11, far below the
// rounding of printed numbers.
func exactly(upper float64) accountant.Bracket {
	return accountant.Bracket{Lower: upper, Estimate: upper, Upper: upper}
}

// poisson returns the accounting of Section 3.2: n steps per epoch at sampling rate q. A step without noise has ε = ∞.
func poisson(q float64, n int64, adj event.Adjacency, method string) reading {
	return func(multipliers []float64) (accountant.Bracket, error) {
		if slices.Contains(multipliers, 0) {
			return accountant.Bracket{Lower: math.Inf(1), Estimate: math.Inf(1), Upper: math.Inf(1)}, nil
		}
		b, err := certified(event.Schedule(q, multipliers, n), adj, method)
		if method != "pld" {
			b = exactly(b.Upper)
		}
		return b, err
	}
}

// rdp is the accounting that gives the printed ε of Table 2.
func rdp(multipliers []float64) (accountant.Bracket, error) {
	return poisson(rate, steps, event.AddRemove, "rdp")(multipliers)
}

// batches returns the exact ε if batches use each record once per epoch and one record changes a release by up to
// moves·C: the composition of Gaussian mechanisms with standard deviation F(t)C. A gradient of this length that does
// not depend on θ attains it.
func batches(moves float64) reading {
	return func(multipliers []float64) (accountant.Bracket, error) {
		sum := 0.0
		for _, f := range multipliers {
			sum += 1 / (f * f)
		}
		return accountant.GDP{Mu: moves * math.Sqrt(sum)}.Epsilon(delta)
	}
}
