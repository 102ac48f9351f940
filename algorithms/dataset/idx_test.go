package dataset_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// idx returns an IDX file of unsigned bytes.
func idx(data []uint8, shape ...int) []byte {
	out := []byte{0, 0, 8, byte(len(shape))}
	for _, n := range shape {
		out = binary.BigEndian.AppendUint32(out, uint32(n))
	}
	return append(out, data...)
}

func readImages(images, labels []byte, maxBytes int64) (*dataset.Images, error) {
	return dataset.ReadImages(bytes.NewReader(images), bytes.NewReader(labels), "images", "labels", maxBytes)
}

// Images that are written are read back unchanged.
func TestIDXRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, rows, cols := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "rows"), rapid.IntRange(1, 4).Draw(t, "cols")
		pixels := rapid.SliceOfN(rapid.Byte(), n*rows*cols, n*rows*cols).Draw(t, "pixels")
		labels := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "labels")
		m, err := readImages(idx(pixels, n, rows, cols), idx(labels, n), 0)
		if err != nil {
			t.Fatal(err)
		}
		if m.Len() != n || m.Rows != rows || m.Cols != cols || !bytes.Equal(m.Pixels, pixels) || !bytes.Equal(m.Labels, labels) {
			t.Fatalf("%d × %d × %d images were read back changed", n, rows, cols)
		}
		if i := n - 1; !bytes.Equal(m.Image(i), pixels[i*rows*cols:]) {
			t.Fatal("the last image is not the last pixels")
		}
	})
}

func TestIDXErrors(t *testing.T) {
	images, labels := idx([]uint8{1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2), idx([]uint8{3, 8}, 2)
	changed := func(data []byte, at int, to byte) []byte {
		data = slices.Clone(data)
		data[at] = to
		return data
	}
	cases := []struct {
		reason         string
		images, labels []byte
		file           string
		offset         int64
		says           string
	}{
		{"empty", nil, labels, "images", 0, "cut off"},
		{"cut in the magic", images[:3], labels, "images", 3, "4 bytes of magic"},
		{"cut in the dimensions", images[:10], labels, "images", 10, "header has 16 bytes"},
		{"cut in the pixels", images[:20], labels, "images", 20, "announces 8 bytes"},
		{"cut in the labels", images, labels[:9], "labels", 9, "announces 2 bytes"},
		{"images too long", append(slices.Clone(images), 0), labels, "images", 24, "goes on"},
		{"labels too long", images, append(slices.Clone(labels), 0), "labels", 10, "goes on"},
		{"text", []byte("1,2,3\n"), labels, "images", 0, "not an IDX file"},
		{"another element type", changed(images, 2, 0x0d), labels, "images", 2, "0x0d"},
		{"files exchanged", labels, images, "labels", 3, "exchanged"},
		{"no images", changed(images, 7, 0), labels, "images", 4, "dimension 1 of 3 is 0"},
		{"a dimension above the limit", changed(images, 4, 0xff), labels, "images", 4, "limit"},
		{"a product above the limit", idx(nil, 900, 900, 900), labels, "images", 8, "more than 1000 elements"},
		{"counts differ", idx(make([]uint8, 12), 3, 2, 2), labels, "images", 4, "3 images, but labels has 2 labels"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			_, err := readImages(c.images, c.labels, 1000)
			wrong, ok := errors.AsType[*dataset.ParseError](err)
			if !ok || wrong.File != c.file || wrong.Offset != c.offset || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got  %v\nwant %s, byte %d, %q", err, c.file, c.offset, c.says)
			}
		})
	}
	if _, err := readImages(images, labels, -1); err == nil {
		t.Error("a negative limit was taken")
	}
}

