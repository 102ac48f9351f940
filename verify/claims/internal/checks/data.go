package checks

import (
	"errors"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/verify"
)

// Open reads a known data set (see dataset.Known) from the directory of the settings; test
// is nil where it has no test part of its own. A file that is not there is a
// *verify.MissingData.
func Open(s verify.Settings, name string) (train, test *dataset.Dataset, err error) {
	source, err := dataset.Known(name)
	if err != nil {
		return nil, nil, err
	}
	if s.Data == "" {
		return nil, nil, &verify.MissingData{File: source.Train[0]}
	}
	train, test, err = dataset.Open(s.Data, name)
	if missing := (*dataset.MissingError)(nil); errors.As(err, &missing) {
		return nil, nil, &verify.MissingData{File: missing.File, Dir: s.Data}
	}
	return train, test, err
}
