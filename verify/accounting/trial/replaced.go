package trial

import (
	"math"
	"math/rand/v2"
)

// redrawn adds noise to the sum of a batch drawn with replacement. Every other record contributes −1.
type redrawn struct {
	draws, records int
	of             mechanism
}

func (d redrawn) draw(r *rand.Rand, s state, out []float64) []float64 {
	sum := state(0)
	for range d.draws {
		if r.IntN(d.records) == 0 {
			sum += s
		} else {
			sum += other
		}
	}
	return d.of.draw(r, sum, out)
}

func (d redrawn) logDensity(s state, out []float64) (float64, []float64) {
	var m mixture
	_, rest := d.of.logDensity(absent, out)
	for k := range d.draws + 1 {
		l, _ := d.of.logDensity(s*state(k)-state(d.draws-k), out)
		m.add(binomial(d.draws, k, 1/float64(d.records)), l)
	}
	return m.log(), rest
}

// shuffled releases how many users report each category, which is all that reports in random order reveal. One user is
// the record. The other users have one value.
type shuffled struct {
	users  int
	local  outcomes
	others []float64 // probabilities of the reports of one of them
}

// newShuffled returns shuffled randomized response. The others have the same value as the record that replaces the
// record, or a third value.
func newShuffled(users int, epsilon0 float64, k int, third bool) shuffled {
	if !third {
		local := randomizedResponse(epsilon0, k, 1)
		return shuffled{users, local, local.other}
	}
	local := randomizedResponse(epsilon0, k, 2)
	return shuffled{users, local, local.absent}
}

func (h shuffled) draw(r *rand.Rand, s state, out []float64) []float64 {
	counts := make([]float64, len(h.others))
	var report [1]float64
	counts[int(h.local.draw(r, s, report[:0])[0])]++
	for range h.users - 1 {
		u, y := r.Float64(), 0
		for ; y < len(h.others)-1 && u >= h.others[y]; y++ {
			u -= h.others[y]
		}
		counts[y]++
	}
	return append(out, counts...)
}

// logDensity returns the log density with respect to the counts of the reports of users who all have the value of the
// others.
func (h shuffled) logDensity(s state, out []float64) (float64, []float64) {
	sum := 0.0
	for y, p := range h.local.law(s) {
		sum += p * out[y] / h.others[y]
	}
	return math.Log(sum / float64(h.users)), out[len(h.others):]
}
