package claimsfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/goccy/go-yaml/ast"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/strictyaml"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/process"
)

// unbiasedFields is the form of a claimed mean, with a known range or variance of the outputs.
type unbiasedFields struct {
	Input    any       `yaml:"input"`
	Of       []float64 `yaml:"of"`
	Truth    any       `yaml:"truth"`
	Range    []float64 `yaml:"range"`
	Variance *float64  `yaml:"variance"`
}

// sensitivityFields is the form of a claimed sensitivity.
type sensitivityFields struct {
	Norm  string   `yaml:"norm" want:"l1, l2 or linf"`
	Bound *float64 `yaml:"bound"`
}

// rateFields is the form of a claimed exponent along a grid of inputs.
type rateFields struct {
	Grid     []float64 `yaml:"grid"`
	Exponent *float64  `yaml:"exponent"`
	Range    []float64 `yaml:"range"`
}

// statedFields is a statement of a claim about its mechanism other than privacy.
type statedFields struct {
	Statement
	key    string
	at     string      // its position, for errors
	misfit atomic.Bool // the statement does not apply to the mechanism's outputs
}

// statementKeys holds the keys of statements in the order of their claims, each with its parser.
var statementKeys = []struct {
	key  string
	read func(p configParser, at string, s *Subject) (Statement, error)
}{
	{"unbiased", configParser.unbiased}, {"law", configParser.law}, {"sensitivity", configParser.sensitivity},
	{"rate", configParser.rate},
}

// statements reads the statements of a claim, whose pairs are already read. An error breaks only this claim.
func (p configParser) statements(at string, c claimFields, s *Subject) error {
	for _, k := range statementKeys {
		node := p.node(at + "." + k.key)
		if node == nil {
			continue
		}
		statement, err := k.read(p, at+"."+k.key, s)
		if err != nil {
			return err
		}
		s.Stated = append(s.Stated, &statedFields{Statement: statement, key: k.key, at: p.place(at + "." + k.key)})
	}
	return nil
}

// hasStatements reports whether a claim makes any statement other than privacy.
func (c claimFields) hasStatements() bool { return len(c.statedKeys()) > 0 }

// statedKeys returns the given keys of statements.
func (c claimFields) statedKeys() []string {
	return given(c, "unbiased", "law", "sensitivity", "rate")
}

// fields decodes the mapping at a path into a struct, and returns its nodes by key.
func (p configParser) fields(at string, s *Subject, into any) (given map[string]ast.Node, err error) {
	given, _ = mappingOf(p.node(at))
	return given, p.decode(p.node(at), into)
}

// input returns the input of a statement as JSON; nil if outputs are recorded.
func (p configParser) input(at string, s *Subject, given map[string]ast.Node) (json.RawMessage, error) {
	node, ok := given["input"]
	if !ok && s.Outputs != nil {
		return nil, nil
	}
	if !ok {
		return nil, p.errorf(at, "claim %q: %s has no input: want one, as in input: [1, 0, 1]", s.Name, lastKey(at))
	}
	text, err := json.Marshal(strictyaml.Value(node))
	if err != nil {
		return nil, p.errorf(at+".input", "claim %q: the input has no form in JSON: %w", s.Name, err)
	}
	return text, nil
}

// lastKey returns the last key of a path.
func lastKey(at string) string { return at[strings.LastIndexByte(at, '.')+1:] }

// outputRange reads the two ends of a range; nil if none is given.
func (p configParser) outputRange(at string, s *Subject, ends []float64, given bool) (*[2]float64, error) {
	switch {
	case !given:
		return nil, nil
	case len(ends) != 2:
		return nil, p.errorf(at, "claim %q: a range of %d numbers: want its two ends, as in [0, 10]", s.Name, len(ends))
	case !(ends[0] < ends[1]):
		return nil, p.errorf(at, "claim %q: the range [%v, %v] is reversed or empty: want a lower end below the upper one",
			s.Name, ends[0], ends[1])
	}
	return &[2]float64{ends[0], ends[1]}, nil
}

func (p configParser) unbiased(at string, s *Subject) (Statement, error) {
	var f unbiasedFields
	given, err := p.fields(at, s, &f)
	if err != nil {
		return nil, err
	}
	if f.Variance != nil && !(*f.Variance > 0) {
		return nil, p.errorf(at+".variance", "claim %q: variance %v: want an upper bound above 0", s.Name, *f.Variance)
	}
	over, err := p.over(at, s, given)
	switch {
	case err != nil:
		return nil, err
	case given["truth"] != nil && given["of"] != nil:
		return nil, p.errorf(at+".of", "claim %q: truth gives the mean at every input: leave out of", s.Name)
	case given["truth"] == nil && len(f.Of) == 0:
		return nil, p.errorf(at+".of", "claim %q: unbiased states no mean: want of, with one number for each number of "+
			"an output, as in of: [2]", s.Name)
	case len(f.Of) > maxMean:
		return nil, p.errorf(at+".of", "claim %q: a mean of %d numbers: want at most %d", s.Name, len(f.Of), maxMean)
	}
	variance := 0.0
	if f.Variance != nil {
		variance = *f.Variance
	}
	within, err := p.outputRange(at+".range", s, f.Range, given["range"] != nil)
	if err != nil {
		return nil, err
	}
	if over != nil {
		return &UnbiasedOver{OverInputs: *over, Of: f.Of, Range: within, Variance: variance}, nil
	}
	u := Unbiased{Of: f.Of, Range: within, Variance: variance}
	u.Input, err = p.input(at, s, given)
	return u, err
}

