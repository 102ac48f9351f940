package worstcase_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/worstcase"
)

func settings(alpha float64, seed uint64) verify.Settings {
	return verify.Settings{Budget: verify.Standard, Alpha: alpha, Seed: empirical.NewSeed(seed)}
}

func judged(t *testing.T, check verify.Check, alpha float64, seed uint64) verify.Evidence {
	t.Helper()
	return verifytest.Judged(t, check, settings(alpha, seed))
}

// over returns a check of a mechanism that claims ε = 1, with a search over pairs of a space.
func over(m release, s inputs.Space, samples int64, pairs int) worstcase.Privacy[any, any] {
	return worstcase.Privacy[any, any]{Space: inputs.MustPairSpace[any](s), Search: pairs,
		Audit: privacy.Audit[any, any]{Mechanism: m, Guarantee: privacy.ApproximateDP(1, 0), Samples: samples}}
}

// bits is the space of short lists of bits. A sum with Laplace noise of scale 1 has ε = 1 exactly.
var bits = inputs.Space{Values: inputs.List(inputs.Int(0, 1), 0, 8), Neighbors: inputs.AddOrRemoveOne()}

func noisyBits(scale func(x []float64) float64) release {
	return func(r *rand.Rand, input any) (any, error) {
		x := numbersOf(input)
		return sum(x) + laplace(r, scale(x)), nil
	}
}

// noisy returns the noise scale for ε = 1. unlessEmpty returns the same scale, but 0 at the empty list.
func noisy([]float64) float64 { return 1 }

func unlessEmpty(x []float64) float64 { return min(1, float64(len(x))) }

// A mechanism whose ε equals the claim is refuted with probability at most alpha, for any choice of the search. The
// test detects 4 alpha with probability 0.99, and 2 alpha in the long form. A mechanism at twice the claimed ε is
// refuted.
func TestRefutesATrueClaimSeldom(t *testing.T) {
	const alpha = 0.05
	wrong := verifytest.Wald{Most: alpha, Fault: testutil.Size(4., 2) * alpha}
	for seed := uint64(1); !wrong.Decided(); seed++ {
		wrong.Add(judged(t, over(noisyBits(noisy), bits, 1200, 6), alpha, seed).Verdict == verify.Refuted)
	}
	wrong.Report(t, "true claims are refuted")
	half := noisyBits(func([]float64) float64 { return 0.5 })
	if e := judged(t, over(half, bits, 2400, 10), alpha, 1); e.Verdict != verify.Refuted {
		t.Errorf("at twice ε: %s", e.Verdict)
	}
}

// The smallest pair has its own certificate: a smallest pair that satisfies the claim is reported with probability at
// most alpha. The test detects 2.5 alpha with probability 0.99 (1.5 alpha in the long form). At least half of the
// reported pairs are the smallest that exist; the test detects a share of one quarter.
func TestTheSmallestPairIsCertified(t *testing.T) {
	const alpha = 0.2
	wrong := verifytest.Wald{Most: alpha, Fault: testutil.Size(2.5, 1.5) * alpha}
	larger := verifytest.Wald{Most: 0.5, Fault: testutil.Size(0.75, 0.6)}
	for seed := uint64(1); !wrong.Decided() || !larger.Decided(); seed++ {
		f, err := over(noisyBits(unlessEmpty), bits, 4000, 10).Judge(context.Background(), settings(alpha, seed), empirical.NewPool(2))
		if err != nil || f.Smallest == nil {
			t.Fatalf("seed %d: %s, %v", seed, f.Verdict, err)
		}
		a, b := f.Smallest.A.([]any), f.Smallest.B.([]any)
		if !wrong.Decided() {
			wrong.Add(len(a) > 0 && len(b) > 0)
		}
		if !larger.Decided() {
			larger.Add(len(a)+len(b) != 1 || append(a, b...)[0] != int64(0))
		}
	}
	wrong.Report(t, "smallest pairs satisfy the claim")
	larger.Report(t, "a smaller pair exists")
}

