package cli

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// maxHelpText is the maximum length, in characters, of a line of help for a flag, a command or a topic.
const maxHelpText = 60

// visitCommands calls f with each command that the help shows.
func visitCommands(c *cobra.Command, f func(c *cobra.Command)) {
	f(c)
	for _, below := range c.Commands() {
		if !below.Hidden {
			visitCommands(below, f)
		}
	}
}

func helpOf(c *cobra.Command, width int, all bool) string {
	c.InitDefaultHelpFlag()
	var b strings.Builder
	writeHelp(&b, c, width, all)
	return b.String()
}

// TestHelpFlags checks that each flag has a short text, and that --help-all shows the flag once, with its default. A flag
// of a command with groups is in one of them.
func TestHelpFlags(t *testing.T) {
	flags := 0
	visitCommands(ours().app(nil, nil).root(), func(c *cobra.Command) {
		grouped := make(map[string]bool)
		for _, g := range groupsOf(c) {
			for _, name := range strings.Fields(g.common + " " + g.rare) {
				if grouped[name] {
					t.Errorf("%s: --%s is in two groups", c.CommandPath(), name)
				}
				grouped[name] = true
			}
		}
		all := helpOf(c, defaultWidth, true)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			flags++
			text := flagText(f)
			if n := utf8.RuneCountInString(text); n > maxHelpText && f.Name != "format" { // it lists up to seven formats
				t.Errorf("%s: the text of --%s has %d characters, want at most %d: %s", c.CommandPath(), f.Name, n, maxHelpText, text)
			}
			event := new(eventFlags).flag(f.Name).to != nil
			event = (event || f.Name == "count") && subcommandOf(c) == "account" // the first group shows the other flags
			if !grouped[f.Name] && c.HasParent() && !event {
				t.Errorf("%s: --%s is in no group", c.CommandPath(), f.Name)
			}
			row := flagRow(f)
			if n := strings.Count(all, "\n"+row[0]+" "); n != 1 || !strings.Contains(strings.Join(strings.Fields(all), " "), text) {
				t.Errorf("%s: --help-all shows %q %d times, with %q in\n%s", c.CommandPath(), row[0], n, text, all)
			}
		})
	})
	if flags < 300 {
		t.Errorf("%d flags were checked", flags)
	}
}

// The text of --format lists all formats that the command accepts, and the default of a terminal and of a file.
func TestHelpFormats(t *testing.T) {
	for path, want := range map[string]string{
		"audit": "FORM: markdown, json, html, junit, sarif or terminal (default terminal on a terminal, else markdown)",
		"diff":  "FORM: markdown or json (default markdown)",
	} {
		c, _, err := ours().app(nil, nil).root().Find([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		if got := flagText(c.Flags().Lookup("format")); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// The help names each command and topic once, with a short description; each line fits into the width.
func TestHelpCommands(t *testing.T) {
	root := ours().app(nil, nil).root()
	help := helpOf(root, defaultWidth, false)
	for _, c := range root.Commands() {
		if n := strings.Count(help, "\n  "+c.Name()+" "); n != 1 && c.IsAvailableCommand() {
			t.Errorf("the help of the root has the command %s %d times", c.Name(), n)
		}
	}
	names := topics()
	for _, name := range names {
		if text := topicSummaries[name]; text == "" || utf8.RuneCountInString(text) > maxHelpText || !strings.Contains(help, "\n  "+name+" ") {
			t.Errorf("the topic %s has the summary %q, which is empty, too long or not in the help", name, text)
		}
	}
	for name := range topicSummaries {
		if !slices.Contains(names, name) {
			t.Errorf("%q has a summary but is not a topic", name)
		}
	}
	for command, topic := range commandTopics {
		if _, _, err := root.Find([]string{command}); err != nil || !slices.Contains(names, topic) {
			t.Errorf("%s refers to topic %s: error %v, or no such topic", command, topic, err)
		}
	}
	visitCommands(root, func(c *cobra.Command) {
		if n := utf8.RuneCountInString(c.Short); n > 80 && c.Parent() == root {
			t.Errorf("%s: the description has %d characters", c.CommandPath(), n)
		}
		for _, line := range strings.Split(helpOf(c, defaultWidth, true), "\n") {
			if utf8.RuneCountInString(line) > defaultWidth && !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: a line is too wide: %s", c.CommandPath(), line)
			}
		}
	})
	audit, _, err := root.Find([]string{"audit"})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(helpOf(audit, defaultWidth, false), "\n"); n > 45 {
		t.Errorf("the help of audit has %d lines, want at most 45", n)
	}
	for _, example := range strings.Split(audit.Example, "\n") {
		if !strings.Contains(helpOf(audit, 30, false), "\n"+example+"\n") {
			t.Errorf("the help of audit breaks the example %q", example)
		}
	}
}

func TestWrapWords(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, nil},
		{"one two  three\nfour", 9, []string{"one two", "three", "four"}},
		{"ε ≤ δ ε", 7, []string{"ε ≤ δ ε"}}, // bytes would take 11
		{"a dataset's size 'dpverify audit x' ('own y'), it's", 12, []string{"a dataset's", "size", "'dpverify audit x'", "('own y'),", "it's"}},
		{"a 'b' c 'd", 3, []string{"a", "'b'", "c", "'d"}},
		{"incomprehensible a", 4, []string{"incomprehensible", "a"}},
	} {
		if got := wrapWords(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("wrapWords(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}
