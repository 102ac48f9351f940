package accountant

import (
	"errors"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// allocatedRows returns the table of an epoch of random allocation: all sequences of outputs, and all sets of picks.
func allocatedRows(rows [][2]float64, steps, picks int) (all [][2]float64) {
	sequences := 1
	for range steps {
		sequences *= len(rows)
	}
	for s := range sequences {
		with, sets, without := 0.0, 0.0, 1.0
		for set := range 1 << steps {
			if bits.OnesCount(uint(set)) != picks {
				continue
			}
			in, rest := 1.0, s
			without = 1
			for i := range steps {
				row := rows[rest%len(rows)]
				rest /= len(rows)
				in, without = in*row[1-set>>i&1], without*row[1]
			}
			with, sets = with+in, sets+1
		}
		all = append(all, [2]float64{with / sets, without})
	}
	return all
}

// twice returns the table of two runs.
func twice(rows [][2]float64) (all [][2]float64) {
	for _, a := range rows {
		for _, b := range rows {
			all = append(all, [2]float64{a[0] * b[0], a[1] * b[1]})
		}
	}
	return all
}

// enumeratedDelta returns δ of a table in the worse order.
func enumeratedDelta(rows [][2]float64, epsilon float64) float64 {
	var forth, back float64
	for _, r := range rows {
		forth += math.Max(0, r[0]-math.Exp(epsilon)*r[1])
		back += math.Max(0, r[1]-math.Exp(epsilon)*r[0])
	}
	return math.Max(forth, back)
}

var allocatedTables = map[string][][2]float64{
	"uneven":     {{0.5, 0.1}, {0.3, 0.35}, {0.2, 0.55}},
	"impossible": {{0.1, 0}, {0.6, 0.3}, {0.3, 0.7}},
	"certain":    {{0.7, 0.5}, {0.3, 0.4}, {0, 0.1}},
}

// Brackets of random allocation of tables contain δ by enumeration: of one epoch, of two, and of an epoch on a Poisson
// sample. Control: with the columns exchanged, or with one more pick, the bracket misses it.
func TestAllocatedTablesAreEnumerated(t *testing.T) {
	type release struct {
		event event.Event
		rows  [][2]float64
	}
	for name, rows := range allocatedTables {
		exchanged := [][2]float64{}
		for _, r := range rows {
			exchanged = append(exchanged, [2]float64{r[1], r[0]})
		}
		for _, c := range []struct{ steps, picks int }{{2, 1}, {3, 1}, {3, 2}} {
			e := event.Allocation(int64(c.steps), int64(c.picks), event.Table(rows))
			truth := allocatedRows(rows, c.steps, c.picks)
			releases := []release{{e, truth}}
			if c.steps == 2 {
				releases = append(releases, release{event.Repeat(2, e), twice(truth)})
			}
			if c.picks == 1 {
				sampled := [][2]float64{}
				for _, r := range truth {
					sampled = append(sampled, [2]float64{0.7*r[1] + 0.3*r[0], r[1]})
				}
				releases = append(releases, release{event.Poisson(0.3, e), sampled})
			}
			for _, r := range releases {
				for _, epsilon := range []float64{0.2, 0.6} {
					want := enumeratedDelta(r.rows, epsilon)
					b, err := LossDelta(r.event, event.AddRemove, epsilon, Precision{})
					if err != nil || !(b.Lower <= want+1e-12 && want-1e-12 <= b.Upper) {
						t.Errorf("%s, %s: δ(%v) = %v (%v), enumerated %v", name, r.event, epsilon, b, err, want)
					}
					if c.picks == 1 && !(b.Width() <= 0.01*b.Upper) {
						t.Errorf("%s, %s: δ(%v) = %v, too wide", name, r.event, epsilon, b)
					}
				}
			}
			missed := false
			for _, wrong := range []event.Event{
				event.Allocation(int64(c.steps), int64(c.picks), event.Table(exchanged)),
				event.Allocation(int64(c.steps)+1, int64(c.picks)+1, event.Table(rows)),
			} {
				b, err := LossDelta(wrong, event.AddRemove, 0.6, Precision{})
				want := enumeratedDelta(truth, 0.6)
				missed = missed || err == nil && (b.Lower > want || b.Upper < want)
			}
			if !missed {
				t.Errorf("%s, %s: no wrong pair misses the enumerated δ", name, e)
			}
		}
	}
}

// A replaced record is one removed and one added. So its enumerated δ is at most the upper end for a group of 2 under
// add-or-remove-one. The control is the upper end for one record, which is too small. The other record has the same
// table in the opposite order of outputs.
func TestAllocatedReplacementBelowGroup(t *testing.T) {
	table := [][2]float64{{0.5, 0.3}, {0.3, 0.4}, {0.2, 0.3}}
	mirrored := [][2]float64{table[2], table[1], table[0]}
	exceeds := false
	for _, picks := range []int{1, 2} {
		e := event.Allocation(3, int64(picks), event.Table(table))
		var replaced [][2]float64
		other := allocatedRows(mirrored, 3, picks)
		for i, row := range allocatedRows(table, 3, picks) {
			replaced = append(replaced, [2]float64{row[0], other[i][0]})
		}
		for _, epsilon := range []float64{0, 0.1, 0.3} {
			want := enumeratedDelta(replaced, epsilon)
			pair, err := Deltas(event.Group(2, e), event.AddRemove, epsilon, Options{Methods: []string{"best"}})
			if err != nil || !(want <= pair[0].Upper) {
				t.Errorf("%v at ε = %g: enumerated δ = %v, group %v (%v)", e, epsilon, want, pair, err)
			}
			one, err := Deltas(e, event.AddRemove, epsilon, Options{Methods: []string{"best"}})
			exceeds = exceeds || err == nil && want > one[0].Upper
		}
	}
	if !exceeds {
		t.Error("the upper end for one record also holds for a replaced one")
	}
}

// One step of Laplace noise is the Laplace mechanism, and more steps hide more. The largest loss is the same, as δ = 0
// shows.
func TestAllocatedLaplace(t *testing.T) {
	noise := event.Laplace(2).WithSensitivity(3)
	want, err := LossEpsilon(noise, event.AddRemove, 1e-3, Precision{})
	if err != nil {
		t.Fatal(err)
	}
	last := math.Inf(1)
	for _, steps := range []int64{1, 2, 20, 500} {
		b, err := LossEpsilon(event.Allocation(steps, 1, noise), event.AddRemove, 1e-3, Precision{})
		if err != nil || !(b.Width() < 0.01*b.Upper && b.Lower <= last) {
			t.Errorf("%d steps: %v after %v (%v)", steps, b, last, err)
		}
		if steps == 1 && !(b.Lower <= want.Upper && want.Lower <= b.Upper) {
			t.Errorf("one step: %v, the mechanism %v", b, want)
		}
		pure, err := LossEpsilon(event.Allocation(steps, 1, noise), event.AddRemove, 0, Precision{})
		if err != nil || !(pure.Lower <= 1.5 && pure.Upper >= 1.5 && pure.Upper < 1.5001) {
			t.Errorf("%d steps at δ = 0: %v (%v), the largest loss of a step is 1.5", steps, pure, err)
		}
		last = b.Upper
	}
}

func TestAllocatedPairsOutsideTheDomain(t *testing.T) {
	for _, c := range []struct {
		event     event.Event
		adjacency event.Adjacency
		message   string
	}{
		{event.Allocation(3, 1, event.Laplace(1)), event.ReplaceOne, "add-or-remove-one with a group of 2"},
		{event.Allocation(3, 1, event.Laplace(1e-3)), event.AddRemove, "want 1e-6 to 100"},
		{event.Allocation(300, 200, event.Laplace(1)), event.AddRemove, "want at most 128"},
		{event.Allocation(3, 1, event.Table([][2]float64{{1, 1e-50}, {0, 1}})), event.AddRemove, "privacy loss of 115.1"},
		{event.Allocation(3, 1, event.RandomizedResponse(1, 2)), event.AddRemove, "Gaussian or Laplace noise, or a table"},
	} {
		_, err := LossDelta(c.event, c.adjacency, 1, Precision{})
		if !errors.Is(err, event.ErrDomain) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v; want a domain error with %q", c.event, err, c.message)
		}
	}
}
