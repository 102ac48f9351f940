package event

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/dpverify/dpverify/internal/strictyaml"
)

// A tree of DpEvents is JSON in one of three forms: a mapping of fields with class_name (and module_name, which is
// ignored), as to_named_tuple writes it; a list of both names followed by the fields in order, as the json package
// writes such a tuple; or {GaussianDpEvent: {…}}.

const suffix = "DpEvent"

// classes contains the supported events and their fields in dp_accounting's order. A question mark follows an optional
// field.
var classes = map[string]string{
	"NoOpDpEvent":                   "",
	"NonPrivateDpEvent":             "",
	"GaussianDpEvent":               "noise_multiplier",
	"LaplaceDpEvent":                "noise_multiplier",
	"DiscreteLaplaceDpEvent":        "noise_parameter sensitivity",
	"RandomizedResponseDpEvent":     "noise_parameter num_buckets",
	"EpsilonDeltaDpEvent":           "epsilon delta",
	"ZCDpEvent":                     "rho xi?",
	"ExponentialMechanismDpEvent":   "epsilon",
	"PoissonSampledDpEvent":         "sampling_probability event",
	"SampledWithReplacementDpEvent": "source_dataset_size sample_size event",
	"SelfComposedDpEvent":           "event count",
	"ComposedDpEvent":               "events",
}

// event converts a node to an event.
func (n *node) event() (Event, error) {
	switch n.class {
	case "NonPrivateDpEvent":
		return nonPrivate, nil
	case "GaussianDpEvent":
		return n.noisy(Gaussian) // σ/C for vectors of ℓ2 norm at most C
	case "LaplaceDpEvent":
		return n.noisy(Laplace) // b/C for vectors of ℓ1 norm at most C
	case "DiscreteLaplaceDpEvent":
		return n.discreteLaplace()
	case "RandomizedResponseDpEvent":
		return n.response()
	case "EpsilonDeltaDpEvent":
		return n.approximate()
	case "ZCDpEvent":
		return n.concentrated()
	case "ExponentialMechanismDpEvent": // log-odds within an interval of length ε
		epsilon, err := n.number("epsilon", wantNotBelow0, notBelow0)
		return Exponential(epsilon), err
	case "PoissonSampledDpEvent":
		return n.poisson()
	case "SampledWithReplacementDpEvent":
		return n.withReplacement()
	case "SelfComposedDpEvent":
		return n.repeated()
	case "ComposedDpEvent":
		return n.composed()
	}
	return Compose(), nil // NoOpDpEvent
}

// nonPrivate releases its input with probability 1.
var nonPrivate = Approximate(0, 1)

// node is one event of a tree and its field values.
type node struct {
	ast.Node
	class  string
	fields map[string]ast.Node
}

// className returns the class of a node, or "" if it has none.
func className(n ast.Node) string {
	name := func(n ast.Node) string {
		if s, ok := strictyaml.Value(n).(string); ok && strings.HasSuffix(s, suffix) {
			return s[strings.LastIndexByte(s, '.')+1:]
		}
		return ""
	}
	if list, ok := n.(*ast.SequenceNode); ok {
		if len(list.Values) >= 2 {
			return name(list.Values[1])
		}
		return ""
	}
	fields, _ := fieldsOfObject(n)
	if class, ok := fields["class_name"]; ok {
		return name(class)
	}
	if len(fields) == 1 {
		key := slices.Sorted(maps.Keys(fields))[0]
		if strings.HasSuffix(key, suffix) {
			return key[strings.LastIndexByte(key, '.')+1:]
		}
	}
	return ""
}

// isTree reports whether a file contains a tree or a list of trees.
func isTree(n ast.Node) bool {
	if list, ok := n.(*ast.SequenceNode); ok && className(n) == "" {
		return len(list.Values) > 0 && className(list.Values[0]) != ""
	}
	fields, _ := fieldsOfObject(n)
	_, named := fields["class_name"]
	return named || className(n) != ""
}

func tree(n ast.Node) (File, error) {
	var e Event
	var err error
	if list, ok := n.(*ast.SequenceNode); ok && className(n) == "" {
		e, err = composedOf(list)
	} else {
		e, err = eventOf(n)
	}
	if err == nil {
		if wrong := e.Validate(); wrong != nil {
			err = strictyaml.At(n, "%v", wrong)
		}
	}
	return File{Event: e, Notes: []string{"a tree of dp_accounting's DpEvents; by default neighbors differ by a " +
		"record added or " +
		"removed"}}, err
}

// eventOf converts a YAML or JSON node to an event.
func eventOf(n ast.Node) (Event, error) {
	class := className(n)
	fields, ok := classes[class]
	if class == "" {
		return Event{}, strictyaml.At(n, "want a DpEvent here, as in {class_name: GaussianDpEvent, "+
			"noise_multiplier: 1}")
	}
	if !ok {
		return Event{}, strictyaml.At(n, "%v", &NameError{What: "unsupported event: class",
			Given: class, Known: slices.Sorted(maps.Keys(classes))})
	}
	read, err := fieldsOfClass(n, class, strings.Fields(fields))
	if err != nil {
		return Event{}, err
	}
	return read.event()
}

