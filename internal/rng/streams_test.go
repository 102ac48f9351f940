package rng

import "testing"

// A stream that starts twice is reported, unless it is common both times.
func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		first, second Seed
		common        [2]bool
		found         int
		reason        string
	}{
		{Seed{1}, Seed{2}, [2]bool{}, 0, "two streams"},
		{Seed{1}, Seed{1}, [2]bool{}, 1, "one stream for two purposes"},
		{Seed{1}, Seed{1}, [2]bool{true, true}, 0, "common random numbers"},
		{Seed{1}, Seed{1}, [2]bool{true, false}, 1, "a common stream is also used for another purpose"},
	} {
		var r Repeats
		stop := Watch(r.Begun)
		Begun(c.first, c.common[0])
		Begun(c.second, c.common[1])
		stop()
		Begun(c.first, false) // no watcher
		if len(r.Found()) != c.found {
			t.Errorf("%s: found %v, want %d", c.reason, r.Found(), c.found)
		}
	}
	if allocated := testing.AllocsPerRun(100, func() { Begun(Seed{1}, false) }); allocated > 0 {
		t.Errorf("without a watcher, a stream allocates %v times", allocated)
	}
}
