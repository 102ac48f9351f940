package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dpverify/dpverify/verify/outputs"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/dependence"
)

// Process is a mechanism in any language: a command that reads one JSON request a
// line on its standard input and writes one JSON reply a line on its standard output,
//
//	{"input": …, "n": 256, "seed": 42}  →  {"outputs": [ … n values … ]}
//
// A value is a number, a string, a boolean, null, "nan", "inf" or "-inf" for the
// numbers of that name, an array of values or an object of them. Whole numbers keep all their digits, others
// are doubles; see [numeral.Parse]. The input is JSON, passed on as it is;
// n releases of it are wanted; the seed, below 2⁵³, differs from request to request
// and is drawn from the stream of the release. The command is run without a shell.
//
// A command is started when it is first needed, as often as there are concurrent
// releases, and answers requests until Close. An unusable reply is an error for good;
// so is a line that nobody asked for.
//
// It runs in a process group of its own, and is killed with the whole group; on Linux
// also what has left the group, unless it has cleared its environment. A reply is at
// most 64 MB, its arrays and objects are at most 64 deep, and the timeout covers reading it; of its
// standard error 4 kB are kept, from both ends, and on Linux its memory is limited. What it
// does to files, to the network and to processor time other than by the timeout is not: it
// runs with all rights of whoever runs it.
type Process struct {
	Command []string      // name and arguments; at least the name
	Dir     string        // working directory; "" is the current one
	Timeout time.Duration // longest time for one reply; 0 means DefaultReplyTimeout
	Memory  int64         // bytes that it, and each process it starts, may write to, on Linux; 0 means DefaultMemory
	// Seedless says that it has randomness of its own: requests hold no seed, and what is found can
	// not be repeated exactly.
	Seedless bool
	// Env lists the names of the environment variables that the command is started with, each with the value that it
	// has here. Names that are not set are left out. If Env is nil, the command inherits the whole environment.
	Env []string

	mu       sync.Mutex
	idle     []*child
	all      map[*child]bool
	closed   bool
	ending   sync.WaitGroup // children that Close ends
	protocol repliesSeen
	tape     atomic.Pointer[replyTape] // nil: replies are neither recorded nor played
}

// DefaultReplyTimeout bounds the time of one reply: a process that hangs is killed.
const DefaultReplyTimeout = 30 * time.Second

// DefaultMemory bounds the memory of a process that allocates without end.
const DefaultMemory = 4 << 30

// errClosed is what releases get after Close.
var errClosed = errors.New("the process was ended")

// Check names what is wrong with the process's parameters.
func (p *Process) Check() error {
	switch {
	case len(p.Command) == 0 || p.Command[0] == "":
		return errors.New("no command to run")
	case p.Timeout < 0:
		return fmt.Errorf("timeout %v: want a positive duration", p.Timeout)
	case p.Memory < 0:
		return fmt.Errorf("memory %d: want a positive number of bytes", p.Memory)
	}
	if err := CheckNames(p.Env); err != nil {
		return fmt.Errorf("environment: %w", err)
	}
	return nil
}

// Release returns one output.
func (p *Process) Release(r *rand.Rand, input json.RawMessage) (any, error) {
	out := make([]any, 1)
	err := p.ReleaseN(r, input, out)
	return out[0], err
}

// ReleaseN fills out with the reply to one request.
func (p *Process) ReleaseN(r *rand.Rand, input json.RawMessage, out []any) error {
	seed := r.Uint64() >> 11 // exact in a double, which is what many languages read
	tape := p.tape.Load()
	if tape != nil && tape.playing {
		return p.played(tape, input, seed, out)
	}
	c, err := p.take()
	if err != nil {
		return err
	}
	afresh := false
	if p.first(input) {
		afresh, err = p.repeat(c, input, seed, len(out))
	}
	var values []any
	if err == nil {
		values, err = p.ask(c, input, seed, len(out))
	}
	if err == nil {
		err = p.compareStarts(input, seed, values, afresh)
	}
	if err == nil {
		err = p.protocol.note(input, seed, values)
	}
	if err == nil && tape != nil {
		err = tape.record(input, seed, values)
	}
	if err != nil {
		p.drop(c)
		return p.named(err)
	}
	copy(out, values)
	p.giveBack(c)
	return nil
}

