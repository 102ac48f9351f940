package article

import (
	"slices"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/markdown"
)

// filter is a choice by which a page shows some of its claims alone.
type filter struct {
	Name   string
	Values []string
}

// filters are the choices among the claims of a section, with their values in the order of the claims;
// there is none by what all claims share.
func filters(s Section) []filter {
	all := []filter{{Name: "paper"}, {Name: "verdict"}, {Name: "kind"}, {Name: "origin"}}
	collect(s, all)
	return slices.DeleteFunc(all, func(f filter) bool { return len(f.Values) < 2 })
}

func collect(s Section, all []filter) {
	if s.Folded && len(s.Facets) > 0 {
		paper, _, _ := strings.Cut(s.Anchor, "/")
		for _, f := range append([]Facet{{"paper", paper}, {"verdict", s.Tone}}, s.Facets...) {
			i := slices.IndexFunc(all, func(known filter) bool { return known.Name == f.Name })
			value := markdown.OneLine(f.Value)
			if i >= 0 && value != "" && !slices.Contains(all[i].Values, value) {
				all[i].Values = append(all[i].Values, value)
			}
		}
	}
	for _, block := range s.Blocks {
		if inner, ok := block.(Section); ok {
			collect(inner, all)
		}
	}
}
