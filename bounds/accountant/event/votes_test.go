package event

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadVotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "votes.csv")
	for _, c := range []struct{ text, want string }{
		{"cat,dog\n3,1\n0,4\n", "[[3 1] [0 4]]"},
		{"\uFEFF3, 1\r\n0, 4e0\r\n", "[[3 1] [0 4]]"},
		{"", "votes.csv: no votes: want a row for each query"},
		{"cat,dog\n", "votes.csv: no votes"},
		{"3\n4\n", "votes.csv:1: the row has 1 column: want a column for each of at least 2 classes"},
		{"3,1\n3\n", "votes.csv:2: wrong number of fields: want a column for each class"},
		{"3,1\ncat,dog\n", `votes.csv:2: column 2 is "dog": want a whole number of votes`},
		{"\"1,000\",\"2,000\"\n3,1\n", `votes.csv:1: column 2 is "2,000": want a whole number of votes`},
		{"3_1,0_4\n3,1\n", `votes.csv:1: column 2 is "0_4"`},
		{"# 3,# 1\n3,1\n", `votes.csv:1: column 2 is "# 1"`},
		{",cat\n0,3\n", `votes.csv:1: column 2 is "cat"`},
		{"cat,dog 2\n3,1\n", "[[3 1]]"},
		{"cat,1\n", `votes.csv:1: column 1 is "cat"`},
		{"0,1,2\n5,0,0\n", "votes.csv:1: the row 0, 1, 2, … may be names or votes"},
		{"5,0,0\n0,1,2\n", "[[5 0 0] [0 1 2]]"},
		{"0,1\n", "[[0 1]]"},
		{"3,-1\n", `votes.csv:1: column 2 is "-1"`},
		{"3,1.5\n", `votes.csv:1: column 2 is "1.5"`},
		{"3,1e300\n", `votes.csv:1: column 2 is "1e300"`},
		{"3,nan\n", `votes.csv:1: column 2 is "nan"`},
		{"3,inf\n", `votes.csv:1: column 2 is "inf"`},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		rows, err := ReadVotes(path)
		if got := fmt.Sprint(rows, err); !strings.Contains(got, c.want) {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
	if _, err := ReadVotes(path + "x"); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("no file: %v", err)
	}
}

// Any text gives whole numbers of votes for the same classes, or an error that begins with a line number or a space.
func FuzzVotes(f *testing.F) {
	for _, seed := range []string{"cat,dog\n3,1\n", "3,1\n\"0\",4\n", "3\n", "3,\"1\n", ",\n1,2\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := votesOfCSV([]byte(text))
		if err != nil {
			if first := err.Error()[0]; first != ' ' && (first < '1' || first > '9') {
				t.Errorf("%q: %v, without a line number", text, err)
			}
			return
		}
		for _, row := range rows {
			for _, n := range row {
				if len(row) < 2 || len(row) != len(rows[0]) || !(n >= 0 && n == float64(int64(n))) {
					t.Errorf("%q: %v", text, row)
				}
			}
		}
	})
}
