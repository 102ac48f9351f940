package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// workflowKind returns a kind that writes files, which a service reads in the root of a repository. They audit the
// existing claims file. Without one the first file runs the tests of a Go module, or all audit the Python example.
func workflowKind(name, about string, written ...string) scaffoldKind {
	files := func(s scaffoldSetting) (all []scaffoldFile) {
		found := append(s.claimsFiles(), claimsName)
		switch {
		case s.testsModule():
			return []scaffoldFile{{written[0], embeddedFile("go-test/" + path.Base(written[0]))}}
		case len(found) == 1:
			all = pythonFiles(s)
		}
		for _, file := range written {
			all = append(all, scaffoldFile{file, withClaims(embeddedFile(name+"/"+path.Base(file)), found[0])})
		}
		return all
	}
	return scaffoldKind{name: name, about: about, files: files, next: workflowCommands, around: true, atRoot: true}
}

// workflowCommands returns the command that a workflow runs.
func workflowCommands(s scaffoldSetting) (commands []string) {
	if !s.testsModule() {
		return []string{auditCommands(s)[0] + " --strict"}
	}
	if s.dir != "." {
		commands = append(commands, "cd "+shellWord(s.dir))
	}
	return append(commands, "go test ./...")
}

// claimsFiles returns the claims file in the directory. If there is none, it returns the claims files one and two
// levels below. Paths are relative to the directory, with slashes, and sorted.
func (s scaffoldSetting) claimsFiles() (found []string) {
	if isFile(filepath.Join(s.dir, claimsName)) {
		return []string{claimsName}
	}
	for _, folder := range subfolders(s.dir, "") {
		for _, folder := range append([]string{folder}, subfolders(s.dir, folder)...) {
			if file := path.Join(folder, claimsName); isFile(filepath.Join(s.dir, filepath.FromSlash(file))) {
				found = append(found, file)
			}
		}
	}
	slices.Sort(found)
	return found
}

// claimsPath returns the path of the audited claims file.
func (s scaffoldSetting) claimsPath() string {
	return filepath.Join(s.dir, filepath.FromSlash(append(s.claimsFiles(), claimsName)[0]))
}

// testsModule reports whether a workflow runs the tests of a Go module, which has no claims file.
func (s scaffoldSetting) testsModule() bool {
	return isFile(filepath.Join(s.dir, "go.mod")) && len(s.claimsFiles()) == 0
}

// subfolders returns the directories in a directory, except hidden ones and those with code or data of others.
func subfolders(dir, below string) (folders []string) {
	entries, _ := os.ReadDir(filepath.Join(dir, filepath.FromSlash(below))) // an unreadable directory has none
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") &&
			!slices.Contains([]string{"node_modules", "testdata", "vendor", "venv"}, e.Name()) {
			folders = append(folders, path.Join(below, e.Name()))
		}
	}
	return folders
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// withClaims makes a workflow audit the claims file instead of the one in the root.
func withClaims(text []byte, file string) []byte {
	if file == claimsName {
		return text
	}
	value := file // in YAML
	if strings.ContainsFunc(file, isShellSpecial) {
		value = strconv.Quote(file)
	}
	for _, edit := range [][2]string{
		{"claims of " + claimsName, "claims of " + file},
		{"claims: " + claimsName, "claims: " + value},
		{"args: [" + claimsName, "args: [" + value},
		{"audit " + claimsName, "audit " + shellWord(file)},
		{`^(claims\.yaml|mechanism\.py)$`, "'^" + strings.ReplaceAll(regexp.QuoteMeta(path.Dir(file)), "'", "''") + "/'"},
	} {
		text = bytes.ReplaceAll(text, []byte(edit[0]), []byte(edit[1]))
	}
	return text
}

// describeSubject prints what the written files audit. It warns about claims files that they do not audit, and about
// a directory in which no service reads them. found holds the claims files before the files were written.
func describeSubject(k scaffoldKind, s scaffoldSetting, found []string, stdout, stderr io.Writer) error {
	if k.atRoot {
		if root := repositoryRoot(s.dir); root != "" {
			fmt.Fprintf(stderr, "dpverify: warning: %s is not the root of the repository %s, in which the file is read: "+
				"move it there, or give --dir %s\n",
				s.dir, root, shellWord(root))
		}
	}
	if len(found) > 1 {
		fmt.Fprintf(stderr, "dpverify: warning: only %s is audited: repeat the step for %s\n", found[0],
			strings.Join(found[1:], ", "))
	}
	switch {
	case len(found) > 0:
		return printLine(stdout, "audits the existing %s\n", s.claimsPath())
	case !s.testsModule():
		return printLine(stdout, "audits the example %s: edit its lines marked CHANGE\n", filepath.Join(s.dir,
			mechanismName))
	case !requiresModule(s.dir):
		fmt.Fprintf(stderr, "dpverify: warning: %s does not require dpverify, so no test audits a claim: see “%s init "+
			"go”\n",
			filepath.Join(s.dir, "go.mod"), s.program)
	}
	return printLine(stdout, "runs the tests of the module %s\n", s.dir)
}

// repositoryRoot returns the root of the Git repository around a directory, "" if the directory is a root itself or in
// no repository.
func repositoryRoot(dir string) string {
	full, err := filepath.Abs(dir)
	for here := full; err == nil; here = filepath.Dir(here) {
		if _, missing := os.Stat(filepath.Join(here, ".git")); missing == nil {
			if here == full {
				return ""
			}
			return here
		}
		if here == filepath.Dir(here) {
			break
		}
	}
	return ""
}

// checkFolder rejects a directory without claims if they are below it: these kinds write next to the claims file.
func checkFolder(k scaffoldKind, s scaffoldSetting, found []string) error {
	if !k.around || k.atRoot || len(found) == 0 || found[0] == claimsName {
		return nil
	}
	return fmt.Errorf("the claims are in %s: give --dir %s", s.claimsPath(), shellWord(filepath.Dir(s.claimsPath())))
}
