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

// Open reads a known data set (see [dataset.Known]) from the directory of the settings. If the data set has no test
// part, test is nil. If a file is missing, the error is a *[verify.MissingData].
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

// OnData returns a check whose evidence names the files of a known data set. If name is empty, it returns c itself.
func OnData(name string, c verify.Check) verify.Check {
	if name == "" {
		return c
	}
	return OnFile(Files(name), c)
}

// Files returns the file names of a known data set, separated by commas, or "" if the data set is unknown.
func Files(name string) string {
	source, err := dataset.Known(name)
	if err != nil {
		return ""
	}
	return strings.Join(slices.Concat(source.Train, source.Test), ", ")
}

// OnFile returns a check whose evidence names the given data file.
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

// Judge adds the name of the file to the evidence.
func (o onFile) Judge(t empirical.Tally) (verify.Evidence, error) {
	e, err := o.Trial.Judge(t)
	e.Data = o.file
	return e, err
}
