package dependence

import (
	"strings"
	"testing"
)

// The message states the shares of the event in whole replies, and whether they drift along the run.
func TestSharesInTheMessage(t *testing.T) {
	for _, c := range []struct {
		want string
		ones func(reply int) int // outputs that are 1, of 40
	}{
		{"one event holds in 0 of the outputs of the first reply, and in 0.7 of the last of 15", func(reply int) int { return reply * 2 }},
		{"one event holds in 0 of the outputs of one reply and in 1 of another", func(reply int) int { return reply % 2 * 40 }},
	} {
		w := Watch{alpha: 1e-9}
		var err error
		for reply := 0; reply < 21 && err == nil; reply++ {
			var outputs Reply
			for i := range 40 {
				x := 0.0
				if (i*17)%40 < c.ones(reply) {
					x = 1
				}
				outputs.AddRow([]float64{x})
			}
			err = w.Reply(&outputs)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
