// Package source tells whether what is sampled takes all its randomness from the source that
// it is given.
package source

import (
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/values"
	"github.com/dpverify/dpverify/verify/internal/words"
)

// compared is how many values are drawn twice: of values of which one in twenty differs,
// they show it with probability 0.96.
const compared = 64

// Own tells whether values differ that are drawn twice from one stream of a check.
func Own(s verify.Settings, draw func(r *rand.Rand) (any, error)) (bool, error) {
	var digests [2]uint64
	for k := range digests {
		r := s.Common("source")
		drawn := make([]any, compared)
		for i := range drawn {
			v, err := draw(r)
			if err != nil {
				return false, err
			}
			drawn[i] = v
		}
		digests[k] = values.Digest(values.Fingerprints(drawn))
	}
	return digests[0] != digests[1], nil
}

// Note says so in the evidence.
func Note(e *verify.Evidence) {
	e.Unseeded = true
	e.Warnings = append(e.Warnings, words.UnseededMechanism)
}
