package claimsfile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A user may give another file of an audit instead of the claims file. The error then says where that file belongs,
// because an error about its YAML would not help.

var (
	// claimsKey matches the key of a claims file, in YAML or JSON.
	claimsKey = regexp.MustCompile(`(?m)^[{\s]*["']?claims["']?\s*:`)
	// outputLine matches a first line of recorded outputs: a number, a JSON list, or several fields without spaces.
	outputLine = regexp.MustCompile(`^\s*[-+]?[0-9.]+([eE][-+]?[0-9]+)?\s*$|^\s*\[|^[^\s#:]+([,;\t][^\s#:]*)+\s*$`)

	programSuffixes = []string{".py", ".ipynb", ".r", ".jl", ".js", ".cjs", ".mjs", ".ts", ".sh", ".rb", ".go", ".rs",
		".c", ".cpp", ".java", ".exe"}
	recordedSuffixes = []string{".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".npy", ".xlsx"}
	claimsSuffixes   = []string{".yaml", ".yml", ".json"}
)

// ExplainNotClaims replaces the error of reading or parsing a claims file if the path is a directory, a program or
// recorded outputs. The data are nil if the file could not be read.
func ExplainNotClaims(path string, data []byte, err error) error {
	if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
		inside := filepath.Join(path, "claims.yaml")
		if info, err := os.Stat(inside); err == nil && info.Mode().IsRegular() {
			return fmt.Errorf("%s is a directory, not a claims file: give %s", path, inside)
		}
		return fmt.Errorf("%s is a directory without a claims.yaml: give a claims file, or write one with “dpverify init "+
			"python --dir %s”", path, path)
	} else if statErr != nil {
		return err
	}
	suffix := strings.ToLower(filepath.Ext(path))
	first, _, _ := bytes.Cut(data, []byte("\n"))
	switch {
	case slices.Contains(claimsSuffixes, suffix) || claimsKey.Match(data) && !slices.Contains(programSuffixes, suffix):
		return err
	case slices.Contains(programSuffixes, suffix) || bytes.HasPrefix(first, []byte("#!")):
		return fmt.Errorf("%s is a program, not a claims file: give its command to --exec with --a and --b, or write a "+
			"claims file with “dpverify init python” and name the program under exec", path)
	case slices.Contains(recordedSuffixes, suffix) || outputLine.Match(first):
		return fmt.Errorf("%s holds recorded outputs, not claims: give the files of both inputs to --samples-a and "+
			"--samples-b, or write a claims file with “dpverify init csv”", path)
	}
	return err
}
