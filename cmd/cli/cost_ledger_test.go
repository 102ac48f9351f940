package cli

import (
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

func TestReport(t *testing.T) {
	claimsOf := func(papers ...string) (claims []verify.Claim) {
		for _, p := range papers {
			claims = append(claims, verify.Claim{ID: p + "/a", Paper: p})
		}
		return claims
	}
	if got, want := reportCost(claimsOf("prestige", "prestige"), verify.Standard, 1), "2 claims at the standard budget on 1 processor: about 28 seconds"; got != want {
		t.Errorf("the cost is %q, want %q", got, want)
	}
	if got := reportCost(claimsOf("prestige", "mine"), verify.Standard, 1); got != "2 claims at the standard budget on 1 processor" {
		t.Errorf("a paper without a known duration: %q", got)
	}
	if got := reportCost(claimsOf("prestige"), verify.Thorough, 1); !strings.Contains(got, "minutes") {
		t.Errorf("thorough: %q", got)
	}
	one, many := reportCost(claimsOf("nonconvex"), verify.Standard, 1), reportCost(claimsOf("nonconvex"), verify.Standard, 1000*runtime.NumCPU())
	if runtime.NumCPU() > 1 && one[strings.Index(one, ":"):] == many[strings.Index(many, ":"):] {
		t.Errorf("more processors are not faster: %q", many)
	}
	for paper, at := range judgingSeconds {
		if quick, standard := at.at(verify.Quick), at.at(verify.Standard); math.Abs(quick-at.quick) > 1e-3 || math.Abs(standard-at.standard) > 1e-9 || at.at(verify.Thorough) < standard {
			t.Errorf("%s: %g, %g and %g seconds", paper, quick, standard, at.at(verify.Thorough))
		}
	}
}
