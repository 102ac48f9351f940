package empirical

import (
	crand "crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/dpverify/dpverify/internal/decimal"
	"github.com/dpverify/dpverify/internal/rng"
)

// Seed is a node in the tree of random streams. Every stream of a run is derived from one root by hashing the
// labels on its path. A claim's samples therefore depend only on the root seed and the claim, not on other claims,
// the number of workers, or the order in which they finish.
type Seed [32]byte

// NewSeed returns the root seed for the number of --seed.
func NewSeed(n uint64) Seed {
	var buf [8]byte
	binary.BigEndian.PutUint64(buf[:], n)
	return sha256.Sum256(append([]byte("dpverify/seed/v1\x00"), buf[:]...))
}

// ParseSeed parses the value of --seed, an integer in [0, 2^64). For 0 it draws a random seed. It returns the
// number in use, so that the run can be repeated.
func ParseSeed(s string) (n uint64, err error) {
	n, err = decimal.Uint(s)
	if err != nil {
		return 0, fmt.Errorf("seed %q: want a whole number from 0 to 2^64-1", s)
	}
	for n == 0 {
		var buf [8]byte
		if _, err := crand.Read(buf[:]); err != nil {
			return 0, fmt.Errorf("drawing a seed: %w", err)
		}
		n = binary.BigEndian.Uint64(buf[:])
	}
	return n, nil
}

// Derive returns the child of s with the given labels. Labels are length-prefixed, so ("ab", "c") and ("a", "bc")
// give different children.
func (s Seed) Derive(labels ...string) Seed {
	h := sha256.New()
	h.Write(s[:])
	var n [8]byte
	for _, l := range labels {
		binary.BigEndian.PutUint64(n[:], uint64(len(l)))
		h.Write(n[:])
		h.Write([]byte(l))
	}
	var out Seed
	h.Sum(out[:0])
	return out
}

// Shard returns the child for one shard.
func (s Seed) Shard(index int) Seed { return s.Derive("shard", strconv.Itoa(index)) }

// Rand returns the ChaCha8 stream of s. Streams of different seeds are independent for practical purposes. A run
// must call Rand once for each seed: a second call returns the same numbers, for samples that are assumed to be
// independent.
func (s Seed) Rand() *rand.Rand {
	rng.Begun(s, false)
	return rand.New(rand.NewChaCha8(s))
}

// Common returns the stream of s for repeated use (common random numbers). Each call starts at the beginning.
func (s Seed) Common() *rand.Rand {
	rng.Begun(s, true)
	return rand.New(rand.NewChaCha8(s))
}

// Uint64 returns a number for a mechanism that takes a numeric seed.
func (s Seed) Uint64() uint64 {
	rng.Begun(s, false)
	return binary.BigEndian.Uint64(s[:8])
}