// fieldsOfClass returns a node's field values in any of the three forms.
func fieldsOfClass(n ast.Node, class string, names []string) (*node, error) {
	out := &node{n, class, make(map[string]ast.Node)}
	if list, ok := n.(*ast.SequenceNode); ok {
		if values := list.Values[2:]; len(values) > len(names) {
			return nil, strictyaml.At(values[len(names)], "%s has only %d fields: this is one too many", class, len(names))
		}
		for i, v := range list.Values[2:] {
			out.fields[strings.TrimSuffix(names[i], "?")] = v
		}
	} else {
		fields, _ := fieldsOfObject(n)
		if _, named := fields["class_name"]; !named { // the class is the only key
			for _, key := range slices.Sorted(maps.Keys(fields)) {
				inner := fields[key]
				if fields, ok = fieldsOfObject(inner); !ok {
					return nil, strictyaml.At(inner, "the fields of %s are a mapping, as in {noise_multiplier: 1}", class)
				}
			}
		}
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			if key == "class_name" || key == "module_name" {
				continue
			}
			if !slices.Contains(names, key) && !slices.Contains(names, key+"?") {
				return nil, strictyaml.At(fields[key], "%s has no field %s: it has %s", class, key,
					strings.ReplaceAll(strings.Join(names, ", "), "?", ""))
			}
			out.fields[key] = fields[key]
		}
	}
	for _, name := range names {
		if _, given := out.fields[name]; !given && !strings.HasSuffix(name, "?") {
			return nil, strictyaml.At(n, "%s lacks its field %s", class, name)
		}
	}
	return out, nil
}

func (n *node) number(name, want string, valid func(float64) bool) (float64, error) {
	return number(n.fields[name], name, want, valid)
}

// noisy returns additive noise given as a multiple of the sensitivity. The multiplier 0 means no privacy.
func (n *node) noisy(build func(float64) Event) (Event, error) {
	multiplier, err := n.number("noise_multiplier", wantNotBelow0, notBelow0)
	if multiplier == 0 && err == nil {
		return nonPrivate, nil
	}
	return build(multiplier), err
}

// discreteLaplace returns integer noise with P(k) ∝ exp(−a|k|).
func (n *node) discreteLaplace() (Event, error) {
	rate, err := n.number("noise_parameter", wantPositive, positive)
	if err != nil {
		return Event{}, err
	}
	sensitivity, err := wholeNumber(n.fields["sensitivity"], "sensitivity", 1)
	return DiscreteLaplace(rate).WithSensitivity(float64(sensitivity)), err
}

// response returns k-ary randomized response. It reports the true value with probability 1 − p + p/k and each other
// value with probability p/k.
func (n *node) response() (Event, error) {
	p, err := n.number("noise_parameter", wantProbability, probability)
	if err != nil {
		return Event{}, err
	}
	k, err := wholeNumber(n.fields["num_buckets"], "num_buckets", 1)
	switch {
	case err != nil:
		return Event{}, err
	case k == 1 || p == 1:
		return Compose(), nil
	case p == 0:
		return nonPrivate, nil
	case k > math.MaxInt32:
		return Event{}, strictyaml.At(n.fields["num_buckets"], "num_buckets is %d: want at most %d", k,
			math.MaxInt32)
	}
	// Compute the odds of the true value minus 1 in exact decimals. Round the logarithm up.
	shown := Decimal(p)
	odds := new(big.Rat).Sub(big.NewRat(1, 1), shown)
	odds.Mul(odds, big.NewRat(k, 1)).Quo(odds, shown)
	x, _ := odds.Float64()
	const rounding = 1.0 / (1 << 51)
	return RandomizedResponse(math.Log1p(x)*(1+rounding), int(k)), nil
}

func (n *node) approximate() (Event, error) {
	epsilon, err := n.number("epsilon", wantNotBelow0, notBelow0)
	if err != nil {
		return Event{}, err
	}
	delta, err := n.number("delta", wantProbability, probability)
	if delta == 0 {
		return Pure(epsilon), err
	}
	return Approximate(epsilon, delta), err
}

func (n *node) concentrated() (Event, error) {
	rho, err := n.number("rho", wantNotBelow0, notBelow0)
	if err != nil {
		return Event{}, err
	}
	if xi, given := n.fields["xi"]; given {
		_, err = number(xi, "xi", "0: the accountant supports ρ-zCDP, not (ξ, ρ)-zCDP",
			func(x float64) bool { return x == 0 })
	}
	return Concentrated(rho), err
}

func (n *node) poisson() (Event, error) {
	q, err := n.number("sampling_probability", wantProbability, probability)
	if err != nil {
		return Event{}, err
	}
	inner, err := eventOf(n.fields["event"])
	return Poisson(q, inner), err
}

func (n *node) withReplacement() (Event, error) {
	records, err := wholeNumber(n.fields["source_dataset_size"], "source_dataset_size", 1)
	if err != nil {
		return Event{}, err
	}
	draws, err := wholeNumber(n.fields["sample_size"], "sample_size", 1)
	if err != nil {
		return Event{}, err
	}
	inner, err := eventOf(n.fields["event"])
	return WithReplacement(draws, records, inner), err
}

func (n *node) repeated() (Event, error) {
	count, err := wholeNumber(n.fields["count"], "count", 1)
	if err != nil {
		return Event{}, err
	}
	inner, err := eventOf(n.fields["event"])
	return Repeat(count, inner), err
}

func (n *node) composed() (Event, error) {
	list, ok := n.fields["events"].(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		return Event{}, strictyaml.At(n.fields["events"], "events: want a list of at least one DpEvent")
	}
	return composedOf(list)
}

func composedOf(list *ast.SequenceNode) (Event, error) {
	parts := make([]Event, len(list.Values))
	for i, v := range list.Values {
		var err error
		if parts[i], err = eventOf(v); err != nil {
			return Event{}, err
		}
	}
	return Compose(parts...), nil
}
