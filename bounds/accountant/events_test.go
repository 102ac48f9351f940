package accountant

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

// few is a number of lattice points that brackets these distributions as well as a hundred times as many. It applies to
// atoms that are not on a lattice.
const few = 1 << 14

// holds reports whether the best bracket of an event is consistent with a row of testdata/events.tsv.
func (x extreme) holds(e event.Event) (b Bracket, ok bool, err error) {
	var rs []Result
	o := Options{Methods: []string{"best"}, Precision: Precision{Width: 0.05, MaxPoints: few}}
	side, quantity, found := strings.Cut(x.quantity, "-")
	if !found {
		o.Precision = Precision{Width: 0.01, MaxPoints: few}
		side, quantity = "exact", x.quantity
	}
	if quantity == "epsilon" {
		rs, err = Epsilons(e, x.adjacency, x.at, o)
	} else {
		rs, err = Deltas(e, x.adjacency, x.at, o)
	}
	if err != nil {
		return b, false, err
	}
	b = rs[0].Bracket
	switch side {
	case "instance":
		ok = x.value <= b.Upper
	case "most":
		ok = b.Lower <= x.value
	default:
		ok = b.Lower <= x.value*(1+1e-15) && x.value*(1-1e-15) <= b.Upper
	}
	return b, ok, nil
}

// Closed forms, enumerations, instances and published values: brackets contain exact values, are narrow, and reach
// attained values.
func TestEventsAgainstTable(t *testing.T) {
	exact := 0
	for _, x := range loadExtremes(t, "testdata/events.tsv") {
		b, ok, err := x.holds(x.event)
		if err != nil || !ok {
			t.Errorf("%s: %s under %s, %s at %v: %v, want %.17g (%v)", x.reason, x.event, x.adjacency, x.quantity, x.at, b, x.value, err)
		}
		if x.quantity == "delta" {
			// TestOneBatchOfFixedSize checks more digits for batches of a fixed size.
			batch := x.event.Parts[0].Kind == event.KindWithoutReplacement
			if exact++; b.Width() > 3e-2*x.value+1e-14 && !batch {
				t.Errorf("%s: %s at %v: %v is wide, the truth is %.17g", x.reason, x.event, x.at, b, x.value)
			}
		}
	}
	if exact < 50 {
		t.Errorf("%d exact figures: the table has lost some", exact)
	}
}

// Events with slightly more or less noise contradict an exact value, so the table distinguishes distributions.
func TestEventsTableRejectsWrongNoise(t *testing.T) {
	caught := map[string]bool{}
	for _, x := range loadExtremes(t, "testdata/events.tsv") {
		if x.quantity != "delta" || !(x.value > 1e-6) {
			continue
		}
		detected := caught[x.reason]
		if detected {
			continue
		}
		wrong := x.event
		wrong.Parts = []event.Event{disturbed(x.event)}
		_, ok, err := x.holds(wrong)
		if caught[x.reason] = !ok; err != nil {
			t.Errorf("%s: %s: %v", x.reason, wrong, err)
		}
	}
	for reason, detected := range caught {
		if !detected {
			t.Errorf("%s: the table does not reject other noise", reason)
		}
	}
}

// disturbed changes a number by ten percent in each mechanism.
func disturbed(e event.Event) event.Event {
	if len(e.Parts) > 0 {
		parts := make([]event.Event, len(e.Parts))
		for i, p := range e.Parts {
			parts[i] = disturbed(p)
		}
		e.Parts = parts
		return e
	}
	if e.Kind == event.KindTable {
		e.Rows = append([][2]float64{{e.Rows[0][0] * 0.9, e.Rows[0][1] * 0.9}, {e.Rows[0][0] * 0.1, 0}, {0, e.Rows[0][1] * 0.1}},
			e.Rows[1:]...)
		return e
	}
	e.A *= 1.1
	if e.Kind == event.KindTruncatedLaplace {
		e.B *= 1.1
	}
	return e
}

// drawTable draws the probabilities of some outputs, a few of which occur on one input only.
func drawTable(r *rand.Rand) outcomes {
	o := make(outcomes, 2+r.IntN(5))
	var sums [2]float64
	for i := range o {
		for c := range o[i] {
			if o[i][c] = math.Exp(3 * r.NormFloat64()); r.IntN(12) == 0 && i > 0 {
				o[i][c] = 0
			}
			sums[c] += o[i][c]
		}
	}
	for i := range o {
		for c := range o[i] {
			o[i][c] /= sums[c]
		}
	}
	return o
}

// Drawn tables that run twice: the bracket contains the enumerated value, and not that of a table in which a tenth of
// an output has moved to another.
func TestDrawnTables(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 1))
	n, detected := 12, 0
	if testutil.Asked() {
		n = 4000
	}
	for range n {
		rows, epsilon := drawTable(r), 2*r.Float64()
		want := rows.twice().delta(epsilon)
		b, err := LossDelta(event.Repeat(2, event.Table(rows)), event.AddRemove, epsilon, Precision{Width: 0.02})
		if err != nil || !(b.Lower <= want*(1+1e-12)+1e-15 && want*(1-1e-12)-1e-15 <= b.Upper) {
			t.Fatalf("%v at ε = %v: %v, enumerated %v (%v)", rows, epsilon, b, want, err)
		}
		wrong := append(outcomes{{rows[0][0] * 0.9, rows[0][1] * 0.9}, {rows[0][0] * 0.1, 0}, {0, rows[0][1] * 0.1}}, rows[1:]...)
		if other := wrong.twice().delta(epsilon); !(b.Lower <= other && other <= b.Upper) {
			detected++
		}
	}
	if detected < n*3/4 {
		t.Errorf("%d of %d wrong tables were detected", detected, n)
	}
}

