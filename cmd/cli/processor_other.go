//go:build !unix

package cli

// processorSeconds is the time on the wall, where that of processors is not told.
func processorSeconds() float64 { return wallSeconds() }
