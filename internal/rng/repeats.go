package rng

import (
	"fmt"
	"runtime"
	"sync"
)

// Repeats records streams that start more than once. The zero value is ready for use. Its methods are safe for
// concurrent use.
type Repeats struct {
	mu    sync.Mutex
	seen  map[Seed]place
	found []string
}

// place is the call stack at the start of a stream.
type place struct {
	callers []uintptr
	common  bool
}

// Begun is a watcher for [Watch]. A stream may start once, or any number of times if it is common each time.
func (r *Repeats) Begun(s Seed, common bool) {
	now := place{make([]uintptr, 12), common}
	now.callers = now.callers[:runtime.Callers(4, now.callers)] // skips Watch, Begun and Seed
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen == nil {
		r.seen = make(map[Seed]place)
	}
	if before, ok := r.seen[s]; ok && !(common && before.common) {
		r.found = append(r.found, fmt.Sprintf("a stream started at %s and again at %s", before, now))
	}
	r.seen[s] = now
}

// Found returns a message for each repeated start, with its callers.
func (r *Repeats) Found() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.found
}

// Len returns the number of different streams that started.
func (r *Repeats) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

// String returns the files and lines of up to three callers, innermost first.
func (p place) String() (out string) {
	frames := runtime.CallersFrames(p.callers)
	for i := 0; i < 3; i++ {
		f, more := frames.Next()
		if i > 0 {
			out += " from "
		}
		out += fmt.Sprintf("%s:%d", f.File, f.Line)
		if !more {
			break
		}
	}
	return out
}
