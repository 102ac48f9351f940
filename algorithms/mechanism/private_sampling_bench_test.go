package mechanism

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func newRand(seed uint64) *rand.Rand {
	var key [32]byte
	for i := range 8 {
		key[i] = byte(seed >> (8 * i))
	}
	return rand.New(rand.NewChaCha8(key))
}

func BenchmarkPrivateSampling(b *testing.B) {
	for _, dim := range []int{1, 2, 10, 123, 784} {
		b.Run(fmt.Sprintf("d=%d", dim), func(b *testing.B) {
			m, err := NewPrivateSampling(dim, 1, 1, 10)
			if err != nil {
				b.Fatal(err)
			}
			r := newRand(1)
			g, dst := make([]float64, dim), make([]float64, dim)
			for i := range g {
				g[i] = 0.5 / float64(dim)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := m.Sample(r, g, dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
