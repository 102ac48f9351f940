package outputs

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// A recording gives either an error that names its file, or outputs of one kind that can be written again.
func FuzzReadRecording(f *testing.F) {
	for _, text := range []string{"", lines(200, "1.5"), lines(200, "[1, \"x\"]"), "noise\n" + lines(200, "1"),
		"\xef\xbb\xbf" + lines(200, "1,2"), "\"", "NaN\n", "{}\n", lines(200, "\"inf\"") + "null"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, isCSV bool) {
		name := "f.jsonl"
		if isCSV {
			name = "f.csv"
		}
		got, err := ReadRecording(name, strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), name+":") || len(err.Error()) > 2000 {
				t.Fatalf("the message is %q", err)
			}
			return
		}
		if len(got.Outputs) < verify.MinSamples {
			t.Fatalf("%d outputs and no error", len(got.Outputs))
		}
		for _, v := range got.Outputs {
			if _, err := json.Marshal(v); err != nil || !alike(got.Outputs[0], v) && got.Outputs[0] != nil {
				t.Fatalf("the output %v: %v", v, err)
			}
		}
	})
}
