package reports

import (
	"fmt"
	"io"
	"math"

	"github.com/dpverify/dpverify/reports/internal/format"
)

// EvidenceRow is the evidence of all runs against one version of a claim. Its logarithms are natural.
type EvidenceRow struct {
	Claim, Version string
	Runs           []string // its runs in order, as id or "id of start 2"
	LogEvidence    float64  // after the last run
	LogPeak        float64  // largest after any run
	LogNeeded      float64
	Verdict        string
}

// WriteEvidence writes the rows as a Markdown table.
func WriteEvidence(w io.Writer, rows []EvidenceRow) error {
	t := format.NewTable(format.Left("claim"), format.Left("version"), format.Right("runs"), format.Left("first run"),
		format.Right("evidence"), format.Right("largest"), format.Right("needed"), format.Left("verdict"))
	amount := func(log float64) format.Text {
		if log > 700 {
			return format.Plain("> 1e304")
		}
		return format.Plain(fmt.Sprintf("%.3g", math.Exp(log)))
	}
	for _, r := range rows {
		t.Row(format.Code(r.Claim), format.Plain(r.Version), format.Plain(fmt.Sprint(len(r.Runs))), format.Plain(r.Runs[0]),
			amount(r.LogEvidence), amount(r.LogPeak), amount(r.LogNeeded), format.Plain(r.Verdict))
	}
	text, err := t.Render()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}
