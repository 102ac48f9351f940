package outputs

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The fast reader reads a text as the general one does, or leaves it to the general one.
func TestReadNumbers(t *testing.T) {
	for text, fast := range map[string]bool{
		"1.5": true, " -0 ": true, "1e3": true, "1E+3": true, "-2.50e-3\r": true, "9007199254740993": true,
		"[1, -2.5,3]": true,
		"[ 1 ]":       true, "0.1": true, "0": true,
		"01": false, "1.": false, ".5": false, "+1": false, "1e": false, "0x10": false, "1_0": false, "": false,
		"[]":   false,
		"[1,]": false, "[,1]": false, "[1": false, "1]": false, "[1] 2": false, "1 2": false, "[[1]]": false,
		`"inf"`: false, "NaN": false,
		"Infinity": false, "null": false, "1e400": false, "1e-400": false, "0.12345678901234567890123": false,
		"[1,\"x\"]": false,
		"\u00a01":   false, "１": false,
	} {
		got, ok := ReadNumbers([]byte(text))
		if ok != fast {
			t.Errorf("%q: %v, want %v", text, ok, fast)
		}
		if !ok {
			continue
		}
		want, err := DecodeValue([]byte(text))
		if err == nil {
			want, err = ReadValue(want)
		}
		if err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%q: %v, want %v, %v", text, got, want, err)
		}
	}
}
