package papers

import (
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical/experiment"
)

func TestRegistry(t *testing.T) {
	for _, e := range Registry() {
		if e.Title == "" || e.Source == "" || e.Data == "" || e.Panels == nil || !strings.Contains(e.Name, "/") {
			t.Errorf("%q is incomplete: %+v", e.Name, e)
		}
		if found, err := Lookup(e.Name); err != nil || found.Name != e.Name {
			t.Errorf("%q is listed and not found: %v", e.Name, err)
		}
		panels, err := e.Panels(experiment.Options{})
		if err != nil || len(panels) == 0 {
			t.Errorf("%s has %d panels: %v", e.Name, len(panels), err)
		}
		seen := make(map[string]bool)
		for _, p := range panels {
			if p.Title == "" || p.Start == nil || seen[p.Name] || p.Name != e.Name && !strings.HasPrefix(p.Name, e.Name+"/") {
				t.Errorf("%s has a panel %q that is incomplete, named twice, or not named after it", e.Name, p.Name)
			}
			seen[p.Name] = true
		}
	}
	if _, err := Lookup("prestige/fig-99"); err == nil || !strings.Contains(err.Error(), "prestige/fig-4") {
		t.Errorf("error %v, want one that lists what there is", err)
	}
}
