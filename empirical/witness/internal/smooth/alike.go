package smooth

import (
	"math"
	"slices"
)

// Alike is how likely each of some differences is to be there, by their sizes in standard errors, 0 or more: they are
// taken to be −m, 0 or m standard errors, m and the share of zeros found by the EM algorithm. Nil where all are 0.
func Alike(z []float64) []float64 {
	size, share := slices.Max(z), 0.5
	posterior := make([]float64, len(z))
	for range 50 {
		var sum, weight, of float64
		for i, v := range z {
			if v == 0 {
				continue
			}
			there := share * (math.Exp(-(v-size)*(v-size)/2) + math.Exp(-(v+size)*(v+size)/2)) / 2
			posterior[i] = there / (there + (1-share)*math.Exp(-v*v/2))
			sum, weight, of = sum+posterior[i]*v, weight+posterior[i], of+1
		}
		if weight == 0 {
			return nil
		}
		size, share = sum/weight, math.Min(0.95, weight/of)
	}
	return posterior
}
