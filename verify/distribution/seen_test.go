package distribution

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// prepared returns the trial of a check with 640 samples.
func prepared(t *testing.T, l Distribution, alpha float64) *trial {
	t.Helper()
	p, err := of(l, 640, func(*rand.Rand) any { return nil }).Prepare(context.Background(),
		verify.Settings{Budget: verify.Standard, Alpha: alpha, Seed: empirical.NewSeed(1)})
	if err != nil {
		t.Fatal(err)
	}
	return p.(*trial)
}

// counted samples one run and counts the outputs by cell.
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

// A true distribution leaves the band with at most the stated probability. For a continuous one the probability is
// close to it, so [verifytest.Wald] detects a one-sided band, which errs twice as often.
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

// The distance that seen returns is missed in at most one of a hundred runs. With half the allowance for sampling
// error, it would be missed in one of twenty. At this small alpha, the Hoeffding bounds are as wide as the tests.
func TestDistanceIsSeen(t *testing.T) {
	for _, c := range []struct {
		reason string
		law    Distribution
		alpha  float64
		draw   func(r *rand.Rand, off float64) any // off is the difference at an event of stated probability 0.5
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
