package accountant

import (
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// Mechanisms with the same String but different digits, or different rows of an inner table, are different.
func TestMechanismsWrittenAlikeAreTwo(t *testing.T) {
	weak, strong := event.Table(responses(0.1, 2)), event.Table(responses(2, 2))
	for _, c := range []struct {
		reason    string
		low, high event.Event
	}{
		{"tables", weak, strong},
		{"chosen among runs of tables", event.RepeatAndSelect(1, 0.5, weak), event.RepeatAndSelect(1, 0.5, strong)},
		{"matrices", event.Matrix(1, 1, 1), event.Matrix(1, 3, 3)},
	} {
		for _, e := range []event.Event{event.Compose(c.low, c.high), event.Compose(c.high, c.low)} {
			both, err := Epsilons(e, event.AddRemove, 1e-6, Options{Methods: []string{"best"}})
			one, errOne := Epsilons(c.high, event.AddRemove, 1e-6, Options{Methods: []string{"best"}})
			if err != nil || errOne != nil || !(both[0].Upper >= one[0].Lower) {
				t.Errorf("%s, %s: %v, of the stronger alone %v (%v, %v)", c.reason, e, both, one, err, errOne)
			}
		}
	}
}
