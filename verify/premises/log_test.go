package premises

import (
	"strings"
	"testing"
)

const exampleLog = `{"records": 5}
{"step": 1, "batch": [0, 3], "norms": [1, 0.5], "contributions": [[0.6, 0.8], [0, -0.5]], "noise": [0.1, 0.2], "released": [0.35, 0.25], "divisor": 2}
{"step": 2, "batch": [], "norms": [], "contributions": [], "noise": [1, 2], "released": [0.5, 1], "divisor": 2}
`

func TestReadLog(t *testing.T) {
	l, err := ReadLog("dir/run.jsonl", strings.NewReader(exampleLog))
	if err != nil {
		t.Fatal(err)
	}
	s := l.Steps[0]
	if l.Name != "run.jsonl" || l.Records != 5 || l.Coordinates != 2 || len(l.Steps) != 2 || s.Norm != 1 || s.Part != 1 ||
		s.NormAt != 0 || s.PartAt != 0 ||
		s.Sum[0] != 0.6 || s.Sum[1] < 0.3-1e-15 || s.Sum[1] > 0.3+1e-15 || s.Size[1] != 1.3 {
		t.Errorf("log %+v", l)
	}
}

func TestReadLogErrors(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{exampleLog, "", "no steps"},
		{`{"records": 5}`, "\uFEFF" + `{"records": 5}`, "run.jsonl: the log begins with a UTF-8 byte order mark"},
		{exampleLog, "\x1f\x8b\x08" + exampleLog, "run.jsonl: the log is compressed by gzip"},
		{exampleLog, "{\"records\": 5}\n", "no steps"},
		{`{"records": 5}`, `{"records": 0}`, "run.jsonl:1: the number of records is missing or out of range"},
		{`{"records": 5}`, `{"record": 5}`, "run.jsonl:1"},
		{`"step": 2`, `"step": 3`, "run.jsonl:3: want step 2"},
		{`[0, 3]`, `[0, 5]`, "record 5: want a position from 0 to 4"},
		{`[1, 0.5]`, `[1]`, "2 records, 1 norms"},
		{`[1, 0.5]`, `[1, -1]`, "norm -1"},
		{`[[0.6, 0.8], `, `[[0.6], `, "want 2 finite numbers"},
		{`"noise": [0.1, 0.2]`, `"noise": [0.1]`, "1 of noise"},
		{`"released": [0.5, 1]`, `"released": [0.5]`, "want 2 of each"},
		{`, "divisor": 2}` + "\n{", "}\n{", "the divisor is missing"},
		{`[0.1, 0.2]`, `[0.1, 1e999]`, "run.jsonl:2"},
		{`[0.1, 0.2]`, `[0.1, NaN]`, "run.jsonl:2"},
		{`[0.1, 0.2]`, `[0.1, null]`, "run.jsonl:2: null"},
		{`[0.1, 0.2]`, `[0.1, 1e-999]`, "1e-999"},
		{`"batch": [0, 3]`, `"batch": [0, null]`, "run.jsonl:2: null"},
		{`"norms": []`, `"norms": null`, "run.jsonl:3: null"},
		{`"divisor": 2}` + "\n{", `"divisor": 2, "divisor": 3}` + "\n{", "divisor"},
		{`"released": [0.5, 1], "divisor": 2}`, `"relea`, "run.jsonl:3"},
		{`"batch": [], `, ``, "run.jsonl:3: step 2: no batch"},
		{`"norms": [], `, ``, "run.jsonl:3: step 2: no batch, norms"},
		{`"contributions": [], `, ``, "run.jsonl:3: step 2: no batch, norms or contributions"},
		{`"step": 2`, `"step": 2, "STEP": 2`, `run.jsonl:3: unknown key "STEP"`},
		{`"records"`, `"Records"`, `run.jsonl:1: unknown key "Records"`},
		{`"divisor": 2}` + "\n{", `"divisor": 2}}` + "\n{", "run.jsonl:2: more than one JSON value"},
	} {
		text := strings.Replace(exampleLog, test.old, test.new, 1)
		if _, err := ReadLog("run.jsonl", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s in place of %s: error %v, want one with %q", test.new, test.old, err, test.want)
		}
	}
}
