//go:build ignore

// Release builds the files of a release with the go tool:
//
//	go run .ci/release.go -version v1.2.3 -o dist
//
// For each platform it writes an archive of a static binary with its manual pages, completions, README and license,
// and a CycloneDX software bill of materials. SHA256SUMS has the checksums of all files. The bytes depend only on the
// sources, the version and Go's version. To check this, -twice builds again from a copy of the sources in another
// directory, with a separate cache.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

const (
	module  = "github.com/dpverify/dpverify"
	program = "dpverify"
	all     = "linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"
)

// ldflags omit data that depend on the machine, and set the version.
const ldflags = "-s -w -buildid= -X " + module + "/cmd/cli.buildVersion="

var versions = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9a-z.]+)?$`)

func main() {
	version := flag.String("version", "", "the `VERSION`, as in v1.2.3")
	out := flag.String("o", "dist", "output `DIR`, which must not exist")
	platforms := flag.String("platforms", all, "the `PLATFORMS`, separated by spaces")
	twice := flag.Bool("twice", false, "build again in another directory and compare")
	flag.Parse()
	if err := release(*version, *out, strings.Fields(*platforms), *twice); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func release(version, out string, platforms []string, twice bool) error {
	if !versions.MatchString(version) {
		return fmt.Errorf("-version %q: want a version as in v1.2.3", version)
	}
	if _, err := os.Stat(out); err == nil {
		return fmt.Errorf("%s exists: remove it, or give another -o", out)
	}
	if _, err := os.Stat(filepath.Join("cmd", program, "main.go")); err != nil {
		return errors.New("run this in the root of the module")
	}
	sums, err := build(".", version, out, platforms, os.Environ())
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(sums), 0o666); err != nil {
		return err
	}
	fmt.Print(sums)
	if !twice {
		return nil
	}
	return again(version, platforms, sums)
}

// again builds HEAD in another directory and compares the checksums. Uncommitted changes make a difference.
func again(version string, platforms []string, sums string) error {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "another", "place")
	if err := os.MkdirAll(source, 0o777); err != nil {
		return err
	}
	archive := filepath.Join(dir, "sources.tar")
	for _, command := range [][]string{{"git", "archive", "-o", archive, "HEAD"}, {"tar", "-xf", archive, "-C", source}} {
		if message, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, message)
		}
	}
	env := append(os.Environ(), "GOCACHE="+filepath.Join(dir, "cache"))
	second, err := build(source, version, filepath.Join(dir, "dist"), platforms, env)
	if err != nil {
		return err
	}
	if second != sums {
		return fmt.Errorf("the checksums of a second build, from HEAD in another directory, differ:\n%s", second)
	}
	fmt.Println("the second build has the same bytes")
	return nil
}

// build writes the release files of the sources in a directory, and returns their checksums.
func build(source, version, out string, platforms, env []string) (sums string, err error) {
	if err := os.MkdirAll(out, 0o777); err != nil {
		return "", err
	}
	stage, err := os.MkdirTemp("", "stage")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(stage)
	texts, err := documents(source, version, stage, env)
	if err != nil {
		return "", err
	}
	written := map[string][]byte{}
	for _, platform := range platforms {
		system, processor, ok := strings.Cut(platform, "/")
		if !ok {
			return "", fmt.Errorf("platform %q: want a platform as in linux/amd64", platform)
		}
		binary := filepath.Join(stage, system+"-"+processor)
		if err := compile(source, version, binary, append(env, "GOOS="+system, "GOARCH="+processor)); err != nil {
			return "", err
		}
		content, err := os.ReadFile(binary)
		if err != nil {
			return "", err
		}
		name := fmt.Sprintf("%s_%s_%s_%s", program, strings.TrimPrefix(version, "v"), system, processor)
		executable, archive, form := program, name+".tar.gz", tarball
		if system == "windows" {
			executable, archive, form = program+".exe", name+".zip", zipped
		}
		if written[archive], err = form(append([]entry{{executable, content, 0o755}}, texts...)); err != nil {
			return "", err
		}
		if written[name+".cdx.json"], err = materials(binary, version, content); err != nil {
			return "", err
		}
	}
	for _, name := range sorted(written) {
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256(written[name]), name)
		if err := os.WriteFile(filepath.Join(out, name), written[name], 0o666); err != nil {
			return "", err
		}
	}
	return sums, nil
}

// compile builds a static binary that does not depend on this machine.
func compile(source, version, binary string, env []string) error {
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-mod=readonly", "-ldflags", ldflags+version, "-o", binary,
		"./cmd/"+program)
	c.Dir = source
	c.Env = append(env, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	if message, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, message)
	}
	return nil
}

// entry is a file of an archive.
type entry struct {
	name string
	text []byte
	mode int64
}

// documents returns the other files of an archive. A binary for this machine generates the manual pages and
// completions.
func documents(source, version, stage string, env []string) (out []entry, err error) {
	self := filepath.Join(stage, "self")
	if runtime.GOOS == "windows" {
		self += ".exe"
	}
	if err := compile(source, version, self, append(env, "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH)); err != nil {
		return nil, err
	}
	pages := filepath.Join(stage, "man")
	if message, err := exec.Command(self, "man", "--dir", pages).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("man: %w\n%s", err, message)
	}
	add := func(name, from string) {
		text, failed := os.ReadFile(from)
		err = errors.Join(err, failed)
		out = append(out, entry{name, text, 0o644})
	}
	for _, name := range []string{"README.md", "LICENSE", "CHANGELOG.md"} {
		add(name, filepath.Join(source, name))
	}
	found, failed := filepath.Glob(filepath.Join(pages, "*", "*"))
	err = errors.Join(err, failed)
	for _, page := range found {
		add("man/"+filepath.Base(filepath.Dir(page))+"/"+filepath.Base(page), page)
	}
	for shell, name := range map[string]string{"bash": program, "zsh": "_" + program, "fish": program + ".fish", "powershell": program + ".ps1"} {
		text, failed := exec.Command(self, "completion", shell).Output()
		err = errors.Join(err, failed)
		out = append(out, entry{"completions/" + shell + "/" + name, text, 0o644})
	}
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return out, err
}

// epoch is the modification time of all files, because the time of the build does not depend on the sources.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func tarball(entries []entry) ([]byte, error) {
	var b bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(compressed)
	for _, e := range entries {
		head := &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: e.mode, Size: int64(len(e.text)), ModTime: epoch, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(head); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.text); err != nil {
			return nil, err
		}
	}
	err = errors.Join(w.Close(), compressed.Close()) // before the bytes are taken
	return b.Bytes(), err
}

func zipped(entries []entry) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		file, err := w.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: epoch})
		if err != nil {
			return nil, err
		}
		if _, err := file.Write(e.text); err != nil {
			return nil, err
		}
	}
	err := w.Close() // before the bytes are taken
	return b.Bytes(), err
}

// materials returns the software bill of materials: the modules from which a binary was built, as the binary lists
// them.
func materials(binary, version string, content []byte) ([]byte, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	type hash struct {
		Algorithm string `json:"alg"`
		Content   string `json:"content"`
	}
	type component struct {
		Type    string `json:"type"`
		Ref     string `json:"bom-ref"`
		Name    string `json:"name"`
		Version string `json:"version"`
		URL     string `json:"purl"`
		Hashes  []hash `json:"hashes,omitempty"`
	}
	part := func(kind, path, version string) component {
		url := "pkg:golang/" + path + "@" + version
		return component{Type: kind, Ref: url, Name: path, Version: version, URL: url}
	}
	self := part("application", module, version)
	self.Hashes = []hash{{"SHA-256", fmt.Sprintf("%x", sha256.Sum256(content))}}
	components := []component{part("library", "std", info.GoVersion)}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		components = append(components, part("library", d.Path, d.Version))
	}
	var refs []string
	for _, c := range components {
		refs = append(refs, c.Ref)
	}
	text, err := json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{"component": self}, "components": components,
		"dependencies": []map[string]any{{"ref": self.Ref, "dependsOn": refs}},
	}, "", "  ")
	return append(text, '\n'), err
}

func sorted(files map[string][]byte) (names []string) {
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
