package mechanism

import "testing"

// benchmarkBatch reports the time of one release within batches of 1000.
func benchmarkBatch[D, O any](b *testing.B, name string, m mechanismOf[D, O], d D) {
	b.Run(name, func(b *testing.B) {
		r, out := newRand(1), make([]O, 1000)
		if err := m.ReleaseN(r, d, out); err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			if err := m.ReleaseN(r, d, out); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(out)), "ns/draw")
	})
}

func BenchmarkBatch(b *testing.B) {
	five, ten := fill(5, 1), fill(10, 1)
	benchmarkBatch(b, "laplace", must(NewLaplace(1)), 0)
	benchmarkBatch(b, "grid laplace", must(NewGridLaplace(1, 0x1p-10)), 0)
	benchmarkBatch(b, "gaussian", must(NewGaussian(1)), 0)
	benchmarkBatch(b, "discrete laplace", must(NewDiscreteLaplace(0.1)), 0)
	benchmarkBatch(b, "truncated geometric", must(NewTruncatedGeometric(3, 5)), 2)
	benchmarkBatch(b, "randomized response", must(NewRandomizedResponse(1)), 1)
	benchmarkBatch(b, "k-ary response", must(NewKaryResponse(10, 1)), 1)
	benchmarkBatch(b, "exponential", must(NewExponential(1, 1)), five)
	benchmarkBatch(b, "l2 laplace", must(NewL2Laplace(1)), ten)
	benchmarkBatch(b, "noisy histogram", must(NewNoisyHistogram(10)), five)
	benchmarkBatch(b, "rnm1", must(NewRNM1(20)), five)
	benchmarkBatch(b, "rnm2", must(NewRNM2(20)), five)
	benchmarkBatch(b, "rnm3", must(NewRNM3(20)), five)
	benchmarkBatch(b, "svt1", must(NewSVT1(0.1, 1, 0.5, 1)), ten)
	benchmarkBatch(b, "svt3", must(NewSVT3(0.1, 1, 1, 1)), ten)
	benchmarkBatch(b, "svt6", must(NewSVT6(0.1, 1, 1)), ten)
	benchmarkBatch(b, "rappor", must(NewRAPPOR(20, 4, 0.75, 0.45, 0.55)), 1)
	benchmarkBatch(b, "prefix sum", must(NewPrefixSum(10)), ten)
}

func BenchmarkLogDensity(b *testing.B) {
	ten := fill(10, 1)
	b.Run("svt1", func(b *testing.B) {
		m, out := must(NewSVT1(0.1, 1, 0.5, 1)), []int8{0, 0, 0, 1, -1, -1, -1, -1, -1, -1}
		for b.Loop() {
			m.LogDensity(ten, out)
		}
	})
	b.Run("svt3", func(b *testing.B) {
		m, r := must(NewSVT3(0.1, 1, 1, 1)), newRand(1)
		out := must(m.Release(r, ten))
		for b.Loop() {
			m.LogDensity(ten, out)
		}
	})
}
