package trial

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// Description is an event under an adjacency relation, with the seed from which its audit draws.
type Description struct {
	Event     event.Event
	Adjacency event.Adjacency
	Cell      Cell
	Seed      uint64
}

// Cell is the class by which Table counts descriptions: kind of mechanism, sampling of its records, and adjacency
// relation.
type Cell struct {
	Kind      string
	Sampling  string
	Adjacency event.Adjacency
}

func (c Cell) String() string { return fmt.Sprintf("%s, %s, %s", c.Kind, c.Sampling, c.Adjacency) }

// String names the event, the adjacency relation and the seed.
func (d Description) String() string {
	return fmt.Sprintf("%s under %s, seed %d", d.Event, d.Adjacency, d.Seed)
}

// kind draws the parameters of a mechanism. scale is 2 if a sum moves by twice the sensitivity.
type kind struct {
	name     string
	sampling []string
	draw     func(r *rand.Rand, scale float64) event.Event
}

// kinds returns the kinds of mechanisms, always in the same order.
func kinds() []kind {
	return []kind{
		{"gaussian", []string{"none", "poisson", "without-replacement", "truncated-poisson", "fixed", "shuffled",
			"allocation", "with-replacement"},
			func(r *rand.Rand, scale float64) event.Event { return sensitive(r, scale, 0.6, 3, event.Gaussian) }},
		{"laplace", []string{"none", "poisson", "without-replacement", "fixed", "shuffled"},
			func(r *rand.Rand, scale float64) event.Event { return sensitive(r, scale, 0.5, 2.5, event.Laplace) }},
		{"discrete-laplace", []string{"none", "poisson", "without-replacement", "fixed", "shuffled"},
			func(r *rand.Rand, scale float64) event.Event {
				s := float64(1 + r.IntN(2))
				return event.DiscreteLaplace(within(r, 0.4, 1.8) / s / scale).WithSensitivity(s)
			}},
		{"discrete-gaussian", unsampledOrPoisson, func(r *rand.Rand, scale float64) event.Event {
			s := float64(1 + r.IntN(2))
			return event.DiscreteGaussian(within(r, 0.6, 3) * s * scale).WithSensitivity(s)
		}},
		{"truncated-laplace", unsampledOrPoisson, func(r *rand.Rand, scale float64) event.Event {
			return sensitive(r, scale, 0.5, 2.5, func(b float64) event.Event {
				return event.TruncatedLaplace(b,
					2*scale*within(r, 1, 4))
			})
		}},
		{"uniform", unsampledOrPoisson, func(r *rand.Rand, scale float64) event.Event {
			return sensitive(r, scale, 2, 8, event.Uniform)
		}},
		{"gaussian-mixture", unsampledOrPoisson, func(r *rand.Rand, scale float64) event.Event {
			w := within(r, 0.2, 0.8)
			return sensitive(r, scale, 0.8, 3, func(sigma float64) event.Event {
				return event.GaussianMixture(sigma, []float64{within(r, 0.3, 1), within(r, 1, 2)}, []float64{w, 1 - w})
			})
		}},
		{"matrix", unsampledOrPoisson, func(r *rand.Rand, scale float64) event.Event {
			norm := math.Sqrt(float64(1 + r.IntN(4))) // the number of tree nodes that contain a record
			return event.Matrix(within(r, 0.6, 3)*norm*scale, norm, norm)
		}},
		{"threshold", unsampledOrPoisson, func(r *rand.Rand, scale float64) event.Event {
			law := event.Gaussian
			if r.IntN(2) == 0 {
				law = event.Laplace
			}
			noise := within(r, 0.8, 2) * scale
			return event.Threshold(rounded(1+noise*within(r, 1.5, 3.5), 3), law(noise))
		}},
		{"rr", []string{"none", "poisson", "fixed", "shuffled", "shuffled-reports"},
			func(r *rand.Rand, _ float64) event.Event {
				return event.RandomizedResponse(within(r, 0.5, 2.5), 2+r.IntN(3))
			}},
		{"exponential", unsampledOrPoisson, func(r *rand.Rand, _ float64) event.Event {
			return event.Exponential(within(r, 0.6, 3))
		}},
		{"pure", []string{"none", "poisson", "fixed", "shuffled", "shuffled-reports"},
			func(r *rand.Rand, _ float64) event.Event { return event.Pure(within(r, 0.4, 2)) }},
		{"approximate", unsampledOrPoisson, func(r *rand.Rand, _ float64) event.Event {
			return event.Approximate(within(r, 0.3, 1.5), within(r, 0.01, 0.15))
		}},
		{"zcdp", []string{"none"}, func(r *rand.Rand, _ float64) event.Event {
			return event.Concentrated(within(r, 0.02, 0.5))
		}},
		{"table", unsampledOrPoisson, func(r *rand.Rand, _ float64) event.Event {
			a, b := within(r, 0.2, 0.6), within(r, 0.05, 0.3)
			c := within(r, 0.02, 0.1)
			return event.Table([][2]float64{{a, b}, {1 - a - c, 1 - b}, {c, 0}})
		}},
		{"permute-and-flip", unsampledOrPoisson, func(r *rand.Rand, _ float64) event.Event {
			return event.PermuteAndFlip(within(r, 0.5, 2.5))
		}},
		{"noisy-argmax", unsampledOrPoisson, func(r *rand.Rand, _ float64) event.Event {
			return event.NoisyArgmax(within(r, 0.8, 3))
		}},
		{"sparse-vector", unsampledOrPoisson, func(r *rand.Rand, _ float64) event.Event {
			return event.SparseVector(within(r, 0.5, 3), within(r, 1, 6), int64(1+r.IntN(2)))
		}},
		{"repeat-and-select", unsampledOrPoisson, func(r *rand.Rand, scale float64) event.Event {
			base := event.Gaussian(within(r, 2, 5) * scale)
			switch r.IntN(3) {
			case 0:
				base = event.Laplace(within(r, 1, 4) * scale)
			case 1:
				base = event.Pure(within(r, 0.2, 1))
			}
			return event.RepeatAndSelect([]float64{0, 0.5, 1, 2}[r.IntN(4)], within(r, 0.15, 0.9), base)
		}},
	}
}

