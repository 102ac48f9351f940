package premises

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
)

// TestSoundTrainings counts the false alarms of 1,000 sound trainings. The count exceeds the limit of the noise with
// probability 0.001 at most. The computed premises are never refuted.
func TestSoundTrainings(t *testing.T) {
	const alpha, runs = 0.05, 200
	refuted, all := int64(0), int64(0)
	for n, test := range []struct {
		kind string
		trainer
	}{
		{"float64", newTrainer(100, 4, 0.05, exactly)},
		{"float32", newTrainer(150, 3, 0.05, toFloat32)},
		{"bfloat16", newTrainer(100, 6, 0.05, toBfloat16)},
		{"empty and padded", trainer{200, 120, 4, newTrainer(120, 4, 0.005, nil).claim, toFloat32, true, ""}},
		{"four digits, one value", newTrainer(100, 1, 0.05, fourDigits)},
	} {
		kind, c := test.kind, test.trainer
		if kind == "four digits, one value" {
			c.claim.Tolerance = 0
		}
		for i := range runs {
			l := c.run(rand.New(rand.NewPCG(uint64(i), uint64(n))))
			for _, p := range []Premise{norms(l, c.claim), divisor(l, nil, c.claim), update(l, c.claim), steps(l, c.claim)} {
				if kind == "four digits, one value" && p.Name == "norms" {
					continue // the claim has no tolerance for digits
				}
				if e := evidence(t, p, alpha); e.Verdict != verify.Holds {
					t.Errorf("%s, run %d: %s: %s %+v %s", kind, i, p.Name, e.Verdict, e.Counterexample, e.Needed)
				}
			}
			all++
			if e := evidence(t, noise(l, c.claim), alpha); e.Verdict == verify.Refuted {
				refuted++
				t.Logf("%s, run %d: %s; %s", kind, i, e.Counterexample.Label, e.Counterexample.Choice)
			}
		}
	}
	if _, limit := confidence.BinomialRange(all, alpha, 0.001); refuted > limit {
		t.Errorf("%d of %d sound trainings are refuted, want at most %d", refuted, all, limit)
	}
	t.Logf("%d of %d refuted", refuted, all)
}

// TestFaults finds each fault and names it.
func TestFaults(t *testing.T) {
	for _, test := range []struct{ fault, premise, want string }{
		{"no clipping", "norms", "step 7, record"},
		{"half scale", "noise", "0.5"},
		{"logged zero noise", "noise", "there is no noise"},
		{"truncated", "noise", "truncated"},
		{"laplace", "noise", "the empirical distribution function is"},
		{"key twice", "noise", "steps 13 and 58 have equal noise"},
		{"key twice with another scale", "noise", "the noise of step 58 is, up to rounding, a multiple of the noise of step 13"},
		{"same in all coordinates", "noise", "all logged coordinates have the same noise"},
		{"noise kept", "noise", "the noise of the step before were kept"},
		{"noise accumulated", "noise", "as if noise of earlier steps were kept"},
		{"noise of the sum", "noise", "along the sum of the step its mean"},
		{"noise of the sum before", "noise", "along the sum of the step before"},
		{"divisor drawn", "divisor", "the divisor is the number of records in the batch"},
		{"kept sum", "update", "step 2, coordinate"},
		{"kept sum", "update", "the sum of the step before is kept"},
		{"kept sums", "update", "the sums of all earlier steps are kept"},
		{"kept noisy sums", "update", "the noisy sum of the step before is kept"},
		{"another sum", "update", "the sum of the step before replaces"},
		{"noise again", "update", "the noise of the step before is added again"},
		{"double noise", "update", "the noise is added twice"},
		{"no noise", "update", "the noise is not added"},
		{"clipped batch, contributions logged before", "update", "as if the sum of the batch were clipped"},
		{"clipped batch", "update", "clipped"},
		{"divided by drawn", "update", "divided by the number of records drawn"},
		{"another divisor", "update", "as if it were divided by another number"},
		{"more steps", "steps", "step 191 is the first"},
	} {
		for kind, round := range map[string]func(float64) float64{"float64": exactly, "float32": toFloat32, "bfloat16": toBfloat16} {
			c := newTrainer(200, 4, 0.1, round)
			c.fault = test.fault
			switch test.fault {
			case "laplace":
				c = newTrainer(1000, 8, 0.005, round)
				c.fault = test.fault
			case "more steps":
				c.claim.Steps = 190
			case "key twice with another scale":
				if kind == "bfloat16" { // 8 bits do not show a factor
					continue
				}
			}
			l := c.run(rand.New(rand.NewPCG(1, 2)))
			for _, p := range []Premise{norms(l, c.claim), noise(l, c.claim), divisor(l, nil, c.claim), update(l, c.claim), steps(l, c.claim)} {
				e := evidence(t, p, 0.05)
				if p.Name == test.premise && (e.Verdict != verify.Refuted || !strings.Contains(e.Counterexample.Label, test.want)) {
					t.Errorf("%s, %s: %s %q %s %s: want refuted with %q", test.fault, kind, e.Verdict, e.Counterexample.Label,
						e.Counterexample.Choice, e.Power, test.want)
				}
				alsoNorms := p.Name == "norms" && strings.HasPrefix(test.fault, "clipped batch,")
				if p.Name != test.premise && e.Verdict == verify.Refuted && !alsoNorms {
					t.Errorf("%s, %s: %s is refuted: %+v", test.fault, kind, p.Name, e.Counterexample)
				}
			}
		}
	}
}

