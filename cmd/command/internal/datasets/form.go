package datasets

import (
	"fmt"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// Form is that of files of data, as flags name it.
type Form struct {
	Format, Header, Separator string
	Labels                    dataset.Labels
	LabelColumn               int
}

// Options refuses words that are none.
func (f Form) Options() (dataset.Options, error) {
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
