package dptest

import (
	crand "crypto/rand"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
)

// ownSource draws from the operating system, like a library without a seed.
type ownSource struct{}

func (ownSource) Uint64() uint64 {
	var b [8]byte
	crand.Read(b[:]) // never fails
	return binary.BigEndian.Uint64(b[:])
}

// TestUnseededMechanism checks that every message about a mechanism with its own randomness says so and does not
// promise to reproduce its figures. A message about a seeded mechanism does not.
func TestUnseededMechanism(t *testing.T) {
	ignores := func(m func(*rand.Rand, []float64) float64) func(*rand.Rand, []float64) float64 {
		return func(_ *rand.Rand, x []float64) float64 { return m(rand.New(ownSource{}), x) }
	}
	coin := func(r *rand.Rand, x []float64) float64 { return float64(r.IntN(2)) }
	for _, c := range []struct {
		mechanism func(*rand.Rand, []float64) float64
		own       bool
		options   []Option
		reason    string
	}{
		{ignores(noisySum(0.3)), true, nil, "refuted"},
		{ignores(noisySum(1)), true, nil, "true"},
		{ignores(coin), true, []Option{Strict()}, "few outputs that do not depend on the input"},
		{noisySum(0.3), false, nil, "refuted, seeded"},
		{noisySum(1), false, nil, "true, seeded"},
		{coin, false, []Option{Strict()}, "few outputs, seeded"},
	} {
		f := &fake{name: "TestIt"}
		Audit(f, c.mechanism, pure, Pair([]float64{1}, []float64{}), append(c.options, Samples(4000))...)
		text := f.text()
		if strings.Contains(text, "cannot be repeated exactly") != c.own || strings.Contains(text, "m runs spend it m times") != c.own {
			t.Errorf("%s: warning about unseeded randomness missing or unexpected:\n%s", c.reason, text)
		}
		if c.own && strings.Contains(text, "to reproduce") || !c.own && strings.Contains(text, "to run again") {
			t.Errorf("%s: wrong label of the command:\n%s", c.reason, text)
		}
	}
}
