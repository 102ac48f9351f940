package privacy

import (
	"github.com/dpverify/dpverify/verify/internal/dependence"
)

// watched identifies outputs that are compared with one another: the outputs of one input in one encoding.
type watched struct {
	at   inputPlace
	bits bool // low-order bits
}

// rowWatch compares the rows of one input. A batch of releases has the role of a process reply.
type rowWatch struct {
	watch *dependence.Watch // nil for a process, which compares its own replies
	batch dependence.Reply
}

// watch returns the rowWatch for the input at a place.
func (t *auditTrial[D, O]) watch(at inputPlace) *rowWatch {
	if _, process := t.Mechanism.(interface{ Warnings() []string }); process {
		return &rowWatch{}
	}
	return &rowWatch{watch: t.watches.Of(watched{at, t.bits})}
}

// add adds the next row.
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
