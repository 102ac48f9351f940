// Order prints the places of this module at which a result could depend on the order of a map, of goroutines or of tests,
// on the clock or on entropy of the system, and the exceptions that are not needed:
//
//	go run ./.ci/order
//
// It first checks itself on small programs with known faults.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const module = "github.com/dpverify/dpverify/"

// The rules. The same seed gives the same bytes only if no draw, sum or decision depends on
// the order of a map, the interleaving of goroutines and parallel subtests, or the clock.
const (
	drawnInMapOrder   = "a stream from outside is drawn from in the order of a map: use a slice, or a seed for each case"
	drawnInParallel   = "a parallel test draws from a stream that others share: derive one from the name of the case"
	drawnByGoroutine  = "a goroutine draws from a stream from outside: derive one from its index"
	drawnElsewhere    = "a function that is handed a stream draws from another one, from outside"
	seededByClock     = "a seed comes from the clock or the process"
	globalStream      = "the global stream cannot be seeded: take a *rand.Rand"
	packageStream     = "a stream of the package ties tests together by the order in which they run: make it local"
	systemEntropy     = "entropy of the system cannot be repeated: take a *rand.Rand"
	summedByGoroutine = "a sum is rounded, or a text joined, in the order in which goroutines finish: keep the parts and add them in order"
	summedInMapOrder  = "a sum is rounded, or a text joined, in the order of a map: sort the keys"
	decidedByMap      = "the order of a map decides what is kept, returned or written: sort the keys, or use a slice"
)

// orderExceptions lists deliberate violations of a rule. An exception that is not needed is a finding.
var orderExceptions = []struct{ file, rule, reason string }{
	{"verify/privacy/journal_test.go", globalStream, "a mechanism with randomness of its own must be found out"},
	{"verify/process/process_test.go", globalStream, "a process that ignores its seed must be found out"},
	{"empirical/seed.go", systemEntropy, "--seed 0 asks for a drawn seed, which is then printed"},
	{"verify/dptest/example_test.go", globalStream, "a library with randomness of its own"},
	{"verify/replay/attack_test.go", drawnByGoroutine, "a release whose calls are concurrent must be found out"},
	{"verify/replay/attack_test.go", drawnInMapOrder, "a release whose calls have no order"},
	{"verify/replay/tape_test.go", drawnByGoroutine, "calls of several goroutines must be left open"},
	{"cmd/dpverify/slurm_linux_test.go", systemEntropy, "the key of a test's own daemons is a secret"},
	{"verify/dptest/unseeded_test.go", systemEntropy, "a mechanism that draws from the system is what is to be found"},
}

// listedFiles is the part of go list's output that type checking needs.
type listedFiles struct {
	Dir, ImportPath, Export, ForTest string
	GoFiles                          []string
	ImportMap                        map[string]string
}

// goPackages holds the packages of this module with their tests, as go test compiles them, and the export data of their
// imports.
type goPackages struct {
	checked []listedFiles
	exports map[string]string
	fset    *token.FileSet
	// usual imports packages that no test rebuilds, so that their export data is read only once.
	usual types.Importer
}

func loadPackages() (*goPackages, error) {
	cmd := exec.Command("go", "list", "-test", "-export", "-deps", "-json=Dir,ImportPath,Export,ForTest,GoFiles,ImportMap", module+"...", "math/rand", "testing/quick")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.String())
	}
	var all []listedFiles
	g := &goPackages{exports: make(map[string]string), fset: token.NewFileSet()}
	tested := make(map[string]bool)
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedFiles
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
		g.exports[p.ImportPath] = p.Export
		tested[p.ForTest] = tested[p.ForTest] || p.ImportPath == p.ForTest+" ["+p.ForTest+".test]"
	}
	g.usual = g.importer(nil)
	for _, p := range all {
		own, variant, _ := strings.Cut(p.ImportPath, " ")
		switch {
		case !strings.HasPrefix(own, module), strings.HasSuffix(own, ".test"):
		case variant == "" && tested[own]: // its variant with the test files is used
		case variant != "" && own != p.ForTest && own != p.ForTest+"_test": // rebuilt for the test of another package
		default:
			g.checked = append(g.checked, p)
		}
	}
	return g, nil
}

