package claimsfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/dpverify/dpverify/internal/bounded"
	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/internal/strictjson"
	"github.com/dpverify/dpverify/internal/strictyaml"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify/process"
)

// auditFile is the form of a claims file.
type auditFile struct {
	Seed     *uint64         `yaml:"seed"`
	Evidence *evidenceFields `yaml:"evidence"`
	Claims   []claimFields   `yaml:"claims"`
}

type claimFields struct {
	Name        string             `yaml:"name"`
	Exec        []string           `yaml:"exec"`
	Recorded    any                `yaml:"recorded"`
	Pairs       []pairFields       `yaml:"pairs"`
	Inputs      any                `yaml:"inputs"`
	Account     any                `yaml:"account"`
	Canaries    string             `yaml:"canaries" want:"a file of scores, as in scores.csv"`
	Event       string             `yaml:"event" want:"the event that indicates inclusion, as in score >= 0.3"`
	Inclusion   *float64           `yaml:"inclusion"`
	Training    *trainingLogFields `yaml:"training"`
	States      *statesFields      `yaml:"states"`
	Guarantee   guaranteeFields    `yaml:"guarantee"`
	Unbiased    any                `yaml:"unbiased"`
	Law         any                `yaml:"law"`
	Sensitivity any                `yaml:"sensitivity"`
	Rate        any                `yaml:"rate"`
	Seeded      *bool              `yaml:"seeded"`
	Env         []string           `yaml:"env"`
	Samples     *int64             `yaml:"samples"`
	Timeout     string             `yaml:"timeout" want:"a time with its unit, as in 90s"`
	Memory      string             `yaml:"memory" want:"memory with its unit, as in 4GiB"`
	Precision   string             `yaml:"precision" want:"off, warn or fail"`
	Anytime     bool               `yaml:"anytime"`
	Replay      bool               `yaml:"replay"`
	Mass        *float64           `yaml:"mass"`
}

type pairFields struct {
	A any `yaml:"a"`
	B any `yaml:"b"`
}

// maxAuditFile is the maximum size of a claims file in bytes.
const maxAuditFile = 4 << 20

// ReadClaims reads a claims file of at most 4 MiB.
func ReadClaims(path string) ([]byte, error) {
	return bounded.ReadFile(path, maxAuditFile, "a claims file")
}

// FileSettings holds what a claims file states for all of its claims.
type FileSettings struct {
	Seed     *uint64 // nil if there is none
	Evidence EvidenceFile
}

// ParseClaims parses a claims file and returns its settings and its claims. Errors name file, line and column. An error
// in an account, a statement or an input search is kept in [Subject.Broken] of its claim.
// ParseClaims returns it only if all claims are broken.
func ParseClaims(path string, data []byte) (f FileSettings, subjects []Subject, err error) {
	var file auditFile
	p, err := parseConfig(path, data, &file)
	if err != nil {
		return f, nil, err
	}
	if len(file.Claims) == 0 {
		return f, nil, p.errorf("$", "no claims: the file needs a list of at least one under claims")
	}
	if f.Evidence, err = p.evidence(file.Evidence); err != nil {
		return f, nil, err
	}
	seen := make(map[string]string)
	var broken []error
	for i, c := range file.Claims {
		at := fmt.Sprintf("$.claims[%d]", i)
		s, err := p.subject(at, c)
		if err == nil {
			err = p.readTraining(at, c, &s)
		}
		if err != nil {
			return f, nil, err
		}
		if first, twice := seen[s.Name]; twice {
			return f, nil, p.errorf(at+".name", "the name %q is already used by the claim at %s", s.Name, first)
		}
		seen[s.Name] = s.Source
		subjects = append(subjects, s)
		if s.Broken != nil {
			subjects[i].Broken = errors.New(strings.ReplaceAll(s.Broken.Error(), "accountant: ", ""))
			broken = append(broken, subjects[i].Broken)
		}
	}
	if len(broken) == len(subjects) {
		return f, nil, errors.Join(broken...)
	}
	f.Seed = file.Seed
	return f, subjects, nil
}

// configParser locates values of a YAML file by their path.
type configParser struct {
	path string
	body ast.Node
}

// parseConfig parses a file and decodes it into a struct.
func parseConfig(path string, data []byte, into any) (configParser, error) {
	body, err := strictyaml.Parse(data)
	if err != nil {
		return configParser{}, fmt.Errorf("%s:%w", path, err)
	}
	p := configParser{path, body}
	return p, p.decode(body, into)
}

// decode checks that a node has the type that into points to, and decodes it.
func (p configParser) decode(node ast.Node, into any) error {
	err := checkType(node, reflect.TypeOf(into).Elem())
	if err == nil {
		err = strictyaml.Decode(node, into)
	}
	if err != nil {
		return fmt.Errorf("%s:%w", p.path, err)
	}
	return nil
}

