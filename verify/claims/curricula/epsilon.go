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

// printedDivergenceEpsilon is Theorem 3.1 on the second display of step 1, which is
// α/(α−1) D_{α+1}.
func printedDivergenceEpsilon(multipliers []float64) (accountant.Bracket, error) {
	schedule := event.Schedule(rate, multipliers, steps)
	var failed error
	curve := func(beta float64) float64 {
		d, err := accountant.Renyi(schedule, event.AddRemove, 2+beta)
		if err != nil {
			failed = err
		}
		return (1 + beta) / beta * d.Upper
	}
	epsilon, _ := accountant.Mironov.Epsilon(curve, delta)
	return formulaText(epsilon), failed
}

// atOrders is the least ε over the given orders α of
// r + log((α−1)/α) − (log δ + log α)/(α−1) (Canonne, Kamath & Steinke 2020, Prop. 12).
func atOrders(orders []float64) reading {
	return func(multipliers []float64) (accountant.Bracket, error) {
		schedule, least := event.Schedule(rate, multipliers, steps), math.Inf(1)
		for _, a := range orders {
			r, err := accountant.Renyi(schedule, event.AddRemove, a)
			if err != nil {
				return accountant.Bracket{}, err
			}
			least = math.Min(least, r.Upper+math.Log1p(-1/a)-(math.Log(delta)+math.Log(a))/(a-1))
		}
		return formulaText(least), nil
	}
}

// tenths are the orders 1.1, 1.2, …, 10.9, 12, 13, …, 63 of the tutorials of the
// usual libraries.
func tenths() (orders []float64) {
	for i := 1.0; i < 100; i++ {
		orders = append(orders, 1+i/10)
	}
	return append(orders, integers(12, 63)...)
}

func integers(from, to float64) (orders []float64) {
	for a := from; a <= to; a++ {
		orders = append(orders, a)
	}
	return orders
}