// Former faults, and possible faults at the ends of domains.
func TestEndsOfEvents(t *testing.T) {
	for _, c := range []struct {
		reason    string
		event     event.Event
		adjacency event.Adjacency
		delta     float64
		low, high float64 // the lower end is at least low, the upper end at most high
	}{
		{"far apart, but not for certain", event.NoisyArgmax(1e-3), event.AddRemove, 1e-5, 0, 1.1e6},
		{"a cut in every step", event.TruncatedPoisson(1, 10, 100, event.Gaussian(1)), event.AddRemove, 1e-5, 0, 10},
		{"no cut", event.TruncatedPoisson(0.1, 100, 100, event.Gaussian(1)), event.AddRemove, 1e-5, 1.6, 1.75},
		{"more records than could be counted", event.TruncatedPoisson(0.5, 1<<49, 1<<50, event.Gaussian(1)), event.AddRemove, 1e-5, 0, 10},
		{"a batch of all records hides none of them", event.WithoutReplacement(10, 10, event.Laplace(1)), event.AddRemove, 0, 0.999, 2.001},
		{"that is replaced", event.WithoutReplacement(10, 10, event.Laplace(1)), event.ReplaceOne, 0, 1.999, 2.001},
		{"noise of the size of a contribution", event.TruncatedLaplace(1, 1), event.AddRemove, 0.01, math.Inf(1), math.Inf(1)},
		{"a threshold at the contribution", event.Threshold(1, event.Laplace(1)), event.AddRemove, 0.01, 0.9, math.Inf(1)},
		{"no weight", event.GaussianMixture(1, []float64{0, 1}, []float64{1, 0}), event.AddRemove, 0, 0, 1e-14},
		{"one pick of one step", event.Allocation(1, 1, event.Gaussian(1)), event.AddRemove, 1e-5, 4.3, 4.4},
		{"a query that hides", event.SparseVector(1e-300, 1, 1), event.AddRemove, 0, 0, 1.0001},
		{"a sampled record, replaced, of correlated noise: moments of both", event.Repeat(10, event.Poisson(0.9, event.Matrix(1, 1, 1))), event.ReplaceOne, 1e-5, 34, 34.3},
		{"as of a mixture", event.Repeat(10, event.Poisson(0.9, event.GaussianMixture(1, []float64{1, 1 + 1e-12}, []float64{0.5, 0.5}))), event.ReplaceOne, 1e-5, 34, 34.3},
		{"bounds beyond which all is told, on a sample", event.Poisson(0.5, event.TruncatedLaplace(4, 2)), event.ReplaceOne, 0.01, 0.6, math.Inf(1)},
		{"bounded noise smaller than what is added", event.TruncatedLaplace(1, 0.75), event.AddRemove, 0.5, math.Inf(1), math.Inf(1)},
		{"no record is sampled", event.Poisson(0, event.Allocation(3, 2, event.Gaussian(1))), event.AddRemove, 0, 0, 0},
		{"many selections", event.Repeat(1000, event.RepeatAndSelect(1, 0.5, event.Pure(1e-3))), event.AddRemove, 0, 0, 3.0001},
	} {
		rs, err := Epsilons(c.event, c.adjacency, c.delta, Options{Methods: []string{"best"}, Precision: Precision{MaxPoints: few}})
		if err != nil || !(rs[0].Lower >= c.low && rs[0].Lower <= c.high && rs[0].Upper <= c.high && rs[0].Upper >= c.low) {
			t.Errorf("%s: %s under %s at δ = %g: %v, want in [%g, %g] (%v)", c.reason, c.event, c.adjacency, c.delta, rs, c.low, c.high, err)
		}
	}
}

// A composition of sixteen picks has a separate pair for its lower bound. Both ends belong to one epoch.
func TestAllocationBrackets(t *testing.T) {
	last := Bracket{}
	for _, picks := range []int64{1, 2, 5} {
		b, err := LossEpsilon(event.Repeat(2, event.Allocation(100, picks, event.Gaussian(2))), event.AddRemove, 1e-5, Precision{})
		if err != nil || !(b.Width() < 0.1*b.Upper && b.Lower > last.Upper) {
			t.Errorf("%d picks: %v after %v (%v)", picks, b, last, err)
		}
		last = b
	}
	shuffled, err := LossEpsilon(event.ShuffledBatches(100, event.Gaussian(1)), event.AddRemove, 1e-5, Precision{})
	one, errOne := LossEpsilon(event.Allocation(100, 1, event.Gaussian(1)), event.AddRemove, 1e-5, Precision{})
	if err != nil || errOne != nil || !(one.Upper < 0.2*shuffled.Upper && one.Width() < 0.1*one.Upper) {
		t.Errorf("allocated %v, shuffled %v (%v, %v)", one, shuffled, err, errOne)
	}
}
