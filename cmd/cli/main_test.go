package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims"
)

// ours returns the program with the claim set of this module.
func ours() Program {
	p := Program{Ledger: claims.Ledger, Remarks: claims.ReviewerNotes}
	for _, paper := range claims.Papers() {
		p.Papers = append(p.Papers, reports.Paper(paper))
	}
	return p
}

// run runs a command of that program.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return ours().app(stdout, stderr).run(ctx, args)
}

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

// The scripts run two commands: dpverify, and stub, which is dpverify with a stub claim set that has a claim for
// every verdict.
func TestMain(m *testing.M) {
	testscript.Main(tests{m}, map[string]func(){"dpverify": func() { processors(); os.Exit(Main(ours())) }, "stub": stubMain, "forms": formsMain})
}

// processors sets the number of processors to --workers, default 1. The scripts run in parallel, and in a command of
// a tenth of a second waking a second processor takes as long as the work.
func processors() {
	n := 1
	if at := slices.Index(os.Args, "--workers"); at > 0 && at+1 < len(os.Args) {
		n, _ = strconv.Atoi(os.Args[at+1])
	}
	runtime.GOMAXPROCS(max(1, n))
}

// tests puts the real python3 at the front of the PATH, because the wrapper script of a version manager starts ten
// times as slowly. The flag -S skips the search for installed packages, which takes longer than the mechanisms of the
// tests.
type tests struct{ *testing.M }

func (m tests) Run() int {
	// The processes are short and small, so a larger heap saves garbage collections.
	debug.SetGCPercent(400)
	if err := os.Setenv("GOGC", "400"); err != nil {
		panic(err)
	}
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if python := strings.TrimSpace(string(out)); err == nil && filepath.IsAbs(python) {
		dir, err := os.MkdirTemp("", "python")
		if err == nil {
			defer os.RemoveAll(dir)
			err = os.WriteFile(filepath.Join(dir, "python3"), []byte("#!/bin/sh\nexec '"+python+"' -S \"$@\"\n"), 0o700)
		}
		if err == nil {
			err = os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		}
		if err != nil {
			panic(err)
		}
	}
	return m.M.Run()
}

func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../../testdata") // rejects changes the working directory
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(root, "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("DATA", filepath.Join(root, "data"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "rejects": rejects, "waitfile": waitFile, "replace": replaceOnce},
		Condition: func(name string) (bool, error) {
			switch name {
			case "long":
				return testutil.Included() || *update, nil
			case "hangup": // under nohup SIGHUP is ignored, also by child processes
				return !signal.Ignored(syscall.SIGHUP), nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
	})
}

// exits runs a command and wants an exit code: exits 2 dpverify frob.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG…]")
	}
	got := "0"
	err := ts.Exec(args[1], args[2:]...)
	var code interface{ ExitCode() int }
	if errors.As(err, &code) {
		got = strconv.Itoa(code.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("%v exits with %s, want %s", args[1:], got, args[0])
	}
}

// rejects wants exit code 2 from dpverify: rejects frob. It runs the command in this process, because starting a process
// takes longer than rejecting the arguments. The command gets none of the script's variables.
func rejects(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: rejects [ARG…]")
	}
	stdout, stderr := ts.Stdout(), ts.Stderr()
	workingDir.Lock()
	defer workingDir.Unlock()
	home, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	code := run(context.Background(), args, stdout, stderr)
	ts.Check(os.Chdir(home))
	if code != codeUsage {
		ts.Fatalf("%v exits with %d, want %d", args, code, codeUsage)
	}
}

// workingDir is locked by a script that changes the working directory of this process.
var workingDir sync.Mutex

