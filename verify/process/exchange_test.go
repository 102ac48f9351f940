//go:build unix

package process

import (
	"encoding/json"
	"strings"
	"testing"
)

// Exchange passes lines of any form, and starts a new process after an error.
func TestExchange(t *testing.T) {
	line := []byte(`{"input": 1, "n": 2, "seed": 3}`)
	p := helperProcess(t, "other shape")
	for range 2 {
		reply, err := p.Exchange(line)
		if err != nil || string(reply) != "[1, 2, 3]" {
			t.Errorf("reply %q, error %v", reply, err)
		}
	}
	if _, err := p.Exchange([]byte("1\n2")); err == nil || !strings.Contains(err.Error(), "want one line") {
		t.Errorf("two lines: error %v", err)
	}
	p = helperProcess(t, "dies midway")
	failed := 0
	for range 8 { // each process answers three requests
		reply, err := p.Exchange(line)
		switch {
		case err == nil && !json.Valid(reply):
			t.Errorf("reply %q", reply)
		case err != nil && !strings.Contains(err.Error(), "ended (exit status 4) after 3 replies"):
			t.Error(err)
		case err != nil:
			failed++
		}
	}
	if failed != 2 {
		t.Errorf("%d of 8 exchanges failed, want 2", failed)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Exchange(line); err == nil {
		t.Error("an exchange after Close causes no error")
	}
}
