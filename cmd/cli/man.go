package cli

import (
	"bytes"
	"errors"
	"fmt"
	"go/doc/comment"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dpverify/dpverify/cmd/cli/manual"
)

// manCommand is “man”: the page of a command, or all of them.
func manCommand(version string) *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use:   "man [COMMAND…]",
		Short: "Write the manual pages of the commands",
		Long: `Man prints the page of a command as man reads it. With --dir it writes those of all
commands, and the manual as one page in section 7.`,
		Example: `  dpverify man audit | man -l -
  dpverify man --dir ~/.local/share/man`,
		RunE: func(c *cobra.Command, args []string) error {
			if dir != "" {
				if len(args) > 0 {
					return errors.New("--dir writes the pages of all commands: name none")
				}
				return writeManPages(c.Root(), version, dir)
			}
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("no command %q has a page", strings.Join(args, " "))
			}
			_, err = io.WriteString(c.OutOrStdout(), manPage(about, version))
			return err
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "write the pages of all commands into man1 and man7 of `DIR`, which are made")
	if err := c.MarkFlagDirname("dir"); err != nil {
		panic(err) // the flag was added a line above
	}
	return c
}

// writeManPages writes a page for each command, and the manual.
func writeManPages(root *cobra.Command, version, dir string) error {
	write := func(name, section, text string) error {
		folder := filepath.Join(dir, "man"+section)
		if err := os.MkdirAll(folder, 0o777); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, name+"."+section), []byte(text), 0o666)
	}
	err := write(root.Name(), "7", manualPage(root.Name(), version))
	var each func(c *cobra.Command)
	each = func(c *cobra.Command) {
		if c.Hidden {
			return
		}
		err = errors.Join(err, write(strings.ReplaceAll(c.CommandPath(), " ", "-"), "1", manPage(c, version)))
		for _, below := range c.Commands() {
			each(below)
		}
	}
	each(root)
	return err
}

// manPage is the page of a command.
func manPage(c *cobra.Command, version string) string {
	var b bytes.Buffer
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	manTitle(&b, name, "1", version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roffText(name), roffText(c.Short))
	c.InitDefaultHelpFlag()
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fR\n", roffText(c.UseLine()))
	b.WriteString(".SH DESCRIPTION\n")
	manVerbatim(&b, c.Long)
	if c.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, below := range c.Commands() {
			if below.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", roffText(below.Use), roffText(below.Short))
			}
		}
	}
	manOptions(&b, c.LocalFlags())
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n")
		manVerbatim(&b, c.Example)
	}
	fmt.Fprintf(&b, ".SH SEE ALSO\n\\fB%s\\fR(7)\n", roffText(c.Root().Name()))
	return b.String()
}

func manOptions(b *bytes.Buffer, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH OPTIONS\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		takes, usage := pflag.UnquoteUsage(f)
		names := "--" + f.Name
		if f.Shorthand != "" {
			names = "-" + f.Shorthand + ", " + names
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR", roffText(names))
		if takes != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", roffText(takes))
		}
		fmt.Fprintf(b, "\n%s", roffText(usage))
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" && f.Name != "workers" {
			fmt.Fprintf(b, " (default %s)", roffText(f.DefValue))
		}
		b.WriteByte('\n')
	})
}

// manualPage is the manual.
func manualPage(name, version string) string {
	var b bytes.Buffer
	manTitle(&b, name, "7", version)
	fmt.Fprintf(&b, ".SH NAME\n%s \\- the manual\n.SH DESCRIPTION\n", roffText(name))
	for _, block := range manual.Blocks() {
		switch block := block.(type) {
		case *comment.Heading:
			fmt.Fprintf(&b, ".SH %s\n", roffText(strings.ToUpper(plainComment(block.Text))))
		case *comment.Paragraph:
			fmt.Fprintf(&b, ".PP\n%s\n", roffText(plainComment(block.Text)))
		case *comment.Code:
			b.WriteString(".PP\n.RS\n")
			manVerbatim(&b, block.Text)
			b.WriteString(".RE\n")
		case *comment.List:
			for _, item := range block.Items {
				b.WriteString(".IP \\(bu 2\n")
				for _, part := range item.Content {
					if p, ok := part.(*comment.Paragraph); ok { // items have no other
						fmt.Fprintf(&b, "%s\n", roffText(plainComment(p.Text)))
					}
				}
			}
		}
	}
	return b.String()
}

func plainComment(words []comment.Text) string {
	doc := &comment.Doc{Content: []comment.Block{&comment.Paragraph{Text: words}}}
	return strings.TrimSpace(string((&comment.Printer{TextWidth: -1}).Text(doc)))
}

// manTitle begins a page. It has no date: the same sources give the same bytes.
func manTitle(b *bytes.Buffer, name, section, version string) {
	fmt.Fprintf(b, ".TH %q %q \"\" %q\n", strings.ToUpper(name), section, "dpverify "+version)
}

// manVerbatim writes lines as they are.
func manVerbatim(b *bytes.Buffer, lines string) {
	fmt.Fprintf(b, ".nf\n%s\n.fi\n", roffText(strings.TrimRight(lines, "\n")))
}

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`)

// roffText keeps roff from reading its own signs in a text: backslashes, hyphens that are to be copied, and points and
// quotes at the beginning of a line.
func roffText(s string) string {
	lines := strings.Split(roffEscapes.Replace(s), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
