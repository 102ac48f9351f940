package values

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
)

// Fingerprints tell outputs apart, and Digest whole replies.
func Fingerprints(values []any) []uint64 {
	out := make([]uint64, len(values))
	h := fnv.New64a()
	for i, v := range values {
		h.Reset()
		fmt.Fprintf(h, "%#v", v)
		out[i] = h.Sum64()
	}
	return out
}

func Digest(prints []uint64) uint64 {
	h := fnv.New64a()
	for _, p := range prints {
		var word [8]byte
		binary.BigEndian.PutUint64(word[:], p)
		h.Write(word[:]) // never fails
	}
	return h.Sum64()
}
