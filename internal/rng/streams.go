package rng

// This file lets a test observe the start of every random stream. Samples for two purposes are independent only if
// their streams are different. If a check selected and certified an event on the same stream, its result would be
// wrong, and no other test would notice.

import "sync/atomic"

// A Seed is the seed of a stream.
type Seed = [32]byte

// watcher is nil unless a test watches.
var watcher atomic.Pointer[func(s Seed, common bool)]

// Begun reports the start of a stream to the watcher. common means that several purposes share the stream on purpose.
// Without a watcher it costs one atomic load.
func Begun(s Seed, common bool) {
	if f := watcher.Load(); f != nil {
		(*f)(s, common)
	}
}

// Watch calls f for each stream that starts until stop is called. The calls come from any goroutine. There can be
// only one watcher, so a test that watches must not run in parallel with others. A second watcher causes a panic.
func Watch(f func(s Seed, common bool)) (stop func()) {
	if !watcher.CompareAndSwap(nil, &f) {
		panic("rng: another watcher is active")
	}
	return func() { watcher.Store(nil) }
}
