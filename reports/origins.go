package reports

import (
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// originCount counts the claims of one paper with one origin.
type originCount struct {
	Paper     string        `json:"paper"`
	Origin    verify.Origin `json:"origin"`    // "" for a user's claims
	Tested    int           `json:"tested"`    // sum of the next three counts
	False     int           `json:"false"`     // refuted or contradictory
	True      int           `json:"true"`      // holds or consistent
	Empty     int           `json:"empty"`     // vacuous
	NotRun    int           `json:"not_run"`   // data missing
	Undecided int           `json:"undecided"` // inconclusive, untestable or failed
}

// byOrigins counts the claims of a paper, with a row for each origin that occurs. Claims without an origin come first,
// the others are in the order of [verify.Origins].
func (g group) byOrigins() (rows []originCount) {
	for _, o := range append([]verify.Origin{""}, verify.Origins...) {
		row := originCount{Paper: g.ID, Origin: o}
		for _, r := range g.results {
			if r.Claim.Origin == o {
				row.add(r.Verdict)
			}
		}
		if row != (originCount{Paper: g.ID, Origin: o}) {
			rows = append(rows, row)
		}
	}
	return rows
}

func (c *originCount) add(v verify.Verdict) {
	switch {
	case format.IsWrong(v):
		c.False++
	case format.IsSupported(v):
		c.True++
	case v == verify.Vacuous:
		c.Empty++
	case v == verify.NotRun:
		c.NotRun++
	default:
		c.Undecided++
	}
	c.Tested = c.False + c.True + c.Empty
}
