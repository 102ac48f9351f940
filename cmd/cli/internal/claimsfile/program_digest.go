package claimsfile

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
)

// ProgramDigest returns the SHA-256 of this program's file. It keeps results of different builds apart, because most
// builds have no version.
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
