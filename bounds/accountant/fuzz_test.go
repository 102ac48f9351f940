package accountant

import "testing"

// A description is an error of bounded length, or an event.
func FuzzParseEvents(f *testing.F) {
	for _, text := range []string{
		"", "- {mechanism: gaussian, sigma: 2, count: 3}", "adjacency: replace\nevents: [{sgm: {noise-multiplier: 1.1, sampling-rate: 0.01}}]", "[{mechanism: compose, events: [{mechanism: pure, epsilon0: 1}]}]",
		"&a [*a]", "- {rr: {epsilon0: .nan}}", "- {gaussian: {sigma: 1e999}}", "[[[[", "- - -", "? a", "!!int x", "events: null",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, _, err := ParseEvents(data); err != nil && len(err.Error()) > 2*len(data)+2000 {
			t.Fatalf("the message is %q", err)
		}
	})
}
