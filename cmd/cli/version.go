package cli

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// buildVersion is set by the linker in a release:
//
//	-X github.com/dpverify/dpverify/cmd/cli.buildVersion=v1.2.3
var buildVersion string

// develVersion is the version of a build without one.
const develVersion = "devel"

// programVersion returns the version of the release, or of the module if “go install” built it, or else “devel”.
func programVersion() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(buildVersion, info)
}

func versionOf(linked string, info *debug.BuildInfo) string {
	switch {
	case linked != "":
		return linked
	case info != nil && info.Main.Version != "" && info.Main.Version != "(devel)":
		return info.Main.Version
	}
	return develVersion
}

// versionCommand returns the command “version”.
func versionCommand(version string) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of dpverify, its toolchain and its sources",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			info, _ := debug.ReadBuildInfo()
			_, err := io.WriteString(c.OutOrStdout(), versionText("dpverify", version, info))
			return err
		},
	}
}

// versionText returns a line with the versions of the program and of Go and the platform. A second line has the
// revision of the sources if the build recorded it.
func versionText(program, version string, info *debug.BuildInfo) string {
	text := fmt.Sprintf("%s %s %s %s/%s\n", program, version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if info == nil {
		return text
	}
	settings := make(map[string]string)
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	if revision == "" {
		return text
	}
	words := []string{"revision " + revision}
	if date := settings["vcs.time"]; date != "" {
		words = append(words, "of "+date)
	}
	if settings["vcs.modified"] == "true" {
		words = append(words, "with uncommitted changes")
	}
	return text + strings.Join(words, " ") + "\n"
}
