package cli

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/dpverify/dpverify/internal/rng"
)

// scaffoldFiles holds the files that “dpverify init” writes. They are separate files so that their own tools can check
// them.
//
//go:embed all:_files
var scaffoldFiles embed.FS

// scaffoldKind is one kind of “dpverify init KIND”.
type scaffoldKind struct {
	name  string
	about string
	files func(s scaffoldSetting) []scaffoldFile
	next  func(s scaffoldSetting) []string // commands to run next; the first one passes
	// around marks a kind that audits an existing claims file; without one the Python mechanism is written too.
	around bool
	// atRoot marks a kind whose file a service reads in the root of a repository.
	atRoot bool
}

// scaffoldFile is a file to write; path is relative to the directory of init and has slashes.
type scaffoldFile struct {
	path string
	text []byte
}

// scaffoldSetting holds the values that files and commands depend on.
type scaffoldSetting struct {
	dir     string // where files are written
	program string // the words that call this program
	version string // of this program
	python  string // name of the Python interpreter
}

const (
	claimsName      = "claims.yaml"
	interpreterName = "python3" // in the embedded files
	mechanismName   = "mechanism.py"
)

// scaffoldKinds lists the kinds in the order of the help.
var scaffoldKinds = []scaffoldKind{
	{name: "go", about: "a Go mechanism and a test that audits it", files: goFiles, next: goNext},
	{name: "python", about: "a Python mechanism and claims about it", files: pythonFiles, next: auditCommands},
	{name: "javascript", about: "a JavaScript mechanism for Node, and claims about it",
		files: processFiles("node", "mechanism.cjs"), next: auditCommands},
	{name: "r", about: "an R mechanism and claims about it", files: processFiles("Rscript", "mechanism.R"),
		next: auditCommands},
	{name: "csv", about: "recorded outputs in CSV files, and claims about them", files: recordedFiles,
		next: auditCommands},
	workflowKind("github", "GitHub workflows: for pull requests, and a nightly audit", ".github/workflows/dpverify.yml",
		".github/workflows/dpverify-nightly.yml"),
	workflowKind("gitlab", "a GitLab pipeline", ".gitlab-ci.yml"),
	kindAroundClaims("slurm", "a Slurm job array", submitCommands, scaffoldFile{"audit.sh",
		embeddedFile("slurm/audit.sh")},
		scaffoldFile{"submit.sh", embeddedFile("slurm/submit.sh")}),
	kindAroundClaims("kubernetes", "an indexed Kubernetes job", containerCommands,
		scaffoldFile{"Containerfile", embeddedFile("kubernetes/Containerfile")},
		scaffoldFile{"kubernetes.yaml", embeddedFile("kubernetes/kubernetes.yaml")},
		scaffoldFile{"kubernetes-merge.yaml", embeddedFile("kubernetes/kubernetes-merge.yaml")}),
	{name: "accountant-trial", about: "commands for 'account trial' of three Python accountants", files: accountantFiles,
		next: accountantCommands},
	workflowKind("pre-commit", "a pre-commit hook", ".pre-commit-config.yaml"),
}

// kindAroundClaims returns a kind that audits the claims file next to its files.
func kindAroundClaims(name, about string, next func(scaffoldSetting) []string, all ...scaffoldFile) scaffoldKind {
	files := func(s scaffoldSetting) []scaffoldFile {
		if len(s.claimsFiles()) > 0 {
			return all
		}
		return append(pythonFiles(s), all...)
	}
	about += ", with a Python mechanism unless " + claimsName + " exists"
	return scaffoldKind{name: name, about: about, files: files, next: next, around: true}
}

// scaffoldNames returns the names of the kinds.
func scaffoldNames() (out []string) {
	for _, k := range scaffoldKinds {
		out = append(out, k.name)
	}
	return out
}

// embeddedFile returns an embedded file.
func embeddedFile(name string) []byte {
	text, err := fs.ReadFile(scaffoldFiles, "_files/"+name)
	if err != nil {
		panic(err) // the file is embedded
	}
	return text
}

// claimsForMechanism returns claims about a mechanism that an interpreter runs.
func claimsForMechanism(runs, mechanismFile string) scaffoldFile {
	text := bytes.ReplaceAll(embeddedFile(claimsName), []byte(interpreterName), []byte(runs))
	return scaffoldFile{claimsName, bytes.ReplaceAll(text, []byte(mechanismName), []byte(mechanismFile))}
}

func processFiles(runs, mechanismFile string) func(scaffoldSetting) []scaffoldFile {
	return func(scaffoldSetting) []scaffoldFile {
		return []scaffoldFile{{mechanismFile, embeddedFile(mechanismFile)}, claimsForMechanism(runs, mechanismFile)}
	}
}

func pythonFiles(s scaffoldSetting) []scaffoldFile { return processFiles(s.python, mechanismName)(s) }

// recordedRows is the number of outputs in each file, enough to decide the claims.
const recordedRows = 120_000

// recordedFiles draws the outputs that the claims describe, with a fixed seed.
func recordedFiles(scaffoldSetting) []scaffoldFile {
	r := rand.New(rand.NewPCG(1, 2))
	outputs := func(count int) []byte {
		b := []byte("count\n")
		for range recordedRows {
			b = fmt.Appendln(b, count+int(rng.Exponential(r))-int(rng.Exponential(r)))
		}
		return b
	}
	return []scaffoldFile{{"with.csv", outputs(3)}, {"without.csv", outputs(2)}, {claimsName,
		embeddedFile("csv/" + claimsName)}}
}

// accountantFiles returns the commands for account trial and the module that they import.
func accountantFiles(scaffoldSetting) (all []scaffoldFile) {
	for _, name := range []string{"line_protocol.py", "trial_dp_accounting.py", "trial_opacus.py",
		"trial_prv_accountant.py"} {
		all = append(all, scaffoldFile{name, embeddedFile("accountant-trial/" + name)})
	}
	return all
}

func accountantCommands(s scaffoldSetting) []string {
	command := s.python + " " + shellWord(filepath.Join(s.dir, "trial_dp_accounting.py"))
	return []string{s.program + " account trial --exec " + shellWord(command)}
}

func auditCommands(s scaffoldSetting) []string {
	return []string{s.program + " audit " + shellWord(s.claimsPath())}
}

func submitCommands(s scaffoldSetting) []string {
	return append(auditCommands(s), "sh "+shellWord(filepath.Join(s.dir, "submit.sh")))
}

func containerCommands(s scaffoldSetting) []string {
	return append(auditCommands(s), "docker build -f "+shellWord(filepath.Join(s.dir,
		"Containerfile"))+" -t dpverify-audit "+
		shellWord(s.dir), "kubectl apply -f "+shellWord(filepath.Join(s.dir, "kubernetes.yaml")))
}

// shellWord quotes a word for a shell.
func shellWord(word string) string {
	if word != "" && !strings.ContainsFunc(word, isShellSpecial) {
		return word
	}
	if os.PathSeparator == '\\' {
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// isShellSpecial reports whether a character may have a meaning for a shell.
func isShellSpecial(c rune) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	return !strings.ContainsRune(plain, c) && c < 0x80 && (c != '\\' || os.PathSeparator != '\\')
}
