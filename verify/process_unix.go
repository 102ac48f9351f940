//go:build unix

package verify

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a command a process group, so that it ends with its children.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the group of a command; one that is gone is no error.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
