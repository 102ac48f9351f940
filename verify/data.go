package verify

import "fmt"

// MissingData is the error of a check whose data is not there. Its claim gets the
// verdict NotRun.
type MissingData struct {
	File string // the file that is wanted
	Dir  string // where it was looked for; "" if no directory was given
}

func (e *MissingData) Error() string {
	if e.Dir == "" {
		return fmt.Sprintf("needs the file %s: give its directory with --data DIR or DPVERIFY_DATA", e.File)
	}
	return fmt.Sprintf("needs the file %s, which is not in the data directory", e.File)
}

// notRun is the evidence of a claim without its data.
func (e *MissingData) notRun() Evidence {
	return Evidence{Verdict: NotRun, Data: e.File, Warnings: []string{e.Error()}}
}
