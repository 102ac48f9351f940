package dataset

import (
	"errors"
	"fmt"
)

// Images are n ≥ 1 gray images of one size with one class each, in the bytes of their file. This is the compact
// form for many classes. Treat them as read-only.
type Images struct {
	Rows, Cols int     // size of every image, ≥ 1
	Pixels     []uint8 // n·Rows·Cols gray levels, image by image, row by row
	Labels     []uint8 // n classes

	file string // name of the label file, for errors
}

// Len returns the number of images.
func (m *Images) Len() int { return len(m.Labels) }

// Dim returns the number of pixels of an image.
func (m *Images) Dim() int { return m.Rows * m.Cols }

// Image returns the gray levels of image i, for 0 ≤ i < Len(). The slice shares the memory of m.
func (m *Images) Image(i int) []uint8 {
	d := m.Dim()
	return m.Pixels[i*d : (i+1)*d : (i+1)*d]
}

// IDXOptions select how two classes of images become a data set.
type IDXOptions struct {
	Labels   Labels // which classes are -1 and +1; must be named
	Unit     bool   // divide the gray levels by 255, into [0, 1]
	Sparse   bool   // store only the pixels that are not 0
	MaxBytes int64  // largest number of elements in a file; 0 is DefaultMaxBytes
}

// Binary returns the images of two classes as rows of float64. Digit 3 against 8 is Labels{Negative: "8",
// Positive: "3", DropOthers: true}. Digit 0 against the rest is Labels{Negative: AnyClass, Positive: "0"}.
//
// Errors: labels that are not named, an image of neither class without DropOthers, no image left, more than 2²⁷
// values (1 GiB), or inconsistent slice lengths.
func (m *Images) Binary(o IDXOptions) (*Dataset, error) {
	if !o.Labels.named() {
		return nil, errors.New("dataset: images need the names of the negative and the positive class (option Labels)")
	}
	if m.Rows < 1 || m.Cols < 1 || m.Rows > maxDenseValues/m.Cols ||
		len(m.Pixels)/m.Dim() != m.Len() || len(m.Pixels)%m.Dim() != 0 {
		return nil, fmt.Errorf("dataset: %d pixels do not make %d images of %d × %d", len(m.Pixels), m.Len(), m.Rows,
			m.Cols)
	}
	codes, err := m.codes(o.Labels)
	if err != nil {
		return nil, err
	}
	count, set := 0, 0 // number of kept images and of stored pixels
	for i, label := range m.Labels {
		if codes[label] != 0 {
			count++
			set += m.stored(i, o.Sparse)
		}
	}
	if count == 0 {
		return nil, &ParseError{File: m.source(), Err: fmt.Errorf("no image is of class %q or %q", o.Labels.Negative,
			o.Labels.Positive)}
	}
	if set > maxDenseValues {
		return nil, fmt.Errorf("dataset: %d pixels as float64 are above the limit %d: take fewer images, or store them "+
			"sparsely", set, maxDenseValues)
	}
	return m.rows(o, &codes, count, set), nil
}

func (m *Images) source() string {
	if m.file == "" {
		return "images"
	}
	return m.file
}

// codes returns the labels -1 and +1 of the classes that occur. 0 means that the class is dropped.
func (m *Images) codes(labels Labels) (codes [256]float64, err error) {
	coder, err := newCoder(labels)
	if err != nil {
		return codes, err
	}
	var known [256]bool
	for i, label := range m.Labels {
		if known[label] {
			continue
		}
		class, err := coder.class(fmt.Sprint(label))
		if err != nil {
			return codes, &ParseError{File: m.source(), Offset: int64(4 + 4*idxLabels + i), Err: err}
		}
		known[label] = true
		if class != left {
			codes[label] = float64(2*class - 1)
		}
	}
	return codes, nil
}

// stored returns the number of values stored for image i.
func (m *Images) stored(i int, sparse bool) int {
	if !sparse {
		return m.Dim()
	}
	n := 0
	for _, gray := range m.Image(i) {
		if gray != 0 {
			n++
		}
	}
	return n
}

// rows makes the data set of count images with capacity for set stored values.
func (m *Images) rows(o IDXOptions, codes *[256]float64, count, set int) *Dataset {
	var level [256]float64
	for gray := range level {
		if level[gray] = float64(gray); o.Unit {
			level[gray] /= 255
		}
	}
	out := &Dataset{dim: m.Dim(), labels: make([]float64, 0, count), values: make([]float64, 0, set)}
	if o.Sparse {
		out.starts = append(make([]int, 0, count+1), 0)
		out.columns = make([]int32, 0, set)
	}
	for i, label := range m.Labels {
		if codes[label] == 0 {
			continue
		}
		out.labels = append(out.labels, codes[label])
		for k, gray := range m.Image(i) {
			if !o.Sparse {
				out.values = append(out.values, level[gray])
			} else if gray != 0 {
				out.values = append(out.values, level[gray])
				out.columns = append(out.columns, int32(k))
			}
		}
		if o.Sparse {
			out.starts = append(out.starts, len(out.values))
		}
	}
	return out
}