// The evidence does not depend on the number of workers.
func TestWorkers(t *testing.T) {
	for name, check := range map[string]verify.Check{
		"refuted": over(noisyBits(unlessEmpty), bits, 6000, 20),
		"open":    over(noisyBits(noisy), bits, 6000, 20),
		"anytime": func() verify.Check {
			p := over(noisyBits(unlessEmpty), bits, 6000, 20)
			p.Audit.Anytime = true
			return p
		}(),
		"a mean": means(func(p float64) float64 { return min(p, 0.7) }).input(),
	} {
		var first string
		for workers := range 3 {
			e, err := verify.Judge(context.Background(), check, settings(1e-3, 5), empirical.NewPool(workers+1), nil)
			if err != nil {
				t.Fatal(err)
			}
			if want := map[string]verify.Verdict{"open": verify.Inconclusive}[name]; e.Verdict != verify.Refuted && e.Verdict != want {
				t.Errorf("%s: %s", name, e.Verdict)
			}
			text, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			if first == "" {
				first = string(text)
			}
			if diff := cmp.Diff(first, string(text)); diff != "" {
				t.Errorf("%s: %d workers:\n%s", name, workers+1, diff)
			}
		}
	}
}

// Search, shrinking and certification together draw at most the given samples, and the watched samples by which every
// audit detects a mechanism that repeats its outputs.
func TestSamples(t *testing.T) {
	const samples, watched = 20_000, 4096
	for name, noise := range map[string]func([]float64) float64{"refuted": unlessEmpty, "open": noisy} {
		var drawn atomic.Int64
		m := noisyBits(noise)
		counted := release(func(r *rand.Rand, input any) (any, error) {
			drawn.Add(1)
			return m(r, input)
		})
		judged(t, over(counted, bits, samples, 60), 1e-6, 1)
		if n := drawn.Load(); n > 2*samples+watched || n < samples {
			t.Errorf("%s: %d releases for %d samples of each input", name, n, samples)
		}
	}
}

// A smaller budget tries fewer pairs, and a given pair is tried first.
func TestBudgets(t *testing.T) {
	p := over(noisyBits(noisy), bits, 20_000, 100)
	p.Audit.Pairs = []inputs.Pair[any]{{Name: "given", A: []any{int64(1)}, B: []any{}}}
	s := settings(1e-6, 1)
	s.Budget = verify.Quick
	e, err := verify.Judge(context.Background(), p, s, empirical.NewPool(2), nil)
	if fit := int64(2500 * 2 / 5 / inputs.MinSearchSamples); err != nil || e.Tried.Cases > fit || e.Tried.Cases < fit-3 {
		t.Errorf("%d pairs, %v", e.Tried.Cases, err)
	}
	p.Search, p.Audit.Samples = 1, worstcase.MinSamples(1)+200
	if e := judged(t, p, 1e-6, 1); !strings.Contains(e.WorstCase, "given") {
		t.Errorf("a search over one pair tried %s, want the given pair", e.WorstCase)
	}
}

func TestPrivacyErrors(t *testing.T) {
	good := over(noisyBits(noisy), bits, 6000, 10)
	for _, c := range []struct {
		reason, want string
		spoil        func(p *worstcase.Privacy[any, any])
	}{
		{"no space", "no space", func(p *worstcase.Privacy[any, any]) { p.Space = nil }},
		{"no search", "at least 1", func(p *worstcase.Privacy[any, any]) { p.Search = 0 }},
		{"a large search", "want at least", func(p *worstcase.Privacy[any, any]) { p.Search = 40 }},
		{"no mechanism", "no mechanism", func(p *worstcase.Privacy[any, any]) { p.Audit.Mechanism = nil }},
		{"a bad claim", "claimed ε = -1", func(p *worstcase.Privacy[any, any]) { p.Audit.Guarantee = privacy.ApproximateDP(-1, 0) }},
		{"a mechanism that fails", "B = []: no data", func(p *worstcase.Privacy[any, any]) {
			p.Audit.Mechanism = release(func(_ *rand.Rand, input any) (any, error) {
				if len(input.([]any)) == 0 {
					return nil, errors.New("no data")
				}
				return 1.0, nil
			})
		}},
		{"a mechanism that changes its input", "changes its input", func(p *worstcase.Privacy[any, any]) {
			p.Audit.Mechanism = release(func(r *rand.Rand, input any) (any, error) {
				if list := input.([]any); len(list) > 0 {
					list[0] = int64(r.IntN(9))
				}
				return laplace(r, 1), nil
			})
		}},
	} {
		p := good
		c.spoil(&p)
		_, err := verify.Judge(context.Background(), p, settings(1e-6, 1), empirical.NewPool(2), nil)
		if err == nil || !strings.Contains(strings.ReplaceAll(fmt.Sprint(err), "): ", ": "), c.want) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
}
