package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// startLinked starts a command that the kernel kills when this process dies. The kernel also kills it when the thread
// that started it ends, so one thread that never ends starts all commands.
func startLinked(cmd *exec.Cmd) error {
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	done := make(chan error)
	starter() <- func() { done <- startWatched(cmd) }
	return <-done
}

var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// limitMemory limits the private writable memory of a process and of each of its descendants to a number of bytes
// (RLIMIT_DATA). Address space that is only reserved does not count: many runtimes reserve gigabytes. A process that is
// gone is not an error.
func limitMemory(pid int, bytes int64) error {
	limit := unix.Rlimit{Cur: uint64(bytes), Max: uint64(bytes)}
	if err := unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("its memory cannot be limited: %w", err)
	}
	return nil
}

// killMarked kills every process with a variable that begins with mark. They left the process group of the command but
// kept its environment. The search is repeated until it finds none, since a killed process may have started another.
func killMarked(mark string) {
	for range 20 {
		if !killOnce([]byte(mark)) {
			return
		}
	}
}

// killOnce searches all processes once, and reports whether it killed one.
func killOnce(mark []byte) (found bool) {
	// Processes of other users, and processes that are gone, cannot be read and are skipped.
	names, _ := os.ReadDir("/proc")
	variable := append([]byte{0}, mark...)
	for _, name := range names {
		pid, err := strconv.Atoi(name.Name())
		if err != nil || pid == os.Getpid() || !bytes.Contains(environOf(pid), variable) {
			continue
		}
		found = syscall.Kill(pid, syscall.SIGKILL) == nil || found
	}
	return found
}

// environOf returns the environment of a process with a zero byte before each variable, nil if it cannot be read. It
// uses system calls, because every child that ends causes a search of all processes, and package os needs twice as many
// calls.
func environOf(pid int) []byte {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/environ", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = unix.Close(fd) }() // opened only for reading
	out := make([]byte, 1, 1<<14)
	for {
		out = slices.Grow(out, 1<<13)
		n, err := unix.Read(fd, out[len(out):cap(out)])
		if n <= 0 || err != nil {
			return out
		}
		out = out[:len(out)+n]
	}
}
