package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand returns the command “man”, which prints one manual page or writes all of them.
func manCommand(version string) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "man [COMMAND…]",
		Short: "Write the manual pages of the commands",
		Long: `Man prints the manual page of a command in the format of man. With --dir it writes
the pages of all commands, and the whole manual as one page in section 7.`,
		Example: `  dpverify man audit | man -l -
  dpverify man --dir ~/.local/share/man`,
		RunE: func(c *cobra.Command, args []string) error {
			if dir != "" {
				if len(args) > 0 {
					return errors.New("--dir writes the pages of all commands: leave COMMAND out")
				}
				return writeManPages(c.Root(), version, dir)
			}
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("no manual page: there is no command %q", strings.Join(args, " "))
			}
			page, err := manPage(about, version)
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(page)
			return err
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "write all pages into man1 and man7 of `DIR`")
	if err := c.MarkFlagDirname("dir"); err != nil {
		panic(err) // the flag was added a line above
	}
	return c
}

// writeManPages writes a page for each command, and the manual.
func writeManPages(root *cobra.Command, version, dir string) error {
	write := func(name, section string, text []byte) error {
		folder := filepath.Join(dir, "man"+section)
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, name+"."+section), text, 0o666)
	}
	page, err := manualPage(root.Name(), version)
	err = errors.Join(err, write(root.Name(), "7", page))
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		for _, below := range c.Commands() { // before manPage, which adds help commands
			each(below)
		}
		page, failed := manPage(c, version)
		err = errors.Join(err, failed, write(strings.ReplaceAll(c.CommandPath(), " ", "-"), "1", page))
	}
	each(root)
	return err
}

// manPage returns the page of a command. The page has no date, so the same sources give the same bytes.
func manPage(c *cobra.Command, version string) ([]byte, error) {
	c.Root().DisableAutoGenTag = true // the tag has a date
	var b bytes.Buffer
	date := time.Time{}
	err := doc.GenMan(c, &doc.GenManHeader{Date: &date, Source: "dpverify " + version}, &b)
	return bytes.Replace(b.Bytes(), []byte(date.Format("Jan 2006")), nil, 1), err
}

// manualPage returns the whole manual as a page of section 7.
func manualPage(name, version string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%% %q \"7\" \"\" %q\n# NAME\n%s - the manual\n\n", strings.ToUpper(name), "dpverify "+version, name)
	for _, file := range append([]string{"manual/README.md"}, manualFiles()...) {
		if path.Ext(file) != ".md" {
			continue
		}
		text, err := manual.ReadFile(file)
		if err != nil {
			return nil, err
		}
		b.Write(append(text, '\n'))
	}
	return md2man.Render(b.Bytes()), nil
}
