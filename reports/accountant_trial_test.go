package reports

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify/accounting/external"
)

// exampleTrial is the trial of an accountant that gives an answer of each kind.
func exampleTrial(t *testing.T) AccountantTrial {
	t.Helper()
	low, estimate := `{"ASK": 1e-9, "bound": "upper"}`, `{"ASK": 1e-9, "bound": "estimate"}`
	lines := []string{low, low, estimate, estimate, // low answers are asked for twice
		`{"ASK": 1, "bound": "upper"}`, `{"unsupported": "a | b"}`, `{"error": "no such event"}`,
		`{"epsilon": "inf", "bound": "upper"}`}
	asked := 0
	ask := func(line []byte) ([]byte, error) {
		var r external.Request
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, err
		}
		reply := strings.ReplaceAll(lines[min(asked, len(lines)-1)], "ASK", r.Ask)
		asked++
		return []byte(reply), nil
	}
	res, err := external.Run(context.Background(), replies(ask), external.Options{Seed: 1, Trees: 8, Factor: 1.1})
	if err != nil {
		t.Fatal(err)
	}
	return AccountantTrial{Result: res, Command: "dpverify account trial --exec x", Version: "v1", Go: "go1.26"}
}

// replies is an accountant without a process.
type replies func(line []byte) ([]byte, error)

func (f replies) Exchange(line []byte) ([]byte, error) { return f(line) }
func (replies) Restart()                               {}

func TestAccountantTrialSheet(t *testing.T) {
	text := string(render(t, func(b *bytes.Buffer) error { return exampleTrial(t).Sheet().Markdown(b) }))
	for _, want := range []string{"| not an upper bound |", "## Shrunk tree: not an upper bound", "times the certified upper end",
		"error: no such event", "upper bound ∞"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// The committed corpus has the form of its schema.
func TestCorpusSchema(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "testdata", "accountant-corpus.json"))
	if err != nil {
		t.Fatal(err)
	}
	s := compiled(t, "accountant-corpus")
	if err := validate(t, s, string(text)); err != nil {
		t.Error(err)
	}
	if validate(t, s, strings.Replace(string(text), `"upper":`, `"Upper":`, 1)) == nil {
		t.Error("a case without its upper end is valid")
	}
}
