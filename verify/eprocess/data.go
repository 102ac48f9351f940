package eprocess

import (
	"fmt"
	"hash/fnv"
	"slices"
)

const (
	// windowLength is the number of consecutive outputs that are compared with earlier recordings.
	windowLength = 16
	// minDistinct is the number of different outputs that a window needs. Windows of few different outputs also agree
	// in independent recordings.
	minDistinct = 8
	// sketchSize is the number of windows that a run remembers of each recording: those with the smallest hashes.
	sketchSize = 64
	// sharedWindows is the number of remembered windows that shows that two recordings overlap.
	sharedWindows = 2
)

// Recording identifies recorded data, so that no sample counts twice.
type Recording struct {
	Whole   string   `json:"whole"`             // digest of all outputs in their order
	Windows []string `json:"windows,omitempty"` // hashes of windows of consecutive outputs, ascending
}

// NewRecording returns the identity of outputs with the given hashes.
func NewRecording(hashes []uint64) Recording { return recordingOf(hashes, sketchSize) }

func recordingOf(hashes []uint64, limit int) Recording {
	r := Recording{Whole: hashOf(hashes)}
	for i := 0; i+windowLength <= len(hashes); i++ {
		window := hashes[i : i+windowLength]
		if distinct(window) >= minDistinct {
			r.Windows = append(r.Windows, hashOf(window))
		}
	}
	slices.Sort(r.Windows)
	r.Windows = slices.Compact(r.Windows)
	r.Windows = r.Windows[:min(limit, len(r.Windows))]
	return r
}

func hashOf(hashes []uint64) string {
	h := fnv.New64a()
	for _, x := range hashes {
		fmt.Fprintf(h, "%016x", x)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

func distinct(values []uint64) int {
	seen := slices.Clone(values)
	slices.Sort(seen)
	return len(slices.Compact(seen))
}

// Recorded returns the id of an earlier run of the claim that contained outputs with these hashes, or "". It detects a
// complete copy, and usually a copy in the same order of at least a tenth of the earlier outputs.
func Recorded(runs []Run, claim string, hashes []uint64) string {
	all := recordingOf(hashes, len(hashes))
	for _, r := range runs {
		for _, earlier := range r.Claims[claim].Data {
			shared := 0
			for _, w := range earlier.Windows {
				if _, found := slices.BinarySearch(all.Windows, w); found {
					shared++
				}
			}
			if earlier.Whole == all.Whole || shared >= sharedWindows {
				return r.ID
			}
		}
	}
	return ""
}
