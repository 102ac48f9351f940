package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/dpverify/dpverify/internal/bounded"
	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/internal/strictyaml"
)

// File is the content of an events file.
type File struct {
	Event     Event
	Adjacency *Adjacency // nil if the file does not contain it
	Notes     []string   // how the file was interpreted
	// Descriptions contains the events of an events file. It is empty for the other formats.
	Descriptions Descriptions
	// Epsilon is the bound at Delta that the file itself reports, rounded to nearest; "" if it reports none.
	Epsilon string
	Delta   float64
}

// OpenFile reads the file at a path; see ReadFile. Errors begin with the path, and with line and column if known.
func OpenFile(path, sampling string) (File, error) {
	f, err := OpenDescribed(path, sampling)
	if err != nil || f.Descriptions.Events == nil {
		return f, err
	}
	if f.Event, err = f.Descriptions.Event(); err != nil {
		return f, fmt.Errorf("%s:%w", path, err)
	}
	return f, nil
}

// OpenDescribed is like OpenFile, but does not build the Event of an events file. One number may be missing.
func OpenDescribed(path, sampling string) (File, error) {
	info, err := os.Stat(path)
	if wrong := (*fs.PathError)(nil); errors.As(err, &wrong) {
		return File{}, fmt.Errorf("%s: %w", path, wrong.Err)
	}
	if !info.Mode().IsRegular() || info.Size() > strictyaml.MaxBytes {
		return File{}, fmt.Errorf("%s: want a file of at most %d MiB", path, strictyaml.MaxBytes>>20)
	}
	data, err := bounded.ReadFile(path, strictyaml.MaxBytes, "an events file")
	if err != nil {
		return File{}, err
	}
	f, err := read(data, filepath.Dir(path), sampling)
	if err != nil {
		return f, fmt.Errorf("%s:%w", path, err)
	}
	return f, nil
}

// ReadFile reads an events file in any of the supported formats. A statement of TensorFlow Privacy contains several
// accounts, and sampling selects one: "fixed" or "" for batches in a fixed order, "poisson" for Poisson samples,
// "user-fixed" and "user-poisson" for all examples of a user. For other formats sampling must be empty. Errors
// begin with line and column, so that the caller can prepend the path and a colon. Paths in the file are relative
// to the working directory.
func ReadFile(data []byte, sampling string) (File, error) {
	f, err := read(data, "", sampling)
	if err == nil && f.Descriptions.Events != nil {
		f.Event, err = f.Descriptions.Event()
	}
	return f, err
}

// read reads a file whose paths are relative to dir.
func read(data []byte, dir, sampling string) (File, error) {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if text := pageText(data); isStatement(text) {
		return statement(data, text, sampling)
	}
	if sampling != "" {
		return File{}, fmt.Errorf(" sampling %q: this file specifies the sampling itself; only a statement of TensorFlow "+
			"Privacy allows a choice", sampling)
	}
	body, err := parse(data)
	if err != nil {
		return File{}, err
	}
	switch {
	case isTree(body):
		return tree(body)
	case isHistory(body):
		return history(body)
	}
	if states := statesIn(body, "", 0); len(states) > 0 {
		return checkpoint(states)
	}
	d, err := ParseDescriptions(body, dir)
	return File{Adjacency: d.Adjacency, Descriptions: d}, err
}

// parse parses YAML or JSON. For a file of another kind, its error states the likely kind.
func parse(data []byte) (ast.Node, error) {
	switch kind := foreignKind(data); {
	case kind != "":
		return nil, fmt.Errorf(" it seems to be %s: want %s", kind, wantFile)
	case len(bytes.TrimSpace(data)) == 0:
		return nil, fmt.Errorf(" the file is empty: want %s", wantFile)
	case cutShort(data):
		end := placeAt(data, len(bytes.TrimRight(data, " \r\n\t")))
		return nil, fmt.Errorf("%sit seems to be JSON that ends too early: want %s", end, wantFile)
	case json.Valid(data):
		return strictyaml.ParseJSON(data)
	}
	body, err := strictyaml.Parse(data)
	_, word := body.(ast.ScalarNode)
	switch {
	case word || err != nil && isProse(data):
		return nil, fmt.Errorf(" it seems to be a text without a statement: want %s", wantFile)
	case err != nil && !ownWords.Match(data):
		return nil, fmt.Errorf("%w; it seems to be a text without a statement: want %s", err, wantFile)
	}
	return body, err
}

// fieldsOfObject returns the values of a mapping by key.
func fieldsOfObject(node ast.Node) (map[string]ast.Node, bool) {
	values, ok := mappingValues(node)
	if !ok {
		return nil, false
	}
	fields := make(map[string]ast.Node, len(values))
	for _, v := range values {
		fields[v.Key.GetToken().Value] = v.Value
	}
	return fields, true
}

// number returns the number of a node, or an error if valid rejects it.
func number(node ast.Node, name, want string, valid func(float64) bool) (float64, error) {
	n, ok := strictyaml.Value(node).(json.Number)
	x, near := decimal.Near(n.String())
	if ok && !near {
		return 0, strictyaml.At(node, "%s is %s, which is beyond the range of a double, 4.9e-324 to 1.8e308", name, n)
	}
	if !ok || !valid(x) {
		text := "not a number"
		if scalar, is := node.(ast.ScalarNode); is {
			text = strings.TrimSpace(scalar.GetToken().Value)
		}
		return 0, strictyaml.At(node, "%s is %s: want %s", name, text, want)
	}
	return x, nil
}

// wholeNumber returns the integer of a node, or an error if it is smaller than minimum.
func wholeNumber(node ast.Node, name string, minimum int64) (int64, error) {
	const maximum = 1 << 53
	x, err := number(node, name, fmt.Sprintf("a whole number of at least %d", minimum), func(x float64) bool {
		return x >= float64(minimum) && x <= maximum && x == float64(int64(x))
	})
	return int64(x), err
}

func positive(x float64) bool    { return x > 0 }
func notBelow0(x float64) bool   { return x >= 0 }
func probability(x float64) bool { return x >= 0 && x <= 1 }

const (
	wantPositive    = "a number above 0"
	wantNotBelow0   = "a number of at least 0"
	wantProbability = "a probability in [0, 1]"
)

// ErrDomain is wrapped by every error about an argument outside its domain.
var ErrDomain = errors.New("outside the domain")

func DomainError(format string, args ...any) error {
	return fmt.Errorf("accountant: "+format+": %w", append(args, ErrDomain)...)
}

// NameError reports an unknown name and the known ones.
type NameError struct {
	What, Given string // for example "key" and "sgima"
	Known       []string
}

func (e *NameError) Error() string {
	return fmt.Sprintf("%s %q is none of %s", e.What, e.Given, strings.Join(e.Known, ", "))
}
