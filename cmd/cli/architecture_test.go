package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/empirical/experiment/papers"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/reports"
)

// otherMachines holds, for each GOARCH, the other architectures and the names of their emulators on Linux. A processor
// that runs the other architecture itself needs no emulator.
var otherMachines = map[string][]struct {
	arch      string
	emulators []string
}{
	"amd64": {{"arm64", []string{"qemu-aarch64-static", "qemu-aarch64"}}, {"386", nil}},
	"arm64": {{"amd64", []string{"qemu-x86_64-static", "qemu-x86_64"}}},
}

// machine runs the test binary, which acts as dpverify if it is called by that name; see TestMain.
type machine struct{ emulator, binary string }

func (m machine) command(dir, name string, args ...string) *exec.Cmd {
	c := exec.Command(m.binary, args...)
	if m.emulator != "" {
		c = exec.Command(m.emulator, append([]string{"-0", name, m.binary}, args...)...)
	} else {
		c.Args[0] = name
	}
	c.Dir = dir
	return c
}

// machineOf builds the test binary for another architecture. It skips the test if the emulator is missing.
func machineOf(t *testing.T, arch string, emulators []string) machine {
	t.Helper()
	emulator := ""
	for _, name := range emulators {
		if path, err := exec.LookPath(name); err == nil {
			emulator = path
			break
		}
	}
	if emulator == "" && len(emulators) > 0 {
		t.Skipf("%s is not installed (package qemu-user-static)", emulators[0])
	}
	binary := filepath.Join(t.TempDir(), arch+".test")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Env = append(os.Environ(), "GOARCH="+arch, "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building for %s: %v\n%s", arch, err, out)
	}
	return machine{emulator, binary}
}

// The manual states under Alpha that amd64 and arm64 print the same bytes, and in JSON the same numbers to 1e-9. The
// test compares the whole ledger at the quick budget in every format, audits of a process, a row of the power table,
// accounts and an experiment. It takes about 15 minutes on two processors.
func TestArchitectures(t *testing.T) {
	if !testutil.Asked() {
		t.Skipf("runs other architectures for about 15 minutes: set %s", testutil.Variable)
	}
	if runtime.GOOS != "linux" {
		t.Skipf("compares architectures on Linux, and this is %s", runtime.GOOS)
	}
	if len(otherMachines[runtime.GOARCH]) == 0 {
		t.Skipf("knows no other architecture for %s", runtime.GOARCH)
	}
	for _, o := range otherMachines[runtime.GOARCH] {
		t.Run(o.arch, func(t *testing.T) { sameOutputs(t, machineOf(t, o.arch, o.emulators)) })
	}
}

// sameOutputs compares the outputs of this architecture with the outputs of another one.
func sameOutputs(t *testing.T, other machine) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	here := machine{"", self}
	t.Run("report", func(t *testing.T) {
		one, two := t.TempDir(), t.TempDir()
		judge := []string{"report", "--budget", "quick", "--format", "json", "-o", "report.json"}
		both(t, here, other, one, two, judge...)
		sameNumbers(t, read(t, one, "report.json"), read(t, two, "report.json"))
		for _, m := range []struct {
			machine
			dir string
		}{{here, one}, {other, two}} {
			if out, err := m.command(m.dir, "forms", "report.json").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
		}
		for name := range forms {
			if diff := cmp.Diff(read(t, one, name), read(t, two, name)); diff != "" {
				t.Errorf("%s differs:\n%s", name, diff)
			}
		}
	})
	for _, c := range []struct {
		name  string
		args  []string
		forms []string
	}{
		{"audit", []string{"audit", "claims.yaml", "--samples", "20000"}, []string{"markdown", "html", "junit", "sarif", "json"}},
		{"sequential audit", []string{"audit", "claims.yaml", "--samples", "20000", "--anytime"}, []string{"markdown", "json"}},
		{"power", []string{"experiment", "power", "--only", "laplace_1", "--samples", "20000", "--runs", "1"}, []string{"markdown", "json"}},
		{"account", []string{"account", "sgm", "--sampling-rate", "0.01", "--noise-multiplier", "1", "--count", "1000", "--delta", "1e-5"}, []string{"markdown", "json"}},
		{"account for replace-one", []string{"account", "schedule", "--sampling-rate", "0.02", "--noise-multipliers", "5,4.8,4.6", "--steps-each", "100", "--delta", "1e-5", "--adjacency", "replace-one"}, []string{"markdown", "json"}},
		{"account at an ε", []string{"account", "gaussian", "--sigma", "1", "--epsilon", "2"}, []string{"markdown", "json"}},
		{"calibrated noise", []string{"account", "calibrate", "sgm", "--sampling-rate", "0.01", "--count", "1000", "--delta", "1e-5", "--epsilon", "2"}, []string{"markdown", "json"}},
		{"experiment", []string{"experiment", "prestige/fig-4", "--train", "wdbc.csv", "--epsilon", "0.5,2", "--repeats", "3", "--plot", "out.svg"}, []string{"markdown", "json"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, form := range c.forms {
				one, two := withInputs(t), withInputs(t)
				x, y := both(t, here, other, one, two, append(c.args, "--format", form)...)
				if form == "json" {
					sameNumbers(t, timeless(x), timeless(y))
				} else if diff := cmp.Diff(timeless(x), timeless(y)); diff != "" {
					t.Errorf("%s differs:\n%s", form, diff)
				}
				if picture := "out.svg"; slices.Contains(c.args, picture) && read(t, one, picture) != read(t, two, picture) {
					t.Error("the pictures differ")
				}
			}
		})
	}
}

