package reports

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/article"
	"github.com/dpverify/dpverify/reports/internal/markdown"
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

const replayedSays = "Each learner by its printed lines and constants, on pairs of small data sets of which one " +
	"record is replaced: what a replay of its calls of primitives finds, beside what the claims about the same come to " +
	"in this run, by computation and by sampling. A replay is computed: what it finds is certain, and that it finds " +
	"nothing is no proof. It takes the law of a primitive, and the sensitivity that it declares, at its word: that the " +
	"noise is no Laplace noise, or too little for the claim, it does not see. A control has a fault of ours, which it " +
	"is to find."

// replayed is a table of the learners of a paper: what is found by replay, by computation and by sampling.
func (g group) replayed(l *lookup) article.Section {
	s := article.Section{Anchor: g.anchor("replayed"), Level: 3, Title: article.Words("Recorded and replayed")}
	t := &article.Grid{Columns: []markdown.Column{markdown.Left("learner"), markdown.Left("by replay"),
		markdown.Left("by computation"), markdown.Left("by sampling")}, Wide: true}
	for _, r := range l.Replays {
		if r.Paper != g.ID {
			continue
		}
		name, found := r.Learner, "nothing"
		if r.Control {
			name = "control: " + name
		}
		if len(r.Finds) > 0 {
			found = strings.Join(r.Finds, "; ")
		}
		t.Row(article.Words(name), article.Words(found), l.judged(r.Claims, true), l.judged(r.Claims, false))
	}
	if len(t.Rows) > 0 {
		s.Say(replayedSays)
		s.Add(t)
	}
	return s
}

// judged are the verdicts of this run on claims that were computed, or sampled.
func (l *lookup) judged(ids []string, exact bool) (said article.Inline) {
	for _, id := range ids {
		r, ok := l.results[id]
		if !ok || r.Exact != exact {
			continue
		}
		if len(said) > 0 {
			said = article.Words(said, ", ")
		}
		said = article.Words(said, l.link(id), " ", article.VerdictSpan(r.Verdict))
	}
	return said
}

// replays is a line on what the report of all claims has in tables; none where nothing was replayed.
func (l *lookup) replays() []any {
	all, found := 0, 0
	for _, r := range l.Replays {
		if !r.Control {
			all++
			if len(r.Finds) > 0 {
				found++
			}
		}
	}
	if all == 0 || l.Full {
		return nil
	}
	return []any{fmt.Sprintf("Recorded and replayed, %d of %s are not private by the primitives that they call: ", found,
		plural(all, "learner")), article.Mono("--full"), " says which."}
}
