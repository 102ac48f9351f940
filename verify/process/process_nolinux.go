//go:build !linux

package process

// limitMemory does nothing where no process can limit another.
func limitMemory(int, int64) error { return nil }

// killMarked does nothing where the environment of a process cannot be read.
func killMarked(string) {}
