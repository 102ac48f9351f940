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

// Seed is a node in the tree of random streams. Every stream of a run descends
// from one root by hashing the labels on its path, so that a claim's samples
// depend on the root seed and on the claim alone: not on the other claims, the
// number of workers, or the order in which they finish.
type Seed [32]byte

// NewSeed returns the root for the number a user gives with --seed.
func NewSeed(n uint64) Seed {
	var buf [8]byte
	binary.BigEndian.PutUint64(buf[:], n)
	return sha256.Sum256(append([]byte("dpverify/seed/v1\x00"), buf[:]...))
}

// ParseSeed reads the number of --seed: a whole number in [0, 2^64). Zero asks
// for a drawn seed; the number that was drawn is returned, so that it can be
// printed and the run repeated.
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

// Derive returns the child of s named by labels. Labels are length-prefixed, so
// ("ab", "c") and ("a", "bc") name different children.
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

// Rand returns the stream of s: ChaCha8, so that streams of different seeds are
// independent for every practical purpose. It is begun once in a run: whoever begins
// it again draws the same numbers, for samples that are taken to be independent.
func (s Seed) Rand() *rand.Rand {
	rng.Begun(s, false)
	return rand.New(rand.NewChaCha8(s))
}

// Common returns the stream of s for several uses on the same coins (common random
// numbers): each call begins it anew.
func (s Seed) Common() *rand.Rand {
	rng.Begun(s, true)
	return rand.New(rand.NewChaCha8(s))
}

// Uint64 returns a number for a mechanism that takes its seed from outside.
func (s Seed) Uint64() uint64 {
	rng.Begun(s, false)
	return binary.BigEndian.Uint64(s[:8])
}
