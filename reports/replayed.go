package reports

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Replay is what a learner of a paper shows when it is recorded on one data set and replayed on a neighbour, and
// which claims of the ledger are about the same.
type Replay struct {
	Paper   string   `json:"paper"`
	Learner string   `json:"learner"`
	Control bool     `json:"control"` // it has a fault that the paper does not have, which is to be found
	Finds   []string `json:"finds"`   // a part each, with what breaks it; none where nothing was found
	Claims  []string `json:"claims"`  // their ids
}

const replaySays = "Each learner by its printed lines and constants, on pairs of small data sets of which one " +
	"record is replaced: what a replay of its calls of primitives finds, beside what the claims about the same come to " +
	"in this run, by computation and by sampling. A replay is computed: what it finds is certain, and that it finds " +
	"nothing is no proof. It takes the law of a primitive, and the sensitivity that it declares, at its word: that the " +
	"noise is no Laplace noise, or too little for the claim, it does not see. A control has a fault of ours, which it " +
	"is to find."

// addReplayTable adds to the section of a paper a part with its learners: what is found by replay, and the verdicts of
// the run, by computation and by sampling; nothing where there are none.
func addReplayTable(to *section, anchor, paper string, all []Replay, results map[string]verify.Result,
	link func(id string) span) {
	t := &grid{Columns: []format.Column{format.Left("learner"), format.Left("by replay"),
		format.Left("by computation"), format.Left("by sampling")}, Wide: true}
	for _, r := range all {
		if r.Paper != paper {
			continue
		}
		name, found := r.Learner, "nothing"
		if r.Control {
			name = "control: " + name
		}
		if len(r.Finds) > 0 {
			found = strings.Join(r.Finds, "; ")
		}
		judged := func(exact bool) (said inline) {
			for _, id := range r.Claims {
				if c, ok := results[id]; ok && c.Exact == exact {
					if len(said) > 0 {
						said = words(said, ", ")
					}
					said = words(said, link(id), " ", verdictSpan(c.Verdict))
				}
			}
			return said
		}
		t.Row(words(name), words(found), judged(true), judged(false))
	}
	if len(t.Rows) > 0 {
		s := section{Anchor: anchor, Level: 3, Title: words("Recorded and replayed")}
		s.Say(replaySays)
		s.Add(t)
		to.Add(s)
	}
}

// addReplayLine says in a report without the tables what they have; nothing where nothing was replayed.
func addReplayLine(to *section, all []Replay) {
	learners, found := 0, 0
	for _, r := range all {
		if !r.Control {
			learners++
			if len(r.Finds) > 0 {
				found++
			}
		}
	}
	if learners > 0 {
		to.Say(fmt.Sprintf("Of %d learners of the papers, replayed by the noise that they draw, more is released than "+
			"claimed by %d: ", learners, found), mono("--full"), " says which.")
	}
}
