package cli

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// datasetOpener returns a function that opens the papers' data sets in a directory. Without a directory, the function
// returns an fs.ErrNotExist error that names the files, --data and its environment variable.
func datasetOpener(dir, variable string) func(name string) (train, test *dataset.Dataset, err error) {
	return func(name string) (train, test *dataset.Dataset, err error) {
		if dir != "" {
			return dataset.Open(dir, name)
		}
		source, err := dataset.Known(name)
		if err != nil {
			return nil, nil, err
		}
		files := strings.Join(slices.Concat(source.Train, source.Test), ", ")
		return nil, nil, fmt.Errorf("data set %s needs %s: name their directory with --data or %s: %w", name, files,
			variable, fs.ErrNotExist)
	}
}

// datasetForm is the format of data files, in the words of the flags.
type datasetForm struct {
	Format, Header, Separator string
	Labels                    dataset.Labels
	LabelColumn               int
}

// Options returns the options for package dataset, or an error for an unknown word.
func (f datasetForm) Options() (dataset.Options, error) {
	o := dataset.Options{Labels: f.Labels, LabelColumn: f.LabelColumn}
	var ok bool
	if o.Format, ok = map[string]dataset.Format{"auto": dataset.FormatAuto, "libsvm": dataset.FormatLIBSVM,
		"csv": dataset.FormatCSV}[f.Format]; !ok {
		return o, fmt.Errorf("data format %q: want auto, libsvm or csv", f.Format)
	}
	if o.Header, ok = map[string]dataset.Header{"detect": dataset.HeaderDetect, "none": dataset.HeaderNone,
		"first": dataset.HeaderFirst}[f.Header]; !ok {
		return o, fmt.Errorf("header %q: want detect, none or first", f.Header)
	}
	separator := []rune(f.Separator)
	if len(separator) != 1 {
		return o, fmt.Errorf("separator %q: want one character", f.Separator)
	}
	o.Comma = separator[0]
	return o, nil
}
