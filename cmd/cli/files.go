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

// fileFlag is a flag that names a file. All such flags have this type, so that checkFiles can compare the files of a
// command, and try its outputs, before it runs.
type fileFlag struct {
	to       *string
	use      claimsfile.FileUse
	variable string // environment variable with the default; "" for none
	result   bool   // "-" is standard output, not a file
	// standardOutput is the value of the flag for "-".
	standardOutput string
	optional       bool  // the flag can be given as "", for no file
	folders        *bool // whether the path can be a directory of results; nil for no
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

// add adds the flag to the command.
func (f fileFlag) add(c *cobra.Command, name, shorthand, usage string) {
	c.Flags().VarP(f, name, shorthand, usage)
	if f.use == claimsfile.SearchesFolder {
		if err := c.MarkFlagDirname(name); err != nil {
			panic(err) // the flag was added a line above
		}
	}
}

// readBy returns a function that adds flags for files that the command reads.
func readBy(c *cobra.Command) func(to *string, name, usage string) {
	return func(to *string, name, usage string) {
		fileFlag{to: to, use: claimsfile.ReadsFile}.add(c, name, "", usage)
	}
}

// argumentsAreFiles marks a command that reads the files named by its arguments.
func argumentsAreFiles(c *cobra.Command) {
	c.Annotations = map[string]string{fileArguments: ""}
}

const fileArguments = "dpverify arguments are files"

// filesOf returns the files of a command that its flags, its arguments and the environment name.
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

// checkFiles compares the files of the called command, and tries its outputs. It first reports mistakes in the flags.
func (a *app) checkFiles(c *cobra.Command, args []string) error {
	if err := errors.Join(c.ValidateRequiredFlags(), c.ValidateFlagGroups()); err != nil {
		return err
	}
	a.files = claimsfile.FilesWithin(filesOf(c, args), reports.FileNames(a.papers))
	if shard := c.Flags().Lookup(shardName); shard != nil && shard.Changed {
		for i, f := range a.files { // a shard appends its statistics to the file of -o
			if f.Flag == "-o" {
				a.files[i].Use = claimsfile.WritesFile
			}
		}
	}
	if file, ok := a.stdout.(*os.File); ok {
		// Pipelines append a summary to the same file as standard output, so that is allowed.
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			a.files = append(a.files, claimsfile.NamedFile{Flag: "standard output", Use: claimsfile.AddsToFile, Info: info})
		}
	}
	return usage(claimsfile.CheckFiles(a.files))
}

// alsoReads compares the outputs with input files that became known later, from a claims file.
func (a *app) alsoReads(inputs []claimsfile.NamedFile) error {
	return usage(claimsfile.CheckFiles(slices.Concat(a.files, inputs)))
}
