package cli

import (
	"strings"
	"testing"

	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
)

// ParseClaims returns an error that begins with the file's name, or valid claims.
func FuzzAuditFile(f *testing.F) {
	for _, text := range []string{wholeClaim, "", "claims: [{}]", "seed: 1.5\nclaims: [", "claims: &a [*a]", "\xff", "claims:\n\t- x", "{\"claims\": null}", "? a\n: b", "claims: [{pairs: [{a: .nan, b: !!binary x}]}]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, subjects, err := claimsfile.ParseClaims("f", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") || len(err.Error()) > 2*len(data)+2000 {
				t.Fatalf("the message is %q", err)
			}
			return
		}
		if len(subjects) == 0 {
			t.Fatal("neither claims nor an error")
		}
		for i := range subjects {
			s := &subjects[i]
			s.Precision = claimsfile.PrecisionWarn
			if s.Samples == 0 {
				s.Samples = claimsfile.DefaultSamples
			}
			_ = s.Check() // may return an error, must not panic
			for _, n := range s.Neighbours() {
				if len(n.A) == 0 || len(n.B) == 0 {
					t.Fatal("an input is empty")
				}
			}
		}
	})
}

// SplitWords returns quoted words unchanged.
func FuzzSplitWords(f *testing.F) {
	f.Add("python3", "a b")
	f.Add("x", `it's "x" \`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if a == "" || strings.ToValidUTF8(a+b, "") != a+b {
			return
		}
		quote := func(w string) string { return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" }
		got, err := claimsfile.SplitWords(quote(a) + " " + quote(b))
		if err != nil || len(got) != 2 || got[0] != a || got[1] != b {
			t.Fatalf("%q, %v", got, err)
		}
		_, _ = claimsfile.SplitWords(a + " " + b) // must not panic
	})
}

// A whole number may have an exponent.
func TestWholeNumbers(t *testing.T) {
	for text, want := range map[string]int64{"200000": 200_000, "2e5": 200_000, "2.0e5": 200_000, "1000.7": 0, "1e300": 0} {
		_, subjects, err := claimsfile.ParseClaims("f", []byte(wholeClaim+"    samples: "+text+"\n"))
		if (err != nil) != (want == 0) || err == nil && subjects[0].Samples != want {
			t.Errorf("%s: %v, %v", text, subjects, err)
		}
	}
}
