package claimsfile

import (
	"fmt"
	"strings"
	"testing"
)

// The default search fits the samples, and the statement says if it is smaller. A given number must fit.
func TestSearchFitsSamples(t *testing.T) {
	for _, c := range []struct {
		search, samples string
		tries           int
		wrong           string
	}{
		{"", "", 200, ""},
		{"", "samples: 36001", 200, ""},
		{"", "samples: 36000", 199, ""},
		{"", "samples: 5000", 27, ""},
		{"", "samples: 181", 1, ""},
		{"", "samples: 180", 0, "a search over 1 is too large for 180 samples"},
		{", search: 27", "samples: 5000", 27, ""},
		{", search: 28", "samples: 5000", 0, "a search over 28 is too large for 5000 samples"},
		{", search: 200", "samples: 5000", 0, "want at least 36001 samples"},
	} {
		for kind, text := range map[string]string{"guarantee": "guarantee: {epsilon: 1}", "unbiased": "unbiased: {truth: [f], range: [0, 1]}"} {
			if c.samples != "" {
				text += "\n    " + c.samples
			}
			_, subjects, err := ParseClaims("c.yaml", fmt.Appendf(nil, "claims:\n  - name: x\n    exec: [f]\n    inputs: "+
				"{space: {list: {size: [0, 30], record: {int: [0, 9]}}}, neighbours: add-or-remove-one%s}\n    %s\n", c.search, text))
			if err == nil {
				err = subjects[0].Broken
			}
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("%s%s %s: error %v, want %s", kind, c.search, c.samples, err, c.wrong)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s%s %s: %v", kind, c.search, c.samples, err)
			}
			if got := subjects[0].Found.Search; got != c.tries {
				t.Errorf("%s%s %s: tries %d, want %d", kind, c.search, c.samples, got, c.tries)
			}
			reduced := c.search == "" && c.tries < 200
			if says := strings.Contains(subjects[0].Claims()[0].Statement, "(the samples reduce the search from 200)"); says != reduced {
				t.Errorf("%s%s %s: the statement %q says %v that the search is smaller", kind, c.search, c.samples, subjects[0].Claims()[0].Statement, says)
			}
			s := subjects[0] // the flag --samples does this
			s.Samples = 100_000
			s.FitSearch()
			if says := s.Claims()[0].Statement; c.search == "" && (s.Found.Search != 200 || !strings.Contains(says, "up to 200 ")) {
				t.Errorf("%s with 100000 samples tries %d and says %q, want 200", kind, s.Found.Search, says)
			}
		}
	}
}
