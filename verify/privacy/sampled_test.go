package privacy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

// coins releases 1 with a probability that depends on the input, 0 or 1.
type coins [2]float64

func (m coins) Release(r *rand.Rand, input int) (int, error) {
	if r.Float64() < m[input] {
		return 1, nil
	}
	return 0, nil
}

// atBoundary returns coins that attain (ε, δ) on the event "1", which has probability q at input 0 and e^ε q + δ at
// input 1.
func atBoundary(q, epsilon, delta float64) coins { return coins{q, math.Exp(epsilon)*q + delta} }

func faithfulCoins(epsilon float64) coins {
	return coins{1 / (1 + math.Exp(epsilon)), 1 / (1 + math.Exp(-epsilon))}
}

func said(bit int) Event[int] {
	return Event[int]{Name: fmt.Sprintf("said %d", bit), Holds: func(o int) bool { return o == bit }}
}

// noise adds Laplace noise of scale 1/ε to a count.
type noise float64

func (epsilon noise) Release(r *rand.Rand, input int) (float64, error) {
	x := r.ExpFloat64() / float64(epsilon)
	if r.Uint64()&1 == 0 {
		x = -x
	}
	return float64(input) + x, nil
}

// halfLines holds the half-lines on which the probability ratio of neighboring counts is exactly e^ε.
var halfLines = []Event[float64]{
	{Name: "at least 1", Holds: func(o float64) bool { return o >= 1 }},
	{Name: "at most 0", Holds: func(o float64) bool { return o <= 0 }},
}

func onCoins(samples int64, m coins, epsilon, delta float64, events ...Event[int]) Sampled[int, int] {
	return Sampled[int, int]{Samples: samples, Effect: 1.5, Cells: []Cell[int, int]{
		{Place: "0 and 1", Mechanism: m, A: 1, B: 0, Epsilon: epsilon, Delta: delta, Events: events},
	}}
}

func swapped(c Sampled[int, int]) Sampled[int, int] {
	c.Cells = slices.Clone(c.Cells)
	for i := range c.Cells {
		c.Cells[i].A, c.Cells[i].B = c.Cells[i].B, c.Cells[i].A
	}
	return c
}

func onCounts(samples int64, m noise, epsilon float64) Sampled[int, float64] {
	return Sampled[int, float64]{Samples: samples, Effect: 1.5, Cells: []Cell[int, float64]{
		{Place: "counts 0 and 1", Mechanism: m, A: 0, B: 1, Epsilon: epsilon, Events: halfLines},
	}}
}

// TestSampledPrivacyCalibration checks the error rate for true claims at the boundary, the worst case. The bound is
// sharper than alpha: each test errs with probability at most alpha/2 divided by the number of tests, and tests away
// from the boundary hardly ever err. The interval also contains the true ε. Per row, the test detects three times the
// permitted rate with probability 0.99 and passes at the permitted rate with probability 0.999 ([verifytest.Wald]).
func TestSampledPrivacyCalibration(t *testing.T) {
	testutil.Skip(t)
	yes, no := said(1), said(0)
	cases := []struct {
		reason          string
		check           verify.Check
		truth           float64
		boundary, tests int
	}{
		{"randomized response at ε = 1, one event", onCoins(2000, faithfulCoins(1), 1, 0, yes), 1, 1, 2},
		{"both events", onCoins(2000, faithfulCoins(0.5), 0.5, 0, yes, no), 0.5, 2, 4},
		{"a rare event, ten times under one input", onCoins(2000, atBoundary(5e-3, 1, 0), 1, 0, yes), 1, 1, 2},
		{"δ = 0.1, in the other direction", swapped(onCoins(2000, atBoundary(0.2, 1, 0.1), 1, 0.1, yes)), 1, 1, 2},
		{"δ = 0.01 and almost no event beside it", onCoins(5000, atBoundary(1e-3, 1, 0.01), 1, 0.01, yes), 1, 1, 2},
		{"Laplace noise on half-lines", onCounts(2000, 1, 1), 1, 2, 4},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			share := 0.5 * float64(c.boundary) / float64(c.tests)
			verifytest.WantErrorsAtMost(t, c.check, 0.2, verifytest.Refutations(share, 3*share),
				verifytest.Error{What: "the interval misses", Most: 1, Fault: 2, Wrong: func(e verify.Evidence) bool {
					return !(e.Lower.X <= c.truth && c.truth <= e.Upper.X)
				}})
		})
	}
}

