package auditfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/dpverify/dpverify/reports"
)

// auditFile is the form of CONFIG.yaml.
type auditFile struct {
	Seed   *uint64       `yaml:"seed"`
	Claims []claimFields `yaml:"claims"`
}

type claimFields struct {
	Name      string          `yaml:"name"`
	Exec      []string        `yaml:"exec"`
	Pairs     []pairFields    `yaml:"pairs"`
	Guarantee guaranteeFields `yaml:"guarantee"`
	Samples   *int64          `yaml:"samples"`
	Timeout   string          `yaml:"timeout"`
	Memory    string          `yaml:"memory"`
	Precision string          `yaml:"precision"`
	Anytime   bool            `yaml:"anytime"`
	Mass      *float64        `yaml:"mass"`
}

type pairFields struct {
	A any `yaml:"a"`
	B any `yaml:"b"`
}

// maxAuditFile is the most bytes of a file of claims.
const maxAuditFile = 4 << 20

// Read reads a file that is not too large to be one of claims.
func Read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxAuditFile+1))
	if err == nil && len(data) > maxAuditFile {
		err = fmt.Errorf("%s: is larger than %d MiB: no file of claims", path, maxAuditFile>>20)
	}
	return data, err
}

// Parse reads the claims of a file. Errors name file, line and column.
func Parse(path string, data []byte) (seed *uint64, subjects []Subject, err error) {
	// The library panics on some files that are malformed: a tag without a value, say.
	defer func() {
		if p := recover(); p != nil {
			seed, subjects, err = nil, nil, fmt.Errorf("%s: is no YAML that can be read (%v)", path, p)
		}
	}()
	if !utf8.Valid(data) {
		return nil, nil, fmt.Errorf("%s:%d: the file is not in UTF-8", path, lineOfInvalid(data))
	}
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, nil, yamlError(path, err)
	}
	if err := oneDocument(path, tree); err != nil {
		return nil, nil, err
	}
	var file auditFile
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&file); err != nil {
		return nil, nil, yamlError(path, err)
	}
	p := configParser{path: path, tree: tree}
	if file.Seed != nil && !p.whole("$.seed") {
		return nil, nil, p.errorf("$.seed", "the seed is a whole number from 0 to 2^64 - 1")
	}
	if len(file.Claims) == 0 {
		return nil, nil, p.errorf("$", "no claims: the file needs a list of at least one under claims")
	}
	seen := make(map[string]string)
	for i, c := range file.Claims {
		at := fmt.Sprintf("$.claims[%d]", i)
		s, err := p.subject(at, c)
		if err != nil {
			return nil, nil, err
		}
		if first, twice := seen[s.Name]; twice {
			return nil, nil, p.errorf(at+".name", "the name %q is taken by the claim at %s", s.Name, first)
		}
		seen[s.Name] = s.Source
		subjects = append(subjects, s)
	}
	return file.Seed, subjects, nil
}

func lineOfInvalid(data []byte) int {
	line := 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		data = data[size:]
	}
	return line
}

// oneDocument refuses what would be passed over, a second document, and aliases: a few
// of them can stand for more than any memory holds.
func oneDocument(path string, tree *ast.File) error {
	for i, doc := range tree.Docs {
		if doc.Body == nil {
			continue
		}
		if i > 0 {
			at := doc.Body.GetToken().Position
			return fmt.Errorf("%s:%d:%d: a second document: want one list of claims", path, at.Line, at.Column)
		}
		for _, alias := range ast.Filter(ast.AliasType, doc.Body) {
			at := alias.GetToken().Position
			return fmt.Errorf("%s:%d:%d: an alias: write out what it stands for", path, at.Line, at.Column)
		}
	}
	return nil
}

// configParser knows where things stand in a file.
type configParser struct {
	path string
	tree *ast.File
}

// node is what stands at a path; nil if nothing does.
func (p configParser) node(at string) ast.Node {
	path, err := yaml.PathString(at)
	if err != nil {
		return nil
	}
	node, err := path.FilterFile(p.tree)
	if err != nil {
		return nil
	}
	return node
}

// whole tells whether a whole number stands at a path, which the decoder cuts others to.
func (p configParser) whole(at string) bool {
	node := p.node(at)
	if _, ok := node.(*ast.IntegerNode); ok || node == nil {
		return ok
	}
	x, err := strconv.ParseFloat(node.GetToken().Value, 64) // as in 2e5
	return err == nil && x == math.Trunc(x) && math.Abs(x) < 1<<53
}

// place is the file, line and column of a path, or of the nearest one around it.
func (p configParser) place(at string) string {
	if line, column := p.position(at); line > 0 {
		return fmt.Sprintf("%s:%d:%d", p.path, line, column)
	}
	return p.path
}