func TestBinaryImages(t *testing.T) {
	m, err := readImages(idx([]uint8{0, 255, 51, 0, 0, 0, 102, 204}, 4, 1, 2), idx([]uint8{3, 8, 0, 3}, 4), 0)
	if err != nil {
		t.Fatal(err)
	}
	digits := dataset.Labels{Negative: "3", Positive: "8", DropOthers: true}
	cases := []struct {
		reason  string
		options dataset.IDXOptions
		want    [][]float64
	}{
		{"3 against 8, others dropped, gray levels unchanged", dataset.IDXOptions{Labels: digits}, [][]float64{{-1, 0, 255}, {1, 51, 0}, {-1, 102, 204}}},
		{"0 against the rest, in [0, 1]", dataset.IDXOptions{Labels: dataset.Labels{Negative: "*", Positive: "0"}, Unit: true}, [][]float64{{-1, 0, 1}, {-1, 51. / 255, 0}, {1, 0, 0}, {-1, 102. / 255, 204. / 255}}},
		{"sets of digits", dataset.IDXOptions{Labels: dataset.Labels{Negative: "0|3", Positive: "8"}}, [][]float64{{-1, 0, 255}, {1, 51, 0}, {-1, 0, 0}, {-1, 102, 204}}},
	}
	for _, c := range cases {
		for _, sparse := range []bool{false, true} {
			c.options.Sparse = sparse
			s, err := m.Binary(c.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, table(s)); diff != "" || s.Sparse() != sparse {
				t.Errorf("%s, sparse %v: (-want +got)\n%s", c.reason, sparse, diff)
			}
		}
	}
	_, err = m.Binary(dataset.IDXOptions{Labels: dataset.Labels{Negative: "3", Positive: "8"}})
	if wrong, ok := errors.AsType[*dataset.ParseError](err); !ok || wrong.File != "labels" || wrong.Offset != 10 {
		t.Errorf("a third digit without DropOthers: error %v, want byte 10 of labels", err)
	}
	for reason, o := range map[string]dataset.IDXOptions{
		"no names":       {},
		"one side twice": {Labels: dataset.Labels{Negative: "3", Positive: "3"}},
		"none left":      {Labels: dataset.Labels{Negative: "5", Positive: "6", DropOthers: true}},
	} {
		if _, err := m.Binary(o); err == nil {
			t.Errorf("%s: no error", reason)
		}
	}
	if _, err := (&dataset.Images{Rows: 2, Cols: 2, Pixels: make([]uint8, 5), Labels: make([]uint8, 1)}).Binary(cases[0].options); err == nil {
		t.Error("5 pixels made an image of 4")
	}
}

func loadIDX(images, labels string, o dataset.IDXOptions) (*dataset.Dataset, error) {
	all, err := dataset.LoadImages(images, labels, o.MaxBytes)
	if err != nil {
		return nil, err
	}
	return all.Binary(o)
}

func TestLoadIDX(t *testing.T) {
	images := write(t, "images.gz", string(idx([]uint8{7, 9}, 2, 1, 1)), true)
	labels := write(t, "labels", string(idx([]uint8{3, 8}, 2)), false)
	o := dataset.IDXOptions{Labels: dataset.Labels{Negative: "3", Positive: "8"}}
	s, err := loadIDX(images, labels, o)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]float64{{-1, 7}, {1, 9}}, table(s)); diff != "" {
		t.Error(diff)
	}
	if _, err := loadIDX(images, labels+"x", o); err == nil || !strings.Contains(err.Error(), labels+"x") {
		t.Errorf("an absent file: error %v", err)
	}
	if _, err := loadIDX(images, labels, dataset.IDXOptions{Labels: o.Labels, MaxBytes: 5}); !errors.Is(err, dataset.ErrTooLarge) {
		t.Errorf("a file above the limit: error %v", err)
	}
}

func FuzzIDX(f *testing.F) {
	images, labels := idx([]uint8{1, 2, 3, 4}, 2, 2, 1), idx([]uint8{3, 8}, 2)
	f.Add(images, labels)
	f.Add(images[:17], labels)
	f.Add(labels, images)
	f.Add(idx(nil, 1<<30, 1<<30, 1<<30), idx(nil, 1<<30))
	f.Fuzz(func(t *testing.T, images, labels []byte) {
		m, err := readImages(images, labels, 1<<16)
		if err != nil {
			if wrong, ok := errors.AsType[*dataset.ParseError](err); !ok || wrong.File != "images" && wrong.File != "labels" {
				t.Fatalf("error without a location: %v", err)
			}
			return
		}
		if !bytes.Equal(idx(m.Pixels, m.Len(), m.Rows, m.Cols), images) || !bytes.Equal(idx(m.Labels, m.Len()), labels) {
			t.Fatal("what was read is not what was written")
		}
		if _, err := m.Binary(dataset.IDXOptions{Labels: dataset.Labels{Negative: "*", Positive: "0"}, Sparse: true}); err != nil {
			t.Fatal(err)
		}
	})
}
