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

// state is an accountant's state within a checkpoint.
type state struct {
	key  string // path, as in trainer.privacy_accountant_state_dict
	node ast.Node
}

// statesIn returns the accountants' states below a node, which has a path.
func statesIn(n ast.Node, path string, depth int) (found []state) {
	const deepest = 100
	if list, ok := n.(*ast.SequenceNode); ok && depth < deepest {
		for i, v := range list.Values {
			found = append(found, statesIn(v, fmt.Sprintf("%s%d.", path, i+1), depth+1)...)
		}
		return found
	}
	fields, ok := fieldsOfObject(n)
	if !ok || depth >= deepest {
		return nil
	}
	if _, ok := fields["mechanism"]; ok && len(fields) == 2 && fields["history"] != nil {
		return []state{{strings.TrimSuffix(path, "."), n}}
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		found = append(found, statesIn(fields[key], path+key+".", depth+1)...)
	}
	return found
}

// checkpoint reads the only state of a checkpoint. Several states are accepted if they are equal.
func checkpoint(states []state) (File, error) {
	f, err := history(states[0].node)
	if err != nil {
		return f, err
	}
	for _, other := range states[1:] {
		g, err := history(other.node)
		if err != nil {
			return g, err
		}
		if g.Event.String() != f.Event.String() {
			return File{}, strictyaml.At(other.node, "a second history at %s, which differs from the one at %s: want one; "+
				"write one of them to a file", other.key, states[0].key)
		}
	}
	f.Notes = append(f.Notes, "found in the checkpoint at "+states[0].key)
	return f, nil
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
