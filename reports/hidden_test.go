package reports

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dpverify/dpverify/internal/visible"
	"github.com/dpverify/dpverify/verify"
)

// named changes every text of a value that a user, a paper or a mechanism can choose. Constants of the program, such
// as verdicts, have their own types.
func named(v reflect.Value, change func(string) string) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() && v.Type() == reflect.TypeFor[string]() {
			v.SetString(change(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			named(v.Elem(), change)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			named(v.Field(i), change)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			named(v.Index(i), change)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			k, to := reflect.New(key.Type()).Elem(), reflect.New(v.Type().Elem()).Elem()
			k.Set(key)
			to.Set(v.MapIndex(key))
			named(k, change)
			named(to, change)
			v.SetMapIndex(key, reflect.Value{})
			v.SetMapIndex(k, to)
		}
	}
}

// textForms returns the forms of a document that a person reads, and those of its claims.
func textForms(d, before Document) map[string]func(io.Writer) error {
	of := func(write func(io.Writer, Document) error) func(io.Writer) error {
		return func(w io.Writer) error { return write(w, d) }
	}
	var claims []verify.Claim
	for _, r := range d.Run.Results {
		claims = append(claims, r.Claim)
	}
	o := exampleOutcome()
	o.Command, o.Experiment.Title, o.Results[0].Notes, o.Results[0].Series[0].Name = d.Title, d.Title, d.Notes, d.Title
	return map[string]func(io.Writer) error{
		"Markdown": of(Markdown), "HTML": of(HTML), "JUnit": of(JUnit), "SARIF": of(SARIF), "erratum": of(Erratum),
		"annotations": of(Annotations),
		"summary":     func(w io.Writer) error { return Summary(w, d, SummaryLimit) },
		"terminal":    func(w io.Writer) error { return Terminal(w, d, Screen{Width: 90}) },
		"colors": func(w io.Writer) error {
			var b bytes.Buffer
			err := Terminal(&b, d, Screen{Width: 90, Color: true})
			_, _ = io.WriteString(w, programColors.ReplaceAllString(b.String(), ""))
			return err
		},
		"files": func(w io.Writer) error {
			files, err := Files(d)
			for name, text := range files {
				_, _ = io.WriteString(w, name+"\n"+string(text))
			}
			return err
		},
		"explanation": func(w io.Writer) error {
			return Explain(Explanation{Claim: claims[0], Options: d.Run.Options, Alpha: 1e-6, Unprepared: d.Title}).Markdown(w)
		},
		"difference": func(w io.Writer) error {
			return Comparison{Old: before, New: d,
				Changes: []Change{{ID: claims[0].ID, Class: Moved, Text: d.Title}}}.Sheet().Markdown(w)
		},
		"list":            ListClaims(claims).Markdown,
		"list, terminal":  func(w io.Writer) error { return ListClaims(claims).Terminal(w, Screen{Width: 90}) },
		"experiment":      func(w io.Writer) error { return experimentIn(w, o, Sheet.Markdown) },
		"experiment page": func(w io.Writer) error { return experimentIn(w, o, Sheet.HTML) },
	}
}

var (
	programColors = regexp.MustCompile("\x1b\\[(?:[01]|3[1236])m")
	workflow      = regexp.MustCompile(`(?m)^\s*::|##\[`)
)

// For any texts in a run, no form contains a hidden character, a workflow command or, in SARIF, a link. The JSON form
// has the same texts.
func FuzzNothingHidden(f *testing.F) {
	for _, text := range []string{"\x1b[31mred\x1b]0;t\x07", "\r\n::error::pwn\n", " \t::add-mask::x", "##[error]x", "a\u202eb\u2066c\u061c",
		"\u200b\u200d\ufeff\u2060", "\u009b31m\x7f\u0085", "\ufdd0\uffff\U0001fffe", "\U000e0041\ufe0f\u3164", "\xff\xc3\x00",
		"[text](http://a.example)", "x](http://a.example) [y", "\u2028::error::\u2029", "]]>\x1b<!--", `\x1b`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		before := excusedExample()
		for _, change := range []func(string) string{
			func(s string) string { return s + text },
			func(s string) string { return text + s },
		} {
			d := excusedExample()
			named(reflect.ValueOf(&d).Elem(), change)
			for form, write := range textForms(d, before) {
				var b bytes.Buffer
				if err := write(&b); err != nil {
					t.Fatalf("%s: %v", form, err)
				}
				nothingHidden(t, form, b.String())
			}
			sameInJSON(t, d)
		}
	})
}

func nothingHidden(t *testing.T, form, out string) {
	t.Helper()
	if at := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && r != '\t' && visible.Hidden(r) }); at >= 0 {
		t.Errorf("%s: a hidden character at %q", form, out[max(0, at-40):min(len(out), at+40)])
	}
	if !utf8.ValidString(out) {
		t.Errorf("%s: bytes that are not UTF-8", form)
	}
	page := strings.Contains(form, "page") || form == "HTML" // its style sheet contains such lines
	if at := workflow.FindStringIndex(out); at != nil && form != "annotations" && !page {
		t.Errorf("%s: a command to a workflow: %q", form, out[at[0]:min(len(out), at[0]+60)])
	}
	if form == "annotations" {
		for line := range strings.Lines(out) {
			if !strings.HasPrefix(line, "::error ") && !strings.HasPrefix(line, "::warning ") {
				t.Errorf("a line of the annotations is %q", line)
			}
		}
	}
	if form == "SARIF" && strings.Contains(out, "](") {
		t.Errorf("SARIF has a link: %.300s", out[strings.Index(out, "](")-40:])
	}
}

// sameInJSON compares the texts of a document with its JSON form, in which they are escaped.
func sameInJSON(t *testing.T, d Document) {
	t.Helper()
	var b bytes.Buffer
	if err := JSON(&b, d); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsFunc(b.String(), func(r rune) bool { return r != '\n' && visible.Hidden(r) }) {
		t.Error("JSON: a hidden character")
	}
	var got struct {
		Claims []struct{ ID, Statement string }
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for i, r := range d.Run.Results {
		want := strings.ToValidUTF8(r.Claim.ID, "\ufffd")
		if !slices.ContainsFunc(got.Claims, func(c struct{ ID, Statement string }) bool { return c.ID == want }) && utf8.ValidString(r.Claim.ID) {
			t.Errorf("JSON: claim %d lost its id %q", i, r.Claim.ID)
		}
	}
}
