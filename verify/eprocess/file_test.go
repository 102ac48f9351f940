package eprocess

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func open(t *testing.T, path string, o Options) *File {
	t.Helper()
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	f, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // may be closed already
	return f
}

func openError(t *testing.T, path string, o Options) string {
	t.Helper()
	if o.Alpha == 0 {
		o.Alpha = 0.05
	}
	f, err := Open(path, o)
	if err == nil {
		_ = f.Close()
		t.Errorf("%s with %+v: no error", path, o)
		return ""
	}
	return err.Error()
}

func add(t *testing.T, f *File, id string, log float64) {
	t.Helper()
	n := outcome("v", log)
	n.Upper, n.Rarest = figure(math.Inf(1)), figure(math.NaN())
	if err := f.Add(id, false, map[string]Outcome{"a": n}); err != nil {
		t.Fatal(err)
	}
}

// written returns a file with runs of start 1.
func written(t *testing.T, ids ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "evidence.jsonl")
	f := open(t, path, Options{New: true})
	for _, id := range ids {
		add(t, f, id, 0.5)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

var sameFigures = cmp.Comparer(func(x, y figure) bool { return x == y || x != x && y != y })

func TestFileKeepsRuns(t *testing.T) {
	path := written(t, "1", "2")
	f := open(t, path, Options{})
	if len(f.Runs) != 2 || f.NextID() != "3" {
		t.Fatalf("%d runs, next %s", len(f.Runs), f.NextID())
	}
	if err := f.Add("2", false, map[string]Outcome{"a": outcome("v", 1)}); err == nil || !strings.Contains(err.Error(), "samples count once") {
		t.Errorf("a repeated id: %v", err)
	}
	add(t, f, "3", 1)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	m, err := Read(path, path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f.Runs, m.Runs, sameFigures); diff != "" {
		t.Errorf("runs (-added +read):\n%s", diff)
	}
	out := filepath.Join(t.TempDir(), "merged")
	if err := m.Write(out); err != nil {
		t.Fatal(err)
	}
	again, err := Read(out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, again, sameFigures, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("merged file (-written +read):\n%s", diff)
	}
}

// A lost file, an old start and another alpha are errors that say how to go on. Nothing is written.
func TestStartsAreCounted(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	if got := openError(t, missing, Options{Start: 1}); !strings.Contains(got, "does not exist: restore it") {
		t.Error(got)
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("a missing file was created")
	}
	path := written(t, "1")
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Alpha: 0.01}, "has the error probability 0.05, not 0.01"},
		{Options{New: true}, "leave --evidence-new out"},
		{Options{Start: 1, New: true}, "leave --evidence-new out"},
		{Options{Start: 2}, "has no run of start 2"},
		{Options{Alpha: math.NaN()}, "want an error probability"},
	} {
		if got := openError(t, path, c.o); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %s, want %s", c.o, got, c.want)
		}
	}
	f := open(t, path, Options{Start: 2, New: true})
	add(t, f, "1", 2) // ids are unique within a start
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := openError(t, path, Options{Start: 1}); !strings.Contains(got, "has runs of start 2") {
		t.Error(got)
	}
	w := WealthOf(open(t, path, Options{}).Runs, "a", 1)
	want := math.Log(firstClaims * (reserve(1) - reserve(2)) * (stakeOf(1)*math.Exp(0.5) + stakeOf(2)*math.Exp(2)))
	if got := w[0].Log[1]; math.Abs(got-want) > 1e-12 {
		t.Errorf("wealth of two starts: %v, want %v", got, want)
	}
}

// After a kill or a full disk in the middle of a line the file has its whole runs, and the next run goes on from there.
func TestTornFile(t *testing.T) {
	whole, err := os.ReadFile(written(t, "1", "2"))
	if err != nil {
		t.Fatal(err)
	}
	second := strings.LastIndex(strings.TrimSuffix(string(whole), "\n"), "\n") + 1
	for _, cut := range []int{second + 1, len(whole) - 1, second} {
		path := filepath.Join(t.TempDir(), "torn")
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		f := open(t, path, Options{})
		if len(f.Runs) != 1 || (len(f.Flaws()) == 0) != (cut == second) {
			t.Errorf("cut at %d: %d runs, flaws %v", cut, len(f.Runs), f.Flaws())
		}
		add(t, f, "2", 0.5)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != string(whole) {
			t.Errorf("cut at %d and repeated: another file", cut)
		}
	}
	path := filepath.Join(t.TempDir(), "emptied") // all runs are lost: without --evidence-new a restart would be silent
	if err := os.WriteFile(path, whole[:strings.Index(string(whole), "\n")+1], 0o600); err != nil {
		t.Fatal(err)
	}
	if got := openError(t, path, Options{Start: 1}); !strings.Contains(got, "has no run of start 1: restore the file") {
		t.Error(got)
	}
	if f := open(t, path, Options{Start: 1, New: true}); len(f.Runs) != 0 {
		t.Errorf("%d runs of an emptied file", len(f.Runs))
	}
	path = filepath.Join(t.TempDir(), "changed")
	if err := os.WriteFile(path, []byte(strings.Replace(string(whole), "0.5", "9.5", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if f := open(t, path, Options{}); len(f.Runs) != 1 || len(f.Flaws()) != 1 {
		t.Errorf("a changed factor: %d runs, flaws %v", len(f.Runs), f.Flaws())
	}
}

func TestFileIsLocked(t *testing.T) {
	path := written(t, "1")
	f := open(t, path, Options{})
	if len(f.Flaws()) > 0 {
		t.Skipf("there are no locks here: %v", f.Flaws())
	}
	if got := openError(t, path, Options{}); !strings.Contains(got, "is in use by another run") {
		t.Error(got)
	}
}

// Copies of recorded data are detected, whole or in part. Independent recordings are not.
func TestRecordedDataCountsOnce(t *testing.T) {
	hashes := func(from, n uint64) (out []uint64) {
		for i := range n {
			out = append(out, (from+i)*0x9E3779B97F4A7C15)
		}
		return out
	}
	first := hashes(0, 5000)
	n := outcome("v", 0.5)
	n.Data = []Recording{NewRecording(first)}
	runs := chain(n)
	for _, c := range []struct {
		name string
		data []uint64
		want string
	}{
		{"the same", first, "1"},
		{"its second half", first[2500:], "1"},
		{"part of a longer one", append(hashes(90_000, 3000), first[:1000]...), "1"},
		{"another one", hashes(10_000, 5000), ""},
		{"short", hashes(20_000, 3), ""},
	} {
		if got := Recorded(runs, "a", c.data); got != c.want {
			t.Errorf("%s: run %q, want %q", c.name, got, c.want)
		}
	}
	few := make([]uint64, 1000) // outputs 0 and 1: only a whole copy is detected
	for i := range few {
		few[i] = uint64(i * i % 7 % 2)
	}
	n.Data = []Recording{NewRecording(few)}
	if got := Recorded(chain(n), "a", few); got != "1" {
		t.Errorf("a whole copy of few different outputs: run %q", got)
	}
	if got := Recorded(chain(n), "a", few[1:]); got != "" {
		t.Errorf("independent outputs of few values would be rejected: run %q", got)
	}
}
