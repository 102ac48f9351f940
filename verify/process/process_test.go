//go:build unix

package process

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
	"github.com/dpverify/dpverify/verify/privacy"
)

// helperMode is the environment variable that makes the test binary answer requests. Its value is the behavior.
const helperMode = "DPVERIFY_TEST_PROCESS"

func TestProcessHelper(t *testing.T) {
	mode := os.Getenv(helperMode)
	if mode == "" {
		t.Skip("runs only as the process of other tests")
	}
	helper(mode)
	os.Exit(0)
}

// startNoise is drawn when a process starts and differs between starts.
var startNoise = rand.NormFloat64()

func helper(mode string) {
	if mode == "dies at start" {
		fmt.Fprintln(os.Stderr, "no such module: numpy")
		os.Exit(3)
	}
	helperMisbehavesAtStart(mode)
	start := rand.New(rand.NewPCG(7, 7)) // drawn at the start, the same in each start
	lines := bufio.NewScanner(os.Stdin)
	for k := 1; lines.Scan(); k++ {
		var q request
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			panic(err)
		}
		var x float64
		if err := json.Unmarshal(q.Input, &x); err != nil {
			panic(err)
		}
		helperReply(mode, k, x, q, start)
	}
}

func helperReply(mode string, k int, x float64, q request, start *rand.Rand) {
	r := rand.New(rand.NewPCG(1, 1))
	if q.Seed != nil {
		r = rand.New(rand.NewPCG(*q.Seed, 0))
	} else if mode == "keeps a noise" {
		r = rand.New(rand.NewPCG(rand.Uint64(), 0))
	} else if mode == "good" {
		mode = "draws its own"
	}
	switch mode {
	case "ignores the seed":
		r = rand.New(rand.NewPCG(1, 1))
	case "starts alike":
		r = start
	case "counts its calls":
		r = rand.New(rand.NewPCG(*q.Seed, uint64(k)))
	case "draws its own":
		r = rand.New(rand.NewPCG(rand.Uint64(), 0))
	}
	outputs := make([]any, q.N)
	for i := range outputs {
		outputs[i] = x + r.NormFloat64()*4
	}
	switch mode {
	case "noisier":
		for i := range outputs {
			outputs[i] = x + r.NormFloat64()*5
		}
	case "rare":
		for i := range outputs {
			outputs[i] = r.IntN(q.N) == 0
		}
	case "verbatim":
		for i := range outputs {
			outputs[i] = q.Input
		}
	case "repeats one":
		for i := range outputs {
			outputs[i] = outputs[0]
		}
	case "carries a state":
		for i := range outputs[1:] {
			outputs[i+1] = 0.95*outputs[i].(float64) + r.NormFloat64()
		}
	case "keeps a noise": // in about half of its outputs
		for i := range outputs {
			if r.IntN(2) == 0 {
				outputs[i] = x + startNoise
			}
		}
	case "tells its environment":
		variables := os.Environ()
		slices.Sort(variables)
		for i := range outputs {
			outputs[i] = strings.Join(variables, "\n")
		}
	case "spells NaN":
		outputs[0] = "NaN"
	case "out of range":
		outputs[0] = json.RawMessage("1e400")
	case "two kinds":
		outputs[len(outputs)-1] = "yes"
	case "objects":
		outputs[0] = map[string]any{"value": 1}
	case "too few":
		outputs = outputs[1:]
	case "slow to read":
		outputs[0] = json.RawMessage("[" + strings.Repeat("1,", 4_000_000) + "1]")
	}
	switch {
	case mode == "dies midway" && k > 3:
		fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 10_000)+"ZeroDivisionError")
		os.Exit(4)
	case mode == "hangs" && k > 1:
		if err := notePID(os.Getpid()); err != nil {
			panic(err)
		}
		time.Sleep(time.Hour)
	case mode == "leaves a child":
		helperChild()
		time.Sleep(time.Hour)
	case mode == "rubbish":
		fmt.Println("Traceback (most recent call last):")
		return
	case mode == "other shape":
		fmt.Println(`[1, 2, 3]`)
		return
	case mode == "no outputs":
		fmt.Println(`{"output": [1]}`)
		return
	case mode == "bare NaN":
		fmt.Println(`{"outputs": [NaN]}`)
		return
	}
	line, err := json.Marshal(map[string]any{"outputs": outputs})
	if err != nil {
		panic(err)
	}
	helperMisbehaves(mode, line)
	fmt.Println(string(line))
}

