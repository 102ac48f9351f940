package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// documentation is the address of the README and the manual.
const documentation = "https://github.com/dpverify/dpverify"

// commandGroups lists the commands in the order of the root help. Cobra's groups sort commands by name.
var commandGroups = []struct{ title, commands string }{
	{"Audit", "init audit account"},
	{"Papers", "report verify list explain experiment"},
	{"Runs", "evidence merge recompute diff schema"},
	{"Other commands", "help man completion version"},
}

// flagGroup is a section of flags in the help of a command, as names separated by spaces.
type flagGroup struct{ title, common, rare string }

// flagGroups are the groups for all commands that [groupsOf] does not mention.
var flagGroups = []flagGroup{
	{"Mechanism", "exec a b samples-a samples-b canaries training-log",
		"event inclusion neighbor-log rate batch clipping-norm noise-multiplier divisor steps tolerance seeded " +
			"reply-timeout process-memory"},
	{"Claim", "epsilon delta account paper origin experiments",
		"rho mu renyi-order renyi-epsilon curve adjacency group sampling"},
	{"Sampling", "samples budget alpha anytime", "seed mass precision data workers timeout yes"},
	{"Output", "output format dry-run full dir", "wall times color progress"},
	{"CI and clusters", "strict baseline evidence shard watch",
		"evidence-new evidence-start run-id collect write-baseline summary annotations events checkpoint prepared"},
}

// accountGroups are the groups for account and its subcommands, whose first group has the parameters of the event.
var accountGroups = []flagGroup{
	{"Mechanism", "exec", "reply-timeout process-memory"},
	{"Question", "epsilon delta solve curve beside trees factor advantage tpr reconstruction",
		"seed method adjacency group sampling fpr prior"},
	{"Output", "output format", "color plot"},
}

// experimentGroups are the groups for experiment and its subcommands.
var experimentGroups = []flagGroup{
	{"Experiment", "epsilon total-epsilon repeats runs samples only kind alpha sound serve", "epochs lambda radius"},
	{"Data", "data train test", "data-format label-column header separator positive negative"},
	{"Sampling", "budget", "seed workers yes"},
	{"Output", "output format plot", ""},
	{"CI", "strict", ""},
	{"Cluster", "checkpoint", ""},
}

// maxPlainFlags is the number of flags above which the help of a command leaves out the rare ones.
const maxPlainFlags = 16

// commandTopics holds the topic of the manual that explains the flags of a command.
var commandTopics = map[string]string{
	"init": "starting", "audit": "audits", "account": "accounting", "report": "verdicts", "verify": "verdicts",
	"experiment": "experiments", "merge": "shards",
	"evidence": "evidence-of-many-runs", "recompute": "recomputed-reports", "diff": "pipelines",
}

// groupsOf returns the groups of a command's flags.
func groupsOf(c *cobra.Command) []flagGroup {
	switch subcommandOf(c) {
	case "account":
		return accountGroups
	case "experiment":
		return experimentGroups
	}
	return flagGroups
}

// subcommandOf returns the name of the root's subcommand that is c or contains c, or "" for the root.
func subcommandOf(c *cobra.Command) (name string) {
	for ; c.HasParent(); c = c.Parent() {
		name = c.Name()
	}
	return name
}

// helpAllFlag is --help-all. Like --help, it ends parsing and shows the help.
type helpAllFlag struct{ given *bool }

func (f helpAllFlag) String() string { return "false" }
func (f helpAllFlag) Type() string   { return "bool" }
func (f helpAllFlag) Set(string) error {
	*f.given = true
	return pflag.ErrHelp
}

// addHelp replaces cobra's help by [writeHelp], and adds --help-all.
func (a *app) addHelp(root *cobra.Command) {
	var all bool
	root.PersistentFlags().VarPF(helpAllFlag{&all}, "help-all", "", "show the help with all flags").NoOptDefVal = "true"
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		screen, _, _ := screenOf(a.stdout, "never") // with the default width after an error
		writeHelp(c.OutOrStdout(), c, screen.Width, all)
	})
}

