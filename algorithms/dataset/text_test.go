package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

var signed = dataset.Labels{Negative: "-1", Positive: "1"}

// csvText writes a set as CSV with its label in the given column.
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

// Values that CSV text can represent are read back unchanged.
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
	})
}

// The record limit bounds memory even if a record never ends.
func TestRecordsWithoutAnEnd(t *testing.T) {
	o := dataset.Options{Labels: signed, MaxRecord: 1 << 16}
	for _, c := range []struct {
		reason, text string
		read         func(string, dataset.Options) (*dataset.Dataset, error)
	}{
		{"a CSV line", strings.Repeat("1,", 1<<19), readCSV},
		{"a quote that never closes", "\"" + strings.Repeat("1\n", 1<<19), readCSV},
		{"a LIBSVM line", "1 1:" + strings.Repeat("1", 1<<20), readLIBSVM},
	} {
		if _, err := c.read(c.text, o); err == nil || !strings.Contains(err.Error(), "a row is longer than") {
			t.Errorf("%s: error %v, want one that names MaxRecord", c.reason, err)
		}
	}
}
