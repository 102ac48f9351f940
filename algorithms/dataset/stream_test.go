package dataset_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

var signed = dataset.Labels{Negative: "-1", Positive: "1"}

// gathered are the rows of a stream in dimension dim, as table has them.
func gathered(rows iter.Seq2[dataset.Record, error], dim int) (out [][]float64, lines []int, err error) {
	for x, err := range rows {
		if err != nil {
			return nil, nil, err
		}
		row := make([]float64, 1+dim)
		row[0] = x.Label
		x.Row.AddTo(row[1:], 1)
		out, lines = append(out, row), append(lines, x.Line)
	}
	return out, lines, nil
}

// csvText writes a set with its label in a column, as it can be read again.
func csvText(s *dataset.Dataset, labelColumn int) string {
	var text strings.Builder
	for _, row := range table(s) {
		fields := make([]string, 0, len(row))
		for _, v := range row[1:] {
			fields = append(fields, fmt.Sprint(v))
		}
		fields = append(fields[:labelColumn-1], append([]string{fmt.Sprint(row[0])}, fields[labelColumn-1:]...)...)
		text.WriteString(strings.Join(fields, ",") + "\n")
	}
	return text.String()
}

// What CSV text can say comes back from it, read whole or as a stream.
func TestCSVRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, _ := drawn(t)
		o := dataset.Options{Labels: signed, LabelColumn: rapid.IntRange(1, want.Dim()+1).Draw(t, "label column")}
		text := csvText(want, o.LabelColumn)
		got, err := readCSV(text, o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(table(want), table(got)); diff != "" {
			t.Fatal(diff)
		}
		streamed, lines, err := gathered(dataset.StreamCSV(strings.NewReader(text), "f", o), want.Dim())
		if diff := cmp.Diff(table(want), streamed); err != nil || diff != "" || lines[len(lines)-1] != want.Len() {
			t.Fatal(err, diff, lines)
		}
	})
}

func TestStreamFile(t *testing.T) {
	for _, name := range []string{"a.csv", "a.libsvm"} {
		text := map[string]string{"a.csv": "1,-1\n2,1\n3,1\n", "a.libsvm": "-1 1:1\n# c\n1 1:2\n1 1:3"}[name]
		rows := dataset.Stream(write(t, name+".gz", text, true), dataset.Options{Labels: signed})
		for range 2 { // a second range reads the file again
			got, _, err := gathered(rows, 1)
			if diff := cmp.Diff([][]float64{{-1, 1}, {1, 2}, {1, 3}}, got); err != nil || diff != "" {
				t.Errorf("%s: %v\n%s", name, err, diff)
			}
		}
		for x, err := range rows {
			if err != nil || x.Line != 1 {
				t.Errorf("%s: first record %v, error %v", name, x, err)
			}
			break
		}
	}
}

func TestStreamErrors(t *testing.T) {
	cases := []struct {
		reason, text string
		options      dataset.Options
		says         string
	}{
		{"classes without names", "1,0\n", dataset.Options{}, "names of the negative"},
		{"an error after some rows has its place", "1,1\nx,1\n", dataset.Options{Labels: signed}, "f:2:1"},
		{"no rows", "", dataset.Options{Labels: signed}, "no rows"},
		{"a given limit holds", "1,1\n1,1\n", dataset.Options{Labels: signed, MaxBytes: 6}, "longer than 6 bytes"},
		{"a line without an end is not gathered", strings.Repeat("1,", 1<<19), dataset.Options{Labels: signed, MaxRecord: 1 << 16}, "MaxRecord"},
		{"nor is a quote that never closes", "\"" + strings.Repeat("1\n", 1<<19), dataset.Options{Labels: signed, MaxRecord: 1 << 16}, "MaxRecord"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			_, _, err := gathered(dataset.StreamCSV(strings.NewReader(c.text), "f", c.options), 1)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want one that says %q", err, c.says)
			}
		})
	}
	_, _, err := gathered(dataset.StreamLIBSVM(strings.NewReader("1 1:"+strings.Repeat("1", 1<<20)), "f", dataset.Options{Labels: signed, MaxRecord: 1 << 16}), 1)
	if err == nil || !strings.Contains(err.Error(), "MaxRecord") {
		t.Errorf("LIBSVM line without an end: error %v", err)
	}
}

