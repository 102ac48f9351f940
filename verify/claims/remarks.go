package claims

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/internal/strictyaml"
	"github.com/dpverify/dpverify/verify"
)

//go:embed remarks/*.yaml
var noteFiles embed.FS // one file per paper

// notes is the content of a remarks file: the reviewer's summary of a paper, its items in order, the notes on claims
// that fail, the errata and the retired claims.
type notes struct {
	Assessment string                `yaml:"assessment"`
	Items      []string              `yaml:"items"`
	Remarks    []verify.ReviewerNote `yaml:"remarks"`
	Errata     []verify.Erratum      `yaml:"errata"`
	Retired    []retirement          `yaml:"retired"`
}

// retirement states why ids of an older claim set no longer exist.
type retirement struct {
	Reason string   `yaml:"why"`
	IDs    []string `yaml:"ids"`
}

// ReviewerNotes returns the reviewer notes on all papers. The notes on a paper begin with the gravest finding.
func ReviewerNotes() ([]verify.ReviewerNote, error) {
	var all []verify.ReviewerNote
	for _, p := range papers {
		n, err := readNotes(p.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, n.Remarks...)
	}
	return all, nil
}

func readNotes(paper string) (n notes, err error) {
	name := "remarks/" + paper + ".yaml"
	data, err := noteFiles.ReadFile(name)
	if err != nil {
		return n, err
	}
	body, err := strictyaml.Parse(data)
	if err == nil {
		err = strictyaml.Decode(body, &n)
	}
	if err == nil {
		err = n.check(paper)
	}
	if err != nil {
		return n, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}

func (n notes) check(paper string) error {
	for i, r := range n.Remarks {
		switch {
		case !strings.HasPrefix(r.ID, paper+"/"):
			return fmt.Errorf("remark %d: id %q is a claim of another paper, want an id that begins with %q", i+1, r.ID,
				paper+"/")
		case !slices.Contains(verify.Impacts, r.Impact):
			return fmt.Errorf("%s: bears: %q, want one of %v", r.ID, r.Impact, verify.Impacts)
		}
	}
	for i, e := range n.Errata {
		for _, text := range []string{e.Place, e.Printed, e.Meant, e.Reason, e.Bearing} {
			if text == "" {
				return fmt.Errorf("erratum %d: want place, printed, meant, why and bears", i+1)
			}
		}
	}
	for i, r := range n.Retired {
		if r.Reason == "" || len(r.IDs) == 0 {
			return fmt.Errorf("retirement %d: want why and ids", i+1)
		}
	}
	return nil
}