// importer reads export data, for the package that imports maps a path to, if any.
func (g *goPackages) importer(imports map[string]string) types.Importer {
	return importer.ForCompiler(g.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(g.exports[cmp.Or(imports[path], path)])
	})
}

// check type-checks parsed files and returns the violations in source order.
func (g *goPackages) check(path string, files []*ast.File, imports map[string]string) ([]orderFault, error) {
	importing := g.usual
	if len(imports) > 0 {
		importing = g.importer(imports)
	}
	info := &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue), Defs: make(map[*ast.Ident]types.Object),
		Uses: make(map[*ast.Ident]types.Object), Selections: make(map[*ast.SelectorExpr]*types.Selection),
	}
	conf := types.Config{Importer: importing}
	if _, err := conf.Check(path, g.fset, files, info); err != nil {
		return nil, err
	}
	faults := orderFaults(g.fset, files, info)
	slices.SortFunc(faults, func(a, b orderFault) int { return cmp.Compare(a.pos, b.pos) })
	return slices.Compact(faults), nil
}

func main() {
	g, err := loadPackages()
	if err == nil {
		err = g.detects()
	}
	var found []string
	if err == nil {
		found, err = g.violations()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "order:", err)
		os.Exit(1)
	}
	for _, line := range found {
		fmt.Println(line)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

// violations returns the violations in the packages of this module, and the exceptions that are not needed.
func (g *goPackages) violations() (found []string, err error) {
	root, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	needed := make([]bool, len(orderExceptions))
	for _, p := range g.checked {
		var files []*ast.File
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(g.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
		faults, err := g.check(p.ImportPath, files, p.ImportMap)
		if err != nil {
			return nil, err
		}
		for _, f := range faults {
			at := g.fset.Position(f.pos)
			if name, err := filepath.Rel(root, at.Filename); err == nil {
				at.Filename = filepath.ToSlash(name)
			}
			excepted := false
			for i, e := range orderExceptions {
				if e.file == at.Filename && e.rule == f.rule {
					needed[i], excepted = true, true
				}
			}
			if !excepted {
				found = append(found, fmt.Sprintf("%s: %s", at, f.rule))
			}
		}
	}
	for i, e := range orderExceptions {
		if !needed[i] {
			found = append(found, fmt.Sprintf("%s no longer needs its exception %q: delete it", e.file, e.rule))
		}
	}
	return found, nil
}

// detects returns an error unless each of orderCases violates only the rule that it names, or none.
func (g *goPackages) detects() error {
	imported := regexp.MustCompile(`\b(fmt|maps|rand|slices|sync|testing|time|crand|old|os|quick|strings|distuv)\.`)
	paths := map[string]string{"rand": "math/rand/v2", "crand": "crypto/rand", "old": "math/rand", "quick": "testing/quick", "distuv": "gonum.org/v1/gonum/stat/distuv"}
	for i, c := range orderCases {
		var head strings.Builder
		for _, m := range slices.Compact(slices.Sorted(slices.Values(imported.FindAllString("rand.testing."+c.text, -1)))) {
			name := strings.TrimSuffix(m, ".")
			fmt.Fprintf(&head, "import %s %q\n", name, cmp.Or(paths[name], name))
		}
		name := "case.go"
		if c.inTest {
			name = "case_test.go"
		}
		text := fmt.Sprintf("package p\n%s\ntype seed [32]byte\n%s\nfunc body(t *testing.T, r *rand.Rand, sets map[string]float64) { %s }\n", head.String(), c.beside, c.text)
		f, err := parser.ParseFile(g.fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("case %s: %w", c.reason, err)
		}
		faults, err := g.check(fmt.Sprint(module, "case", i), []*ast.File{f}, nil)
		if err != nil {
			return fmt.Errorf("case %s: %w", c.reason, err)
		}
		var got []string
		for _, f := range faults {
			got = append(got, f.rule)
		}
		if c.want == "" && len(got) > 0 || c.want != "" && !slices.Equal(slices.Compact(got), []string{c.want}) {
			return fmt.Errorf("case %s: found %q, want %q in\n%s", c.reason, got, c.want, c.text)
		}
	}
	return nil
}
