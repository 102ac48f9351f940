package reports

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/verify"
)

// replayedDocument is a report with two learners and a control; one claim was computed, one sampled, one is not there.
func replayedDocument() Document {
	result := func(id string, v verify.Verdict, exact bool) verify.Result {
		return verify.Result{Claim: verify.Claim{ID: id, Paper: id[:1], Source: "Lemma 1", Statement: "It is so.", Kind: verify.Sensitivity},
			Evidence: verify.Evidence{Verdict: v, Exact: exact, Quantity: "x", Method: "so"}}
	}
	d := Document{Title: "a report", Full: true, Papers: []Paper{{ID: "p", Title: "A Paper"}, {ID: "q", Title: "Another"}}}
	d.Run = verify.Run{Options: verify.Options{Seed: 1, Alpha: 1e-6, Budget: verify.Standard}, Results: []verify.Result{
		result("p/computed", verify.Refuted, true), result("p/sampled", verify.Consistent, false), result("q/other", verify.Holds, true)}}
	d.Replays = []Replay{
		{Paper: "p", Learner: "learner A", Finds: []string{"sensitivity: 2 where 1 is declared"},
			Claims: []string{"p/computed", "p/sampled", "p/absent"}},
		{Paper: "p", Learner: "learner B", Finds: []string{}, Claims: []string{}},
		{Paper: "p", Learner: "learner C", Control: true, Finds: []string{"flow: other calls in the neighbour"}, Claims: []string{}},
	}
	return d
}

// The table has what was found beside the verdicts of the run, and the readable report a line.
func TestReplayed(t *testing.T) {
	d := replayedDocument()
	var full, page, short, machine bytes.Buffer
	if err := errors.Join(Markdown(&full, d), HTML(&page, d), JSON(&machine, d)); err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(full.String()) {
		if regexp.MustCompile("learner [ABC]").MatchString(line) && strings.HasPrefix(line, "|") {
			rows = append(rows, strings.Join(strings.Fields(line), " "))
		}
	}
	want := []string{
		"| learner A | sensitivity: 2 where 1 is declared | `p/computed` ✗ refuted | `p/sampled` ✓ consistent |",
		"| learner B | nothing | | |",
		"| control: learner C | flow: other calls in the neighbour | | |",
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if strings.Count(full.String(), "Recorded and replayed\n") != 1 || !strings.Contains(page.String(), "learner C") {
		t.Error("the table is not in both forms once, or is of a paper that has none")
	}
	d.Full = false
	if err := Markdown(&short, d); err != nil {
		t.Fatal(err)
	}
	if line := "Of 2 learners of the papers, replayed by the noise that they draw, more is released than claimed by 1"; !strings.Contains(short.String(), line) ||
		strings.Contains(short.String(), "learner A") {
		t.Errorf("the readable report has no %q, or the whole table", line)
	}
	read, err := ReadJSON(&machine)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(d.Replays, read.Replays); diff != "" {
		t.Errorf("read back (-was +is):\n%s", diff)
	}
}
