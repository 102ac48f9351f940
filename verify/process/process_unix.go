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

// ownGroup starts a command in its own process group, so that its children can be killed with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// watchdog kills the remaining process groups after this process was killed. It is a shell whose input ends with this
// process. Each line of the input reports that a group begins or ends.
type watchdog struct {
	mu sync.Mutex
	to *os.File // input of the shell; nil before the first group, and if there is no shell
}

var guard watchdog

// watchdogScript keeps a list of groups with a blank on both sides of each. At the end of its input it kills them.
const watchdogScript = `while read -r what group; do
case $what in
begins) all="$all $group " ;;
ends) all="${all%%" $group "*}${all#*" $group "}" ;;
esac
done
for group in $all; do kill -s KILL -- "-$group"; done`

// ready starts the watchdog, so that the next group is watched from its start.
func (w *watchdog) ready() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to == nil {
		w.start()
	}
}

// watch registers a group, which is killed if this process dies. Without a shell it has no effect.
func (w *watchdog) watch(group int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to != nil {
		w.tell("begins", group)
	}
}

// release removes a group that has ended.
func (w *watchdog) release(group int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.to != nil {
		w.tell("ends", group)
	}
}

// tell writes a line to the watchdog. If the watchdog was killed, the next group starts another one.
func (w *watchdog) tell(event string, group int) {
	if _, err := fmt.Fprintf(w.to, "%s %d\n", event, group); err != nil {
		_ = w.to.Close()
		w.to = nil
	}
}

func (w *watchdog) start() {
	shell := exec.Command("/bin/sh", "-c", watchdogScript)
	ownGroup(shell) // signals from the terminal must not end it
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

// killGroup kills the process group of a command. It has no effect if the group is gone.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// pending reports, without waiting, whether a pipe holds a byte to read. It discards that byte.
func pending(pipe *os.File) bool {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return false // the pipe was closed, which reading reports
	}
	n := 0
	err = raw.Read(func(fd uintptr) bool {
		n, _ = syscall.Read(int(fd), make([]byte, 1)) // does not wait: Go opens pipes in nonblocking mode
		return true
	})
	return err == nil && n > 0
}
