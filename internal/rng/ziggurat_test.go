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

// The draws equal those of math/rand/v2. A different table, strip or tail would show within the first few hundred
// draws. At most a quarter of the streams may diverge, because math/rand/v2 depends on fused operations.
func TestAsMathRand(t *testing.T) {
	const streams = 16
	for name, law := range map[string]struct {
		ours   func(*rand.Rand) float64
		theirs func(*rand.Rand) float64
	}{
		"normal":      {rng.Normal, (*rand.Rand).NormFloat64},
		"exponential": {rng.Exponential, (*rand.Rand).ExpFloat64},
	} {
		diverged := 0
		for seed := range uint64(streams) {
			ours, theirs := stream(seed), stream(seed)
			for i := range testutil.Size(200_000, 20_000_000) {
				x, y := law.ours(ours), law.theirs(theirs)
				if !(math.Abs(x-y) <= 1e-14*math.Abs(y)) {
					t.Logf("%s, stream %d: draw %d is %v, and %v in math/rand/v2", name, seed, i, x, y)
					diverged++
					break
				}
			}
		}
		if diverged > streams/4 {
			t.Errorf("%s: %d of %d streams diverge", name, diverged, streams)
		}
	}
}

// The draws are the same on every machine to nine decimals. In the tail, logarithms may differ in their last bits.
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

// No other package draws normal or exponential variates from math/rand/v2, because they differ between machines.
func TestNothingElseDraws(t *testing.T) {
	others := regexp.MustCompile(`\.(Norm|Exp)Float64\(`)
	root, files := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if strings.Contains(filepath.ToSlash(path), "/cmd/cli/_files/") {
			return nil // templates of "dpverify init" do not import this module
		}
		text, err := os.ReadFile(path)
		files++
		if others.Match(text) {
			t.Errorf("%s draws from math/rand/v2: call rng.Normal or rng.Exponential", path)
		}
		return err
	})
	if err != nil || files < 100 {
		t.Errorf("read only %d files: %v", files, err)
	}
}

var sink float64

func BenchmarkNormal(b *testing.B) {
	r := stream(1)
	for b.Loop() {
		sink = rng.Normal(r)
	}
}
