package cli

import (
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/cmd/cli/internal/claimsfile"
	"github.com/dpverify/dpverify/reports"
)

// fileFlag is a flag that names a file: all flags that do are of this kind, so that every
// command's files are compared, and its outputs tried, before it runs.
type fileFlag struct {
	to       *string
	use      claimsfile.FileUse
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
	if f.use == claimsfile.SearchesFolder {
		if err := c.MarkFlagDirname(name); err != nil {
			panic(err) // the flag was added a line above
		}
	}
}

// readBy makes flags that name files which a command reads.
func readBy(c *cobra.Command) func(to *string, name, usage string) {
	return func(to *string, name, usage string) {
		fileFlag{to: to, use: claimsfile.ReadsFile}.add(c, name, "", usage)
	}
}

// argumentsAreFiles marks a command whose arguments are files that it reads.
func argumentsAreFiles(c *cobra.Command) {
	c.Annotations = map[string]string{fileArguments: ""}
}

const fileArguments = "dpverify arguments are files"

// filesOf are the files of a command, as its flags, its arguments and the environment name
// them.
func filesOf(c *cobra.Command, args []string) []claimsfile.NamedFile {
	var files []claimsfile.NamedFile
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
			file := claimsfile.NamedFile{Flag: name, Path: path, Use: f.use}
			if f.folders != nil && *f.folders && claimsfile.NamesFolder(path) {
				file.Use = claimsfile.FillsFolder
			}
			files = append(files, file)
		}
	})
	if _, ok := c.Annotations[fileArguments]; ok {
		for _, path := range args {
			files = append(files, claimsfile.NamedFile{Flag: "the argument", Path: path, Use: claimsfile.ReadsFile})
		}
	}
	return claimsfile.ExpandSearched(files, dataset.FileNames())
}

// checkFiles compares the files of the command that was called, and tries its outputs.
// Mistakes in the flags themselves are told first.
func (a *app) checkFiles(c *cobra.Command, args []string) error {
	if err := errors.Join(c.ValidateRequiredFlags(), c.ValidateFlagGroups()); err != nil {
		return err
	}
	a.files = claimsfile.FilesWithin(filesOf(c, args), reports.FileNames(a.papers))
	if shard := c.Flags().Lookup(shardName); shard != nil && shard.Changed {
		for i, f := range a.files { // the tallies of a part grow in the file of -o
			if f.Flag == "-o" {
				a.files[i].Use = claimsfile.WritesFile
			}
		}
	}
	if file, ok := a.stdout.(*os.File); ok {
		// A summary may be added to the file that standard output goes to, as pipelines do.
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			a.files = append(a.files, claimsfile.NamedFile{Flag: "standard output", Use: claimsfile.AddsToFile, Info: info})
		}
	}
	return usage(claimsfile.CheckFiles(a.files))
}

// alsoReads compares the outputs with inputs that became known later: what a file of
// claims names.
func (a *app) alsoReads(inputs []claimsfile.NamedFile) error {
	return usage(claimsfile.CheckFiles(slices.Concat(a.files, inputs)))
}
