// Package remarks holds what a referee adds to the claims that failed: a file for each paper, whose
// order is that of gravity.
package remarks

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/internal/plainyaml"
	"github.com/dpverify/dpverify/verify"
)

//go:embed *.yaml
var files embed.FS

// Of returns the remarks of some papers, those of a paper in the order of their gravity.
func Of(papers ...string) ([]verify.Remark, error) {
	var all []verify.Remark
	for _, paper := range papers {
		remarks, err := read(paper)
		if err != nil {
			return nil, fmt.Errorf("the remarks on %s: %w", paper, err)
		}
		all = append(all, remarks...)
	}
	return all, nil
}

func read(paper string) ([]verify.Remark, error) {
	data, err := files.ReadFile(paper + ".yaml")
	if err != nil {
		return nil, err
	}
	text, _, err := plainyaml.Parse(data)
	if err != nil {
		return nil, err
	}
	var file struct {
		Remarks []verify.Remark `yaml:"remarks"`
	}
	if err := plainyaml.Decode(text, &file); err != nil {
		return nil, err
	}
	for i, r := range file.Remarks {
		switch {
		case !strings.HasPrefix(r.ID, path.Clean(paper)+"/"):
			return nil, fmt.Errorf("remark %d is on %q, of another paper", i+1, r.ID)
		case !slices.Contains(verify.Bearings, r.Bearing):
			return nil, fmt.Errorf("%s bears on %q: want one of %v", r.ID, r.Bearing, verify.Bearings)
		}
	}
	return file.Remarks, nil
}