// repeated is a text again and again, up to a length, that is never held.
type repeated struct {
	text string
	left int64
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, io.EOF
	}
	n := copy(p, r.text)
	r.left -= int64(n)
	if n < len(r.text) {
		r.text = r.text[n:] + r.text[:n]
	}
	return n, nil
}

// A stream of 64 times the loader's limit passes in bounded memory; the loader refuses it.
func TestStreamIsBounded(t *testing.T) {
	const limit, length = 1 << 20, 64 << 20
	for name, c := range map[string]struct {
		text   string
		stream func(io.Reader, string, dataset.Options) iter.Seq2[dataset.Record, error]
		load   func(io.Reader, string, dataset.Options) (*dataset.Dataset, error)
	}{
		"CSV":    {"0.5,1.25,3,-1\n", dataset.StreamCSV, dataset.ReadCSV},
		"LIBSVM": {"-1 1:0.5 2:1.25\n", dataset.StreamLIBSVM, dataset.ReadLIBSVM},
	} {
		text := func() io.Reader { return &repeated{c.text, length / int64(len(c.text)) * int64(len(c.text))} }
		if _, err := c.load(text(), "f", dataset.Options{Labels: signed, MaxBytes: limit}); !errors.Is(err, dataset.ErrTooLarge) {
			t.Errorf("%s: the loader: error %v", name, err)
		}
		rows, peak := 0, uint64(0)
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		base := memory.HeapAlloc
		for _, err := range c.stream(text(), "f", dataset.Options{Labels: signed}) {
			if err != nil {
				t.Fatal(err)
			}
			if rows++; rows%(1<<19) == 0 {
				runtime.GC()
				runtime.ReadMemStats(&memory)
				peak = max(peak, memory.HeapAlloc)
			}
		}
		if want := length / len(c.text); rows != want {
			t.Errorf("%s: %d rows, want %d", name, rows, want)
		}
		if peak > base+limit {
			t.Errorf("%s: %d bytes live above the start, for rows of %d", name, peak-base, len(c.text))
		}
	}
}

// A stream and a loader agree on every text: the same rows, or the same error.
func FuzzStream(f *testing.F) {
	for _, text := range []string{"", "1,?,1\n2,3,-1\n", "1 1:2 3:4\n-1 2:5\n", "\"1\n\",1\n", "x,1\n", "1,1\n1\n", "-1 1:nan"} {
		f.Add(text, true, uint8(0))
		f.Add(text, false, uint8(2))
	}
	f.Fuzz(func(t *testing.T, text string, isCSV bool, policy uint8) {
		o := dataset.Options{Labels: signed, MaxDim: 1000, MaxBytes: 1 << 16, Missing: dataset.Missing(policy % 3)}
		read, stream := dataset.ReadLIBSVM, dataset.StreamLIBSVM
		if isCSV {
			read, stream = dataset.ReadCSV, dataset.StreamCSV
		}
		whole, err := read(strings.NewReader(text), "f", o)
		got, _, streamErr := gathered(stream(strings.NewReader(text), "f", o), 1000)
		if err != nil && streamErr == nil && strings.Contains(err.Error(), "no row has a feature") {
			return // what only the whole file tells
		}
		if fmt.Sprint(err) != fmt.Sprint(streamErr) {
			t.Fatalf("loader: %v; stream: %v", err, streamErr)
		}
		if err != nil {
			return
		}
		want := table(whole)
		for i := range want {
			want[i] = append(want[i], make([]float64, 1001-len(want[i]))...)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func BenchmarkStreamCSV(b *testing.B) {
	text := []byte(strings.Repeat("0,181,5450,0.00,1.00,9,9,0.11,tcp,-1\n", 10_000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for _, err := range dataset.StreamCSV(bytes.NewReader(text), "f", dataset.Options{Labels: signed, Skip: []int{9}}) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
