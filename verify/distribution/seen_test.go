package distribution

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// prepared is the trial of a check of 640 samples.
func prepared(t *testing.T, l Distribution, alpha float64) *trial {
	t.Helper()
	p, err := of(l, 640, func(*rand.Rand) any { return nil }).Prepare(context.Background(),
		verify.Settings{Budget: verify.Standard, Alpha: alpha, Seed: empirical.NewSeed(1)})
	if err != nil {
		t.Fatal(err)
	}
	return p.(*trial)
}

// counted are the cells of a run's outputs.
func counted(t *testing.T, p *trial, r *rand.Rand, draw func(*rand.Rand) any) empirical.Counts {
	t.Helper()
	counts := p.NewTally().(empirical.Counts)
	for range p.judge.Samples {
		i, err := p.judge.cells.of(draw(r))
		if err != nil {
			t.Fatal(err)
		}
		counts[i]++
	}
	return counts
}

// A run strays beyond the band with the probability that is spent on it, or less: of a
// continuous law hardly less, so that a band of one side alone, which errs twice as often, is
// seen ([verifytest.Wald]).
func TestBandErrsAsStated(t *testing.T) {
	p := prepared(t, Uniform(0, 1), 0.25/standing)
	beyond := verifytest.Wald{Most: 0.25, Fault: 0.45}
	for i := uint64(0); !beyond.Decided(); i++ {
		r := empirical.NewSeed(i).Derive(t.Name()).Rand()
		j := p.judge
		j.Counts, j.Places = counted(t, p, r, func(r *rand.Rand) any { return r.Float64() }), make(map[string]string)
		beyond.Add(j.distance().broken)
	}
	beyond.Report(t, "beyond the band")
}

// The distance that so many samples are said to see is seen but for one run in a hundred; with
// half of what is allowed for the samples to stray, one in twenty would be missed. At so small
// an alpha the bounds that it is computed by are as wide as the tests.
func TestDistanceIsSeen(t *testing.T) {
	for _, c := range []struct {
		reason string
		law    Distribution
		alpha  float64
		draw   func(r *rand.Rand, off float64) any // off by so much, where the law has a half
	}{
		{"on the line", Uniform(0, 1), 1e-9, func(r *rand.Rand, off float64) any {
			if r.Float64() < 0.5+off {
				return r.Float64() / 2
			}
			return 0.5 + r.Float64()/2
		}},
		{"of words",
			Categories(map[string]float64{"a": 0.5, "b": 0.5}), 1e-9, func(r *rand.Rand, off float64) any {
				if r.Float64() < 0.5+off {
					return "a"
				}
				return "b"
			}},
	} {
		p := prepared(t, c.law, c.alpha)
		off := p.judge.seen(p.judge.Samples)
		missed := verifytest.Wald{Most: 0.01, Fault: 0.03}
		for i := uint64(0); !missed.Decided(); i++ {
			r := empirical.NewSeed(i).Derive(t.Name(), c.reason).Rand()
			e, err := p.Judge(counted(t, p, r, func(r *rand.Rand) any { return c.draw(r, off) }))
			if err != nil {
				t.Fatal(err)
			}
			missed.Add(e.Verdict != verify.Refuted)
		}
		missed.Report(t, c.reason)
	}
}