// withInputs returns a directory with the files that the commands read.
func withInputs(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"audit/claims.yaml", "audit/noisy_count.py", "data/wdbc.csv"} {
		text := read(t, "..", "..", "testdata", filepath.FromSlash(name))
		put(t, filepath.Join(dir, filepath.Base(name)), text)
	}
	return dir
}

// both runs a command on two machines, each in its own directory, and returns both outputs.
func both(t *testing.T, a, b machine, dirA, dirB string, args ...string) (x, y string) {
	t.Helper()
	outputs := make([]string, 2)
	for i, c := range []*exec.Cmd{a.command(dirA, "dpverify", args...), b.command(dirB, "dpverify", args...)} {
		var stdout, stderr bytes.Buffer
		c.Stdout, c.Stderr = &stdout, &stderr
		if err := c.Run(); err != nil && !refuted(err) {
			t.Fatalf("%v: %v\n%s", args, err, &stderr)
		}
		outputs[i] = stdout.String()
	}
	return outputs[0], outputs[1]
}

// seconds matches the column and the field of the power table that contain durations.
var seconds = regexp.MustCompile(`("seconds": |\| +)[0-9]+\.[0-9]+(,?\n| \| [^|]*\|\n)`)

// timeless replaces the durations in an output by 0.
func timeless(s string) string { return seconds.ReplaceAllString(s, "${1}0$2") }

// forms holds the formats of a report other than JSON, by file name.
var forms = map[string]func(io.Writer, reports.Document) error{
	"report.md": reports.Markdown, "report.html": reports.HTML, "report.junit.xml": reports.JUnit, "report.sarif.json": reports.SARIF,
	"summary.md":  func(w io.Writer, d reports.Document) error { return reports.Summary(w, d, reports.SummaryLimit) },
	"annotations": reports.Annotations,
}

// formsMain is the program “forms REPORT.json”, which writes a report in all formats.
func formsMain() {
	err := func() error {
		data, err := os.ReadFile(os.Args[1])
		if err != nil {
			return err
		}
		d, err := reports.ReadJSON(bytes.NewReader(data))
		if err != nil {
			return err
		}
		d.Experiments = papers.Abouts()
		for name, form := range forms {
			var b bytes.Buffer
			if err := form(&b, d); err != nil {
				return err
			}
			if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
				return err
			}
		}
		return nil
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// sameNumbers compares two outputs in JSON: strings exactly, and numbers to 1e-9 of the largest figure of the same case,
// because a number may be the difference of two figures.
func sameNumbers(t *testing.T, x, y string) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(x), &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(y), &b); err != nil {
		t.Fatal(err)
	}
	differences(a, b, "", 0, func(at string, v, w any) { t.Errorf("%s: %v and %v", at, v, w) })
}