// helperChild starts a process that outlives this one, and writes its id to a file.
func helperChild() {
	child := exec.Command("sleep", "600")
	child.Stdout, child.Stderr = os.Stdout, os.Stderr // it holds the pipes too
	if err := child.Start(); err != nil {
		panic(err)
	}
	if err := notePID(child.Process.Pid); err != nil {
		panic(err)
	}
}

// notePID writes a process id to the file that the test reads, if there is one.
func notePID(pid int) error {
	if file := os.Getenv("CHILD_FILE"); file != "" {
		return os.WriteFile(file, []byte(strconv.Itoa(pid)), 0o666)
	}
	return nil
}

func helperProcess(t *testing.T, mode string) *Process {
	t.Helper()
	// The program env sets the variable. A test that calls Setenv could not run in parallel.
	p := &Process{Command: []string{"env", helperMode + "=" + mode, os.Args[0], "-test.run=^TestProcessHelper$"}, Timeout: 20 * time.Second}
	if mode == "hangs" || mode == "leaves a child" {
		p.Timeout = 300 * time.Millisecond
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func helperAudit(p *Process) verify.Check {
	return Check{Process: p, Check: privacy.Audit[json.RawMessage, any]{
		Mechanism: p, Guarantee: privacy.ApproximateDP(2, 1e-3), Samples: 4000,
		Pairs: []inputs.Pair[json.RawMessage]{{Name: "0 and 1", A: json.RawMessage("0"), B: json.RawMessage("1")}},
	}}
}

// A Seedless process gets no seed, and the evidence has a warning. Equal replies are still an error.
func TestSeedless(t *testing.T) {
	for _, c := range []struct{ mode, fails string }{
		{"good", ""},
		{"ignores the seed", "starts from the same randomness each time"},
		{"starts alike", "starts from the same randomness each time"},
	} {
		p := helperProcess(t, c.mode)
		p.Seedless = true
		s := verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}
		e, err := verify.Judge(context.Background(), helperAudit(p), s, empirical.NewPool(2), nil)
		switch {
		case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails) ||
			strings.Contains(strings.Replace(err.Error(), c.mode, "", 1), "seed")): // the command holds the mode
			t.Errorf("%s: error %v, want %q", c.mode, err, c.fails)
		case c.fails == "" && (err != nil || !e.Unseeded || !slices.Contains(e.Warnings, verify.SeedlessProcess)):
			t.Errorf("%s: error %v, warnings %q", c.mode, err, e.Warnings)
		}
	}
}

func TestProcessFails(t *testing.T) {
	for _, c := range []struct{ mode, want, also string }{
		{"dies at start", "before its first reply", "no such module: numpy"},
		{"dies midway", "ended (exit status 4) after", "ZeroDivisionError"},
		{"hangs", "no reply within 300ms", "flush"},
		{"rubbish", "unusable reply to request 1", `"Traceback (most recent call last):"`},
		{"other shape", "unusable reply", "[1, 2, 3]"},
		{"no outputs", `no "outputs"`, "unusable"},
		{"bare NaN", "not finite", `"nan"`},
		{"objects", "two kinds, object and number", "of one kind"},
		{"spells NaN", `output 1: "NaN"`, `written "nan", "inf" and "-inf"`},
		{"out of range", "output 1: 1e400 is beyond the range of a double", "unusable"},
		{"too few", "outputs, want", "unusable"},
		{"two kinds", "two kinds, number and string", "of one kind"},
		{"ignores the seed", "ignores the seed", "not independent"},
		{"starts alike", "starts from the same randomness each time", "ignores the seed"},
		{"counts its calls", "its outputs depend on the number of calls made before: ", "keep no state from one call to the next"},
		{"carries a state", "outputs are not independent", "draw every output afresh"},
		{"repeats one", "all outputs are the same", "draw every output afresh"},
	} {
		t.Run(c.mode, func(t *testing.T) {
			p := helperProcess(t, c.mode)
			s := verify.Settings{Budget: verify.Standard, Alpha: 1e-6, Seed: empirical.NewSeed(1)}
			_, err := verify.Judge(context.Background(), helperAudit(p), s, empirical.NewPool(2), nil)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.also) {
				t.Fatalf("error %v\nwant %q and %q", err, c.want, c.also)
			}
			if len(err.Error()) > 2*maxStderr {
				t.Errorf("the error is %d bytes long", len(err.Error()))
			}
		})
	}
}

