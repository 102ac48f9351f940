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

// keptRun is what later runs learn from. The rows are decoded only if they are needed.
type keptRun struct {
	Count keptCount       `json:"count"`
	Pairs json.RawMessage `json:"pairs"` // []keptPair
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
	var pairs []keptPair
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
		pairs = append(pairs, p)
	}
	raw, err := json.Marshal(pairs)
	if err != nil {
		return nil, err
	}
	return json.Marshal(keptRun{Count: count, Pairs: raw})
}

// readKept reads what earlier runs of an audit kept.
func readKept(kept []json.RawMessage) ([]keptRun, error) {
	runs := make([]keptRun, len(kept))
	for i, raw := range kept {
		if err := json.Unmarshal(raw, &runs[i]); err != nil {
			return nil, fmt.Errorf("what an earlier run kept: %w", err)
		}
		if c := runs[i].Count; c.N < 0 || c.X < 0 || c.X > c.N || c.Y < 0 || c.Y > c.N {
			return nil, fmt.Errorf("what an earlier run kept: counts %d and %d of %d samples: want counts in [0, samples]", c.X, c.Y,
				c.N)
		}
	}
	return runs, nil
}

// pastRows returns the latest rows of each pair from the runs, by input.
func pastRows(runs []keptRun, pairs int) (past [][2]*distinguisher.Rows, err error) {
	past = make([][2]*distinguisher.Rows, pairs)
	for i := range past {
		past[i] = [2]*distinguisher.Rows{distinguisher.NewRows(1, 0), distinguisher.NewRows(1, 0)}
	}
	for _, k := range runs {
		var rows []keptPair
		if err := json.Unmarshal(k.Pairs, &rows); err != nil || len(rows) != pairs {
			return nil, fmt.Errorf("what an earlier run kept: want the rows of %d pairs", pairs)
		}
		for i, p := range rows {
			for side := range p.Rows {
				read, err := p.read(side)
				if err != nil {
					return nil, fmt.Errorf("what an earlier run kept: %w", err)
				}
				past[i][side] = latest(joined(past[i][side], read), longWindow)
			}
		}
	}
	return past, nil
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
