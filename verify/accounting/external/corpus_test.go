package external

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
)

var update = flag.Bool("update", false, "rewrite the corpus")

// corpusSchema names the form of the corpus.
const corpusSchema = "dpverify/accountant-corpus/v1"

// corpusSeed is the seed of the questions in the corpus.
const corpusSeed = 20

// corpusCases is the number of questions in the corpus.
const corpusCases = 500

// corpusFile is the corpus: questions with certified brackets, for tests of other libraries.
type corpusFile struct {
	Schema string       `json:"schema"`
	Seed   string       `json:"seed"`
	Cases  []corpusCase `json:"cases"`
}

type corpusCase struct {
	Adjacency   string  `json:"adjacency"`
	Sensitivity float64 `json:"sensitivity"`
	Ask         string  `json:"ask"`
	At          float64 `json:"at"`
	Event       Tree    `json:"event"`
	Lower       float64 `json:"lower"`
	Upper       float64 `json:"upper"`
}

func corpusPath() string {
	return filepath.Join("..", "..", "..", "testdata", "accountant-corpus.json")
}

// newCorpus returns the first different questions of a seed that both back ends agree on.
func newCorpus(t *testing.T) corpusFile {
	t.Helper()
	f := corpusFile{Schema: corpusSchema, Seed: fmt.Sprint(corpusSeed)}
	seen := make(map[string]bool)
	for i := uint64(0); len(f.Cases) < corpusCases; i++ {
		c, err := Generate(corpusSeed, i)
		if err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint(c.Tree, c.Adjacency, c.Ask, c.At)
		if seen[name] {
			continue
		}
		seen[name] = true
		if err := Confirm(c); err != nil {
			t.Logf("question %d is left out: %s: %v", i, name, err)
			continue
		}
		f.Cases = append(f.Cases, corpusCase{c.Adjacency.String(), distance(c.Adjacency), c.Ask, c.At, c.Tree,
			c.Bracket.Lower, c.Bracket.Upper})
	}
	return f
}

// write writes the corpus with a line for each case.
func (f corpusFile) write() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"schema\": %q, \"seed\": %q, \"cases\": [", f.Schema, f.Seed)
	for i, c := range f.Cases {
		line, err := json.Marshal(c)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s\n%s", map[bool]string{true: ","}[i > 0], line)
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), nil
}

// The brackets of the corpus equal recomputed brackets to a relative 1e-9, and the second back end confirms them: for a
// part of the questions by default, for all in a long test.
func TestCorpus(t *testing.T) {
	if *update {
		text, err := newCorpus(t).write()
		if err == nil {
			err = os.WriteFile(corpusPath(), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(corpusPath())
	if err != nil {
		t.Fatal(err)
	}
	var f corpusFile
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if f.Schema != corpusSchema || len(f.Cases) != corpusCases || len(text) > 400_000 {
		t.Fatalf("schema %q, %d cases, %d bytes", f.Schema, len(f.Cases), len(text))
	}
	step := testutil.Size(25, 1)
	for i := 0; i < len(f.Cases); i += step {
		c := f.Cases[i]
		adj, err := event.ParseAdjacency(c.Adjacency)
		if err != nil {
			t.Fatal(err)
		}
		got, err := certify(Question{c.Event, adj, c.Ask, c.At})
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		if !near(got.Bracket.Lower, c.Lower) || !near(got.Bracket.Upper, c.Upper) || c.Sensitivity != distance(adj) {
			t.Errorf("case %d: computed %v, stored [%v, %v]", i, got.Bracket, c.Lower, c.Upper)
		}
		got.Bracket = accountant.Bracket{Lower: c.Lower, Estimate: c.Lower, Upper: c.Upper}
		if err := Confirm(got); err != nil {
			t.Errorf("case %d: %v", i, err)
		}
	}
}

func near(x, y float64) bool { return x <= y*(1+1e-9) && y <= x*(1+1e-9) }
