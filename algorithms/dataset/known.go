package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Source describes a public data set of the papers' experiments: its files and how to read them.
type Source struct {
	Name  string
	About string
	// Train and Test are file names in the data directory: one text file, or an IDX file of images and one of
	// their labels. A file whose name ends in .gz may also be there unpacked, without the ending. If Test is
	// empty, the data must be split.
	Train, Test []string
	Options     Options    // options for text files
	IDX         IDXOptions // options for IDX files
	// Preparation must be applied before any other use. It fills missing values with constants of the training
	// part. The zero value does nothing.
	Preparation Preparation
}

// mnistFiles returns the names of the image and the label file of one part of MNIST, "train" or "t10k".
func mnistFiles(set string) []string {
	return []string{"mnist-" + set + "-images-idx3-ubyte.gz", "mnist-" + set + "-labels-idx1-ubyte.gz"}
}

// sources returns the known data sets by name.
func sources() map[string]Source {
	return map[string]Source{
		"a7a": {
			About: "UCI Adult in LIBSVM's encoding; +1 is an income above 50,000",
			Train: []string{"a7a.train.libsvm.gz"}, Test: []string{"a7a.test.libsvm.gz"},
			Options: Options{Dim: 123, Labels: Labels{Negative: "0|-1", Positive: "1"}},
		},
		"mnist-3-8": {
			About: "MNIST digits 3 (-1) and 8 (+1), pixels in [0, 1]",
			Train: mnistFiles("train"), Test: mnistFiles("t10k"),
			IDX: IDXOptions{Labels: Labels{Negative: "3", Positive: "8", DropOthers: true}, Unit: true, Sparse: true},
		},
		"mnist-0-rest": {
			About: "MNIST digit 0 (+1) against the other digits (-1), pixels in [0, 1]",
			Train: mnistFiles("train"), Test: mnistFiles("t10k"),
			IDX: IDXOptions{Labels: Labels{Negative: AnyClass, Positive: "0"}, Unit: true, Sparse: true},
		},
		// The skipped columns hold names or indicators (protocol, service,
		// flag, land, logged_in, is_host_login, is_guest_login); the 34 continuous
		// features of Hardwarsing (2018, Sect. 4.1) remain.
		"kddcup99": {
			About:   "KDD Cup 99, 10 % sample, the 34 continuous features; +1 is an attack",
			Train:   []string{"kddcup99-10pct.csv.gz"},
			Options: Options{Skip: []int{2, 3, 4, 7, 12, 21, 22}, Labels: Labels{Negative: "normal.", Positive: AnyClass}},
		},
		// The file of the UCI repository: no header, ten measurements, four
		// indicators of the wilderness area, 40 of the soil type, the cover type 1 to 7.
		"covertype": {
			About:   "Covertype; +1 is cover type 2, the most frequent, against the rest",
			Train:   []string{"covtype.data.gz"},
			Options: Options{Labels: Labels{Negative: AnyClass, Positive: "2"}},
		},
		// LIBSVM's covtype.binary, unpacked from bzip2. By the sizes of the classes its
		// label 1 is cover type 2, and 2 is the rest. The file named …scale, with all features in
		// [0, 1], has the same format and may be stored under the same name.
		"covertype-libsvm": {
			About:   "Covertype in LIBSVM's encoding, two classes; +1 is label 1",
			Train:   []string{"covtype.libsvm.binary.gz"},
			Options: Options{Format: FormatLIBSVM, Dim: 54, Labels: Labels{Negative: "2", Positive: "1"}},
		},
		"banknote": {
			About:   "banknote authentication; +1 is class 1",
			Train:   []string{"banknote.csv"},
			Options: Options{Labels: Labels{Negative: "0", Positive: "1"}},
		},
		"occupancy": {
			About:   "room occupancy without its date column; +1 is occupied",
			Train:   []string{"occupancy.csv"},
			Options: Options{Skip: []int{1}, Labels: Labels{Negative: "0", Positive: "1"}},
		},
		"pima": {
			About:   "Pima Indians diabetes; +1 is a positive test",
			Train:   []string{"pima-diabetes.csv"},
			Options: Options{Labels: Labels{Negative: "0", Positive: "1"}},
		},
		"cancer": {
			About:       "Breast Cancer Wisconsin (original); +1 is malignant (class 4); values are missing",
			Train:       []string{"breast-cancer-wisconsin.csv"},
			Options:     Options{Missing: MissingKeep, Labels: Labels{Negative: "2", Positive: "4"}},
			Preparation: Preparation{Fill: FillMedian},
		},
		"hepatitis": {
			About:       "Hepatitis; +1 survived (class 2); values are missing",
			Train:       []string{"hepatitis.csv"},
			Options:     Options{LabelColumn: 1, Missing: MissingKeep, Labels: Labels{Negative: "1", Positive: "2"}},
			Preparation: Preparation{Fill: FillMedian},
		},
		"retinopathy": {
			About:   "Diabetic Retinopathy Debrecen; +1 shows signs of it",
			Train:   []string{"diabetic-retinopathy.csv"},
			Options: Options{Labels: Labels{Negative: "0", Positive: "1"}},
		},
	}
}