// noiseLog returns a log of noise without contributions.
func noiseLog(steps, coordinates int, noise func(step, coordinate int) float64) *Log {
	l := &Log{Records: 10, Coordinates: coordinates}
	for t := range steps {
		s := Step{Sum: make([]float64, coordinates)}
		s.Sum[coordinates-1] = 1
		for j := range coordinates {
			s.Noise = append(s.Noise, noise(t, j))
		}
		l.Steps = append(l.Steps, s)
	}
	return l
}

// TestNoisePower draws noise with the alternatives that a consistent log detects. At a power of 0.99, 10 or more of 300
// runs are missed with probability 0.001. The power for correlations is approximate; 12 may be missed.
func TestNoisePower(t *testing.T) {
	const steps, coordinates, runs, alpha = 200, 4, 300, 0.05
	j := noiseJudge{noiseStatistics: noiseStatistics{Steps: steps, Coordinates: coordinates, Bits: 53,
		Sums: steps, Relative: decimals}, alpha: alpha / noiseTests}
	r := rand.New(rand.NewPCG(3, 4))
	last := make([]float64, coordinates)
	for _, test := range []struct {
		name  string
		noise func(t, j int) float64
	}{
		{"scale", func(int, int) float64 { return (1 - j.scaleSeen(steps)) * rng.Normal(r) }},
		{"mean along the sum", func(_, coordinate int) float64 {
			if coordinate < coordinates-1 {
				return rng.Normal(r)
			}
			return rng.Normal(r) + j.alongSeen(steps)
		}},
		{"coordinates", func(_, coordinate int) float64 {
			last[coordinate] = rng.Normal(r)
			if c := j.acrossSeen(steps); coordinate == 1 {
				last[1] = c*last[0] + math.Sqrt(1-c*c)*last[1]
			}
			return last[coordinate]
		}},
		{"steps", func(_, coordinate int) float64 {
			c := 0.0
			if coordinate == 2 {
				c = j.stepsSeen(steps)
			}
			last[coordinate] = c*last[coordinate] + math.Sqrt(1-c*c)*rng.Normal(r)
			return last[coordinate]
		}},
	} {
		missed := 0
		for range runs {
			f := newNoiseStatistics(noiseLog(steps, coordinates, test.noise), 1)
			if e, err := f.Judge(verify.Settings{Alpha: alpha}); err != nil || e.Verdict != verify.Refuted {
				missed++
			}
		}
		if missed > 12 {
			t.Errorf("%s: %d of %d runs are missed", test.name, missed, runs)
		}
		t.Logf("%s: %d of %d missed", test.name, missed, runs)
	}
}

// TestNoiseVerdicts checks when a log without faults suffices, and what it needs otherwise.
func TestNoiseVerdicts(t *testing.T) {
	for _, test := range []struct {
		steps, coordinates int
		round              func(float64) float64
		want               verify.Verdict
		text               string
	}{
		{200, 4, exactly, verify.Consistent, "Equal noise in two steps would have been detected"},
		{200, 4, toBfloat16, verify.Consistent, "correlation"},
		{20, 4, toFloat32, verify.Inconclusive, "a log of about"},
		{1000, 1, exactly, verify.Inconclusive, "at least 2 logged coordinates"},
		{1000, 2, toBfloat16, verify.Inconclusive, "at least 4 logged coordinates"},
		{1, 4, exactly, verify.Inconclusive, "this log has 1"},
		{300, 4, multiplesOf(1.0 / 3), verify.Inconclusive, "noise on a finer grid"},
		{400, 4, multiplesOf(1.0 / 30), verify.Inconclusive, "at least 6 logged coordinates"},
		{400, 65, exactly, verify.Consistent, "between two of the first 64 coordinates"},
	} {
		r := rand.New(rand.NewPCG(5, 6))
		l := noiseLog(test.steps, test.coordinates, func(int, int) float64 { return test.round(rng.Normal(r)) })
		e := evidence(t, noise(l, Training{ClippingNorm: 1, NoiseMultiplier: 1}), 0.05)
		if text := e.Power + e.Needed; e.Verdict != test.want || !strings.Contains(text, test.text) {
			t.Errorf("%d steps, %d coordinates: %s %q %s, want %s with %q", test.steps, test.coordinates, e.Verdict, text,
				e.Counterexample.Label, test.want, test.text)
		}
	}
}