// played is ReleaseN from a tape.
func (p *Process) played(tape *replyTape, input json.RawMessage, seed uint64, out []any) error {
	p.first(input) // it was asked twice when the tape was made, and started anew
	p.protocol.compare(input, len(out))
	values, err := tape.play(input, seed, len(out))
	if err == nil {
		err = p.protocol.note(input, seed, values)
	}
	if err != nil {
		return p.named(err)
	}
	copy(out, values)
	return nil
}

// first tells whether this is the first release of an input.
func (p *Process) first(input json.RawMessage) bool { return p.protocol.first(input, p.Seedless) }

func (p *Process) named(err error) error {
	command := strings.Join(p.Command, " ")
	if dependent, ok := errors.AsType[*dependence.Error](err); ok {
		return &dependence.Error{Found: fmt.Sprintf("process %q: %s", command, dependent.Found)}
	}
	return fmt.Errorf("process %q: %w", command, err)
}

// repeat asks the same twice, and reports whether the randomness at a start is to be examined: a process without a
// seed has its own, and so has one whose replies differ.
func (p *Process) repeat(c *child, input json.RawMessage, seed uint64, n int) (afresh bool, err error) {
	var prints [2]uint64
	for i := range prints {
		reply, err := p.ask(c, input, seed, n)
		if err != nil {
			return false, err
		}
		prints[i] = outputs.DigestFingerprints(outputs.Fingerprints(reply))
	}
	return p.Seedless || prints[0] != prints[1] && p.protocol.warn(verify.UnseededProcess), nil
}

// Warnings are what is odd about the replies so far and no error.
func (p *Process) Warnings() []string { return p.protocol.list() }

// unseeded tells whether a word about the replies, or the process itself, says that it has
// randomness of its own.
func (p *Process) unseeded(warnings []string) bool {
	return p.Seedless || slices.Contains(warnings, verify.UnseededProcess)
}

// ask sends a request to a child.
func (p *Process) ask(c *child, input json.RawMessage, seed uint64, n int) ([]any, error) {
	if p.Seedless {
		return c.ask(input, n, nil, p.timeout())
	}
	return c.ask(input, n, &seed, p.timeout())
}

func (p *Process) timeout() time.Duration {
	if p.Timeout == 0 {
		return DefaultReplyTimeout
	}
	return p.Timeout
}

// take returns an idle child, or a new one.
func (p *Process) take() (*child, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	if last := len(p.idle) - 1; last >= 0 {
		c := p.idle[last]
		p.idle = p.idle[:last]
		return c, nil
	}
	return p.start()
}

// another starts a child, whether or not one is idle.
func (p *Process) another() (*child, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	return p.start()
}

// start starts a child, which is to be dropped or given back; p is locked.
func (p *Process) start() (*child, error) {
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	cmd.Dir = p.Dir
	cmd.Env = passed(cmd.Environ(), p.Env)
	memory := p.Memory
	if memory == 0 {
		memory = DefaultMemory
	}
	c, err := startChild(cmd, memory)
	if err != nil {
		return nil, fmt.Errorf("the process cannot be started: %w", err)
	}
	if p.all == nil {
		p.all = make(map[*child]bool)
	}
	p.all[c] = true
	return c, nil
}

func (p *Process) giveBack(c *child) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, c)
}

// drop ends a child that is of no more use.
func (p *Process) drop(c *child) {
	c.kill()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, c)
	if !p.closed { // otherwise Close ends it
		p.ending.Go(func() { <-c.exited })
	}
}

// Close ends all children, and theirs, and waits until they are gone. Releases under
// way fail; so do later ones. It may be called more than once, also at the same time.
func (p *Process) Close() error {
	p.mu.Lock()
	p.closed = true
	for c := range p.all {
		p.ending.Go(c.end)
	}
	p.all, p.idle = nil, nil
	p.mu.Unlock()
	p.ending.Wait()
	return nil
}

var _ interface {
	verify.Mechanism[json.RawMessage, any]
	verify.BatchMechanism[json.RawMessage, any]
	io.Closer
} = (*Process)(nil)
