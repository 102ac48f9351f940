package confidence

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
)

// geometric returns first, first·ratio, …, n points.
func geometric(first, ratio float64, n int) []float64 {
	grid := make([]float64, n)
	for i := range grid {
		grid[i] = first * math.Pow(ratio, float64(i))
	}
	return grid
}

// computed returns exact points of a law.
func computed(grid []float64, law func(x float64) float64) []SlopePoint {
	points := make([]SlopePoint, len(grid))
	for i, x := range grid {
		points[i] = SlopePoint{X: x, Mean: law(x)}
	}
	return points
}

func power(c, a float64) func(float64) float64 {
	return func(x float64) float64 { return c * math.Pow(x, a) }
}

func TestFitSlopeOfKnownLaws(t *testing.T) {
	up, down := geometric(1000, 2, 7), geometric(1, 0.5, 8)
	// log m = −u/2 + u²/50 has slope −1/2 + u/25.
	bent := func(x float64) float64 { u := math.Log(x); return math.Exp(-u/2 + u*u/50) }
	falling := func(x float64) float64 { u := math.Log(x); return math.Exp(-u * u / 50) }
	cases := []struct {
		reason       string
		grid         []float64
		law          func(float64) float64
		lower, upper float64 // the interval, to 1e-9
		end          float64
		drifts       bool
	}{
		{"n^−1/4", up, power(3, -0.25), -0.25, -0.25, -0.25, false},
		{"n^−1", up, power(1e-200, -1), -1, -1, -1, false},
		{"a constant", up, power(7, 0), 0, 0, 0, false},
		{"ε^−2 as ε falls", down, power(1, -2), -2, -2, -2, false},
		{"uneven steps", []float64{1, 2, 5, 6, 100, 101}, power(1, 0.5), 0.5, 0.5, 0.5, false},
		{"a parabola: the line over the last four points, to the slope at the end", up, bent,
			-0.5 + math.Log(up[3]*up[6])/2/25, -0.5 + math.Log(up[6])/25, -0.5 + math.Log(up[6])/25, true},
		{"one bent the other way", up, falling, -math.Log(up[6]) / 25, -math.Log(up[3]*up[6]) / 2 / 25, -math.Log(up[6]) / 25, true},
	}
	for _, c := range cases {
		s, err := FitSlope(computed(c.grid, c.law), 0.01, 0.1)
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		if !(math.Abs(s.Lower-c.lower) < 1e-9 && math.Abs(s.Upper-c.upper) < 1e-9 && math.Abs(s.End-c.end) < 1e-9) || s.Drifts != c.drifts {
			t.Errorf("%s: [%v, %v], at the end %v, drifts: %v; want [%v, %v], %v, %v", c.reason, s.Lower, s.Upper, s.End, s.Drifts, c.lower, c.upper, c.end, c.drifts)
		}
		if len(s.Local) != len(c.grid)-1 {
			t.Errorf("%s: %d local slopes", c.reason, len(s.Local))
		}
	}
}

