// Dpverify measures whether differential-privacy claims are true, and shows the number each is
// true or false by. Its manual is the comment of package manual, which
//
//	go doc ./cmd/command/manual
//
// prints whole, and “dpverify help TOPIC” a section at a time.
package main

import (
	"context"
	"os"

	"github.com/dpverify/dpverify/cmd/command"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify/claims"
	"github.com/dpverify/dpverify/verify/claims/remarks"
	"github.com/dpverify/dpverify/verify/claims/replays"
)

func main() {
	p := command.Program{Ledger: claims.Ledger, Remarks: remarks.All, Replays: replayed}
	for _, paper := range claims.Papers() {
		p.Papers = append(p.Papers, reports.Paper(paper))
	}
	os.Exit(command.Main(p))
}

// replayed are the learners of the papers as a report has them.
func replayed(ctx context.Context, seed uint64, asked func(paper string) bool) (all []reports.Replay, err error) {
	found, err := replays.All(ctx, seed, asked)
	for _, r := range found {
		all = append(all, reports.Replay(r))
	}
	return all, err
}
