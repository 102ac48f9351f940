package event

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadTable(t *testing.T) {
	rows := [][2]float64{{0.75, 0.25}, {0.25, 0.75}}
	for _, c := range []struct {
		reason, name, text string
		want               [][2]float64
	}{
		{"two columns", "a.csv", "p,q\n0.75,0.25\n0.25,0.75\n", rows},
		{"in another order, among others, as spreadsheets write them", "b.csv", "\uFEFFoutput, Q, P\nyes, 0.25, 0.75\nno, 0.75, 0.25\n", rows},
		{"pairs", "c.json", "[[0.75, 0.25], [0.25, 0.75]]", rows},
		{"losses", "d.csv", "loss,p\n1.0986122886681098,0.75\n-1.0986122886681098,0.25\n", rows},
		{"infinite ones, and outputs that only the other input has", "e.csv", "p,loss\n0.5,inf\n0.5,0\n", [][2]float64{{0.5, 0}, {0.5, 0.5}, {0, 0.5}}},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readTable(path)
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%s: %v, %v", c.reason, got, err)
			continue
		}
		for i := range got {
			for j := range got[i] {
				if math.Abs(got[i][j]-c.want[i][j]) > 1e-15 {
					t.Errorf("%s: %v, want %v", c.reason, got, c.want)
				}
			}
		}
	}
}

func TestReadTableRefuses(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"nothing", "", ": no rows"},
		{"other columns", "x,y\n1,1\n", ":1: the columns are x, y: want p and q, or p and loss"},
		{"one too many", "p,q,loss\n1,1,0\n", "want p and q, or p and loss"},
		{"a word", "p,q\n1,1\nx,0\n", `:3: "x" is not a number`},
		{"no probability", "p,q\n1.5,1\n", ":2: 1.5 is not a probability"},
		{"what would be read as 0", "p,q\n1e-400,1\n", `:2: "1e-400" is beyond the range`},
		{"a short row", "p,q\n1\n", ":2: wrong number of fields"},
		{"a sum", "p,q\n0.5,0.5\n0.4,0.5\n", "the first column adds up to 0.9"},
		{"losses that add up to more", "p,loss\n0.5,-0.5\n0.5,0\n", "the second column adds up to 1.3"},
		{"a loss that is too low", "p,loss\n0.5,-1\n0.5,0\n", ":2: p = 0.5 at a loss of -1 makes q = 1.359"},
		{"a row of three", "[[0.5, 0.5, 0]]", ": row 1 has 3 numbers"},
		{"JSON of words", `["p"]`, ": want a JSON list of pairs"},
	} {
		path := filepath.Join(t.TempDir(), "law.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if rows, err := readTable(path); err == nil || !strings.Contains(err.Error(), "law.csv"+c.want) &&
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", c.reason, rows, err, c.want)
		}
	}
	if _, err := readTable(filepath.Join(t.TempDir(), "none.csv")); err == nil || !strings.Contains(err.Error(), "none.csv: no such file") {
		t.Errorf("no file: %v", err)
	}
}
