package claimsfile

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
)

// ProgramDigest tells this program from every other: results of different code
// are not to be mixed, and most builds have no version.
func ProgramDigest() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding the program's own file: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the program's own file: %w", err)
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", fmt.Errorf("the program's own file: %w", err)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
