package verify

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Ledger is a set of claims that share one error probability.
type Ledger struct {
	claims  []Claim // in the given order, the order of the papers
	weight  float64
	retired map[string]string // reason per retired id, to which no claim corresponds
}

// DefaultAlpha is the default error probability of a whole ledger.
const DefaultAlpha = 1e-6

var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)+$`)

// NewLedger returns a ledger of the claims in their order. It returns an error for an invalid claim, a repeated id
// or a missing correction.
func NewLedger(claims ...Claim) (*Ledger, error) {
	l := &Ledger{claims: slices.Clone(claims)}
	ids := make(map[string]bool, len(claims))
	for i := range l.claims {
		c := &l.claims[i]
		if err := c.complete(); err != nil {
			return nil, fmt.Errorf("claim %q: %w", c.ID, err)
		}
		if ids[c.ID] {
			return nil, fmt.Errorf("claim %q: given twice", c.ID)
		}
		ids[c.ID] = true
		l.weight += c.Weight
	}
	for _, c := range l.claims {
		for _, id := range c.Formerly {
			if ids[id] {
				return nil, fmt.Errorf("claim %q: its former id %q is the id of a claim or given twice", c.ID, id)
			}
			ids[id] = true
		}
	}
	for _, c := range l.claims {
		if _, ok := l.claim(c.Corrected); c.Corrected != "" && !ok {
			return nil, fmt.Errorf("claim %q: its correction %q is not in the ledger", c.ID, c.Corrected)
		}
	}
	return l, nil
}

func (c *Claim) complete() error {
	if !idForm.MatchString(c.ID) {
		return errors.New("want an id of words joined by slashes, like paper/lemma-1")
	}
	if c.Paper == "" {
		c.Paper, _, _ = strings.Cut(c.ID, "/")
	}
	if c.Weight == 0 {
		c.Weight = 1
	}
	if c.Source == "" {
		c.Source, _, _ = strings.Cut(c.Place, ": ")
	}
	switch {
	case c.Check == nil:
		return errors.New("no check")
	case !slices.Contains(Kinds, c.Kind):
		return fmt.Errorf("unknown kind %q", c.Kind)
	case c.Source == "" || c.Statement == "":
		return errors.New("want a source and a statement")
	case c.Origin != "" && !slices.Contains(Origins, c.Origin):
		return fmt.Errorf("unknown origin %q", c.Origin)
	case (c.Origin == "") != (c.Place == ""):
		return errors.New("origin and place belong together: give both or neither")
	case !(c.Weight > 0 && c.Weight <= math.MaxFloat64):
		return fmt.Errorf("weight %v: want a positive finite number", c.Weight)
	}
	return nil
}

// Claims returns all claims in ledger order.
func (l *Ledger) Claims() []Claim { return slices.Clone(l.claims) }

// Find returns the claim with this id or former id.
func (l *Ledger) Find(id string) (Claim, bool) {
	if c, ok := l.claim(id); ok {
		return c, true
	}
	i := slices.IndexFunc(l.claims, func(c Claim) bool { return slices.Contains(c.Formerly, id) })
	if i < 0 {
		return Claim{}, false
	}
	return l.claims[i], true
}

// claim returns the claim with exactly this id.
func (l *Ledger) claim(id string) (Claim, bool) {
	i := slices.IndexFunc(l.claims, func(c Claim) bool { return c.ID == id })
	if i < 0 {
		return Claim{}, false
	}
	return l.claims[i], true
}

// Retire stores ids from older ledgers that refer to no claim, with their reasons. It returns an error for the id
// of a claim.
func (l *Ledger) Retire(ids map[string]string) error {
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if _, ok := l.Find(id); ok {
			return fmt.Errorf("%q is both retired and the id of a claim", id)
		}
	}
	l.retired = ids
	return nil
}

// Retired returns the reason why an id was retired, or "" if it was not.
func (l *Ledger) Retired(id string) string { return l.retired[id] }

// Alpha returns a claim's share of the error probability total. The share depends on the whole ledger and not on
// the selection, so that a claim judged separately gets the same verdict as in the report.
func (l *Ledger) Alpha(c Claim, total float64) float64 { return total * c.Weight / l.weight }

// Select returns the claims that match any of the patterns, in ledger order, or all claims if there is no pattern.
// A pattern is a prefix of an id that ends at a slash ("prestige", "prestige/lemma-2"), or a glob in which *
// matches any characters including slashes ("*/lemma-*").
func (l *Ledger) Select(patterns ...string) ([]Claim, error) {
	if len(patterns) == 0 {
		return l.Claims(), nil
	}
	chosen := make(map[string]bool)
	for _, p := range patterns {
		match, err := matcher(p)
		if err != nil {
			return nil, err
		}
		found := false
		for _, c := range l.claims {
			if match(c.ID) {
				chosen[c.ID], found = true, true
			}
		}
		if c, ok := l.Find(p); !found && ok {
			chosen[c.ID], found = true, true
		}
		if !found {
			return nil, l.noMatch(p)
		}
	}
	return slices.DeleteFunc(l.Claims(), func(c Claim) bool { return !chosen[c.ID] }), nil
}

func matcher(pattern string) (func(string) bool, error) {
	p := strings.TrimSuffix(pattern, "/")
	if !strings.ContainsAny(p, "*?[") {
		return func(id string) bool { return id == p || strings.HasPrefix(id, p+"/") }, nil
	}
	// In path.Match, * does not match a slash, so slashes are replaced.
	hide := strings.NewReplacer("/", "\x01")
	glob := hide.Replace(p)
	if _, err := path.Match(glob, ""); err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	return func(id string) bool { ok, _ := path.Match(glob, hide.Replace(id)); return ok }, nil
}

// ErrNoMatch is wrapped by the error for a pattern that selects nothing.
var ErrNoMatch = errors.New("no claim matches")

func (l *Ledger) noMatch(pattern string) error {
	if why := l.Retired(pattern); why != "" {
		return fmt.Errorf("%w %q any more: %s", ErrNoMatch, pattern, why)
	}
	near, best := []string(nil), max(3, len(pattern)/3)
	for _, c := range l.claims {
		d := editDistance(pattern, c.ID)
		// The paper or a longer prefix may be missing.
		for rest, more := c.ID, true; more && !strings.ContainsAny(pattern, "*?["); {
			if _, rest, more = strings.Cut(rest, "/"); more && rest == pattern {
				d = 0
			}
		}
		if d < best {
			near, best = nil, d
		}
		if d == best && len(near) < 3 {
			near = append(near, strconv.Quote(c.ID))
		}
	}
	if len(near) > 0 {
		return fmt.Errorf("%w %q; did you mean %s?", ErrNoMatch, pattern, strings.Join(near, " or "))
	}
	return fmt.Errorf("%w %q; `dpverify list` shows the ids", ErrNoMatch, pattern)
}

// editDistance returns the Levenshtein distance of two short strings.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
