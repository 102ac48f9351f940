package dataset_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// table returns a data set as rows of the label and the dense features.
func table(s *dataset.Dataset) [][]float64 {
	out := make([][]float64, s.Len())
	for i := range out {
		out[i] = make([]float64, 1+s.Dim())
		out[i][0] = s.Label(i)
		s.Row(i).AddTo(out[i][1:], 1)
	}
	return out
}

func readLIBSVM(text string, o dataset.Options) (*dataset.Dataset, error) {
	return dataset.ReadLIBSVM(strings.NewReader(text), "f", o)
}

func readCSV(text string, o dataset.Options) (*dataset.Dataset, error) {
	return dataset.ReadCSV(strings.NewReader(text), "f", o)
}

func TestReadLIBSVM(t *testing.T) {
	cases := []struct {
		reason, text string
		options      dataset.Options
		want         [][]float64
	}{
		{"signed labels", "+1 1:2 3:4\n-1 2:5\n", dataset.Options{}, [][]float64{{1, 2, 0, 4}, {-1, 0, 5, 0}}},
		{"the larger of 0/1 is positive, whichever comes first", "1 1:1\n0 1:2\n", dataset.Options{}, [][]float64{{1, 1}, {-1, 2}}},
		{"a row without features is a row of zeros", "0\n1 2:1\n", dataset.Options{}, [][]float64{{-1, 0, 0}, {1, 0, 1}}},
		{"comments, blank lines, CRLF, tabs, no last newline", "# head\r\n\r\n0\t1:1 # tail\r\n1 1:2", dataset.Options{}, [][]float64{{-1, 1}, {1, 2}}},
		{"byte order mark", "\xef\xbb\xbf0 1:1\n1 1:2\n", dataset.Options{}, [][]float64{{-1, 1}, {1, 2}}},
		{"a given dimension is kept", "0 1:1\n1 1:2\n", dataset.Options{Dim: 3}, [][]float64{{-1, 1, 0, 0}, {1, 2, 0, 0}}},
		{"given classes, matched by value, may reverse the order", "0 1:1\n1 1:2\n", dataset.Options{Labels: dataset.Labels{Negative: "1.0", Positive: "0"}}, [][]float64{{1, 1}, {-1, 2}}},
		{"given classes allow a file of one class", "b 1:1\n", dataset.Options{Labels: dataset.Labels{Negative: "a", Positive: "b"}}, [][]float64{{1, 1}}},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			s, err := readLIBSVM(c.text, c.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, table(s)); diff != "" || !s.Sparse() {
				t.Errorf("sparse %v; (-want +got)\n%s", s.Sparse(), diff)
			}
		})
	}
}

func TestReadCSV(t *testing.T) {
	cases := []struct {
		reason, text string
		options      dataset.Options
		want         [][]float64
	}{
		{"label last", "1,2,0\n3,4,1\n", dataset.Options{}, [][]float64{{-1, 1, 2}, {1, 3, 4}}},
		{"label first, pair 1/2", "2, 3\n1, 4\n", dataset.Options{LabelColumn: 1}, [][]float64{{1, 3}, {-1, 4}}},
		{"label in the middle, pair 2/4", "1,2,3\n4,4,6\n", dataset.Options{LabelColumn: 2}, [][]float64{{-1, 1, 3}, {1, 4, 6}}},
		{"a header that is announced", "1,2\n3,0\n4,1\n", dataset.Options{Header: dataset.HeaderFirst}, [][]float64{{-1, 3}, {1, 4}}},
		{"a header that is detected", "size,y\n3,0\n4,1\n", dataset.Options{Header: dataset.HeaderDetect}, [][]float64{{-1, 3}, {1, 4}}},
		{"detection keeps a first line of data with class names", "3,ham\n4,spam\n", dataset.Options{Header: dataset.HeaderDetect, Labels: dataset.Labels{Negative: "ham", Positive: "spam"}}, [][]float64{{-1, 3}, {1, 4}}},
		{"quotes, blanks, another separator", "\"1\"; 0\n 2 ;\"1\"\n", dataset.Options{Comma: ';'}, [][]float64{{-1, 1}, {1, 2}}},
		{"tab separated", "1\t0\n2\t1\n", dataset.Options{Comma: '\t'}, [][]float64{{-1, 1}, {1, 2}}},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			s, err := readCSV(c.text, c.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, table(s)); diff != "" || s.Sparse() {
				t.Errorf("sparse %v; (-want +got)\n%s", s.Sparse(), diff)
			}
		})
	}
}

