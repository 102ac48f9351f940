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

// File is what a file says.
type File struct {
	Event     Event
	Adjacency *Adjacency // nil where the file does not say
	Notes     []string   // what was taken for what
	// Descriptions are those of a file of events; none of the files of others.
	Descriptions Descriptions
	// Epsilon is a bound that the file itself prints at Delta, rounded to the nearest; "" where it
	// prints none.
	Epsilon string
	Delta   float64
}

// OpenFile reads the file of a path. Errors begin with the path, and line and column where there
// are any.
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

// OpenDescribed is OpenFile where a number of a file of events may be missing: its Event is not built.
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

// Samplings are the words for what was sampled, the first where none is given.
var Samplings = []string{"fixed", "poisson"}

// ReadFile reads a file. A statement gives two accounts, and sampling, one of Samplings, chooses: "fixed" or "" is that
// of batches of a fixed order, "poisson" that of Poisson samples; other files say themselves what
// was sampled, and take no choice. Errors begin with the line and column, to stand behind the
// name of the file and a colon. Paths in it are relative to the working directory.
func ReadFile(data []byte, sampling string) (File, error) {
	f, err := read(data, "", sampling)
	if err == nil && f.Descriptions.Events != nil {
		f.Event, err = f.Descriptions.Event()
	}
	return f, err
}

// read reads a file of a directory.
func read(data []byte, dir, sampling string) (File, error) {
	if isStatement(data) {
		return statement(data, sampling)
	}
	if sampling != "" {
		return File{}, fmt.Errorf(" sampling %q: the file says itself what is sampled; only a statement of TensorFlow "+
			"Privacy leaves a choice", sampling)
	}
	if json.Valid(data) { // a tab stands in no string then, and YAML has none between brackets
		data = bytes.ReplaceAll(data, []byte("\t"), []byte(" "))
	}
	body, err := strictyaml.Parse(data)
	if err != nil {
		return File{}, err
	}
	switch {
	case isTree(body):
		return tree(body)
	case isHistory(body):
		return history(body)
	}
	d, err := ParseDescriptions(body, dir)
	return File{Adjacency: d.Adjacency, Descriptions: d}, err
}

// fieldsOfObject returns the values of a mapping by their keys.
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

// number is that of a node, within its domain.
func number(node ast.Node, name, want string, within func(float64) bool) (float64, error) {
	n, ok := strictyaml.Value(node).(json.Number)
	x, near := decimal.Near(n.String())
	if ok && !near {
		return 0, strictyaml.At(node, "%s is %s, which is beyond the range of a double, 4.9e-324 to 1.8e308", name, n)
	}
	if !ok || !within(x) {
		text := "no number"
		if scalar, is := node.(ast.ScalarNode); is {
			text = strings.TrimSpace(scalar.GetToken().Value)
		}
		return 0, strictyaml.At(node, "%s is %s: want %s", name, text, want)
	}
	return x, nil
}

// wholeNumber is a wholeNumber number of at least least.
func wholeNumber(node ast.Node, name string, least int64) (int64, error) {
	const most = 1 << 53
	x, err := number(node, name, fmt.Sprintf("a whole number of at least %d", least), func(x float64) bool {
		return x >= float64(least) && x <= most && x == float64(int64(x))
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

// NameError is about a name that is none of those that are known.
type NameError struct {
	What, Given string // "key", "sgima"
	Known       []string
}

func (e *NameError) Error() string {
	return fmt.Sprintf("%s %q is none of %s", e.What, e.Given, strings.Join(e.Known, ", "))
}
