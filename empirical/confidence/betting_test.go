package confidence

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/internal/testutil"
)

// drawCounts draws the counts of a block with n outcomes for each input.
func drawCounts(r *rand.Rand, p, q float64, n int64) (x, y int64) {
	for range n {
		if r.Float64() < p {
			x++
		}
		if r.Float64() < q {
			y++
		}
	}
	return x, y
}

// stoppingTime returns the number of samples of each input until the claim is refuted at 5 %.
func stoppingTime(t *testing.T, r *rand.Rand, p, q, claim float64, block, limit int64) int64 {
	e, err := NewEProcess(NotAbove, claim, 0, Pilot{})
	if err != nil {
		t.Fatal(err)
	}
	for n := block; n <= limit; n += block {
		x, y := drawCounts(r, p, q, block)
		if err := e.Observe(x, block, y, block); err != nil {
			t.Fatal(err)
		}
		if e.Rejected(0.05) {
			return n
		}
	}
	return limit
}

func TestEProcessRefutesEarly(t *testing.T) {
	cases := []struct {
		reason       string
		truth, claim float64
		block, want  int64
	}{
		{"laplace 1 → 2", 2, 1, 4, 100},
		{"laplace 0.1 → 0.2", 0.2, 0.1, 16, 2300},
		{"laplace 1 → 1.1", 1.1, 1, 32, 5800},
	}
	for i, c := range cases {
		var times []int64
		for run := range 201 {
			r := rand.New(rand.NewPCG(uint64(i), uint64(run)))
			times = append(times, stoppingTime(t, r, 0.5, 0.5*math.Exp(-c.truth), c.claim, c.block, 20*c.want))
		}
		slices.Sort(times)
		t.Logf("%s: median %d, deciles %d, %d", c.reason, times[100], times[20], times[180])
		if times[100] > c.want {
			t.Errorf("%s: median of %d samples a side, want at most %d", c.reason, times[100], c.want)
		}
	}
}

// A block never costs more than the current wealth, even after counts that lead to extreme bets.
func TestWealthStaysPositive(t *testing.T) {
	kinds := [][2]int64{{4, 0}, {0, 4}, {4, 4}, {0, 0}}
	for _, eps := range []float64{0, 0.1, 1, 3, 6} {
		for _, statement := range []Statement{NotAbove, NotBelow} {
			for _, sure := range kinds {
				e, err := NewEProcess(statement, eps, 0.01, Pilot{})
				if err != nil {
					t.Fatal(err)
				}
				for _, block := range append(slices.Repeat([][2]int64{sure}, 30), kinds...) {
					if err := e.Observe(block[0], 4, block[1], 4); err != nil {
						t.Fatal(err)
					}
					for j, w := range e.logWealth {
						if math.IsNaN(w) || math.IsInf(w, 0) {
							t.Fatalf("ε = %v, %v after %v: the wealth of bet %d is exp(%v)", eps, block, sure, j, w)
						}
					}
				}
			}
		}
	}
}

// One block multiplies the expected wealth by at most 1, for every past, all block sizes and every member of the
// statement. The test enumerates the outcomes.
func TestEProcessNeverGainsUnderItsStatement(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		side := rapid.SampledFrom([]Statement{NotAbove, NotBelow}).Draw(t, "statement")
		eps := rapid.Float64Range(-2, 4).Draw(t, "eps")
		delta := rapid.SampledFrom([]float64{0, 1e-3, 0.3}).Draw(t, "delta")
		n1, n2 := rapid.Int64Range(1, 9).Draw(t, "n1"), rapid.Int64Range(1, 9).Draw(t, "n2")
		past := rapid.Int64Range(0, 5000).Draw(t, "past")
		pastX, pastY := rapid.Int64Range(0, past).Draw(t, "past x"), rapid.Int64Range(0, past).Draw(t, "past y")
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		edge, _ := boundary{math.Exp(eps), delta}.p(q)
		share := rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "share")
		p := edge * share
		if side == NotBelow {
			if math.Exp(eps)*q+delta > 1 {
				t.Skip("no such p")
			}
			p = 1 - (1-edge)*share
		}
		px, py := binomialMasses(n1, p), binomialMasses(n2, q)
		expected := 0.0
		for x := range n1 + 1 {
			for y := range n2 + 1 {
				e, err := NewEProcess(side, eps, delta, Pilot{pastX, max(1, past), pastY, max(1, past)})
				if err != nil {
					t.Fatal(err)
				}
				if err := e.Observe(x, n1, y, n2); err != nil {
					t.Fatal(err)
				}
				expected += px[x] * py[y] * math.Exp(e.LogWealth())
			}
		}
		if expected > 1+1e-9 {
			t.Fatalf("expected wealth %v at p = %v, q = %v", expected, p, q)
		}
	})
}

