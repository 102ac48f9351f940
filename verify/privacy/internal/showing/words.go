package showing

import (
	"fmt"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy/notion"
)

// OneMore is the effect whose parameter exceeds the claimed one by 1: a leak through
// the bits is a gross one.
func OneMore(g notion.Guarantee) float64 {
	if g.Value() < 0.01 {
		return 100
	}
	return 1 + 1/g.Value()
}

// MassWords is a mass, or that there is none.
func MassWords(m verify.Number) string {
	if !m.Set {
		return "none"
	}
	return fmt.Sprintf("%.2g", m.X)
}

// NoEvent is what an audit needs that found nothing to test.
func NoEvent(samples int64) string {
	return fmt.Sprintf("inputs that differ more, or rarer events: the outputs of this run look the same under both, and "+
		"more than its %d samples of each input need not change that", samples)
}
