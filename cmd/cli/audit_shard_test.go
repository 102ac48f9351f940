package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// auditDir changes to a directory with claims about the manual's example mechanism: true ones, false ones, and one whose
// process does not exist.
func auditDir(t *testing.T) {
	t.Helper()
	needPython(t)
	mechanism := read(t, "..", "..", "testdata", "audit", "noisy_count.py")
	t.Chdir(t.TempDir())
	const config = `claims:
  - {name: sound, exec: [python3, noisy_count.py], pairs: [{a: [1, 0, 1], b: [1, 0, 0]}], guarantee: {epsilon: 1}, samples: 2000}
  - {name: faulty, exec: [python3, noisy_count.py], pairs: [{a: [1, 1, 1], b: [1, 0, 0]}, {a: [1], b: [0]}], guarantee: {epsilon: 1}, samples: 3000, precision: off}
  - {name: betting, exec: [python3, noisy_count.py], pairs: [{a: [1, 1], b: [0, 0]}], guarantee: {epsilon: 1.6}, samples: 3000, precision: off, anytime: true}
  - {name: absent, exec: [./none.sh], pairs: [{a: 1, b: 0}], guarantee: {epsilon: 1}, precision: off}
`
	const unseeded = `claims:
  - {name: own, exec: [python3, own.py], pairs: [{a: [1], b: [0]}], guarantee: {epsilon: 0.1}, samples: 4000}
`
	for name, text := range map[string]string{
		"noisy_count.py": mechanism, "claims.yaml": config, "own.yaml": unseeded,
		"own.py": halved(t, mechanism, `random.Random(request["seed"])`, "random.Random()"),
	} {
		put(t, name, text)
	}
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// parts runs a command as n shards and returns their files.
func parts(t *testing.T, n int, name string, args ...string) (files []string) {
	t.Helper()
	for i := 1; i <= n; i++ {
		files = append(files, fmt.Sprintf("%s-%d", name, i))
		args := append(args[:len(args):len(args)], "--workers", fmt.Sprint(i), "--shard", fmt.Sprintf("%d/%d", i, n), "-o", files[i-1])
		if code, stdout, stderr := attempt(t, args...); stdout != "" || code == codeUsage {
			t.Fatalf("%v: exit code %d, %s%s", args, code, stdout, stderr)
		}
	}
	return files
}

// resummed recomputes the checksums of a checkpoint's lines for its header.
func resummed(text string) string {
	head, rest, _ := strings.Cut(text, "\n")
	out := head + "\n"
	for line := range strings.Lines(rest) {
		var l struct{ Entry json.RawMessage }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			panic(err)
		}
		out += entry(head, string(l.Entry))
	}
	return out
}

func merge(t *testing.T, files []string, more ...string) (code int, stdout string) {
	t.Helper()
	code, stdout, stderr := attempt(t, append(append([]string{"merge"}, files...), more...)...)
	if code == codeUsage {
		t.Fatalf("merge: %s", stderr)
	}
	return code, stdout
}

// Merged shards give the report and the exit code of an unsharded audit.
func TestAuditParts(t *testing.T) {
	auditDir(t)
	args := []string{"audit", "claims.yaml", "--budget", "quick", "--seed", "7", "--precision", "fail"}
	files := parts(t, 3, "part", args...)
	form := []string{"--format", "sarif", "--summary"} // the summary is Markdown
	wantCode, want, _ := attempt(t, append(append(args, form...), "whole.md")...)
	code, got := merge(t, []string{files[1], files[2], files[0]}, append(form, "merged.md", "--reply-timeout", "20s")...)
	if code != wantCode || got != want {
		t.Errorf("exit code %d, want %d, and\n%s\nwant\n%s", code, wantCode, got, want)
	}
	if got, want := read(t, "merged.md"), read(t, "whole.md"); got != want || !strings.Contains(got, "audit/betting") {
		t.Errorf("as Markdown\n%s\nwant\n%s", got, want)
	}
}

// Merging shards of recorded outputs reads the recordings again.
func TestRecordedParts(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, name := range []string{"a.jsonl", "b.jsonl"} {
		var text strings.Builder
		for k := range 400 {
			fmt.Fprintln(&text, (k*k+i*k)%7)
		}
		put(t, name, text.String())
	}
	args := []string{"audit", "--samples-a", "a.jsonl", "--samples-b", "b.jsonl", "--epsilon", "0.1"}
	files := parts(t, 2, "part", args...)
	wantCode, want, _ := attempt(t, args...)
	if code, got := merge(t, files); code != wantCode || got != want {
		t.Errorf("exit code %d, want %d\n%s\nwant\n%s", code, wantCode, got, want)
	}
	put(t, "a.jsonl", strings.Repeat("1\n2\n", 300))
	refused(t, `part-1: was sampled under another configuration`, "merge", files[0], files[1])
}

// Shards of an audit without a seed need the prepared searches of the first shard.
func TestUnseededParts(t *testing.T) {
	auditDir(t)
	shard := func(i int, more ...string) (int, string) {
		code, _, stderr := attempt(t, append([]string{"audit", "own.yaml", "--shard", fmt.Sprintf("%d/2", i), "-o", fmt.Sprintf("part-%d", i)}, more...)...)
		return code, stderr
	}
	if code, said := shard(1); code != codeFine {
		t.Fatal(said)
	}
	if code, said := shard(2); code != codeFailed || !strings.Contains(said, "--prepared FILE") {
		t.Errorf("without --prepared: exit code %d, %s", code, said)
	}
	if code, said := shard(2, "--prepared", "part-1"); code != codeFine {
		t.Errorf("with --prepared: exit code %d, %s", code, said)
	}
	if err := os.Remove("own.py"); err != nil { // merge does not need it
		t.Fatal(err)
	}
	if code, got := merge(t, []string{"part-1", "part-2"}); code != codeRefuted || !strings.Contains(got, "cannot be repeated exactly") {
		t.Errorf("exit code %d\n%s", code, got)
	}
}

