package inputs

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
)

// Relation defines which values of a type are neighbors. The zero value is for claims about single inputs.
type Relation struct {
	adjacency Adjacency // for datasets
	records   string    // field of an object that holds the records; "" for the only list
	norm      Norm      // for vectors
	radius    float64
	anyTwo    bool // all pairs of distinct values
}

// Norm is the norm that measures the change of a vector.
type Norm string

// The norms of [Change].
const (
	L1   Norm = "l1"
	L2   Norm = "l2"
	LInf Norm = "linf"
)

// AddOrRemoveOne: one list has one more record. If the inputs are objects, one field is the list and the others are
// equal.
func AddOrRemoveOne() Relation { return Relation{adjacency: AddOrRemoveOneRecord} }

// ReplaceOne: two lists of equal length differ in one record.
func ReplaceOne() Relation { return Relation{adjacency: ReplaceOneRecord} }

// Change: the values differ only in their numbers, by at most radius > 0 in the norm.
func Change(norm Norm, radius float64) Relation { return Relation{norm: norm, radius: radius} }

// AnyTwo: any two distinct values are neighbors, as in local differential privacy (Kasiviswanathan et al. 2011,
// Definition 2.2), where an input is the data of one person.
func AnyTwo() Relation { return Relation{anyTwo: true} }

// In sets the field that holds the records of an object with several lists.
func (r Relation) In(field string) Relation {
	r.records = field
	return r
}

const addOrRemoveOne, replaceOne, change, anyWord = "add-or-remove-one", "replace-one", "change", "any"

func (r Relation) String() string {
	switch {
	case r.anyTwo:
		return anyWord
	case r.norm != "":
		return fmt.Sprintf("{%s: {%s: %v}}", change, r.norm, r.radius)
	case r.adjacency == 0:
		return "none"
	}
	name := map[Adjacency]string{AddOrRemoveOneRecord: addOrRemoveOne, ReplaceOneRecord: replaceOne}
	if r.records == "" {
		return name[r.adjacency]
	}
	return fmt.Sprintf("{%s: %s}", name[r.adjacency], r.records)
}

// Relations lists the relations that [ParseRelation] accepts, for messages.
const Relations = addOrRemoveOne + ", " + replaceOne + ", {" + change + ": {l1: 1}} or " + anyWord

const relations = "want " + Relations

// ParseRelation reads a relation in decoded JSON: "add-or-remove-one", "replace-one", "any",
// {add-or-remove-one: FIELD}, {replace-one: FIELD}, or {change: {l1: 1}}, with l2 and linf. Every error is an
// [*Error].
func ParseRelation(v any) (Relation, error) {
	adjacencies := map[string]Relation{addOrRemoveOne: AddOrRemoveOne(), replaceOne: ReplaceOne()}
	if word, ok := v.(string); ok {
		if word == anyWord {
			return AnyTwo(), nil
		}
		if r, known := adjacencies[word]; known {
			return r, nil
		}
	}
	m, ok := v.(map[string]any)
	if !ok || len(m) != 1 {
		return Relation{}, wrong("", "%s is not a neighbor relation: %s", shown(v), relations)
	}
	key := sortedKeys(m)[0]
	field, isWord := m[key].(string)
	r, known := adjacencies[key]
	switch {
	case known && isWord && field != "":
		return r.In(field), nil
	case known:
		return r, wrong("."+key, "%s: want the field that holds the records", shown(m[key]))
	case key == change:
		return parseChange(m[key])
	}
	return r, wrong("."+key, "%q is not a neighbor relation: %s", key, relations)
}

func parseChange(v any) (Relation, error) {
	m, ok := v.(map[string]any)
	if !ok || len(m) != 1 {
		return Relation{}, wrong("."+change, "%s: want a norm and its bound, as in {l1: 1}", shown(v))
	}
	name := sortedKeys(m)[0]
	if !slices.Contains([]Norm{L1, L2, LInf}, Norm(name)) {
		return Relation{}, wrong("."+change+"."+name, "norm %q: want l1, l2 or linf", name)
	}
	radius := math.NaN()
	switch x := scalar(m[name]).(type) {
	case int64:
		if radius = float64(x); radius >= 1<<63 || int64(radius) > x { // the double is larger than the bound
			radius = math.Nextafter(radius, 0)
		}
	case float64:
		radius = x
	}
	r := Change(Norm(name), radius)
	if !(radius > 0 && radius <= math.MaxFloat64) {
		return r, wrong("."+change+"."+name, "%s: want a finite bound above 0", shown(m[name]))
	}
	return r, nil
}

