package external

import (
	"encoding/json"
	"math"
	"strconv"
)

// Tree is an event of dp_accounting with the fields of its class. Fields that the class does not have are 0 or nil.
type Tree struct {
	Class       string   `json:"class_name"`
	Noise       float64  `json:"noise_multiplier,omitempty"` // Gaussian and Laplace: in multiples of one record's norm
	Parameter   float64  `json:"noise_parameter,omitempty"`  // discrete Laplace and randomized response
	Sensitivity int64    `json:"sensitivity,omitempty"`      // discrete Laplace
	Buckets     int64    `json:"num_buckets,omitempty"`      // randomized response
	Epsilon     *float64 `json:"epsilon,omitempty"`          // approximate DP
	Delta       *float64 `json:"delta,omitempty"`            // approximate DP
	Rate        float64  `json:"sampling_probability,omitempty"`
	Count       int64    `json:"count,omitempty"`
	Event       *Tree    `json:"event,omitempty"`  // sampled or repeated event
	Events      []Tree   `json:"events,omitempty"` // composed events
}

// The classes of the generated trees.
const (
	classGaussian        = "GaussianDpEvent"
	classLaplace         = "LaplaceDpEvent"
	classDiscreteLaplace = "DiscreteLaplaceDpEvent"
	classResponse        = "RandomizedResponseDpEvent"
	classApproximate     = "EpsilonDeltaDpEvent"
	classPoisson         = "PoissonSampledDpEvent"
	classRepeated        = "SelfComposedDpEvent"
	classComposed        = "ComposedDpEvent"
)

// Nodes returns the number of events in the tree.
func (t Tree) Nodes() int {
	n := 1
	for _, part := range t.parts() {
		n += part.Nodes()
	}
	return n
}

// parts returns the events directly below an event.
func (t Tree) parts() []Tree {
	if t.Event != nil {
		return []Tree{*t.Event}
	}
	return t.Events
}

// String returns the tree as JSON on one line.
func (t Tree) String() string {
	text, err := json.Marshal(t)
	if err != nil {
		return err.Error() // a NaN or an infinity, which no generated tree contains
	}
	return string(text)
}

// rounded rounds to significant digits.
func rounded(x float64, digits int) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}