// A correct process is judged like a Go mechanism, and the same way each time.
func TestProcessIsAudited(t *testing.T) {
	var first verify.Evidence
	for i, mode := range []string{"good", "good", "draws its own"} {
		e := verifytest.JudgeAt(t, helperAudit(helperProcess(t, mode)), 1)
		if e.Verdict == verify.Refuted || e.Samples == 0 {
			t.Errorf("%s: %s at %s", mode, e.Verdict, e.WorstCase)
		}
		switch {
		case i == 0:
			first = e
		case i == 1 && (first.Measured != e.Measured || first.WorstCase != e.WorstCase):
			t.Errorf("the same seed gives %v at %s and then %v at %s", first.Measured, first.WorstCase, e.Measured, e.WorstCase)
		case i == 2 && !strings.Contains(strings.Join(e.Warnings, " "), "cannot be repeated"):
			t.Errorf("%s: warnings %q", mode, e.Warnings)
		}
	}
}

// Equal replies are accepted if their outputs are nearly always the same.
func TestProcessOfRareEvents(t *testing.T) {
	p := helperProcess(t, "rare")
	r := empirical.NewSeed(1).Rand()
	out := make([]any, 256)
	for range 300 {
		if err := p.ReleaseN(r, json.RawMessage("0"), out); err != nil {
			t.Fatal(err)
		}
	}
}

func TestProcessEndsWithItsChildren(t *testing.T) {
	file := filepath.Join(t.TempDir(), "child")
	t.Setenv("CHILD_FILE", file)
	p := helperProcess(t, "leaves a child")
	if _, err := p.Release(empirical.NewSeed(1).Rand(), json.RawMessage("0")); err == nil {
		t.Fatal("a process that hangs causes no error")
	}
	wantGone(t, file)
}

// wantGone reads a process id and waits for the process to be gone.
func wantGone(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if !alive(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d still runs", pid)
}

// alive reports whether a process runs. A process that is gone or waits to be reaped does not run.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func TestProcessAfterClose(t *testing.T) {
	p := helperProcess(t, "good")
	r := empirical.NewSeed(1).Rand()
	if _, err := p.Release(r, json.RawMessage("0")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Release(r, json.RawMessage("0")); err == nil {
		t.Error("a release after Close causes no error")
	}
}

// A claim that runs out of time ends its process.
func TestProcessOfAClaimOutOfTime(t *testing.T) {
	file := filepath.Join(t.TempDir(), "process")
	t.Setenv("CHILD_FILE", file)
	p := helperProcess(t, "hangs")
	p.Timeout = time.Hour
	l, err := verify.NewLedger(verify.Claim{ID: "audit/slow", Source: "here", Statement: "s", Kind: verify.Privacy, Check: helperAudit(p)})
	if err != nil {
		t.Fatal(err)
	}
	run, err := l.Run(context.Background(), l.Claims(), verify.Options{Seed: 1, Alpha: 1e-6, Budget: verify.Standard, Workers: 1, Timeout: 500 * time.Millisecond})
	if err != nil || run.Results[0].Verdict != verify.Error || !strings.Contains(run.Results[0].Warnings[0], "no result within") {
		t.Fatalf("%v, %+v", err, run.Results)
	}
	if err := p.Close(); err != nil { // like dpverify at its end
		t.Fatal(err)
	}
	wantGone(t, file)
}

func TestProcessChecksItself(t *testing.T) {
	for _, p := range []*Process{{}, {Command: []string{""}}, {Command: []string{"true"}, Timeout: -1}} {
		if p.Check() == nil {
			t.Errorf("%v is accepted", p.Command)
		}
	}
	p := &Process{Command: []string{filepath.Join(t.TempDir(), "none")}}
	if _, err := p.Release(empirical.NewSeed(1).Rand(), json.RawMessage("0")); err == nil || !strings.Contains(err.Error(), "cannot be started") {
		t.Errorf("a command that does not exist: %v", err)
	}
	p = &Process{Command: []string{"no-such-program mechanism.py"}}
	if _, err := p.Release(empirical.NewSeed(1).Rand(), json.RawMessage("0")); err == nil || !strings.Contains(err.Error(), "as separate words, as in [python3, mechanism.py]") {
		t.Errorf("a command line in one word: %v", err)
	}
}

// The timeout includes the time to read a reply.
func TestProcessWhoseRepliesAreSlowToRead(t *testing.T) {
	t.Parallel()
	p := helperProcess(t, "slow to read")
	p.Timeout = 200 * time.Millisecond
	_, err := p.Release(empirical.NewSeed(1).Rand(), json.RawMessage("0"))
	if err == nil || !strings.Contains(err.Error(), "to arrive and to be read") && !strings.Contains(err.Error(), "gave no reply within") {
		t.Errorf("a reply that takes long to read: %v", err)
	}
}
