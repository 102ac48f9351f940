package cli

import (
	"cmp"
	"embed"
	"io/fs"
	"path"
	"strings"
)

// manual holds a Markdown file for each topic, and in pages the files to copy.
//
//go:embed manual
var manual embed.FS

// manualFiles lists the files that “help” prints: topics in reading order, then pages.
func manualFiles() (files []string) {
	for _, pattern := range []string{"manual/[0-9]*.md", "manual/pages/*"} {
		found, err := fs.Glob(manual, pattern)
		if err != nil {
			panic(err) // the pattern is valid
		}
		files = append(files, found...)
	}
	return files
}

// topicOf returns the name of a file's topic: the title in lower case, with hyphens, or the name of a page.
func topicOf(file string) string {
	return strings.TrimLeft(strings.TrimSuffix(path.Base(file), ".md"), "0123456789-")
}

// topics lists the topics of the manual in the order of manualFiles.
func topics() (names []string) {
	for _, file := range manualFiles() {
		names = append(names, topicOf(file))
	}
	return names
}

// topicSummaries describes each topic in the root help.
var topicSummaries = map[string]string{
	"starting":              "Files to start from, and their kinds",
	"verdicts":              "Meaning of each verdict",
	"alpha":                 "Error probability and seeds",
	"power":                 "Violations that a run would detect",
	"audits":                "Mechanisms, recorded outputs and the claims file",
	"privacy-curves":        "Claims of a whole privacy curve",
	"likely-causes":         "Distinguishing event and likely cause of a refutation",
	"training-runs":         "Audits of a training by canaries or by many runs",
	"training-example":      "Example of DP-SGD in Python, PyTorch, JAX and Go",
	"training-logs":         "Premises of a training, checked in the log of one run",
	"limits":                "Violations that dpverify cannot detect",
	"containment":           "Limits on the processes that dpverify starts",
	"files-and-numbers":     "Number format and maximum sizes of files",
	"accounting":            "Computation of ε and δ for a described mechanism",
	"curves-and-attacks":    "Privacy curves and bounds on attacks",
	"account-claims":        "Claims about the ε of a described release",
	"output-claims":         "Claims about means, distributions and sensitivity",
	"input-search":          "Search for the worst pair of inputs",
	"record-and-replay":     "Audits from recorded calls to noise primitives",
	"experiments":           "Figures of papers, and measurements of the audits",
	"shards":                "Runs in shards on several machines",
	"planning":              "Cost of an audit before it runs",
	"clusters":              "Slurm, Kubernetes and CI matrices",
	"recomputed-reports":    "Check of a report from its stored statistics",
	"pipelines":             "Output formats, baselines and CI",
	"evidence-of-many-runs": "One error probability for all runs of a project",
	"exit-codes":            "Meaning of each exit code",
	"dp_canaries.py":        "Python file to copy: canaries for a training loop",
	"dp_training_log.py":    "Python file to copy: the log of a training loop",
	"dp_primitives.py":      "Python file to copy: calls to noise primitives",
	"dp_primitives.js":      "JavaScript file to copy: calls to noise primitives",
	"dp_primitives.R":       "R file to copy: calls to noise primitives",
}

// renamedTopics holds the topics that “help” also prints under an older name.
var renamedTopics = map[string]string{"inputs-that-are-found": "input-search", "parts": "shards",
	"claims-about-accounts": "account-claims", "claims-about-outputs": "output-claims",
	"claims-that-are-curves": "privacy-curves", "why-a-claim-is-refuted": "likely-causes", "training": "training-example"}

// topic returns a topic's file as it is. It reports false if there is no such topic.
func topic(name string) ([]byte, bool) {
	name = cmp.Or(renamedTopics[strings.ToLower(name)], name)
	for _, file := range manualFiles() {
		if strings.EqualFold(topicOf(file), name) {
			text, err := manual.ReadFile(file)
			return text, err == nil
		}
	}
	return nil, false
}
