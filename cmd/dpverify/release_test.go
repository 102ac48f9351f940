package main

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/testutil"
)

func source(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// constant returns the value of a string constant in .ci/release.go.
func constant(t *testing.T, name string) string {
	t.Helper()
	found := regexp.MustCompile(`\b` + name + ` += +"(.*)"\n`).FindStringSubmatch(strings.ReplaceAll(source(t, ".ci/release.go"), `" + module + "`, "github.com/dpverify/dpverify"))
	if found == nil {
		t.Fatalf(".ci/release.go has no constant %s", name)
	}
	return found[1]
}

// GoReleaser, the container and .ci/release.go build the same binary.
func TestReleasesAgree(t *testing.T) {
	var g struct {
		Builds []struct {
			Main, Binary                      string
			Env, Goos, Goarch, Flags, Ldflags []string
		}
	}
	parse(t, ".goreleaser.yaml", &g)
	if len(g.Builds) != 1 {
		t.Fatalf("%d builds", len(g.Builds))
	}
	b := g.Builds[0]
	var platforms []string
	for _, system := range b.Goos {
		for _, processor := range b.Goarch {
			platforms = append(platforms, system+"/"+processor)
		}
	}
	if got, want := strings.Join(platforms, " "), constant(t, "all"); got != want {
		t.Errorf("GoReleaser builds for %s, want %s", got, want)
	}
	ldflags := constant(t, "ldflags")
	if want := []string{ldflags + "v{{ .Version }}"}; !slices.Equal(b.Ldflags, want) || !slices.Equal(b.Env, []string{"CGO_ENABLED=0"}) {
		t.Errorf("GoReleaser links with %q in %q, want %q", b.Ldflags, b.Env, want)
	}
	quoted := `"` + strings.Join(b.Flags, `", "`) + `"`
	for path, want := range map[string][]string{
		".ci/release.go":    {quoted, "CGO_ENABLED=0"},
		".ci/Containerfile": {strings.Join(b.Flags, " "), ldflags + "${VERSION}", "CGO_ENABLED=0"},
	} {
		for _, w := range want {
			if !strings.Contains(source(t, path), w) {
				t.Errorf("%s lacks %s", path, w)
			}
		}
	}
	variable := ldflags[strings.LastIndex(ldflags, "/")+1 : len(ldflags)-1] // cli.buildVersion
	pkg, name, _ := strings.Cut(variable, ".")
	if !strings.Contains(source(t, "cmd/"+pkg+"/version.go"), "\nvar "+name+" string\n") {
		t.Errorf("the linker sets %s, which is not a variable", variable)
	}
}

// The container contains only the binary, runs as an unprivileged user, and names no registry.
func TestContainerfile(t *testing.T) {
	text := regexp.MustCompile(`\\\n\s*`).ReplaceAllString(source(t, ".ci/Containerfile"), "")
	stages := map[string]bool{"scratch": true}
	var from, user, entry string
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "", "#":
		case "FROM":
			image, as, named := strings.Cut(rest, " AS ")
			if host, _, ok := strings.Cut(image, "/"); ok && strings.ContainsAny(host, ".:") {
				t.Errorf("%s names the registry %s", line, host)
			}
			if from, user, entry = image, "", ""; named {
				stages[as] = true
			}
		case "COPY":
			stage := regexp.MustCompile(`--from=(\S+)`).FindStringSubmatch(rest)
			if stage != nil && !stages[stage[1]] {
				t.Errorf("%s copies from an unknown stage", line)
			}
		case "USER":
			user = rest
		case "ENTRYPOINT":
			entry = rest
		case "RUN", "WORKDIR", "ARG", "CMD":
		default:
			t.Errorf("unexpected instruction %q", word)
		}
	}
	var command []string
	if err := json.Unmarshal([]byte(entry), &command); err != nil || len(command) != 1 || from != "scratch" || !regexp.MustCompile(`^[1-9]\d*:[1-9]\d*$`).MatchString(user) {
		t.Errorf("the last stage has base %s, user %s and entry point %s", from, user, entry)
	}
	docker, err := exec.LookPath("docker")
	if !testutil.Asked() || err != nil || exec.Command(docker, "info").Run() != nil {
		t.Logf("the container is not built: that needs docker, a network and %s", testutil.Variable)
		return
	}
	for _, args := range [][]string{{"build", "-f", ".ci/Containerfile", "-t", "dpverify-test", "."}, {"run", "--rm", "--read-only", "--network", "none", "dpverify-test", "version"}} {
		c := exec.Command(docker, args...)
		c.Dir = root
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("docker %q: %v\n%s", args, err, out)
		}
	}
}