// node returns the node at a path, or nil if there is none.
func (p configParser) node(at string) ast.Node {
	path, err := yaml.PathString(at)
	if err != nil {
		return nil
	}
	node, err := path.FilterNode(p.body)
	if err != nil {
		return nil
	}
	return node
}

// place returns the file, line and column of a path, or of its nearest enclosing node.
func (p configParser) place(at string) string {
	if line, column := p.position(at); line > 0 {
		return fmt.Sprintf("%s:%d:%d", p.path, line, column)
	}
	return p.path
}

// position returns 0, 0 if the position is unknown.
func (p configParser) position(at string) (line, column int) {
	for {
		if node := p.node(at); node != nil && node.GetToken() != nil {
			at := strictyaml.Token(node).Position
			return at.Line, at.Column
		}
		cut := strings.LastIndexAny(at, ".[")
		if cut < 0 {
			return 0, 0
		}
		at = at[:cut]
	}
}

func (p configParser) errorf(at, format string, args ...any) error {
	return fmt.Errorf("%s: %w", p.place(at), fmt.Errorf(format, args...))
}

// subject checks one claim; at is its path.
func (p configParser) subject(at string, c claimFields) (Subject, error) {
	place := p.place(at)
	line, column := p.position(at)
	s := Subject{
		At:   reports.Place{File: FromRoot(p.path), Line: line, Column: column},
		Name: c.Name, Source: filepath.Base(p.path) + strings.TrimPrefix(place, p.path), dir: filepath.Dir(p.path),
		Command: c.Exec, Precision: c.Precision, Anytime: c.Anytime, Replay: c.Replay,
	}
	private := p.guarantees(at, c)
	switch {
	case c.Name == "":
		return s, p.errorf(at, "the claim has no name")
	case !nameForm.MatchString(c.Name):
		return s, p.errorf(at+".name", "name %q: want letters from a to z, digits, dots, dashes and underscores", c.Name)
	case c.Account == nil && c.States != nil:
		return s, p.errorf(at+".states", "claim %q states a number but has no account: describe the release under account",
			c.Name)
	case c.Recorded != nil:
		err := p.recorded(at, c, &s)
		return s, err
	case c.Training != nil && !c.audited() && c.Account == nil && p.node(at+".guarantee") != nil:
		return s, p.errorf(at+".guarantee", "claim %q: a training log tests premises, not a guarantee: add an account, or "+
			"leave guarantee out", c.Name)
	case c.Account == nil && c.Canaries == "" && c.Training == nil && (len(c.Exec) == 0 || c.Exec[0] == ""):
		return s, p.errorf(at, "claim %q has no exec: want the command and its arguments, as in [python3, mechanism.py], or "+
			"an account, canaries, a training log or recorded outputs", c.Name)
	case c.Exec == nil && c.hasStatements():
		return s, p.errorf(at+"."+c.statedKeys()[0], "claim %q: %s belongs to a claim with exec", c.Name,
			c.statedKeys()[0])
	case c.Exec != nil && (len(c.Exec) == 0 || c.Exec[0] == ""):
		return s, p.errorf(at+".exec", "claim %q: want the command and its arguments, as in [python3, mechanism.py]", c.Name)
	case c.Exec != nil && len(c.Pairs) == 0 && c.Inputs == nil && (private || c.Sensitivity != nil):
		return s, p.errorf(at+".pairs", "claim %q has no pairs of inputs: want at least one, as in [{a: [1, 0], b: [1, 1]}]"+
			", or inputs among which to search", c.Name)
	case c.Precision != "" && !slices.Contains(Precisions, c.Precision):
		return s, p.errorf(at+".precision", "precision %q: want %s", c.Precision, strings.Join(Precisions, ", "))
	}
	if extra := c.keysOfMechanisms(); c.Exec == nil && len(extra) > 0 {
		return s, p.errorf(at+"."+extra[0], "claim %q: %s belongs to a claim with exec", c.Name, extra[0])
	}
	if extra := c.keysOfGuarantees(); c.Exec != nil && !private && len(extra) > 0 {
		return s, p.errorf(at+"."+extra[0], "claim %q: %s belongs to a claim with a guarantee", c.Name, extra[0])
	}
	s.guaranteed, s.Seedless = private, c.Seeded != nil && !*c.Seeded
	if c.Account != nil {
		if s.Account, s.Broken = p.account(at, c); s.Broken != nil {
			return s, nil
		}
	} else if s.guaranteed {
		if err := p.guarantee(at, c, &s); err != nil {
			return s, err
		}
	}
	if err := p.numbers(at, c, &s); err != nil {
		return s, err
	}
	if err := p.readCanaries(at, c, &s); err != nil {
		return s, err
	}
	for i := range c.Pairs {
		read, err := p.pair(fmt.Sprintf("%s.pairs[%d]", at, i), c.Name)
		if err != nil {
			return s, err
		}
		s.Pairs = append(s.Pairs, read)
	}
	if p.node(at+".inputs") != nil {
		if s.Found, s.Broken = p.inputs(at+".inputs", c, &s); s.Broken != nil {
			return s, nil
		}
	}
	s.Broken = p.statements(at, c, &s)
	return s, nil
}