// differences calls f with each path and pair of values that differ; scale is the largest figure of the enclosing cases.
func differences(a, b any, at string, scale float64, f func(at string, a, b any)) {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			f(at, a, b)
			return
		}
		if id, ok := a["id"].(string); ok {
			at, scale = id, 0
		}
		for k, v := range a {
			differences(v, b[k], at+"."+k, largestFigure(a), f)
		}
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			f(at, a, b)
			return
		}
		for i, v := range a {
			differences(v, b[i], fmt.Sprintf("%s[%d]", at, i), scale, f)
		}
	case float64:
		if b, ok := b.(float64); !ok || !(math.Abs(a-b) <= 1e-9*math.Max(scale, math.Max(math.Abs(a), math.Abs(b)))) {
			f(at, a, b)
		}
	case string:
		if b, ok := b.(string); !ok || a != b && !(strings.Contains(at, ".basis.facts.") && sameTally(a, b)) {
			f(at, a, b)
		}
	default:
		if a != b {
			f(at, a, b)
		}
	}
}

// sameTally reports whether two lines of tallies, with a range of values and counts, agree up to rounding.
func sameTally(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	return slices.EqualFunc(x, y, func(v, w string) bool {
		p, err := strconv.ParseFloat(v, 64)
		q, failed := strconv.ParseFloat(w, 64)
		return v == w || err == nil && failed == nil && math.Abs(p-q) <= 1e-9*math.Max(math.Abs(p), math.Abs(q))
	})
}

// figureFields holds the fields of a case with figures in the same unit.
var figureFields = []string{"claimed", "measured", "lower", "upper", "exact_value", "estimate", "mean"}

// largestFigure returns the largest absolute figure of a case. If the object contains a nearest case, it uses that case.
func largestFigure(o map[string]any) (largest float64) {
	if nearest, ok := o["nearest"].(map[string]any); ok {
		return largestFigure(nearest)
	}
	for _, name := range figureFields {
		if x, ok := o[name].(float64); ok {
			largest = math.Max(largest, math.Abs(x))
		}
	}
	return largest
}

// differences finds another string, a relative error of 2e-9 and an additional entry, and ignores rounding.
func TestDifferences(t *testing.T) {
	const cell = `{"claims": [{"id": "p/one", "claimed": 1, "measured": 1.5, "margin": %s, "tried": {"margin": %s, "nearest": {"claimed": 0.5}}, "witness": %q, "cells": [%s], "basis": {"facts": {"below": "0 56.638 512 3:17"}}}]}`
	want := fmt.Sprintf(cell, "1e-14", "1e-16", "x", "1")
	for _, c := range []struct {
		reason, text string
		differs      bool
	}{
		{"equal outputs", want, false},
		{"a margin that differs by rounding", fmt.Sprintf(cell, "-2e-14", "0", "x", "1"), false},
		{"a margin that differs by 2e-9", fmt.Sprintf(cell, "2e-9", "1e-16", "x", "1"), true},
		{"a margin of the nearest case", fmt.Sprintf(cell, "1e-14", "1e-9", "x", "1"), true},
		{"another string", fmt.Sprintf(cell, "1e-14", "1e-16", "y", "1"), true},
		{"a tally whose range differs by rounding", strings.Replace(want, "0 56.638 ", "0 56.63800000000001 ", 1), false},
		{"a tally with another range", strings.Replace(want, "0 56.638 ", "0 56.6381 ", 1), true},
		{"a tally with another count", strings.Replace(want, "3:17", "3:18", 1), true},
		{"a list with another number", fmt.Sprintf(cell, "1e-14", "1e-16", "x", "1.00000001"), true},
		{"a longer list", fmt.Sprintf(cell, "1e-14", "1e-16", "x", "1, 1"), true},
	} {
		var a, b any
		if err := json.Unmarshal([]byte(want), &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(c.text), &b); err != nil {
			t.Fatal(err)
		}
		found := false
		differences(a, b, "", 0, func(string, any, any) { found = true })
		if found != c.differs {
			t.Errorf("%s: found a difference: %t, want %t", c.reason, found, c.differs)
		}
	}
	if got := timeless("| a | 0.95 | 1.23 | StatDP 1 |\n\"seconds\": 0.5\n"); got != "| a | 0.95 | 0 | StatDP 1 |\n\"seconds\": 0\n" {
		t.Errorf("durations remain: %s", got)
	}
}