// waitFile waits until a background command has created a file.
func waitFile(ts *testscript.TestScript, _ bool, args []string) {
	for range 1000 {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("%s does not appear", args[0])
}

// replaceOnce replaces the first occurrence of a text in a file: replace OLD NEW FILE.
func replaceOnce(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace OLD NEW FILE")
	}
	text := ts.ReadFile(args[2])
	if !strings.Contains(text, args[0]) {
		ts.Fatalf("%s has no %q", args[2], args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(strings.Replace(text, args[0], args[1], 1)), 0o666))
}

func stubMain() {
	a := &app{
		ledger: stubLedger, version: "v0.0.0-stub", every: 20 * time.Millisecond, stdout: os.Stdout, stderr: os.Stderr,
		papers: []reports.Paper{{ID: "stub", Title: "One Claim of Each Verdict", Authors: "Nobody", Year: 1999, File: "verify/claims/stub/stub.go"}},
	}
	os.Exit(a.run(interruptContext(), os.Args[1:]))
}

// stubLedger returns one claim for each verdict, and some claims that fail.
func stubLedger() (*verify.Ledger, error) {
	claim := func(id string, check verify.Check) verify.Claim {
		return verify.Claim{
			ID: id, Source: "p. 1", Statement: "the claim " + id, Kind: verify.Identity, Check: check,
			Control: verify.Control{Check: foundVerdict(verify.Refuted, 2), Want: []verify.Verdict{verify.Refuted}, Fault: "twice the value"},
		}
	}
	refuted := claim("stub/refuted", foundVerdict(verify.Refuted, 2))
	refuted.Corrected = "stub/refuted/corrected"
	return verify.NewLedger(
		claim("stub/holds", foundVerdict(verify.Holds, 1)), refuted, claim("stub/refuted/corrected", foundVerdict(verify.Holds, 1)),
		claim("stub/contradictory", foundVerdict(verify.Contradictory, 3)), claim("stub/vacuous", foundVerdict(verify.Vacuous, 1)),
		claim("stub/consistent", foundVerdict(verify.Consistent, 1)), claim("stub/inconclusive", foundVerdict(verify.Inconclusive, 1)),
		claim("stub/untestable", foundVerdict(verify.Untestable, 1)), claim("stub/not-run", foundVerdict(verify.NotRun, 1)),
		claim("bad/fails", verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) {
			return nil, errors.New("the check fails")
		})),
		claim("bad/panics", verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) { panic("the check panics") })),
		claim("bad/waits", verify.CheckFunc(func(ctx context.Context, _ verify.Settings) (verify.Trial, error) {
			if file := os.Getenv("STARTED"); file != "" {
				if err := os.WriteFile(file, nil, 0o666); err != nil {
					return nil, err
				}
			}
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})),
		claim("bad/hangs", verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) { select {} })),
		claim("slow/sampled", slow{}),
	)
}

func foundVerdict(v verify.Verdict, measured float64) verify.Check {
	return verify.CheckFunc(func(context.Context, verify.Settings) (verify.Trial, error) {
		e := verify.Evidence{Verdict: v, Exact: true, Quantity: "the figure", Method: "made up"}
		x := verify.Num(measured)
		e.CopyWorst(verify.Cell{Label: "n=1", Claimed: verify.Num(1), Measured: x, Lower: x, Upper: x})
		return verify.Decided(e), nil
	})
}

// slow takes long enough for progress to be seen.
type slow struct{ verify.Decided }

func (slow) Prepare(context.Context, verify.Settings) (verify.Trial, error) { return slow{}, nil }
func (slow) Plan() empirical.Plan {
	return empirical.Plan{Shards: 10, SamplesPerShard: 100, Effect: 0.1, Power: 0.99}
}
func (slow) Sample(context.Context, empirical.Shard) (empirical.Tally, error) {
	time.Sleep(20 * time.Millisecond)
	return empirical.NoTally{}, nil
}
func (slow) Judge(empirical.Tally) (verify.Evidence, error) {
	return verify.Evidence{Verdict: verify.Consistent, Samples: 1000, Method: "slowly", Power: "a difference of 0.1 would have been seen"}, nil
}