// guarantees reports whether the claim is about privacy. It is, unless the claim makes only other statements or has
// only a training log.
func (p configParser) guarantees(at string, c claimFields) bool {
	return c.Account != nil || p.node(at+".guarantee") != nil || !c.hasStatements() && (c.Training == nil || c.audited())
}

// keysOfMechanisms returns the given keys that apply to a mechanism that is run.
func (c claimFields) keysOfMechanisms() []string {
	return given(c, "pairs", "inputs", "samples", "timeout", "memory", "precision", "anytime", "replay", "mass", "seeded",
		"env")
}

// keysOfGuarantees returns the given keys that apply to a privacy audit.
func (c claimFields) keysOfGuarantees() []string {
	keys := given(c, "pairs", "precision", "anytime", "replay", "mass")
	if c.Sensitivity != nil {
		keys = slices.DeleteFunc(keys, func(key string) bool { return key == "pairs" })
	}
	return keys
}

// numbers reads samples, mass, memory, timeout and env.
func (p configParser) numbers(at string, c claimFields, s *Subject) error {
	if c.Samples != nil {
		s.Samples = *c.Samples
		if s.Samples < 1 {
			return p.errorf(at+".samples", "claim %q: %d samples of each input: want a whole number above 0", c.Name, s.Samples)
		}
	}
	if c.Mass != nil {
		if err := CheckMass(*c.Mass); err != nil {
			return p.errorf(at+".mass", "claim %q: %w", c.Name, err)
		}
		s.Mass = *c.Mass
	}
	if c.Memory != "" {
		bytes, err := ParseMemory(c.Memory)
		if err != nil {
			return p.errorf(at+".memory", "claim %q: %w", c.Name, err)
		}
		s.Memory = bytes
	}
	if err := process.CheckNames(c.Env); err != nil {
		return p.errorf(at+".env", "claim %q: env: %w", c.Name, err)
	}
	s.Env = c.Env
	if c.Timeout == "" {
		return nil
	}
	d, err := decimal.Duration(c.Timeout)
	if err != nil || d <= 0 {
		return p.errorf(at+".timeout", "claim %q: timeout %q: want the maximum time for one reply, as in 90s", c.Name,
			c.Timeout)
	}
	s.Reply = d
	return nil
}

// ParseMemory parses a whole number of MiB or GiB and returns bytes.
func ParseMemory(text string) (int64, error) {
	for _, unit := range []struct {
		name string
		size int64
	}{{"MiB", 1 << 20}, {"GiB", 1 << 30}} {
		if number, ok := strings.CutSuffix(text, unit.name); ok {
			if n, err := decimal.Uint(number); err == nil && n > 0 && n <= 1<<50/uint64(unit.size) {
				return int64(n) * unit.size, nil
			}
		}
	}
	return 0, fmt.Errorf("memory %q: want the limit for a process, as in 512MiB or 4GiB", text)
}

// pair reads two inputs and encodes them as JSON.
func (p configParser) pair(at, name string) (InputPair, error) {
	var out InputPair
	for _, side := range []struct {
		key string
		to  *json.RawMessage
	}{{"a", &out.A}, {"b", &out.B}} {
		node := p.node(at + "." + side.key)
		if node == nil {
			return out, p.errorf(at, "claim %q: the pair has no %s: want two inputs, as in {a: [1, 0], b: [1, 1]}", name,
				side.key)
		}
		text, err := json.Marshal(strictyaml.Value(node))
		if err != nil {
			return out, p.errorf(at+"."+side.key, "claim %q: the input cannot be encoded as JSON: %w", name, err)
		}
		if err := strictjson.Check(text); err != nil {
			return out, p.errorf(at+"."+side.key, "claim %q: %w", name, err)
		}
		*side.to = text
	}
	if out.equal() {
		return out, p.errorf(at, "claim %q: both inputs of the pair are %s: want two different inputs", name, out.A)
	}
	return out, nil
}

// CheckMass rejects an event probability outside (0, 1).
func CheckMass(mass float64) error {
	if !(mass > 0 && mass < 1) {
		return fmt.Errorf("mass %v: want a probability above 0 and below 1", mass)
	}
	return nil
}

// CheckLevels rejects privacy levels of a flag that are not finite and positive.
func CheckLevels(flag string, levels []float64) error {
	for _, level := range levels {
		if !(level > 0 && level <= math.MaxFloat64) {
			return fmt.Errorf("%s: privacy level %v: want a finite number above 0", flag, level)
		}
	}
	return nil
}