// wrongFile is a text that must be rejected with the given location and words.
type wrongFile struct {
	reason, text string
	options      dataset.Options
	line, column int
	says         string
}

func (c wrongFile) check(t *testing.T, err error) {
	t.Helper()
	wrong, ok := errors.AsType[*dataset.ParseError](err)
	if !ok {
		t.Fatalf("error %v, want a ParseError", err)
	}
	if wrong.File != "f" || wrong.Line != c.line || wrong.Column != c.column || !strings.Contains(err.Error(), c.says) {
		t.Errorf("got  %v (line %d, column %d)\nwant line %d, column %d, %q", err, wrong.Line, wrong.Column, c.line, c.column, c.says)
	}
}

func TestReadLIBSVMErrors(t *testing.T) {
	small := dataset.Options{MaxDim: 10}
	for _, c := range []wrongFile{
		{"empty", "", dataset.Options{}, 0, 0, "empty"},
		{"only comments", "# a\n\n", dataset.Options{}, 0, 0, "empty"},
		{"no feature anywhere", "0\n1\n", dataset.Options{}, 0, 0, "no row has a feature"},
		{"not a number", "0 1:1\n1 1:1 2:x\n", dataset.Options{}, 2, 9, `feature 2: "x" is not a number`},
		{"NaN", "0 1:NaN\n", dataset.Options{}, 1, 5, "missing value"},
		{"infinite", "0 1:-Inf\n", dataset.Options{}, 1, 5, "want a finite number"},
		{"overflow", "0 1:1e999\n", dataset.Options{}, 1, 5, "beyond the range of a double"},
		{"digits in groups", "0 1:1_0\n", dataset.Options{}, 1, 5, "write 10 "},
		{"hexadecimal", "0 1:0x10\n", dataset.Options{}, 1, 5, "not a number"},
		{"an octal index", "0 010:1\n", dataset.Options{}, 1, 3, "write 10 "},
		{"empty value", "0 1:\n", dataset.Options{}, 1, 5, "missing value"},
		{"no pair", "0 1:1 7\n", dataset.Options{}, 1, 7, "not an index:value pair"},
		{"ranking files", "0 qid:3 1:1\n", dataset.Options{}, 1, 3, "not a whole number"},
		{"zero index", "0 0:1\n", dataset.Options{}, 1, 3, "begin at 1"},
		{"negative index", "0 -4:1\n", dataset.Options{}, 1, 3, "begin at 1"},
		{"falling index", "0 3:1 2:1\n", dataset.Options{}, 1, 7, "2 after 3"},
		{"repeated index", "0 3:1 3:1\n", dataset.Options{}, 1, 7, "3 after 3"},
		{"huge index", "0 11:1\n", small, 1, 3, "above the limit 10"},
		{"index beyond int64", "0 99999999999999999999:1\n", dataset.Options{}, 1, 3, "too large"},
		{"index above the given dimension", "0 3:1\n", dataset.Options{Dim: 2}, 1, 3, "given dimension 2"},
		{"label missing", "1:1 2:1\n", dataset.Options{}, 1, 1, "begins with its label"},
		{"third class", "0 1:1\n1 1:1\n 2 1:1\n", dataset.Options{}, 3, 2, "third class"},
		{"one class", "1 1:1\n1 1:2\n", dataset.Options{}, 0, 0, "name the two classes"},
		{"unknown pair", "3 1:1\n7 1:2\n", dataset.Options{}, 0, 0, "not one of the pairs"},
		{"neither given class", "3 1:1\n", dataset.Options{Labels: dataset.Labels{Negative: "a", Positive: "b"}}, 1, 1, "neither"},
		{"too long", "0 1:1\n1 1:1\n", dataset.Options{MaxBytes: 8}, 2, 0, "longer than 8 bytes"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			_, err := readLIBSVM(c.text, c.options)
			c.check(t, err)
		})
	}
}

