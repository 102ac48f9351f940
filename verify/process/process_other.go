//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// ownGroup does nothing: the system has no process groups.
func ownGroup(*exec.Cmd) {}

// guard does nothing without process groups. The input of a child process ends when this process dies.
var guard watchdog

type watchdog struct{}

func (watchdog) ready()      {}
func (watchdog) watch(int)   {}
func (watchdog) release(int) {}

// killGroup kills only the command itself. It has no effect if the command is gone.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// pending always returns false: an extra line is detected only if it is read together with another line.
func pending(*os.File) bool { return false }