// shareSamples lists the kinds for which the accountant accepts several mechanisms on one Poisson sample.
var shareSamples = []string{"gaussian", "laplace", "discrete-laplace", "rr", "exponential", "pure", "permute-and-flip",
	"sparse-vector"}

// replacedOnly lists the schemes of sampling that the accountant accepts for replaced records only.
var replacedOnly = []string{"with-replacement", "shuffled-reports"}

var unsampledOrPoisson = []string{"none", "poisson"}

// within draws a number between low and high, rounded to three digits.
func within(r *rand.Rand, low, high float64) float64 { return rounded(low+(high-low)*r.Float64(), 3) }

func rounded(x float64, digits int) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		return x
	}
	return v
}

// sensitive draws a sensitivity and, in multiples of it, the scale of the noise.
func sensitive(r *rand.Rand, scale, low, high float64, law func(float64) event.Event) event.Event {
	s := []float64{1, 1, 0.5, 2}[r.IntN(4)]
	e := law(rounded(within(r, low, high)*s*scale, 3))
	if e.Kind == event.KindTruncatedLaplace {
		e.B = rounded(e.B*s, 3)
	}
	return e.WithSensitivity(s)
}

// Cells lists all cells of descriptions.
func Cells() (cells []Cell) {
	for _, k := range kinds() {
		for _, sampling := range k.sampling {
			for _, adj := range []event.Adjacency{event.AddRemove, event.ReplaceOne} {
				if adj == event.AddRemove && slices.Contains(replacedOnly, sampling) {
					continue
				}
				cells = append(cells, Cell{k.name, sampling, adj})
			}
		}
	}
	return cells
}

// Generate returns the description with a number. Successive numbers cycle through the cells. The first cycle has one
// mechanism in each description, run once.
func Generate(number int) Description {
	cells := Cells()
	cell := cells[number%len(cells)]
	seed := uint64(number)
	r := rand.New(rand.NewPCG(seed, 0x7a1a1))
	d := Description{Cell: cell, Adjacency: cell.Adjacency, Seed: seed}
	d.Event = sampled(r, cell, cell.leaf(r))
	if number < len(cells) {
		return d
	}
	switch how := r.IntN(8); {
	case how < 3: // once
	case how < 5:
		d.Event = event.Repeat(int64(2+r.IntN(2)), d.Event)
	case how < 6:
		d.Event = event.Compose(d.Event, sampled(r, cell, cell.leaf(r)))
	case cell.Sampling == "poisson" && slices.Contains(shareSamples, cell.Kind):
		d.Event = event.Poisson(d.Event.A, event.Repeat(2, d.Event.Parts[0]))
	case cell.Sampling == "none":
		partner := Cell{[]string{"gaussian", "laplace", "rr"}[r.IntN(3)], "none", cell.Adjacency}
		d.Event = event.Compose(d.Event, partner.leaf(r))
	}
	return d
}

func (c Cell) leaf(r *rand.Rand) event.Event {
	scale := 1.0
	if c.Adjacency == event.ReplaceOne || c.Sampling == "without-replacement" {
		scale = 2
	}
	for _, k := range kinds() {
		if k.name == c.Kind {
			return k.draw(r, scale)
		}
	}
	panic("trial: no kind " + c.Kind)
}

func sampled(r *rand.Rand, c Cell, e event.Event) event.Event {
	switch c.Sampling {
	case "poisson":
		return event.Poisson(within(r, 0.25, 0.9), e)
	case "without-replacement":
		n := 3 + r.IntN(6)
		return event.WithoutReplacement(int64(1+r.IntN(n)), int64(n), e)
	case "truncated-poisson":
		n := 3 + r.IntN(4)
		return event.TruncatedPoisson(within(r, 0.25, 0.7), int64(n/2+1+r.IntN(n-n/2)), int64(n), e)
	case "with-replacement":
		return event.WithReplacement(int64(1+r.IntN(3)), int64(2+r.IntN(3)), e)
	case "shuffled-reports":
		return event.ShuffledReports(int64(2+r.IntN(5)), e)
	case "fixed":
		return event.FixedBatches(int64(1+r.IntN(3)), e)
	case "shuffled":
		return event.ShuffledBatches(int64(2+r.IntN(2)), e)
	case "allocation":
		n := 2 + r.IntN(3)
		return event.Allocation(int64(n), int64(1+r.IntN(min(2, n))), e)
	}
	return e
}