// Space is a type with a neighbor relation. [NewPairSpace] turns it into a [PairSpace] for a mechanism.
type Space struct {
	Values    Type
	Neighbors Relation
}

// Check returns an [*Error] for an invalid space. Its path begins with ".space" or ".neighbours".
func (s Space) Check() error {
	if err := s.checkParameters(); err != nil {
		return err
	}
	for range s.All() { // one pair suffices
		return nil
	}
	return s.noPair()
}

// CheckValues returns an [*Error] for an invalid type of inputs, regardless of the relation. Its path begins with
// ".space".
func (s Space) CheckValues() error {
	if s.Values == nil {
		return wrong(".space", "no type of inputs: %s", "want one as in "+forms["list"])
	}
	return s.Values.check(".space")
}

func (s Space) checkParameters() error {
	if err := s.CheckValues(); err != nil {
		return err
	}
	p, err := s.proposer()
	if v, ok := p.(vectors); ok && err == nil && !movable(v.values, v.radius) {
		return s.noPair()
	}
	return err
}

// noPair returns the error for a space without a pair of neighbors.
func (s Space) noPair() error {
	if s.Neighbors.anyTwo {
		return wrong(".space", "no two values of the space differ: want a type of at least two values")
	}
	return wrong(".neighbours", "no two values of the space differ by a change of at most %v in %s: want numbers with "+
		"room for it", s.Neighbors.radius, s.Neighbors.norm)
}

// Single returns inputs at the edges of the type, for claims about single inputs.
func (s Space) Single() []any {
	w := work{left: mostNumbers}
	all := upTo(&w, slices.Values(s.Values.corners()))
	if t, ok := s.dataset(); ok == nil && t != nil && w.left > 0 {
		for p := range t.edges(&w) {
			all = append(all, p.A, p.B)
		}
	}
	return distinctText(all)
}

// MutateInput draws an input close to v.
func (s Space) MutateInput(r *rand.Rand, v any) any { return s.Values.near(r, v) }

// CombineInputs draws an input that mixes v and w, or extrapolates from v to w.
func (s Space) CombineInputs(r *rand.Rand, v, w any) any { return joined(r, s.Values, v, w) }

// SimplerSingle returns inputs simpler than v, largest simplification first.
func (s Space) SimplerSingle(v any) []any {
	w := work{left: mostSmaller}
	return distinctText(upTo(&w, s.Values.simpler(v)))
}

// distinctText removes values with a repeated JSON text.
func distinctText(values []any) (out []any) {
	seen := make(map[string]bool, len(values))
	for _, v := range values {
		if text := JSONText(v); !seen[text] {
			seen[text] = true
			out = append(out, v)
		}
	}
	return out
}

// proposer proposes pairs for one relation.
type proposer interface {
	edges(w *work) iter.Seq[Pair[any]] // distinct, within the budget
	patterns(w *work) iter.Seq[Pair[any]]
	near(r *rand.Rand, p Pair[any]) (Pair[any], bool)
	joined(r *rand.Rand, p, q Pair[any]) (Pair[any], bool)
	smaller(p Pair[any]) iter.Seq[Pair[any]]
}

// proposer returns the proposer for the space's relation.
func (s Space) proposer() (proposer, error) {
	r := s.Neighbors
	switch {
	case r.anyTwo:
		return anyTwo{s.Values}, nil
	case r.norm != "":
		c := vectors{s.Values, r.norm, r.radius}
		if !(r.radius > 0 && r.radius <= math.MaxFloat64) {
			return nil, wrong(".neighbours", "the bound %v of a change: want a finite one above 0", r.radius)
		}
		return c, nil
	case r.adjacency == 0:
		return nil, wrong(".neighbours", "the space has no neighbours: %s", relations)
	}
	d, err := s.dataset()
	if err != nil {
		return nil, err
	}
	return d, nil
}

