package matrix

import (
	"math/rand/v2"
	"testing"
)

func BenchmarkSensitivity(b *testing.B) {
	const n = 1 << 14
	file := func() (*Strategy, error) {
		return New(drawn(rand.New(rand.NewPCG(27, 6)), 1000, 1000, true))
	}
	for _, c := range []struct {
		name string
		new  func() (*Strategy, error)
		p    Participation
	}{
		{"prefix", func() (*Strategy, error) { return Prefix(n) }, Participation{Times: 100, Separation: 100}},
		{"banded", func() (*Strategy, error) { return Banded(n, n) }, Participation{Times: 100, Separation: 100}},
		{"tree/even", func() (*Strategy, error) { return Tree(n, 0) }, Participation{Times: 64, Separation: 256}},
		{"tree/programme", func() (*Strategy, error) { return Tree(n, 0) }, Participation{Times: 100, Separation: 100}},
		{"tree/given-up", func() (*Strategy, error) { return Tree(n, 0) }, Participation{Times: 1000, Separation: 7}},
		{"tree/every", func() (*Strategy, error) { return Tree(n, 0) }, Participation{Times: 100, Every: 100}},
		{"file/separated", file, Participation{Times: 10, Separation: 50}},
		{"file/every", file, Participation{Times: 10, Every: 100}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				s, err := c.new()
				if _, err := must(b, s, err).Sensitivity(c.p); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
