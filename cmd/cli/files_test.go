package cli

import (
	"io"
	"regexp"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// wordFlags and wordArguments list flags and arguments that never name files. Other string flags must be fileFlags, and
// commands with other arguments must be marked by argumentsAreFiles.
var (
	wordFlags = []string{"origin", "color", "seed", "budget", "format", "shard", "paper", "exec", "a", "b", "precision", "process-memory",
		"data-format", "header", "separator", "positive", "negative", "only", "kind", "adjacency", "method", "sampling", "curve", "solve", "event", "run-id"}
	wordArguments = []string{"PATTERN…", "ID", "NAME", "COMMAND", "TOPIC", "EVENT"}
)

// checkFiles knows every file of every command before the command runs.
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
				t.Errorf("%s --%s: make it a fileFlag if it names a file, else list it in wordFlags", c.CommandPath(), flag.Name)
			}
			if name, _ := pflag.UnquoteUsage(flag); regexp.MustCompile("^(FILE|DIR|PATH)").MatchString(name) {
				if _, isFile := flag.Value.(fileFlag); !isFile {
					t.Errorf("%s --%s takes a %s but is not a fileFlag", c.CommandPath(), flag.Name, name)
				}
			}
		})
		for _, word := range regexp.MustCompile(`[A-Z][A-Z.a-z…]*`).FindAllString(c.Use, -1) {
			_, marked := c.Annotations[fileArguments]
			if marked == slices.Contains(wordArguments, word) {
				t.Errorf("%q: mark the command by argumentsAreFiles if %s names a file, else list it in wordArguments", c.Use, word)
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
		t.Errorf("%d flags and arguments were checked, want at least 40", files)
	}
}
