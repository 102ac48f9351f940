package reports

import (
	"strings"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/format"
)

// picture shows a finding of a paper.
type picture struct {
	figure
	claimID string
}

// picture returns the picture of the gravest finding with a card and a named picture, else of the gravest finding
// with a card that can be drawn. It returns nil if there is no such finding.
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

// pictureFile returns the name of the file with a paper's picture.
func pictureFile(p Paper) string { return strings.ReplaceAll(anchor(p.ID), "/", "-") + ".svg" }
