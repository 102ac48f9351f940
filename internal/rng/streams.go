package rng

// This file lets a test see every random stream of a run begin. Samples for two purposes are independent only if
// their streams are. If two streams of a check coincide, it certifies an event on the samples that chose the event,
// and nothing else shows that.

import "sync/atomic"

// A Seed is what a stream is made of.
type Seed = [32]byte

// watcher is nil but while a test watches.
var watcher atomic.Pointer[func(s Seed, common bool)]

// Begun is called where a stream begins; common where it is one that several purposes
// are to share. It costs one load where nobody watches.
func Begun(s Seed, common bool) {
	if f := watcher.Load(); f != nil {
		(*f)(s, common)
	}
}

// Watch calls f, from any goroutine, for each stream that begins until stop is called.
// One watcher at a time: a test that watches is not run beside others.
func Watch(f func(s Seed, common bool)) (stop func()) {
	if !watcher.CompareAndSwap(nil, &f) {
		panic("streams: there is a watcher already")
	}
	return func() { watcher.Store(nil) }
}
