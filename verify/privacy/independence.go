package privacy

import (
	"github.com/dpverify/dpverify/verify/internal/dependence"
)

// watched is the outputs that are compared with one another: those of one input, in one encoding.
type watched struct {
	at   inputPlace
	bits bool // low-order bits
}

// rowWatch compares the rows of one input. A batch of releases plays the part of a reply.
type rowWatch struct {
	watch *dependence.Watch // nil for a process, which compares its replies itself
	batch dependence.Reply
}

// watch returns what compares the rows of the input at a place.
func (t *auditTrial[D, O]) watch(at inputPlace) *rowWatch {
	if _, process := t.Mechanism.(interface{ Warnings() []string }); process {
		return &rowWatch{}
	}
	return &rowWatch{watch: t.watches.Of(watched{at, t.bits})}
}

// add takes the next row.
func (w *rowWatch) add(row []float64) {
	if w.watch != nil {
		w.batch.AddRow(row)
	}
}

// end ends a batch. It returns an error if the rows so far are evidently not independent.
func (w *rowWatch) end() error {
	if w.watch == nil {
		return nil
	}
	err := w.watch.Reply(&w.batch)
	w.batch.Reset()
	return err
}
