package dataset_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// open reads a known data set from the directory DPVERIFY_DATA. It skips the test if the data are not there.
func open(tb testing.TB, name string) (train, test *dataset.Dataset) {
	tb.Helper()
	train, test, err := dataset.Open(dataDir(tb), name)
	if absent, ok := errors.AsType[*dataset.MissingError](err); ok {
		tb.Skip(absent)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return train, test
}

func dataDir(tb testing.TB) string {
	tb.Helper()
	dir := os.Getenv("DPVERIFY_DATA")
	if dir == "" {
		tb.Skip("DPVERIFY_DATA names no directory: the public data files, such as mnist-train-images-idx3-ubyte.gz, are not here")
	}
	return dir
}

// The published sizes of the data sets. The class counts do not come from this package.
func TestKnownData(t *testing.T) {
	cases := map[string]struct{ n, dim, positives, tests, missing int }{
		"a7a":          {16100, 123, 3857, 16460, 0},
		"mnist-3-8":    {6131 + 5851, 784, 5851, 1010 + 974, 0},
		"mnist-0-rest": {60000, 784, 5923, 10000, 0},
		"kddcup99":     {494021, 34, 494021 - 97278, 0, 0},
		"banknote":     {1372, 4, 610, 0, 0},
		"occupancy":    {8143, 5, 1729, 0, 0},
		"pima":         {768, 8, 268, 0, 0},
		"cancer":       {699, 9, 241, 0, 16},
		"hepatitis":    {155, 19, 123, 0, 167},
		"retinopathy":  {1151, 19, 611, 0, 0},

		"covertype":        {581012, 54, 283301, 0, 0},
		"covertype-libsvm": {581012, 54, 283301, 0, 0},
	}
	for _, name := range dataset.KnownNames() {
		t.Run(name, func(t *testing.T) {
			c, ok := cases[name]
			if !ok {
				t.Fatal("no case: write down its size")
			}
			train, test := open(t, name)
			if train.Len() != c.n || train.Dim() != c.dim || train.Positives() != c.positives || train.Missing() != c.missing {
				t.Errorf("%d × %d, %d positive, %d missing; want %+v", train.Len(), train.Dim(), train.Positives(), train.Missing(), c)
			}
			if test != nil != (c.tests > 0) || test != nil && (test.Len() != c.tests || test.Dim() != c.dim) {
				t.Errorf("the test set is not %d × %d", c.tests, c.dim)
			}
			checkPrepared(t, name, train)
		})
	}
}

// checkPrepared checks that the source's Preparation gives a set without missing values.
func checkPrepared(t *testing.T, name string, train *dataset.Dataset) {
	source, err := dataset.Known(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := source.Preparation.Fit(train)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := f.Apply(train); err != nil || out.Missing() != 0 || out.Len() != train.Len() {
		t.Errorf("prepared: %v", err)
	}
}

func TestOpenMNIST(t *testing.T) {
	train, test, err := dataset.OpenMNIST(dataDir(t))
	if absent, ok := errors.AsType[*dataset.MissingError](err); ok {
		t.Skip(absent)
	}
	if err != nil {
		t.Fatal(err)
	}
	if train.Len() != 60000 || test.Len() != 10000 || train.Rows != 28 || train.Cols != 28 || len(test.Pixels) != 10000*28*28 {
		t.Errorf("%d and %d images of %d × %d", train.Len(), test.Len(), train.Rows, train.Cols)
	}
}

func TestKnownErrors(t *testing.T) {
	if _, err := dataset.Known("mnist"); err == nil || !strings.Contains(err.Error(), "mnist-3-8") {
		t.Errorf("an unknown name: error %v, want one that lists the known names", err)
	}
	if _, _, err := dataset.Open(t.TempDir(), "no-such"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unknown name must not match fs.ErrNotExist: error %v", err)
	}
	if _, err := dataset.Find(t.TempDir(), "no-such"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unknown name is not found: error %v", err)
	}
	if _, err := dataset.Find(t.TempDir(), "banknote", "pima"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "banknote.csv") {
		t.Errorf("neither exists: error %v, want one that names the first", err)
	}
	_, _, err := dataset.OpenMNIST(t.TempDir())
	if absent, ok := errors.AsType[*dataset.MissingError](err); !ok || absent.Name != "mnist" {
		t.Errorf("MNIST is not here: error %v", err)
	}
	for _, name := range dataset.KnownNames() {
		dir := t.TempDir()
		_, _, err := dataset.Open(dir, name)
		absent, ok := errors.AsType[*dataset.MissingError](err)
		if !ok || !errors.Is(err, fs.ErrNotExist) || absent.Name != name || !strings.Contains(err.Error(), absent.File) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s in an empty directory: error %v", name, err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/banknote.csv", []byte("1,2,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if train, test, err := dataset.Open(dir, "banknote"); err != nil || test != nil || train.Len() != 1 {
		t.Errorf("one row of one class, with named classes: %v", err)
	}
}

// Files with MNIST's names and other contents give an error that names the file and the content.
func TestOpenMNISTRejects(t *testing.T) {
	idx := func(shape []uint32, fill byte) string {
		text := []byte{0, 0, 8, byte(len(shape))}
		size := 1
		for _, n := range shape {
			text = binary.BigEndian.AppendUint32(text, n)
			size *= int(n)
		}
		return string(text) + strings.Repeat(string(rune(fill)), size)
	}
	for _, c := range []struct{ reason, images, labels, want string }{
		{"small images", idx([]uint32{3, 5, 7}, 1), idx([]uint32{3}, 3), "mnist-train-images-idx3-ubyte: byte 8: 3 images of 5 × 7 pixels: want MNIST's, of 28 × 28"},
		{"letters", idx([]uint32{3, 28, 28}, 1), idx([]uint32{3}, 11), "mnist-train-labels-idx1-ubyte: byte 8: label 11: want a digit, 0 to 9"},
		{"fewer labels", idx([]uint32{3, 28, 28}, 1), idx([]uint32{2}, 3), "mnist-train-images-idx3-ubyte: byte 4: 3 images, but "},
		{"files exchanged", idx([]uint32{3}, 3), idx([]uint32{3, 28, 28}, 1), "mnist-train-labels-idx1-ubyte: byte 3: 3 dimensions, but labels have 1"},
		{"cut off", idx([]uint32{3, 28, 28}, 1)[:100], idx([]uint32{3}, 3), "mnist-train-images-idx3-ubyte: byte 100: the file ends here"},
		{"not IDX", "<html></html>", idx([]uint32{3}, 3), "mnist-train-images-idx3-ubyte: begins with 3c 68 74 6d: not an IDX file"},
	} {
		dir := t.TempDir()
		for _, set := range []string{"train", "t10k"} {
			for name, text := range map[string]string{"images-idx3": c.images, "labels-idx1": c.labels} {
				if err := os.WriteFile(filepath.Join(dir, "mnist-"+set+"-"+name+"-ubyte"), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		_, _, err := dataset.OpenMNIST(dir)
		_, _, binary := dataset.Open(dir, "mnist-0-rest")
		if err == nil || binary == nil || !strings.Contains(err.Error(), c.want) || binary.Error() != err.Error() {
			t.Errorf("%s: %v, of two classes %v; want %s", c.reason, err, binary, c.want)
		}
	}
}

func BenchmarkOpenMNIST(b *testing.B) {
	dir := dataDir(b)
	for b.Loop() {
		_, _, err := dataset.OpenMNIST(dir)
		if absent, ok := errors.AsType[*dataset.MissingError](err); ok {
			b.Skip(absent)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, name := range dataset.KnownNames() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				open(b, name)
			}
		})
	}
}

// covertypeRows holds rows in the format of covtype.data: ten measurements, indicators of one of four wilderness
// areas and one of 40 soil types, and the cover type.
var covertypeRows = []struct {
	measured   [10]int
	area, soil int // from 1
	cover      int
}{
	{[10]int{2596, 51, 3, 258, 0, 510, 221, 232, 148, 6279}, 1, 29, 5},
	{[10]int{2804, 139, 9, 268, 65, 3180, 234, 238, 135, 6121}, 1, 12, 2},
	{[10]int{2500, 0, 20, 95, -12, 700, 190, 220, 160, 1200}, 4, 40, 7},
	{[10]int{3100, 359, 0, 30, 7, 90, 254, 200, 10, 3000}, 3, 1, 1},
}

// covertypeText returns the rows in the formats of the UCI repository and of LIBSVM.
func covertypeText() (uci, libsvm string) {
	for _, row := range covertypeRows {
		features := make([]int, 54)
		copy(features, row.measured[:])
		features[10+row.area-1], features[14+row.soil-1] = 1, 1
		label := 2
		if row.cover == 2 {
			label = 1
		}
		libsvm += fmt.Sprint(label)
		for j, v := range features {
			uci += fmt.Sprintf("%d,", v)
			if v != 0 {
				libsvm += fmt.Sprintf(" %d:%d", j+1, v)
			}
		}
		uci += fmt.Sprintf("%d\n", row.cover)
		libsvm += " \n" // LIBSVM's lines end in a blank
	}
	return uci, libsvm
}

// Both forms of Covertype, packed or not, give the same rows.
func TestCovertype(t *testing.T) {
	uci, libsvm := covertypeText()
	if first, _, _ := strings.Cut(uci, "\n"); first != "2596,51,3,258,0,510,221,232,148,6279,1"+strings.Repeat(",0", 31)+",1"+strings.Repeat(",0", 11)+",5" {
		t.Fatalf("the first row of the fixture is not the first row of covtype.data: %s", first)
	}
	var first [][]float64
	for _, c := range []struct{ name, file, text string }{
		{"covertype", "covtype.data", uci},
		{"covertype", "covtype.data.gz", uci},
		{"covertype", "covtype.data", strings.ReplaceAll(uci, "\n", "\r\n")},
		{"covertype-libsvm", "covtype.libsvm.binary", libsvm},
		{"covertype-libsvm", "covtype.libsvm.binary.gz", libsvm},
	} {
		dir := filepath.Dir(write(t, c.file, c.text, strings.HasSuffix(c.file, ".gz")))
		if name, err := dataset.Find(dir, "banknote", "covertype", "covertype-libsvm"); err != nil || name != c.name {
			t.Errorf("%s is found as %q: %v", c.file, name, err)
		}
		data, test, err := dataset.Open(dir, c.name)
		if err != nil || test != nil {
			t.Fatalf("%s: %v, a test part: %t", c.file, err, test != nil)
		}
		rows := table(data)
		if first == nil {
			first = rows
		}
		if diff := cmp.Diff(first, rows); diff != "" {
			t.Errorf("%s (-covtype.data +now):\n%s", c.file, diff)
		}
	}
	if len(first) != 4 || len(first[0]) != 55 || first[1][0] != 1 || first[0][0] != -1 || first[2][5] != -12 || first[2][54] != 1 || first[0][43] != 1 {
		t.Errorf("read as %v", first)
	}
}

// The error for a row without a column, or for a header, names the line.
func TestCovertypeErrors(t *testing.T) {
	uci, _ := covertypeText()
	for reason, c := range map[string]struct{ text, want string }{
		"a column is lost": {uci + "2596,51" + strings.Repeat(",0", 52) + "\n", "covtype.data:5"},
		"a header":         {"Elevation" + strings.Repeat(",x", 54) + "\n" + uci, "covtype.data:1"},
		"a missing value":  {strings.Replace(uci, "2804", "?", 1), "covtype.data:2"},
	} {
		dir := filepath.Dir(write(t, "covtype.data", c.text, false))
		if _, _, err := dataset.Open(dir, "covertype"); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %s", reason, err, c.want)
		}
	}
}
