package sensitivity

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/verify/inputs"
)

// sensitivityWitness is a pair of neighbors that can be replayed. JSON prints floating-point numbers with enough digits
// to restore them.
type sensitivityWitness struct {
	Records []repeatedRecord `json:"records"` // records of A
	At      int              `json:"at"`      // index of the record in which B differs
	// Other replaces that record in B. It is absent if B lacks the record.
	Other  *Record   `json:"other,omitempty"`
	Shared []float64 `json:"shared,omitempty"`
	Choice []int     `json:"choice,omitempty"`
	Seed   uint64    `json:"seed"` // seed of both runs; below 2⁵³, so that every JSON reader restores it
}

// repeatedRecord is a run of equal records.
type repeatedRecord struct {
	Record
	Times int `json:"times,omitempty"` // 0 means 1
}

// Replay re-evaluates the pair of a witness in the evidence and returns the norm of the difference. An error says why
// the witness is outside the domain.
func (s Check) Replay(witness string) (float64, error) {
	if err := s.Check(); err != nil {
		return 0, err
	}
	for i := range s.Cells {
		text, ok := strings.CutPrefix(witness, s.Cells[i].Place+", ")
		if ok && strings.HasPrefix(text, "{") {
			value, _, err := s.replay(&s.Cells[i], text)
			return value, err
		}
	}
	return 0, fmt.Errorf("the witness %q names no cell of this check: want a cell, a comma, and a pair as JSON", witness)
}

// replay evaluates the pair of a witness in a cell.
func (s *Check) replay(c *Cell, text string) (value, slack float64, err error) {
	var w sensitivityWitness
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&w); err != nil {
		return 0, 0, fmt.Errorf("the pair is not readable as JSON: %w", err)
	}
	run := newPairRun(s.Norm, c)
	if err := w.load(run, s.Adjacency); err != nil {
		return 0, 0, err
	}
	return run.measure(w.Seed)
}

// load sets the pair of a run, or returns an error if it is outside the domain.
func (w *sensitivityWitness) load(run *pairRun, a inputs.Adjacency) error {
	c := run.cell
	var records []Record
	for _, r := range w.Records {
		if r.Times < 0 || r.Times > c.N {
			return fmt.Errorf("a record %d times: want 0 to %d", r.Times, c.N)
		}
		for range max(1, r.Times) {
			records = append(records, r.Record)
		}
	}
	outside := func(r Record) bool { return !c.Records.contains(r) }
	switch {
	case len(records) != c.N:
		return fmt.Errorf("%d records: want %d", len(records), c.N)
	case w.At < 0 || w.At >= c.N:
		return fmt.Errorf("the record %d differs: want an index from 0 to %d", w.At, c.N-1)
	case (w.Other != nil) != (a == inputs.ReplaceOneRecord):
		return fmt.Errorf("field \"other\": want it only for neighbors that replace one record; these neighbors %s", a)
	case slices.ContainsFunc(records, outside) || w.Other != nil && outside(*w.Other):
		return errors.New("a record is outside its domain")
	case !c.Shared.contains(w.Shared):
		return errors.New("the shared parameters are outside their domain")
	case len(w.Choice) != len(c.Choices):
		return fmt.Errorf("%d choices: want %d", len(w.Choice), len(c.Choices))
	}
	for i, k := range w.Choice {
		if k < 0 || k >= c.Choices[i] {
			return fmt.Errorf("choice %d is %d: want 0 to %d", i, k, c.Choices[i]-1)
		}
	}
	others := slices.Delete(slices.Clone(records), w.At, w.At+1)
	if w.Other != nil {
		others = slices.Insert(others, w.At, *w.Other)
	}
	run.a = Input{copied(records), slices.Clone(w.Shared), slices.Clone(w.Choice)}
	run.b = Input{copied(others), slices.Clone(w.Shared), slices.Clone(w.Choice)}
	return nil
}

// copied returns a deep copy.
func copied(records []Record) []Record {
	out := slices.Clone(records)
	for i := range out {
		out[i].X = slices.Clone(out[i].X)
	}
	return out
}

// print returns the witness as JSON.
func (w *sensitivityWitness) print() (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	if err := e.Encode(w); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()), nil
}

// repeated merges runs of equal records.
func repeated(records []Record) (out []repeatedRecord) {
	for _, r := range records {
		if last := len(out) - 1; last >= 0 && reflect.DeepEqual(out[last].Record, r) {
			out[last].Times = max(1, out[last].Times) + 1
			continue
		}
		out = append(out, repeatedRecord{Record: r})
	}
	return out
}

// pairRun evaluates a map on two inputs.
type pairRun struct {
	norm   Norm
	cell   *Cell
	a, b   Input
	fa, fb []float64
	tape   tape
	coins  *rand.Rand // reads the tape
}

func newPairRun(norm Norm, c *Cell) *pairRun {
	run := &pairRun{norm: norm, cell: c, fa: make([]float64, c.OutputLength), fb: make([]float64, c.OutputLength)}
	run.coins = rand.New(&run.tape)
	return run
}

// tape is a random source that records whether it was read.
type tape struct {
	rand.PCG
	read bool
}

func (t *tape) Uint64() uint64 {
	t.read = true
	return t.PCG.Uint64()
}

// measure returns the norm of the difference and a bound on its floating-point error.
func (p *pairRun) measure(seed uint64) (value, slack float64, err error) {
	if err := p.output(seed, p.a, p.fa); err != nil {
		return 0, 0, err
	}
	if err := p.output(seed, p.b, p.fb); err != nil {
		return 0, 0, err
	}
	value = floats.Distance(p.fa, p.fb, p.norm.exponent())
	slack = p.cell.mapError() * math.Max(p.cell.Claimed, math.Max(p.norm.length(p.fa), p.norm.length(p.fb)))
	if !(value <= math.MaxFloat64 && slack <= math.MaxFloat64) {
		return 0, 0, fmt.Errorf("outputs as large as %v overflow the %s norm", floats.Norm(p.fa, math.Inf(1)), p.norm)
	}
	return value, slack, nil
}

// output evaluates the map once and returns a panic as an error.
func (p *pairRun) output(seed uint64, in Input, dst []float64) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the map panics: %v", v)
		}
	}()
	clear(dst)
	p.tape.Seed(seed, 0)
	if err := p.cell.Map(p.coins, in, dst); err != nil {
		return err
	}
	for i, v := range dst {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return fmt.Errorf("output %d of the map is %v: want a finite number", i, v)
		}
	}
	return nil
}
