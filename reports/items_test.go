package reports

import (
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// An item has its name in the paper, without the part or a second place. Items with the same name are merged.
func TestItemsAreNamedAsThePaperDoes(t *testing.T) {
	for _, c := range []struct {
		reason, key, want string
		sources           []string
	}{
		{"no source is the bare name", "lemma-2", "Lemma 2", []string{"Lemma 2, eqs. (11), (16)", "Lemma 2, proof"}},
		{"a correction belongs to the same item", "thm-3", "Theorem 3", []string{"Theorem 3, corrected", "Theorem 3, eq. (8)"}},
		{"a list of sections is one name", "average", "Sects. 3.4, 4.2", []string{"Sects. 3.4, 4.2", "Sects. 3.4, 4.2, corrected"}},
		{"a list of equations is one name", "eq-27", "Eqs. (27), (29)", []string{"eqs. (27), (29), Sect. 4.1"}},
		{"the most frequent beginning", "alg-1", "Alg. 1", []string{"Sect. 3.2; Alg. 1", "Alg. 1, loop", "Alg. 1; Table 2"}},
		{"nothing in common: the key is the name", "batch-size", "Batch size", []string{"Fig. 7", "Fig. 8", "Sect. 4.2", "Fig. 9", "abstract"}},
		{"nothing in common, and a key with a number", "alg-1", "Fig. 7", []string{"Fig. 7", "Fig. 8", "Fig. 9"}},
	} {
		it := paperItem{key: c.key}
		for _, s := range c.sources {
			it.results = append(it.results, verify.Result{Claim: verify.Claim{Source: s}})
		}
		if got := it.called(); got != c.want {
			t.Errorf("%s: %q has the name %q, want %q", c.reason, c.sources, got, c.want)
		}
	}
	g := group{Paper: Paper{ID: "p"}}
	for _, id := range []string{"p/a", "p/b", "p/settings/c", "p/a/corrected"} {
		g.results = append(g.results, verify.Result{Claim: verify.Claim{ID: id, Source: "Sect. 4.1"}})
	}
	if all := g.byItem(); len(all) != 1 || len(all[0].results) != 3 {
		t.Errorf("%d items, want one of 3 claims", len(all))
	}
}