// Leading points that bend the line are excluded, and no more than needed.
func TestFitSlopeLeavesLeadingPointsOut(t *testing.T) {
	law := func(x float64) float64 { return power(1, -0.5)(x) + power(60, -1.5)(x) }
	s, err := FitSlope(computed(geometric(100, 2, 10), law), 0.01, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	if s.From < 2 || s.From > 5 || s.Drifts || !(s.Lower <= -0.5 && math.Abs(s.Value+0.5) < 0.05) {
		t.Errorf("%+v", s)
	}
}

// For n^−1/2 + c·n^−γ the slope differs from −1/2 by about c(γ−1/2) n^(1/2−γ), so the X at which it settles is
// known. A geometric series gives only its order of magnitude, which the test requires.
func TestFitSlopeForecast(t *testing.T) {
	grid := geometric(1000, 2, 8)
	cases := []struct {
		reason   string
		c, gamma float64
	}{
		{"c/n", 5, 1}, {"c/n, negative", -5, 1}, {"c/n^1.5", 100, 1.5},
	}
	for _, c := range cases {
		law := func(x float64) float64 { return power(1, -0.5)(x) + power(c.c, -c.gamma)(x) }
		s, err := FitSlope(computed(grid, law), 0.01, 0.02)
		if err != nil {
			t.Fatal(err)
		}
		want := math.Max(grid[7], math.Pow(math.Abs(c.c)*(c.gamma-0.5)/0.01, 1/(c.gamma-0.5)))
		if !(s.Settles > want/4 && s.Settles < want*4) || math.Abs(s.Limit+0.5) > 0.03 {
			t.Errorf("%s: settles at %v near %v, want about %v near −0.5", c.reason, s.Settles, s.Limit, want)
		}
	}
	s, err := FitSlope(computed(grid, func(x float64) float64 { return math.Exp(-x / 1e4) }), 0.01, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(s.Settles) || !s.Drifts {
		t.Errorf("an exponential law: %+v", s)
	}
}

// slopeRuns is the number of runs of a calibration test.
func slopeRuns() int { return testutil.Size(2000, 20_000) }

// sampledMeans draws n log-normal values with mean law(x) and standard deviation sigma of the logarithm.
func sampledMeans(t *testing.T, r *rand.Rand, grid []float64, n int, sigma float64, law func(float64) float64) []SlopePoint {
	t.Helper()
	points := make([]SlopePoint, len(grid))
	for i, x := range grid {
		var m Moments
		for range n {
			if err := m.Add(law(x) * math.Exp(sigma*r.NormFloat64()-sigma*sigma/2)); err != nil {
				t.Fatal(err)
			}
		}
		points[i] = SlopePoint{X: x, Mean: m.Mean(), StdErr: m.StdDev() / math.Sqrt(float64(n)), Freedom: float64(n - 1)}
	}
	return points
}

// On a power law the interval misses with probability at most alpha, and on a parabola, whose final slope is known,
// at most 1 %. The false-alarm probability of each row is at most 1e-3. As a negative control, an interval that
// ignores the curvature misses the end of the parabola in most runs.
func TestFitSlopeCoverage(t *testing.T) {
	grid := geometric(1000, 2, 7)
	const curve = 0.01
	bent := func(x float64) float64 { u := math.Log(x / 1000); return math.Exp(-u/2 + curve*u*u) }
	cases := []struct {
		reason       string
		n            int
		sigma, alpha float64
		law          func(float64) float64
		truth, miss  float64
	}{
		{"a power law", 30, 0.5, 0.1, power(1, -0.5), -0.5, 0.1},
		{"a power law with few replicates", 12, 0.3, 0.05, power(1, -1), -1, 0.05},
		{"a parabola", 100, 0.2, 0.05, bent, -0.5 + 2*curve*math.Log(grid[6]/1000), slopeShape},
		{"a power law with two replicates: Student's limits, not the normal ones", 2, 0.05, 0.05, power(1, -1), -1, 0.05},
	}
	for k, c := range cases {
		r := rand.New(rand.NewPCG(31, uint64(k)))
		runs := slopeRuns() / 2
		missed, straight := 0, 0
		for range runs {
			s, err := FitSlope(sampledMeans(t, r, grid, c.n, c.sigma, c.law), c.alpha, 0.1)
			if err != nil {
				t.Fatal(err)
			}
			if !(s.Lower <= c.truth && c.truth <= s.Upper) {
				missed++
			}
			if !(math.Abs(s.Value-c.truth) <= 0.02) {
				straight++
			}
		}
		least, err := BinomialLower(int64(missed), int64(runs), 1e-3)
		if err != nil {
			t.Fatal(err)
		}
		if least > c.miss {
			t.Errorf("%s: missed in %d of %d runs, want a rate of at most %v", c.reason, missed, runs, c.miss)
		}
		if c.miss == slopeShape && straight < runs*9/10 {
			t.Errorf("%s: the straight line alone is off in %d of %d runs only: the case has no teeth", c.reason, straight, runs)
		}
	}
}

func TestFitSlopeRefusesBadInput(t *testing.T) {
	good := func() []SlopePoint { return computed(geometric(1, 2, 6), power(1, -1)) }
	nan := math.NaN()
	cases := []struct {
		reason            string
		change            func(p []SlopePoint) []SlopePoint
		alpha, resolution float64
	}{
		{"four points", func(p []SlopePoint) []SlopePoint { return p[:4] }, 0.01, 0.1},
		{"alpha of 0", nil, 0, 0.1},
		{"alpha NaN", nil, nan, 0.1},
		{"resolution NaN", nil, 0.01, nan},
		{"negative resolution", nil, 0.01, -1},
		{"mean of 0", func(p []SlopePoint) []SlopePoint { p[2].Mean = 0; return p }, 0.01, 0.1},
		{"mean NaN", func(p []SlopePoint) []SlopePoint { p[2].Mean = nan; return p }, 0.01, 0.1},
		{"mean infinite", func(p []SlopePoint) []SlopePoint { p[2].Mean = math.Inf(1); return p }, 0.01, 0.1},
		{"X of 0", func(p []SlopePoint) []SlopePoint { p[0].X = 0; return p }, 0.01, 0.1},
		{"X repeated", func(p []SlopePoint) []SlopePoint { p[1].X = p[0].X; return p }, 0.01, 0.1},
		{"X turns", func(p []SlopePoint) []SlopePoint { p[5].X = 1; return p }, 0.01, 0.1},
		{"error NaN", func(p []SlopePoint) []SlopePoint { p[0].StdErr = nan; return p }, 0.01, 0.1},
		{"error without freedom", func(p []SlopePoint) []SlopePoint { p[0].StdErr = 1; return p }, 0.01, 0.1},
	}
	for _, c := range cases {
		p := good()
		if c.change != nil {
			p = c.change(p)
		}
		if _, err := FitSlope(p, c.alpha, c.resolution); !errors.Is(err, ErrDomain) {
			t.Errorf("%s: error %v", c.reason, err)
		}
	}
}

// The tail at the quantile equals alpha, also where gonum's quantile fails. With one degree of freedom the quantile
// is cot(π·alpha/2).
func TestStudentQuantile(t *testing.T) {
	for _, alpha := range []float64{0.5, 0.05, 1e-3, 1e-8, 1e-12} {
		for _, df := range []float64{1, 2.5, 11, 1000, 1e7, 1e12} {
			q := studentQuantile(alpha, df)
			if back := StudentTwoSided(q, df); !(math.Abs(back/alpha-1) < 1e-6) {
				t.Errorf("alpha = %v, df = %v: the tail beyond %v is %v", alpha, df, q, back)
			}
		}
		if q, want := studentQuantile(alpha, 1), 1/math.Tan(math.Pi*alpha/2); !(math.Abs(q/want-1) < 1e-9) {
			t.Errorf("alpha = %v, one degree of freedom: %v, want %v", alpha, q, want)
		}
	}
}

func TestMomentsMergeAndSurviveJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var whole Moments
	var parts [3]Moments
	for i := range 3000 {
		x := 1e6 + r.NormFloat64()
		if whole.Add(x) != nil || parts[i%3].Add(x) != nil {
			t.Fatal("refused")
		}
	}
	var merged Moments
	for i := range parts {
		data, err := json.Marshal(&parts[i])
		if err != nil {
			t.Fatal(err)
		}
		var read Moments
		if err := json.Unmarshal(data, &read); err != nil || read != parts[i] {
			t.Fatalf("read %+v, wrote %+v: %v", read, parts[i], err)
		}
		if err := merged.Merge(&read); err != nil {
			t.Fatal(err)
		}
	}
	if merged.N() != 3000 || math.Abs(merged.Mean()-whole.Mean()) > 1e-9 || math.Abs(merged.StdDev()/whole.StdDev()-1) > 1e-9 {
		t.Errorf("merged %v ± %v of %d, want %v ± %v", merged.Mean(), merged.StdDev(), merged.N(), whole.Mean(), whole.StdDev())
	}
	if err := merged.Merge(empirical.Counts{1}); err == nil {
		t.Error("merged counts")
	}
	for _, bad := range []string{`{"n":-1}`, `{"n":2,"squares":-1}`, `[]`} {
		if err := json.Unmarshal([]byte(bad), &merged); err == nil {
			t.Errorf("read %s", bad)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		if err := merged.Add(x); !errors.Is(err, ErrDomain) {
			t.Errorf("Add(%v): %v", x, err)
		}
	}
	var empty Moments
	if _, _, err := empty.Interval(0.05); !errors.Is(err, ErrDomain) || !math.IsNaN(empty.Mean()) || !math.IsNaN(empty.StdDev()) {
		t.Errorf("empty moments: %v, %v, %v", empty.Mean(), empty.StdDev(), err)
	}
}

// Student's interval is exact for normal values. The false-alarm probability is 1e-3 on each side.
func TestMomentsIntervalCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	runs, missed := slopeRuns(), 0
	for range runs {
		var m Moments
		for range 6 {
			if err := m.Add(3 + r.NormFloat64()); err != nil {
				t.Fatal(err)
			}
		}
		lower, upper, err := m.Interval(0.1)
		if err != nil {
			t.Fatal(err)
		}
		if !(lower <= 3 && 3 <= upper) {
			missed++
		}
	}
	low, high, err := ClopperPearson(int64(missed), int64(runs), 2e-3)
	if err != nil || !(low <= 0.1 && 0.1 <= high) {
		t.Errorf("missed %d of %d (%v)", missed, runs, err)
	}
}

func BenchmarkFitSlope(b *testing.B) {
	points := computed(geometric(1000, 2, 10), power(1, -0.5))
	for i := range points {
		points[i].StdErr, points[i].Freedom = points[i].Mean/50, 99
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FitSlope(points, 1e-8, 0.1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMomentsAdd(b *testing.B) {
	var m Moments
	b.ReportAllocs()
	for b.Loop() {
		if m.Add(0.1234) != nil {
			b.Fatal("refused")
		}
	}
}

// The limits of all means hold together with probability 1 − alpha, or 1 − slopeShape for the parabola: each of the
// two limits of n means gets a share 1/(2n).
func TestSlopeSplitsItsError(t *testing.T) {
	const n, alpha = 7, 0.03
	asked := make(map[float64]int)
	var points []SlopePoint
	for i := range n {
		x := float64(int(1) << i)
		points = append(points, SlopePoint{X: x, Mean: 1 / x, StdErr: 0.01 / x, Freedom: 100, Limits: func(a float64) (lower, upper float64, err error) {
			asked[a]++
			return 0.99 / x, 1.01 / x, nil
		}})
	}
	if _, err := FitSlope(points, alpha, 0.1); err != nil {
		t.Fatal(err)
	}
	for share, times := range asked {
		if spent := 2 * share * float64(times); !(spent <= (alpha+1e-15) && spent > 0) {
			t.Errorf("%d means at %v each spend %v", times, share, spent)
		}
	}
	if len(asked) != 2 || asked[alpha/(2*n)] != n || asked[slopeShape/(2*n)] != n {
		t.Errorf("limits were asked for at %v, want %d at %v and at %v", asked, n, alpha/(2*n), slopeShape/(2*n))
	}
}
