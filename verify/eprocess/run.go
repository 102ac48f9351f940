package eprocess

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
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
	// Merged holds the collecting runs that this run was the first to decide with, of this start or earlier ones.
	Merged []runKey           `json:"merged,omitempty"`
	Claims map[string]Outcome `json:"claims"` // by claim id
}

// Outcome is the result of one claim in a run.
type Outcome struct {
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
	for _, id := range slices.Sorted(maps.Keys(r.Claims)) {
		n := r.Claims[id]
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

// runKey identifies a run.
type runKey struct {
	Start int    `json:"start"`
	ID    string `json:"run"`
}

func (r Run) key() runKey { return runKey{r.Start, r.ID} }

// unmerged returns the collecting runs with which no run has decided.
func unmerged(runs []Run) (keys []runKey) {
	at := decisions(runs)
	for _, r := range runs {
		if !contains(at, r.key()) {
			keys = append(keys, r.key())
		}
	}
	return keys
}

// next returns a run of a start that continues the runs.
func next(runs []Run, start int, id string, collects bool) Run {
	r := Run{ID: id, Start: start, Collects: collects}
	for _, o := range runs {
		if o.Start == start {
			r.Known++
		}
	}
	if !collects {
		r.Merged = unmerged(runs)
	}
	return r
}

// decisions returns the number of the first decision, by the number of known runs, that each run took part in.
func decisions(runs []Run) map[runKey]int {
	deciding := slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return r.Collects })
	slices.SortFunc(deciding, compareKnown)
	at := make(map[runKey]int)
	for i, r := range deciding {
		at[r.key()] = i
	}
	for i, r := range deciding {
		for _, k := range r.Merged {
			if !contains(at, k) {
				at[k] = i
			}
		}
	}
	return at
}

func contains(at map[runKey]int, k runKey) bool {
	_, ok := at[k]
	return ok
}

func compareKnown(a, b Run) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Known, b.Known), strings.Compare(a.ID, b.ID))
}

// inOrder sorts runs so that each one follows the runs that its bets depend on, and each decision follows exactly the
// runs that it used. So a decision stays as it was when other runs are merged later. Runs that no decision has used
// are the last ones. The order depends on the runs alone, not on the file that they come from.
func inOrder(runs []Run) {
	at := decisions(runs)
	place := func(r Run) int {
		if i, decided := at[r.key()]; decided {
			return i
		}
		return len(runs)
	}
	slices.SortFunc(runs, func(a, b Run) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), compareKnown(a, b))
	})
}

// Union returns the runs of all lists, each once. Two different runs with one id are an error.
func Union(lists ...[]Run) ([]Run, error) {
	seen := make(map[runKey]string)
	var all []Run
	for _, runs := range lists {
		for _, r := range runs {
			text, err := json.Marshal(r)
			if err != nil {
				return nil, err
			}
			k := r.key()
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

// Forks returns the ids of runs that decided without knowing each other. If there are any, each branch decided with the
// whole α. The runs must be in order.
func Forks(runs []Run) (ids []string) {
	type start struct {
		before   int    // runs
		previous string // last decision
	}
	starts := make(map[int]start)
	for _, r := range runs {
		s := starts[r.Start]
		if !r.Collects {
			if r.Known < s.before && s.previous != "" {
				if !slices.Contains(ids, s.previous) {
					ids = append(ids, s.previous)
				}
				ids = append(ids, r.ID)
			}
			s.previous = r.ID
		}
		s.before++
		starts[r.Start] = s
	}
	return ids
}
