package witness

import "math"

// A score of many looks good by chance. How much its event is believed is the posterior probability
// that the score tells the inputs apart at all, where one of the scores is taken to: by the Bayes
// factor of the trend along it against none, or by the counts of the event. What an event promises is
// discounted by it, so that a rare event of a score that is flat elsewhere gives way to one that
// the whole of its score bears out.

// thresholdsTried is about the logarithm of the thresholds of a score without many rows in common.
const thresholdsTried = 3

// credence of an event of a score with a posterior, in the search sample t.
func (s Search) credence(w *Witness, posterior *trend, t *table) float64 {
	na, nb := t.na, t.nb
	if w.Swapped {
		na, nb = nb, na
	}
	d := Line{Slope: 1}.deviation(w.SeenP*na, na, w.SeenQ*nb, nb)
	evidence := math.Max(posterior.evidence, d*d/2-thresholdsTried)
	return 1 / (1 + math.Exp(math.Log(float64(max(s.among, 1)))*s.correction()-evidence))
}

// discount what the event promises: a value that would certify nothing stays, and the masses move
// towards each other.
func (w *Witness) discount(credence float64) {
	if w.Value > 0 {
		w.Value *= credence
	}
	for _, masses := range [][2]*float64{{&w.P, &w.Q}, {&w.SeenP, &w.SeenQ}} {
		p, q := *masses[0], *masses[1]
		*masses[0], *masses[1] = (p+q+credence*(p-q))/2, (p+q-credence*(p-q))/2
	}
}
