package curricula

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify"
)

// reading turns the multipliers of the epochs into ε at δ = 1e-5.
type reading func(multipliers []float64) (accountant.Bracket, error)

// figure is a printed number, the interval it was rounded from, and its recomputation.
type figure struct {
	at                 string
	printed, low, high float64
	bracket            accountant.Bracket
}

// figures judges printed numbers against brackets of recomputed ones. Equals asks
// whether the bracket lies within what was rounded, AtMost whether it lies below its
// upper end. Of two statements of the paper, a figure that cannot be is Inconsistent.
type figures struct {
	quantity, method string
	sense            verify.Sense
	contradiction    bool
	rows             func() ([]figure, error)
}

// Prepare recomputes all figures; nothing is left to sample.
func (f figures) Prepare(context.Context, verify.Settings) (verify.Trial, error) {
	rows, err := f.rows()
	if err != nil {
		return nil, err
	}
	e := verify.Evidence{Exact: true, Quantity: f.quantity, Sense: f.sense, Verdict: verify.Holds, Method: f.method}
	rank, worst, nearest := -1, -1.0, math.Inf(1)
	cases := verify.Cases[verify.Cell]{Noun: "figure", Ordered: "in the order of printing"}
	for _, row := range rows {
		b := row.bracket
		if !(b.Lower <= b.Upper) {
			return nil, fmt.Errorf("%s: the bracket [%v, %v] of %s", row.at, b.Lower, b.Upper, f.quantity)
		}
		c := verify.Cell{At: row.at, Claimed: verify.Num(row.printed), Measured: verify.Num(b.Estimate), Lower: verify.Num(b.Lower), Upper: verify.Num(b.Upper)}
		e.Cells = append(e.Cells, c)
		standing := f.standing(row)
		cases.See(c, standing == 2)
		if margin := f.margin(row); !(margin >= nearest) {
			nearest = margin
			e.Attempt = fmt.Sprintf("the nearest to breaking, %s, printed %.4g, is by computation in [%.4g, %.4g]: %.2g from what a number printed so allows", row.at, row.printed, b.Lower, b.Upper, margin)
		}
		off := math.Abs(b.Estimate-row.printed) / row.printed
		if standing > rank || standing == rank && off > worst {
			rank, worst = standing, off
			e.WorstOf(c)
		}
	}
	e.Attempt = fmt.Sprintf("%s; %s", cases.Tried(func(c verify.Cell) string { return c.At }), e.Attempt)
	switch {
	case rank == 2 && f.contradiction:
		e.Verdict = verify.Inconsistent
	case rank == 2:
		e.Verdict = verify.Refuted
	case rank == 1:
		e.Verdict = verify.Inconclusive
		e.Needed = fmt.Sprintf("a bracket of ε that is narrower than [%.6g, %.6g] at %s", e.Lower.X, e.Upper.X, e.Witness)
	}
	if e.Verdict != verify.Holds {
		e.Attempt = ""
	}
	if rank == 2 {
		e.Counterexample = cases.Simplest(func(c verify.Cell) verify.Cell { return c })
	}
	return verify.Decided(e), nil
}

// margin is how far the bracket is from the nearer end of what the row allows.
func (f figures) margin(row figure) float64 {
	above := row.high - row.bracket.Upper
	if f.sense == verify.AtMost {
		return above
	}
	return math.Min(above, row.bracket.Lower-row.low)
}

// standing is 0 where the row agrees for certain, 2 where it cannot, 1 in between.
func (f figures) standing(row figure) int {
	b := row.bracket
	below := b.Upper <= row.high
	switch {
	case f.sense == verify.AtMost && below, f.sense == verify.Equals && below && b.Lower >= row.low:
		return 0
	case b.Lower > row.high, f.sense == verify.Equals && b.Upper < row.low:
		return 2
	}
	return 1
}

// certified is the bracket of an event by one method.
func certified(e accountant.Event, adj accountant.Adjacency, method string) (accountant.Bracket, error) {
	results, err := accountant.Epsilons(e, adj, delta, accountant.Options{Methods: []string{method}, Precision: accountant.Precision{Width: 0.02}})
	if err != nil {
		return accountant.Bracket{}, err
	}
	for _, r := range results {
		if r.Method == method {
			return r.Bracket, nil
		}
	}
	return accountant.Bracket{}, fmt.Errorf("no result of the method %s", method)
}

// formula is the value of an upper bound, as a bracket of itself. The accountant
// computes it to 1e-11, which no rounding to a printed place notices.
func formula(upper float64) accountant.Bracket {
	return accountant.Bracket{Lower: upper, Estimate: upper, Upper: upper}
}

// poisson is Section 3.2: each epoch n steps at sampling rate q. A step without
// noise guarantees nothing.
func poisson(q float64, n int64, adj accountant.Adjacency, method string) reading {
	return func(multipliers []float64) (accountant.Bracket, error) {
		if slices.Contains(multipliers, 0) {
			return accountant.Bracket{Lower: math.Inf(1), Estimate: math.Inf(1), Upper: math.Inf(1)}, nil
		}
		b, err := certified(accountant.Schedule(q, multipliers, n), adj, method)
		if method != "pld" {
			b = formula(b.Upper)
		}
		return b, err
	}
}

// rdp is the accounting that gives the printed figures.
func rdp(multipliers []float64) (accountant.Bracket, error) {
	return poisson(rate, steps, accountant.AddRemove, "rdp")(multipliers)
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
	event := accountant.Schedule(rate, multipliers, steps)
	var failed error
	curve := func(beta float64) float64 {
		d, err := accountant.Renyi(event, accountant.AddRemove, 2+beta)
		if err != nil {
			failed = err
		}
		return (1 + beta) / beta * d
	}
	epsilon, _ := accountant.Mironov.Epsilon(curve, delta)
	return formula(epsilon), failed
}

// atOrders is the least ε over the given orders α of
// r + log((α−1)/α) − (log δ + log α)/(α−1) (Canonne, Kamath & Steinke 2020, Prop. 12).
func atOrders(orders []float64) reading {
	return func(multipliers []float64) (accountant.Bracket, error) {
		event, least := accountant.Schedule(rate, multipliers, steps), math.Inf(1)
		for _, a := range orders {
			r, err := accountant.Renyi(event, accountant.AddRemove, a)
			if err != nil {
				return accountant.Bracket{}, err
			}
			least = math.Min(least, r+math.Log1p(-1/a)-(math.Log(delta)+math.Log(a))/(a-1))
		}
		return formula(least), nil
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
