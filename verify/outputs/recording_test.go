package outputs

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
		{"a.jsonl", lines(200, "[9007199254740993, 1e3]"), []any{json.Number("9007199254740993"), 1000.0}, 200,
			"digits beyond a double"},
		{"a.csv", "id\n" + lines(200, " -9007199254740993"), json.Number("-9007199254740993"), 200,
			"digits beyond a double"},
		{"a.csv", "\uFEFF\"noise\"\r\n" + lines(200, "1.5\r"), 1.5, 200, "a byte order mark, a quoted header, lines of " +
			"Windows"},
		{"a.csv", "answer,x\n" + lines(200, "yes,1.5"), []any{"yes", 1.5}, 200, "names of columns of both kinds"},
		{"a.csv", lines(200, `"1.5"`), 1.5, 200, "numbers in quotes, as many programs write them"},
		{"a.jsonl", "\uFEFF" + lines(200, "1.5\r"), 1.5, 200, "a byte order mark, lines of Windows"},
		{"a.csv", lines(200, "NaN"), "nan", 200, "as many programs write it"},
	} {
		got, err := ReadRecording(c.name, strings.NewReader(c.text))
		if err != nil || len(got.Outputs) != c.n || cmp.Diff(c.want, got.Outputs[0]) != "" {
			t.Errorf("%s: %d outputs, error %v; want %d: %s", c.name, len(got.Outputs), err, c.n, c.reason)
		}
	}
}

func TestReadRecordingErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a.jsonl", lines(5, "1") + "oops\n", `a.jsonl:6: "oops" is not a JSON value`},
		{"a.jsonl", lines(7, "1"), "a.jsonl:7: the file ends after 7 outputs: want at least 200"},
		{"a.jsonl", "", "a.jsonl: the file contains no outputs: want at least 200"},
		{"a.jsonl", lines(2, "1") + "[1]\n", `a.jsonl:3: array "[1]", unlike number "1" in a.jsonl:1`},
		{"a.jsonl", lines(2, `[1, "x"]`) + "[1, 2]\n", "a.jsonl:3: array"},
		{"a.jsonl", `{"x": 1}`, "a.jsonl:1: the file ends after 1 outputs"},
		{"a.csv", lines(3, "1") + "yes\n", "a.csv:4: string \"\\\"yes\\\"\", unlike number"},
		{"a.csv", lines(3, "1,2") + "1\n", "a.csv:4: 1 fields, but line 1 has 2"},
		{"a.jsonl", lines(4, "1") + "1e400\n", "a.jsonl:5: 1e400 is beyond the range of a double"},
		{"a.jsonl", lines(4, "1") + strings.Repeat("7", 301) + "\n", "a.jsonl:5: " +
			"7777777777777777777777777777777777777777… is a whole number of 301 digits"},
		{"a.jsonl", lines(4, "1") + "[0.12345678901234567890123]\n", "a.jsonl:5: 0.12345678901234567890123 has 23 " +
			"significant digits"},
		{"a.jsonl", lines(4, "1") + `"NaN"` + "\n", `a.jsonl:5: "NaN": numbers that are not finite are written "nan"`},
		{"a.csv", lines(4, "1") + "1e400\n", "a.csv:5: 1e400 is beyond the range of a double"},
		{"a.csv", lines(4, "1,2") + "1,0.12345678901234567890123\n", "a.csv:5: 0.12345678901234567890123 has 23 " +
			"significant digits"},
		{"a.csv", "# noise\n" + lines(300, "1"), "a.csv:1: \"# noise\" begins like a comment"},
		{"a.csv", lines(5, "1") + "#2\n", "a.csv:6: \"#2\" begins like a comment"},
		{"a.csv", lines(300, `"1,5"`), `a.csv:1: field 1, "1,5", begins like a number but is not one`},
		{"a.csv", lines(5, "0,929") + "0,045\n", `a.csv:6: field 2, "045", begins like a number but is not one`},
		{"a.csv", lines(5, "0,9") + "-0,5\n", "a.csv:6: field 1 is -0, which may come from"},
		{"a.csv", lines(300, "1_000"), "begins like a number but is not one"},
		{"a.csv", lines(300, "0x10"), "begins like a number but is not one"},
		{"a.csv", lines(300, "1;5"), "begins like a number but is not one"},
		{"a.csv", lines(300, "1\t5"), "begins like a number but is not one"},
		{"a.csv", lines(300, "1.5 m"), "begins like a number but is not one"},
		{"a.csv", lines(300, "$1.5"), "begins like a number but is not one"},
		{"a.csv", lines(300, "−1.5"), "begins like a number but is not one"},
		{"a.csv", lines(300, "1,"), "a.csv:1: field 2 is empty"},
		{"a.csv", lines(5, "1") + "\"\"\n", "a.csv:6: field 1 is empty"},
		{"a.csv", ",x\n" + lines(300, "1,2"), "a.csv:1: a column without a name"},
		{"a.csv", "answer\n" + lines(300, "yes"), `a.csv:1: "answer" occurs only in the first line`},
		{"a.csv", strings.Repeat("1.5\r", 300), "a.csv:1: \"1.5\\r1.5"},
		{"a.csv", "\xff\xfe1\x00", "a.csv:1: the file is in UTF-16"},
		{"a.jsonl", "\xfe\xff\x001", "a.jsonl:1: the file is in UTF-16"},
		{"a.csv", lines(5, "1") + "\"1\n", "a.csv:6:"},
		{"a.jsonl", lines(4, "1") + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "\n", "a.jsonl:5: "},
		{"a.csv", "-nan\n" + lines(4, "1"), `a.csv:1: "-nan": numbers that are not finite are written "nan"`},
	} {
		if _, err := ReadRecording(c.name, strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(),
			c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
	_, _, err := ReadRecordings("a.jsonl", strings.NewReader(lines(200, "1")), "b.jsonl", strings.NewReader(lines(200,
		`"x"`)))
	if want := `b.jsonl:1: string`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("files of unequal kinds: %v, want %s", err, want)
	}
}

// The columns of both files must be the same.
func TestReadPairOfHeaders(t *testing.T) {
	data := lines(200, "1,2")
	for _, c := range []struct{ a, b, want string }{
		{"x,y\n" + data, "x,y\n" + data, ""},
		{data, data, ""},
		{"x,y\n" + data, "y,x\n" + data, `b.csv:1: the columns are "y,x", unlike "x,y" in a.csv:1`},
		{"x,y\n" + data, "x,z\n" + data, `b.csv:1: the columns are "x,z", unlike "x,y" in a.csv:1`},
		{"x,y\n" + data, data, `a.csv:1: the first line, "x,y", names the columns, but the first line of b.csv does not`},
		{data, "x,y\n" + data, `b.csv:1: the first line, "x,y", names the columns, but the first line of a.csv does not`},
	} {
		_, _, err := ReadRecordings("a.csv", strings.NewReader(c.a), "b.csv", strings.NewReader(c.b))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// Reading a written recording returns the same outputs.
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
	got, err := ReadRecording("x", strings.NewReader(text.String()))
	if err != nil || cmp.Diff(want, got.Outputs) != "" {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got.Outputs))
	}
}
