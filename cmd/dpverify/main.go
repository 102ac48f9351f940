// Dpverify measures whether differential-privacy claims are true, and shows the number each is
// true or false by. Its manual is the comment of package manual, which
//
//	go doc ./cmd/command/manual
//
// prints whole, and “dpverify help TOPIC” a section at a time.
package main

import (
	"os"

	"github.com/dpverify/dpverify/cmd/command"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify/claims"
	"github.com/dpverify/dpverify/verify/claims/remarks"
)

func main() {
	p := command.Program{Ledger: claims.Ledger, Remarks: remarks.All}
	for _, paper := range claims.Papers() {
		p.Papers = append(p.Papers, reports.Paper(paper))
	}
	os.Exit(command.Main(p))
}
