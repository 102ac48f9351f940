package scaffold

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

//go:embed all:_files
var files embed.FS

// kind is what “dpverify init KIND” writes.
type kind struct {
	name  string
	about string
	files func(s setting) []file
	next  func(s setting) []string // commands, the first of which passes
	// around says that the files go around the claims that are there; without any, those of Python are written.
	around bool
}

// file is one that is written: its path, with slashes, from the directory that init was given.
type file struct {
	path string
	text []byte
}

// setting is what the files and commands depend on.
type setting struct {
	dir     string // where files are written
	program string // how the reader calls this command
	version string // of this command
	python  string // what runs Python here
}

// claimed tells whether there are claims already, which a workflow then audits.
func (s setting) claimed() bool {
	_, err := os.Lstat(filepath.Join(s.dir, claims))
	return err == nil
}

const (
	claims      = "claims.yaml"
	interpreter = "python3" // of the files in Python, as they are embedded
	mechanism   = "mechanism.py"
)

// kinds are in the order of help.
var kinds = []kind{
	{name: "go", about: "a Go mechanism and a test that audits it", files: goFiles, next: goNext},
	{name: "python", about: "a Python mechanism and claims of it", files: pythonFiles, next: audit},
	{name: "javascript", about: "a JavaScript mechanism, for Node, and claims of it",
		files: process("node", "mechanism.cjs"), next: audit},
	{name: "r", about: "an R mechanism and claims of it", files: process("Rscript", "mechanism.R"), next: audit},
	{name: "csv", about: "recorded outputs in CSV files and claims of them", files: recorded, next: audit},
	around("github", "a GitHub workflow", auditStrictly,
		file{".github/workflows/dpverify.yml", embedded("github/dpverify.yml")}),
	around("gitlab", "a GitLab pipeline", auditStrictly, file{".gitlab-ci.yml", embedded("gitlab/.gitlab-ci.yml")}),
	around("slurm", "a Slurm job array", submit, file{"audit.sh", embedded("slurm/audit.sh")},
		file{"submit.sh", embedded("slurm/submit.sh")}),
	around("kubernetes", "an indexed Kubernetes job", containers,
		file{"Containerfile", embedded("kubernetes/Containerfile")},
		file{"kubernetes.yaml", embedded("kubernetes/kubernetes.yaml")},
		file{"kubernetes-merge.yaml", embedded("kubernetes/kubernetes-merge.yaml")}),
	around("pre-commit", "a pre-commit hook", audit,
		file{".pre-commit-config.yaml", embedded("pre-commit/.pre-commit-config.yaml")}),
}

// around is a kind of files that go around claims.
func around(name, about string, next func(setting) []string, all ...file) kind {
	files := func(s setting) []file {
		if s.claimed() {
			return all
		}
		return append(pythonFiles(s), all...)
	}
	about += ", with a Python mechanism unless " + claims + " is there"
	return kind{name: name, about: about, files: files, next: next, around: true}
}

// names are those of the kinds.
func names() (out []string) {
	for _, k := range kinds {
		out = append(out, k.name)
	}
	return out
}

// embedded is the text of one of the files.
func embedded(name string) []byte {
	text, err := fs.ReadFile(files, "_files/"+name)
	if err != nil {
		panic(err) // it has been compiled
	}
	return text
}

// claimsOf are claims of a mechanism that an interpreter runs.
func claimsOf(runs, mechanismFile string) file {
	text := bytes.ReplaceAll(embedded(claims), []byte(interpreter), []byte(runs))
	return file{claims, bytes.ReplaceAll(text, []byte(mechanism), []byte(mechanismFile))}
}

func process(runs, mechanismFile string) func(setting) []file {
	return func(setting) []file {
		return []file{{mechanismFile, embedded(mechanismFile)}, claimsOf(runs, mechanismFile)}
	}
}

func pythonFiles(s setting) []file { return process(s.python, mechanism)(s) }

// recordedRows decide the claims of recorded outputs.
const recordedRows = 120_000

// recorded draws what the claims say it is.
func recorded(setting) []file {
	r := rand.New(rand.NewPCG(1, 2))
	outputs := func(count int) []byte {
		b := []byte("count\n")
		for range recordedRows {
			b = fmt.Appendln(b, count+int(rng.Exponential(r))-int(rng.Exponential(r)))
		}
		return b
	}
	return []file{{"with.csv", outputs(3)}, {"without.csv", outputs(2)}, {claims, embedded("csv/" + claims)}}
}

func audit(s setting) []string {
	return []string{s.program + " audit " + quoted(filepath.Join(s.dir, claims))}
}

func auditStrictly(s setting) []string { return []string{audit(s)[0] + " --strict"} }

func submit(s setting) []string {
	return append(audit(s), "sh "+quoted(filepath.Join(s.dir, "submit.sh")))
}

func containers(s setting) []string {
	return append(audit(s), "docker build -f "+quoted(filepath.Join(s.dir, "Containerfile"))+" -t dpverify-audit "+
		quoted(s.dir), "kubectl apply -f "+quoted(filepath.Join(s.dir, "kubernetes.yaml")))
}

// quoted is a word as a shell reads it back.
func quoted(word string) string {
	if word != "" && !strings.ContainsFunc(word, special) {
		return word
	}
	if os.PathSeparator == '\\' {
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// special tells whether a shell may take a character for something else.
func special(c rune) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"
	return !strings.ContainsRune(plain, c) && c < 0x80 && (c != '\\' || os.PathSeparator != '\\')
}
