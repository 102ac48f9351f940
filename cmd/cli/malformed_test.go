package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// attempt runs a command. It fails the test if the command takes too long.
func attempt(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, said bytes.Buffer
	done := make(chan int, 1)
	go func() { done <- run(context.Background(), args, &out, &said) }()
	select {
	case code = <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%v hangs", args)
	}
	return code, out.String(), said.String()
}

// refused wants exit code 2, no result, and one short message that contains place.
func refused(t *testing.T, place string, args ...string) {
	t.Helper()
	code, stdout, stderr := attempt(t, args...)
	if code != codeUsage || stdout != "" {
		t.Errorf("exit code %d, want %d\n%s%s", code, codeUsage, stderr, stdout)
	}
	if !regexp.MustCompile(place).MatchString(stderr) || len(stderr) > 2000 || strings.Contains(stderr, "goroutine") {
		t.Errorf("the message does not name %s, or is long:\n%s", place, stderr[:min(len(stderr), 3000)])
	}
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	put(t, path, text)
	return path
}

// Malformed claims files are rejected with a line number before anything runs.
func TestMalformedConfigs(t *testing.T) {
	for reason, text := range malformedConfigs() {
		t.Run(reason, func(t *testing.T) {
			place := `bad\.yaml:\d+`
			if strings.TrimSpace(text) == "" || strings.Contains(reason, "whole file") || strings.HasPrefix(reason, "deep") {
				place = `bad\.yaml`
			}
			refused(t, place, "audit", written(t, "bad.yaml", text))
		})
	}
}

// A deeply nested file is rejected before the YAML parser, whose memory grows with the square of the depth.
func TestDeepFilesTakeLittleMemory(t *testing.T) {
	for _, c := range []struct{ head, deep string }{{"claims: ", "["}, {"claims: ", "{a: "}, {"claims:\n", "- "}} {
		path := written(t, "bad.yaml", c.head+strings.Repeat(c.deep, 20_000)+"\n")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		refused(t, `bad\.yaml: .*more than 100 deep`, "audit", path)
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 50e6 {
			t.Errorf("20,000 times %q took %d MB", c.deep, taken/1e6)
		}
	}
}

