package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/internal/bounded"
)

const (
	modulePath     = "github.com/dpverify/dpverify"
	goPackage      = "noisycount"
	repositoryURL  = "https://" + modulePath
	maxModuleBytes = 1 << 20 // bytes of a go.mod
)

// goFiles returns a package with its test, and a go.mod if dir is not in a module.
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
// Until dpverify has a release, this module uses a local copy. To use a release:
//
//	go mod edit -dropreplace=%[1]s && go get %[1]s@latest
replace %[1]s => %[2]s
`, modulePath, strconv.Quote(filepath.ToSlash(clonePath())))
	}
	return append(out, scaffoldFile{"go.mod", []byte(text)})
}

// goNext returns the commands that run the test.
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
	if !requiresModule(root) { // a go.mod that init wrote already does
		edit := fmt.Sprintf("go mod edit -require=%s@%s", modulePath, requiredVersion(s))
		if !releasedVersion.MatchString(s.version) {
			edit += " " + shellWord(fmt.Sprintf("-replace=%s=%s", modulePath, filepath.ToSlash(clonePath())))
		}
		commands = append(commands, edit)
	}
	return append(commands, "go mod tidy", "go test ./"+goPackage)
}

// localReplacement returns the local path of dpverify in a written go.mod or in a printed command, "" if there is none.
func localReplacement(all []scaffoldFile, commands []string) string {
	for _, text := range commands {
		if strings.Contains(text, "-replace="+modulePath+"=") {
			return filepath.ToSlash(clonePath())
		}
	}
	for _, f := range all {
		if f.path == "go.mod" && bytes.Contains(f.text, []byte("\nreplace ")) {
			return filepath.ToSlash(clonePath())
		}
	}
	return ""
}

// requiresModule reports whether a module requires dpverify.
func requiresModule(root string) bool {
	text, err := bounded.ReadFile(filepath.Join(root, "go.mod"), maxModuleBytes, "a go.mod")
	return err == nil && bytes.Contains(text, []byte(modulePath+" v"))
}

// releasedVersion matches the version of a tag, which a module can require. Other versions name a working tree.
var releasedVersion = regexp.MustCompile(`^v(0\.0\.[1-9]\d*|0\.[1-9]\d*\.\d+|[1-9]\d*\.\d+\.\d+)(-[a-z]+\.?\d*)?$`)

// requiredVersion returns the version that a module requires. It is v0.0.0 if a replace directive gives the sources.
func requiredVersion(s scaffoldSetting) string {
	if releasedVersion.MatchString(s.version) {
		return s.version
	}
	return "v0.0.0"
}

// moduleAround returns the root of the module that contains dir, "" if there is none, and reports whether it is
// dpverify's own.
func moduleAround(dir string) (root string, own bool) {
	path, err := filepath.Abs(dir)
	for ; err == nil; path = filepath.Dir(path) {
		if _, missing := os.Stat(filepath.Join(path, "go.mod")); missing == nil {
			return path, isClone(path)
		}
		if path == filepath.Dir(path) {
			break
		}
	}
	return "", false
}

func isClone(dir string) bool {
	text, err := bounded.ReadFile(filepath.Join(dir, "go.mod"), maxModuleBytes, "a go.mod")
	return err == nil && bytes.HasPrefix(text, []byte("module "+modulePath+"\n"))
}

// clonePath returns the directory of dpverify's sources: the directory of the build if it still exists, else the
// clone around the working directory, else ../dpverify, into which the user clones them.
func clonePath() string {
	_, here, _, _ := runtime.Caller(0)
	built := filepath.Join(filepath.Dir(filepath.FromSlash(here)), "..", "..")
	if filepath.IsAbs(built) && isClone(built) {
		return built
	}
	if root, own := moduleAround("."); own {
		return root
	}
	return filepath.FromSlash("../dpverify")
}
