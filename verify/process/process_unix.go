//go:build unix

package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// ownGroup gives a command a process group, so that it ends with its children.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// watchdog kills the process groups that are left when this process has been killed, which
// cannot do it then: a shell whose input ends with this process. It is told of each group
// that begins and ends.
type watchdog struct {
	mu sync.Mutex
	to *os.File // its input; nil before the first group, and where there is no shell
}

var guard watchdog

// watchdogScript keeps a list of groups, by blanks on both sides, and kills what is on it at the end.
const watchdogScript = `while read -r what group; do
case $what in
begins) all="$all $group " ;;
ends) all="${all%%" $group "*}${all#*" $group "}" ;;
esac
done
for group in $all; do kill -s KILL -- "-$group"; done`

// ready starts the watchdog, so that a group is watched as soon as there is one.
func (w *watchdog) ready() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to == nil {
		w.start()
	}
}

// watch kills the group should this process die. Without a shell nothing does.
func (w *watchdog) watch(group int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to != nil {
		w.tell("begins", group)
	}
}

func (w *watchdog) release(group int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to != nil {
		w.tell("ends", group)
	}
}

// tell is of no use where the watchdog was killed: another one is started for the next group.
func (w *watchdog) tell(what string, group int) {
	if _, err := fmt.Fprintf(w.to, "%s %d\n", what, group); err != nil {
		_ = w.to.Close()
		w.to = nil
	}
}

func (w *watchdog) start() {
	shell := exec.Command("/bin/sh", "-c", watchdogScript)
	ownGroup(shell) // a signal from the terminal is not meant for it
	end, to, err := os.Pipe()
	if err != nil {
		return
	}
	shell.Stdin = end
	if err = errors.Join(shell.Start(), end.Close()); err != nil {
		_ = to.Close()
		return
	}
	go func() { _ = shell.Wait() }()
	w.to = to
}

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
