package premises

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
)

var roundings = map[string]func(float64) float64{"float64": exactly, "float32": toFloat32, "bfloat16": toBfloat16,
	"four digits": fourDigits}

// TestNoiseOverTime changes the scale of the noise in some of 300 steps, and names about these steps. If the scale is
// changed in all steps, another test names it.
func TestNoiseOverTime(t *testing.T) {
	for _, test := range []struct {
		name  string
		scale func(step int) float64 // from 1
		want  string
	}{
		{"as claimed", func(int) float64 { return 1 }, ""},
		{"none in the last step", since(300, 0), "there is no noise in step 300: every logged value is 0"},
		{"a tenth in the last 30 steps", since(271, 0.1), "the noise has another scale in steps 271 to 300: 0."},
		{"half from step 200 on", since(200, 0.5), "the noise has another scale in steps 200 to 298: 0.48"},
		{"double in the last 60 steps", since(241, 2), "the noise has another scale in steps 241 to 300: "},
		{"half in all steps", func(int) float64 { return 0.5 }, "the standard deviation of the noise is 0."},
		{"half, and none in the last step", func(s int) float64 { return since(300, 0)(s) / 2 },
			"there is no noise in step 300"},
		{"none", func(int) float64 { return 0 }, "there is no noise: every logged value is 0"},
	} {
		for kind, round := range roundings {
			r := rand.New(rand.NewPCG(21, 22))
			l := noiseLog(300, 5, func(step, _ int) float64 { return round(test.scale(step+1) * rng.Normal(r)) })
			e := evidence(t, noise(l, Training{ClippingNorm: 1, NoiseMultiplier: 1}), 0.001)
			if refuted := e.Verdict == verify.Refuted; refuted != (test.want != "") ||
				refuted && !strings.HasPrefix(e.Counterexample.Label, test.want) {
				t.Errorf("%s, %s: %s %q, want %q", test.name, kind, e.Verdict, e.Counterexample.Label, test.want)
			}
		}
	}
}

// since returns a scale of 1 before a step, and another one from this step on.
func since(first int, scale float64) func(step int) float64 {
	return func(step int) float64 {
		if step < first {
			return 1
		}
		return scale
	}
}

// TestWindowsOfSoundNoise counts the p-values of at most 0.05 for noise with the claimed scale. Each count exceeds the
// limit with probability 0.001 at most.
func TestWindowsOfSoundNoise(t *testing.T) {
	const runs, alpha = 1000, 0.05
	_, limit := confidence.BinomialRange(runs, alpha, 0.001)
	for kind, round := range roundings {
		r, small := rand.New(rand.NewPCG(23, 24)), int64(0)
		for range runs {
			f := newNoiseStatistics(noiseLog(100, 3, func(int, int) float64 { return round(rng.Normal(r)) }), 1)
			if f.overTime().p <= alpha {
				small++
			}
		}
		if small > limit || small == 0 && kind == "float64" {
			t.Errorf("%s: %d of %d p-values are at most %v, want 1 to %d", kind, small, runs, alpha, limit)
		}
		t.Logf("%s: %d of %d", kind, small, runs)
	}
}

// TestWindowPower draws a tenth of the noise in as few steps as the power states, at random places. 10 or more of 300
// runs are missed with probability 0.001 at most.
func TestWindowPower(t *testing.T) {
	const steps, runs, alpha = 300, 300, 0.01
	for coordinates := 2; coordinates < 20; coordinates += 3 {
		j := noiseJudge{noiseStatistics: noiseStatistics{Steps: steps, Coordinates: coordinates, Bits: 53,
			Relative: decimals}, alpha: alpha / noiseTests}
		r := rand.New(rand.NewPCG(25, uint64(coordinates)))
		for _, scale := range []float64{0, smallNoise} {
			length, missed := j.windowSeen(steps, scale), 0
			for range runs {
				first := 1 + r.IntN(steps-length+1)
				l := noiseLog(steps, coordinates, func(step, _ int) float64 {
					if step+1 >= first && step+1 < first+length {
						return scale * rng.Normal(r)
					}
					return rng.Normal(r)
				})
				var z [][]float64
				for _, s := range l.Steps {
					z = append(z, s.Noise)
				}
				f := j.noiseStatistics
				f.Windows = f.windows(z)
				f.Segment = f.Windows[0].Low
				if f.overTime().p > j.alpha {
					missed++
				}
			}
			if missed >= 10 || length < 1 {
				t.Errorf("%d coordinates: scale %v in %d steps is missed in %d of %d runs", coordinates, scale, length, missed,
					runs)
			}
			t.Logf("%d coordinates: scale %v in %d steps: %d missed", coordinates, scale, length, missed)
		}
	}
}

// TestCoarseWindows does not judge noise on a grid that may be coarser than the allowed rounding.
func TestCoarseWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	l := noiseLog(1000, 3, func(int, int) float64 { return math.Round(rng.Normal(r)) })
	if f := newNoiseStatistics(l, 1); f.overTime().p < 1 || (noiseJudge{noiseStatistics: f}).windowSeen(1000, 0) != 0 {
		t.Errorf("p-value %v, want 1", f.overTime().p)
	}
}