// TestSampledPrivacyFindsTwins checks that negative controls with twice the claimed loss are refuted. Each exceeds the
// detectable violation by more than 6 standard deviations. 20 runs without a miss exclude a miss rate of 1/4 with
// probability 0.997, the 250 runs of the long form a rate of 1/50.
func TestSampledPrivacyFindsTwins(t *testing.T) {
	yes, no := said(1), said(0)
	cases := []struct {
		reason  string
		check   verify.Check
		witness string
	}{
		{"randomized response at 2ε", onCoins(2000, faithfulCoins(2), 1, 0, yes), "said 1"},
		{"seen on the second event", swapped(onCoins(2000, atBoundary(0.1, 2, 0), 1, 0, no, yes)), "said 1 (B against A)"},
		{"δ = 0.1, from the other input", swapped(onCoins(2000, atBoundary(0.1, 2, 0.1), 1, 0.1, yes)), "said 1 (B against A)"},
		{"δ twice the claim where nothing else happens", onCoins(20_000, coins{0, 0.02}, 1, 0.01, yes), "said 1"},
		{"a claim of ε = 0", onCoins(2000, faithfulCoins(0.5), 0, 0, yes), "said 1"},
		{"Laplace noise at 2ε", onCounts(2000, 2, 1), "at"},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			n := testutil.Size(20, 250)
			found, _ := verifytest.Repeat(t, c.check, n)
			if got := verifytest.CountVerdict(found, verify.Refuted); got < n {
				t.Errorf("refuted in %d of %d runs", got, n)
			}
			for _, e := range found {
				if e.Verdict == verify.Refuted && !strings.Contains(e.WorstCase, ", event "+c.witness) {
					t.Fatalf("witness %q, want the event %q", e.WorstCase, c.witness)
				}
			}
		})
	}
}

// TestSampledPrivacyPowerIsHonest checks that a mechanism with loss Effect·ε is refuted in at least 99 % of the runs
// whose plan claims power, at the smallest number of samples at which plans begin to claim it. The test detects a miss
// rate of 12 % (2 % in the long form) with probability 0.99 ([verifytest.Wald]).
func TestSampledPrivacyPowerIsHonest(t *testing.T) {
	testutil.Skip(t)
	const effect = 1.5
	cases := []struct {
		reason            string
		q, epsilon, delta float64
		long              bool // only in the long form
	}{
		{"randomized response at 1.5ε", 1 / (1 + math.Exp(effect)), 1, 0, false},
		{"a small ε", 0.3, 0.3, 0, false},
		{"an event that the pilot sees 180 times", 0.01, 1, 0, true},
		{"an event that the pilot sees 40 times", 0.001, 1.5, 0, false},
		{"δ = 0.05", 0.1, 1, 0.05, true},
		{"δ = 0.01 above a rare event", 0.01, 1, 0.01, false},
	}
	for _, c := range cases {
		if c.long && !testutil.Asked() {
			continue
		}
		t.Run(c.reason, func(t *testing.T) {
			m := atBoundary(c.q, effect*c.epsilon, c.delta)
			check := onCoins(0, m, c.epsilon, c.delta, said(1))
			check.Effect = effect
			check.Samples = minPoweredSamples(t, check)
			misses := verifytest.Wald{Most: 0.01, Fault: testutil.Size(0.12, 0.02)}
			claimed := uint64(0)
			for i := uint64(0); !misses.Decided(); i++ {
				if !claimsPower(t, check, i) {
					if i > 200 && claimed < i/50 {
						t.Fatalf("%d samples: power is claimed in %d of %d runs", check.Samples, claimed, i)
					}
					continue
				}
				claimed++
				s := verify.Settings{Budget: verify.Standard, Alpha: verifytest.Alpha, Seed: empirical.NewSeed(i)}
				e := verifytest.Judged(t, check, s)
				misses.Add(e.Verdict != verify.Refuted)
			}
			misses.Report(t, fmt.Sprintf("missed at %d samples", check.Samples))
		})
	}
}

