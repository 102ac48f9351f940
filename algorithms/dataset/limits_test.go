package dataset_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// The numbers of rows and values are limited in both formats, and so is the size of a decompressed file.
func TestRowsAndValuesAreBounded(t *testing.T) {
	for _, c := range []struct {
		reason string
		o      dataset.Options
		want   string
	}{
		{"within the limits", dataset.Options{MaxRows: 3, MaxValues: 6}, ""},
		{"one row too many", dataset.Options{MaxRows: 2}, "f:3: too large to be read into memory: more than 2 rows"},
		{"one value too many", dataset.Options{MaxValues: 5}, "f:3: too large to be read into memory: more than 5 values"},
	} {
		_, csv := dataset.ReadCSV(strings.NewReader("1,2,0\n3,4,1\n5,6,0\n"), "f", c.o)
		_, libsvm := dataset.ReadLIBSVM(strings.NewReader("1 1:1 2:1\n-1 1:1 2:2\n1 1:1 2:3\n"), "f", c.o)
		for format, err := range map[string]error{"CSV": csv, "LIBSVM": libsvm} {
			if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, dataset.ErrTooLarge) || !strings.HasPrefix(err.Error(), c.want)) {
				t.Errorf("%s, %s: %v, want %q", format, c.reason, err, c.want)
			}
		}
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(bytes.Repeat([]byte("1 1:1\n"), 4<<20))
	path := filepath.Join(t.TempDir(), "small.libsvm.gz")
	if err := errors.Join(w.Close(), os.WriteFile(path, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := dataset.Load(path, dataset.Options{}); !errors.Is(err, dataset.ErrTooLarge) {
		t.Errorf("%d bytes that decompress to 24 MiB: %v", b.Len(), err)
	}
}
