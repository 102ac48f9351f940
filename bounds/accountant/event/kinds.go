package event

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// wantFile lists the files that read accepts.
const wantFile = "an events file (YAML or JSON), a tree of DpEvents or an Opacus history (JSON), or a text with a " +
	"statement of TensorFlow Privacy"

const exportState = "; write the state_dict() of its accountant with json.dump"

// signatures maps the first bytes of binary files to their kind.
var signatures = []struct{ begins, kind string }{
	{"PK\x03\x04", "a zip archive, as torch.save writes" + exportState},
	{"\x80\x02", "a Python pickle" + exportState},
	{"\x80\x03", "a Python pickle" + exportState},
	{"\x80\x04", "a Python pickle" + exportState},
	{"\x80\x05", "a Python pickle" + exportState},
	{"\x93NUMPY", "a NumPy array"},
	{"\x89HDF", "an HDF5 file"},
	{"\x1f\x8b", "a gzip archive"},
	{"PAR1", "a Parquet file"},
	{"SQLite format 3", "an SQLite database"},
	{"%PDF", "a PDF document"},
}

var (
	printedPython = regexp.MustCompile(`[A-Za-z]DpEvent\(|OrderedDict\(|^\s*[\[{].*\(\s*[0-9.]+\s*,`)
	ownWords      = regexp.MustCompile(`\b(?:mechanism|events?|type|adjacency|history|\w+DpEvent)\b|\b(?:` +
		strings.Join(mechanismNames(), "|") + `)["']?:`)
	htmlBegins = regexp.MustCompile(`(?i)^\s*<(?:!doctype|html|\?xml)`)
)

// foreignKind returns what a file that cannot be read seems to be, or "" if it is not one of these kinds.
func foreignKind(data []byte) string {
	for _, s := range signatures {
		if bytes.HasPrefix(data, []byte(s.begins)) {
			return s.kind
		}
	}
	text := bytes.TrimSpace(data)
	utf16 := bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff"))
	switch {
	case utf16: // strictyaml reports it
		return ""
	case len(text) == 0:
		return ""
	case bytes.IndexByte(data, 0) >= 0:
		return "binary data"
	case !utf8.Valid(data): // strictyaml reports the line
		return ""
	case htmlBegins.Match(text):
		return "an HTML or XML page without such a statement"
	case bytes.HasPrefix(text, []byte("#!")) || bytes.HasPrefix(text, []byte("import ")) ||
		bytes.HasPrefix(text, []byte("from ")):
		return "a program"
	}
	if _, ok := notebookText(text); ok {
		return "a Jupyter notebook without such a statement"
	}
	if json.Valid(text) {
		return ""
	}
	switch {
	case printedPython.Match(text):
		return "the printed form of a Python object; write it with json.dump, a DpEvent as event.to_named_tuple()"
	case isCSV(string(text)):
		return "a CSV file; a table of outputs is read by {mechanism: table, file: NAME}"
	}
	return ""
}

// isProse reports whether most lines of a text are sentences rather than YAML.
func isProse(data []byte) bool {
	prose, lines := 0, 0
	for line := range strings.Lines(string(data)) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if lines++; len(strings.Fields(line)) > 3 && !strings.ContainsAny(line, "{}[]:=") || strings.HasPrefix(line, "# ") {
			prose++
		}
	}
	return 2*prose > lines
}

// cutShort reports whether a text is the beginning of a JSON text.
func cutShort(text []byte) bool {
	text = bytes.TrimSpace(text)
	if text[0] != '{' && text[0] != '[' {
		return false
	}
	var value any
	err := json.Unmarshal(text, &value)
	return err != nil && strings.Contains(err.Error(), "unexpected end of JSON input")
}

// isCSV reports whether the first two lines have the same number of fields, at least 2, separated by commas.
func isCSV(text string) bool {
	first, rest, ok := strings.Cut(text, "\n")
	second, _, _ := strings.Cut(rest, "\n")
	commas := strings.Count(first, ",")
	return ok && commas > 0 && commas == strings.Count(second, ",") && !strings.ContainsAny(first+second, "{}[]:")
}
