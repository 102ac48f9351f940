package verify_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

func ids(claims []verify.Claim) []string {
	var out []string
	for _, c := range claims {
		out = append(out, c.ID)
	}
	return out
}

func TestLedgerRefusesIncompleteClaims(t *testing.T) {
	cases := []struct {
		reason string
		change func(c *verify.Claim)
		names  string
	}{
		{"no id", func(c *verify.Claim) { c.ID = "" }, "want an id of words"},
		{"a paper without a claim", func(c *verify.Claim) { c.ID = "paper" }, "want an id of words"},
		{"another letter", func(c *verify.Claim) { c.ID = "Päper/lemma-1" }, "want an id of words"},
		{"a space", func(c *verify.Claim) { c.ID = "paper/lemma 1" }, "want an id of words"},
		{"an empty part", func(c *verify.Claim) { c.ID = "paper//lemma-1" }, "want an id of words"},
		{"a slash at the end", func(c *verify.Claim) { c.ID = "paper/lemma-1/" }, "want an id of words"},
		{"a slash at the beginning", func(c *verify.Claim) { c.ID = "/paper/lemma-1" }, "want an id of words"},
		{"a part that begins with a dot", func(c *verify.Claim) { c.ID = "paper/../lemma-1" }, "want an id of words"},
		{"a star, which is a pattern", func(c *verify.Claim) { c.ID = "paper/lemma-*" }, "want an id of words"},
		{"a line break", func(c *verify.Claim) { c.ID = "paper/lemma-1\n" }, "want an id of words"},
		{"no check", func(c *verify.Claim) { c.Check = nil }, "no check"},
		{"no kind", func(c *verify.Claim) { c.Kind = "" }, "kind"},
		{"an unknown kind", func(c *verify.Claim) { c.Kind = "rumour" }, "rumour"},
		{"no source", func(c *verify.Claim) { c.Source = "" }, "source"},
		{"no statement", func(c *verify.Claim) { c.Statement = "" }, "statement"},
		{"a negative weight", func(c *verify.Claim) { c.Weight = -1 }, "weight -1"},
		{"a NaN weight", func(c *verify.Claim) { c.Weight = math.NaN() }, "weight NaN"},
		{"an infinite weight leaves the others nothing", func(c *verify.Claim) { c.Weight = math.Inf(1) }, "weight +Inf"},
		{"a correction that is not there", func(c *verify.Claim) { c.Corrected = "paper/lemma-9" }, `"paper/lemma-9"`},
		{"an id given twice", func(c *verify.Claim) { c.ID = "paper/lemma-2" }, "twice"},
	}
	for _, c := range cases {
		bad := verifytest.Claim("paper/lemma-1")
		c.change(&bad)
		_, err := verify.NewLedger(verifytest.Claim("paper/lemma-2"), bad)
		if err == nil || !strings.Contains(err.Error(), c.names) || !strings.Contains(err.Error(), strings.Trim(bad.ID, "\n")) {
			t.Errorf("%s: error %v, want one that names %q and the id", c.reason, err, c.names)
		}
	}
}

func TestLedgerKeepsClaims(t *testing.T) {
	first := verifytest.Claim("paper/z")
	first.Corrected = "paper/a/corrected" // the correction may come later
	l := verifytest.LedgerOf(t, first, verifytest.Claim("paper/a/corrected"), verifytest.Claim("other-2.0/a_b"))
	if got, want := ids(l.Claims()), []string{"paper/z", "paper/a/corrected", "other-2.0/a_b"}; !slices.Equal(got, want) {
		t.Errorf("claims %v, want them in the order given", got)
	}
	c, ok := l.Find("other-2.0/a_b")
	if !ok || c.Paper != "other-2.0" || c.Weight != 1 {
		t.Errorf("found %+v, %v", c, ok)
	}
	if _, ok := l.Find("paper"); ok {
		t.Error("found a claim by a part of its id")
	}
	l.Claims()[0].ID = "changed"
	if _, ok := l.Find("paper/z"); !ok {
		t.Error("the ledger can be changed through what it returns")
	}
	if empty := verifytest.LedgerOf(t); len(empty.Claims()) != 0 {
		t.Error("an empty ledger has claims")
	}
}