// TestSampledPrivacyClaimsNoPowerItLacks checks that at a true power of about 0.9, plans claim a power of 0.99 with
// probability at most pilotError. The events are so rare that a pilot easily overestimates their probability by a factor
// of 2. The test detects a rate of 4 % (1 % in the long form) with probability 0.99 ([verifytest.Wald]).
func TestSampledPrivacyClaimsNoPowerItLacks(t *testing.T) {
	const effect, epsilon, share = 1.5, 1.0, verifytest.Alpha / 4
	for _, p := range testutil.Size([]float64{2e-4, 0.02}, []float64{2e-4, 5e-4, 2e-3, 0.02}) {
		q := p * math.Exp(-effect*epsilon)
		limit := func(n float64) float64 { // 0.9 standard deviations on either side: 1.28 together
			x, y := n*p-0.9*math.Sqrt(n*p), n*q+0.9*math.Sqrt(n*q)
			return confidence.EpsilonLower(int64(x), int64(n), int64(y), int64(n), 0, share)
		}
		n := 1 / p
		for limit(n) <= epsilon {
			n *= 1.05
		}
		check := onCoins(int64(n), coins{q, p}, epsilon, 0, said(1))
		claims := verifytest.Wald{Most: pilotError, Fault: testutil.Size(0.04, 0.01)}
		for i := uint64(0); !claims.Decided(); i++ {
			claims.Add(claimsPower(t, check, i))
		}
		claims.Report(t, fmt.Sprintf("power claimed at %d samples", check.Samples))
	}
}

func claimsPower(t *testing.T, check Sampled[int, int], seed uint64) bool {
	t.Helper()
	trial, err := check.Prepare(context.Background(), verify.Settings{Budget: verify.Standard, Alpha: verifytest.Alpha, Seed: empirical.NewSeed(seed)})
	if err != nil {
		t.Fatal(err)
	}
	return trial.Plan().Power > 0
}

// minPoweredSamples returns the smallest number of samples at which three of ten plans claim power, to a relative precision
// of about 1/8.
func minPoweredSamples(t *testing.T, check Sampled[int, int]) int64 {
	t.Helper()
	enough := func(samples int64) bool {
		check.Samples = samples
		claims := 0
		for i := range uint64(10) {
			if claimsPower(t, check, 1000+i) {
				if claims++; claims == 3 {
					return true
				}
			}
		}
		return false
	}
	samples := int64(400)
	for ; !enough(samples); samples *= 2 {
		if samples > 5_000_000 {
			t.Fatal("no plan claims power")
		}
	}
	for samples /= 2; !enough(samples); samples += samples / 8 {
	}
	return samples
}

