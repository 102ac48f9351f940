package privacy

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/empirical/sequential"
	"github.com/dpverify/dpverify/verify/eprocess"
)

const (
	// keptRows and keptValues limit the rows and the numbers that a run keeps for each input of a pair.
	keptRows, keptValues = 2048, 1 << 17
)

// eventCount holds the counts of an event in a run.
type eventCount struct {
	Event string `json:"event"` // key of the event
	sequential.Block
}

// earlierRun is what a run left for later ones. The rows are decoded only if they are needed.
type earlierRun struct {
	counts []eventCount    // by pair
	rows   json.RawMessage // []packedPair
}

// packedPair holds rows of both inputs of a pair.
type packedPair struct {
	Width [2]int    `json:"width"`
	Rows  [2]string `json:"rows"` // little-endian float64 values in base64
}

// keptOf returns the maximum number of rows of each input that a run keeps, if a row has width values.
func keptOf(width int) int { return min(keptRows, max(1, keptValues/width)) }

// packRows returns the latest rows of each pair for the evidence file.
func packRows(runs []*pairRun) (json.RawMessage, error) {
	var pairs []packedPair
	for _, r := range runs {
		var p packedPair
		for side, rows := range r.rows {
			rows = latest(rows, keptOf(rows.Width))
			var bytes []byte
			for _, x := range rows.Numbers() {
				bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(x))
			}
			p.Width[side], p.Rows[side] = rows.Width, base64.StdEncoding.EncodeToString(bytes)
		}
		pairs = append(pairs, p)
	}
	return json.Marshal(pairs)
}

// readEarlier reads what earlier runs of an audit left.
func readEarlier(outcomes []eprocess.Outcome, pairs int) ([]earlierRun, error) {
	out := make([]earlierRun, len(outcomes))
	for i, n := range outcomes {
		if err := json.Unmarshal(n.State, &out[i].counts); err != nil {
			return nil, fmt.Errorf("the counts of an earlier run: %w", err)
		}
		if len(out[i].counts) != pairs {
			return nil, fmt.Errorf("the counts of an earlier run are for %d pairs: want %d", len(out[i].counts), pairs)
		}
		for _, c := range out[i].counts {
			if c.N < 0 || c.X < 0 || c.X > c.N || c.Y < 0 || c.Y > c.N {
				return nil, fmt.Errorf("counts %d and %d of %d samples in an earlier run: want counts in [0, samples]",
					c.X, c.Y, c.N)
			}
		}
		out[i].rows = n.Rows
	}
	return out, nil
}

// pastRows returns the latest wanted rows of the given runs, by pair and input. It reads the runs backward until
// every input has enough rows.
func pastRows(runs []earlierRun, pairs, wanted int) (past [][2]*distinguisher.Rows, err error) {
	past = make([][2]*distinguisher.Rows, pairs)
	for i := range past {
		past[i] = [2]*distinguisher.Rows{distinguisher.NewRows(1, 0), distinguisher.NewRows(1, 0)}
	}
	for _, k := range slices.Backward(runs) {
		var rows []packedPair
		if err := json.Unmarshal(k.rows, &rows); err != nil || len(rows) != pairs {
			return nil, fmt.Errorf("the rows of an earlier run: want rows of %d pairs", pairs)
		}
		enough := true
		for i, p := range rows {
			for side := range p.Rows {
				read, err := p.read(side)
				if err != nil {
					return nil, fmt.Errorf("the rows of an earlier run: %w", err)
				}
				past[i][side] = latest(joined(read, past[i][side]), wanted)
				enough = enough && past[i][side].Len() >= wanted
			}
		}
		if enough {
			break
		}
	}
	return past, nil
}

// read returns the rows of an input.
func (p packedPair) read(side int) (*distinguisher.Rows, error) {
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

// eventKey identifies an event by its pair, the rows that chose it and the number of samples for which they chose it.
// The counts of runs with the same key can be added up.
func eventKey(pair int, size int64, w *distinguisher.Event, chosen ...*distinguisher.Rows) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %s %t\n", pair, size, w.Event, w.Swapped)
	for _, rows := range chosen {
		for _, x := range rows.Numbers() {
			_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x))) // a hash does not fail
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:12])
}
