// Dpverify measures whether differential-privacy claims are true, and shows the number each is
// true or false by. Its manual is in cmd/cli/manual; “dpverify help TOPIC” prints a topic.
package main

import (
	"context"
	"os"
	"slices"

	"github.com/dpverify/dpverify/cmd/cli"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims"
)

func main() {
	p := cli.Program{Ledger: claims.Ledger, Remarks: claims.ReviewerNotes, Replays: replayed}
	for _, paper := range claims.Papers() {
		p.Papers = append(p.Papers, reports.Paper(paper))
	}
	os.Exit(cli.Main(p))
}

// replayed adds to a report what the learners of its papers show when they are replayed.
func replayed(ctx context.Context, d *reports.Document) {
	found, err := claims.Replays(ctx, d.Run.Options.Seed, func(paper string) bool {
		return slices.ContainsFunc(d.Run.Results, func(r verify.Result) bool { return r.Claim.Paper == paper })
	})
	if err != nil {
		d.Notes = append(d.Notes, "The learners of the papers were not replayed: "+err.Error()+".")
	}
	for _, r := range found {
		d.Replays = append(d.Replays, reports.Replay(r))
	}
}
