package eprocess

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Run is one run of the audits of a project.
type Run struct {
	ID    string `json:"run"`
	Start int    `json:"start"` // number of the start that it belongs to, from 1
	// Known is the number of runs of this start that the file contained. The bets depend only on these runs.
	Known int `json:"known"`
	// Collects reports whether the run added its factors without a decision.
	Collects bool `json:"collects,omitempty"`
	// Merged holds the ids of the collecting runs that this run knew and the deciding run before it did not.
	Merged []string         `json:"merged,omitempty"`
	Claims map[string]Night `json:"claims"` // by claim id
}

// Night is the result of one claim in a run.
type Night struct {
	Version string  `json:"version"` // digest of the claim and of the audited program
	Weight  float64 `json:"weight"`  // share of the claim in the weights of all claims of its run; at most 1 together
	// LogFactors holds the natural logarithm of the factor of each bet.
	LogFactors []float64 `json:"log_factors"`
	// Upper is the upper confidence limit of the measured quantity after this run, and Rarest the smallest probability
	// of an event at which a large violation would have been detected. Either may be NaN, stored as null.
	Upper  figure          `json:"upper"`
	Rarest figure          `json:"rarest"`
	State  json.RawMessage `json:"state,omitempty"` // counts that later runs continue
	Rows   json.RawMessage `json:"rows,omitempty"`  // outputs that later runs learn from
	Data   []Recording     `json:"data,omitempty"`  // recorded outputs that the run judged
}

// figure is a number; NaN is null in JSON, and +Inf is a string.
type figure float64

func (f figure) MarshalJSON() ([]byte, error) {
	switch x := float64(f); {
	case math.IsNaN(x):
		return []byte("null"), nil
	case math.IsInf(x, 0):
		return json.Marshal(fmt.Sprint(x))
	default:
		return json.Marshal(x)
	}
}

func (f *figure) UnmarshalJSON(data []byte) error {
	var x float64
	switch string(data) {
	case "null":
		x = math.NaN()
	case `"+Inf"`:
		x = math.Inf(1)
	case `"-Inf"`:
		x = math.Inf(-1)
	default:
		if err := json.Unmarshal(data, &x); err != nil {
			return err
		}
	}
	*f = figure(x)
	return nil
}

// maxID is the largest length of the id of a run in bytes.
const maxID = 200

// CheckID returns an error for an empty or long id, or for one with spaces, control characters, quotes or backslashes.
func CheckID(id string) error {
	plain := func(r rune) bool { return r > ' ' && r != 0x7f && r != '"' && r != '\\' }
	if id == "" || len(id) > maxID || strings.ContainsFunc(id, func(r rune) bool { return !plain(r) }) {
		return fmt.Errorf("run id %q: want 1 to %d characters without spaces, quotes or backslashes, such as the number of "+
			"a CI run", id, maxID)
	}
	return nil
}

// check returns an error if a run cannot have been written by this package.
func (r Run) check() error {
	if err := CheckID(r.ID); err != nil {
		return err
	}
	if r.Start < 1 || r.Known < 0 {
		return fmt.Errorf("run %s: start %d with %d known runs: want a start from 1 and a number of runs", r.ID,
			r.Start, r.Known)
	}
	total := 0.0
	for id, n := range r.Claims {
		total += n.Weight
		switch {
		case n.Version == "" || !(n.Weight > 0 && n.Weight <= 1) || len(n.LogFactors) == 0:
			return fmt.Errorf("run %s, claim %s: want a version, a weight in (0, 1] and factors", r.ID, id)
		case slices.ContainsFunc(n.LogFactors, func(x float64) bool { return !(math.Abs(x) <= math.MaxFloat64) }):
			return fmt.Errorf("run %s, claim %s: want finite logarithms of factors", r.ID, id)
		}
	}
	if total > 1+1e-9 {
		return fmt.Errorf("run %s: its claims have the weight %v together: want at most 1", r.ID, total)
	}
	return nil
}

// newRun returns the run of a start that knows all the given runs, which are in order.
func newRun(runs []Run, start int, id string, collects bool, claims map[string]Night) Run {
	r := Run{ID: id, Start: start, Collects: collects, Claims: claims}
	for _, o := range runs {
		switch {
		case o.Start != start:
			continue
		case o.Collects:
			r.Merged = append(r.Merged, o.ID)
		default:
			r.Merged = nil
		}
		r.Known++
	}
	if collects {
		r.Merged = nil
	}
	return r
}

// inOrder sorts runs so that each one follows the runs that its bets depend on, and that the runs up to a decision stay
// the same when further runs are merged: a collecting run counts just before the first deciding run that knew it. The
// order depends on the runs alone, not on the files that they come from.
func inOrder(runs []Run) {
	slices.SortFunc(runs, func(a, b Run) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Known, b.Known), strings.Compare(a.ID, b.ID))
	})
	for from := 0; from < len(runs); {
		to := from
		for to < len(runs) && runs[to].Start == runs[from].Start {
			to++
		}
		if own := runs[from:to]; len(Forks(own)) == 0 {
			copy(own, byDecision(own))
		}
		from = to
	}
}

// byDecision returns the runs of one start, sorted and without forks, with each collecting run before the first
// deciding run that knew it. Collecting runs that no deciding run knew come last.
func byDecision(sorted []Run) []Run {
	when := make(map[string]int) // rank of the first deciding run that knew a collecting run
	decisions := 0
	for _, r := range sorted {
		if r.Collects {
			continue
		}
		decisions++
		for _, id := range r.Merged {
			if when[id] == 0 {
				when[id] = decisions
			}
		}
	}
	rank := func(r Run) int { return cmp.Or(when[r.ID], decisions+1) }
	out := make([]Run, 0, len(sorted))
	decision := 0
	for _, r := range sorted {
		if r.Collects {
			continue
		}
		decision++
		for _, c := range sorted {
			if c.Collects && rank(c) == decision {
				out = append(out, c)
			}
		}
		out = append(out, r)
	}
	for _, c := range sorted {
		if c.Collects && rank(c) == decisions+1 {
			out = append(out, c)
		}
	}
	return out
}

// union returns the runs of all lists, each once. Two different runs with one id are an error.
func union(lists ...[]Run) ([]Run, error) {
	type key struct {
		start int
		id    string
	}
	seen := make(map[key]string)
	var all []Run
	for _, runs := range lists {
		for _, r := range runs {
			text, err := json.Marshal(r)
			if err != nil {
				return nil, err
			}
			k := key{r.Start, r.ID}
			before, twice := seen[k]
			if twice && before != string(text) {
				return nil, fmt.Errorf("two different runs have the id %s: want unique ids, for example --run-id with the "+
					"number of the CI run", r.ID)
			}
			if !twice {
				seen[k] = string(text)
				all = append(all, r)
			}
		}
	}
	inOrder(all)
	return all, nil
}

// Forks returns the ids of runs that continued the same runs as another one, and decided. If there are any, each branch
// decided with the whole α.
func Forks(runs []Run) (ids []string) {
	type place struct{ start, known int }
	at := make(map[place][]string)
	for _, r := range runs {
		if !r.Collects {
			p := place{r.Start, r.Known}
			at[p] = append(at[p], r.ID)
		}
	}
	for _, r := range runs {
		if p := (place{r.Start, r.Known}); !r.Collects && len(at[p]) > 1 {
			ids = append(ids, r.ID)
		}
	}
	return ids
}
