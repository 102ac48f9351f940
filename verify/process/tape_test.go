package process

import (
	"encoding/json"
	"fmt"
	"testing"
)

// A journal keeps all digits of the replies of a preparation.
func TestTapeKeepsDigits(t *testing.T) {
	want := []any{json.Number("9223372036854775807"), json.Number("-123456789012345678901234567890"), 1.5, "9223372036854775807"}
	tape := newTape(nil)
	if err := tape.record(json.RawMessage("1"), 7, want); err != nil {
		t.Fatal(err)
	}
	got, err := tape.play(json.RawMessage("1"), 7, len(want))
	if err != nil || fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", want) {
		t.Errorf("%#v became %#v: %v", want, got, err)
	}
}