// over returns the search for the worst input and the program that gives the truth at each input; nil if the
// statement names its input.
func (p configParser) over(at string, s *Subject, given map[string]ast.Node) (*OverInputs, error) {
	_, single := given["input"]
	truth := given["truth"]
	switch {
	case truth != nil && single:
		return nil, p.errorf(at+".input", "claim %q: truth is evaluated at every input: leave out input", s.Name)
	case truth != nil && s.Found == nil:
		return nil, p.errorf(at+".truth", "claim %q: truth belongs to a claim with inputs among which to search", s.Name)
	case single || s.Found == nil:
		return nil, nil
	}
	over := &OverInputs{FoundInputs: *s.Found}
	if truth == nil {
		return over, nil
	}
	if err := p.decode(truth, &over.Command); err != nil {
		return nil, err
	}
	if len(over.Command) == 0 || over.Command[0] == "" {
		return nil, p.errorf(at+".truth", "claim %q: want the command that gives the truth at an input, and its arguments",
			s.Name)
	}
	return over, nil
}

// maxMean is the maximum length of a claimed mean.
const maxMean = 10_000

func (p configParser) law(at string, s *Subject) (Statement, error) {
	node := p.node(at)
	given, ok := mappingOf(node)
	if !ok {
		return nil, p.errorf(at, "claim %q: got %s, want a law, as in {input: [], laplace: {scale: 2}}", s.Name,
			describe(node))
	}
	name := ""
	for _, key := range slices.Sorted(maps.Keys(given)) {
		switch {
		case key == "input" || key == "truth":
		case !slices.Contains(distribution.Names(), key):
			return nil, p.errorf(at+"."+key, "claim %q: unknown law %q%s; there are %s", s.Name, key,
				DidYouMean(strings.ToLower(key), distribution.Names()), strings.Join(distribution.Names(), ", "))
		case name != "":
			return nil, p.errorf(at, "claim %q: two laws, %s and %s: want one", s.Name, name, key)
		default:
			name = key
		}
	}
	if name == "" {
		return nil, p.errorf(at, "claim %q: law names no distribution: want one of %s", s.Name,
			strings.Join(distribution.Names(), ", "))
	}
	over, err := p.over(at, s, given)
	if err != nil {
		return nil, err
	}
	fields, ok := mappingOf(given[name])
	if !ok {
		return nil, p.errorf(at+"."+name, "claim %q: got %s, want the parameters of a law, as in {scale: 2}",
			s.Name, describe(given[name]))
	}
	parameters := make(map[string]float64)
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		var x float64
		if err := p.decode(fields[key], &x); err != nil {
			return nil, err
		}
		parameters[key] = x
	}
	stated, err := distribution.Named(name, parameters)
	if err != nil {
		return nil, p.errorf(at+"."+name, "claim %q: %w", s.Name, err)
	}
	exact := fmt.Sprint(name, " ", parameters) // in the order of the keys
	if over != nil {
		return &LawOver{OverInputs: *over, Law: stated, Exact: exact}, nil
	}
	l := Law{Law: stated, Exact: exact}
	l.Input, err = p.input(at, s, given)
	return l, err
}

func (p configParser) sensitivity(at string, s *Subject) (Statement, error) {
	var f sensitivityFields
	given, err := p.fields(at, s, &f)
	if err != nil {
		return nil, err
	}
	norm, known := Norms[f.Norm]
	switch {
	case given["norm"] == nil:
		return nil, p.errorf(at, "claim %q: sensitivity has no norm: want l1, l2 or linf", s.Name)
	case !known:
		return nil, p.errorf(at+".norm", "claim %q: norm %q: want l1, l2 or linf", s.Name, f.Norm)
	case f.Bound == nil:
		return nil, p.errorf(at, "claim %q: sensitivity has no bound: want the claimed maximum, as in bound: 1", s.Name)
	case !(*f.Bound >= 0):
		return nil, p.errorf(at+".bound", "claim %q: bound %v: want a number of at least 0", s.Name, *f.Bound)
	}
	return Sensitivity{Norm: norm, Bound: *f.Bound, Pairs: s.Neighbours(), Found: s.Found}, nil
}

