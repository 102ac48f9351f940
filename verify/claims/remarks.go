package claims

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/internal/strictyaml"
	"github.com/dpverify/dpverify/verify"
)

//go:embed remarks/*.yaml
var remarkFiles embed.FS // what a referee adds to the claims that failed, a file for each paper

// ReviewerNotes returns the remarks on all papers, those of a paper in the order of their gravity.
func ReviewerNotes() ([]verify.ReviewerNote, error) {
	names, err := fs.Glob(remarkFiles, "remarks/*.yaml")
	if err != nil {
		return nil, err
	}
	var all []verify.ReviewerNote
	for _, name := range names {
		paper := strings.TrimSuffix(path.Base(name), ".yaml")
		remarks, err := readRemarks(paper)
		if err != nil {
			return nil, fmt.Errorf("the remarks on %s: %w", paper, err)
		}
		all = append(all, remarks...)
	}
	return all, nil
}

func readRemarks(paper string) ([]verify.ReviewerNote, error) {
	data, err := remarkFiles.ReadFile("remarks/" + paper + ".yaml")
	if err != nil {
		return nil, err
	}
	body, err := strictyaml.Parse(data)
	if err != nil {
		return nil, err
	}
	var file struct {
		Remarks []verify.ReviewerNote `yaml:"remarks"`
	}
	if err := strictyaml.Decode(body, &file); err != nil {
		return nil, err
	}
	for i, r := range file.Remarks {
		switch {
		case !strings.HasPrefix(r.ID, path.Clean(paper)+"/"):
			return nil, fmt.Errorf("remark %d is on %q, of another paper", i+1, r.ID)
		case !slices.Contains(verify.Impacts, r.Impact):
			return nil, fmt.Errorf("%s bears on %q: want one of %v", r.ID, r.Impact, verify.Impacts)
		}
	}
	return file.Remarks, nil
}
