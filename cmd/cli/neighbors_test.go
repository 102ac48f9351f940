package cli

import (
	"strings"
	"testing"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
)

// Claims files accept both spellings of neighbors, but not both at once.
func TestNeighborsOfClaimsFiles(t *testing.T) {
	for _, c := range []struct{ keys, wrong string }{
		{"neighbours: add-or-remove-one", ""}, {"neighbors: add-or-remove-one", ""},
		{"neighbours: replace-one, neighbors: replace-one", "neighbours and neighbors are the same key"}, {"neighbors: many", "c.yaml:1:"}, {"search: 3", "no neighbours"},
	} {
		text := `claims: [{name: c, exec: [cat], guarantee: {epsilon: 1}, inputs: {space: {list: {record: bool, size: [0, 3]}}, ` + c.keys + `}}]`
		_, subjects, err := claimsfile.ParseClaims("c.yaml", []byte(text))
		if err == nil && len(subjects) == 1 {
			err = subjects[0].Broken
		}
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
			t.Errorf("%s: %v, want %q", c.keys, err, c.wrong)
		}
	}
}
