package rng_test

import (
	"hash/fnv"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/internal/testutil"
)

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 42)) }

// Draw for draw those of math/rand/v2: another table, strip or tail would show within the first
// few hundred draws. One stream may part from it where that library fuses.
func TestAsMathRand(t *testing.T) {
	const streams = 16
	for name, law := range map[string]struct {
		ours   func(*rand.Rand) float64
		theirs func(*rand.Rand) float64
	}{
		"normal":      {rng.Normal, (*rand.Rand).NormFloat64},
		"exponential": {rng.Exponential, (*rand.Rand).ExpFloat64},
	} {
		parted := 0
		for seed := range uint64(streams) {
			ours, theirs := stream(seed), stream(seed)
			for i := range testutil.Size(200_000, 20_000_000) {
				x, y := law.ours(ours), law.theirs(theirs)
				if !(math.Abs(x-y) <= 1e-14*math.Abs(y)) {
					t.Logf("%s, stream %d: draw %d is %v, of math/rand/v2 %v", name, seed, i, x, y)
					parted++
					break
				}
			}
		}
		if parted > streams/4 {
			t.Errorf("%s: %d of %d streams part", name, parted, streams)
		}
	}
}

// The same draws on every machine, to nine digits: in the tail a logarithm may differ in its last.
func TestSameEverywhere(t *testing.T) {
	for _, c := range []struct {
		name string
		draw func(*rand.Rand) float64
		want uint64
	}{
		{"normal", rng.Normal, 0x51d2e2ba410ca503},
		{"exponential", rng.Exponential, 0xe4a1dbbc92d39976},
	} {
		r, h := stream(7), fnv.New64a()
		for range 1_000_000 {
			bits := uint64(int64(math.Round(c.draw(r) * 1e9)))
			h.Write([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24), byte(bits >> 32)})
		}
		if got := h.Sum64(); got != c.want {
			t.Errorf("%s: the draws have the digest %#x, want %#x", c.name, got, c.want)
		}
	}
}

// Nothing else draws them: math/rand/v2 gives other draws on other machines.
func TestNothingElseDraws(t *testing.T) {
	others := regexp.MustCompile(`\.(Norm|Exp)Float64\(`)
	root, looked := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if strings.Contains(filepath.ToSlash(path), "/cmd/cli/_files/") {
			return nil // what "dpverify init" writes is a user's, and needs no package of ours
		}
		text, err := os.ReadFile(path)
		looked++
		if others.Match(text) {
			t.Errorf("%s draws from math/rand/v2: call ziggurat.Normal or ziggurat.Exponential", path)
		}
		return err
	})
	if err != nil || looked < 100 {
		t.Errorf("looked at %d files: %v", looked, err)
	}
}

var sink float64

func BenchmarkNormal(b *testing.B) {
	r := stream(1)
	for b.Loop() {
		sink = rng.Normal(r)
	}
}
