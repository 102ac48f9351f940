package process

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dpverify/dpverify/verify/outputs"
)

const (
	maxReply  = 64 << 20 // bytes of one reply
	maxStderr = 4 << 10  // bytes of stderr that are kept: the first and the last ones
	// endGrace is how long a process may take to end once its input has ended, and
	// to die of what made it stop answering.
	endGrace = time.Second
	// killGrace is the time after which a process that was killed is waited for in vain, because one that left its
	// group holds its standard error.
	killGrace = 50 * time.Millisecond
)

// child is one running process, with a process group of its own.
type child struct {
	cmd     *exec.Cmd
	in      *os.File // its standard input
	out     *os.File // its standard output
	lines   *bufio.Reader
	stderr  *endsWriter
	exited  chan struct{} // closed once it is gone; then its state is known
	replies int           // that were usable
	mark    string        // in the environment of it and of its children
	killing sync.Once
}

// markVariable tells in the environment of a process whose child it is, so that what
// leaves its process group can be found. A dpverify within another adds to it.
const markVariable = "DPVERIFY_PROCESS"

var started atomic.Int64

// startChild starts a command that may have so many bytes of memory.
func startChild(cmd *exec.Cmd, memory int64) (*child, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	c := &child{cmd: cmd, in: in, out: out, lines: bufio.NewReaderSize(out, 1<<16), stderr: &endsWriter{},
		exited: make(chan struct{})}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, c.stderr
	cmd.WaitDelay = endGrace // for whoever else holds its stderr
	ownGroup(cmd)
	c.mark = fmt.Sprintf("%s=%s%d.%d:", markVariable, os.Getenv(markVariable), os.Getpid(), started.Add(1))
	cmd.Env = append(cmd.Environ(), c.mark)
	err = startLinked(cmd)
	childErr := errors.Join(childIn.Close(), childOut.Close())
	if err != nil || childErr != nil {
		return nil, errors.Join(err, childErr, in.Close(), out.Close())
	}
	go func() {
		// The state tells how it ended; what it left running goes with it.
		_ = cmd.Wait()
		killGroup(cmd)
		killMarked(c.mark)
		guard.release(cmd.Process.Pid)
		close(c.exited)
	}()
	if err := limitMemory(cmd.Process.Pid, memory); err != nil {
		c.kill()
		return nil, err
	}
	return c, nil
}

// request is a line to the process.
type request struct {
	Input json.RawMessage `json:"input"`
	N     int             `json:"n"`
	Seed  *uint64         `json:"seed,omitempty"` // nil where it takes none
	// Record asks for the calls of primitives, Replay for what they are to release; see [Replayer].
	Record bool  `json:"record,omitempty"`
	Replay []any `json:"replay,omitempty"`
}

// ask sends a request and returns the n outputs of the reply.
func (c *child) ask(input json.RawMessage, n int, seed *uint64, timeout time.Duration) ([]any, error) {
	values, _, err := c.exchange(request{Input: input, N: n, Seed: seed}, timeout)
	return values, err
}

