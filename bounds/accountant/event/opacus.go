package event

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/dpverify/dpverify/internal/strictyaml"
)

// The state of an Opacus accountant is {history: [[noise multiplier, sample rate, steps], …], mechanism: rdp, prv or
// gdp}. It describes steps of DP-SGD on Poisson samples. A file may also contain the history alone.

// isHistory reports whether a file contains an Opacus accountant's state or history.
func isHistory(n ast.Node) bool {
	if fields, ok := fieldsOfObject(n); ok {
		_, named := fields["history"]
		return named
	}
	list, ok := n.(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		return false
	}
	_, ok = list.Values[0].(*ast.SequenceNode)
	return ok
}

func history(n ast.Node) (File, error) {
	note := "the history of an Opacus accountant: Poisson samples; by default neighbors differ by a record " +
		"added or removed"
	if fields, ok := fieldsOfObject(n); ok {
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			if key != "history" && key != "mechanism" {
				return File{}, strictyaml.At(fields[key], "unknown key %s: an Opacus accountant's state has "+
					"history and mechanism", key)
			}
		}
		if mechanism, ok := fields["mechanism"]; ok {
			name, word := strictyaml.Value(mechanism).(string)
			if known := []string{"rdp", "prv", "gdp"}; !word || !slices.Contains(known, name) {
				return File{}, strictyaml.At(mechanism, "mechanism: want one of %s", strings.Join(known, ", "))
			}
			note += fmt.Sprintf("; Opacus computes ε by the method %s", name)
		}
		n = fields["history"]
	}
	list, ok := n.(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		return File{}, strictyaml.At(n, "history: want a list of at least one [noise multiplier, sample rate, steps]")
	}
	steps := make([]Event, len(list.Values))
	for i, entry := range list.Values {
		var err error
		if steps[i], err = stepsOf(entry); err != nil {
			return File{}, err
		}
	}
	return File{Event: Compose(steps...), Notes: []string{note}}, nil
}

// stepsOf converts one entry of a history.
func stepsOf(entry ast.Node) (Event, error) {
	list, ok := entry.(*ast.SequenceNode)
	if !ok || len(list.Values) != 3 {
		return Event{}, strictyaml.At(entry, "an entry of a history is [noise multiplier, sample rate, steps], as in "+
			"[1.1, 0.01, 1000]")
	}
	sigma, err := number(list.Values[0], "the noise multiplier", wantNotBelow0, notBelow0)
	if err != nil {
		return Event{}, err
	}
	q, err := number(list.Values[1], "the sample rate", wantProbability, probability)
	if err != nil {
		return Event{}, err
	}
	n, err := wholeNumber(list.Values[2], "the number of steps", 1)
	if err != nil {
		return Event{}, err
	}
	step := Gaussian(sigma)
	if sigma == 0 { // no noise means no privacy
		step = nonPrivate
	}
	return Repeat(n, Poisson(q, step)), nil
}
