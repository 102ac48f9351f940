package privacy

import (
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// In addition to its event, a view counts nested events of the same score, which give a confidence band for the
// whole privacy curve. Their levels are chosen together with the event on the same samples, and they are counted in
// the other samples.

const bandLevels = 20

// seen holds the counts of a view at one of its inputs: of the event, and, if there is a band, of the outputs in
// each ring of the nested events.
type seen []int64

func (s seen) add(m distinguisher.Mark) {
	if m.Hit() {
		s[0]++
	}
	if len(s) > 1 {
		s[1+m.Within()]++
	}
}

// perInput returns the number of counts of a view at one input.
func (t *auditTrial[D, O]) perInput() int {
	if t.Band && !t.Anytime {
		return 2 + bandLevels
	}
	return 1
}

func (t *auditTrial[D, O]) perView() int { return 2 * t.perInput() }

// zeroCounts returns zero counts of a view.
func (t *auditTrial[D, O]) zeroCounts() [2]seen {
	return [2]seen{make(seen, t.perInput()), make(seen, t.perInput())}
}

// countsOf returns the part of a tally that belongs to a view.
func (t *auditTrial[D, O]) countsOf(counts empirical.Counts, view int) [2]seen {
	part, n := counts[view*t.perView():(view+1)*t.perView()], t.perInput()
	return [2]seen{seen(part[:n]), seen(part[n:])}
}

// nest chooses the levels of the nested events from the rows that chose the events.
func (t *auditTrial[D, O]) nest(found candidates, a, b *distinguisher.Rows) {
	if t.perInput() == 1 {
		return
	}
	for _, w := range found {
		w.Nest(bandLevels, a, b)
	}
}

// addBand adds the band from all views. Each view has its own error probability alpha/2, so all hold together with
// error alpha.
func (t *auditTrial[D, O]) addBand(e *verify.Evidence, counts empirical.Counts) error {
	if t.perInput() == 1 {
		return nil
	}
	var all confidence.Band
	for i, v := range t.views {
		drawn := t.countsOf(counts, i)
		var cells [2][]int64
		for side := range cells {
			for k := range drawn[side][1:] {
				cells[side] = append(cells[side], v.heldOut[side][1+k]+drawn[side][1+k])
			}
		}
		b, err := confidence.New(cells[0], cells[1], t.alpha)
		if err != nil {
			return err
		}
		all = append(all, b...)
	}
	e.Band = diagnosis.ConfidenceBand(all, t.Guarantee, t.settings.Alpha)
	return nil
}