// TestNoiseWithoutSums leaves the noise open if no step has a sum, and states a smaller power if some have none.
func TestNoiseWithoutSums(t *testing.T) {
	for _, test := range []struct {
		every int // steps with a sum
		want  verify.Verdict
		text  string
	}{{0, verify.Inconclusive, "contributions that are not 0"}, {2, verify.Consistent, "a mean of 0.58 · σC along"},
		{4, verify.Inconclusive, "a log of about"}} {
		r := rand.New(rand.NewPCG(15, 16))
		l := noiseLog(400, 4, func(int, int) float64 { return rng.Normal(r) })
		for i := range l.Steps {
			if test.every == 0 || i%test.every > 0 {
				clear(l.Steps[i].Sum)
			}
		}
		e := evidence(t, noise(l, Training{ClippingNorm: 1, NoiseMultiplier: 1}), 0.05)
		if text := e.Power + e.Needed; e.Verdict != test.want || !strings.Contains(text, test.text) {
			t.Errorf("every %d: %s %q, want %s with %q", test.every, e.Verdict, text, test.want, test.text)
		}
	}
}

// multiplesOf rounds to multiples of a number, as in discrete noise that is scaled.
func multiplesOf(distance float64) func(float64) float64 {
	return func(x float64) float64 { return distance * math.Round(x/distance) }
}

// TestDiscreteNoise does not call noise on a grid a key that is used twice, if the grid makes equal values likely.
func TestDiscreteNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, test := range []struct {
		distance float64
		round    func(float64) float64
	}{{1, exactly}, {0.7, exactly}, {0.3, exactly}, {0.11, exactly}, {0.037, exactly}, {0.11, toFloat32}, {0.11, toBfloat16}} {
		l := noiseLog(1000, 3, func(int, int) float64 { return test.round(multiplesOf(test.distance)(rng.Normal(r))) })
		e := evidence(t, noise(l, Training{ClippingNorm: 1, NoiseMultiplier: 1}), 0.05)
		if coarse := test.distance > 0.5; (e.Verdict == verify.Refuted) != coarse || coarse && !strings.Contains(e.Quantity, "Kolmogorov") {
			t.Errorf("multiples of %v: %s %s %s", test.distance, e.Verdict, e.Quantity, e.Counterexample.Label)
		}
	}
}

// TestFewerSteps leaves the number of steps of an interrupted run open, and a log with norms that are too small.
func TestFewerSteps(t *testing.T) {
	c := newTrainer(50, 4, 0.1, exactly)
	l := c.run(rand.New(rand.NewPCG(1, 1)))
	c.claim.Steps = 60
	if e := evidence(t, steps(l, c.claim), 0.05); e.Verdict != verify.Inconclusive || !strings.Contains(e.Needed, "ends after 50") {
		t.Errorf("%s %q", e.Verdict, e.Needed)
	}
	l.Steps[3].Norm = 0.01
	if e := evidence(t, norms(l, c.claim), 0.05); e.Verdict != verify.Inconclusive || !strings.Contains(e.Needed, "in step 4") {
		t.Errorf("%s %q", e.Verdict, e.Needed)
	}
	l.Steps[3].Part, l.Steps[3].PartAt = 1.5, 7
	if e := evidence(t, norms(l, c.claim), 0.05); e.Verdict != verify.Refuted ||
		!strings.Contains(e.Counterexample.Label, "step 4, record 7, norm at the logged coordinates") {
		t.Errorf("%s %q", e.Verdict, e.Counterexample.Label)
	}
}

// TestCoarseUpdate leaves the update open if rounding could hide missing noise.
func TestCoarseUpdate(t *testing.T) {
	for _, test := range []struct {
		round func(float64) float64
		want  verify.Verdict
	}{{toFloat32, verify.Holds}, {toBfloat16, verify.Inconclusive}} {
		c := newTrainer(10, 4, 0.8, test.round)
		l := c.run(rand.New(rand.NewPCG(1, 1)))
		c.claim.Tolerance = 0
		e := evidence(t, update(l, c.claim), 0.05)
		if e.Verdict != test.want || test.want == verify.Inconclusive && !strings.Contains(e.Needed, "rounding allows residuals") {
			t.Errorf("%s %s %+v, want %s", e.Verdict, e.Needed, e.Counterexample, test.want)
		}
	}
}

