package recording

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func lines(n int, line string) string { return strings.Repeat(line+"\n", n) }

func TestReadRecording(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       any // the first output
		n          int
		reason     string
	}{
		{"a.jsonl", lines(200, "1.5"), 1.5, 200, "numbers"},
		{"a.jsonl", "\n" + lines(200, "[1, \"x\"]") + "\n", []any{1.0, "x"}, 200, "arrays; empty lines do not count"},
		{"a.jsonl", lines(200, `"inf"`) + lines(3, "2"), "inf", 203, "an infinity is a number"},
		{"a.jsonl", lines(200, `[1, 2]`) + lines(3, "[1]"), []any{1.0, 2.0}, 203, "arrays may differ in length"},
		{"a.jsonl", lines(200, "true") + "null", true, 201, "null is of any kind"},
		{"a.csv", "noise\n" + lines(200, "1.5"), 1.5, 200, "a header"},
		{"a.CSV", lines(200, "1.5, -inf"), []any{1.5, "-inf"}, 200, "no header, two columns"},
		{"a.csv", lines(200, "yes") + lines(3, "no"), "yes", 203, "words, without a header"},
		{"a.jsonl", lines(200, "[9007199254740993, 1e3]"), []any{json.Number("9007199254740993"), 1000.0}, 200, "digits beyond a double"},
		{"a.csv", "id\n" + lines(200, " -9007199254740993"), json.Number("-9007199254740993"), 200, "digits beyond a double"},
		{"a.csv", lines(200, "NaN"), "nan", 200, "as many programs write it"},
	} {
		got, err := Read(c.name, strings.NewReader(c.text))
		if err != nil || len(got.Outputs) != c.n || cmp.Diff(c.want, got.Outputs[0]) != "" {
			t.Errorf("%s: %d outputs, error %v; want %d: %s", c.name, len(got.Outputs), err, c.n, c.reason)
		}
	}
}

func TestReadRecordingErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.jsonl", lines(5, "1") + "oops\n", `a.jsonl:6: "oops" is no JSON value`},
		{"a.jsonl", lines(7, "1"), "a.jsonl:7: the file ends after 7 outputs: want at least 200"},
		{"a.jsonl", "", "a.jsonl:0: the file ends after 0 outputs"},
		{"a.jsonl", lines(2, "1") + "[1]\n", `a.jsonl:3: array "[1]", unlike number "1" in a.jsonl:1`},
		{"a.jsonl", lines(2, `[1, "x"]`) + "[1, 2]\n", "a.jsonl:3: array"},
		{"a.jsonl", `{"x": 1}`, "a.jsonl:1: an object is no value"},
		{"a.csv", lines(3, "1") + "yes\n", "a.csv:4: string \"\\\"yes\\\"\", unlike number"},
		{"a.csv", lines(3, "1,2") + "1\n", "a.csv: record on line 4: wrong number of fields"},
		{"a.jsonl", lines(4, "1") + "1e400\n", "a.jsonl:5: 1e400 is beyond the range of a double"},
		{"a.jsonl", lines(4, "1") + strings.Repeat("7", 301) + "\n", "a.jsonl:5: 7777777777777777777777777777777777777777… is a whole number of 301 digits"},
		{"a.jsonl", lines(4, "1") + "[0.12345678901234567890123]\n", "a.jsonl:5: 0.12345678901234567890123 has 23 significant digits"},
		{"a.jsonl", lines(4, "1") + `"NaN"` + "\n", `a.jsonl:5: "NaN": numbers that are not finite are written "nan"`},
		{"a.csv", lines(4, "1") + "1e400\n", "a.csv:5: 1e400 is beyond the range of a double"},
		{"a.csv", lines(4, "1,2") + "1,0.12345678901234567890123\n", "a.csv:5: 0.12345678901234567890123 has 23 significant digits"},
		{"a.csv", "-nan\n" + lines(4, "1"), `a.csv:1: "-nan": numbers that are not finite are written "nan"`},
	} {
		if _, err := Read(c.name, strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
	_, _, err := ReadPair("a.jsonl", strings.NewReader(lines(200, "1")), "b.jsonl", strings.NewReader(lines(200, `"x"`)))
	if want := `b.jsonl:1: string`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("files of unequal kinds: %v, want %s", err, want)
	}
}

// What is read is what was written.
func TestReadRecordingOfWhatJSONWrites(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var text strings.Builder
	var want []any
	for range 300 {
		v := []any{r.NormFloat64(), fmt.Sprint(r.IntN(3)), r.IntN(2) == 0, nil}
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
		want = append(want, v)
	}
	got, err := Read("x", strings.NewReader(text.String()))
	if err != nil || cmp.Diff(want, got.Outputs) != "" {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got.Outputs))
	}
}