func TestReadCSVErrors(t *testing.T) {
	for _, c := range []wrongFile{
		{"empty", "", dataset.Options{}, 0, 0, "empty"},
		{"only a header", "a,b\n", dataset.Options{Header: dataset.HeaderFirst}, 0, 0, "empty"},
		{"an unannounced header", "size,y\n3,0\n", dataset.Options{}, 1, 1, "set the header option"},
		{"ragged", "1,2,0\n\n3,1\n", dataset.Options{}, 3, 0, "2 fields where line 1 has 3"},
		{"not a number", "1,2,0\n3,four,1\n", dataset.Options{}, 2, 3, `field 2: "four"`},
		{"missing value", "1,2,0\n3,?,1\n", dataset.Options{}, 2, 3, "missing value"},
		{"missing value in the first line is not a header", "1,?,0\n", dataset.Options{Header: dataset.HeaderDetect}, 1, 3, "missing value"},
		{"NaN", "1,2,0\nnan,2,1\n", dataset.Options{}, 2, 1, "missing value"},
		{"infinite", "1,+Inf,0\n", dataset.Options{}, 1, 3, "want a finite number"},
		{"octal", "1,010,0\n", dataset.Options{}, 1, 3, "write 10 "},
		{"missing label", "1,2,\n", dataset.Options{}, 1, 5, "missing label"},
		{"third class", "1,0\n1,1\n1,2\n", dataset.Options{}, 3, 3, "third class"},
		{"a single field", "1\n", dataset.Options{}, 1, 0, "separator"},
		{"label column beyond the fields", "1,2\n", dataset.Options{LabelColumn: 3}, 1, 0, "beyond"},
		{"open quote", "1,\"2\n", dataset.Options{}, 1, 6, "\""},
		{"a blank after a closing quote is not valid RFC 4180", "\"1\" ,0\n", dataset.Options{}, 1, 3, "\""},
		{"too many columns", "1,2,3,0\n", dataset.Options{MaxDim: 2}, 1, 0, "above the limit 2"},
		{"too long", "1,0\n2,1\n", dataset.Options{MaxBytes: 6}, 0, 0, "longer than 6 bytes"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			_, err := readCSV(c.text, c.options)
			c.check(t, err)
		})
	}
}

