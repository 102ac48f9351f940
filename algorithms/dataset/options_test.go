package dataset_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

var nan = math.NaN()

func TestCSVColumnsAndClasses(t *testing.T) {
	attack := dataset.Labels{Negative: "normal.", Positive: dataset.AnyClass}
	cases := []struct {
		reason, text string
		options      dataset.Options
		want         [][]float64
	}{
		{"one class against the rest", "1,normal.\n2,smurf.\n3,back.\n", dataset.Options{Labels: attack}, [][]float64{{-1, 1}, {1, 2}, {1, 3}}},
		{"the rest may be negative", "1,0\n2,7\n", dataset.Options{Labels: dataset.Labels{Negative: "*", Positive: "0.0"}}, [][]float64{{1, 1}, {-1, 2}}},
		{"a file with only the rest", "1,smurf.\n", dataset.Options{Labels: attack}, [][]float64{{1, 1}}},
		{"sets of classes", "1,a\n2,b\n3,c\n", dataset.Options{Labels: dataset.Labels{Negative: "a|c", Positive: "b"}}, [][]float64{{-1, 1}, {1, 2}, {-1, 3}}},
		{"other classes dropped, before their values are read", "1,3\nx,5\n2,8\n", dataset.Options{Labels: dataset.Labels{Negative: "3", Positive: "8", DropOthers: true}}, [][]float64{{-1, 1}, {1, 2}}},
		{"a column that is skipped is not parsed", "2015-02-04,1,2,0\n2015-02-05,3,4,1\n", dataset.Options{Skip: []int{1}}, [][]float64{{-1, 1, 2}, {1, 3, 4}}},
		{"a skipped column does not make the first line a header", "monday,1,0\ntuesday,2,1\n", dataset.Options{Skip: []int{1}, Header: dataset.HeaderDetect}, [][]float64{{-1, 1}, {1, 2}}},
		{"columns are taken in the order given", "1,2,3,0\n4,5,6,1\n", dataset.Options{Columns: []int{3, 1}}, [][]float64{{-1, 3, 1}, {1, 6, 4}}},
		{"label first, columns counted in the file", "2,9,3\n1,9,4\n", dataset.Options{LabelColumn: 1, Columns: []int{3}}, [][]float64{{1, 3}, {-1, 4}}},
		{"one-hot in place of the column", "5,tcp,1,0\n6,udp,2,1\n", dataset.Options{OneHot: map[int][]string{2: {"icmp", "tcp", "udp"}}}, [][]float64{{-1, 5, 0, 1, 0, 1}, {1, 6, 0, 0, 1, 2}}},
		{"missing rows dropped", "1,?,0\n2,3,1\n,4,1\nNA,5,0\n6,7,0\n", dataset.Options{Missing: dataset.MissingDrop}, [][]float64{{1, 2, 3}, {-1, 6, 7}}},
		{"missing values kept, names too", "?,a,0\n1,,1\n", dataset.Options{Missing: dataset.MissingKeep, OneHot: map[int][]string{2: {"a", "b"}}}, [][]float64{{-1, nan, 1, 0}, {1, 1, nan, nan}}},
		{"a mark of a missing value may be a class", "1,?,0\n1,a,1\n", dataset.Options{OneHot: map[int][]string{2: {"a", "?"}}}, [][]float64{{-1, 1, 0, 1}, {1, 1, 1, 0}}},
		{"a missing value in a column that is not read has no effect", "1,?,0\n2,3,1\n", dataset.Options{Skip: []int{2}}, [][]float64{{-1, 1}, {1, 2}}},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			s, err := readCSV(c.text, c.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, table(s), cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestCSVColumnErrors(t *testing.T) {
	for _, c := range []wrongFile{
		{"a class beyond the named ones", "1,a\n1,c\n", dataset.Options{Labels: dataset.Labels{Negative: "a", Positive: "b"}}, 2, 3, "neither"},
		{"a missing label is not the rest", "1,a\n1,?\n", dataset.Options{Labels: dataset.Labels{Negative: "a", Positive: "*"}}, 2, 3, "missing label"},
		{"a missing label is not a dropped class", "1,?\n", dataset.Options{Labels: dataset.Labels{Negative: "a", Positive: "b", DropOthers: true}}, 1, 3, "missing label"},
		{"a missing label is not a missing value", "1,?\n", dataset.Options{Missing: dataset.MissingDrop}, 1, 3, "missing label"},
		{"every row dropped", "?,0\n,1\n", dataset.Options{Missing: dataset.MissingDrop}, 0, 0, "all 2 were left out"},
		{"a name that is not listed", "tcp,0\nudp,1\n", dataset.Options{OneHot: map[int][]string{1: {"tcp"}}}, 2, 1, `field 1: "udp" is not one of the 1 classes`},
		{"no class listed", "tcp,0\n", dataset.Options{OneHot: map[int][]string{1: {}}}, 1, 0, "no classes"},
		{"a class listed twice", "tcp,0\n", dataset.Options{OneHot: map[int][]string{1: {"tcp", "tcp"}}}, 1, 0, "twice"},
		{"one-hot on the label", "tcp,0\n", dataset.Options{OneHot: map[int][]string{2: {"0", "1"}}}, 1, 0, "not among the features"},
		{"a column beyond the fields", "1,0\n", dataset.Options{Columns: []int{3}}, 1, 0, "column 3 of 2"},
		{"column 0", "1,0\n", dataset.Options{Skip: []int{0}}, 1, 0, "column 0 of 2"},
		{"a column twice", "1,2,0\n", dataset.Options{Columns: []int{1, 1}}, 1, 0, "named twice"},
		{"the label as a feature", "1,2,0\n", dataset.Options{Columns: []int{3}}, 1, 0, "the label"},
		{"nothing left", "1,0\n", dataset.Options{Skip: []int{1}}, 1, 0, "no column is left"},
		{"too many columns by one-hot", "a,0\n", dataset.Options{MaxDim: 1, OneHot: map[int][]string{1: {"a", "b"}}}, 1, 0, "above the limit 1"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			_, err := readCSV(c.text, c.options)
			c.check(t, err)
		})
	}
	for reason, o := range map[string]dataset.Options{
		"both classes are the rest":            {Labels: dataset.Labels{Negative: "*", Positive: "*"}},
		"rest and dropping exclude each other": {Labels: dataset.Labels{Negative: "*", Positive: "1", DropOthers: true}},
		"dropping without names":               {Labels: dataset.Labels{DropOthers: true}},
		"a class on both sides":                {Labels: dataset.Labels{Negative: "a|1", Positive: "b|1.0"}},
		"an empty name":                        {Labels: dataset.Labels{Negative: "a|", Positive: "b"}},
		"an unknown policy":                    {Missing: 7},
		"columns and skip":                     {Columns: []int{1}, Skip: []int{1}},
		"a negative record limit":              {MaxRecord: -1},
	} {
		if _, err := readCSV("1,0\n2,1\n", o); err == nil || !strings.HasPrefix(err.Error(), "dataset: ") {
			t.Errorf("%s: error %v", reason, err)
		}
	}
}

// The fill values come only from the training part and are applied to both parts.
func TestFill(t *testing.T) {
	train, err := readCSV("1,4,0\n1,?,1\n?,8,0\n7,9,1\n", dataset.Options{Missing: dataset.MissingKeep})
	if err != nil {
		t.Fatal(err)
	}
	test, err := readCSV("?,?,0\n100,200,1\n", dataset.Options{Missing: dataset.MissingKeep})
	if err != nil {
		t.Fatal(err)
	}
	if train.Missing() != 2 || test.Missing() != 2 {
		t.Fatalf("%d and %d missing, want 2 and 2", train.Missing(), test.Missing())
	}
	for _, c := range []struct {
		reason string
		fill   dataset.Fill
		want   [2]float64
	}{
		{"means of 1,1,7 and 4,8,9", dataset.FillMean, [2]float64{3, 7}},
		{"medians", dataset.FillMedian, [2]float64{1, 8}},
		{"modes; the smallest of several", dataset.FillMode, [2]float64{1, 4}},
	} {
		f, err := dataset.Preparation{Fill: c.fill}.Fit(train)
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range map[string]*dataset.Dataset{"train": train, "test": test} {
			out, err := f.Apply(s)
			if err != nil {
				t.Fatal(err)
			}
			want := table(s)
			for _, row := range want {
				for k, v := range row[1:] {
					if math.IsNaN(v) {
						row[1+k] = c.want[k]
					}
				}
			}
			if diff := cmp.Diff(want, table(out)); diff != "" || out.Missing() != 0 {
				t.Errorf("%s, %s: %d missing (-want +got)\n%s", c.reason, name, out.Missing(), diff)
			}
		}
	}
	even, err := readCSV("1,0\n4,1\n?,1\n", dataset.Options{Missing: dataset.MissingKeep})
	if err != nil {
		t.Fatal(err)
	}
	f, err := dataset.Preparation{Fill: dataset.FillMedian}.Fit(even)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := f.Apply(even); err != nil || out.Row(2).Values[0] != 2.5 {
		t.Errorf("the median of 1 and 4 is the mean of the two: %v", err)
	}
}

// A missing value is always counted or rejected.
func TestMissingIsNeverSilent(t *testing.T) {
	gap, err := readCSV("1,?,0\n2,3,1\n4,5,1\n", dataset.Options{Missing: dataset.MissingKeep})
	if err != nil {
		t.Fatal(err)
	}
	complete, err := gap.Subset([]int{1, 2})
	if err != nil || complete.Missing() != 0 {
		t.Fatalf("%v: rows without gaps count %d", err, complete.Missing())
	}
	if part, err := gap.Subset([]int{0, 0}); err != nil || part.Missing() != 2 {
		t.Errorf("%v: a row with a gap, twice, counts %d", err, part.Missing())
	}
	if part, err := gap.Columns([]int{1}); err != nil || part.Missing() != 1 {
		t.Errorf("%v: the column with the gap counts %d", err, part.Missing())
	}
	if _, err := (dataset.Preparation{Scale: dataset.ScaleRows}).Fit(gap); err == nil {
		t.Error("fitted on missing values")
	}
	f, err := dataset.Preparation{Standardize: true}.Fit(complete)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Apply(gap); err == nil || !strings.Contains(err.Error(), "1 values are missing") {
		t.Errorf("applied to missing values: error %v", err)
	}
	lost, err := gap.Subset([]int{0})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (dataset.Preparation{Fill: dataset.FillMean}).Fit(lost); err == nil || !strings.Contains(err.Error(), "column 2") {
		t.Errorf("a column without a value: error %v", err)
	}
	if _, err := (dataset.Preparation{Fill: 9}).Fit(gap); err == nil {
		t.Error("an unknown filling was taken")
	}
}

func TestLoadErrorsInWords(t *testing.T) {
	cases := []struct{ reason, path, says string }{
		{"an absent file without an ending", t.TempDir() + "/absent", "no such file"},
		{"a .gz that is not gzip", write(t, "a.csv.gz", "1,0\n2,1\n", false), "the content is not gzip"},
		{"an empty .gz", write(t, "a.csv.gz", "", false), "the content is not gzip"},
		{"a truncated gzip header", write(t, "a.csv.gz", "\x1f\x8b\x08", false), "cannot be decompressed"},
		{"a directory", t.TempDir(), "directory"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			o := dataset.Options{}
			if c.reason == "a directory" {
				o.Format = dataset.FormatCSV
			}
			if _, err := dataset.Load(c.path, o); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), c.path) {
				t.Errorf("error %v, want one that names the file and says %q", err, c.says)
			}
		})
	}
	// The limit is within the first bytes, which are peeked at before they are read.
	if _, err := readCSV("1,0", dataset.Options{MaxBytes: 2, Labels: dataset.Labels{Negative: "0", Positive: "1"}}); !errors.Is(err, dataset.ErrTooLarge) {
		t.Errorf("3 bytes with a limit of 2: error %v", err)
	}
	for _, zipped := range []bool{false, true} {
		_, err := dataset.Load(write(t, "a.csv", strings.Repeat("1,0\n2,1\n", 100), zipped), dataset.Options{MaxBytes: 100})
		if !errors.Is(err, dataset.ErrTooLarge) || !strings.Contains(err.Error(), "100 bytes") {
			t.Errorf("too long, zipped %v: error %v", zipped, err)
		}
	}
}