// writeHelp writes the help of a command: what it does, usage, examples, commands and flags. Text wraps at the width,
// except in examples and indented blocks. The writer keeps its errors; see [watched].
func writeHelp(w io.Writer, c *cobra.Command, width int, all bool) {
	h := helpPage{width: width}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(cmp.Or(c.Long, c.Short)), "\n\n") {
		h.paragraph(paragraph)
	}
	h.title("Usage")
	if c.Runnable() {
		h.line("  " + c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		h.line("  " + c.CommandPath() + " COMMAND [flags]")
	}
	if c.HasExample() {
		h.title("Examples")
		h.line(c.Example)
	}
	if !c.HasParent() {
		h.root(c)
	} else if c.HasAvailableSubCommands() {
		h.commands("Commands", c.Commands())
	}
	left := h.flags(c, all)
	h.line("")
	h.paragraph(strings.Join(closing(c, left), " "))
	fmt.Fprintln(w, strings.TrimSpace(h.String()))
}

// closing returns the last sentences of a command's help. Left is the number of flags that the help leaves out.
func closing(c *cobra.Command, left int) (sentences []string) {
	if left > 0 {
		sentences = append(sentences, fmt.Sprintf("'%s --help-all' lists %d more flags.", c.CommandPath(), left))
	}
	if c.HasAvailableSubCommands() {
		sentences = append(sentences, fmt.Sprintf("'%s COMMAND --help' describes a command.", c.CommandPath()))
	}
	if topic := commandTopics[subcommandOf(c)]; topic != "" {
		sentences = append(sentences, fmt.Sprintf("'%s help %s' explains more.", c.Root().Name(), topic))
	}
	if !c.HasParent() {
		sentences = append(sentences, "Documentation: "+documentation)
	}
	return sentences
}

// helpPage builds the help of a command.
type helpPage struct {
	strings.Builder
	width int // in columns
}

func (h *helpPage) line(text string) { h.WriteString(text + "\n") }

func (h *helpPage) title(text string) {
	if !strings.HasSuffix(h.String(), "\n\n") {
		h.line("")
	}
	h.line(text + ":")
}

// paragraph writes wrapped text, or an indented block as it is, and an empty line.
func (h *helpPage) paragraph(text string) {
	lines := []string{text}
	if !strings.HasPrefix(text, " ") {
		lines = wrapWords(text, h.width)
	}
	h.line(strings.Join(lines, "\n") + "\n")
}

// rows writes a table of names and descriptions.
func (h *helpPage) rows(column int, rows [][2]string) {
	for _, row := range rows {
		indent := strings.Repeat(" ", column)
		lines := wrapWords(row[1], max(h.width-column, 20))
		h.line(row[0] + indent[utf8.RuneCountInString(row[0]):] + strings.Join(lines, "\n"+indent))
	}
}

// root writes the groups of commands and the topics of the manual.
func (h *helpPage) root(c *cobra.Command) {
	for _, group := range commandGroups {
		var commands []*cobra.Command
		for name := range strings.FieldsSeq(group.commands) {
			for _, sub := range c.Commands() {
				if sub.Name() == name {
					commands = append(commands, sub)
				}
			}
		}
		h.commands(group.title, commands)
	}
	h.title("Topics of '" + c.Name() + " help TOPIC'")
	var rows [][2]string
	for _, name := range topics() {
		rows = append(rows, [2]string{"  " + name, topicSummaries[name]})
	}
	h.rows(nameColumn(rows), rows)
}

func (h *helpPage) commands(title string, commands []*cobra.Command) {
	var rows [][2]string
	for _, c := range commands {
		if c.IsAvailableCommand() || c.Name() == "help" {
			rows = append(rows, [2]string{"  " + c.Name(), c.Short})
		}
	}
	if len(rows) > 0 {
		h.title(title)
		h.rows(nameColumn(rows), rows)
	}
}

