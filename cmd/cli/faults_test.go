package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/internal/visible"
)

// fault is a mistake of the user or the environment, with the answer that the command must give.
type fault struct {
	kind, place string
	args        []string
	stdout      string   // file for standard output; "" is a buffer, "closed pipe" is a pipe without a reader
	env         []string // NAME=value
	code        int
	says        string // regular expression for standard error
	shows       string // regular expression for standard output; "" for no output
	kept        string // file that the command must not create or change
}

// never matches texts that no answer may contain: internal names of Go and stack traces.
var never = regexp.MustCompile(`goroutine \d|\bbufio\b|Go value|Go struct|runtime error|panic:|strconv\.|\bEOF\b|%!|0xc0{4}`)

const longestMessage = 4000 // bytes

// wrong lists the problems of the answer to a fault.
func (f fault) wrong(code int, stdout, stderr string) (list []string) {
	miss := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if code != f.code {
		miss("exit code %d, want %d", code, f.code)
	}
	if !regexp.MustCompile(f.says).MatchString(stderr) {
		miss("standard error does not match %s", f.says)
	}
	if f.shows == "" && stdout != "" || !regexp.MustCompile(f.shows).MatchString(stdout) {
		miss("standard output does not match %q", f.shows)
	}
	for _, text := range []string{stdout, stderr} {
		if found := never.FindString(text); found != "" {
			miss("the answer contains %q", found)
		}
		for _, r := range text {
			if r != '\n' && r != '\t' && visible.Hidden(r) {
				miss("the answer contains the character %U", r)
				break
			}
		}
		if !utf8.ValidString(text) {
			miss("the answer is not valid UTF-8")
		}
	}
	if len(stderr) > longestMessage {
		miss("the message has %d bytes", len(stderr))
	}
	return list
}

// answer runs the command with the fault.
func (f fault) answer(t *testing.T) (code int, stdout, stderr string) {
	t.Helper()
	for _, variable := range f.env {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	var shown, said bytes.Buffer
	var out io.Writer = &shown
	switch f.stdout {
	case "":
	case closedPipe:
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		r.Close()
		out = w
	default:
		file, err := os.OpenFile(f.stdout, os.O_WRONLY, 0)
		if err != nil {
			t.Skip(err)
		}
		defer file.Close()
		out = file
	}
	done := make(chan int, 1)
	go func() { done <- run(context.Background(), f.args, out, &said) }()
	select {
	case code = <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%q does not end within a minute", f.args)
	}
	return code, shown.String(), said.String()
}

const closedPipe = "closed pipe"

// content describes whether a file exists, and its content.
func content(path string) string {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err.Error()
	}
	return fmt.Sprint(err == nil, string(data))
}

// allFaults returns the faults, for the directory of faultFiles.
func allFaults(t *testing.T) (all []fault) {
	for _, kind := range [][]fault{flagFaults(t), wordFaults(), argumentFaults(), fileFaults(), lineFaults(), reportFaults(t),
		outputFaults(), textFaults(t), copyFaults(t), environmentFaults()} {
		all = append(all, kind...)
	}
	return all
}

// Every fault gives the documented exit code and a short message with the place and the remedy. The answer contains no
// hidden character and no internal name of Go, and no output file is created. With DPVERIFY_LONG all faults run.
func TestFaults(t *testing.T) {
	t.Chdir(faultFiles(t))
	every := testutil.Size(40, 1)
	counts, failed := make(map[string]int), make(map[string]int)
	all := allFaults(t)
	for _, f := range all {
		counts[f.kind]++
		if counts[f.kind]%every != 1%every {
			continue
		}
		ok := t.Run(f.kind+"/"+f.place, func(t *testing.T) {
			before := content(f.kept)
			code, stdout, stderr := f.answer(t)
			list := f.wrong(code, stdout, stderr)
			if f.kept != "" && content(f.kept) != before {
				list = append(list, "the file "+f.kept+" was created or changed")
			}
			if len(list) > 0 {
				t.Errorf("%q: %s\nstandard error: %.1000s\nstandard output: %.300s", f.args, strings.Join(list, "; "), stderr, stdout)
			}
		})
		if !ok {
			failed[f.kind]++
		}
	}
	t.Logf("%d faults, by kind: %v; wrong answers: %v", len(all), counts, failed)
	if len(all) < 300 {
		t.Errorf("%d faults: want at least 300", len(all))
	}
}

// TestFaults detects every kind of wrong answer.
func TestFaultsAreDetected(t *testing.T) {
	const said = "dpverify: --sigma: \"010\" is not a number: write 10 for the decimal number\n"
	good := fault{args: []string{"account", "gaussian", "--sigma", "010"}, code: codeUsage, says: `--sigma.*write 10`}
	if code, stdout, stderr := good.answer(t); len(good.wrong(code, stdout, stderr)) > 0 || !strings.HasPrefix(stderr, said[:len(said)-1]) {
		t.Errorf("a correct answer is reported as wrong: %d, %s%s", code, stdout, stderr)
	}
	for name, f := range map[string]fault{
		"another code":    {args: good.args, code: codeFine, says: good.says},
		"another message": {args: good.args, code: good.code, says: "write 8"},
		"no result":       {args: good.args, code: good.code, says: good.says, shows: "8"},
	} {
		if code, stdout, stderr := f.answer(t); len(f.wrong(code, stdout, stderr)) != 1 {
			t.Errorf("%s is not detected", name)
		}
	}
	for name, answer := range map[string]string{
		"an escape sequence": said + "\x1b[31m", "a change of direction": said + "\u202e", "half a rune": said + "\xe2",
		"a trace": said + "goroutine 1 [running]:", "a word of Go": said + "bufio.Scanner: token too long",
		"a long message": said + strings.Repeat("more ", 1000),
	} {
		if len(good.wrong(codeUsage, "", answer)) == 0 {
			t.Errorf("%s on standard error is not detected", name)
		}
	}
	if len(good.wrong(codeUsage, "partial", said)) != 1 {
		t.Error("a result is not detected")
	}
}
