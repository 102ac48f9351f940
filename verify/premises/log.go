package premises

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/internal/bounded"
	"github.com/dpverify/dpverify/internal/strictjson"
)

// Log is the condensed log of one training run.
type Log struct {
	Name        string // file name
	Records     int    // number of records of the data set
	Coordinates int    // number of logged coordinates
	Steps       []Step
	at          []int // logged coordinates of a training in Go
}

// Step is one step of a log. Contributions are those after clipping, at the logged coordinates.
type Step struct {
	Batch []int32 // positions of the records in the batch, from 0
	// Norm is the largest L2 norm of a whole contribution as the loop logged it.
	Norm float64
	// Part is the largest L2 norm of a contribution at the logged coordinates. It cannot exceed Norm.
	Part     float64
	NormAt   int32     // record with Norm
	PartAt   int32     // record with Part
	Sum      []float64 // sum of the contributions
	Size     []float64 // sum of their absolute values
	Noise    []float64 // noise added to the sum
	Released []float64 // (sum + noise) / divisor, as the training used it
	Divisor  float64
	digits   digits // of the contributions
}

const (
	maxLog         = 64 << 30 // bytes of a log, which is read one step at a time
	maxStep        = 1 << 28  // bytes of a step
	maxMembers     = 1 << 29  // members of all batches; each takes four bytes of memory
	maxCoordinates = 1 << 12
)

// header is the first line of a log.
type header struct {
	Records *int `json:"records"`
}

// keys holds the keys of a log. A log has no other text.
var keys = []string{"records", "step", "batch", "norms", "contributions", "noise", "released", "divisor"}

// step is a line of a log.
type step struct {
	Step          *int        `json:"step"`
	Batch         []int32     `json:"batch"`
	Norms         []float64   `json:"norms"`
	Contributions [][]float64 `json:"contributions"`
	Noise         []float64   `json:"noise"`
	Released      []float64   `json:"released"`
	Divisor       *float64    `json:"divisor"`
}

