package external

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/internal/strictjson"
	"github.com/dpverify/dpverify/internal/visible"
)

// Question asks for one number of a release.
type Question struct {
	Tree      Tree
	Adjacency event.Adjacency
	Ask       string  // AskEpsilon or AskDelta
	At        float64 // δ in (0, 1) if Ask is AskEpsilon, otherwise ε ≥ 0
}

// The quantities that a question asks for.
const (
	AskEpsilon = "epsilon"
	AskDelta   = "delta"
)

// Request is the line sent to an accountant. A noise multiplier is relative to the largest norm of one record's
// contribution. Sensitivity is the largest distance, in this unit, between the sums of neighbors: 1 if a record is
// added or removed, 2 if it is replaced.
type Request struct {
	ID          int64    `json:"id"`
	Event       Tree     `json:"event"`
	Adjacency   string   `json:"adjacency"`
	Sensitivity float64  `json:"sensitivity"`
	Ask         string   `json:"ask"`
	Delta       *float64 `json:"delta,omitempty"`
	Epsilon     *float64 `json:"epsilon,omitempty"`
}

// Line returns the request with an id, as one line of JSON.
func (q Question) Line(id int64) ([]byte, error) {
	r := Request{ID: id, Event: q.Tree, Adjacency: q.Adjacency.String(), Sensitivity: distance(q.Adjacency), Ask: q.Ask}
	if r.Delta = &q.At; q.Ask == AskDelta {
		r.Delta, r.Epsilon = nil, &q.At
	}
	return json.Marshal(r)
}

// Question returns the question of a request, or an error if the request does not have its form.
func (r Request) Question() (Question, error) {
	q := Question{Tree: r.Event, Ask: r.Ask}
	var err error
	if q.Adjacency, err = event.ParseAdjacency(r.Adjacency); err != nil {
		return q, err
	}
	switch {
	case r.Ask == AskEpsilon && r.Delta != nil && r.Epsilon == nil && *r.Delta > 0 && *r.Delta < 1:
		q.At = *r.Delta
	case r.Ask == AskDelta && r.Epsilon != nil && r.Delta == nil && *r.Epsilon >= 0 && !math.IsInf(*r.Epsilon, 1):
		q.At = *r.Epsilon
	default:
		return q, fmt.Errorf("ask %q: want %q with delta in (0, 1), or %q with epsilon of at least 0", r.Ask, AskEpsilon,
			AskDelta)
	}
	return q, nil
}

// distance returns the largest distance between the sums of neighbors, in multiples of one record's norm.
func distance(adj event.Adjacency) float64 {
	if adj == event.ReplaceOne {
		return 2
	}
	return 1
}

// The meanings of an answer.
const (
	BoundUpper    = "upper"
	BoundEstimate = "estimate"
)

// Reply is an accountant's answer. Either Unsupported is set, or Value and Bound.
type Reply struct {
	Value       float64 // may be +Inf, written as the string "inf"
	Bound       string  // BoundUpper or BoundEstimate
	Unsupported string  // reason why the accountant does not cover the event
	Matched     bool    // the reply has the id of the request
}

func (r Reply) String() string {
	if r.Unsupported != "" {
		return "unsupported: " + r.Unsupported
	}
	return fmt.Sprintf("%v (%s)", r.Value, r.Bound)
}

// replyForms is the end of every error about a reply's form.
const replyForms = `want {"%s": NUMBER, "bound": "upper" or "estimate"}, {"unsupported": "WHY"} or {"error": "WHY"}`

// ParseReply reads the reply to a question with an id. A reply with the key "error" is an error with its text.
func ParseReply(q Question, id int64, line []byte) (Reply, error) {
	wrong := func(format string, args ...any) (Reply, error) {
		return Reply{}, fmt.Errorf("reply %s: %s: "+replyForms, excerpt(line), fmt.Sprintf(format, args...), q.Ask)
	}
	if !json.Valid(line) {
		return wrong("it is not JSON")
	}
	if err := strictjson.Check(line); err != nil {
		return wrong("%v", err)
	}
	var r struct {
		ID          *int64          `json:"id"`
		Epsilon     json.RawMessage `json:"epsilon"`
		Delta       json.RawMessage `json:"delta"`
		Bound       string          `json:"bound"`
		Unsupported string          `json:"unsupported"`
		Error       string          `json:"error"`
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		return wrong("%v", strictjson.InWords(err))
	}
	asked, other := r.Epsilon, r.Delta
	if q.Ask == AskDelta {
		asked, other = other, asked
	}
	switch answered := asked != nil || other != nil || r.Bound != ""; {
	case r.ID != nil && *r.ID != id:
		return wrong("its id is %d, the request has %d", *r.ID, id)
	case r.Error != "" && r.Unsupported == "" && !answered:
		return Reply{}, errors.New(r.Error)
	case r.Unsupported != "" && r.Error == "" && !answered:
		return Reply{Unsupported: r.Unsupported}, nil
	case r.Unsupported == "" && r.Error == "" && asked == nil && other != nil:
		return wrong("it does not answer %s, which the request asks for", q.Ask)
	case r.Unsupported != "" || r.Error != "" || asked == nil || other != nil:
		return wrong("it does not have exactly one answer")
	case r.Bound != BoundUpper && r.Bound != BoundEstimate:
		return wrong("bound is %q", r.Bound)
	}
	x, err := answer(asked)
	if err != nil {
		return wrong("%s: %v", q.Ask, err)
	}
	if !(x >= 0) || q.Ask == AskDelta && !(x <= 1) {
		return wrong("%s is %v, outside its domain", q.Ask, x)
	}
	return Reply{Value: x, Bound: r.Bound, Matched: r.ID != nil}, nil
}

// answer reads a number, or the string "inf".
func answer(text json.RawMessage) (float64, error) {
	if string(text) == `"inf"` {
		return math.Inf(1), nil
	}
	if strings.HasPrefix(string(text), `"`) || string(text) == "null" {
		return 0, fmt.Errorf("%s is not a number", text)
	}
	return decimal.Float(string(text))
}

// excerpt returns the beginning of a line in quotes.
func excerpt(line []byte) string {
	const most = 200
	if len(line) > most {
		return "“" + visible.Line(string(line[:most])) + "…”"
	}
	return "“" + visible.Line(string(line)) + "”"
}
