//go:build unix

package process

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/outputs"
)

// flood is the text that misbehaving processes write repeatedly.
var flood = bytes.Repeat([]byte("1,"), 1<<15)

// pour writes the text until the reader is gone.
func pour(to *os.File, text []byte) {
	for {
		if _, err := to.Write(text); err != nil {
			os.Exit(7)
		}
	}
}

func helperMisbehavesAtStart(mode string) {
	switch mode {
	case "speaks first":
		fmt.Println(`{"outputs": [1]}`)
	case "closes its output":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "reads nothing":
		os.Stdin.Close()
		time.Sleep(time.Hour)
	}
}

// helperMisbehaves does the mode's fault before or instead of writing the reply.
func helperMisbehaves(mode string, reply []byte) {
	switch mode {
	case "floods its output":
		pour(os.Stdout, flood)
	case "floods with lines":
		pour(os.Stdout, append(reply, '\n'))
	case "too many values":
		fmt.Printf("{\"outputs\": [%s0]}\n", strings.Repeat("[],", outputs.MaxReplyValues+1))
	case "answers twice":
		fmt.Println(string(reply))
	case "floods stderr":
		for range 200 {
			os.Stderr.Write(flood)
		}
	case "ignores signals":
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		time.Sleep(time.Hour)
	case "answers half a line":
		os.Stdout.Write(reply[:len(reply)/2])
		time.Sleep(time.Hour)
	case "exits within a reply":
		os.Stdout.Write(reply[:len(reply)/2])
		os.Exit(5)
	case "exits before the end of the line":
		os.Stdout.Write(reply)
		os.Exit(0)
	case "writes bytes":
		os.Stdout.Write([]byte("\xff\xfe\x00{\n"))
	case "no UTF-8":
		fmt.Printf("{\"outputs\": [\"\xff\"]}\n")
	case "nests":
		fmt.Println(`{"outputs": ` + strings.Repeat("[", 1<<20) + strings.Repeat("]", 1<<20) + "}")
	case "two lists":
		fmt.Printf("{\"outputs\": [], %s\n", reply[1:])
	case "allocates":
		var blocks [][]byte
		for len(blocks) < 1<<30 {
			blocks = append(blocks, bytes.Repeat([]byte{1}, 8<<20))
		}
	case "forks":
		helperForks()
		time.Sleep(time.Hour)
	}
}

// helperForks starts one child in this process group and one in another session, and writes the id of the latter to a
// file.
func helperForks() {
	child := exec.Command("sleep", "600")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	child.Stdout, child.Stderr = os.Stdout, os.Stderr
	if err := child.Start(); err != nil {
		panic(err)
	}
	if err := notePID(child.Process.Pid); err != nil {
		panic(err)
	}
	if err := exec.Command("sleep", "600").Start(); err != nil {
		panic(err)
	}
}

// A fault of a process is an error only of its own claim, with the cause. Other claims are judged.
func TestProcessIsContained(t *testing.T) {
	t.Parallel() // mostly waits
	file := filepath.Join(t.TempDir(), "child")
	linux := runtime.GOOS == "linux"
	cases := []struct {
		mode, want string
		skip       bool
	}{
		{"floods its output", "wrote more than 64 MB in one line", false},
		{"floods with lines", "wrote more than one line in reply to request", !linux},
		{"too many values", "holds more than 4194304 values", false},
		{"answers twice", "reply to request ", !linux}, // the error names the second line or a reply of the wrong size
		{"speaks first", " to request ", false},
		{"floods stderr", "", false},
		{"ignores signals", "gave no reply within", false},
		{"answers half a line", "gave no reply within", false},
		{"exits within a reply", "ended (exit status 5) before its first reply", false},
		{"exits before the end of the line", "ended (exit status 0) before its first reply", false},
		{"writes bytes", "not in UTF-8", false},
		{"no UTF-8", "not in UTF-8", false},
		{"nests", "more than 64 deep", false},
		{"two lists", "outputs occurs twice", false},
		{"closes its output", "closed its output before its first reply", false},
		{"reads nothing", "gave no reply within", false},
		{"allocates", "out of memory", !linux || raceEnabled},
		{"forks", "gave no reply within", false},
		{"good", "", false},
	}
	var claims []verify.Claim
	for i, c := range cases {
		p := containedProcess(t, c.mode, "CHILD_FILE="+file)
		claims = append(claims, verify.Claim{
			ID: fmt.Sprintf("audit/%d", i), Source: c.mode, Statement: "s", Kind: verify.Privacy, Check: helperAudit(p),
			Control: verify.Control{Check: helperAudit(p), Want: []verify.Verdict{verify.Error}, Fault: "f"},
		})
	}
	l, err := verify.NewLedger(claims...)
	if err != nil {
		t.Fatal(err)
	}
	run, err := l.Run(context.Background(), l.Claims(), verify.Options{Seed: 1, Alpha: 1e-6, Budget: verify.Standard, Workers: 6}) // most workers wait
	if err != nil || len(run.Results) != len(cases) {
		t.Fatalf("%d results, %v", len(run.Results), err)
	}
	for i, c := range cases {
		r := run.Results[i]
		message := strings.Join(r.Warnings, "; ")
		switch {
		case c.skip:
		case c.want == "" && (r.Verdict == verify.Error || r.Verdict == verify.Refuted):
			t.Errorf("%s: %s, %s", c.mode, r.Verdict, message)
		case c.want != "" && (r.Verdict != verify.Error || !strings.Contains(message, c.want)):
			t.Errorf("%s: %s, %s; want the error %q", c.mode, r.Verdict, message, c.want)
		case len(message) > 3*maxStderr:
			t.Errorf("%s: the message is %d bytes long", c.mode, len(message))
		}
	}
	if linux { // other systems do not find processes outside the group
		wantGone(t, file)
	}
}

func containedProcess(t *testing.T, mode string, variables ...string) *Process {
	t.Helper()
	command := slices.Concat([]string{"env", helperMode + "=" + mode}, variables, []string{os.Args[0], "-test.run=^TestProcessHelper$"})
	p := &Process{Command: command, Timeout: 20 * time.Second}
	switch mode {
	case "ignores signals", "answers half a line", "reads nothing", "forks":
		p.Timeout = 2 * time.Second
	case "allocates":
		p.Memory = 256 << 20
	}
	if raceEnabled {
		p.Memory = 1 << 50 // the race detector maps terabytes
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// The input of a request is larger than a pipe, and the process reads none of it.
func TestProcessThatReadsNothing(t *testing.T) {
	t.Parallel()
	p := containedProcess(t, "reads nothing")
	input := json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
	if _, err := p.Release(empirical.NewSeed(1).Rand(), input); err == nil {
		t.Error("no error")
	}
}
