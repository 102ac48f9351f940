package distribution

import (
	"math"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// standardErrors of a deviation are explained by chance, in a promise.
const standardErrors = 2

// Promise is how far few outputs are from a law, less what chance explains, in units of what so many certifying
// samples, at an error of alpha, would be expected to show just so: from 1 on a [Check] on them may well
// refute the law. It is for choosing what to check, and certifies nothing. An output that the law does not
// have is beyond all others.
func Promise(l Distribution, outputs []any, alpha float64, certifying int64) (float64, error) {
	if l.moments != nil {
		return l.moments.promise(outputs, alpha, certifying)
	}
	n := int64(len(outputs))
	t := judge{statistics{Samples: max(1, certifying/shards) * shards}, newCells(l, n), verify.Settings{Alpha: alpha}}
	counts := make(empirical.Counts, len(t.cells.probabilities))
	for _, o := range outputs {
		i, err := t.cells.of(o)
		if err != nil {
			return 0, err
		}
		counts[i]++
	}
	if counts[t.cells.outside()] > 0 {
		return math.MaxFloat64, nil
	}
	best := math.Inf(-1)
	of := float64(n)
	if t.cells.names == nil {
		below, sum := 0.0, int64(0)
		for i := range max(0, t.cells.outside()-1) {
			below += t.cells.probabilities[i]
			sum += counts[i]
			d := math.Abs(float64(sum)/of-below) - standardErrors*math.Sqrt(math.Max(0, below*(1-below))/of)
			best = math.Max(best, d/t.band(t.Samples))
		}
	}
	// By Stein's lemma so many samples lie beyond the stated probability by the divergence of each.
	significant := math.Log(2 / t.exactAlpha())
	for _, e := range t.events(counts) {
		if !(e.probability > 0 && e.probability < 1) {
			continue
		}
		share, stray := float64(e.count)/of, standardErrors*math.Sqrt(e.probability*(1-e.probability)/of)
		toward := math.Copysign(math.Max(0, math.Abs(share-e.probability)-stray-1/of), share-e.probability)
		seen := math.Min(1, math.Max(0, e.probability+toward))
		best = math.Max(best, math.Sqrt(divergence(seen, e.probability)*float64(certifying)/significant))
	}
	return best, nil
}

// divergence of a coin of one probability from that of another.
func divergence(p, q float64) float64 {
	return confidence.PoissonDeviance(p, q) + confidence.PoissonDeviance(1-p, 1-q)
}

func (m moments) promise(outputs []any, alpha float64, certifying int64) (float64, error) {
	var of [2]confidence.Moments
	for _, o := range outputs {
		var z [2]float64
		if err := m.put(z[:], o); err != nil {
			return 0, err
		}
		for i, x := range z {
			if err := of[i].Add(x); err != nil {
				return 0, err
			}
		}
	}
	best := math.Inf(-1)
	for i, stated := range []float64{m.mean, m.variance} {
		sd, n := of[i].StdDev(), float64(len(outputs))
		half := sd * math.Sqrt(2*math.Log(4/alpha)/float64(certifying))
		if d := math.Abs(of[i].Mean()-stated) - standardErrors*sd/math.Sqrt(n); half > 0 {
			best = math.Max(best, d/half)
		} else if d > 0 {
			return math.MaxFloat64, nil
		}
	}
	return best, nil
}
