package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// checkpointSchema names the form of a checkpoint: JSON lines, of which the first
// is a checkpointHead and the others are checkpointLines, each written at once
// when its part is finished.
const checkpointSchema = "dpverify/checkpoint/v1"

type checkpointHead struct {
	Schema     string `json:"schema"`
	Experiment string `json:"experiment"`
	Seed       string `json:"seed"` // a digest of it
	Plan       string `json:"plan"` // a digest of the settings; the repeats are not among them
}

// checkpointLine begins a panel, with Plan, or keeps a part, with Values.
type checkpointLine struct {
	Panel  string `json:"panel"`
	Plan   string `json:"plan,omitempty"`
	Unit   string `json:"unit,omitempty"`
	Repeat int    `json:"repeat,omitempty"`
	Values string `json:"values,omitempty"` // shortest decimals that read back alike, by spaces
	Sum    string `json:"sum"`              // CRC-32 of the line without it, after the head's
}

func (l checkpointLine) sum(head string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE(fmt.Appendf(nil, "%s %q %q %q %d %q", head, l.Panel, l.Plan, l.Unit, l.Repeat, l.Values)))
}

type partKey struct {
	unit   string
	repeat int
}

// checkpoint is an open file of finished parts. A nil one keeps nothing.
type checkpoint struct {
	path  string
	file  *os.File
	head  string // its first line, which the sums of the others cover
	plans map[string]string
	parts map[string]map[partKey][]float64
}

// openCheckpoint makes the file, or reads it. A last line without its end was
// being written when the process died, and is dropped; any other damage, and any
// file that is not of this run, is an error and the file is left alone.
func openCheckpoint(e Experiment, o Options) (*checkpoint, error) {
	if o.Checkpoint == "" {
		return nil, nil
	}
	seed, plan := sha256.Sum256(o.Seed[:]), sha256.Sum256([]byte(o.settings()))
	head, err := json.Marshal(checkpointHead{checkpointSchema, e.Name, fmt.Sprintf("%x", seed[:8]), fmt.Sprintf("%x", plan[:12])})
	if err != nil {
		return nil, err
	}
	c := &checkpoint{path: o.Checkpoint, head: string(head), plans: make(map[string]string), parts: make(map[string]map[partKey][]float64)}
	data, err := os.ReadFile(c.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	if err := c.read(whole, data[len(whole):]); err != nil {
		return nil, fmt.Errorf("checkpoint %s: %w", c.path, err)
	}
	if c.file, err = os.OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	if err = c.file.Truncate(int64(len(whole))); err == nil && len(whole) == 0 {
		_, err = c.file.WriteString(c.head + "\n")
	}
	if err != nil {
		return nil, fmt.Errorf("checkpoint: %w", errors.Join(err, c.file.Close()))
	}
	return c, nil
}

// read takes the whole lines of a file; torn is what follows them.
func (c *checkpoint) read(whole, torn []byte) error {
	if len(whole) == 0 {
		if strings.HasPrefix(c.head, string(torn)) {
			return nil // empty, or torn in its first line
		}
		return errors.New("is no checkpoint of dpverify; give another file")
	}
	lines := strings.Split(strings.TrimSuffix(string(whole), "\n"), "\n")
	if err := c.readHead(lines[0]); err != nil {
		return err
	}
	for i, line := range lines[1:] {
		if err := c.readLine(line); err != nil {
			return fmt.Errorf("line %d: %w; the file is damaged: delete it to begin anew", i+2, err)
		}
	}
	return nil
}

func (c *checkpoint) readHead(line string) error {
	var got, want checkpointHead
	if err := json.Unmarshal([]byte(line), &got); err != nil || got.Schema != checkpointSchema {
		return errors.New("is no checkpoint of dpverify; give another file")
	}
	if err := json.Unmarshal([]byte(c.head), &want); err != nil {
		return err
	}
	switch {
	case got.Experiment != want.Experiment:
		return fmt.Errorf("belongs to %s, not to %s; give another file", got.Experiment, want.Experiment)
	case got.Seed != want.Seed:
		return errors.New("was made with another --seed; give that seed, or another file")
	case got != want:
		return errors.New("was made with other options, or by another build of the program; give the same options, or another file")
	}
	return nil
}

func (c *checkpoint) readLine(line string) error {
	var l checkpointLine
	if err := json.Unmarshal([]byte(line), &l); err != nil {
		return errors.New("is not JSON")
	}
	if l.Sum != l.sum(c.head) {
		return errors.New("its sum does not fit")
	}
	if l.Plan != "" {
		if plan, begun := c.plans[l.Panel]; begun && plan != l.Plan {
			return fmt.Errorf("%s has two plans", l.Panel)
		}
		c.plans[l.Panel] = l.Plan
		if c.parts[l.Panel] == nil {
			c.parts[l.Panel] = make(map[partKey][]float64)
		}
		return nil
	}
	parts, begun := c.parts[l.Panel]
	if !begun {
		return fmt.Errorf("a part of %s stands before its plan", l.Panel)
	}
	var values []float64
	for _, word := range strings.Fields(l.Values) {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return err
		}
		values = append(values, x)
	}
	parts[partKey{l.Unit, l.Repeat}] = values
	return nil
}

// begin returns what there is of a panel.
func (c *checkpoint) begin(panel, plan string) (map[partKey][]float64, error) {
	if c == nil {
		return nil, nil
	}
	before, begun := c.plans[panel]
	if begun && before != plan {
		return nil, fmt.Errorf("checkpoint %s: %s was begun on other data or with other points; give the same, or another file", c.path, panel)
	}
	if begun {
		return c.parts[panel], nil
	}
	return nil, c.write(checkpointLine{Panel: panel, Plan: plan})
}

// add keeps a finished part.
func (c *checkpoint) add(panel, unit string, repeat int, values []float64) error {
	if c == nil {
		return nil
	}
	words := make([]string, len(values))
	for i, x := range values {
		words[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return c.write(checkpointLine{Panel: panel, Unit: unit, Repeat: repeat, Values: strings.Join(words, " ")})
}

func (c *checkpoint) write(l checkpointLine) error {
	l.Sum = l.sum(c.head)
	line, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if _, err := c.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

func (c *checkpoint) close() error {
	if c == nil {
		return nil
	}
	return errors.Join(c.file.Sync(), c.file.Close())
}
