//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// ownGroup does nothing where there are no process groups.
func ownGroup(*exec.Cmd) {}

// guard does nothing where there are no process groups: what reads its input sees that it
// ends when this process dies.
var guard watchdog

type watchdog struct{}

func (watchdog) ready()      {}
func (watchdog) watch(int)   {}
func (watchdog) release(int) {}

// killGroup kills the command alone; one that is gone is no error.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

// pending cannot tell here: a line too many is seen once it is read together with another.
func pending(*os.File) bool { return false }
