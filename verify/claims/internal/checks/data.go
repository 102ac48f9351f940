package checks

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/empirical"
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

// OnData is a check whose evidence names the files of a known data set; "" is none.
func OnData(name string, c verify.Check) verify.Check {
	if name == "" {
		return c
	}
	return OnFile(Files(name), c)
}

// Files are the names of a known data set's files; "" of an unknown one, which cannot be
// opened either.
func Files(name string) string {
	source, err := dataset.Known(name)
	if err != nil {
		return ""
	}
	return strings.Join(slices.Concat(source.Train, source.Test), ", ")
}

// OnFile is a check whose evidence names the file that it was measured on.
func OnFile(file string, c verify.Check) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		trial, err := c.Prepare(ctx, s)
		if err != nil {
			return nil, err
		}
		if decided, ok := trial.(verify.Decided); ok {
			decided.Data = file
			return decided, nil
		}
		return onFile{trial, file}, nil
	})
}

type onFile struct {
	verify.Trial
	file string
}

// Judge names the file.
func (o onFile) Judge(t empirical.Tally) (verify.Evidence, error) {
	e, err := o.Trial.Judge(t)
	e.Data = o.file
	return e, err
}
