package process

import (
	"bytes"
	"errors"
)

// Exchange sends a line of any protocol and returns the line of the reply, without the line feed. The line must not
// contain a line feed. The limits of [Process] on time, memory and the length of a reply apply. After an error, that
// process is gone, and the next call starts a new one.
func (p *Process) Exchange(line []byte) ([]byte, error) {
	if bytes.IndexByte(line, '\n') >= 0 {
		return nil, errors.New("the request contains a line feed: want one line")
	}
	c, err := p.take()
	if err != nil {
		return nil, p.named(err)
	}
	reply, err := c.roundTrip(bytes.Clone(line), p.timeout())
	if err != nil {
		p.drop(c)
		return nil, p.named(err)
	}
	c.replies++
	p.giveBack(c)
	return bytes.TrimRight(reply, "\r\n"), nil
}

// Restart ends the idle child processes, so that the next request goes to a new one.
func (p *Process) Restart() {
	p.mu.Lock()
	idle := p.idle
	p.idle = nil
	p.mu.Unlock()
	for _, c := range idle {
		p.drop(c)
	}
}