// TestUpdateDecimals allows released values with six digits after the point, which the divisor makes large.
func TestUpdateDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	l := noiseLog(500, 2, func(int, int) float64 { return rng.Normal(r) })
	for i := range l.Steps {
		s := &l.Steps[i]
		s.Sum, s.Size, s.Divisor = make([]float64, 2), make([]float64, 2), 1000
		for _, v := range s.Noise {
			s.Released = append(s.Released, math.Round(v*1e3)/1e6)
		}
	}
	e := evidence(t, update(l, Training{ClippingNorm: 1, NoiseMultiplier: 1, Divisor: 1000}), 0.05)
	if e.Verdict != verify.Holds {
		t.Errorf("%s %+v", e.Verdict, e.Counterexample)
	}
}

// TestImpossibleStatistics rejects statistics that no log has.
func TestImpossibleStatistics(t *testing.T) {
	c := newTrainer(50, 4, 0.1, exactly)
	l := c.run(rand.New(rand.NewPCG(1, 1)))
	for i, change := range []func(*noiseStatistics){
		func(f *noiseStatistics) { f.Squares = -1 },
		func(f *noiseStatistics) { f.Squares *= 100 },
		func(f *noiseStatistics) { f.Deviation = 0 },
		func(f *noiseStatistics) { f.Relative = 0.5 },
		func(f *noiseStatistics) { f.Absolute = 1 },
		func(f *noiseStatistics) { f.Sum = math.NaN() },
		func(f *noiseStatistics) { f.Distance.Excess = 2 },
		func(f *noiseStatistics) { f.Repeated = pairs{5, 3, 2} },
		func(f *noiseStatistics) { f.Multiples = pairs{1e6, 1, 2} },
		func(f *noiseStatistics) { f.Across.Second = 9 },
		func(f *noiseStatistics) { f.Across.First = -1 },
		func(f *noiseStatistics) { f.Sums = 51 },
		func(f *noiseStatistics) { f.Largest.Step = 51 },
		func(f *noiseStatistics) { f.Largest.Coordinate = 0 },
		func(f *noiseStatistics) { f.Uniform = 51 },
		func(f *noiseStatistics) { f.Steps = 0 },
	} {
		f := newNoiseStatistics(l, 1.1)
		if err := f.Check(); err != nil {
			t.Fatal(err)
		}
		if change(&f); f.Check() == nil {
			t.Errorf("change %d of the noise: want an error", i)
		}
	}
	for i, change := range []func(*computed){
		func(f *computed) { f.Broken = 1 },
		func(f *computed) { f.Broken = 51 },
		func(f *computed) { f.Worst.Excess = math.Inf(1) },
		func(f *computed) { f.Sense = verify.Above },
		func(f *computed) { f.Tolerance = -1 },
		func(f *computed) { f.Steps = 0 },
		func(f *computed) { f.First.At = "" },
	} {
		p := place{"step 1", 1, 0.5}
		f := computed{Quantity: "norm", Sense: verify.AtMost, Claimed: 1, Steps: 50, First: p, Worst: p}
		if err := f.Check(); err != nil {
			t.Fatal(err)
		}
		if change(&f); f.Check() == nil {
			t.Errorf("change %d of a computed premise: want an error", i)
		}
	}
}

func TestObservedRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, test := range []struct {
		name         string
		round        func(float64) float64
		bits         int
		grid, atMost float64 // range of the grid
	}{
		{"float64", exactly, 51, 0, 1e-15},
		{"float32", toFloat32, 24, 0, 1e-7},
		{"bfloat16", toBfloat16, 8, 0, 1e-3},
		{"four digits after the point", fourDigits, 11, 1e-4, 1e-4},
		{"four significant digits", func(x float64) float64 {
			v, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 4, 64), 64)
			return v
		}, 8, 0, 1e-4},
		{"shortest form of float32", func(x float64) float64 {
			v, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', -1, 32), 64)
			return v
		}, 24, 0, 1e-7},
		{"integers", func(x float64) float64 { return math.Round(100 * x) }, 8, 1, 1},
		{"zeros", func(float64) float64 { return 0 }, 53, 0, 0},
	} {
		l := noiseLog(500, 2, func(int, int) float64 { return test.round(rng.Normal(r)) })
		got := observedRounding(l.Steps, func(s Step) []float64 { return s.Noise })
		if got.bits != test.bits || got.grid < test.grid || got.grid > test.atMost {
			t.Errorf("%s: %+v, want %d bits and a grid from %v to %v", test.name, got, test.bits, test.grid, test.atMost)
		}
	}
}