// KnownNames returns the names of the known data sets in sorted order.
func KnownNames() []string { return slices.Sorted(maps.Keys(sources())) }

// FileNames returns the sorted names of all files of the known data sets, packed and unpacked.
func FileNames() []string {
	var names []string
	for _, s := range sources() {
		for _, name := range slices.Concat(s.Train, s.Test) {
			names = append(names, name, strings.TrimSuffix(name, ".gz"))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Known returns the source of a data set.
//
// Errors: an unknown name; the message lists the known names.
func Known(name string) (Source, error) {
	s, ok := sources()[name]
	if !ok {
		return Source{}, fmt.Errorf("dataset: unknown data set %q: the known ones are %s", name,
			strings.Join(KnownNames(), ", "))
	}
	s.Name = name
	return s, nil
}

// Open reads a known data set from a directory. test is nil if the data set has no test part. Values may be
// missing ([Dataset.Missing]); the source's Preparation, fitted on the training part, fills them.
//
// Errors: errors of [Known] and of the readers, and a [*MissingError] for a file that does not exist.
func Open(dir, name string) (train, test *Dataset, err error) {
	s, err := Known(name)
	if err != nil {
		return nil, nil, err
	}
	if err := present(dir, name, slices.Concat(s.Train, s.Test)); err != nil {
		return nil, nil, err
	}
	if train, err = s.load(dir, s.Train); err != nil || len(s.Test) == 0 {
		return train, nil, err
	}
	test, err = s.load(dir, s.Test)
	return train, test, err
}

// Find returns the first of the named data sets whose files are in the directory. The names are alternative forms
// of one data set in order of preference.
//
// Errors: errors of [Known], and a [*MissingError] for the first name if none is found.
func Find(dir string, names ...string) (string, error) {
	var first error
	for _, name := range names {
		s, err := Known(name)
		if err != nil {
			return "", err
		}
		if err = present(dir, name, slices.Concat(s.Train, s.Test)); err == nil {
			return name, nil
		}
		first = cmp.Or(first, err)
	}
	return "", first
}

// OpenMNIST reads all ten classes of MNIST from a directory.
//
// Errors: as for [Open], and a [*ParseError] that names the file for images that are not 28 × 28 and for labels
// above 9.
func OpenMNIST(dir string) (train, test *Images, err error) {
	first, second := mnistFiles("train"), mnistFiles("t10k")
	if err := present(dir, "mnist", slices.Concat(first, second)); err != nil {
		return nil, nil, err
	}
	if train, err = loadDigits(located(dir, first[0]), located(dir, first[1])); err != nil {
		return nil, nil, err
	}
	test, err = loadDigits(located(dir, second[0]), located(dir, second[1]))
	return train, test, err
}

// mnistSide is the height and the width of an MNIST image. mnistClasses is the number of digits.
const (
	mnistSide    = 28
	mnistClasses = 10
)

// loadDigits reads images and checks that they have MNIST's size and labels, on which the networks and claims
// depend.
func loadDigits(images, labels string) (*Images, error) {
	m, err := LoadImages(images, labels, 0)
	if err != nil {
		return nil, err
	}
	if m.Rows != mnistSide || m.Cols != mnistSide {
		return nil, &ParseError{File: images, Offset: 8, Err: fmt.Errorf("%d images of %d × %d pixels: want MNIST's, of "+
			"%d × %d", m.Len(), m.Rows, m.Cols, mnistSide, mnistSide)}
	}
	for i, label := range m.Labels {
		if label >= mnistClasses {
			return nil, &ParseError{File: labels, Offset: int64(4 + 4*idxLabels + i),
				Err: fmt.Errorf("label %d: want a digit, 0 to %d", label, mnistClasses-1)}
		}
	}
	return m, nil
}

// present returns a MissingError unless all files exist.
func present(dir, name string, files []string) error {
	for _, file := range files {
		if _, err := os.Stat(located(dir, file)); os.IsNotExist(err) {
			return &MissingError{Name: name, Dir: dir, File: file}
		}
	}
	return nil
}

// located returns the path of a file, or the path of its unpacked form if only that exists.
func located(dir, file string) string {
	packed := filepath.Join(dir, file)
	plain := strings.TrimSuffix(packed, ".gz")
	if _, err := os.Stat(packed); os.IsNotExist(err) {
		if _, err := os.Stat(plain); err == nil {
			return plain
		}
	}
	return packed
}

func (s Source) load(dir string, files []string) (*Dataset, error) {
	if len(files) == 1 {
		return Load(located(dir, files[0]), s.Options)
	}
	m, err := loadDigits(located(dir, files[0]), located(dir, files[1]))
	if err != nil {
		return nil, err
	}
	return m.Binary(s.IDX)
}
