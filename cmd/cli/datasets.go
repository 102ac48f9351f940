package cli

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// datasetOpener opens the papers' data sets; without a directory each is missing, and the error names the variable that
// stands in for --data.
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

// datasetForm is that of files of data, as flags name it.
type datasetForm struct {
	Format, Header, Separator string
	Labels                    dataset.Labels
	LabelColumn               int
}

// Options refuses words that are none.
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