// goRun runs a Go program in .ci.
func goRun(args ...string) (string, error) {
	c := exec.Command("go", append([]string{"run"}, args...)...)
	c.Dir = root
	out, err := c.CombinedOutput()
	return string(out), err
}

// .ci/release.go rejects an invalid release before it builds.
func TestReleaseErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles: skipped by -short")
	}
	for _, args := range [][]string{{"-version", "1.2"}, {"-version", "v1.2.3", "-o", t.TempDir()}} {
		if out, err := goRun(append([]string{".ci/release.go"}, args...)...); err == nil || !strings.Contains(out, "release: ") {
			t.Errorf("%q: %v, %s", args, err, out)
		}
	}
}

// For one platform, .ci/release.go builds the same bytes twice, in two directories, with the expected files.
func TestRelease(t *testing.T) {
	if !testutil.Asked() {
		t.Skipf("compiles everything twice: set %s", testutil.Variable)
	}
	if changed, err := exec.Command("git", "-C", root, "status", "--porcelain").Output(); err != nil || len(changed) > 0 {
		t.Skipf("the second build uses the committed sources, and there are uncommitted changes:\n%s(%v)", changed, err)
	}
	dist, platform := filepath.Join(t.TempDir(), "dist"), runtime.GOOS+"/"+runtime.GOARCH
	if out, err := goRun(".ci/release.go", "-version", "v1.2.3", "-o", dist, "-platforms", platform, "-twice"); err != nil || !strings.Contains(out, "the same bytes") {
		t.Fatalf("%v\n%s", err, out)
	}
	sums, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(sums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		b, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil || sum != fmt.Sprintf("%x", sha256.Sum256(b)) {
			t.Errorf("%s has a wrong checksum (%v)", name, err)
		}
	}
	name := filepath.Join(dist, "dpverify_1.2.3_"+strings.ReplaceAll(platform, "/", "_"))
	var bom struct {
		BomFormat  string
		Components []struct{ Name, Version string }
	}
	b, err := os.ReadFile(name + ".cdx.json")
	if err != nil || json.Unmarshal(b, &bom) != nil || bom.BomFormat != "CycloneDX" || len(bom.Components) < 10 {
		t.Errorf("the bill of materials is %s (%v)", b, err)
	}
	for _, c := range bom.Components {
		if c.Name != "std" && !strings.Contains(source(t, "go.mod"), c.Name+" "+c.Version) {
			t.Errorf("go.mod does not require %s %s", c.Name, c.Version)
		}
	}
	if runtime.GOOS == "windows" {
		return // the archive is a zip
	}
	files := unpack(t, name+".tar.gz")
	for _, want := range []string{"dpverify", "README.md", "LICENSE", "man/man1/dpverify.1", "man/man1/dpverify-audit.1", "man/man7/dpverify.7", "completions/bash/dpverify", "completions/zsh/_dpverify"} {
		if len(files[want]) == 0 {
			t.Errorf("the archive lacks %s", want)
		}
	}
	binary := filepath.Join(t.TempDir(), "dpverify")
	if err := os.WriteFile(binary, files["dpverify"], 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(binary, "version").Output(); err != nil || !strings.HasPrefix(string(out), "dpverify v1.2.3 go") {
		t.Errorf("version: %s (%v)", out, err)
	}
	if chroot, err := exec.LookPath("chroot"); err == nil && runtime.GOOS == "linux" && os.Geteuid() == 0 {
		// As in a container: only the binary, and an unprivileged user.
		empty := t.TempDir()
		if err := os.WriteFile(filepath.Join(empty, "dpverify"), files["dpverify"], 0o755); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(chroot, "--userspec=65532:65532", empty, "/dpverify", "list", "prestige").CombinedOutput(); err != nil || !strings.Contains(string(out), "prestige/lemma-2") {
			t.Errorf("in a root with only the binary: %v\n%s", err, out)
		}
	}
	if at, err := filepath.Abs(root); err == nil && strings.Contains(string(files["dpverify"]), at) {
		t.Errorf("the binary contains the path %s", at)
	}
}

func unpack(t *testing.T, path string) map[string][]byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(z); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		} else if err != nil {
			t.Fatal(err)
		}
		if files[head.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}
