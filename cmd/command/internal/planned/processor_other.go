//go:build !unix

package planned

// processor is the time on the wall, where that of processors is not told.
func processor() float64 { return clock() }
