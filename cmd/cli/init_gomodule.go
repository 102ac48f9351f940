package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"

	"github.com/dpverify/dpverify/internal/bounded"
)

const (
	modulePath     = "github.com/dpverify/dpverify"
	goPackage      = "noisycount"
	repositoryURL  = "https://" + modulePath
	maxModuleBytes = 1 << 20 // bytes of a go.mod
)

// goFiles are a package with its test, and a module for it where there is none.
func goFiles(s scaffoldSetting) []scaffoldFile {
	var out []scaffoldFile
	for _, name := range []string{goPackage + ".go", goPackage + "_test.go"} {
		out = append(out, scaffoldFile{goPackage + "/" + name, embeddedFile("go/" + goPackage + "/" + name)})
	}
	if root, _ := moduleAround(s.dir); root != "" {
		return out
	}
	text := fmt.Sprintf("module example.com/%s // CHANGE\n\ngo 1.26.0\n\nrequire %s %s\n", goPackage, modulePath,
		requiredVersion(s))
	if !releasedVersion.MatchString(s.version) {
		text += fmt.Sprintf(`
// The sources of dpverify that are used until there is a release. With one:
//
//	go mod edit -dropreplace=%[1]s && go get %[1]s@latest
replace %[1]s => %[2]s
`, modulePath, strconv.Quote(filepath.ToSlash(clonePath())))
	}
	return append(out, scaffoldFile{"go.mod", []byte(text)})
}

// goNext has the commands that run the test, in the directory.
func goNext(s scaffoldSetting) (commands []string) {
	if s.dir != "." {
		commands = append(commands, "cd "+shellWord(s.dir))
	}
	root, own := moduleAround(s.dir)
	if own {
		return append(commands, "go test ./"+goPackage)
	}
	if from := clonePath(); !releasedVersion.MatchString(s.version) && !isClone(from) {
		commands = append(commands, "git clone "+repositoryURL+" "+shellWord(from))
	}
	if !requiresModule(root) { // as the module does that init has just written
		edit := fmt.Sprintf("go mod edit -require=%s@%s", modulePath, requiredVersion(s))
		if !releasedVersion.MatchString(s.version) {
			edit += " " + shellWord(fmt.Sprintf("-replace=%s=%s", modulePath, filepath.ToSlash(clonePath())))
		}
		commands = append(commands, edit)
	}
	return append(commands, "go mod tidy", "go test ./"+goPackage)
}

// requiresModule tells whether a module requires dpverify.
func requiresModule(root string) bool {
	text, err := bounded.ReadFile(filepath.Join(root, "go.mod"), maxModuleBytes, "a go.mod")
	return err == nil && bytes.Contains(text, []byte(modulePath+" v"))
}

// releasedVersion is the version of a tag, which a module can require: others are of a working tree.
var releasedVersion = regexp.MustCompile(`^v(0\.0\.[1-9]\d*|0\.[1-9]\d*\.\d+|[1-9]\d*\.\d+\.\d+)(-[a-z]+\.?\d*)?$`)

// requiredVersion is the version that a module requires; what is replaced has none.
func requiredVersion(s scaffoldSetting) string {
	if releasedVersion.MatchString(s.version) {
		return s.version
	}
	return "v0.0.0"
}

// moduleAround is the directory of the module that dir is in, "" for none, and whether it is dpverify's own.
func moduleAround(dir string) (root string, own bool) {
	at, err := filepath.Abs(dir)
	for ; err == nil; at = filepath.Dir(at) {
		if _, missing := os.Stat(filepath.Join(at, "go.mod")); missing == nil {
			return at, isClone(at)
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return "", false
}

func isClone(dir string) bool {
	text, err := bounded.ReadFile(filepath.Join(dir, "go.mod"), maxModuleBytes, "a go.mod")
	return err == nil && bytes.HasPrefix(text, []byte("module "+modulePath+"\n"))
}

// clonePath is where the sources of dpverify are: where it was built, unless that was left out of the binary or is
// gone; around the working directory; or beside it, where they are to be put.
func clonePath() string {
	_, here, _, _ := runtime.Caller(0)
	at := filepath.Join(filepath.Dir(filepath.FromSlash(here)), "..", "..")
	if filepath.IsAbs(at) && isClone(at) {
		return at
	}
	if at, own := moduleAround("."); own {
		return at
	}
	return filepath.FromSlash("../dpverify")
}