// nameColumn returns the column at which descriptions start.
func nameColumn(rows [][2]string) (column int) {
	for _, row := range rows {
		column = max(column, utf8.RuneCountInString(row[0])+2)
	}
	return column
}

// flags writes the flags of a command in groups, and returns the number of flags left out.
func (h *helpPage) flags(c *cobra.Command, all bool) (left int) {
	groups, n := groupedFlags(c)
	var shown [][][2]string
	var titles []string
	for i, group := range groups {
		var rows [][2]string
		for _, f := range group.flags {
			if !all && f.rare && n > maxPlainFlags {
				left++
				continue
			}
			rows = append(rows, flagRow(f.Flag))
		}
		if len(rows) > 0 {
			shown, titles = append(shown, rows), append(titles, groups[i].title)
		}
	}
	column := nameColumn(slices.Concat(shown...))
	for i, rows := range shown {
		if len(shown) == 1 {
			titles[i] = "Flags"
		}
		h.title(titles[i])
		h.rows(column, rows)
	}
	return left
}

// helpFlag is a flag in the help of a command.
type helpFlag struct {
	*pflag.Flag
	rare bool
}

// helpGroup is a group of a command's flags.
type helpGroup struct {
	title string
	flags []helpFlag
}

// groupedFlags returns the flags of a command by group, and their number. The first group also has the flags that are
// in no group. Only the help of the root has --help.
func groupedFlags(c *cobra.Command) (groups []helpGroup, n int) {
	flags := c.LocalFlags()
	left := make(map[string]bool)
	flags.VisitAll(func(f *pflag.Flag) { left[f.Name] = !f.Hidden && (f.Name != "help" || !c.HasParent()) })
	for _, group := range groupsOf(c) {
		g := helpGroup{title: group.title}
		for i, names := range []string{group.common, group.rare} {
			for name := range strings.FieldsSeq(names) {
				if left[name] {
					g.flags = append(g.flags, helpFlag{flags.Lookup(name), i == 1})
					left[name] = false
					n++
				}
			}
		}
		groups = append(groups, g)
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if left[f.Name] {
			groups[0].flags = append(groups[0].flags, helpFlag{Flag: f})
			n++
		}
	})
	return groups, n
}

// flagRow returns a flag with its value's name, and its description.
func flagRow(f *pflag.Flag) [2]string {
	name, text := "      --"+f.Name, flagText(f)
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", --" + f.Name
	}
	if value, _ := pflag.UnquoteUsage(f); value != "" {
		name += " " + value
	}
	return [2]string{name, text}
}

// flagText returns the description of a flag with its default, unless that is empty, zero or false.
func flagText(f *pflag.Flag) string {
	_, text := pflag.UnquoteUsage(f)
	if !slices.Contains([]string{"", "0", "0s", "false", "[]"}, f.DefValue) {
		text += " (default " + f.DefValue + ")"
	}
	return text
}

// wrapWords breaks text between words into lines of at most width columns, one column a rune. A command in single
// quotes is one word.
func wrapWords(text string, width int) (lines []string) {
	used := 0
	for _, word := range helpWords(text) {
		n := utf8.RuneCountInString(word)
		if len(lines) > 0 && used+1+n <= width {
			lines[len(lines)-1] += " " + word
			used += 1 + n
			continue
		}
		lines, used = append(lines, word), n
	}
	return lines
}

// helpWords splits text at spaces outside single quotes that begin a word.
func helpWords(text string) (words []string) {
	quoted := false
	for word := range strings.FieldsSeq(text) {
		if quoted {
			words[len(words)-1] += " " + word
		} else {
			words = append(words, word)
		}
		begins := !quoted && strings.HasPrefix(strings.TrimLeft(word, "("), "'")
		if begins {
			word = strings.TrimLeft(word, "('")
		}
		quoted = (quoted || begins) && !strings.Contains(word, "'")
	}
	return words
}
