package command

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
	{"verify/claims/...", []string{"verify/remark", "algorithms/...", "bounds/...", "empirical/...", "verify", "verify/accounted", "verify/claims/...", "verify/mean", "verify/neighbours", "verify/printed", "verify/privacy", "verify/relation", "verify/sensitivity", "verify/series", "verify/trace"}, "the ledger binds everything below it"},
	{"verify/calibration/results", []string{"verify"}, "results are plain data"},
	{"verify/calibration", []string{"verify", "verify/canary", "verify/privacy", "verify/runs", "verify/printed", "verify/neighbours", "verify/trace", "verify/calibration/results", "verify/accounted", "verify/recording", "algorithms/...", "bounds/...", "empirical/...", "verify/found", "verify/inputs", "verify/law", "verify/mean", "verify/relation", "verify/sensitivity"}, "the auditor is measured on claims of known truth"},
	{"verify/dptest", []string{"algorithms/primitive", "empirical", "pgregory.net/rapid", "verify", "verify/accounted", "verify/canary", "verify/found", "verify/inputs", "verify/law", "verify/mean", "verify/neighbours", "verify/outputs", "verify/privacy", "verify/recording", "verify/runs", "verify/sensitivity", "verify/trace", "verify/why"}, "the go test façade"},
	{"verify/internal/words", nil, "phrases know nothing"},
	{"verify/internal/sizes", nil, "sizes know nothing"},
	{"verify/internal/dependence", nil, "outputs depend on one another, whatever they are checked for"},
	{"verify/internal/values", nil, "outputs are numbers as they are written"},
	{"internal/verifytest", []string{"empirical/...", "internal/rng", "internal/testutil", "verify", "verify/journal"}, "help for tests knows no check"},
	{"verify/internal/source", []string{"verify"}, "sources are a check's"},
	{"verify/outputs", []string{"empirical/distinguisher", "verify"}, "outputs of any type as the checks take them"},
	{"verify/law", []string{"empirical", "empirical/confidence", "verify", "verify/basis", "verify/mean"}, "claims about distributions"},
	{"verify/neighbours", nil, "pairs of inputs know nothing of checks"},
	{"verify/inputs", []string{"verify/neighbours"}, "spaces of inputs, and the search for the worst, know nothing of checks"},
	{"verify/found", []string{"empirical", "empirical/confidence", "verify", "verify/basis", "verify/inputs", "verify/law", "verify/mean", "verify/neighbours", "verify/privacy"}, "checks at inputs that are found"},
	{"verify/journal", []string{"empirical", "verify"}, "a journal knows no check"},
	{"verify/series", []string{"empirical/...", "verify"}, "curves are measured"},
	{"verify/relation", []string{"verify", "verify/series"}, "formulas against formulas"},
	{"verify/canary", []string{"empirical/...", "verify", "verify/basis", "verify/privacy"}, "audits of training runs"},
	{"verify/runs", []string{"empirical/...", "verify", "verify/basis", "verify/canary", "verify/privacy", "verify/recording"}, "audits of many training runs"},
	{"verify/privacy/internal/likeness", []string{"empirical/confidence", "empirical/distinguisher", "verify/privacy/notion", "verify/why"}, "what outputs look like knows no check"},
	{"verify/privacy/internal/showing", []string{"empirical/confidence", "empirical/distinguisher", "verify", "verify/bands", "verify/neighbours", "verify/privacy/notion", "verify/why"}, "what a search has seen knows no check"},
	{"verify/privacy/internal/curves", nil, "divergences are formulas"},
	{"verify/privacy/curvefile", []string{"empirical/confidence", "verify/privacy/notion"}, "curves are read from files"},
	{"verify/privacy/notion/...", []string{"empirical/confidence", "empirical/sequential"}, "notions of privacy know no check"},
	{"verify/privacy/internal/lowbits", []string{"empirical/distinguisher"}, "features of bits are rows"},
	{"verify/privacy/internal/sight", []string{"empirical/confidence", "empirical/distinguisher", "verify", "verify/privacy/notion"}, "power knows no check"},
	{"verify/basis", nil, "results are plain data"},
	{"verify/mean/internal/facts", []string{"empirical/confidence", "verify", "verify/series"}, "results are plain data"},
	{"verify/privacy/internal/facts", []string{"empirical/confidence", "empirical/sequential", "verify", "verify/privacy/notion"}, "results are plain data"},
	{"verify/mean/internal/catoni", []string{"empirical", "empirical/confidence"}, "intervals are tallies"},
	{"verify/privacy/internal/pooling", []string{"empirical", "empirical/distinguisher", "verify/neighbours"}, "pairs share rows of inputs"},
	{"verify/privacy/internal/draw", []string{"verify"}, "releases in batches"},
	{"verify/recording", []string{"empirical", "verify", "verify/basis"}, "recorded outputs are values, and judged"},
	{"verify/privacy/layout", []string{"verify"}, "what is drawn is plain data"},
	{"verify/privacy", []string{"bounds", "empirical/...", "verify", "verify/bands", "verify/basis", "verify/inputs", "verify/neighbours", "verify/privacy/layout", "verify/privacy/notion", "verify/recording", "verify/relation", "verify/why"}, "privacy claims"},
	{"verify/accounted/trial", []string{"bounds/accountant/event", "empirical/confidence"}, "simulators of events share no formula with the account under trial"},
	{"verify/accounted", []string{"bounds/accountant/...", "empirical", "empirical/confidence", "verify", "verify/basis", "verify/privacy"}, "claims that the accountant judges"},
	{"verify/process", []string{"algorithms/primitive", "empirical/...", "verify", "verify/journal", "verify/trace"}, "mechanisms of any language"},
	{"verify/trace", []string{"algorithms/primitive", "bounds/accountant/...", "empirical", "verify", "verify/accounted", "verify/basis", "verify/neighbours", "verify/outputs", "verify/privacy"}, "releases by their primitives; no formula of an algorithm meets one of theory there"},
	{"verify/mean", []string{"empirical/...", "verify", "verify/basis", "verify/series"}, "claims about means"},
	{"verify/sensitivity", []string{"verify", "verify/basis", "verify/neighbours"}, "claims about sensitivity"},
	{"verify/printed", []string{"bounds/printed", "empirical/...", "verify", "verify/relation"}, "claims about printed numbers"},
	{"verify/bands", nil, "results are plain data"},
	{"verify", []string{"empirical", "verify/bands", "verify/basis", "verify/internal/...", "verify/why"}, "judging imports measuring, and no check"},
	{"reports/...", []string{"bounds/accountant/...", "empirical", "empirical/experiment/result", "reports/...", "verify", "verify/bands", "verify/basis", "verify/calibration/results", "verify/remark", "verify/series", "verify/why"}, "pure functions of results"},
	{"verify/why", nil, "results are plain data"},
	{"cmd/command/manual", nil, "the manual is prose"},
	{"cmd/command/...", []string{"algorithms/...", "bounds/...", "cmd/command/manual", "empirical/...", "reports/...", "verify", "verify/accounted", "verify/calibration", "verify/calibration/results", "verify/canary", "verify/found", "verify/inputs", "verify/journal", "verify/law", "verify/mean", "verify/neighbours", "verify/privacy", "verify/privacy/curvefile", "verify/privacy/layout", "verify/process", "verify/recheck", "verify/recording", "verify/remark", "verify/runs", "verify/sensitivity", "verify/trace"}, "the command imports all but dptest and the ledger, which it is given"},
	{"verify/recheck", []string{"verify", "verify/accounted", "verify/basis", "verify/canary", "verify/found", "verify/law", "verify/mean", "verify/privacy", "verify/recording", "verify/runs", "verify/sensitivity", "verify/trace"}, "evidence is computed again by its checks"},
	{"verify/remark", nil, "what a referee adds to findings"},
	{"cmd/dpverify", []string{"cmd/command", "reports", "verify", "verify/claims"}, "the process gives the command its ledger"},
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
	if within(local, "internal/...") && local != "internal/verifytest" {
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
		{"cmd/command", module + "verify/dptest", "it would bring rapid's flags"},
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
