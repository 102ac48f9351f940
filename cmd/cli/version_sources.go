package cli

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"sync"
)

// sourcesVersion returns a version that identifies the sources: the version of a release, else the revision of the
// build, else a digest of the program. Samples of different builds must not be mixed.
func sourcesVersion(version string) string {
	info, _ := debug.ReadBuildInfo()
	return sourcesOf(version, info, ownDigest)
}

// digestDigits is the number of digits of a revision or a digest.
const digestDigits = 12

func sourcesOf(version string, info *debug.BuildInfo, digest func() (string, error)) string {
	dirty := strings.HasSuffix(version, "+dirty") // “go build” marks uncommitted changes so
	if version != develVersion && !dirty {
		return version
	}
	if revision := revisionOf(info); revision != "" && !dirty {
		return fmt.Sprintf("%s (revision %.*s)", version, digestDigits, revision)
	}
	d, err := digest()
	if err != nil {
		return version + " (unknown build)"
	}
	return fmt.Sprintf("%s (build %.*s)", version, digestDigits, d)
}

// revisionOf returns the revision of all sources of a build, or "" if they do not have one revision.
func revisionOf(info *debug.BuildInfo) (revision string) {
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value != "false":
			return ""
		}
	}
	for _, d := range info.Deps { // the revision does not cover a module that is replaced by a directory
		if d.Version == "(devel)" || d.Replace != nil && d.Replace.Version == "" {
			return ""
		}
	}
	return revision
}

// ownDigest returns the SHA-256 of the running program, even if its file was removed.
var ownDigest = sync.OnceValues(func() (string, error) {
	file, err := os.Open("/proc/self/exe")
	if err != nil {
		path, err := os.Executable()
		if err != nil {
			return "", err
		}
		if file, err = os.Open(path); err != nil {
			return "", err
		}
	}
	defer file.Close()
	h := sha256.New()
	if _, err := io.Copy(h, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
})