// position is 0, 0 where nothing is known.
func (p configParser) position(at string) (line, column int) {
	for {
		if node := p.node(at); node != nil && node.GetToken() != nil {
			// The token of a block mapping is its first colon: the key before it begins it.
			token := node.GetToken()
			if m, ok := node.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
				token = m.Values[0].Key.GetToken()
			}
			return token.Position.Line, token.Position.Column
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

// subject checks a claim; at is its path.
func (p configParser) subject(at string, c claimFields) (Subject, error) {
	place := p.place(at)
	line, column := p.position(at)
	s := Subject{
		At:   reports.Place{File: FromRoot(p.path), Line: line, Column: column},
		Name: c.Name, Source: filepath.Base(p.path) + strings.TrimPrefix(place, p.path), dir: filepath.Dir(p.path),
		Command: c.Exec, Precision: c.Precision, Anytime: c.Anytime,
	}
	switch {
	case c.Name == "":
		return s, p.errorf(at, "the claim has no name")
	case !nameForm.MatchString(c.Name):
		return s, p.errorf(at+".name", "name %q: want lower-case letters, digits, dots, dashes and underscores", c.Name)
	case len(c.Exec) == 0 || c.Exec[0] == "":
		return s, p.errorf(at, "claim %q has no exec: want the command and its arguments, as in [python3, mechanism.py]",
			c.Name)
	case len(c.Pairs) == 0:
		return s, p.errorf(at+".pairs", "claim %q has no pairs of inputs: want at least one, as in [{a: [1, 0], b: [1, 1]}]",
			c.Name)
	case c.Precision != "" && !slices.Contains(Precisions, c.Precision):
		return s, p.errorf(at+".precision", "precision %q: want %s", c.Precision, strings.Join(Precisions, ", "))
	}
	var ok bool
	if s.Guarantee, ok = c.Guarantee.guarantee(); !ok {
		return s, p.errorf(at+".guarantee", "claim %q: a guarantee is epsilon (with delta), rho, mu, or alpha with renyi",
			c.Name)
	}
	if err := s.Guarantee.Check(); err != nil {
		return s, p.errorf(at+".guarantee", "claim %q: %w", c.Name, err)
	}
	if err := p.numbers(at, c, &s); err != nil {
		return s, err
	}
	for i, pair := range c.Pairs {
		read, err := p.pair(fmt.Sprintf("%s.pairs[%d]", at, i), c.Name, pair)
		if err != nil {
			return s, err
		}
		s.Pairs = append(s.Pairs, read)
	}
	return s, nil
}

// numbers reads the number of samples, the mass, the memory and the timeout.
func (p configParser) numbers(at string, c claimFields, s *Subject) error {
	if c.Samples != nil {
		s.Samples = *c.Samples
		if s.Samples < 1 || !p.whole(at+".samples") {
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
	if c.Timeout == "" {
		return nil
	}
	d, err := time.ParseDuration(c.Timeout)
	if err != nil || d <= 0 {
		return p.errorf(at+".timeout", "claim %q: timeout %q: want the longest time for one reply, as in 90s", c.Name,
			c.Timeout)
	}
	s.Reply = d
	return nil
}

// ParseMemory reads a number of MiB or GiB, in bytes.
func ParseMemory(text string) (int64, error) {
	for _, unit := range []struct {
		name string
		size int64
	}{{"MiB", 1 << 20}, {"GiB", 1 << 30}} {
		if number, ok := strings.CutSuffix(text, unit.name); ok {
			if n, err := strconv.ParseInt(number, 10, 64); err == nil && n > 0 && n <= 1<<50/unit.size {
				return n * unit.size, nil
			}
		}
	}
	return 0, fmt.Errorf("memory %q: want what a process may have, as in 512MiB or 4GiB", text)
}

// pair writes two inputs as JSON.
func (p configParser) pair(at, name string, f pairFields) (InputPair, error) {
	var out InputPair
	for _, side := range []struct {
		key  string
		from any
		to   *json.RawMessage
	}{{"a", f.A, &out.A}, {"b", f.B, &out.B}} {
		if p.node(at+"."+side.key) == nil {
			return out, p.errorf(at, "claim %q: the pair has no %s: want two inputs, as in {a: [1, 0], b: [1, 1]}", name,
				side.key)
		}
		text, err := json.Marshal(asWritten(p.node(at+"."+side.key), side.from))
		if err != nil {
			return out, p.errorf(at+"."+side.key, "claim %q: the input has no form in JSON, where numbers are finite: %w", name,
				err)
		}
		*side.to = text
	}
	if out.equal() {
		return out, p.errorf(at, "claim %q: both inputs of the pair are %s: an audit compares two", name, out.A)
	}
	return out, nil
}

// yamlError puts file, line and column before what is wrong.
func yamlError(path string, err error) error {
	var known yaml.Error
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the file is empty: want a list of claims", path)
	}
	if errors.Is(err, yaml.ErrExceededMaxDepth) {
		return fmt.Errorf("%s: it is nested too deeply", path)
	}
	if !errors.As(err, &known) {
		return fmt.Errorf("%s: %w", path, err)
	}
	message := known.GetMessage()
	var unknown *yaml.UnknownFieldError
	var mismatch *yaml.TypeError
	switch {
	case errors.As(err, &unknown):
		key, _ := strings.CutPrefix(message, "unknown field ")
		key = strings.Trim(key, `"`)
		message = fmt.Sprintf("unknown key %q", key) + DidYouMean(key, configKeys())
	case errors.As(err, &mismatch):
		message = fmt.Sprintf("%s stands where %s is wanted", kindWord(mismatch.SrcType), kindWord(mismatch.DstType))
	}
	token := known.GetToken()
	if token == nil {
		return fmt.Errorf("%s: %s", path, message)
	}
	at := token.Position
	return fmt.Errorf("%s:%d:%d: %s", path, at.Line, at.Column, message)
}

// configKeys are all keys of the file.
func configKeys() (keys []string) {
	for _, v := range []any{auditFile{}, claimFields{}, pairFields{}, guaranteeFields{}} {
		t := reflect.TypeOf(v)
		for i := range t.NumField() {
			keys = append(keys, t.Field(i).Tag.Get("yaml"))
		}
	}
	return keys
}

func kindWord(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a word"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "a mapping"
	case reflect.Pointer:
		return kindWord(t.Elem())
	}
	return "a number"
}

// CheckMass refuses what is no mass of an event that is neither sure nor impossible.
func CheckMass(mass float64) error {
	if !(mass > 0 && mass < 1) {
		return fmt.Errorf("mass %v: want a probability above 0 and below 1", mass)
	}
	return nil
}
