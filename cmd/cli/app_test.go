package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

func TestExitCodePrecedence(t *testing.T) {
	run := func(interrupted bool, verdicts ...verify.Verdict) verify.Run {
		r := verify.Run{Interrupted: interrupted}
		for _, v := range verdicts {
			r.Results = append(r.Results, verify.Result{Evidence: verify.Evidence{Verdict: v}})
		}
		return r
	}
	cases := []struct {
		reason                 string
		run                    verify.Run
		refutedIsError, strict bool
		want                   int
	}{
		{"no refuted or failed claim", run(false, verify.Holds, verify.Consistent, verify.Vacuous, verify.Untestable), true, true, codeFine},
		{"no claim was judged", run(false), true, true, codeFine},
		{"refuted", run(false, verify.Holds, verify.Refuted), true, false, codeRefuted},
		{"the paper contradicts itself", run(false, verify.Contradictory), true, false, codeRefuted},
		{"refuted, in a report", run(false, verify.Refuted), false, true, codeFine},
		{"inconclusive", run(false, verify.Inconclusive), true, false, codeFine},
		{"inconclusive, strict", run(false, verify.Inconclusive), true, true, codeInconclusive},
		{"not run, strict, in a report", run(false, verify.NotRun), false, true, codeInconclusive},
		{"refuted before inconclusive", run(false, verify.Inconclusive, verify.Refuted), true, true, codeRefuted},
		{"failed before refuted", run(false, verify.Refuted, verify.Error), true, true, codeFailed},
		{"failed, in a report", run(false, verify.Error), false, false, codeFailed},
		{"interrupted before all", run(true, verify.Refuted, verify.Error), true, true, codeInterrupted},
	}
	for _, c := range cases {
		a := &app{stderr: &bytes.Buffer{}}
		if got := a.exit(nil, outcome(c.run, exempt(reports.Document{}), c.refutedIsError, c.strict)); got != c.want {
			t.Errorf("%s: %d, want %d", c.reason, got, c.want)
		}
	}
}

// TestOutcomeCountsExemptClaims checks that the totals include exempt claims, as the report's do, and that the list of
// claims does not.
func TestOutcomeCountsExemptClaims(t *testing.T) {
	result := func(id string, origin verify.Origin) verify.Result {
		return verify.Result{Claim: verify.Claim{ID: id, Origin: origin}, Evidence: verify.Evidence{Verdict: verify.Refuted}}
	}
	run := verify.Run{Results: []verify.Result{result("x", verify.Stated), result("known", verify.Stated)}}
	known := exempt(reports.Document{Excused: map[string]reports.Excuse{"known": {}, "known/ours": {}}})
	if err, want := outcome(run, known, true, false), "1 of 2 claims refuted: x"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	run.Results = append(run.Results, result("known/ours", verify.Observation))
	want := "1 of the papers' 2 claims and 0 of our 1 refuted: x"
	if err := outcome(run, known, true, false); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestRun(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), []string{"version"}, &stdout, &stderr); code != codeFine || stderr.Len() > 0 || stdout.Len() == 0 {
		t.Errorf("exit %d, stdout %q, stderr %q", code, &stdout, &stderr)
	}
}

func TestInterruptedExitsWith130(t *testing.T) {
	data := filepath.Join("..", "..", "testdata", "data", "wdbc.csv")
	for _, args := range [][]string{
		{"verify", "stub/holds"}, {"report"}, {"explain", "bad/waits"}, {"experiment", "prestige/fig-4", "--train", data},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		var stderr bytes.Buffer
		a := &app{ledger: stubLedger, papers: ours().Papers, every: 1e9, stdout: &bytes.Buffer{}, stderr: &stderr}
		if code := a.run(ctx, args); code != 130 {
			t.Errorf("%v exits with %d, want 130: %s", args, code, &stderr)
		}
	}
}

func TestLedgerThatDoesNotFit(t *testing.T) {
	for _, args := range [][]string{{"report"}, {"verify"}, {"list"}, {"explain", "a/b"}} {
		var stdout, stderr bytes.Buffer
		a := &app{ledger: func() (*verify.Ledger, error) { return nil, errors.New("claim given twice") }, stdout: &stdout, stderr: &stderr}
		if code := a.run(context.Background(), args); code != codeFailed {
			t.Errorf("%v exits with %d, want %d", args, code, codeFailed)
		}
	}
}

func TestOutputThatFails(t *testing.T) {
	var stderr bytes.Buffer
	a := &app{ledger: stubLedger, every: 1e9, stdout: failing{}, stderr: &stderr}
	if code := a.run(context.Background(), []string{"list"}); code != codeUsage {
		t.Errorf("exit %d, want %d: %s", code, codeUsage, &stderr)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "report.md"), filepath.Join(dir, "link.md")
	put(t, path, "old")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := claimsfile.WriteFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "new" {
		t.Errorf("the target of the link contains %q, %v", got, err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is now %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if err := claimsfile.WriteFile(os.DevNull, []byte("lost")); err != nil {
		t.Errorf("a device: %v", err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Error("the device was replaced by a file")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("temporary files remain: %v, %v", entries, err)
	}
}

// A module with its own ledger gets the command for it.
func TestProgramOfAnotherLedger(t *testing.T) {
	own := Program{
		Ledger: func() (*verify.Ledger, error) {
			return verify.NewLedger(verify.Claim{
				ID: "own/true", Source: "p. 1", Statement: "one is one", Kind: verify.Identity, Check: foundVerdict(verify.Holds, 1),
				Control: verify.Control{Check: foundVerdict(verify.Refuted, 2), Want: []verify.Verdict{verify.Refuted}, Fault: "two"},
			})
		},
		Papers: []reports.Paper{{ID: "own", Title: "A Paper", Authors: "Somebody", Year: 2000}},
	}
	for _, args := range [][]string{{"list"}, {"verify", "own/true"}, {"report"}} {
		var stdout, stderr bytes.Buffer
		if code := own.app(&stdout, &stderr).run(context.Background(), args); code != codeFine || !strings.Contains(stdout.String(), "own/true") || strings.Contains(stdout.String(), "prestige/") {
			t.Errorf("%q exits with %d: %s%s", args, code, &stdout, &stderr)
		}
	}
}
