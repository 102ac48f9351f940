// Package summary writes the summary of a run where a pipeline shows it.
package summary

import (
	"bytes"
	"errors"
	"os"

	"github.com/dpverify/dpverify/reports"
)

// Add adds the summary to the file, to which other commands of the step may have added, and
// keeps it below the size at which it would be refused as a whole.
func Add(path string, d reports.Document) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	left := int64(reports.SummaryLimit)
	if info.Mode().IsRegular() {
		left -= info.Size()
	}
	var b bytes.Buffer
	if err := reports.Summary(&b, d, int(left)); err != nil {
		return err
	}
	if int64(b.Len()) >= left {
		return nil // there is no room even for the counts
	}
	_, err = file.Write(b.Bytes())
	return err
}
