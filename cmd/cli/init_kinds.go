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

// scaffoldFiles holds what `dpverify init` writes. The files are in _files as they are, so that their own tools
// can check them.
//
//go:embed all:_files
var scaffoldFiles embed.FS

// scaffoldKind is what “dpverify init KIND” writes.
type scaffoldKind struct {
	name  string
	about string
	files func(s scaffoldSetting) []scaffoldFile
	next  func(s scaffoldSetting) []string // commands, the first of which passes
	// around says that the files go around the claims that are there; without any, those of Python are written.
	around bool
}

// scaffoldFile is one that is written: its path, with slashes, from the directory that init was given.
type scaffoldFile struct {
	path string
	text []byte
}

// scaffoldSetting is what the files and commands depend on.
type scaffoldSetting struct {
	dir     string // where files are written
	program string // how the reader calls this command
	version string // of this command
	python  string // what runs Python here
}

// claimed tells whether there are claims already, which a workflow then audits.
func (s scaffoldSetting) claimed() bool {
	_, err := os.Lstat(filepath.Join(s.dir, claimsName))
	return err == nil
}

const (
	claimsName      = "claims.yaml"
	interpreterName = "python3" // of the files in Python, as they are embedded
	mechanismName   = "mechanism.py"
)

// scaffoldKinds are in the order of help.
var scaffoldKinds = []scaffoldKind{
	{name: "go", about: "a Go mechanism and a test that audits it", files: goFiles, next: goNext},
	{name: "python", about: "a Python mechanism and claims of it", files: pythonFiles, next: auditCommands},
	{name: "javascript", about: "a JavaScript mechanism, for Node, and claims of it",
		files: processFiles("node", "mechanism.cjs"), next: auditCommands},
	{name: "r", about: "an R mechanism and claims of it", files: processFiles("Rscript", "mechanism.R"),
		next: auditCommands},
	{name: "csv", about: "recorded outputs in CSV files and claims of them", files: recordedFiles, next: auditCommands},
	kindAroundClaims("github", "a GitHub workflow", strictAuditCommands,
		scaffoldFile{".github/workflows/dpverify.yml", embeddedFile("github/dpverify.yml")}),
	kindAroundClaims("gitlab", "a GitLab pipeline", strictAuditCommands, scaffoldFile{".gitlab-ci.yml",
		embeddedFile("gitlab/.gitlab-ci.yml")}),
	kindAroundClaims("slurm", "a Slurm job array", submitCommands, scaffoldFile{"audit.sh",
		embeddedFile("slurm/audit.sh")},
		scaffoldFile{"submit.sh", embeddedFile("slurm/submit.sh")}),
	kindAroundClaims("kubernetes", "an indexed Kubernetes job", containerCommands,
		scaffoldFile{"Containerfile", embeddedFile("kubernetes/Containerfile")},
		scaffoldFile{"kubernetes.yaml", embeddedFile("kubernetes/kubernetes.yaml")},
		scaffoldFile{"kubernetes-merge.yaml", embeddedFile("kubernetes/kubernetes-merge.yaml")}),
	kindAroundClaims("pre-commit", "a pre-commit hook", strictAuditCommands,
		scaffoldFile{".pre-commit-config.yaml", embeddedFile("pre-commit/.pre-commit-config.yaml")}),
}

// kindAroundClaims is a kind of files that go around claims.
func kindAroundClaims(name, about string, next func(scaffoldSetting) []string, all ...scaffoldFile) scaffoldKind {
	files := func(s scaffoldSetting) []scaffoldFile {
		if s.claimed() {
			return all
		}
		return append(pythonFiles(s), all...)
	}
	about += ", with a Python mechanism unless " + claimsName + " is there"
	return scaffoldKind{name: name, about: about, files: files, next: next, around: true}
}

// scaffoldNames are those of the kinds.
func scaffoldNames() (out []string) {
	for _, k := range scaffoldKinds {
		out = append(out, k.name)
	}
	return out
}

// embeddedFile is the text of one of the files.
func embeddedFile(name string) []byte {
	text, err := fs.ReadFile(scaffoldFiles, "_files/"+name)
	if err != nil {
		panic(err) // it has been compiled
	}
	return text
}

// claimsForMechanism are claims of a mechanism that an interpreter runs.
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

// recordedRows decide the claims of recorded outputs.
const recordedRows = 120_000

// recordedFiles draws what the claims say it is.
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

func auditCommands(s scaffoldSetting) []string {
	return []string{s.program + " audit " + shellWord(filepath.Join(s.dir, claimsName))}
}

func strictAuditCommands(s scaffoldSetting) []string {
	return []string{auditCommands(s)[0] + " --strict"}
}

func submitCommands(s scaffoldSetting) []string {
	return append(auditCommands(s), "sh "+shellWord(filepath.Join(s.dir, "submit.sh")))
}

func containerCommands(s scaffoldSetting) []string {
	return append(auditCommands(s), "docker build -f "+shellWord(filepath.Join(s.dir,
		"Containerfile"))+" -t dpverify-audit "+
		shellWord(s.dir), "kubectl apply -f "+shellWord(filepath.Join(s.dir, "kubernetes.yaml")))
}

// shellWord is a word as a shell reads it back.
func shellWord(word string) string {
	if word != "" && !strings.ContainsFunc(word, isShellSpecial) {
		return word
	}
	if os.PathSeparator == '\\' {
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// isShellSpecial tells whether a shell may take a character for something else.
func isShellSpecial(c rune) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	return !strings.ContainsRune(plain, c) && c < 0x80 && (c != '\\' || os.PathSeparator != '\\')
}
