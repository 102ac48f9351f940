package values

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"math"
)

// Fingerprints returns a hash of each value. Equal values have equal hashes.
func Fingerprints(values []any) []uint64 {
	out := make([]uint64, len(values))
	h := fnv.New64a()
	for i, v := range values {
		out[i] = fingerprint(h, v)
	}
	return out
}

// fingerprint hashes the bits of numbers, the hashes of the values in an array, and the text of other values.
func fingerprint(text hash.Hash64, v any) uint64 {
	switch v := v.(type) {
	case float64:
		if v == v { // each NaN has the same text
			return mixed(math.Float64bits(v))
		}
	case []any:
		sum := mixed(uint64(len(v)) + 1)
		for _, e := range v {
			sum = mixed(sum ^ fingerprint(text, e))
		}
		return sum
	}
	text.Reset()
	fmt.Fprintf(text, "%#v", v)
	return text.Sum64()
}

// mixed maps x by a bijection in which each bit of x affects all bits (splitmix64).
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Digest returns a hash of a whole reply from the hashes of its values.
func Digest(prints []uint64) uint64 {
	h := fnv.New64a()
	for _, p := range prints {
		var word [8]byte
		binary.BigEndian.PutUint64(word[:], p)
		h.Write(word[:]) // never fails
	}
	return h.Sum64()
}
