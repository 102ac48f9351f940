package external

import (
	"github.com/dpverify/dpverify/verify"
)

// Record is a row in a report.
type Record struct {
	Number    int64          `json:"number"` // of the request
	Verdict   Verdict        `json:"verdict"`
	Adjacency string         `json:"adjacency"`
	Ask       string         `json:"ask"`
	At        float64        `json:"at"` // δ if ε is asked, otherwise ε
	Event     Tree           `json:"event"`
	Nodes     int            `json:"nodes"` // events in the tree
	Lower     float64        `json:"lower"` // certified
	Upper     float64        `json:"upper"` // certified
	Answer    *verify.Number `json:"answer,omitempty"`
	Bound     string         `json:"bound,omitempty"`
	Ratio     *verify.Number `json:"ratio,omitempty"` // answer divided by the violated end, 1 within the bracket
	Reason    string         `json:"reason,omitempty"`
}

// Record returns the row in the form of a report.
func (r Row) Record() Record {
	rec := Record{Number: r.Number, Verdict: r.Verdict, Adjacency: r.Adjacency.String(), Ask: r.Ask, At: r.At,
		Event: r.Tree, Nodes: r.Tree.Nodes(), Lower: r.Bracket.Lower, Upper: r.Bracket.Upper, Bound: r.Reply.Bound,
		Reason: r.Reason}
	if r.Reply.Bound != "" {
		answer, ratio := verify.Num(r.Reply.Value), verify.Num(r.Ratio())
		rec.Answer, rec.Ratio = &answer, &ratio
	}
	return rec
}
