//go:build !linux

package process

import "os/exec"

// startLinked starts a command.
func startLinked(cmd *exec.Cmd) error { return startWatched(cmd) }

// limitMemory does nothing where no process can limit another.
func limitMemory(int, int64) error { return nil }

// killMarked does nothing where the environment of a process cannot be read.
func killMarked(string) {}
