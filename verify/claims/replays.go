package claims

import (
	"context"
	"fmt"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/replay"
)

// Replay is what a learner shows when it is recorded and replayed.
type Replay struct {
	Paper   string // the id of the ledger
	Learner string // in words
	// Control tells of a learner with a fault that the paper does not have, which a replay has to find.
	Control bool
	Finds   []string // a part each, with what breaks it; none where nothing was found
	Claims  []string // of the ledger that are about the same
}

// replayPairs of a search beyond the edges of its space; every fault is found within ten.
const replayPairs = 60

// Replays records and replays the learners of the papers that are asked for, at their printed lines and constants, on
// pairs drawn from the seed.
//
// A replay takes the law of a primitive, and what it declares, at its word: that the noise is no Laplace noise, or too
// little for the claim, it does not see.
func Replays(ctx context.Context, seed uint64, asked func(paper string) bool) (all []Replay, err error) {
	for _, l := range replayedLearners() {
		if !asked(l.paper) {
			continue
		}
		r := Replay{Paper: l.paper, Learner: l.name, Control: l.control, Finds: []string{},
			Claims: append([]string{}, l.claims...)}
		check := l.check()
		for _, part := range check.Parts() {
			f, err := check.Find(ctx, verify.Settings{Budget: verify.Standard, Seed: empirical.NewSeed(seed)}, part)
			if err != nil {
				return nil, fmt.Errorf("replay of %s: %w", l.name, err)
			}
			if f.Verdict == verify.Refuted {
				r.Finds = append(r.Finds, fmt.Sprintf("%s: %s", part, findingText(f)))
			}
		}
		all = append(all, r)
	}
	return all, nil
}

func (l replayedLearner) check() replay.Replay[[]unitRow] {
	return replay.Replay[[]unitRow]{Subject: replay.Mechanism[[]unitRow, []float64](l.run), Space: l.by,
		Pairs: replayPairs}
}

// findingText is how far the call that was found moves, of what it declares, or that the calls are others.
func findingText(f replay.Finding[[]unitRow]) string {
	if c := f.Counterexample; c.Claimed.Set {
		return fmt.Sprintf("%.4g where %.4g is declared", c.Measured.X, c.Claimed.X)
	}
	return "other calls in the neighbour"
}

// unitRow is a record of the unit disc with a label, -1 or +1.
type unitRow struct{ X, Z, Y float64 }

// unitRows are the records of data sets of which one is replaced; those of labels differ in the label alone.
func unitRows(least, most int, labels bool) inputs.Datasets[unitRow] {
	d := inputs.Datasets[unitRow]{Adjacency: inputs.ReplaceOneRecord, MinRecords: least, MaxRecords: most}
	for _, x := range [][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0.8, 0.6}, {-0.8, 0.6}} {
		for _, y := range []float64{1, -1} {
			if !labels || x[0] == 1 {
				d.Values = append(d.Values, unitRow{x[0], x[1], y})
			}
		}
	}
	return d
}
