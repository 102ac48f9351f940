package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/dpverify/dpverify/"

// arrows lists for each room what of this module, and which outside libraries
// of note, it may import; "/..." takes everything below along. Rooms that are
// not listed may not exist.
var arrows = []struct {
	room   string
	may    []string
	reason string
}{
	{"algorithms/...", []string{"algorithms/..."}, "what is under test knows nothing of the rest"},
	{"bounds/...", []string{"bounds/..."}, "theory knows nothing of the rest and never meets the algorithms"},
	{"empirical/study", []string{"algorithms/...", "bounds/...", "empirical"}, "experiments bind algorithms, bounds and measuring"},
	{"empirical", []string{"internal/streams"}, "measuring imports gonum alone, and lets tests see its streams"},
	{"internal/streams", nil, "what tests see of the streams knows nothing of the rest"},
	{"verify/claims/...", []string{"algorithms/...", "bounds/...", "empirical/...", "verify", "verify/claims/..."}, "the ledger binds everything below it"},
	{"verify/benchmark", []string{"algorithms/...", "bounds/...", "empirical/...", "verify"}, "the auditing benchmark"},
	{"verify/dptest", []string{"verify", "empirical", "pgregory.net/rapid"}, "the go test façade"},
	{"verify", []string{"empirical"}, "judging imports measuring"},
	{"reports/...", []string{"empirical", "empirical/study", "verify", "verify/claims", "verify/benchmark", "reports/...", "bounds/accountant"}, "pure functions of results"},
	{"cmd/dpverify", []string{"algorithms/...", "bounds/...", "empirical/...", "verify", "verify/claims", "verify/benchmark", "reports/..."}, "the command imports all but dptest"},
}

func within(path, pattern string) bool {
	if base, below := strings.CutSuffix(pattern, "/..."); below {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return path == pattern
}

// listed is the part of go list's output that matters here.
type listed struct {
	ImportPath string
	Imports    []string
}

func list(t *testing.T, args ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestArrowsPointDown(t *testing.T) {
	for _, p := range list(t, module+"...") {
		path := strings.TrimPrefix(p.ImportPath, module)
		var may []string
		known := false
		for _, a := range arrows {
			if within(path, a.room) {
				may, known = a.may, true
				break
			}
		}
		if !known {
			t.Errorf("%s: no such room; add it to the arrows if the house has grown", path)
			continue
		}
		for _, imported := range p.Imports {
			if forbidden(path, imported, may) {
				t.Errorf("%s imports %s", path, strings.TrimPrefix(imported, module))
			}
		}
	}
}

// forbidden tells whether one import breaks the arrows. Outside the module only
// rapid is watched: it belongs to tests and to the test façade.
func forbidden(path, imported string, may []string) bool {
	local, inModule := strings.CutPrefix(imported, module)
	if !inModule && imported != "pgregory.net/rapid" {
		return false
	}
	if strings.HasPrefix(local, path+"/internal/") {
		return false
	}
	for _, pattern := range may {
		if within(local, pattern) {
			return false
		}
	}
	return true
}

func TestForbiddenImportsAreSeen(t *testing.T) {
	for _, c := range []struct{ path, imported, reason string }{
		{"algorithms/mechanism", module + "bounds", "a shared formula would cancel its own bug"},
		{"bounds", module + "algorithms/mechanism", "the same, the other way round"},
		{"empirical", module + "verify", "measuring does not judge"},
		{"verify", module + "reports", "judging does not render"},
		{"cmd/dpverify", module + "verify/dptest", "it would bring rapid's flags"},
		{"verify", "pgregory.net/rapid", "rapid is for tests"},
	} {
		var may []string
		for _, a := range arrows {
			if within(c.path, a.room) {
				may = a.may
				break
			}
		}
		if !forbidden(c.path, c.imported, may) {
			t.Errorf("%s may import %s, although %s", c.path, c.imported, c.reason)
		}
	}
}

// The command must not register rapid's global flags, through any path.
func TestCommandIsFreeOfRapid(t *testing.T) {
	for _, p := range list(t, "-deps", module+"cmd/dpverify") {
		if p.ImportPath == "pgregory.net/rapid" {
			t.Error("rapid is among the dependencies of the command")
		}
	}
}
