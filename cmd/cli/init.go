package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// initCommand returns the command “init”; version is the program's version.
func initCommand(version string) *cobra.Command {
	dir := "."
	c := &cobra.Command{
		Use:   "init KIND",
		Short: "Write a mechanism, its claims or a workflow to start from",
		Long: `Init writes example files that pass without changes. Comments with the word CHANGE
mark the lines to edit. The kinds are

` + kindDescriptions() + `
A workflow, a pipeline and a hook audit ` + claimsName + ` in DIR or at most two levels below. Without
claims they run the tests of the Go module in DIR. If DIR has neither, a Python example is added.
Nothing is overwritten: if a file exists already, init names it and writes nothing.`,
		Example: `  dpverify init python
  dpverify init github --dir ../my-library`,
		ValidArgs: scaffoldNames(),
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(c *cobra.Command, args []string) error {
			k := scaffoldKinds[slices.Index(scaffoldNames(), args[0])]
			return writeKind(k, scaffoldSetting{dir: filepath.Clean(dir), program: calledName(c.Root().Name()),
				version: version,
				python:  pythonCommand()}, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&dir, "dir", dir, "`DIR` for the files, created if it does not exist")
	if err := c.MarkFlagDirname("dir"); err != nil {
		panic(err) // the flag was added a line above
	}
	return c
}

// kindDescriptions returns one line for each kind.
func kindDescriptions() string {
	var b strings.Builder
	for _, k := range scaffoldKinds {
		fmt.Fprintf(&b, "    %-18s%s\n", k.name, k.about)
	}
	return b.String()
}

// writeKind writes the files of a kind. It prints their names and the commands to run next.
func writeKind(k scaffoldKind, s scaffoldSetting, stdout, stderr io.Writer) error {
	found := s.claimsFiles()
	if err := checkFolder(k, s, found); err != nil {
		return err
	}
	all := k.files(s)
	if err := createFiles(s.dir, all); err != nil {
		return err
	}
	for _, f := range all {
		if err := printLine(stdout, "wrote %s\n", filepath.Join(s.dir, filepath.FromSlash(f.path))); err != nil {
			return err
		}
	}
	if k.around {
		if err := describeSubject(k, s, found, stdout, stderr); err != nil {
			return err
		}
	}
	for i, command := range k.next(s) {
		if err := printLine(stdout, "%s %s\n", []string{"next:", "then:"}[min(i, 1)], command); err != nil {
			return err
		}
	}
	if path := localReplacement(all, k.next(s)); path != "" {
		fmt.Fprintf(stderr, "dpverify: warning: go.mod replaces dpverify by the local path %s: a CI job needs a clone "+
			"there; the job of “%s init github” makes its own\n",
			path, s.program)
	}
	if runs := missingInterpreter(all); runs != "" {
		fmt.Fprintf(stderr, "dpverify: %s runs this and is not on the PATH: install it first\n", runs)
	}
	return nil
}

func printLine(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, format, args...)
	return err
}

// createFiles writes all of the files, or none.
func createFiles(dir string, all []scaffoldFile) (err error) {
	var existing []string
	for _, f := range all {
		path := filepath.Join(dir, filepath.FromSlash(f.path))
		if _, err := os.Lstat(path); err == nil {
			existing = append(existing, path)
		}
	}
	if len(existing) > 0 {
		return fmt.Errorf("%s would be overwritten, so nothing is written: give another --dir, or move the existing files",
			strings.Join(existing, ", "))
	}
	var made []string // removed in reverse order after an error
	defer func() {
		for _, path := range slices.Backward(made) {
			if err != nil {
				err = errors.Join(err, os.Remove(path))
			}
		}
	}()
	for _, f := range all {
		path := filepath.Join(dir, filepath.FromSlash(f.path))
		folders, err := makeFolder(filepath.Dir(path))
		made = append(made, folders...)
		if err != nil {
			return err
		}
		if err := writeNew(path, f.text, &made); err != nil {
			return err
		}
	}
	return nil
}

// makeFolder creates a directory and its missing parents, and returns the created ones.
func makeFolder(dir string) (made []string, err error) {
	if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
		return nil, nil
	}
	if made, err = makeFolder(filepath.Dir(dir)); err != nil {
		return made, err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return made, err
	}
	return append(made, dir), nil
}

// writeNew writes a file that must not exist yet. Scripts become executable.
func writeNew(path string, text []byte, made *[]string) error {
	mode := fs.FileMode(0o666)
	if strings.HasPrefix(string(text), "#!") {
		mode = 0o777
	}
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	*made = append(*made, path)
	_, err = out.Write(text)
	return errors.Join(err, out.Close())
}

// pythonCommand returns the name of the Python interpreter on this machine.
func pythonCommand() string {
	for _, name := range []string{interpreterName, "python"} {
		if _, err := exec.LookPath(name); err == nil {
			return name
		}
	}
	return interpreterName
}

// missingInterpreter returns the interpreter of the claims if it is not on the PATH, and "" otherwise.
func missingInterpreter(all []scaffoldFile) string {
	for _, f := range all {
		if _, line, ok := strings.Cut(string(f.text), "exec: ["); ok && f.path == claimsName {
			name, _, _ := strings.Cut(line, ",")
			if _, err := exec.LookPath(name); err != nil {
				return name
			}
		}
	}
	return ""
}

// calledName returns the words with which the user can call this program: its name if that is on the PATH, else its
// path. “go run” removes its binary at the end, so it gives the “go run” command.
func calledName(name string) string {
	self := os.Args[0]
	if strings.Contains(filepath.ToSlash(self), "/go-build") {
		return "go run ./cmd/" + name
	}
	if _, err := exec.LookPath(name); err == nil || !strings.ContainsRune(self, os.PathSeparator) {
		return name
	}
	return shellWord(self)
}
