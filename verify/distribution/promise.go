package distribution

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// standardErrors is the number of standard errors that a promise attributes to chance.
const standardErrors = 2

// Promise draws a few outputs and estimates whether a check with certifying samples at error probability alpha would
// refute the distribution. It returns the observed deviation, reduced by two standard errors, as a multiple of the
// smallest deviation that such a check would find significant. From about 1 a refutation is likely; an output outside
// the support gives math.MaxFloat64. A promise ranks candidates for a check and certifies nothing.
func (c Check) Promise(r *rand.Rand, alpha float64, samples int, certifying int64) (float64, error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	if c.Distribution.moments != nil {
		return c.ofMoments().Promise(r, alpha, samples, certifying)
	}
	outputs := make([]any, samples)
	if err := c.draw(r, outputs); err != nil {
		return 0, err
	}
	n := int64(samples)
	t := judge{statistics{Samples: max(1, certifying/shards) * shards}, newCells(c.Distribution, n),
		verify.Settings{Alpha: alpha}}
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
	total := float64(n)
	if t.cells.names == nil {
		below, sum := 0.0, int64(0)
		for i := range max(0, t.cells.outside()-1) {
			below += t.cells.probabilities[i]
			sum += counts[i]
			d := math.Abs(float64(sum)/total-below) - standardErrors*math.Sqrt(math.Max(0, below*(1-below))/total)
			best = math.Max(best, d/t.band(t.Samples))
		}
	}
	// By Stein's lemma, the test statistic grows by the divergence with each certifying sample.
	significant := math.Log(2 / t.exactAlpha())
	for _, e := range t.events(counts) {
		if !(e.probability > 0 && e.probability < 1) {
			continue
		}
		share, stray := float64(e.count)/total, standardErrors*math.Sqrt(e.probability*(1-e.probability)/total)
		toward := math.Copysign(math.Max(0, math.Abs(share-e.probability)-stray-1/total), share-e.probability)
		seen := math.Min(1, math.Max(0, e.probability+toward))
		best = math.Max(best, math.Sqrt(divergence(seen, e.probability)*float64(certifying)/significant))
	}
	return best, nil
}

// divergence returns the Kullback–Leibler divergence between coins of probabilities p and q, in nats.
func divergence(p, q float64) float64 {
	return confidence.PoissonDeviance(p, q) + confidence.PoissonDeviance(1-p, 1-q)
}
