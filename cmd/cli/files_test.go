package cli

import (
	"io"
	"regexp"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Flags and arguments that are words, and never files. Whatever is not listed has to be a
// fileFlag, or a command marked by argumentsAreFiles.
var (
	wordFlags = []string{"origin", "color", "seed", "budget", "format", "shard", "paper", "exec", "a", "b", "precision", "process-memory",
		"data-format", "header", "separator", "positive", "negative", "only", "kind", "adjacency", "method", "sampling", "curve", "solve", "event"}
	wordArguments = []string{"PATTERN…", "ID", "NAME", "COMMAND", "TOPIC", "EVENT"}
)

// Every file of every command is known to the comparison before it runs.
func TestEveryFileIsRegistered(t *testing.T) {
	files := 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		c.Flags().VisitAll(func(flag *pflag.Flag) {
			switch _, isFile := flag.Value.(fileFlag); {
			case isFile:
				files++
			case regexp.MustCompile("^(string|stringSlice|stringArray|bytes.*|stringTo.*)$").MatchString(flag.Value.Type()) &&
				!slices.Contains(wordFlags, flag.Name):
				t.Errorf("%s --%s: is it a file? Then it is a fileFlag, else a row of wordFlags", c.CommandPath(), flag.Name)
			}
			if name, _ := pflag.UnquoteUsage(flag); regexp.MustCompile("^(FILE|DIR|PATH)").MatchString(name) {
				if _, isFile := flag.Value.(fileFlag); !isFile {
					t.Errorf("%s --%s takes a %s and is no fileFlag", c.CommandPath(), flag.Name, name)
				}
			}
		})
		for _, word := range regexp.MustCompile(`[A-Z][A-Z.a-z…]*`).FindAllString(c.Use, -1) {
			_, marked := c.Annotations[fileArguments]
			if marked == slices.Contains(wordArguments, word) {
				t.Errorf("%q: is %s a file? Then mark the command by argumentsAreFiles, else list it in wordArguments", c.Use, word)
			}
			files++
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	a := &app{ledger: stubLedger, stdout: io.Discard, stderr: io.Discard}
	visit(a.root())
	if files < 40 {
		t.Errorf("%d files were looked at", files)
	}
}
