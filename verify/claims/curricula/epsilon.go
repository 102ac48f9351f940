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

// reading turns the multipliers of the epochs into ε at δ = 1e-5.
type reading func(multipliers []float64) (accountant.Bracket, error)

// beside puts a printed number, rounded from [low, high], beside its recomputation.
func beside(at string, shown, low, high float64, b accountant.Bracket) formula.Bracket {
	return formula.Bracket{Place: at, Reported: shown, Low: low, High: high, Lower: b.Lower, Estimate: b.Estimate,
		Upper: b.Upper}
}

// rounded is beside with two printed decimals.
func rounded(at string, printed float64, b accountant.Bracket) formula.Bracket {
	return beside(at, printed, printed-half, printed+half, b)
}

// accounts are the brackets that are known: several claims and their controls account for the same runs.
var accounts checks.Memo[accountant.Bracket]

// certified is the bracket of an event by one method.
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

// formulaText is the value of an upper bound, as a bracket of itself. The accountant
// computes it to 1e-11, which no rounding to a printed place notices.
func formulaText(upper float64) accountant.Bracket {
	return accountant.Bracket{Lower: upper, Estimate: upper, Upper: upper}
}

// poisson is Section 3.2: each epoch n steps at sampling rate q. A step without
// noise guarantees nothing.
func poisson(q float64, n int64, adj event.Adjacency, method string) reading {
	return func(multipliers []float64) (accountant.Bracket, error) {
		if slices.Contains(multipliers, 0) {
			return accountant.Bracket{Lower: math.Inf(1), Estimate: math.Inf(1), Upper: math.Inf(1)}, nil
		}
		b, err := certified(event.Schedule(q, multipliers, n), adj, method)
		if method != "pld" {
			b = formulaText(b.Upper)
		}
		return b, err
	}
}

// rdp is the accounting that gives the printed figures.
func rdp(multipliers []float64) (accountant.Bracket, error) {
	return poisson(rate, steps, event.AddRemove, "rdp")(multipliers)
}

// batches is the exact ε of batches that use each record once an epoch, in a release
// that one record moves by moves·C: Gaussians of deviation F(t)C. It is attained by a
// gradient of that length that does not depend on θ.
func batches(moves float64) reading {
	return func(multipliers []float64) (accountant.Bracket, error) {
		sum := 0.0
		for _, f := range multipliers {
			sum += 1 / (f * f)
		}
		return accountant.GDP{Mu: moves * math.Sqrt(sum)}.Epsilon(delta)
	}
}
