package reports

import (
	"bytes"
	"strings"
	"testing"
)

// A report that can be read can be written, and read again.
func FuzzReadJSON(f *testing.F) {
	for _, text := range []string{"", "{}", "null", `{"schema":"` + ReportSchema + `","seed":"1","budget":"quick","claims":[{"id":"a/b","verdict":"holds","kind":"identity","claimed":"inf"}]}`, `{"schema":"` + ReportSchema + `","seed":"-1"}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := ReadJSON(strings.NewReader(text))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := JSON(&out, d); err != nil {
			t.Fatalf("it cannot be written: %v", err)
		}
		if _, err := ReadJSON(&out); err != nil {
			t.Fatalf("it cannot be read again: %v", err)
		}
	})
}