func TestLedgerPatterns(t *testing.T) {
	l := verifytest.LedgerOf(t, verifytest.Claim("prestige/lemma-1"), verifytest.Claim("prestige/lemma-2"), verifytest.Claim("prestige/lemma-2/corrected"),
		verifytest.Claim("prestige/lemma-20"), verifytest.Claim("prestige-2/lemma-1"), verifytest.Claim("curricula/thm-1"))
	cases := []struct {
		reason   string
		patterns []string
		want     string // positions of the claims
	}{
		{"none: all", nil, "012345"},
		{"a paper, and not another that begins like it", []string{"prestige"}, "0123"},
		{"with a slash at its end", []string{"prestige/"}, "0123"},
		{"an id, with what is below it, and not lemma-20", []string{"prestige/lemma-2"}, "12"},
		{"the lowest id", []string{"prestige/lemma-2/corrected"}, "2"},
		{"a glob over papers; it ends where it ends", []string{"*/lemma-1"}, "04"},
		{"a star crosses slashes", []string{"*/lemma-*"}, "01234"},
		{"a star for all", []string{"*"}, "012345"},
		{"a question mark is one character", []string{"prestige/lemma-?"}, "01"},
		{"a class", []string{"prestige/lemma-[2-9]"}, "1"},
		{"any of several, in ledger order, once", []string{"curricula", "prestige/lemma-1", "*/lemma-1"}, "045"},
	}
	for _, c := range cases {
		got, err := l.Select(c.patterns...)
		var want []string
		for _, i := range c.want {
			want = append(want, l.Claims()[i-'0'].ID)
		}
		if err != nil || !slices.Equal(ids(got), want) {
			t.Errorf("%s: %v, %v; want %v", c.reason, ids(got), err, want)
		}
	}
}

func TestLedgerPatternsWithoutMatch(t *testing.T) {
	l := verifytest.LedgerOf(t, verifytest.Claim("prestige/lemma-1"), verifytest.Claim("prestige/lemma-2"), verifytest.Claim("curricula/thm-1"))
	cases := []struct{ reason, pattern, says string }{
		{"a slip of the pen", "prestige/lema-2", `did you mean "prestige/lemma-2"?`},
		{"two letters swapped", "curricula/tmh-1", `did you mean "curricula/thm-1"?`},
		{"a part of a word is no prefix", "prestige/lemma", `did you mean "prestige/lemma-1" or "prestige/lemma-2"?`},
		{"without the paper", "lemma-1", `did you mean "prestige/lemma-1"?`},
		{"nothing like it", "zzz", "dpverify list"},
		{"a glob", "*/nothing-*", "dpverify list"},
		{"an empty pattern does not mean all", "", "dpverify list"},
		{"nor does a slash", "/", "dpverify list"},
	}
	for _, c := range cases {
		// a matching pattern does not excuse the other one
		_, err := l.Select("curricula", c.pattern)
		if !errors.Is(err, verify.ErrNoMatch) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.says)
		}
	}
	if _, err := l.Select("prestige/[a"); err == nil || errors.Is(err, verify.ErrNoMatch) || !strings.Contains(err.Error(), `"prestige/[a"`) {
		t.Errorf("a malformed glob: error %v", err)
	}
}

// TestLedgerAlphaShares checks that the shares of a ledger add up to the total in proportion to the weights, for
// every selection.
func TestLedgerAlphaShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1e-3, 1e3)), 1, 40).Draw(t, "weights")
		total := rapid.SampledFrom([]float64{1e-12, verify.DefaultAlpha, 0.01, 0.5}).Draw(t, "alpha")
		var claims []verify.Claim
		for i, w := range weights {
			c := verifytest.Claim("paper/claim-" + string(rune('a'+i/26)) + string(rune('a'+i%26)))
			c.Weight = w
			claims = append(claims, c)
		}
		l, err := verify.NewLedger(claims...)
		if err != nil {
			t.Fatal(err)
		}
		sum, first := 0.0, l.Claims()[0]
		for _, c := range l.Claims() {
			share := l.Alpha(c, total)
			if want := l.Alpha(first, total) * c.Weight / first.Weight; math.Abs(share/want-1) > 1e-12 {
				t.Errorf("share %v of weight %v, want %v", share, c.Weight, want)
			}
			sum += share
		}
		if math.Abs(sum/total-1) > 1e-12 {
			t.Errorf("the shares add up to %v of %v", sum, total)
		}
	})
}
