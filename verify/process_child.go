package verify

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	maxReply  = 64 << 20 // bytes of one reply
	maxStderr = 4 << 10  // bytes of stderr that are kept: the last ones
	// endGrace is how long a process may take to end once its input has ended, and
	// to die of what made it stop answering.
	endGrace = time.Second
)

// child is one running process, with a process group of its own.
type child struct {
	cmd     *exec.Cmd
	in      *os.File // its standard input
	out     *os.File // its standard output
	lines   *bufio.Reader
	stderr  *tailWriter
	exited  chan struct{} // closed once it is gone; then its state is known
	replies int           // that were usable
	killing sync.Once
}

func startChild(cmd *exec.Cmd) (*child, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, childIn.Close(), in.Close())
	}
	c := &child{cmd: cmd, in: in, out: out, lines: bufio.NewReaderSize(out, 1<<16), stderr: &tailWriter{}, exited: make(chan struct{})}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = childIn, childOut, c.stderr
	cmd.WaitDelay = endGrace // for whoever else holds its stderr
	ownGroup(cmd)
	err = cmd.Start()
	childErr := errors.Join(childIn.Close(), childOut.Close())
	if err != nil || childErr != nil {
		return nil, errors.Join(err, childErr, in.Close(), out.Close())
	}
	go func() {
		// The state tells how it ended; what it left running goes with it.
		_ = cmd.Wait()
		killGroup(cmd)
		close(c.exited)
	}()
	return c, nil
}

// request is a line to the process.
type request struct {
	Input json.RawMessage `json:"input"`
	N     int             `json:"n"`
	Seed  uint64          `json:"seed"`
}

// ask sends a request and returns the n outputs of the reply.
func (c *child) ask(input json.RawMessage, n int, seed uint64, timeout time.Duration) ([]any, error) {
	line, err := json.Marshal(request{input, n, seed})
	if err != nil {
		return nil, err
	}
	alarm := time.AfterFunc(timeout, c.kill)
	_, writeErr := c.in.Write(append(line, '\n'))
	reply, err := c.readLine()
	inTime := alarm.Stop()
	switch {
	case !inTime:
		return nil, c.failure(fmt.Sprintf("gave no reply within %v to request %d and was killed (does it flush its output after each line?)", timeout, c.replies+1))
	case errors.Is(err, errTooLong):
		return nil, c.failure(fmt.Sprintf("wrote more than %d MB in one line", maxReply>>20))
	case err != nil || writeErr != nil:
		return nil, c.died()
	}
	values, err := parseReply(reply, n)
	if err != nil {
		return nil, c.failure(fmt.Sprintf("gave an unusable reply to request %d: %v", c.replies+1, err))
	}
	c.replies++
	return values, nil
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
		killGroup(c.cmd)
		// What escaped from the group may hold the other ends. A pipe that is closed
		// twice is none of our worries.
		_ = c.in.Close()
		_ = c.out.Close()
	})
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

// parseReply reads the outputs of a reply; each value is checked.
func parseReply(line []byte, n int) ([]any, error) {
	var reply struct {
		Outputs *[]any `json:"outputs"`
	}
	if err := json.Unmarshal(line, &reply); err != nil {
		hint := ""
		if bytes.Contains(line, []byte("NaN")) || bytes.Contains(line, []byte("Infinity")) {
			hint = `; numbers that are not finite are written "nan", "inf" and "-inf"`
		}
		return nil, fmt.Errorf("%s is not {\"outputs\": […]}: %w%s", excerpt(line), err, hint)
	}
	if reply.Outputs == nil {
		return nil, fmt.Errorf("%s has no \"outputs\"", excerpt(line))
	}
	if len(*reply.Outputs) != n {
		return nil, fmt.Errorf("it holds %d outputs, want %d", len(*reply.Outputs), n)
	}
	for i, v := range *reply.Outputs {
		if err := checkValue(v); err != nil {
			return nil, fmt.Errorf("output %d: %w", i+1, err)
		}
	}
	return *reply.Outputs, nil
}

func checkValue(v any) error {
	switch v := v.(type) {
	case map[string]any:
		return errors.New("an object is no value: want a number, a string, a boolean, null or an array of values")
	case []any:
		for _, e := range v {
			if err := checkValue(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// excerpt quotes the beginning of a line.
func excerpt(line []byte) string {
	const most = 60
	s := strings.TrimSpace(strings.ToValidUTF8(string(line[:min(len(line), 4*most)]), "\uFFFD"))
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// tailWriter keeps the last bytes written to it.
type tailWriter struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tailWriter) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-maxStderr):]...)
	if over := len(t.kept) - maxStderr; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

func (t *tailWriter) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "\uFFFD"))
}

var _ io.Writer = (*tailWriter)(nil)
