//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup gives a command a process group, so that it ends with its children.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the group of a command; one that is gone is no error.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// pending tells whether there is something to read in a pipe, at once; that byte is lost.
func pending(pipe *os.File) bool {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return false // it was closed: reading will say so
	}
	n := 0
	err = raw.Read(func(fd uintptr) bool {
		n, _ = syscall.Read(int(fd), make([]byte, 1)) // which does not wait: Go opens its pipes so
		return true
	})
	return err == nil && n > 0
}
