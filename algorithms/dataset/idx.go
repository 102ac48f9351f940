package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"
)

// An IDX file begins with two zero bytes, the type of its elements (8 is unsigned byte, the only supported type),
// the number of dimensions, and each dimension as a big-endian 32-bit number. The elements follow, last dimension
// fastest. Source: Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits", file formats.
const (
	idxUbyte  = 8
	idxImages = 3 // dimensions of an image file: images, rows, columns
	idxLabels = 1 // dimensions of a label file
)

// idxChunk bounds the memory that is allocated before the file has proved its length.
const idxChunk = 1 << 26

// readIDX reads the elements of an IDX file of unsigned bytes. It expects len(shape) dimensions and writes them to
// shape.
func readIDX(r io.Reader, name string, shape []int, maxBytes int64) ([]uint8, error) {
	header := make([]byte, 4+4*len(shape))
	got, err := io.ReadFull(r, header)
	if got < 4 || err != nil && !ended(err) {
		return nil, idxError(name, int64(got), got < 4 && ended(err), err, "an IDX file begins with 4 bytes of magic")
	}
	if err := checkMagic(header[:4], len(shape)); err != nil {
		err.File = name
		return nil, err
	}
	if err != nil {
		return nil, idxError(name, int64(got), true, err, fmt.Sprintf("the header has %d bytes", len(header)))
	}
	size := uint64(1)
	for k := range shape {
		n := binary.BigEndian.Uint32(header[4+4*k:])
		offset := int64(4 + 4*k)
		if n == 0 || uint64(n) > uint64(maxBytes) {
			return nil, &ParseError{File: name, Offset: offset, Err: fmt.Errorf("dimension %d of %d is %d: need 1 to the "+
				"limit %d", k+1, len(shape), n, maxBytes)}
		}
		over, product := bits.Mul64(size, uint64(n))
		if over != 0 || product > uint64(maxBytes) {
			return nil, &ParseError{File: name, Offset: offset, Err: tooManyElements(maxBytes)}
		}
		shape[k], size = int(n), product
	}
	return readElements(r, name, int64(len(header)), int64(size))
}

// readElements reads size bytes that begin at the given offset. It returns an error if further bytes follow.
func readElements(r io.Reader, name string, offset, size int64) ([]uint8, error) {
	var out []uint8
	for int64(len(out)) < size {
		from := len(out)
		out = append(out, make([]uint8, min(size-int64(from), max(int64(from), idxChunk)))...)
		got, err := io.ReadFull(r, out[from:])
		if err != nil {
			return nil, idxError(name, offset+int64(from+got), ended(err), err, fmt.Sprintf("the header announces %d "+
				"bytes of elements", size))
		}
	}
	var probe [1]byte
	switch _, err := io.ReadFull(r, probe[:]); {
	case err == nil:
		return nil, &ParseError{File: name, Offset: offset + size, Err: fmt.Errorf("the file goes on after the %d bytes "+
			"of elements that its header announces", size)}
	case !errors.Is(err, io.EOF):
		return nil, &ParseError{File: name, Offset: offset + size, Err: err}
	}
	return out, nil
}

// ended reports whether err means that a stream ended early.
func ended(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

func idxError(name string, offset int64, short bool, err error, want string) error {
	if short {
		err = fmt.Errorf("the file ends here, but %s: it is cut off", want)
	}
	return &ParseError{File: name, Offset: offset, Err: err}
}

func tooManyElements(maxBytes int64) error {
	return fmt.Errorf("%w: the dimensions make more than %d elements: give fewer images", ErrTooLarge, maxBytes)
}

// checkMagic checks the first four bytes of a file.
func checkMagic(magic []byte, dimensions int) *ParseError {
	switch {
	case magic[0] != 0 || magic[1] != 0:
		return &ParseError{Err: fmt.Errorf("begins with % x: not an IDX file, whose first two bytes are 0", magic)}
	case magic[2] != idxUbyte:
		return &ParseError{Offset: 2, Err: fmt.Errorf("element type 0x%02x: only unsigned bytes (0x%02x) are read",
			magic[2], idxUbyte)}
	case int(magic[3]) != dimensions:
		kinds := map[int]string{idxImages: "images", idxLabels: "labels"}
		return &ParseError{Offset: 3, Err: fmt.Errorf("%d dimensions, but %s have %d: are the image and the label file "+
			"exchanged?", magic[3], kinds[dimensions], dimensions)}
	}
	return nil
}

// LoadImages reads an IDX file of images and an IDX file of their labels, gzipped or not, such as MNIST's. Neither
// may have more than maxBytes elements; 0 means [DefaultMaxBytes].
//
// Errors: a file that cannot be opened, and a [*ParseError] that names file and byte offset for every error in a
// file.
func LoadImages(images, labels string, maxBytes int64) (*Images, error) {
	if maxBytes == 0 {
		maxBytes = DefaultMaxBytes
	}
	pixels, err := openPlain(images, maxBytes)
	if err != nil {
		return nil, err
	}
	defer pixels.Close()
	classes, err := openPlain(labels, maxBytes)
	if err != nil {
		return nil, err
	}
	defer classes.Close()
	return ReadImages(pixels, classes, images, labels, maxBytes)
}

// ReadImages does the same as [LoadImages] for decompressed streams. Errors name them by imagesName and
// labelsName.
func ReadImages(images, labels io.Reader, imagesName, labelsName string, maxBytes int64) (*Images, error) {
	if maxBytes == 0 {
		maxBytes = DefaultMaxBytes
	}
	if maxBytes < 1 {
		return nil, fmt.Errorf("dataset: option MaxBytes %d: need at least 1", maxBytes)
	}
	count := make([]int, idxLabels)
	classes, err := readIDX(labels, labelsName, count, maxBytes)
	if err != nil {
		return nil, err
	}
	shape := make([]int, idxImages)
	pixels, err := readIDX(images, imagesName, shape, maxBytes)
	if err != nil {
		return nil, err
	}
	if shape[0] != count[0] {
		return nil, &ParseError{File: imagesName, Offset: 4, Err: fmt.Errorf("%d images, but %s has %d labels", shape[0],
			labelsName, count[0])}
	}
	return &Images{Rows: shape[1], Cols: shape[2], Pixels: pixels, Labels: classes, file: strings.Clone(labelsName)}, nil
}
