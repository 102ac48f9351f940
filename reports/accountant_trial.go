package reports

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounting/external"
)

// AccountantTrialSchema names the JSON form of a trial of an accountant. New versions only add fields.
const AccountantTrialSchema = "dpverify/accountant-trial/v1"

// AccountantTrial is the trial of an accountant, with the command that repeats it.
type AccountantTrial struct {
	external.Result
	Command     string // repeats the trial
	Version, Go string // of dpverify and of the toolchain
}

// AccountantTrialJSON writes a trial as dpverify/accountant-trial/v1.
func AccountantTrialJSON(w io.Writer, t AccountantTrial) error {
	records := func(rows []external.Row) []external.Record {
		all := []external.Record{}
		for _, r := range rows {
			all = append(all, r.Record())
		}
		return all
	}
	counts := make(map[external.Verdict]int)
	for _, v := range external.Verdicts() {
		counts[v] = t.Count(v)
	}
	return format.WriteJSON(w, struct {
		Schema   string                   `json:"schema"`
		Version  string                   `json:"version"`
		Go       string                   `json:"go"`
		Command  string                   `json:"command"`
		Seed     string                   `json:"seed"` // a string, because it may exceed the integers of a double
		Trees    int                      `json:"trees"`
		Factor   float64                  `json:"factor"`
		Stopped  string                   `json:"stopped,omitempty"`
		Counts   map[external.Verdict]int `json:"counts"`
		Smallest []external.Record        `json:"smallest"`
		Rows     []external.Record        `json:"rows"`
	}{AccountantTrialSchema, t.Version, t.Go, t.Command, strconv.FormatUint(t.Seed, 10), t.Trees, t.Factor, t.Stopped,
		counts, records(t.Smallest), records(t.Rows)})
}

// maxTrialRows is the maximum number of questions in the table of a trial. The JSON has all of them.
const maxTrialRows = 20

// Sheet returns the counts, a shrunk question for each kind of fault, and a table of the first questions whose answers
// are not within the bracket.
func (t AccountantTrial) Sheet() Sheet {
	const title = "Trial of an accountant"
	s := section{Level: 1, Title: words(title)}
	s.Say(fmt.Sprintf("Each answer is compared with a certified bracket of the true value. An upper bound may be below "+
		"the lower end by at most a relative %s. An answer above %s times the upper end is loose.",
		format.Shortest(external.Tolerance), format.Shortest(t.Factor)))
	s.Add(command(t.Command))
	if t.Stopped != "" {
		s.Say("Stopped early: ", t.Stopped, ".")
	}
	if n, median := t.Answers(); n > 0 {
		s.Say(fmt.Sprintf("The accountant answered %d of %s. The median ratio of an answer to the certified upper end is %s.",
			n, verify.Plural(len(t.Rows), "question"), format.Figure(verify.Num(median))))
	}
	counts := &grid{Columns: []format.Column{format.Left("verdict"), format.Right("questions")}}
	for _, v := range external.Verdicts() {
		if n := t.Count(v); n > 0 {
			counts.Row(words(string(v)), words(format.Count(int64(n))))
		}
	}
	s.Add(counts)
	for _, r := range t.Smallest {
		s.Add(smallestSection(r))
	}
	if table := t.unsupported(); len(table.Rows) > 0 {
		s.Add(section{Level: 2, Title: words("Unsupported questions"), Blocks: []block{table}})
	}
	if table := t.table(); len(table.Rows) > 0 {
		list := section{Level: 2, Title: words("First loose answers, low answers and errors")}
		list.Say(fmt.Sprintf("The table has at most %d questions. It shows each error message once.", maxTrialRows))
		list.Add(table)
		s.Add(list)
	}
	return Sheet{Title: title, Body: s}
}

// smallestSection describes the shrunk question for one kind of fault.
func smallestSection(r external.Row) section {
	s := section{Level: 2, Title: words("Shrunk tree: " + string(r.Verdict))}
	lower, _, upper := Bracket(r.Bracket)
	s.Say(fmt.Sprintf("%s, %s, certified [%s, %s], %s", asked(r.Question), r.Adjacency, lower, upper, answered(r)))
	s.Add(paragraph(words(mono(r.Tree.String()))))
	return s
}

// asked names the quantity of a question.
func asked(q external.Question) string {
	if q.Ask == external.AskDelta {
		return "δ at ε = " + format.Shortest(q.At)
	}
	return "ε at δ = " + format.Shortest(q.At)
}

// answered describes the answer, or the reason why there is none.
func answered(r external.Row) string {
	if r.Reply.Bound == "" {
		return string(r.Verdict) + ": " + format.Stopped(r.Reason)
	}
	kind := map[string]string{external.BoundUpper: "upper bound"}[r.Reply.Bound]
	text := fmt.Sprintf("%s %s", cmp.Or(kind, r.Reply.Bound), format.Figure(verify.Num(r.Reply.Value)))
	switch times := format.Figure(verify.Num(r.Ratio())); r.Verdict {
	case external.NotUpper, external.Low:
		text += ": " + times + " times the certified lower end"
	case external.Loose:
		text += ": " + times + " times the certified upper end"
	}
	if r.Reason != "" {
		text += ": " + r.Reason
	}
	return format.Stopped(text)
}

// unsupported counts the questions for each reason of Unsupported, the most frequent reason first.
func (t AccountantTrial) unsupported() *grid {
	g := &grid{Columns: []format.Column{format.Left("reason"), format.Right("questions")}}
	counts := make(map[string]int)
	for _, r := range t.Rows {
		if r.Verdict == external.Unsupported {
			counts[r.Reason]++
		}
	}
	reasons := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for _, why := range reasons[:min(len(reasons), maxTrialRows)] {
		g.Row(words(why), words(format.Count(int64(counts[why]))))
	}
	return g
}

// table returns the first questions whose answers are not within the bracket, and one question for each error message.
func (t AccountantTrial) table() *grid {
	g := &grid{Columns: []format.Column{format.Right("number"), format.Left("question"), format.Left("neighbors"),
		format.Right("events"), format.Left("certified"), format.Left("answer")}, Wide: true}
	errors := make(map[string]bool)
	for _, r := range t.Rows {
		if r.Verdict == external.Within || r.Verdict == external.Unsupported || len(g.Rows) == maxTrialRows {
			continue
		}
		if r.Verdict == external.Failed {
			if errors[r.Reason] {
				continue
			}
			errors[r.Reason] = true
		}
		g.Row(words(strconv.FormatInt(r.Number, 10)), words(asked(r.Question)), words(r.Adjacency.String()),
			words(strconv.Itoa(r.Tree.Nodes())), words(bracketCell(r.Bracket)), words(answered(r)))
	}
	return g
}

func bracketCell(b accountant.Bracket) string {
	lower, _, upper := Bracket(b)
	return "[" + lower + ", " + upper + "]"
}
