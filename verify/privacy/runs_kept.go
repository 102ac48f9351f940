package privacy

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/empirical/sequential"
)

const (
	// keptRows and keptValues limit the rows and the numbers that a run keeps for each input of a pair.
	keptRows, keptValues = 4096, 1 << 17
)

// keptRun is what later runs learn from.
type keptRun struct {
	Pairs []keptPair `json:"pairs"`
	Count keptCount  `json:"count"`
}

// keptPair holds rows of both inputs of a pair.
type keptPair struct {
	Width [2]int    `json:"width"`
	Rows  [2]string `json:"rows"` // little-endian float64 values in base64
}

// keptCount holds the counts of an event.
type keptCount struct {
	Event string `json:"event"` // key of the event
	sequential.Block
}

// keep returns what a run keeps.
func keep(runs []*pairRun, count keptCount) (json.RawMessage, error) {
	k := keptRun{Count: count}
	for _, r := range runs {
		var p keptPair
		for side, rows := range r.rows {
			rows = latest(rows, min(keptRows, max(1, keptValues/rows.Width)))
			var bytes []byte
			for _, x := range rows.Numbers() {
				bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(x))
			}
			p.Width[side], p.Rows[side] = rows.Width, base64.StdEncoding.EncodeToString(bytes)
		}
		k.Pairs = append(k.Pairs, p)
	}
	return json.Marshal(k)
}

// readKept reads what earlier runs of an audit with the given number of pairs kept.
func readKept(kept []json.RawMessage, pairs int) ([]keptRun, error) {
	runs := make([]keptRun, len(kept))
	for i, raw := range kept {
		if err := json.Unmarshal(raw, &runs[i]); err != nil {
			return nil, fmt.Errorf("what an earlier run kept: %w", err)
		}
		if err := runs[i].check(pairs); err != nil {
			return nil, fmt.Errorf("what an earlier run kept: %w", err)
		}
	}
	return runs, nil
}

func (k keptRun) check(pairs int) error {
	c := k.Count
	switch {
	case len(k.Pairs) != pairs:
		return fmt.Errorf("rows of %d pairs: want %d", len(k.Pairs), pairs)
	case c.N < 0 || c.X < 0 || c.X > c.N || c.Y < 0 || c.Y > c.N:
		return fmt.Errorf("counts %d and %d of %d samples: want counts in [0, samples]", c.X, c.Y, c.N)
	}
	for _, p := range k.Pairs {
		for side := range p.Rows {
			if _, err := p.read(side); err != nil {
				return err
			}
		}
	}
	return nil
}

// read returns the rows of an input.
func (p keptPair) read(side int) (*distinguisher.Rows, error) {
	bytes, err := base64.StdEncoding.DecodeString(p.Rows[side])
	width := p.Width[side]
	if err != nil || width < 1 || len(bytes)%(8*width) != 0 {
		return nil, errors.New("rows that are not numbers in base64: want rows as an audit writes them")
	}
	values := make([]float64, len(bytes)/8)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(bytes[8*i:]))
	}
	return distinguisher.RowsOf(width, values), nil
}

// pastRows returns the rows of a pair from all runs, by input. The runs must have been checked.
func pastRows(runs []keptRun, pair int) (past [2]*distinguisher.Rows) {
	past = [2]*distinguisher.Rows{distinguisher.NewRows(1, 0), distinguisher.NewRows(1, 0)}
	for side := range past {
		for _, k := range runs {
			if rows, err := k.Pairs[pair].read(side); err == nil {
				past[side] = joined(past[side], rows)
			}
		}
		past[side] = latest(past[side], longWindow)
	}
	return past
}

// joined returns rows a followed by rows b. It does not change either.
func joined(a, b *distinguisher.Rows) *distinguisher.Rows {
	if a.Len() == 0 {
		return b
	}
	return distinguisher.Join(a.Slice(0, a.Len()), b.Slice(0, b.Len()))
}

// latest returns the last n rows, or all.
func latest(rows *distinguisher.Rows, n int) *distinguisher.Rows {
	return rows.Slice(max(0, rows.Len()-n), rows.Len())
}

// eventKey identifies an event by the rows that chose it, so that its counts from several runs can be added up.
func eventKey(pair int, w *distinguisher.Event, chosen ...*distinguisher.Rows) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s %t\n", pair, w.Event, w.Swapped)
	for _, rows := range chosen {
		for _, x := range rows.Numbers() {
			_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x))) // a hash does not fail
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}
