package claimsfile

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/dpverify/dpverify/reports"
)

// CommandPlace returns the first word of a command that is a file, as mechanism.py in python3 mechanism.py, or else
// its first word.
func CommandPlace(command []string) reports.Place {
	for _, word := range command {
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() && !filepath.IsAbs(word) {
			return reports.Place{File: FromRoot(word)}
		}
	}
	return reports.Place{File: FromRoot(strings.Join(command[:min(1, len(command))], ""))}
}
