package dataset_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// open reads a known data set from the directory that DPVERIFY_DATA names, or skips.
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

// The sizes that the data sets are published with; classes counted apart from this package.
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

// checkPrepared: what the table says must be done first makes a complete set.
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
		t.Errorf("an unknown name is no missing file: error %v", err)
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
		t.Errorf("one row of one class, as the classes are named: %v", err)
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