// Invalid variants of the bet have an expected wealth above 1, so the tests of validity can fail.
func TestFaultyBetsGain(t *testing.T) {
	const p0, q0, ratio, n1, n2 = 0.5, 0.25, 2.0, 3, 3 // t = 2
	expected := func(p, q float64, n1, n2 int64, factor func(c countPair) float64) float64 {
		px, py, sum := binomialMasses(n1, p), binomialMasses(n2, q), 0.0
		for x := range n1 + 1 {
			for y := range n2 + 1 {
				sum += px[x] * py[y] * factor(countPair{float64(x), float64(n1), float64(y), float64(n2)})
			}
		}
		return sum
	}
	sound := func(c countPair) float64 { return math.Exp(logFactor(c, p0, q0, 0.3, -0.3*ratio)) }
	if got := expected(0.6, 0.3, n1, n2, sound); got > 1 {
		t.Errorf("the sound bet gains: %v", got)
	}
	cut := func(c countPair) float64 { // stakes beyond the largest, the factors cut at 0
		const a, b = 1.9, -1.9 * ratio
		x := math.Pow(1+a*(1-p0), c.x) * math.Pow(math.Max(0, 1-a*p0), c.n1-c.x)
		y := math.Pow(math.Max(0, 1+b*(1-q0)), c.y) * math.Pow(1-b*q0, c.n2-c.y)
		return x * y
	}
	if got := expected(p0, q0, n1, n2, cut); got <= 1 {
		t.Errorf("cutting the factor: expected wealth %v", got)
	}
	if got := expected(0.6, 0.3, 6, 2, sound); got <= 1 { // the sizes of the streams ignored
		t.Errorf("unequal blocks with the stakes of equal ones: expected wealth %v", got)
	}
}

// True claims at the boundary are refuted with probability at most 5 % under optional stopping. At an exact level
// of 5 %, more than 73 of 1000 runs or 135 of 2000 runs reject with probability below 1e-3. A level of 10 % is
// detected with probability 0.99.
func TestEProcessCalibration(t *testing.T) {
	cases := []struct {
		reason        string
		p, eps, delta float64
		block         int64
	}{
		{"laplace", 0.5, 1, 0, 8}, {"small eps", 0.5, 0.1, 0, 8}, {"rare event", 0.02, 1, 0, 32},
		{"delta", 0.3, 1, 0.05, 8}, {"nearly certain", 0.98, 0.02, 0, 4},
	}
	runs, most := testutil.Size(1000, 2000), testutil.Size(73, 135)
	for i, c := range cases {
		q := (c.p - c.delta) * math.Exp(-c.eps)
		rejected := [2]int{}
		for run := range runs {
			r := rand.New(rand.NewPCG(uint64(100+i), uint64(run)))
			above, _ := NewEProcess(NotAbove, c.eps, c.delta, Pilot{})
			below, _ := NewEProcess(NotBelow, c.eps, c.delta, Pilot{})
			for range 60 {
				x, y := drawCounts(r, c.p, q, c.block)
				if above.Observe(x, c.block, y, c.block) != nil || below.Observe(x, c.block, y, c.block) != nil {
					t.Fatal("block refused")
				}
			}
			for j, e := range []*EProcess{above, below} {
				if e.Rejected(0.05) {
					rejected[j]++
				}
			}
		}
		if rejected[0] > most || rejected[1] > most {
			t.Errorf("%s: %v of %d true statements rejected", c.reason, rejected, runs)
		}
	}
}

