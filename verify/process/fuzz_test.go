package process

import (
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify/outputs"
)

// A reply gives the requested number of outputs, or an error of bounded length.
func FuzzReply(f *testing.F) {
	for _, line := range []string{"", "{}", `{"outputs": [1, "nan"]}`, `{"outputs": [[1, [2]], null]}`, `{"outputs": [1], "outputs": [2]}`, `{"outputs": [NaN, 1]}`, `{"x": {}, "outputs": [true, false]}`, "\xff", strings.Repeat("[", 100)} {
		f.Add([]byte(line), 2)
	}
	f.Fuzz(func(t *testing.T, line []byte, n int) {
		values, err := outputs.ParseReply(line, n)
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Fatalf("the message is %q", err)
			}
			return
		}
		if len(values) != n {
			t.Fatalf("%d outputs, want %d", len(values), n)
		}
		var seen repliesSeen
		seen.first(nil, false)
		if err := seen.note(nil, 1, values); err == nil {
			_ = seen.usable()
		}
	})
}
