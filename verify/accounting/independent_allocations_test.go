package accounting_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify/accounting"
)

// allocations returns two random allocations: the steps of one have a drawn table, the other's have Laplace noise.
func allocations(r *rand.Rand) []independent {
	steps := 2 + r.IntN(2)
	picks := 1 + r.IntN(steps-1)
	var p, q []float64
	for range 2 + r.IntN(2) {
		p, q = append(p, between(r, 0.1, 1)), append(q, between(r, 0.1, 1))
	}
	var rows [][2]float64
	var step pairLaw
	for i := range p {
		row := [2]float64{p[i] / total(p), q[i] / total(q)}
		rows = append(rows, row)
		step = append(step, finite(row[:1], row[1:])...)
	}
	scale, s := between(r, 0.6, 3), between(r, 0.3, 1.5)
	noise := event.Laplace(scale).WithSensitivity(s)
	return []independent{
		picked(event.Allocation(int64(steps), int64(picks), event.Table(rows)), step, nil, steps, picks),
		picked(event.Allocation(int64(steps), int64(picks), noise), laplaceStep(scale, s), nil, steps, picks),
	}
}

func total(x []float64) (sum float64) {
	for _, y := range x {
		sum += y
	}
	return sum
}

// laplaceStep returns the cells of one step with Laplace noise. The loss is constant outside [0, s].
func laplaceStep(scale, s float64) pairLaw {
	const cells = 30
	n := laplaceNoise(scale, math.Inf(1))
	l := pairLaw{{n.mass(math.Inf(-1), -s), n.mass(math.Inf(-1), 0), -s / scale, -s / scale}}
	for i := range cells {
		a, b := s*float64(i)/cells, s*float64(i+1)/cells
		l = append(l, cell{n.mass(a-s, b-s), n.mass(a, b), (2*a - s) / scale, (2*b - s) / scale})
	}
	return append(l, cell{n.mass(0, math.Inf(1)), n.mass(s, math.Inf(1)), s / scale, s / scale})
}

// gaussianStep returns the cells of one step with Gaussian noise, and their probabilities with a record that
// contributes −s.
func gaussianStep(sigma, s float64, cells int) (step pairLaw, opposite []float64) {
	n, a := gaussianNoise(sigma), math.Inf(-1)
	for i := range cells {
		b := 6*sigma*(2*float64(i+1)/float64(cells)-1) + 0.5*s
		if i == cells-1 {
			b = math.Inf(1)
		}
		loss := func(x float64) float64 { return (2*x*s - s*s) / (2 * sigma * sigma) }
		step = append(step, cell{n.mass(a-s, b-s), n.mass(a, b), loss(a), loss(b)})
		opposite = append(opposite, n.mass(a+s, b+s))
		a = b
	}
	return step, opposite
}

// picked enumerates the outputs of all steps, and all sets of steps that may contain the record. If other is not nil, it
// holds the probabilities of the cells with another record, which replaces the record.
func picked(e event.Event, step pairLaw, other []float64, steps, picks int) independent {
	one := independent{e, event.ReplaceOne, "allocation of " + event.KindNames[e.Parts[0].Kind], nil, nil}
	replaced := other != nil
	if !replaced {
		one.adj = event.AddRemove
		for _, c := range step {
			other = append(other, c.q)
		}
	}
	type product struct{ with, without, lo, hi []float64 } // by set of steps, as bits
	rows := []product{{[]float64{1}, []float64{1}, []float64{0}, []float64{0}}}
	for range steps {
		var next []product
		for _, row := range rows {
			for i, c := range step {
				next = append(next, product{doubled(row.with, c.q, c.p), doubled(row.without, c.q, other[i]),
					shifted(row.lo, c.lo), shifted(row.hi, c.hi)})
			}
		}
		rows = next
	}
	var l pairLaw
	for _, row := range rows {
		chosen, p, q, low, high := 0.0, 0.0, 0.0, 0.0, 0.0
		for set := range row.with {
			if ones(set) == picks {
				chosen++
				p += row.with[set]
				q += row.without[set]
				low += math.Exp(row.lo[set])
				high += math.Exp(row.hi[set])
			}
		}
		l = append(l, cell{p / chosen, q / chosen, math.Log(low / chosen), math.Log(high / chosen)})
	}
	width := l.lattice(1)
	one.occurs = []pairLaw{l.coarse(width)}
	if !replaced { // the bounds on the loss are for an absent record
		one.above = []pairLaw{l.spread(width)}
	}
	return one
}

// Brackets of random allocations of Laplace noise and of tables agree with enumeration. One control changes the number
// of picks, the other exchanges the columns of the table.
func TestIndependentAllocations(t *testing.T) {
	r := rand.New(rand.NewPCG(58, 3))
	for range testutil.Size(2, 20) {
		for i, x := range allocations(r) {
			k := 1 + (r.IntN(2)+i)%2
			found, tight := x.disagreements(trueAccount, k, questions)
			for _, f := range found {
				t.Errorf("%s: %s", x.cell, f)
			}
			t.Logf("%v, %d times: %d of %d values within 2 %% of the upper end", x.event, k, tight, len(questions))
		}
	}
	for name, fault := range map[string]func(e *event.Event){
		"another number of picks": func(e *event.Event) {
			if e.Kind == event.KindAllocation {
				e.B = 1 + math.Mod(e.B, float64(e.Count))
			}
		},
		"columns exchanged": func(e *event.Event) {
			e.Rows = slices.Clone(e.Rows)
			for i, row := range e.Rows {
				e.Rows[i] = [2]float64{row[1], row[0]}
			}
		},
	} {
		disagree := false
		r := rand.New(rand.NewPCG(58, 4))
		for range 4 {
			for _, x := range allocations(r) {
				found, _ := x.disagreements(func(r accounting.Release, q accounting.Quantity) (accountant.Bracket, error) {
					r.Event = changed(r.Event, fault)
					return trueAccount(r, q)
				}, 1, questions[:4])
				disagree = disagree || len(found) > 0
			}
		}
		if !disagree {
			t.Errorf("%s: no value disagrees", name)
		}
	}
}
