package strictjson

import (
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		`{"x":1,"x":2}`: `"x" twice`, `[{"a":{"y":1,"\u0079":1}}]`: `"y" twice`, `[1, {"a": -1e400}]`: "beyond the range", `1e-400`: "beyond the range",
		`{"x":{"x":1},"y":[{"x":1},{"x":1}]}`: "", `[1e308, "1e400", null, true]`: "", `"word"`: "",
	} {
		err := Check([]byte(text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if err := KeysOnce([]byte(`{"x":1e400}`)); err != nil {
		t.Error(err)
	}
}
