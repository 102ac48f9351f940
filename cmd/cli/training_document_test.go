package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/internal/testutil"
)

// trainingCommand makes the table of trainings, in the root of the module. `go test ./cmd/cli -run TrainingDocument
// -update
// -kinds training -timeout 2h` renews the document.
const trainingCommand = "experiment canary --train testdata/audit/training.yaml --runs 5 --sound 200 --seed 1"

// tableOf returns the output of a command that runs in the root of the module.
func tableOf(t *testing.T, args string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), strings.Fields(args), &stdout, &stderr); code != codeFine {
		t.Fatalf("dpverify %s exits with %d: %s", args, code, &stderr)
	}
	return stdout.String()
}

// without removes columns of a table, and the command above it.
func without(page string, columns ...int) (lines []string) {
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, "dpverify ") || strings.HasPrefix(line, "|:") {
			continue
		}
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			for _, c := range columns {
				cells[c] = ""
			}
			line = strings.Join(cells, "|")
		}
		lines = append(lines, line)
	}
	return lines
}

// Columns of the table.
const (
	trainedName, trainedAttack, trainedOneRun, trainedSeconds, trainedRuns, trainedRunsSeconds = 1, 2, 4, 5, 6, 7
)

// In the long form the document equals the output of its command, except for the seconds. Otherwise it has the same
// text, rows and accountant's ε. White-box canaries detect each fault, and no sound training is refuted.
func TestTrainingDocument(t *testing.T) {
	document, err := filepath.Abs(filepath.Join("..", "..", "verify", "calibration", "TRAINING.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join("..", ".."))
	if *update && *renewedKinds == "training" {
		put(t, document, tableOf(t, trainingCommand))
	}
	page := read(t, document)
	if !strings.Contains(page, "\ndpverify "+trainingCommand+"\n") {
		t.Errorf("the command is not %s", trainingCommand)
	}
	if testutil.Asked() {
		fresh := without(tableOf(t, trainingCommand), trainedSeconds, trainedRunsSeconds)
		if diff := cmp.Diff(fresh, without(page, trainedSeconds, trainedRunsSeconds)); diff != "" {
			t.Errorf("the table (-command +document):\n%s", diff)
		}
	}
	small := filepath.Join("testdata", "audit", "training.yaml")
	text := regexp.MustCompile(`(canaries|runs): \d+`).ReplaceAllString(read(t, small), "$1: 2")
	text = strings.Replace(text, "../data/", filepath.ToSlash(mustAbs(t, filepath.Join("testdata", "data")))+"/", 1)
	file := filepath.Join(t.TempDir(), "training.yaml")
	put(t, file, text)
	sizes := []int{trainedOneRun, trainedSeconds, trainedRuns, trainedRunsSeconds}
	fresh := without(tableOf(t, "experiment canary --runs 1 --sound 1 --train "+file), sizes...)
	if diff := cmp.Diff(fresh, without(page, sizes...)); diff != "" {
		t.Errorf("text and rows (-command +document):\n%s", diff)
	}
	rows := 0
	for _, line := range strings.Split(page, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 9 || strings.HasPrefix(line, "|:") || strings.Contains(line, "seconds") {
			continue
		}
		rows++
		both := cells[trainedOneRun] + cells[trainedRuns]
		switch name := strings.TrimSpace(cells[trainedName]); {
		case name == "sound" && strings.Count(both, "never refuted") != 2:
			t.Errorf("a sound training is refuted: %s", line)
		case name != "sound" && strings.TrimSpace(cells[trainedAttack]) == "white-box" && strings.Count(both, "not found") == 2:
			t.Errorf("a fault is not found: %s", line)
		}
	}
	if rows != 14 {
		t.Errorf("%d rows, want the sound training and six faults by two attacks", rows)
	}
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
