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

// startLinked starts a command that the system kills when this process dies. It does so when
// the thread that started it ends, too: one thread starts all and never ends.
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

// limitMemory bounds what a process, and each of those it starts, may have of memory of
// its own that can be written: RLIMIT_DATA, which leaves out address space that is only
// reserved, as many runtimes do by the gigabyte. One that is gone is no error.
func limitMemory(pid int, most int64) error {
	limit := unix.Rlimit{Cur: uint64(most), Max: uint64(most)}
	if err := unix.Prlimit(pid, unix.RLIMIT_DATA, &limit, nil); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("its memory cannot be limited: %w", err)
	}
	return nil
}

// killMarked kills every process whose environment begins a variable as mark does: what
// has left the process group of the command that was started with it, but has kept its
// environment. It looks again until there is none: one may have started another.
func killMarked(mark string) {
	for range 20 {
		if !killOnce([]byte(mark)) {
			return
		}
	}
}

func killOnce(mark []byte) (found bool) {
	// A process that is not ours, or is gone, cannot be read.
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

// environOf is the environment of a process, a zero byte before each variable. It is read by
// the system's own calls: at the end of every child those of all processes are, and a file
// of the os package takes twice as many.
func environOf(pid int) []byte {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/environ", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = unix.Close(fd) }() // nothing was written
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
