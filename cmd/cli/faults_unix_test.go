//go:build unix

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpverify/dpverify/internal/testutil"
)

// asProcess returns the command as a separate process.
func asProcess(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable() // TestMain runs the command if the test binary is called dpverify
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self, args...)
	c.Args[0], c.Dir = "dpverify", dir
	return c
}

// The first signal ends a command that waits for the writer of a FIFO, with exit code 130. With DPVERIFY_LONG all
// commands are tried.
func TestSignalsEndEveryWait(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes for seconds; run without -short")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"good.jsonl": strings.Repeat("1\n2\n", 200), "other.jsonl": strings.Repeat("2\n1\n", 200), "canaries.csv": "score,included\n" + strings.Repeat("1,1\n0,0\n", 60),
		"claims.yaml": "claims:\n  - name: x\n    recorded: {a: never, b: good.jsonl}\n    guarantee: {epsilon: 1}\n"} {
		put(t, filepath.Join(dir, name), text)
	}
	lines := []string{"audit never", "audit claims.yaml", "audit --samples-a never --samples-b other.jsonl --epsilon 1",
		"audit --samples-a good.jsonl --samples-b never --epsilon 1", "audit --canaries never --epsilon 1", "audit --training-log never --sampling fixed --batch 1 --clipping-norm 1 --noise-multiplier 1 --divisor 1 --steps 1",
		"audit --samples-a good.jsonl --samples-b other.jsonl --curve never",
		"verify prestige/remark-1 --baseline never", "diff never never", "recompute never", "merge never", "audit never --dry-run"}
	for i, line := range lines[:testutil.Size(2, len(lines))] {
		for name, signal := range map[string]syscall.Signal{"SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM} {
			t.Run(line+" "+name, func(t *testing.T) {
				own := fmt.Sprintf("never-%d-%s", i, name)
				fifo := filepath.Join(dir, own)
				if err := syscall.Mkfifo(fifo, 0o600); err != nil {
					t.Skip(err)
				}
				args := strings.Fields(strings.ReplaceAll(line, "never", own))
				if strings.Contains(line, "claims.yaml") {
					text := strings.ReplaceAll(read(t, dir, "claims.yaml"), "never", own)
					put(t, filepath.Join(dir, own+".yaml"), text)
					args[1] = own + ".yaml"
				}
				c := asProcess(t, dir, args...)
				var shown, said bytes.Buffer
				c.Stdout, c.Stderr = &shown, &said
				if err := c.Start(); err != nil {
					t.Fatal(err)
				}
				defer c.Process.Kill() //nolint:errcheck // it has ended unless the test fails
				writer := openWriter(t, fifo)
				defer writer.Close()
				if err := c.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				_ = c.Wait()
				f := fault{code: codeInterrupted, says: `^dpverify: interrupted`}
				if list := f.wrong(c.ProcessState.ExitCode(), shown.String(), said.String()); len(list) > 0 {
					t.Errorf("%s\n%s", strings.Join(list, "; "), &said)
				}
			})
		}
	}
}

// openWriter opens a FIFO for writing as soon as it has a reader.
func openWriter(t *testing.T, fifo string) *os.File {
	t.Helper()
	for range 3000 {
		file, err := os.OpenFile(fifo, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			return file
		}
		if !errors.Is(err, syscall.ENXIO) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s has no reader", fifo)
	return nil
}

// Under a low limit on open files the command gives a message or the result, never a stack trace.
func TestFewFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes; run without -short")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"good.jsonl": "1\n2\n", "other.jsonl": "2\n1\n"} {
		put(t, filepath.Join(dir, name), strings.Repeat(text, 200))
	}
	lines := []string{"audit --samples-a good.jsonl --samples-b other.jsonl --epsilon 1", "list", "account gaussian --sigma 1 --delta 1e-5 -o out.md"}
	for _, line := range lines[:testutil.Size(1, len(lines))] {
		for limit := 4; limit <= testutil.Size(6, 12); limit++ {
			c := asProcess(t, dir, strings.Fields(line)...)
			c.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -n %d; exec -a dpverify "$0" "$@"`, limit), c.Path}, c.Args[1:]...)
			bash, err := exec.LookPath("bash") // its exec supports -a
			if err != nil {
				t.Skip(err)
			}
			c.Path = bash
			var shown, said bytes.Buffer
			c.Stdout, c.Stderr = &shown, &said
			_ = c.Run()
			code := c.ProcessState.ExitCode()
			f := fault{code: codeUsage, says: `^dpverify: .*(limit on open files|too many open files)`}
			if code == codeFine {
				f = fault{code: codeFine, shows: `(?s).*`}
			}
			if list := f.wrong(code, shown.String(), said.String()); len(list) > 0 {
				t.Errorf("%s, %d files: %s\n%s", line, limit, strings.Join(list, "; "), &said)
			}
		}
	}
}