func TestSampledPrivacyVerdictWithoutPower(t *testing.T) {
	two := onCoins(20_000, faithfulCoins(1), 1, 0, said(1))
	never := two.Cells[0]
	never.Place, never.Events = "never", []Event[int]{{Name: "said 2", Holds: func(o int) bool { return o == 2 }}}
	half := slices.Clone(two.Cells)
	half = append(half, never)
	cases := []struct {
		reason string
		check  Sampled[int, int]
		want   verify.Verdict
		power  bool
	}{
		{"enough samples", two, verify.Consistent, true},
		{"too few", onCoins(100, faithfulCoins(1), 1, 0, said(1)), verify.Inconclusive, false},
		{"an event that never happens", Sampled[int, int]{Samples: 20_000, Effect: 1.5, Cells: []Cell[int, int]{never}}, verify.Inconclusive, false},
		{"one of two cells has no power", Sampled[int, int]{Samples: 20_000, Effect: 1.5, Cells: half}, verify.Inconclusive, false},
		{"ε = 0, the small violation is 0.1", onCoins(20_000, coins{0.5, 0.5}, 0, 0, said(1)), verify.Consistent, true},
		{"ε = 0, too few samples for 0.1", onCoins(1000, coins{0.5, 0.5}, 0, 0, said(1)), verify.Inconclusive, false},
		{"a violation needs no power", onCoins(400, coins{0, 1}, 1, 0, said(1)), verify.Refuted, false},
	}
	for _, c := range cases {
		found, powered := verifytest.Repeat(t, c.check, 1)
		e := found[0]
		if e.Verdict != c.want || c.want != verify.Refuted && powered[0] != c.power {
			t.Errorf("%s: %s, power claimed: %v; want %s, %v", c.reason, e.Verdict, powered[0], c.want, c.power)
		}
		if e.WorstCase == "" || strings.HasSuffix(e.WorstCase, "event ") || !e.Measured.Set || len(e.Cells) != len(c.check.Cells) {
			t.Errorf("%s: witness %q, measured %v, %d cells", c.reason, e.WorstCase, e.Measured, len(e.Cells))
		}
		if strings.Contains(e.Power, "with probability at least") != powered[0] {
			t.Errorf("%s: power claimed: %v, text %q", c.reason, powered[0], e.Power)
		}
	}
}