func TestOptionErrors(t *testing.T) {
	cases := []struct {
		reason  string
		options dataset.Options
		says    string
	}{
		{"one class name", dataset.Options{Labels: dataset.Labels{Positive: "a"}}, "both class names"},
		{"the same class twice", dataset.Options{Labels: dataset.Labels{Negative: "1", Positive: "+1"}}, "same class"},
		{"negative dimension", dataset.Options{Dim: -1}, "Dim"},
		{"negative label column", dataset.Options{LabelColumn: -2}, "LabelColumn"},
		{"negative limit", dataset.Options{MaxBytes: -1}, "MaxBytes"},
		{"a negative dimension limit", dataset.Options{MaxDim: math.MinInt32}, "MaxDim"},
		{"unknown header choice", dataset.Options{Header: 9}, "Header"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			if _, err := readCSV("1,0\n2,1\n", c.options); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
}

func write(t *testing.T, name, text string, zipped bool) string {
	t.Helper()
	data := []byte(text)
	if zipped {
		var buffer bytes.Buffer
		w := gzip.NewWriter(&buffer)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		data = buffer.Bytes()
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	const libsvm, csv = "0 1:1\n1 1:2\n", "1,0\n2,1\n"
	want := [][]float64{{-1, 1}, {1, 2}}
	cases := []struct {
		reason, name, text string
		zipped             bool
		options            dataset.Options
	}{
		{"LIBSVM", "a.libsvm", libsvm, false, dataset.Options{}},
		{"zipped LIBSVM", "a.libsvm.gz", libsvm, true, dataset.Options{}},
		{"zipped CSV, endings in capitals", "A.CSV.GZ", csv, true, dataset.Options{}},
		{"zipped without the ending .gz", "a.data", csv, true, dataset.Options{}},
		{"a name without an ending, with a format", "a7a", libsvm, false, dataset.Options{Format: dataset.FormatLIBSVM}},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			s, err := dataset.Load(write(t, c.name, c.text, c.zipped), c.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, table(s)); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := dataset.Load(write(t, "a7a", libsvm, false), dataset.Options{}); err == nil || !strings.Contains(err.Error(), "name the format") {
		t.Errorf("unknown ending: error %v", err)
	}
	if _, err := dataset.Load(filepath.Join(t.TempDir(), "absent.csv"), dataset.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent file: error %v", err)
	}
	if _, err := dataset.Load(write(t, "empty.csv", "", false), dataset.Options{}); err == nil {
		t.Error("an empty file was read")
	}
	whole, err := os.ReadFile(write(t, "a.csv.gz", strings.Repeat(csv, 1000), true))
	if err != nil {
		t.Fatal(err)
	}
	cut := write(t, "cut.csv.gz", string(whole[:len(whole)-10]), false)
	if _, err := dataset.Load(cut, dataset.Options{}); err == nil || !strings.Contains(err.Error(), cut) {
		t.Errorf("a truncated archive: error %v, want one that names the file", err)
	}
}

// The data set in the repository has the sizes that its README states.
func TestShippedData(t *testing.T) {
	s, err := dataset.Load(filepath.Join("..", "..", "testdata", "data", "wdbc.csv"), dataset.Options{Header: dataset.HeaderDetect})
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 569 || s.Dim() != 30 || s.Positives() != 357 {
		t.Errorf("%d rows, dimension %d, %d positive; want 569, 30, 357", s.Len(), s.Dim(), s.Positives())
	}
}

func FuzzReadLIBSVM(f *testing.F) {
	for _, seed := range []string{"", "+1 1:2 3:4\n-1 2:5\n", "0 1:1 # c\r\n1 1:2", "0 2:1 1:1", "1 9999999999:1", "0 1:nan", "\xef\xbb\xbf0 1:1", "a 1:0x1p-2\nb"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := readLIBSVM(text, dataset.Options{MaxDim: 1000, MaxBytes: 1 << 16})
		checkRead(t, s, err)
	})
}

func FuzzReadCSV(f *testing.F) {
	for _, seed := range []string{"", "1,2,0\n3,4,1\n", "a,b\n1,0\n2,1\n", "1,\"2\n", "1,?,0\n", "1;0\n", "1,2\n3\n", "\r\n1,0\r\n2,1", "1e999,0"} {
		f.Add(seed, uint8(0), uint8(0))
		f.Add(seed, uint8(1), uint8(2))
	}
	f.Fuzz(func(t *testing.T, text string, label, header uint8) {
		s, err := readCSV(text, dataset.Options{LabelColumn: int(label % 8), Header: dataset.Header(header % 3), MaxDim: 1000, MaxBytes: 1 << 16})
		checkRead(t, s, err)
	})
}

// checkRead checks that reading gives either an error with a location or a set that the constructors accept.
func checkRead(t *testing.T, s *dataset.Dataset, err error) {
	if err != nil {
		if wrong, ok := errors.AsType[*dataset.ParseError](err); !ok || wrong.File != "f" {
			t.Fatalf("error without a location: %v", err)
		}
		return
	}
	for i, row := range table(s) {
		if _, err := dataset.NewDense(s.Dim(), row[1:], row[:1]); err != nil {
			t.Fatalf("row %d: %v", i, err)
		}
	}
}
