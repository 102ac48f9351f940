package trial

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/dpverify/dpverify/internal/rng"
)

// noise adds a random number to a sum.
type noise struct {
	sensitivity float64
	sample      func(r *rand.Rand) float64
	log         func(z float64) float64 // log density
}

func (n noise) draw(r *rand.Rand, s state, out []float64) []float64 {
	return append(out, float64(s)*n.sensitivity+n.sample(r))
}

func (n noise) logDensity(s state, out []float64) (float64, []float64) {
	return n.log(out[0] - float64(s)*n.sensitivity), out[1:]
}

func gaussian(sigma, sensitivity float64) noise {
	return noise{sensitivity,
		func(r *rand.Rand) float64 { return sigma * rng.Normal(r) },
		func(z float64) float64 { return -z * z / (2 * sigma * sigma) },
	}
}

func signed(r *rand.Rand, z float64) float64 {
	if r.Uint64()&1 == 0 {
		return -z
	}
	return z
}

func laplace(scale, sensitivity float64) noise {
	return noise{sensitivity,
		func(r *rand.Rand) float64 { return signed(r, scale*rng.Exponential(r)) },
		func(z float64) float64 { return -math.Abs(z) / scale },
	}
}

// discreteLaplace draws the difference of two geometric numbers.
func discreteLaplace(rate, sensitivity float64) noise {
	geometric := func(r *rand.Rand) float64 { return math.Floor(rng.Exponential(r) / rate) }
	return noise{math.Floor(sensitivity),
		func(r *rand.Rand) float64 { return geometric(r) - geometric(r) },
		func(z float64) float64 { return -rate * math.Abs(z) },
	}
}

// discreteGaussian draws by inversion of the distribution function.
func discreteGaussian(sigma, sensitivity float64) noise {
	reach := math.Ceil(12 * sigma)
	var cumulative []float64
	total := 0.0
	for k := -reach; k <= reach; k++ {
		total += math.Exp(-k * k / (2 * sigma * sigma))
		cumulative = append(cumulative, total)
	}
	return noise{math.Floor(sensitivity),
		func(r *rand.Rand) float64 {
			return float64(sort.SearchFloat64s(cumulative, r.Float64()*total)) - reach
		},
		func(z float64) float64 { return -z * z / (2 * sigma * sigma) },
	}
}

// truncatedLaplace draws a Laplace number until it is within the bound.
func truncatedLaplace(scale, bound, sensitivity float64) noise {
	return noise{sensitivity,
		func(r *rand.Rand) float64 {
			for {
				if z := scale * rng.Exponential(r); z <= bound {
					return signed(r, z)
				}
			}
		},
		func(z float64) float64 {
			if math.Abs(z) > bound {
				return math.Inf(-1)
			}
			return -math.Abs(z) / scale
		},
	}
}

func uniform(bound, sensitivity float64) noise {
	return noise{sensitivity,
		func(r *rand.Rand) float64 { return bound * (2*r.Float64() - 1) },
		func(z float64) float64 {
			if math.Abs(z) > bound {
				return math.Inf(-1)
			}
			return 0
		},
	}
}

// byChance adds Gaussian noise to a sum. The record's contribution is drawn from a table of shifts and weights.
type byChance struct {
	noise
	rows [][2]float64
}

func (b byChance) draw(r *rand.Rand, s state, out []float64) []float64 {
	u := r.Float64()
	for i, row := range b.rows {
		if u -= row[1]; u < 0 || i == len(b.rows)-1 {
			return b.noise.draw(r, s*state(row[0]), out)
		}
	}
	return out
}

func (b byChance) logDensity(s state, out []float64) (float64, []float64) {
	var m mixture
	for _, row := range b.rows {
		l, _ := b.noise.logDensity(s*state(row[0]), out)
		m.add(row[1], l)
	}
	return m.log(), out[1:]
}