// Negative control: a fixed-size test evaluated after every block rejects far too often.
func TestPeekingAtFixedSizeTestsIsSeen(t *testing.T) {
	rejected := 0
	for run := range 400 {
		r := rand.New(rand.NewPCG(9, uint64(run)))
		var x, y, n int64
		for range 60 {
			dx, dy := drawCounts(r, 0.5, 0.5*math.Exp(-1), 8)
			x, y, n = x+dx, y+dy, n+8
			if EpsilonLowerFast(x, n, y, n, 0, 0.05) > 1 {
				rejected++
				break
			}
		}
	}
	if rejected <= 40 { // 5 % would be 20; 40 has probability below 1e-4
		t.Errorf("peeking rejected %d of 400 only", rejected)
	}
}

func TestAnytimeLimitCoversAtAllTimes(t *testing.T) {
	const truth, p = 1.0, 0.5
	rungs, err := EpsilonLadder(0.05, 5, 24)
	if err != nil {
		t.Fatal(err)
	}
	runs, most := testutil.Size(200, 400), testutil.Size(21, 36) // at 5 %, more have a probability below 1e-3
	missed := 0
	for run := range runs {
		r := rand.New(rand.NewPCG(11, uint64(run)))
		limits, err := NewAnytimeEpsilon(0, rungs, Pilot{})
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			x, y := drawCounts(r, p, p*math.Exp(-truth), 25)
			if err := limits.Observe(x, 25, y, 25); err != nil {
				t.Fatal(err)
			}
		}
		upper := limits.Upper(0.05)
		if upper <= truth {
			missed++
		}
		if !(upper <= 2) {
			t.Errorf("run %d: limit %v after 1000 samples", run, upper)
		}
	}
	if missed > most {
		t.Errorf("missed %v of %d", missed, runs)
	}
}

func TestEProcessRefusesBadInput(t *testing.T) {
	for _, c := range [][2]float64{{math.NaN(), 0}, {math.Inf(1), 0}, {1, -0.1}, {1, 1}, {1, math.NaN()}} {
		if _, err := NewEProcess(NotAbove, c[0], c[1], Pilot{}); !errors.Is(err, ErrDomain) {
			t.Errorf("eps = %v, delta = %v: error %v", c[0], c[1], err)
		}
	}
	if _, err := NewEProcess(NotAbove, 1, 0, Pilot{X: 2, N1: 1, N2: 1}); !errors.Is(err, ErrDomain) {
		t.Errorf("pilot: error %v", err)
	}
	e, _ := NewEProcess(NotBelow, 1, 0, Pilot{})
	for _, c := range [][4]int64{{1, 0, 0, 1}, {2, 1, 0, 1}, {0, 1, -1, 1}, {0, 1, 0, 0}} {
		if err := e.Observe(c[0], c[1], c[2], c[3]); !errors.Is(err, ErrDomain) {
			t.Errorf("block %v: error %v", c, err)
		}
	}
	if e.LogWealth() != 0 {
		t.Errorf("refused blocks were bet on: %v", e.LogWealth())
	}
	if _, err := NewAnytimeEpsilon(0, []float64{1, 1}, Pilot{}); !errors.Is(err, ErrDomain) {
		t.Errorf("rungs: error %v", err)
	}
	if _, err := EpsilonLadder(0, 1, 5); !errors.Is(err, ErrDomain) {
		t.Errorf("ladder: error %v", err)
	}
}

func BenchmarkEProcessObserve(b *testing.B) {
	e, err := NewEProcess(NotAbove, 1, 0, Pilot{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := e.Observe(50, 100, 20, 100); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAnytimeObserve(b *testing.B) {
	rungs, err := EpsilonLadder(0.01, 20, 150)
	if err != nil {
		b.Fatal(err)
	}
	limits, err := NewAnytimeEpsilon(0, rungs, Pilot{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := limits.Observe(50, 100, 20, 100); err != nil {
			b.Fatal(err)
		}
	}
}

// A statement is rejected at alpha exactly when the wealth reaches 1/alpha (Ville). Runs of bets do not come close
// enough to this threshold to detect an error in it.
func TestRejectedFromTheReciprocalOn(t *testing.T) {
	for _, alpha := range []float64{0.5, 0.05, 1e-6, 1e-300} {
		enough := -math.Log(alpha)
		if e := (EProcess{peak: enough}); !e.Rejected(alpha) {
			t.Errorf("a wealth of 1/%v does not reject", alpha)
		}
		if e := (EProcess{peak: math.Nextafter(enough, 0)}); e.Rejected(alpha) {
			t.Errorf("less than 1/%v rejects", alpha)
		}
	}
}
