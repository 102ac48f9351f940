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
	maxStderr = 4 << 10  // bytes of standard error that are kept, from its beginning and its end
	// endGrace is the time that a process has to end after its input or its output was closed.
	endGrace = time.Second
	// killGrace is the time that a killed process has to end. If it takes longer, a process outside its group holds its
	// standard error.
	killGrace = 50 * time.Millisecond
)

// child is one running process in its own process group.
type child struct {
	cmd     *exec.Cmd
	in      *os.File // its standard input
	out     *os.File // its standard output
	lines   *bufio.Reader
	stderr  *endsWriter
	exited  chan struct{} // closed when the process is gone and its state is known
	replies int           // number of usable replies
	mark    string        // environment variable of the process and of its descendants
	killing sync.Once
}

// markVariable is the environment variable by which descendants outside the process group are found. If dpverify runs
// within dpverify, the inner one appends to its value.
const markVariable = "DPVERIFY_PROCESS"

var started atomic.Int64

// startChild starts a command with the given memory limit, in bytes.
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
	cmd.WaitDelay = endGrace // other processes may hold its standard error
	ownGroup(cmd)
	c.mark = fmt.Sprintf("%s=%s%d.%d:", markVariable, os.Getenv(markVariable), os.Getpid(), started.Add(1))
	cmd.Env = append(cmd.Environ(), c.mark)
	err = startLinked(cmd)
	childErr := errors.Join(childIn.Close(), childOut.Close())
	if err != nil || childErr != nil {
		return nil, errors.Join(err, childErr, in.Close(), out.Close())
	}
	go func() {
		_ = cmd.Wait() // cmd.ProcessState holds the result
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

// request is one line to the process.
type request struct {
	Input json.RawMessage `json:"input"`
	N     int             `json:"n"`
	Seed  *uint64         `json:"seed,omitempty"` // nil if the process takes no seed
	// Record requests the list of calls of primitives. Replay holds the values that they must release; see [Replayer].
	Record bool  `json:"record,omitempty"`
	Replay []any `json:"replay,omitempty"`
}

// ask sends a request and returns the n outputs of the reply.
func (c *child) ask(input json.RawMessage, n int, seed *uint64, timeout time.Duration) ([]any, error) {
	values, _, err := c.exchange(request{Input: input, N: n, Seed: seed}, timeout)
	return values, err
}

// exchange sends a request and returns the outputs and the text of the reply.
func (c *child) exchange(r request, timeout time.Duration) (values []any, reply []byte, err error) {
	line, err := json.Marshal(r)
	if err != nil {
		return nil, nil, err
	}
	sent := time.Now()
	if reply, err = c.roundTrip(line, timeout); err != nil {
		return nil, nil, err
	}
	values, err = outputs.ParseReply(reply, r.N)
	if err != nil {
		return nil, nil, c.failure(fmt.Sprintf("gave an unusable reply to request %d: %v", c.replies+1, err))
	}
	if took := time.Since(sent); took > timeout {
		return nil, nil, c.failure(fmt.Sprintf("gave a reply of %d bytes to request %d that took %v to arrive and to be "+
			"read, longer than the timeout of %v: return shorter outputs, or set a longer timeout", len(reply),
			c.replies+1, took.Round(time.Millisecond), timeout))
	}
	c.replies++
	return values, reply, nil
}

// roundTrip sends one line and returns the line of the reply. After an error the process is gone.
func (c *child) roundTrip(line []byte, timeout time.Duration) (reply []byte, err error) {
	if c.lines.Buffered() > 0 || pending(c.out) {
		return nil, c.failure(fmt.Sprintf("wrote more than one line in reply to request %d, so that later lines "+
			"cannot be matched to requests: write exactly one line per request", c.replies))
	}
	alarm := time.AfterFunc(timeout, c.kill)
	_, writeErr := c.in.Write(append(line, '\n'))
	reply, err = c.readLine()
	inTime := alarm.Stop()
	switch {
	case !inTime:
		return nil, c.failure(fmt.Sprintf("gave no reply within %v to request %d and was killed (does it flush its "+
			"output after each line?)", timeout, c.replies+1))
	case errors.Is(err, errTooLong):
		return nil, c.failure(fmt.Sprintf("wrote more than %d MB in one line in reply to request %d: return shorter "+
			"outputs", maxReply>>20, c.replies+1))
	case err != nil || writeErr != nil:
		return nil, c.died()
	}
	return reply, nil
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

// died returns the error of a process that ended or closed its output by itself.
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

// failure ends the process, so that its standard error is complete, and returns the error with the standard error.
func (c *child) failure(message string) error {
	c.kill()
	<-c.exited
	if text := stderrText(c.stderr.String()); text != "" {
		message += "; its stderr: " + text
	}
	return errors.New(message)
}

// kill ends the process and its process group immediately.
func (c *child) kill() {
	c.killing.Do(func() {
		select {
		case <-c.exited: // its group and its marked descendants were killed then
		default:
			killGroup(c.cmd)
			go c.killEscaped()
		}
		// Processes outside the group may hold the other ends of the pipes. Errors of closing them twice are ignored.
		_ = c.in.Close()
		_ = c.out.Close()
	})
}

// killEscaped kills descendants outside the process group if a killed process does not end within killGrace. If it ends
// in time, the goroutine that waits for it kills them. The search takes longer than starting most programs.
func (c *child) killEscaped() {
	select {
	case <-c.exited:
	case <-time.After(killGrace):
		killMarked(c.mark)
	}
}

// end closes the input of the process, kills it if it does not end within endGrace, and waits until it is gone.
func (c *child) end() {
	_ = c.in.Close() // kill may have closed it
	select {
	case <-c.exited:
	case <-time.After(endGrace):
	}
	c.kill()
	<-c.exited
}

// endsWriter keeps the first and the last bytes written to it: some languages report the cause of a failure at the
// beginning, others at the end.
type endsWriter struct {
	mu    sync.Mutex
	first []byte
	last  []byte
	cut   bool // bytes between first and last were dropped
}

func (w *endsWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(p)
	room := min(n, maxStderr/4-len(w.first))
	w.first, p = append(w.first, p[:room]...), p[room:]
	const maxLast = maxStderr - maxStderr/4
	w.cut = w.cut || len(w.last)+len(p) > maxLast
	w.last = append(w.last, p[max(0, len(p)-maxLast):]...)
	if over := len(w.last) - maxLast; over > 0 {
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

// startWatched starts a command and registers its group with the watchdog, since this process may be killed at any
// time.
func startWatched(cmd *exec.Cmd) error {
	guard.ready()
	err := cmd.Start()
	if err == nil {
		guard.watch(cmd.Process.Pid)
	}
	return err
}