// dataset returns the proposer for lists of records.
func (s Space) dataset() (*records, error) {
	adjacency := s.Neighbors.adjacency
	if adjacency == 0 {
		adjacency = AddOrRemoveOneRecord // any adjacency will do for single inputs
	}
	d := &records{whole: s.Values, at: -1}
	switch t := s.Values.(type) {
	case listType:
		d.list = t
		if s.Neighbors.records != "" {
			return nil, wrong(".neighbours", "the field %q is to hold the records, and the inputs are lists: leave it out",
				s.Neighbors.records)
		}
	case productType:
		var lists []string
		for i, p := range t.parts {
			list, ok := p.(listType)
			if ok && t.names != nil && (s.Neighbors.records == "" || s.Neighbors.records == t.names[i]) {
				d.list, d.object, d.at = list, t, i
				lists = append(lists, t.names[i])
			}
		}
		switch {
		case len(lists) == 0:
			return nil, wrong(".neighbours", "no list among the fields to add a record to, or to replace one in: %s", relations)
		case len(lists) > 1:
			return nil, wrong(".neighbours", "several fields are lists, %s: say which one holds the records, as in {%s: %s}",
				strings.Join(lists, ", "), addOrRemoveOne, lists[0])
		}
	default:
		return nil, wrong(".neighbours", "the inputs are not lists or objects with a list: %s", relations)
	}
	d.Datasets = Datasets[any]{Adjacency: adjacency, Values: d.list.record.corners(), MinRecords: d.list.least,
		MaxRecords: d.list.most, Draw: d.list.record.draw}
	if d.list.most == 0 {
		return nil, wrong(".space", "lists without a record have no neighbours: want a size that ends above 0")
	}
	if err := d.Datasets.Check(); err != nil {
		return nil, wrong(".neighbours", "%v", err)
	}
	return d, nil
}

// Edges returns the pairs to try first: edge cases and, after the first twelve, one pattern for every three of them.
// All pairs together have at most mostNumbers numbers, unless the first is larger.
func (s Space) Edges() []Pair[any] { return slices.Collect(s.All()) }

// All generates the pairs of Edges one at a time.
func (s Space) All() iter.Seq[Pair[any]] {
	return func(yield func(Pair[any]) bool) {
		p, err := s.proposer()
		if err != nil {
			return
		}
		const ahead, each = 12, 3 // edges before the first pattern, and between patterns
		w := work{left: mostNumbers}
		pattern, stop := iter.Pull(p.patterns(&w))
		defer stop()
		out := DistinctPairs[any]{Seen: map[string]bool{}}
		propose := func(q Pair[any]) (goOn bool) { return !out.Add(q) || yield(q) }
		i := 0
		for e := range p.edges(&w) {
			if !propose(e) {
				return
			}
			if i >= ahead && i%each == 0 {
				if q, ok := pattern(); ok && !propose(q) {
					return
				}
			}
			i++
		}
		for q, ok := pattern(); ok && propose(q); q, ok = pattern() {
		}
	}
}

// Patterns returns the input patterns of StatDP (Ding et al. 2018, Table 2) and DP-Sniper (Bichsel et al. 2021), at
// their lengths and for several pairs of values: one above, one below, one above rest below, one below rest above, half
// half, all above & all below, and X shape.
func (s Space) Patterns() []Pair[any] {
	p, err := s.proposer()
	if err != nil {
		return nil
	}
	return slices.Collect(p.patterns(&work{left: mostNumbers}))
}

// MutatePair draws a pair close to p.
func (s Space) MutatePair(r *rand.Rand, p Pair[any]) (Pair[any], bool) {
	proposer, err := s.proposer()
	if err != nil {
		return p, false
	}
	q, ok := proposer.near(r, p)
	return q, ok && !reflect.DeepEqual(q.A, q.B)
}

// CombinePairs draws a pair that mixes p and q, or extrapolates from p to q.
func (s Space) CombinePairs(r *rand.Rand, p, q Pair[any]) (Pair[any], bool) {
	proposer, err := s.proposer()
	if err != nil {
		return p, false
	}
	out, ok := proposer.joined(r, p, q)
	return out, ok && !reflect.DeepEqual(out.A, out.B)
}

// Smaller returns pairs simpler than p, largest simplification first. Together they have at most mostSmaller numbers,
// unless the first is larger.
func (s Space) Smaller(p Pair[any]) []Pair[any] {
	proposer, err := s.proposer()
	if err != nil {
		return nil
	}
	return smallerWithin(work{left: mostSmaller}, p, proposer.smaller(p))
}

func (s Space) String() string { return fmt.Sprintf("%s, neighbours: %s", s.Values, s.Neighbors) }
