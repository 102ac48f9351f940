package cli

import (
	"errors"
	"regexp"
	"runtime/debug"
	"testing"
)

// Two builds without a version are distinguished; a release and a clean revision are the same on every machine.
func TestSources(t *testing.T) {
	stamped := func(settings ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return info
	}
	clean := stamped("vcs.revision", "0123456789abcdef", "vcs.modified", "false")
	replaced := stamped("vcs.revision", "0123456789abcdef", "vcs.modified", "false")
	replaced.Deps = []*debug.Module{{Path: "x", Version: "v1.0.0", Replace: &debug.Module{Path: "../x"}}}
	workspace := stamped("vcs.revision", "0123456789abcdef", "vcs.modified", "false")
	workspace.Deps = []*debug.Module{{Path: "x", Version: "(devel)"}}
	for _, c := range []struct {
		version string
		info    *debug.BuildInfo
		want    string
		reason  string
	}{
		{"v1.2.3", nil, "v1.2.3", "a release"},
		{"v0.0.0-20260102030405-0123456789ab", clean, "v0.0.0-20260102030405-0123456789ab", "go build in a clone"},
		{"v0.0.0-20260102030405-0123456789ab+dirty", clean, "v0.0.0-20260102030405-0123456789ab+dirty (build feedfeedfeed)",
			"with changes, of which there are many"},
		{"devel", clean, "devel (revision 0123456789ab)", "a revision"},
		{"devel", stamped("vcs.revision", "0123456789abcdef", "vcs.modified", "true"), "devel (build feedfeedfeed)", "changed since"},
		{"devel", stamped(), "devel (build feedfeedfeed)", "go run in a clone"},
		{"devel", nil, "devel (build feedfeedfeed)", "without modules"},
		{"devel", replaced, "devel (build feedfeedfeed)", "a module from a directory"},
		{"devel", workspace, "devel (build feedfeedfeed)", "a module of a workspace"},
	} {
		looked := 0
		got := sourcesOf(c.version, c.info, func() (string, error) { looked++; return "feedfeedfeedfeed", nil })
		if got != c.want || looked > 1 {
			t.Errorf("%s: %q, want %q; the program was read %d times", c.reason, got, c.want, looked)
		}
		if (c.want == c.version || c.reason == "a revision") && looked > 0 {
			t.Errorf("%s: the program is read for nothing", c.reason)
		}
	}
	if got := sourcesOf("devel", nil, func() (string, error) { return "", errors.New("no file") }); got != "devel (unknown build)" {
		t.Errorf("%q", got)
	}
	if got := sourcesVersion("devel"); !regexp.MustCompile(`^devel \((build|revision) [0-9a-f]{12}\)$`).MatchString(got) || got != sourcesVersion("devel") {
		t.Errorf("this test is of %q", got)
	}
}
