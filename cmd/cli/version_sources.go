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

// sourcesVersion is a version that tells sources apart: that of a release, and of a build that has none its revision,
// or else a digest of the program itself. Samples of two builds are no sample of either.
func sourcesVersion(version string) string {
	info, _ := debug.ReadBuildInfo()
	return sourcesOf(version, info, ownDigest)
}

// digestDigits digits of a revision and of a digest.
const digestDigits = 12

func sourcesOf(version string, info *debug.BuildInfo, digest func() (string, error)) string {
	dirty := strings.HasSuffix(version, "+dirty") // as “go build” says of changes that are not committed
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

// revisionOf is the revision that all sources of a build are of; "" where it is none of them all.
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
	for _, d := range info.Deps { // from a directory, whose state no revision here tells
		if d.Version == "(devel)" || d.Replace != nil && d.Replace.Version == "" {
			return ""
		}
	}
	return revision
}

// ownDigest of the program that runs, which its file need not be any more.
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