// TestSampledPrivacySharesAlpha checks that the shares of any number of tests add up to alpha.
func TestSampledPrivacySharesAlpha(t *testing.T) {
	cell := onCoins(400, faithfulCoins(1), 1, 0, said(0), said(1)).Cells[0]
	for cells := 1; cells <= 5; cells++ {
		check := Sampled[int, int]{Samples: 400, Effect: 1.5, Cells: slices.Repeat([]Cell[int, int]{cell}, cells)}
		trial, err := check.Prepare(context.Background(), verify.Settings{Budget: verify.Standard, Alpha: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		p := trial.(*privacyTrial[int, int])
		limits := 2 * 2 * 2 * cells // lower and upper, two events, two directions
		if sum := float64(limits) * p.judge.share(); math.Abs(sum-0.01) > 1e-15 {
			t.Errorf("%d cells: the shares add up to %v", cells, sum)
		}
	}
}

func TestSampledPrivacyCountsAllSamples(t *testing.T) {
	for budget, want := range map[verify.Budget]int64{verify.Quick: 1600, verify.Standard: 12_800, verify.Thorough: 128_000} {
		trial, err := onCoins(12_800, coins{1, 1}, 1, 0, said(1)).Prepare(context.Background(), verify.Settings{Budget: budget, Alpha: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		tally, err := empirical.Run(context.Background(), trial, empirical.Options{Pool: verifytest.Pool})
		if err != nil {
			t.Fatal(err)
		}
		if got := tally.(empirical.Counts); !slices.Equal(got, empirical.Counts{want, want}) || trial.Plan().Samples() != want {
			t.Errorf("%s: counts %v of a certain event, plan of %d, want %d", budget, got, trial.Plan().Samples(), want)
		}
	}
}

// TestSampledPrivacyStreamsDiffer checks that each input of each cell has its own random stream. Two of the four counts
// are equal by chance with probability below 6/√(π·100,000) = 0.011.
func TestSampledPrivacyStreamsDiffer(t *testing.T) {
	check := onCoins(100_000, coins{0.5, 0.5}, 1, 0, said(1))
	check.Cells = append(check.Cells, check.Cells[0])
	check.Cells[1].Place = "once more"
	trial, err := check.Prepare(context.Background(), verify.Settings{Budget: verify.Standard, Alpha: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	tally, err := empirical.Run(context.Background(), trial, empirical.Options{Pool: verifytest.Pool})
	if err != nil {
		t.Fatal(err)
	}
	counts := slices.Clone(tally.(empirical.Counts))
	slices.Sort(counts)
	if len(slices.Compact(counts)) != 4 {
		t.Errorf("counts %v of fair coins", tally)
	}
}

// batches is the batch form of coins. Its Release returns an error.
type batches struct{ coins }

func (batches) Release(*rand.Rand, int) (int, error) { return 0, errors.New("one at a time") }

func (m batches) ReleaseN(r *rand.Rand, input int, out []int) error {
	for i := range out {
		out[i], _ = m.coins.Release(r, input)
	}
	return nil
}

func TestSampledPrivacyBatchForm(t *testing.T) {
	plain := onCoins(2000, faithfulCoins(1), 1, 0, said(1))
	batch := onCoins(2000, coins{}, 1, 0, said(1))
	batch.Cells[0].Mechanism = batches{faithfulCoins(1)}
	a, b := verifytest.EvidenceOf(t, plain), verifytest.EvidenceOf(t, batch)
	if a.Measured != b.Measured || a.Lower != b.Lower || a.Samples == 0 {
		t.Errorf("one at a time %+v, in batches %+v", a, b)
	}
}

type mechanismFunc func(r *rand.Rand, input int) (int, error)

func (f mechanismFunc) Release(r *rand.Rand, input int) (int, error) { return f(r, input) }

func TestSampledPrivacyRejectsInvalidInput(t *testing.T) {
	broken := errors.New("out of order")
	good := onCoins(400, faithfulCoins(1), 1, 0, said(1)).Cells[0]
	cases := []struct {
		reason string
		change func(c *Cell[int, int])
		names  string
	}{
		{"no mechanism", func(c *Cell[int, int]) { c.Mechanism = nil }, "mechanism"},
		{"no events", func(c *Cell[int, int]) { c.Events = nil }, "event"},
		{"negative ε", func(c *Cell[int, int]) { c.Epsilon = -1 }, "ε = -1"},
		{"NaN ε", func(c *Cell[int, int]) { c.Epsilon = math.NaN() }, "ε = NaN"},
		{"infinite ε, which nothing can refute", func(c *Cell[int, int]) { c.Epsilon = math.Inf(1) }, "ε = +Inf"},
		{"NaN δ", func(c *Cell[int, int]) { c.Delta = math.NaN() }, "δ = NaN"},
		{"δ = 1", func(c *Cell[int, int]) { c.Delta = 1 }, "δ = 1"},
		{"a mechanism that fails", func(c *Cell[int, int]) {
			c.Mechanism = mechanismFunc(func(*rand.Rand, int) (int, error) { return 0, broken })
		}, broken.Error()},
		{"a mechanism that panics", func(c *Cell[int, int]) {
			c.Mechanism = mechanismFunc(func(*rand.Rand, int) (int, error) { panic("burst") })
		}, "panic: burst"},
	}
	for _, c := range cases {
		bad := good
		bad.Place = "cell 7"
		c.change(&bad)
		err := verifytest.FailureOf(t, Sampled[int, int]{Samples: 400, Effect: 1.5, Cells: []Cell[int, int]{good, bad}})
		if !strings.Contains(err.Error(), c.names) || !strings.Contains(err.Error(), "cell 7") && !strings.Contains(c.names, "panic") {
			t.Errorf("%s: %q does not name %q and the cell", c.reason, err, c.names)
		}
	}
	verifytest.FailureOf(t, Sampled[int, int]{Samples: 400, Effect: 1.5})
	late := good
	late.Mechanism = mechanismFunc(func(r *rand.Rand, input int) (int, error) { // fails about once in 20,000
		if r.Uint64()%20_000 == 0 {
			return 0, broken
		}
		return 1, nil
	})
	if err := verifytest.FailureOf(t, Sampled[int, int]{Samples: 1_000_000, Effect: 1.5, Cells: []Cell[int, int]{late}}); !errors.Is(err, broken) {
		t.Errorf("a failure while sampling: %v", err)
	}
}
