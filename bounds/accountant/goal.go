package accountant

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// goal is an upper limit on a number that falls as noise grows.
type goal struct {
	method      string
	name, where string // of the number, for example "ε" and " at δ = 1e-05"
	limit       float64
	floor       float64 // the number without any release
	rough       float64 // width of a rough bracket
	ask         asker
	cheap       asker // similar answers in less time
}

// asker returns the number of an event.
type asker func(e event.Event, w Precision) (Result, error)

// epsilonGoal returns the goal ε ≤ epsilon at delta.
func epsilonGoal(adj event.Adjacency, epsilon, delta float64, method string) goal {
	by := func(method string) asker {
		return func(e event.Event, w Precision) (Result, error) {
			r, err := Epsilons(e, adj, delta, Options{Methods: []string{method}, Precision: w})
			if err != nil {
				return Result{}, err
			}
			return r[0], nil
		}
	}
	return goal{method: method, name: "ε", where: fmt.Sprintf(" at δ = %v", delta), limit: epsilon, rough: 0.02 * epsilon,
		ask: by(method), cheap: by("rdp")}
}

// riskGoal returns the goal that a risk stays within its limit.
func riskGoal(adj event.Adjacency, r Risk, method string) goal {
	ask := func(e event.Event, w Precision) (Result, error) { return r.Of(e, adj, method, w) }
	return goal{method: method, name: r.Name(), limit: r.Limit, floor: r.At, rough: 0.02, ask: ask,
		cheap: func(e event.Event, _ Precision) (Result, error) { return ask(e, Precision{Width: 0.02}) }}
}

// is writes the number with a value, as in "ε ≤ 1 at δ = 1e-05".
func (g goal) is(relation string, x any) string {
	return fmt.Sprintf("%s %s %v%s", g.name, relation, x, g.where)
}

// gap returns log(x/limit), measured from the floor. It is at most 0 exactly if x ≤ limit, also where the differences
// round to the same number.
func (g goal) gap(x float64) float64 {
	gap := logRatio(x-g.floor, g.limit-g.floor)
	if x <= g.limit {
		return math.Min(0, gap)
	}
	return math.Max(math.SmallestNonzeroFloat64, gap)
}
