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

// arrows lists for each package what of this module, and which outside libraries
// of note, it may import; "/..." takes everything below along. Packages that are
// not listed may not exist. Any package may import the packages below internal/ that
// import only each other.
var arrows = []struct {
	pkg    string
	may    []string
	reason string
}{
	{"algorithms/...", []string{"algorithms/..."}, "what is under test knows nothing of the rest"},
	{"bounds/accountant/event", []string{"bounds/accountant/matrix"}, "events are read from files; a matrix has a sensitivity"},
	{"bounds/accountant/matrix", nil, "the sensitivity of a matrix knows nothing of accounting"},
	{"bounds/...", []string{"bounds/..."}, "theory knows nothing of the rest and never meets the algorithms"},
	{"empirical/experiment/result", nil, "results are plain data"},
	{"empirical/experiment/papers", []string{"algorithms/...", "bounds/...", "empirical/..."}, "experiments bind algorithms, bounds and measuring"},
	{"empirical/experiment", []string{"algorithms/dataset", "empirical", "empirical/experiment/result"}, "the runner knows data sets, and no algorithm"},
	{"empirical/distinguisher", []string{"empirical", "empirical/confidence"}, "the search certifies what it finds"},
	{"empirical/confidence", []string{"empirical"}, "bands are limits that hold together"},
	{"empirical/sequential", []string{"empirical", "empirical/confidence", "empirical/distinguisher"}, "a stream bets along the scores of outputs"},
	{"internal/decimal", nil, "numbers know nothing of what is counted"},
	{"empirical", nil, "measuring imports gonum, and lets tests watch its streams"},
	{"internal/rng", nil, "noise does not know who draws it"},
	{"internal/bounded", nil, "a limit knows nothing of what is read"},
	{"internal/visible", nil, "characters have a shape or none"},
	{"internal/tolerance", nil, "what is as good as equal is so anywhere"},
	{"internal/strictjson", []string{"internal/decimal"}, "JSON knows nothing of what is written in it"},
	{"internal/strictyaml", []string{"internal/decimal"}, "YAML knows nothing of what is written in it"},
	{"internal/testutil", nil, "the length of tests"},
	{"verify/claims/...", []string{"verify", "algorithms/...", "bounds/...", "empirical/...", "verify/accounting", "verify/claims/...", "verify/mean", "verify/inputs", "verify/formula", "verify/privacy", "verify/sensitivity", "verify/replay"}, "the ledger binds everything below it"},
	{"verify/calibration/results", []string{"verify"}, "results are plain data"},
	{"verify/calibration", []string{"verify", "verify/training", "verify/privacy", "verify/formula", "verify/inputs", "verify/replay", "verify/calibration/results", "verify/accounting", "verify/outputs", "algorithms/...", "bounds/...", "empirical/...", "verify/worstcase", "verify/distribution", "verify/mean", "verify/sensitivity"}, "the auditor is measured on claims of known truth"},
	{"verify/dptest", []string{"algorithms/primitive", "empirical", "pgregory.net/rapid", "verify", "verify/accounting", "verify/training", "verify/worstcase", "verify/inputs", "verify/distribution", "verify/mean", "verify/outputs", "verify/privacy", "verify/sensitivity", "verify/replay"}, "the go test façade"},
	{"verify", []string{"empirical", "empirical/confidence"}, "judging imports measuring, and no check"},
	{"verify/internal/dependence", nil, "outputs depend on one another, whatever they are checked for"},
	{"verify/internal/verifytest", []string{"empirical/...", "internal/rng", "internal/testutil", "verify", "verify/checkpoint"}, "help for tests knows no check"},
	{"verify/outputs", []string{"empirical", "empirical/distinguisher", "verify"}, "outputs of any type as the checks take them, and recorded ones"},
	{"verify/distribution", []string{"empirical", "empirical/confidence", "verify", "verify/mean", "verify/outputs"}, "claims about distributions"},
	{"verify/inputs", []string{"verify"}, "pairs and spaces of inputs know no check"},
	{"verify/worstcase", []string{"empirical", "empirical/confidence", "verify", "verify/distribution", "verify/inputs", "verify/mean", "verify/privacy"}, "checks at inputs that a search finds"},
	{"verify/checkpoint", []string{"empirical", "verify"}, "a checkpoint knows no check"},
	{"verify/formula", []string{"bounds/printed", "empirical/confidence", "verify"}, "formulas against formulas, and reported numbers against each other"},
	{"verify/training", []string{"empirical", "empirical/confidence", "empirical/distinguisher", "empirical/sequential", "verify", "verify/outputs", "verify/privacy"}, "audits of trainings"},
	{"verify/privacy/internal/diagnosis", []string{"empirical/confidence", "empirical/distinguisher", "verify", "verify/guarantee", "verify/inputs"}, "a diagnosis knows no check"},
	{"verify/guarantee", []string{"empirical/confidence", "empirical/sequential"}, "privacy definitions know no check"},
	{"verify/privacy", []string{"bounds", "empirical", "empirical/confidence", "empirical/distinguisher", "empirical/sequential", "verify", "verify/formula", "verify/guarantee", "verify/inputs", "verify/outputs"}, "privacy claims"},
	{"verify/mean", []string{"empirical", "empirical/confidence", "verify", "verify/outputs"}, "claims about means"},
	{"verify/accounting/trial", []string{"bounds/accountant/event", "empirical/confidence"}, "simulators of events share no formula with the account under trial"},
	{"verify/accounting", []string{"bounds/accountant", "bounds/accountant/event", "empirical", "empirical/confidence", "verify", "verify/privacy"}, "claims that the accountant judges"},
	{"verify/process", []string{"algorithms/primitive", "empirical/...", "verify", "verify/checkpoint", "verify/outputs", "verify/replay"}, "mechanisms of any language"},
	{"verify/replay", []string{"algorithms/primitive", "bounds/accountant/...", "empirical", "verify", "verify/accounting", "verify/inputs", "verify/outputs", "verify/privacy"}, "releases by their primitives; no formula of an algorithm meets one of theory there"},
	{"verify/sensitivity", []string{"verify", "verify/inputs"}, "claims about sensitivity"},
	{"reports/...", []string{"bounds/accountant/...", "empirical", "empirical/confidence", "empirical/experiment/result", "reports/...", "verify", "verify/calibration/results"}, "pure functions of results"},
	{"cmd/cli/...", []string{"algorithms/...", "bounds/...", "empirical/...", "reports/...", "verify", "verify/accounting", "verify/calibration", "verify/calibration/results", "verify/training", "verify/worstcase", "verify/inputs", "verify/checkpoint", "verify/distribution", "verify/mean", "verify/privacy", "verify/guarantee", "verify/process", "verify/outputs", "verify/sensitivity", "verify/replay"}, "the command imports all but dptest and the ledger, which it is given"},
	{"cmd/dpverify", []string{"cmd/cli", "reports", "verify", "verify/claims"}, "the process gives the command its ledger"},
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
			if within(path, a.pkg) {
				may, known = a.may, true
				break
			}
		}
		if !known {
			t.Errorf("%s: not in the table of arrows: add a row that says what the package may import and why", path)
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
	if tree, _, internal := strings.Cut(local, "/internal/"); internal && within(path, tree+"/...") {
		return false // the compiler sees to it
	}
	if within(local, "internal/...") {
		return within(path, "internal/...") && !slices.Contains(may, local)
	}
	return !slices.ContainsFunc(may, func(pattern string) bool { return within(local, pattern) })
}

func TestForbiddenImportsAreSeen(t *testing.T) {
	for _, c := range []struct{ path, imported, reason string }{
		{"algorithms/mechanism", module + "bounds", "a shared formula would cancel its own bug"},
		{"bounds", module + "algorithms/mechanism", "the same, the other way round"},
		{"empirical", module + "verify", "measuring does not judge"},
		{"verify", module + "reports", "judging does not render"},
		{"cmd/cli", module + "verify/dptest", "it would bring rapid's flags"},
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

// Whoever renders results needs no algorithm, and compiles none.
func TestReportsCompileNoAlgorithm(t *testing.T) {
	for _, p := range list(t, "-deps", module+"reports/...") {
		if strings.HasPrefix(p.ImportPath, module+"algorithms/") {
			t.Errorf("%s is among the dependencies of reports", p.ImportPath)
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