func (p configParser) rate(at string, s *Subject) (Statement, error) {
	var f rateFields
	given, err := p.fields(at, s, &f)
	if err != nil {
		return nil, err
	}
	switch {
	case len(f.Grid) < minGrid:
		return nil, p.errorf(at+".grid", "claim %q: a grid of %d inputs: want at least %d, best in equal ratios, as in "+
			"[10, 20, 40, 80, 160]", s.Name, len(f.Grid), minGrid)
	case f.Exponent == nil:
		return nil, p.errorf(at, "claim %q: rate has no exponent: want the power of the input, as in exponent: -0.5",
			s.Name)
	}
	r := Rate{Grid: f.Grid, Exponent: *f.Exponent}
	for i, x := range f.Grid {
		if !(x > 0) || i > 0 && (x == f.Grid[i-1] || (x > f.Grid[i-1]) != (f.Grid[1] > f.Grid[0])) {
			return nil, p.errorf(fmt.Sprintf("%s.grid[%d]", at, i), "claim %q: grid value %v: want inputs above 0, "+
				"strictly increasing or decreasing", s.Name, x)
		}
		text, err := json.Marshal(strictyaml.Value(p.node(fmt.Sprintf("%s.grid[%d]", at, i))))
		if err != nil {
			return nil, p.errorf(at+".grid", "claim %q: %w", s.Name, err)
		}
		r.Written = append(r.Written, text)
	}
	r.Range, err = p.outputRange(at+".range", s, f.Range, given["range"] != nil)
	return r, err
}

// minGrid is the minimum number of points for fitting a slope.
const minGrid = 5

// statedClaims returns the claims of the statements other than privacy.
func (s *Subject) statedClaims() (parts []Part) {
	for _, made := range s.Stated {
		p := s.part(Stating, "/"+made.key, s.subjectText()+" "+made.Says(), nil)
		p.Claim.Kind, p.Inputs = made.Kind(), made.Inputs()
		if s.Outputs != nil {
			p.Work, p.Claim.Check = Recorded, made.onRecorded(s)
			parts = append(parts, p)
			continue
		}
		mechanism := s.process()
		s.Processes = append(s.Processes, mechanism)
		check := made.check(s.standIn(mechanism), s.Samples, s)
		switch made := made.Statement.(type) {
		case interface{ Asked() *OverInputs }:
			p.Work = Finding
			if over := made.Asked(); over.Command != nil {
				truth := s.process()
				// The truth is a function of the input, so no seed matters.
				truth.Command, truth.Seedless, over.Truth = over.Command, false, truth
				s.Processes, check = append(s.Processes, truth), process.Check{Process: truth, Check: check}
			}
		case Sensitivity:
			p.Work = Mapping
		}
		p.Claim.Check = process.Check{Process: mechanism, Check: check}
		parts = append(parts, p)
	}
	return parts
}

// check returns the check of the statement, with the position added to a [Misfit].
func (m *statedFields) check(mechanism Mechanism, samples int64, s *Subject) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, settings verify.Settings) (verify.Trial, error) {
		trial, err := m.Check(mechanism, samples).Prepare(ctx, settings)
		if err != nil || trial == nil {
			return nil, m.placed(s, err)
		}
		return placedTrial{trial, func(err error) error { return m.placed(s, err) }}, nil
	})
}

// placed adds the position of the statement to a [Misfit], and records that one occurred.
func (m *statedFields) placed(s *Subject, err error) error {
	wrong := (*Misfit)(nil)
	if !errors.As(err, &wrong) {
		return err
	}
	m.misfit.Store(true)
	return fmt.Errorf("%s: claim %q: %w", m.at, s.Name, wrong)
}

// placedTrial does the same for errors during sampling.
type placedTrial struct {
	verify.Trial
	placed func(error) error
}

func (t placedTrial) Sample(ctx context.Context, shard empirical.Shard) (empirical.Tally, error) {
	tally, err := t.Trial.Sample(ctx, shard)
	return tally, t.placed(err)
}

// HasMisfits reports whether a statement did not apply to its mechanism's outputs.
func HasMisfits(subjects []Subject) bool {
	return slices.ContainsFunc(subjects, func(s Subject) bool {
		return slices.ContainsFunc(s.Stated, func(m *statedFields) bool { return m.misfit.Load() })
	})
}

// Draws returns the maximum number of outputs that a subject samples at the standard budget.
func (s *Subject) Draws() float64 {
	draws := 0.0
	if s.Sampled() {
		pairs := len(s.Pairs)
		if s.Found != nil { // the samples include the search
			pairs = 1
		}
		draws = 2 * float64(s.Samples) * float64(pairs)
	}
	for _, made := range s.Stated {
		if s.Outputs != nil {
			break
		}
		draws += float64(s.Samples) * float64(made.Inputs())
	}
	return draws
}
