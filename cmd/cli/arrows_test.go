package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/dpverify/dpverify/"

// arrows lists the allowed imports of each package: packages of this module, and rapid. "/..." includes the packages
// below. A package without a row is an error. Any package may import the packages in internal/, which import only each
// other.
var arrows = []struct {
	pkg    string
	may    []string
	reason string
}{
	{"algorithms/...", []string{"algorithms/..."}, "algorithms under test import nothing else"},
	{"bounds/accountant/event", []string{"bounds/accountant/matrix"}, "events are read from files; a matrix has a sensitivity"},
	{"bounds/accountant/matrix", nil, "the sensitivity of a matrix does not depend on accounting"},
	{"bounds/...", []string{"bounds/..."}, "theory imports nothing else, so it shares no formula with the algorithms"},
	{"empirical/experiment/result", nil, "results are plain data"},
	{"empirical/experiment/papers", []string{"algorithms/...", "bounds/...", "empirical/..."}, "experiments combine algorithms, bounds and measurements"},
	{"empirical/experiment", []string{"algorithms/dataset", "empirical", "empirical/experiment/result"}, "the runner uses data sets, and no algorithm"},
	{"empirical/distinguisher", []string{"empirical", "empirical/confidence"}, "the search certifies what it finds"},
	{"empirical/confidence", []string{"empirical"}, "confidence intervals and bands"},
	{"empirical/sequential", []string{"empirical", "empirical/confidence", "empirical/distinguisher"}, "sequential tests use the scores of outputs"},
	{"internal/decimal", nil, "parsing of decimal numbers"},
	{"empirical", nil, "sampling and seeds"},
	{"internal/rng", nil, "random numbers"},
	{"internal/bounded", nil, "reading of files of limited size"},
	{"internal/visible", nil, "escapes for hidden characters"},
	{"internal/tolerance", nil, "comparison of numbers up to rounding"},
	{"internal/strictjson", []string{"internal/decimal"}, "reading of JSON"},
	{"internal/strictyaml", []string{"internal/decimal"}, "reading of YAML"},
	{"internal/testutil", nil, "length of tests"},
	{"verify/claims/...", []string{"verify", "algorithms/...", "bounds/...", "empirical/...", "verify/accounting", "verify/claims/...", "verify/mean", "verify/inputs", "verify/formula", "verify/privacy", "verify/sensitivity", "verify/replay"}, "the ledger combines all packages below it"},
	{"verify/calibration/results", []string{"verify"}, "results are plain data"},
	{"verify/calibration", []string{"verify", "verify/training", "verify/privacy", "verify/formula", "verify/inputs", "verify/replay", "verify/calibration/results", "verify/accounting", "verify/outputs", "algorithms/...", "bounds/...", "empirical/...", "verify/worstcase", "verify/distribution", "verify/eprocess", "verify/mean", "verify/sensitivity"}, "the auditor is measured on claims of known truth"},
	{"verify/dptest", []string{"algorithms/primitive", "empirical", "pgregory.net/rapid", "verify", "verify/accounting", "verify/eprocess", "verify/training", "verify/premises", "verify/worstcase", "verify/inputs", "verify/distribution", "verify/mean", "verify/outputs", "verify/privacy", "verify/sensitivity", "verify/replay"}, "the go test façade"},
	{"verify", []string{"empirical", "empirical/confidence"}, "judging uses measurements, and imports no check"},
	{"verify/internal/dependence", nil, "dependence between outputs, for all checks"},
	{"verify/internal/verifytest", []string{"empirical/...", "internal/rng", "internal/testutil", "verify", "verify/checkpoint"}, "test helpers import no check"},
	{"verify/outputs", []string{"empirical", "empirical/distinguisher", "verify"}, "outputs of any type in the form for checks, and recorded outputs"},
	{"verify/distribution", []string{"empirical", "empirical/confidence", "verify", "verify/mean", "verify/outputs"}, "claims about distributions"},
	{"verify/inputs", []string{"verify"}, "pairs and spaces of inputs import no check"},
	{"verify/worstcase", []string{"empirical", "empirical/confidence", "verify", "verify/distribution", "verify/inputs", "verify/mean", "verify/privacy"}, "checks at the inputs of a worst-case search"},
	{"verify/checkpoint", []string{"empirical", "verify"}, "a checkpoint imports no check"},
	{"verify/formula", []string{"bounds/printed", "empirical/confidence", "verify"}, "checks of formulas and of reported numbers"},
	{"verify/premises", []string{"empirical/confidence", "verify"}, "premises of a training in its log"},
	{"verify/observed", []string{"bounds/accountant", "bounds/accountant/event", "verify", "verify/accounting", "verify/premises"}, "the account of the training that a log shows"},
	{"verify/training", []string{"empirical", "empirical/confidence", "empirical/distinguisher", "empirical/sequential", "verify", "verify/outputs", "verify/privacy"}, "audits of training runs"},
	{"verify/privacy/internal/diagnosis", []string{"empirical/confidence", "empirical/distinguisher", "verify", "verify/guarantee", "verify/inputs"}, "a diagnosis imports no check"},
	{"verify/guarantee", []string{"empirical/confidence", "empirical/sequential"}, "privacy definitions import no check"},
	{"verify/eprocess", []string{"empirical", "verify"}, "evidence of many runs, of any check"},
	{"verify/privacy", []string{"bounds", "empirical", "empirical/confidence", "empirical/distinguisher", "empirical/sequential", "verify", "verify/eprocess", "verify/formula", "verify/guarantee", "verify/inputs", "verify/outputs"}, "privacy claims"},
	{"verify/mean", []string{"empirical", "empirical/confidence", "verify", "verify/outputs"}, "claims about means"},
	{"verify/accounting/trial", []string{"bounds/accountant/event", "empirical/confidence"}, "simulators of events share no formula with the tested accountant"},
	{"verify/accounting/external", []string{"bounds/accountant", "bounds/accountant/event", "verify"}, "questions with certified brackets; the second back end uses only the names of the adjacencies"},
	{"verify/accounting", []string{"bounds/accountant", "bounds/accountant/event", "empirical", "empirical/confidence", "verify", "verify/privacy"}, "claims that the accountant judges"},
	{"verify/process", []string{"algorithms/primitive", "empirical/...", "verify", "verify/checkpoint", "verify/outputs", "verify/replay"}, "mechanisms of any language"},
	{"verify/replay", []string{"algorithms/primitive", "bounds/accountant/...", "empirical", "verify", "verify/accounting", "verify/inputs", "verify/outputs", "verify/privacy"}, "releases by their primitives, without formulas of algorithms or of theory"},
	{"verify/sensitivity", []string{"verify", "verify/inputs"}, "claims about sensitivity"},
	{"reports/...", []string{"bounds/accountant/...", "empirical", "empirical/confidence", "empirical/experiment/result", "reports/...", "verify", "verify/accounting/external", "verify/calibration/results"}, "pure functions of results"},
	{"cmd/cli/...", []string{"algorithms/...", "bounds/...", "empirical/...", "reports/...", "verify", "verify/accounting", "verify/accounting/external", "verify/calibration", "verify/calibration/results", "verify/training", "verify/observed", "verify/premises", "verify/worstcase", "verify/inputs", "verify/checkpoint", "verify/distribution", "verify/eprocess", "verify/mean", "verify/privacy", "verify/guarantee", "verify/process", "verify/outputs", "verify/sensitivity", "verify/replay"}, "the command imports all packages except dptest and the ledger, which is an argument"},
	{"cmd/dpverify", []string{"cmd/cli", "reports", "verify", "verify/claims"}, "the process gives the command its ledger"},
}

