// Package datasets opens the public data sets of a directory.
package datasets

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

// Opener opens the papers' data sets; without a directory each is missing, and the error names the variable that stands
// in for --data.
func Opener(dir, variable string) func(name string) (train, test *dataset.Dataset, err error) {
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
