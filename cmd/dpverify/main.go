// Dpverify measures whether differential-privacy claims are true, and reports the measured value and margin of each
// claim. The manual is in cmd/cli/manual; “dpverify help TOPIC” prints a topic.
package main

import (
	"os"

	"github.com/dpverify/dpverify/cmd/cli"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify/claims"
)

func main() {
	p := cli.Program{Ledger: claims.Ledger, Remarks: claims.ReviewerNotes}
	for _, paper := range claims.Papers() {
		p.Papers = append(p.Papers, reports.Paper(paper))
	}
	os.Exit(cli.Main(p))
}