// Files that are not the shards of one audit are rejected by name.
func TestAuditPartsRefused(t *testing.T) {
	auditDir(t)
	files := parts(t, 2, "part", "audit", "claims.yaml", "--budget", "quick")
	changed := func(name string, change func(string) string) string {
		put(t, name, resummed(change(read(t, files[0]))))
		return name
	}
	put(t, "older-2", resummed(set("version", "v0")(read(t, files[1]))))
	config := read(t, "claims.yaml")
	for _, c := range []struct {
		reason, says string
		config       string // the claims file; "" for the original
		args         []string
	}{
		{"a shard twice", "part-1: is shard 1 of 2, and so is part-1", "", []string{"merge", files[0], files[0]}},
		{"a missing shard", "shard 2 of 2 is in none of the 1 files", "", []string{"merge", files[0]}},
		{"another version", "older: was written by version v0, not", "", []string{"merge", files[1], changed("older", set("version", "v0"))}},
		{"all shards of another version", "older-2: was written by version v0, not devel", "", []string{"merge", "older-2", changed("older", set("version", "v0"))}},
		{"another seed", "seeded: has the seed 9, not 1", "", []string{"merge", files[1], changed("seeded", set("seed", "9"))}},
		{"another configuration", "other: was sampled for other claims, under another configuration", "", []string{"merge", files[1], changed("other", set("config", "00"))}},
		{"no configuration", "none: was sampled for other claims", "", []string{"merge", files[1], changed("none", set("config", ""))}},
		{"a changed claim", "part-1: was sampled under another configuration", strings.Replace(config, "epsilon: 1.6", "epsilon: 1.7", 1), []string{"merge", files[0], files[1]}},
		{"a changed input", "part-1: was sampled under another configuration", strings.Replace(config, "[1, 0, 1]", "[1, 0, 2]", 1), []string{"merge", files[0], files[1]}},
		{"an invalid claims file", "part-1: the claims of .*claims.yaml.*no claims", "claims: []\n", []string{"merge", files[0], files[1]}},
		{"continued under another configuration", "part-1: was sampled for other claims", strings.Replace(config, "0.5", "0.6", 1) + "# more\n  - {name: more, exec: [cat], pairs: [{a: 1, b: 2}], guarantee: {epsilon: 1}}\n", []string{"audit", "claims.yaml", "--budget", "quick", "--shard", "1/2", "-o", files[0]}},
		{"continued as another shard", "part-1: is shard 1, not 2", "", []string{"audit", "claims.yaml", "--budget", "quick", "--shard", "2/2", "-o", files[0]}},
		{"a checkpoint of another audit", "part-1: holds a run of", "", []string{"audit", "claims.yaml", "--budget", "quick", "--samples", "900", "--checkpoint", files[0]}},
		{"prepared by another audit", "part-1: holds a run of", "", []string{"audit", "own.yaml", "--budget", "quick", "--shard", "2/2", "-o", "new", "--prepared", files[0]}},
		{"a missing prepared file", "nowhere", "", []string{"audit", "own.yaml", "--budget", "quick", "--shard", "2/2", "-o", "new", "--prepared", "nowhere"}},
		{"prepared without a shard", "--shard i/n", "", []string{"audit", "claims.yaml", "--prepared", files[0]}},
		{"a command", "CLAIMS.yaml", "", []string{"audit", "--exec", "cat", "--a", "1", "--b", "2", "--epsilon", "1", "--shard", "1/2", "-o", "new"}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			if c.config != "" {
				put(t, "claims.yaml", c.config)
				defer put(t, "claims.yaml", config)
			}
			refused(t, c.says, c.args...)
		})
	}
	if code, _ := merge(t, files); code != codeFailed { // one process does not exist
		t.Errorf("unchanged shards: exit code %d", code)
	}
}

// A shard cannot make merge run a command or write a file.
func TestPartsRunNothing(t *testing.T) {
	auditDir(t)
	put(t, "claims.yaml", read(t, "own.yaml"))
	parts(t, 1, "part", "audit", "claims.yaml", "--budget", "quick")
	for _, words := range [][]string{
		{"audit", "--exec", "touch made", "--a", "1", "--b", "2", "--epsilon", "1"},
		{"audit", "claims.yaml", "--events", "made"}, {"audit", "claims.yaml", "-o", "made"}, {"audit", "claims.yaml", "--checkpoint", "made"}, {"audit", "claims.yaml", "--summary", "made"},
		{"audit", "claims.yaml", "--help"}, {"audit"}, {"audit", "--no-such-flag"}, {"rm", "claims.yaml"}, {}, {"report", "x", "y", "z"},
	} {
		text, err := json.Marshal(words)
		if err != nil {
			t.Fatal(err)
		}
		put(t, "forged", resummed(set("command", words)(read(t, "part-1"))))
		_, _, _ = attempt(t, "merge", "forged") // some are accepted
		if _, err := os.Stat("made"); err == nil {
			t.Errorf("%s made a file", text)
		}
		if matches, _ := filepath.Glob("*.tmp"); len(matches) > 0 {
			t.Errorf("%s left %v", text, matches)
		}
	}
}
