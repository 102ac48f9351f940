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

// Process is a mechanism in any language: a command that reads one JSON request per line from its standard input and
// writes one JSON reply per line to its standard output,
//
//	{"input": …, "n": 256, "seed": 42}  →  {"outputs": [ … n values … ]}
//
// A value is a number, a string, a boolean, null, an array of values or an object of values. The strings "nan", "inf"
// and "-inf" are numbers. Integers keep all their digits, other numbers are doubles; see [decimal.Parse]. The
// input is JSON and is passed unchanged. The reply holds n releases of it. The seed is below 2⁵³ and is drawn from the
// random stream of the release, so that it differs between requests. The command runs without a shell.
//
// The command is started when a release needs it, once per concurrent release, and answers requests until Close. An
// unusable reply, or a line without a request, fails the release and ends that process.
//
// Each command runs in its own process group, and is killed with the whole group. On Linux, processes that left the
// group are killed too, unless they cleared their environment. A reply is at most 64 MB long, and its arrays and
// objects are nested at most 64 deep. The timeout includes reading the reply. The first and the last bytes of standard
// error are kept, 4 kB together. On Linux, memory is limited. Access to files and to the network is not limited: the
// command has all rights of the user who runs it.
type Process struct {
	Command []string      // name and arguments; at least the name
	Dir     string        // working directory; "" is the current one
	Timeout time.Duration // maximum time for one reply; 0 means DefaultReplyTimeout
	Memory  int64         // limit for writable memory of each process on Linux, in bytes; 0 means DefaultMemory
	// Seedless means that the command uses its own randomness: requests hold no seed, and a repeated run gives other
	// outputs.
	Seedless bool
	// Env lists the names of the environment variables that the command gets, with their current values. Names that are
	// not set are left out. If Env is nil, the command inherits the whole environment.
	Env []string

	mu       sync.Mutex
	idle     []*child
	all      map[*child]bool
	closed   bool
	ending   sync.WaitGroup // children that Close ends
	protocol repliesSeen
	tape     atomic.Pointer[replyTape] // nil if replies are neither recorded nor played
}

// DefaultReplyTimeout is the default maximum time for one reply. A process that needs longer is killed.
const DefaultReplyTimeout = 30 * time.Second

// DefaultMemory is the default limit for the memory of a process, in bytes.
const DefaultMemory = 4 << 30

// errClosed is the error of a release after Close.
var errClosed = errors.New("the process was ended: releases are possible only before Close")

// Check returns an error if a parameter of the process is invalid.
func (p *Process) Check() error {
	switch {
	case len(p.Command) == 0 || p.Command[0] == "":
		return errors.New("no command to run: want a name, and arguments if it takes any")
	case p.Timeout < 0:
		return fmt.Errorf("timeout %v: want a duration of 0 or more", p.Timeout)
	case p.Memory < 0:
		return fmt.Errorf("memory %d: want a positive number of bytes", p.Memory)
	}
	if err := CheckNames(p.Env); err != nil {
		return fmt.Errorf("environment: %w", err)
	}
	return nil
}

// Release returns one output for the input.
func (p *Process) Release(r *rand.Rand, input json.RawMessage) (any, error) {
	out := make([]any, 1)
	err := p.ReleaseN(r, input, out)
	return out[0], err
}

// ReleaseN fills out with the outputs of one reply. It returns an error if the process fails, if its reply is not
// usable or if its outputs are not independent.
func (p *Process) ReleaseN(r *rand.Rand, input json.RawMessage, out []any) error {
	seed := r.Uint64() >> 11 // exact in a double: many languages read all numbers as doubles
	tape := p.tape.Load()
	if tape != nil && tape.playing {
		return p.playReply(tape, input, seed, out)
	}
	c, err := p.take()
	if err != nil {
		return err
	}
	ownRandomness := false
	if p.first(input) {
		ownRandomness, err = p.repeat(c, input, seed, len(out))
	}
	var values []any
	if err == nil {
		values, err = p.ask(c, input, seed, len(out))
	}
	if err == nil {
		err = p.compareStarts(input, seed, values, ownRandomness)
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

// playReply fills out with a reply from the tape, and checks it like a reply of the process.
func (p *Process) playReply(tape *replyTape, input json.RawMessage, seed uint64, out []any) error {
	// The recording run sent the first request twice and compared new processes. Only note that it did.
	p.first(input)
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

// first reports whether this is the first release of an input.
func (p *Process) first(input json.RawMessage) bool { return p.protocol.first(input, p.Seedless) }

// named returns the error with the command that caused it.
func (p *Process) named(err error) error {
	command := strings.Join(p.Command, " ")
	if dependent, ok := errors.AsType[*dependence.Error](err); ok {
		return &dependence.Error{Found: fmt.Sprintf("process %q: %s", command, dependent.Found)}
	}
	return fmt.Errorf("process %q: %w", command, err)
}

// repeat sends the same request twice. It reports whether the process has its own randomness, so that newly started
// processes must be compared: the process takes no seed, or its two replies differ.
func (p *Process) repeat(c *child, input json.RawMessage, seed uint64, n int) (ownRandomness bool, err error) {
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

// Warnings returns the warnings about the replies so far.
func (p *Process) Warnings() []string { return p.protocol.list() }

// unseeded reports whether the process has its own randomness, according to its parameters or to the warnings.
func (p *Process) unseeded(warnings []string) bool {
	return p.Seedless || slices.Contains(warnings, verify.UnseededProcess)
}

// ask sends a request to a child process and returns its n outputs.
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

// take returns an idle child process, or starts one.
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

// startAnother starts a child process even if one is idle.
func (p *Process) startAnother() (*child, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	return p.start()
}

// start starts a child process. The caller holds the lock, and later calls drop or giveBack.
func (p *Process) start() (*child, error) {
	cmd := exec.Command(p.Command[0], p.Command[1:]...)
	cmd.Dir = p.Dir
	cmd.Env = selectVariables(cmd.Environ(), p.Env)
	memory := p.Memory
	if memory == 0 {
		memory = DefaultMemory
	}
	c, err := startChild(cmd, memory)
	if errors.Is(err, exec.ErrNotFound) && strings.Contains(p.Command[0], " ") {
		return nil, fmt.Errorf("the process cannot be started: %w: give the program and its arguments as separate words, "+
			"as in [python3, mechanism.py]", err)
	} else if err != nil {
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

// drop ends a child process that is not used again.
func (p *Process) drop(c *child) {
	c.kill()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, c)
	if !p.closed { // after Close, Close waits for it
		p.ending.Go(func() { <-c.exited })
	}
}

// Close ends all child processes with their descendants, and waits until they are gone. Current and later releases
// fail. Close may be called more than once and concurrently. It returns nil.
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
