package experiment

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/empirical"
)

// checkpointSchema is the schema name of a checkpoint: an empirical.Journal whose header is a checkpointHead and
// whose entries are checkpointEntries.
const checkpointSchema = "dpverify/checkpoint/v2"

type checkpointHead struct {
	Schema     string `json:"schema"`
	Experiment string `json:"experiment"`
	Seed       string `json:"seed"` // digest of the seed
	Plan       string `json:"plan"` // digest of the settings without the repeats
}

// checkpointEntry starts a panel, with Plan, or stores a part, with Values.
type checkpointEntry struct {
	Panel  string `json:"panel"`
	Plan   string `json:"plan,omitempty"`
	Unit   string `json:"unit,omitempty"`
	Repeat int    `json:"repeat,omitempty"`
	Values string `json:"values,omitempty"` // shortest decimals that parse to the same values, separated by spaces
}

type partKey struct {
	unit   string
	repeat int
}

// checkpoint is an open file of finished parts. A nil checkpoint stores nothing.
type checkpoint struct {
	path  string
	file  *empirical.Journal
	plans map[string]string
	parts map[string]map[partKey][]float64
}

// openCheckpoint creates or reads the file. A file of another run is an error and is not changed.
func openCheckpoint(e Experiment, o Options) (*checkpoint, error) {
	if o.Checkpoint == "" {
		return nil, nil
	}
	seed, plan := sha256.Sum256(o.Seed[:]), sha256.Sum256([]byte(o.settings()))
	head := checkpointHead{checkpointSchema, e.Name, fmt.Sprintf("%x", seed[:8]), fmt.Sprintf("%x", plan[:12])}
	c := &checkpoint{path: o.Checkpoint, plans: make(map[string]string), parts: make(map[string]map[partKey][]float64)}
	var err error
	reader := empirical.JournalReader{Accept: head.accept, Take: c.take, Name: nameOfEntry}
	if c.file, err = empirical.OpenJournal(c.path, head, reader); err != nil {
		return nil, fmt.Errorf("checkpoint: %w", err)
	}
	if o.Flaw != nil {
		for _, flaw := range c.file.Flaws() {
			o.Flaw(fmt.Errorf("checkpoint: %w", flaw))
		}
	}
	return c, nil
}

// accept returns an error if a file with another header does not belong to this run.
func (h checkpointHead) accept(raw json.RawMessage) error {
	var got checkpointHead
	err := json.Unmarshal(raw, &got)
	switch {
	case err != nil || got.Schema != checkpointSchema:
		return errors.New("is no checkpoint of an experiment; give another file")
	case got.Experiment != h.Experiment:
		return fmt.Errorf("belongs to %s, not to %s; give another file", got.Experiment, h.Experiment)
	case got.Seed != h.Seed:
		return errors.New("was made with another --seed; give that seed, or another file")
	case got != h:
		return errors.New("was made with other options, or by another build of the program; give the same " +
			"options, or another file")
	}
	return nil
}

func (c *checkpoint) take(raw json.RawMessage) error {
	var e checkpointEntry
	if err := json.Unmarshal(raw, &e); err != nil {
		return errors.New("is not a checkpoint entry")
	}
	if e.Plan != "" {
		if plan, begun := c.plans[e.Panel]; begun && plan != e.Plan {
			return &empirical.Contradiction{Err: fmt.Errorf("%s has two plans; delete the file to start again", e.Panel)}
		}
		c.plans[e.Panel] = e.Plan
		if c.parts[e.Panel] == nil {
			c.parts[e.Panel] = make(map[partKey][]float64)
		}
		return nil
	}
	parts, begun := c.parts[e.Panel]
	if !begun {
		return fmt.Errorf("a part of %s stands before its plan", e.Panel)
	}
	var values []float64
	for _, word := range strings.Fields(e.Values) {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return fmt.Errorf("%q is no number", word)
		}
		values = append(values, x)
	}
	parts[partKey{e.Unit, e.Repeat}] = values
	return nil
}

// nameOfEntry describes an entry, as far as it is readable.
func nameOfEntry(raw json.RawMessage) string {
	var e checkpointEntry
	switch err := json.Unmarshal(raw, &e); {
	case err != nil || e.Panel == "":
		return ""
	case e.Plan != "":
		return "the plan of " + e.Panel
	}
	return fmt.Sprintf("%s, %s, repeat %d", e.Panel, e.Unit, e.Repeat+1)
}

// begin returns the finished parts of a panel.
func (c *checkpoint) begin(panel, plan string) (map[partKey][]float64, error) {
	if c == nil {
		return nil, nil
	}
	before, begun := c.plans[panel]
	if begun && before != plan {
		return nil, fmt.Errorf("checkpoint: %s: %s was begun on other data or with other points; give the "+
			"same, or another file", c.path, panel)
	}
	if begun {
		return c.parts[panel], nil
	}
	return nil, c.file.Add(checkpointEntry{Panel: panel, Plan: plan})
}

// add stores a finished part.
func (c *checkpoint) add(panel, unit string, repeat int, values []float64) error {
	if c == nil {
		return nil
	}
	words := make([]string, len(values))
	for i, x := range values {
		words[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return c.file.Add(checkpointEntry{Panel: panel, Unit: unit, Repeat: repeat, Values: strings.Join(words, " ")})
}

func (c *checkpoint) close() error {
	if c == nil {
		return nil
	}
	return c.file.Close()
}
