//go:build ignore

// Platforms type-checks this module and its tests for other platforms:
//
//	go run .ci/platforms.go windows/amd64 linux/386
//
// It finds the errors that a compiler for these platforms would find, for example a constant that overflows a 32-bit
// int. It takes seconds, because it reads only the declarations of imported packages. go vet would compile everything
// for each platform.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	failed := false
	for _, platform := range os.Args[1:] {
		system, processor, _ := strings.Cut(platform, "/")
		faults, err := check(system, processor)
		if err != nil {
			faults = append(faults, err)
		}
		printed := make(map[string]bool) // a package with tests is listed with and without them
		for _, f := range faults {
			failed = true
			if text := f.Error(); !printed[text] {
				printed[text] = true
				fmt.Printf("%s: %s\n", platform, text)
			}
		}
	}
	if failed {
		os.Exit(1)
	}
}

// listed has the fields of go list's output that the check needs.
type listed struct {
	Dir, ImportPath string
	GoFiles         []string
	ImportMap       map[string]string
	DepOnly         bool
	Error           *struct{ Err string }
}

// check type-checks all packages, each one after its imports, and returns the faults.
func check(system, processor string) (faults []error, err error) {
	cmd := exec.Command("go", "list", "-e", "-test", "-deps", "-json=Dir,ImportPath,GoFiles,ImportMap,DepOnly,Error", "./...")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	fset := token.NewFileSet()
	for dec := json.NewDecoder(out); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return faults, err
		}
		if p.Error != nil {
			faults = append(faults, errors.New(p.Error.Err))
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // go test generates .test packages
			continue
		}
		conf := types.Config{
			Importer: mapped{known, p.ImportMap}, Sizes: types.SizesFor("gc", processor), FakeImportC: true,
			IgnoreFuncBodies: p.DepOnly && !strings.Contains(p.ImportPath, " ["),
			Error:            func(err error) { faults = append(faults, err) },
		}
		path, _, _ := strings.Cut(p.ImportPath, " ")
		known[p.ImportPath], err = conf.Check(path, fset, parsed(fset, p, &faults), nil)
		if err != nil && len(faults) == 0 {
			faults = append(faults, err)
		}
	}
	return faults, cmd.Wait()
}

func parsed(fset *token.FileSet, p listed, faults *[]error) (files []*ast.File) {
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			*faults = append(*faults, err)
			continue
		}
		files = append(files, f)
	}
	return files
}

// mapped imports packages by the paths in a source file.
type mapped struct {
	known   map[string]*types.Package
	aliases map[string]string
}

func (m mapped) Import(path string) (*types.Package, error) {
	if to, ok := m.aliases[path]; ok {
		path = to
	}
	if p := m.known[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no package %q", path)
}
