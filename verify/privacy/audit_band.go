package privacy

import (
	"math"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/band"
	"github.com/dpverify/dpverify/empirical/limits"
	"github.com/dpverify/dpverify/empirical/witness"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/bands"
)

// Beside its event a view counts the nested events of the same score, from which a band of the whole privacy curve
// follows. Their levels are chosen with the event, on the same samples; they are counted in the others.

const (
	bandLevels = 20
	bandPoints = 40 // intervals of the curves that are reported
)

// seen are the counts of a view at one of its inputs: of the event, and of the outputs in just so many of the nested
// events, where there is a band.
type seen []int64

func (s seen) add(m witness.Mark) {
	if m.Hit() {
		s[0]++
	}
	if len(s) > 1 {
		s[1+m.Within()]++
	}
}

// perInput are the counts of a view at one of its inputs.
func (t *auditTrial[D, O]) perInput() int {
	if t.Band && !t.Anytime {
		return 2 + bandLevels
	}
	return 1
}

func (t *auditTrial[D, O]) perView() int { return 2 * t.perInput() }

// unseen are the counts of a view, of no samples.
func (t *auditTrial[D, O]) unseen() [2]seen {
	return [2]seen{make(seen, t.perInput()), make(seen, t.perInput())}
}

// countsOf is the part of a tally that is of a view.
func (t *auditTrial[D, O]) countsOf(counts empirical.Counts, view int) [2]seen {
	part, n := counts[view*t.perView():(view+1)*t.perView()], t.perInput()
	return [2]seen{seen(part[:n]), seen(part[n:])}
}

// nest gives the witnesses their levels, by the rows that chose them.
func (t *auditTrial[D, O]) nest(found candidates, a, b *witness.Rows) {
	if t.perInput() == 1 {
		return
	}
	for _, w := range found {
		w.Nest(bandLevels, a, b)
	}
}

// addBand adds the band of all views: each errs with the error of a view, so that all hold together.
func (t *auditTrial[D, O]) addBand(e *verify.Evidence, counts empirical.Counts) error {
	if t.perInput() == 1 {
		return nil
	}
	var all band.Band
	for i, v := range t.views {
		drawn := t.countsOf(counts, i)
		var cells [2][]int64
		for side := range cells {
			for k := range drawn[side][1:] {
				cells[side] = append(cells[side], v.heldOut[side][1+k]+drawn[side][1+k])
			}
		}
		b, err := band.New(cells[0], cells[1], t.alpha)
		if err != nil {
			return err
		}
		all = append(all, b...)
	}
	e.Band = bandOf(all, t.Guarantee, t.settings.Alpha)
	return nil
}

// violated is a statement of a claimed curve that an event violates, with the shares in which it happened.
func violated(g Guarantee, at limits.Line, p, q float64) *bands.Violated {
	if g.IsApproximate() {
		return nil
	}
	t := math.Exp(at.Epsilon)
	return &bands.Violated{Epsilon: at.Epsilon, Delta: at.Delta, Measured: math.Max(p-t*q, 1-q-t*(1-p))}
}

// bandOf is a band beside what is claimed, up to the ε where either ends.
func bandOf(b band.Band, g Guarantee, alpha float64) *bands.Band {
	out := &bands.Band{Alpha: alpha}
	end := math.Max(1, 1.1*b.End())
	if epsilon, _, ok := g.Approximate(); ok {
		end = math.Max(end, math.Min(2*epsilon, 50))
	}
	for i := range bandPoints + 1 {
		at := end * float64(i) / bandPoints
		out.Delta = append(out.Delta, bands.Point{At: at, Claimed: g.HockeyStick(at), Certified: b.Delta(at)})
		first := float64(i*i) / (bandPoints * bandPoints) // closer to each other at 0, where the curve is steep
		out.TradeOff = append(out.TradeOff, bands.Point{At: first, Claimed: g.TradeOff(first),
			Certified: b.TradeOff(first)})
	}
	return out
}
