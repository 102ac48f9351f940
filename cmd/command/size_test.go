package command

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	// mostLines is the most lines of a package, tests apart.
	mostLines = 3500
	// mostNames is the most exported names of a package: types, functions and groups of constants and
	// variables, as go doc -short counts them.
	mostNames = 45
)

// larger has the packages that may have more lines: the accountant is one subject.
var larger = map[string]int{"bounds/accountant": 5000}

// exported is the number of exported names that the declarations of a file introduce.
func exported(f *ast.File) (n int) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.IsExported() {
				n++
			}
		case *ast.GenDecl:
			group := 0
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						n++
					}
				case *ast.ValueSpec:
					for _, name := range s.Names {
						if name.IsExported() {
							group = 1
						}
					}
				}
			}
			n += group
		}
	}
	return n
}

func TestPackagesAreSmall(t *testing.T) {
	root := filepath.Join("..", "..")
	lines, names := map[string]int{}, map[string]int{}
	for _, dir := range []string{"algorithms", "bounds", "cmd", "empirical", "reports", "verify"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(path, "testdata") {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			pkg, err := filepath.Rel(root, filepath.Dir(path))
			pkg = filepath.ToSlash(pkg)
			lines[pkg] += bytes.Count(source, []byte("\n"))
			names[pkg] += exported(f)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(lines) < 30 {
		t.Errorf("%d packages were looked at", len(lines))
	}
	for pkg, n := range lines {
		if most := max(mostLines, larger[pkg]); n > most {
			t.Errorf("%s has %d lines without its tests: more than %d; divide it by subject", pkg, n, most)
		}
		if names[pkg] > mostNames && !strings.Contains(pkg, "internal") {
			t.Errorf("%s exports %d names: more than %d; divide it by subject", pkg, names[pkg], mostNames)
		}
	}
	source := "package p\nconst (\n\tA = 1\n\tB = 2\n)\nvar c int\ntype T struct{}\nfunc (T) M() {}\nfunc F() {}\nfunc g() {}\n"
	f, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	if err != nil || exported(f) != 3 {
		t.Errorf("%d names are exported, want A and B as one, T, F: 3 (%v)", exported(f), err)
	}
}
