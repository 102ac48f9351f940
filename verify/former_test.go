package verify_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// TestFormerIDs checks that a claim is found by its former ids and that a retired id has a reason.
func TestFormerIDs(t *testing.T) {
	renamed := verifytest.Claim("paper/new")
	renamed.Formerly = []string{"paper/old", "paper/merged"}
	l := verifytest.LedgerOf(t, verifytest.Claim("paper/first"), renamed)
	for _, id := range []string{"paper/new", "paper/old", "paper/merged"} {
		if c, ok := l.Find(id); !ok || c.ID != "paper/new" {
			t.Errorf("%s: found %q, %v", id, c.ID, ok)
		}
		if chosen, err := l.Select(id); err != nil || !slices.Equal(ids(chosen), []string{"paper/new"}) {
			t.Errorf("%s selects %v, %v", id, ids(chosen), err)
		}
	}
	if err := l.Retire(map[string]string{"paper/gone": "no author made it"}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Select("paper/gone"); err == nil || !strings.Contains(err.Error(), "no author made it") {
		t.Errorf("selecting a retired id: %v", err)
	}
	if l.Retired("paper/gone") == "" || l.Retired("paper/new") != "" {
		t.Error("what is retired is not, or the other way round")
	}
	if err := l.Retire(map[string]string{"paper/old": "twice"}); err == nil || !strings.Contains(err.Error(), "paper/old") {
		t.Errorf("the former id of a claim is retired: %v", err)
	}
}

func TestFormerIDsAreNobodyElses(t *testing.T) {
	a, b, c := verifytest.Claim("paper/a"), verifytest.Claim("paper/b"), verifytest.Claim("paper/c")
	a.Formerly, b.Formerly, c.Corrected = []string{"paper/b"}, []string{"paper/x"}, "paper/x"
	for _, claims := range [][]verify.Claim{{a, b}, {b, c}} {
		if _, err := verify.NewLedger(claims...); err == nil {
			t.Errorf("%v: no error", ids(claims))
		}
	}
	c.Corrected, c.Formerly = "", []string{"paper/x"}
	if _, err := verify.NewLedger(b, c); err == nil || !strings.Contains(err.Error(), "paper/x") {
		t.Errorf("two claims have one former id: %v", err)
	}
}

func TestOriginAndPlace(t *testing.T) {
	for _, bad := range []verify.Claim{{Origin: "said", Place: "p. 1"}, {Origin: verify.Stated}, {Place: "p. 1"}} {
		c := verifytest.Claim("paper/a")
		c.Origin, c.Place = bad.Origin, bad.Place
		if _, err := verify.NewLedger(c); err == nil || !strings.Contains(err.Error(), "origin") {
			t.Errorf("origin %q, place %q: %v", bad.Origin, bad.Place, err)
		}
	}
	words := map[string]bool{}
	for _, o := range verify.Origins {
		if words[o.Words()] = true; o.Words() == "" {
			t.Errorf("%s has no words", o)
		}
	}
	if len(words) != len(verify.Origins) {
		t.Errorf("origins share words: %v", words)
	}
}
