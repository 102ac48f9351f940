// Package remarks holds what a referee adds to the claims that failed: a file for each paper, whose
// order is that of gravity.
package remarks

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/internal/strictyaml"
	"github.com/dpverify/dpverify/verify/remark"
)

//go:embed *.yaml
var files embed.FS

// All returns the remarks on all papers, those of a paper in the order of their gravity.
func All() ([]remark.Remark, error) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, err
	}
	var all []remark.Remark
	for _, name := range names {
		paper := strings.TrimSuffix(name, ".yaml")
		remarks, err := read(paper)
		if err != nil {
			return nil, fmt.Errorf("the remarks on %s: %w", paper, err)
		}
		all = append(all, remarks...)
	}
	return all, nil
}

func read(paper string) ([]remark.Remark, error) {
	data, err := files.ReadFile(paper + ".yaml")
	if err != nil {
		return nil, err
	}
	text, _, err := strictyaml.Parse(data)
	if err != nil {
		return nil, err
	}
	var file struct {
		Remarks []remark.Remark `yaml:"remarks"`
	}
	if err := strictyaml.Decode(text, &file); err != nil {
		return nil, err
	}
	for i, r := range file.Remarks {
		switch {
		case !strings.HasPrefix(r.ID, path.Clean(paper)+"/"):
			return nil, fmt.Errorf("remark %d is on %q, of another paper", i+1, r.ID)
		case !slices.Contains(remark.Bearings, r.Bearing):
			return nil, fmt.Errorf("%s bears on %q: want one of %v", r.ID, r.Bearing, remark.Bearings)
		}
	}
	return file.Remarks, nil
}