// Malformed recorded outputs.
func TestMalformedSamples(t *testing.T) {
	good := written(t, "good.jsonl", strings.Repeat("1.5\n", 300))
	for _, c := range malformedSamples() {
		t.Run(c.reason, func(t *testing.T) {
			path := written(t, "bad"+c.ext, c.text)
			place := `bad\` + c.ext + `:(\d+| .*line \d+| the file contains no outputs)`
			refused(t, place, "audit", "--samples-a", path, "--samples-b", good, "--epsilon", "1")
			refused(t, place, "audit", "--samples-a", good, "--samples-b", path, "--epsilon", "1")
		})
	}
}

// Malformed descriptions of events.
func TestMalformedEvents(t *testing.T) {
	for reason, text := range malformedEvents() {
		t.Run(reason, func(t *testing.T) {
			refused(t, `bad\.yaml`, "account", "compose", written(t, "bad.yaml", text), "--delta", "1e-6")
		})
	}
}

// A repetition count must be a whole number above 0.
func TestAccountOfNoTimes(t *testing.T) {
	for _, count := range []string{"0", "-1", "1.5", "1e30"} {
		refused(t, "--count", "account", "gaussian", "--sigma", "2", "--delta", "1e-5", "--count", count)
	}
}

// The complete lines of malformed shard files and checkpoints are used, and give the report of an undisturbed run. The
// other lines are named.
func TestMalformedShards(t *testing.T) {
	good := shardFiles(t)
	two := written(t, "two.jsonl", good[1])
	_, undisturbed, _ := attempt(t, "merge", written(t, "one.jsonl", good[0]), two)
	for reason, damage := range shardDamage {
		t.Run(reason, func(t *testing.T) {
			path := written(t, "bad.jsonl", damage(good[0]))
			if !whole[reason] {
				refused(t, `bad\.jsonl`, "merge", path, two)
				return
			}
			if _, stdout, stderr := attempt(t, "merge", path, two); stdout != undisturbed || reason != "CRLF" && !strings.Contains(stderr, "bad.jsonl: line ") {
				t.Errorf("merged to another report than without damage:\n%s%s", stderr, stdout)
			}
		})
	}
	for reason, damage := range shardDamage {
		t.Run("checkpoint "+reason, func(t *testing.T) {
			text := damage(good[2])
			path := written(t, "bad.jsonl", text)
			if unread[reason] {
				refused(t, `bad\.jsonl`, "verify", shardedClaim, "--budget", "quick", "--checkpoint", path)
				if after := read(t, path); after != text {
					t.Error("the file was changed")
				}
				return
			}
			_, stdout, stderr := attempt(t, "verify", shardedClaim, "--budget", "quick", "--checkpoint", path)
			if stdout != undisturbed || !unsaid[reason] && !regexp.MustCompile(`bad\.jsonl: (line \d+|its last line)`).MatchString(stderr) {
				t.Errorf("went on to another report than without damage, or said nothing:\n%s%s", stderr, stdout)
			}
		})
	}
}

// With malformed replies every claim fails separately, and the command exits with 3.
func TestMalformedReplies(t *testing.T) {
	if _, err := os.Stat("/bin/cat"); err != nil {
		t.Skip("there is no cat here to be the mechanism")
	}
	dir := t.TempDir()
	var config strings.Builder
	config.WriteString("claims:\n")
	replies := malformedReplies()
	for i, c := range replies {
		name := fmt.Sprintf("reply-%d", i)
		put(t, filepath.Join(dir, name), c.text)
		fmt.Fprintf(&config, "  - {name: %s, exec: [/bin/cat, %s], pairs: [{a: 0, b: 1}], guarantee: {epsilon: 1}}\n", name, name)
	}
	path := filepath.Join(dir, "claims.yaml")
	put(t, path, config.String())
	code, stdout, stderr := attempt(t, "audit", path, "--precision", "off", "--samples", "400")
	if want := fmt.Sprintf("%d of %d claims failed", len(replies), len(replies)); code != codeFailed || !strings.Contains(stderr, want) {
		t.Errorf("exit code %d, %s; want %d and %q", code, stderr, codeFailed, want)
	}
	for i, c := range replies {
		if !strings.Contains(stdout, fmt.Sprintf("`audit/reply-%d`", i)) {
			t.Errorf("%s: the report does not have it", c.reason)
		}
	}
	if strings.Contains(stdout, "goroutine ") || strings.Contains(stdout, "panic") {
		t.Errorf("a panic:\n%s", stdout)
	}
}

// Malformed data sets of an experiment are rejected.
func TestMalformedData(t *testing.T) {
	for _, c := range malformedData() {
		t.Run(c.reason, func(t *testing.T) {
			path := written(t, "bad"+c.ext, c.text)
			refused(t, `bad\`+c.ext, "experiment", "prestige/fig-4", "--train", path, "--epsilon", "1", "--repeats", "2", "--epochs", "1")
		})
	}
}

// No shell runs the command: shell syntax stays a word, and nothing is written.
func TestNoShell(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "claims.yaml")
	text := "claims:\n"
	for i, exec := range []string{"[echo, '$(touch made)', '`touch made`', '> made', '; touch made']", "['touch made']", "['true; touch made']", "['true && touch made']", "['echo > made']"} {
		text += fmt.Sprintf("  - {name: c%d, exec: %s, pairs: [{a: '; touch made', b: '$(touch made)'}], guarantee: {epsilon: 1}}\n", i, exec)
	}
	put(t, path, text)
	if code, _, stderr := attempt(t, "audit", path); code != codeFailed {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("the directory holds %v, %v", files, err)
	}
}

// The number of cases is the documented one.
func TestMalformedCount(t *testing.T) {
	n := len(malformedConfigs()) + len(malformedSamples()) + len(malformedData()) + len(malformedEvents()) + 2*len(shardDamage) + len(malformedReplies())
	if n < 200 {
		t.Errorf("%d malformed inputs, want 200 at least", n)
	}
	t.Logf("%d malformed inputs", n)
}
