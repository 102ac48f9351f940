package command

import (
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/cmd/command/internal/paths"
	"github.com/dpverify/dpverify/reports"
)

// fileFlag is a flag that names a file: all flags that do are of this kind, so that every
// command's files are compared, and its outputs tried, before it runs.
type fileFlag struct {
	to       *string
	use      paths.Use
	variable string // of the environment, that stands in for it; "" for none
	result   bool   // - is standard output, and no file
	// standardOutput is what - is kept as.
	standardOutput string
	optional       bool  // '' is none, though it was given
	folders        *bool // tells whether it can be a directory of results; nil is no
}

func (f fileFlag) String() string { return *f.to }
func (f fileFlag) Type() string   { return "file" }

func (f fileFlag) Set(path string) error {
	if path == "" && !f.optional {
		return errors.New("want the name of a file, and got none")
	}
	*f.to = path
	if f.result && slices.Contains([]string{"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}, path) {
		*f.to = f.standardOutput
	}
	return nil
}

// add makes it a flag of the command.
func (f fileFlag) add(c *cobra.Command, name, shorthand, usage string) {
	c.Flags().VarP(f, name, shorthand, usage)
	if f.use == paths.Searches {
		if err := c.MarkFlagDirname(name); err != nil {
			panic(err) // the flag was added a line above
		}
	}
}

// readBy makes flags that name files which a command reads.
func readBy(c *cobra.Command) func(to *string, name, usage string) {
	return func(to *string, name, usage string) { fileFlag{to: to, use: paths.Reads}.add(c, name, "", usage) }
}

// argumentsAreFiles marks a command whose arguments are files that it reads.
func argumentsAreFiles(c *cobra.Command) {
	c.Annotations = map[string]string{fileArguments: ""}
}

const fileArguments = "dpverify arguments are files"

// filesOf are the files of a command, as its flags, its arguments and the environment name
// them.
func filesOf(c *cobra.Command, args []string) []paths.File {
	var files []paths.File
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		f, ok := flag.Value.(fileFlag)
		if !ok {
			return
		}
		name, path := "--"+flag.Name, *f.to
		if flag.Shorthand != "" {
			name = "-" + flag.Shorthand
		}
		if f.variable != "" && !flag.Changed {
			name, path = "$"+f.variable, os.Getenv(f.variable)
		}
		if path != "" && !(f.result && path == f.standardOutput) {
			file := paths.File{Flag: name, Path: path, Use: f.use}
			if f.folders != nil && *f.folders && paths.Folder(path) {
				file.Use = paths.Fills
			}
			files = append(files, file)
		}
	})
	if _, ok := c.Annotations[fileArguments]; ok {
		for _, path := range args {
			files = append(files, paths.File{Flag: "the argument", Path: path, Use: paths.Reads})
		}
	}
	return paths.Searched(files, dataset.FileNames())
}

// checkFiles compares the files of the command that was called, and tries its outputs.
// Mistakes in the flags themselves are told first.
func (a *app) checkFiles(c *cobra.Command, args []string) error {
	if err := errors.Join(c.ValidateRequiredFlags(), c.ValidateFlagGroups()); err != nil {
		return err
	}
	a.files = paths.Within(filesOf(c, args), reports.FileNames(a.papers))
	if shard := c.Flags().Lookup(shardName); shard != nil && shard.Changed {
		for i, f := range a.files { // the tallies of a part grow in the file of -o
			if f.Flag == "-o" {
				a.files[i].Use = paths.Writes
			}
		}
	}
	if file, ok := a.stdout.(*os.File); ok {
		// A summary may be added to the file that standard output goes to, as pipelines do.
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			a.files = append(a.files, paths.File{Flag: "standard output", Use: paths.Adds, Info: info})
		}
	}
	return usage(paths.Check(a.files))
}

// alsoReads compares the outputs with inputs that became known later: what a file of
// claims names.
func (a *app) alsoReads(inputs []paths.File) error {
	return usage(paths.Check(slices.Concat(a.files, inputs)))
}
