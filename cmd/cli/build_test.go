package cli

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
)

// A build without a version rejects checkpoints and shards of another build.
func TestBuildsAreDistinguished(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(version string, args ...string) (int, string) {
		var stdout, stderr bytes.Buffer
		a := &app{ledger: stubLedger, every: 1e9, stdout: &stdout, stderr: &stderr, version: version}
		return a.run(context.Background(), args), stderr.String()
	}
	const version = "devel"
	kept := []string{"verify", "stub", "--checkpoint", "kept.jsonl", "-o", "report.md"}
	part := []string{"verify", "stub", "--shard", "1/1", "-o", "part.jsonl"}
	for _, args := range [][]string{kept, part, kept, {"merge", "part.jsonl", "-o", "merged.md"}} {
		if code, said := run(version, args...); code == codeUsage || code == codeFailed {
			t.Fatalf("%v: exit code %d, %s", args, code, said)
		}
	}
	own := regexp.MustCompile(`devel \((build|revision) [0-9a-f]{12}\)`)
	for _, c := range []struct {
		reason, version string
		file            string
		args            []string
		says            string
	}{
		{"a checkpoint of another build", "devel (build 0123456789ab)", "kept.jsonl", kept,
			`kept.jsonl: was written by version devel \(build 0123456789ab\), not devel \(.*\): continue with the version that began it`},
		{"a checkpoint of an older dpverify", "devel", "kept.jsonl", kept, `was written by version devel, not devel \(`},
		{"parts of another build", "devel (build 0123456789ab)", "part.jsonl", []string{"merge", "part.jsonl"},
			`part.jsonl: was written by version devel \(build 0123456789ab\), not devel \(.*\): merge with the version that sampled`},
	} {
		text := read(t, c.file)
		if own.FindString(text) == "" {
			t.Fatalf("%s names no build: %.200s", c.file, text)
		}
		head, rest, _ := strings.Cut(text, "\n")
		put(t, c.file, resummed(set("version", c.version)(head+"\n"+rest)))
		code, said := run(version, c.args...)
		if code != codeUsage || !regexp.MustCompile(c.says).MatchString(said) {
			t.Errorf("%s: exit code %d, %s", c.reason, code, said)
		}
		put(t, c.file, text)
	}
}
