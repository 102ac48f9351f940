package cli

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	module := func(v string) *debug.BuildInfo { return &debug.BuildInfo{Main: debug.Module{Version: v}} }
	for _, c := range []struct {
		linked string
		info   *debug.BuildInfo
		want   string
		reason string
	}{
		{"v1.2.3", module("v1.0.0"), "v1.2.3", "a release knows best"},
		{"", module("v1.0.0"), "v1.0.0", "go install of a version"},
		{"", module("(devel)"), "devel", "go run in a clone"},
		{"", module(""), "devel", "a test binary"},
		{"", nil, "devel", "built without modules"},
	} {
		if got := versionOf(c.linked, c.info); got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestDescription(t *testing.T) {
	stamped := &debug.BuildInfo{Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.time", Value: "2026-01-02T03:04:05Z"}, {Key: "vcs.modified", Value: "true"}}}
	got := versionText("dpverify", "v1.2.3", stamped)
	first, rest, _ := strings.Cut(got, "\n")
	if !strings.HasPrefix(first, "dpverify v1.2.3 go") || rest != "revision abc of 2026-01-02T03:04:05Z with uncommitted changes\n" {
		t.Errorf("described as %q", got)
	}
	for _, info := range []*debug.BuildInfo{nil, {}} {
		if got := versionText("dpverify", "devel", info); strings.Count(got, "\n") != 1 {
			t.Errorf("without a revision: %q", got)
		}
	}
}