// ReadLog reads a log as JSON lines. The first line has the number of records of the data set, and each further line a
// step, in order, numbered from 1. Each step
// is one line; the example is wrapped:
//
//	{"records": 1000}
//	{"step": 1, "batch": [17, 402], "norms": [1, 0.63], "contributions": [[0.2, -0.1], [0, 0.3]],
//	 "noise": [0.71, -0.4], "released": [0.455, -0.1], "divisor": 2}
//
// The keys batch, norms and contributions have one entry for each record of the batch; batch has positions from 0. A
// contribution, the noise and the released values have one number for each logged coordinate, the same number in all
// steps. An error names the file, the line and what is wrong there. A line that is cut off is an error as well.
func ReadLog(name string, r io.Reader) (*Log, error) {
	l := &Log{Name: filepath.Base(name)}
	text := bufio.NewReaderSize(bounded.NewReader(r, maxLog, maxStep), 1<<16)
	if err := plain(text); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	members := 0
	for line := 1; ; line++ {
		raw, err := text.ReadBytes('\n')
		last := errors.Is(err, io.EOF)
		switch {
		case err != nil && !last:
		case len(bytes.TrimSpace(raw)) == 0:
			err = nil
		case l.Records == 0:
			err = l.begin(raw)
		default:
			if err = l.add(raw); err == nil {
				members += len(l.Steps[len(l.Steps)-1].Batch)
			}
		}
		if err == nil && members > maxMembers {
			err = fmt.Errorf("the batches have more than %d members: log fewer steps", maxMembers)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		if last && len(l.Steps) == 0 {
			return nil, fmt.Errorf("%s: the log has no steps: want a line {\"records\": N} and one line for each step", name)
		}
		if last {
			return l, nil
		}
	}
}

// plain returns an error if the log begins with a mark of another encoding.
func plain(text *bufio.Reader) error {
	mark, _ := text.Peek(3) // a read error is returned by the next read
	switch {
	case bytes.HasPrefix(mark, []byte{0x1f, 0x8b}):
		return errors.New("the log is compressed by gzip: want JSON lines; decompress it with gunzip")
	case string(mark) == "\uFEFF":
		return errors.New("the log begins with a UTF-8 byte order mark: want UTF-8 without a mark; remove the first 3 bytes")
	}
	return nil
}

// begin reads the first line.
func (l *Log) begin(raw []byte) error {
	var h header
	if err := strict(raw, &h); err != nil {
		return err
	}
	if h.Records == nil || *h.Records < 1 || *h.Records > math.MaxInt32 {
		return fmt.Errorf("the number of records is missing or out of range: want {\"records\": N} with N from 1 to %d",
			math.MaxInt32)
	}
	l.Records = *h.Records
	return nil
}

// add reads a step.
func (l *Log) add(raw []byte) error {
	var s step
	if err := strict(raw, &s); err != nil {
		return err
	}
	next := len(l.Steps) + 1
	if s.Step == nil || *s.Step != next {
		return fmt.Errorf("want step %d here: steps are logged in order, numbered from 1", next)
	}
	if s.Batch == nil || s.Norms == nil || s.Contributions == nil {
		return fmt.Errorf("step %d: no batch, norms or contributions: want a list for each of them, [] if the batch is "+
			"empty",
			next)
	}
	if next == 1 {
		l.Coordinates = len(s.Released)
	}
	if err := s.check(l); err != nil {
		return fmt.Errorf("step %d: %w", next, err)
	}
	l.Steps = append(l.Steps, s.condensed(l.Coordinates))
	return nil
}

// check returns an error unless the step has the shapes of the log and finite numbers.
func (s step) check(l *Log) error {
	k := l.Coordinates
	switch {
	case k < 1 || k > maxCoordinates:
		return fmt.Errorf("%d released values: want one for each logged coordinate, 1 to %d", k, maxCoordinates)
	case len(s.Released) != k || len(s.Noise) != k:
		return fmt.Errorf("%d released values and %d of noise: want %d of each, as in step 1", len(s.Released),
			len(s.Noise), k)
	case len(s.Norms) != len(s.Batch) || len(s.Contributions) != len(s.Batch):
		return fmt.Errorf("%d records, %d norms and %d contributions: want one norm and one contribution for each record",
			len(s.Batch), len(s.Norms), len(s.Contributions))
	case s.Divisor == nil || !positive(*s.Divisor):
		return errors.New("the divisor is missing or not positive: want a positive number, 1 if the sum is not divided")
	case !finite(s.Released) || !finite(s.Noise) || !finite(s.Norms):
		return errors.New("a released value, noise or norm is not a finite number")
	}
	for i, record := range s.Batch {
		switch c := s.Contributions[i]; {
		case record < 0 || int(record) >= l.Records:
			return fmt.Errorf("record %d: want a position from 0 to %d", record, l.Records-1)
		case s.Norms[i] < 0:
			return fmt.Errorf("norm %v of record %d: want a number of at least 0", s.Norms[i], record)
		case len(c) != k || !finite(c):
			return fmt.Errorf("contribution %v of record %d: want %d finite numbers", c, record, k)
		}
	}
	return nil
}

// condensed sums the contributions.
func (s step) condensed(k int) Step {
	out := Step{Batch: s.Batch, Sum: make([]float64, k), Size: make([]float64, k), Noise: s.Noise, Released: s.Released,
		Divisor: *s.Divisor}
	for i, c := range s.Contributions {
		if s.Norms[i] > out.Norm {
			out.Norm, out.NormAt = s.Norms[i], s.Batch[i]
		}
		for j, v := range c {
			out.Sum[j] += v
			out.Size[j] += math.Abs(v)
			out.digits.add(v)
		}
		if part := norm(c); part > out.Part {
			out.Part, out.PartAt = part, s.Batch[i]
		}
	}
	return out
}

func finite(list []float64) bool {
	for _, v := range list {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

// strict decodes one JSON object without unknown or repeated keys, null, and numbers outside the range of a double.
func strict(raw []byte, to any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(to); err != nil {
		return fmt.Errorf("not a line of a training log: %s", strictjson.InWords(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value in a line")
	}
	for i, text := range strings.Split(string(raw), `"`) { // decoders disregard the case of a key
		if i%2 == 1 && !slices.Contains(keys, text) {
			return fmt.Errorf("unknown key %q: want %s", text, strings.Join(keys, ", "))
		}
	}
	if bytes.Contains(raw, []byte("null")) { // no key or value of a log has this text
		return errors.New("null, as some programs write NaN: want a number or a list")
	}
	return strictjson.Check(raw)
}