func within(path, pattern string) bool {
	if base, below := strings.CutSuffix(pattern, "/..."); below {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return path == pattern
}

// listed holds the fields of go list's output that the tests use.
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
			if within(path, a.pkg) {
				may, known = a.may, true
				break
			}
		}
		if !known {
			t.Errorf("%s: not in the table arrows: add a row with the allowed imports and the reason", path)
			continue
		}
		for _, imported := range p.Imports {
			if forbidden(path, imported, may) {
				t.Errorf("%s imports %s", path, strings.TrimPrefix(imported, module))
			}
		}
	}
}

// forbidden reports whether an import is not allowed. The only checked import from outside the module is rapid, which is
// for tests and for dptest.
func forbidden(path, imported string, may []string) bool {
	local, inModule := strings.CutPrefix(imported, module)
	if !inModule && imported != "pgregory.net/rapid" {
		return false
	}
	if tree, _, internal := strings.Cut(local, "/internal/"); internal && within(path, tree+"/...") {
		return false // the compiler checks it
	}
	if within(local, "internal/...") {
		return within(path, "internal/...") && !slices.Contains(may, local)
	}
	return !slices.ContainsFunc(may, func(pattern string) bool { return within(local, pattern) })
}

func TestForbiddenImportsAreDetected(t *testing.T) {
	for _, c := range []struct{ path, imported, reason string }{
		{"algorithms/mechanism", module + "bounds", "a bug in a shared formula would stay undetected"},
		{"bounds", module + "algorithms/mechanism", "a bug in a shared formula would stay undetected"},
		{"empirical", module + "verify", "measurements do not judge"},
		{"verify", module + "reports", "judging does not render"},
		{"cmd/cli", module + "verify/dptest", "dptest imports rapid, which registers flags"},
		{"verify", "pgregory.net/rapid", "rapid is for tests"},
	} {
		var may []string
		for _, a := range arrows {
			if within(c.path, a.pkg) {
				may = a.may
				break
			}
		}
		if !forbidden(c.path, c.imported, may) {
			t.Errorf("%s may import %s, although %s", c.path, c.imported, c.reason)
		}
	}
}

// A program that only renders results compiles no algorithm.
func TestReportsCompileNoAlgorithm(t *testing.T) {
	for _, p := range list(t, "-deps", module+"reports/...") {
		if strings.HasPrefix(p.ImportPath, module+"algorithms/") {
			t.Errorf("%s is among the dependencies of reports", p.ImportPath)
		}
	}
}

// The command does not import rapid, even indirectly, because rapid registers global flags.
func TestCommandIsFreeOfRapid(t *testing.T) {
	for _, p := range list(t, "-deps", module+"cmd/dpverify") {
		if p.ImportPath == "pgregory.net/rapid" {
			t.Error("rapid is among the dependencies of the command")
		}
	}
}
