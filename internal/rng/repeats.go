package rng

import (
	"fmt"
	"runtime"
	"sync"
)

// Repeats notes which streams begin more than once. The zero value has seen none; its
// methods are safe for concurrent use.
type Repeats struct {
	mu    sync.Mutex
	seen  map[Seed]place
	found []string
}

// place is where a stream began.
type place struct {
	callers []uintptr
	common  bool
}

// Begun is a watcher for [Watch]: a stream may begin once, or as often as one likes where it
// is common each time.
func (r *Repeats) Begun(s Seed, common bool) {
	now := place{make([]uintptr, 12), common}
	now.callers = now.callers[:runtime.Callers(4, now.callers)] // beyond Watch, Begun and Seed
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen == nil {
		r.seen = make(map[Seed]place)
	}
	if before, ok := r.seen[s]; ok && !(common && before.common) {
		r.found = append(r.found, fmt.Sprintf("a stream begun at %s and again at %s", before, now))
	}
	r.seen[s] = now
}

// Found names the streams that began more than once, and by whom.
func (r *Repeats) Found() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.found
}

// Len is how many streams began.
func (r *Repeats) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen)
}

// String is the lines of the callers, the nearest first.
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
