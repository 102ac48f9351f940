package cli

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/reports"
)

// Help of the command.
const (
	planShort = "Say what an audit is going to take, before it is run"
	planLong  = `Plan reads the claims that audit reads and says what a run is going to take: how many
outputs each claim asks of its mechanism, of each input, to search and to certify,
and about how much memory. That follows from the claims and the seed.

It then asks each mechanism for outputs for a fifth of a second, or for one reply at
two inputs where that takes longer, and judges claims of growing size on what it gave:
so it measures the core-hours of this machine, which differ from run to run. With
--no-run it does not.

With --wall it suggests how many samples each claim can have, and says which violation
so many are sure to show. A run in --shards parts prepares in each of them, and once
more where they are merged.

It exits with 3 if a mechanism fails, as audit would.`
	planExample = `  dpverify plan claims.yaml
  dpverify plan claims.yaml --wall 2h --workers 16 --shards 8
  dpverify plan claims.yaml --no-run --format json
  dpverify plan --exec 'python3 noisy_count.py' --a '[1, 0, 1]' --b '[1, 0, 0]' --epsilon 1`
)

// planFailures names the claims that cannot be planned because something failed; nil where there are none.
func planFailures(p reports.Plan) error {
	var failed []string
	for _, c := range p.Claims {
		if c.Failed != "" {
			failed = append(failed, c.ID+": "+c.Failed)
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d claims failed: %s", len(failed), len(p.Claims), strings.Join(failed, "; "))
}
