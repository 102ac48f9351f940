package reports

import (
	"strings"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/format"
)

// picture is that of a paper, with the id of the claim whose finding it shows.
type picture struct {
	figure
	of string
}

// picture of the gravest finding, of those that are told in full, that names one, else of the gravest
// that has one; nil where none has.
func (l *lookup) picture(g group, found []finding) *picture {
	var drawn *picture
	for _, f := range found {
		if !f.card || drawn != nil && f.Picture == "" {
			continue
		}
		shown, ok := l.results[f.Picture]
		if !ok {
			shown = f.worst
		}
		c := chart.Draw(shown)
		if c == nil {
			continue
		}
		title := format.OneLine(f.Title)
		alt := title + ". " + c.Caption
		if ok && f.Caption != "" {
			seen := format.Sentence(f.Caption)
			alt, c.Caption = title+". "+seen, seen+" "+c.Caption
		}
		drawn = &picture{figure{File: pictureFile(g.Paper), Title: title, Alt: alt, Chart: c}, f.worst.Claim.ID}
		if f.Picture != "" {
			return drawn
		}
	}
	return drawn
}

// pictureFile is the name of the file of a paper's picture.
func pictureFile(p Paper) string { return strings.ReplaceAll(anchor(p.ID), "/", "-") + ".svg" }
