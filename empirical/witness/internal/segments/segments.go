// Package segments finds the runs of a sequence in which it gains most.
package segments

// Segment is a run of a sequence, both ends included, with the sums of the gains before it and up to its end.
type Segment struct {
	From, To     int
	before, upto float64
	lower        int // the last segment ahead of it that begins lower; −1 where none does
}

// Maximal are the disjoint runs of n gains that no longer and no shorter run around them exceeds, by the algorithm of
// Ruzzo and Tompa (1999), in linear time; they are appended to out, which is empty.
func Maximal(out []Segment, n int, gain func(i int) float64) []Segment {
	sum := 0.0
	for i := range n {
		v := gain(i)
		before := sum
		sum += v
		if !(v > 0) {
			continue
		}
		next := Segment{From: i, To: i, before: before, upto: sum}
		for {
			j := len(out) - 1
			for j >= 0 && out[j].before >= next.before {
				j = out[j].lower
			}
			if j < 0 || out[j].upto >= next.upto {
				next.lower = j
				out = append(out, next)
				break
			}
			next.From, next.before = out[j].From, out[j].before
			out = out[:j]
		}
	}
	return out
}