// exchange sends a request and returns the outputs, with the whole reply.
func (c *child) exchange(r request, timeout time.Duration) (values []any, reply []byte, err error) {
	line, err := json.Marshal(r)
	if err != nil {
		return nil, nil, err
	}
	if c.lines.Buffered() > 0 || pending(c.out) {
		return nil, nil, c.failure(fmt.Sprintf("wrote more than one line in reply to request %d: what answers which "+
			"request is not known", c.replies))
	}
	asked := time.Now()
	alarm := time.AfterFunc(timeout, c.kill)
	_, writeErr := c.in.Write(append(line, '\n'))
	reply, err = c.readLine()
	inTime := alarm.Stop()
	switch {
	case !inTime:
		return nil, nil, c.failure(fmt.Sprintf("gave no reply within %v to request %d and was killed (does it flush its "+
			"output after each line?)", timeout, c.replies+1))
	case errors.Is(err, errTooLong):
		return nil, nil, c.failure(fmt.Sprintf("wrote more than %d MB in one line", maxReply>>20))
	case err != nil || writeErr != nil:
		return nil, nil, c.died()
	}
	values, err = outputs.ParseReply(reply, r.N)
	if err != nil {
		return nil, nil, c.failure(fmt.Sprintf("gave an unusable reply to request %d: %v", c.replies+1, err))
	}
	if took := time.Since(asked); took > timeout {
		return nil, nil, c.failure(fmt.Sprintf("gave a reply to request %d of %d bytes that took %v to arrive and "+
			"to be read, longer "+
			"than the timeout of %v: give shorter outputs, or more time", c.replies+1, len(reply),
			took.Round(time.Millisecond), timeout))
	}
	c.replies++
	return values, reply, nil
}

var errTooLong = errors.New("line too long")

func (c *child) readLine() ([]byte, error) {
	var line []byte
	for {
		part, err := c.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxReply:
			return nil, errTooLong
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// died says how the process ended by itself.
func (c *child) died() error {
	how := "closed its output"
	select {
	case <-c.exited:
		how = fmt.Sprintf("ended (%v)", c.cmd.ProcessState)
	case <-time.After(endGrace):
	}
	if c.replies == 0 {
		return c.failure(how + " before its first reply")
	}
	return c.failure(fmt.Sprintf("%s after %d replies", how, c.replies))
}

// failure ends the process, so that all it had to say is known, and quotes its stderr.
func (c *child) failure(what string) error {
	c.kill()
	<-c.exited
	if said := c.stderr.String(); said != "" {
		what += "; its stderr: " + said
	}
	return errors.New(what)
}

// kill ends the process and its children at once.
func (c *child) kill() {
	c.killing.Do(func() {
		select {
		case <-c.exited: // with all that it left
		default:
			killGroup(c.cmd)
			go c.killEscaped()
		}
		// What escaped from the group may hold the other ends. A pipe that is closed
		// twice is none of our worries.
		_ = c.in.Close()
		_ = c.out.Close()
	})
}

// killEscaped kills what has left the group of a process that was killed, if the process is not gone soon. Otherwise
// whoever waits for the process does so. To look for it takes longer than to start most programs.
func (c *child) killEscaped() {
	select {
	case <-c.exited:
	case <-time.After(killGrace):
		killMarked(c.mark)
	}
}

// end closes its input, and kills it if that is not enough.
func (c *child) end() {
	_ = c.in.Close() // it may be gone already
	select {
	case <-c.exited:
	case <-time.After(endGrace):
	}
	c.kill()
	<-c.exited
}

// endsWriter keeps the first and the last bytes written to it: some languages tell at
// the beginning what went wrong, and others at the end.
type endsWriter struct {
	mu    sync.Mutex
	first []byte
	last  []byte
	cut   bool // there was more in between
}

func (w *endsWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(p)
	room := min(n, maxStderr/4-len(w.first))
	w.first, p = append(w.first, p[:room]...), p[room:]
	const most = maxStderr - maxStderr/4
	w.cut = w.cut || len(w.last)+len(p) > most
	w.last = append(w.last, p[max(0, len(p)-most):]...)
	if over := len(w.last) - most; over > 0 {
		w.last = append(w.last[:0], w.last[over:]...)
	}
	return n, nil
}

func (w *endsWriter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	between := ""
	if w.cut {
		between = " … "
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(w.first)+between+string(w.last), "\uFFFD"))
}

var _ io.Writer = (*endsWriter)(nil)

// startWatched starts a command in a group that is watched at once: this process may be killed at any time.
func startWatched(cmd *exec.Cmd) error {
	guard.ready()
	err := cmd.Start()
	if err == nil {
		guard.watch(cmd.Process.Pid)
	}
	return err
}
