package privacy

import (
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

func TestSecondLookAtLaws(t *testing.T) {
	law := func(at string, truth, claimed float64) DistributionPair {
		return DistributionPair{Place: at, P: response(truth, 0), Q: response(truth, 1), Epsilon: claimed}
	}
	verifytest.Rows{
		{"private distributions", exactly(law("bits", 1, 1), law("others", 1, 4)), verify.Holds, []string{"2 pairs, from bits to others", "bits, needs ε = 1, the claim is 1"}},
		{"one distribution is not private", exactly(law("bits", 1, 1), law("others", 2, 1.5), law("more", 3, 1.5)), verify.Refuted, []string{"others: the first, in the order of the domain, of the 2 that fail among 3 pairs; the one before it, bits, does not"}},
	}.Hold(t)
}
