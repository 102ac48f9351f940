package premises

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
)

// trainer simulates a sound training, with the fault that a test sets.
type trainer struct {
	records, steps, coordinates int
	claim                       Training
	round                       func(float64) float64 // number type of the loop
	padded                      bool                  // batches have records without a contribution
	fault                       string
}

func newTrainer(steps, coordinates int, rate float64, round func(float64) float64) trainer {
	return trainer{records: 200, steps: steps, coordinates: coordinates, round: round, claim: Training{Sampling: Poisson,
		Rate: rate, ClippingNorm: 1, NoiseMultiplier: 1.1, Divisor: 200 * rate, Steps: steps,
		Tolerance: math.Ldexp(1, -7)}}
}

func exactly(x float64) float64    { return x }
func toFloat32(x float64) float64  { return float64(float32(x)) }
func toBfloat16(x float64) float64 { return toBits(x, 8) }
func fourDigits(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// toBits rounds to a number of significant bits.
func toBits(x float64, bits int) float64 {
	fraction, exponent := math.Frexp(x)
	return math.Ldexp(math.RoundToEven(math.Ldexp(fraction, bits)), exponent-bits)
}

// run returns the log of a run.
func (c trainer) run(r *rand.Rand) *Log {
	l := &Log{Name: "run.jsonl", Records: c.records, Coordinates: c.coordinates}
	vector := func(f func() float64) []float64 {
		v := make([]float64, c.coordinates)
		for j := range v {
			v[j] = f()
		}
		return v
	}
	for t := range c.steps {
		s := step{Divisor: &c.claim.Divisor}
		raw := make([]float64, c.coordinates) // sum before clipping
		for i := range c.records {
			if r.Float64() >= c.claim.Rate {
				continue
			}
			g := vector(func() float64 { return 0.5 + rng.Normal(r) })
			if c.padded && r.IntN(4) == 0 {
				g = vector(func() float64 { return 0 })
			}
			length := norm(g)
			factor := c.round(1 / math.Max(1, length))
			if c.fault == "no clipping" && t == 6 || c.fault == "clipped batch, contributions logged before" {
				factor = 1
			}
			for j := range g {
				raw[j] += g[j]
				g[j] = c.round(factor * g[j])
			}
			s.Batch = append(s.Batch, int32(i))
			s.Norms = append(s.Norms, c.round(math.Min(norm(g), 1.001)))
			s.Contributions = append(s.Contributions, g)
		}
		scale := c.round(c.claim.NoiseMultiplier * c.claim.ClippingNorm)
		s.Noise = vector(func() float64 { return c.round(scale * c.round(rng.Normal(r))) })
		c.spoil(&s, l, r)
		out := s.condensed(c.coordinates)
		out.Released = c.released(out, l, raw)
		l.Steps = append(l.Steps, out)
	}
	return l
}

// spoil applies a fault of the noise or the divisor.
func (c trainer) spoil(s *step, l *Log, r *rand.Rand) {
	t := len(l.Steps)
	for j := range s.Noise {
		switch c.fault {
		case "half scale":
			s.Noise[j] /= 2
		case "logged zero noise":
			s.Noise[j] = 0
		case "truncated":
			s.Noise[j] = max(-2.5, min(2.5, s.Noise[j]))
		case "laplace":
			s.Noise[j] = c.claim.NoiseMultiplier / math.Sqrt2 * (rng.Exponential(r) - rng.Exponential(r))
		case "key twice", "key twice with another scale":
			if t == 57 {
				s.Noise[j] = l.Steps[12].Noise[j]
				if c.fault != "key twice" {
					s.Noise[j] *= 0.9
				}
			}
		case "same in all coordinates":
			s.Noise[j] = s.Noise[0]
		case "noise kept":
			if t%2 == 1 {
				s.Noise[j] = l.Steps[t-1].Noise[j]
			}
		case "noise accumulated":
			if t > 0 {
				s.Noise[j] = (s.Noise[j] + l.Steps[t-1].Noise[j]) / math.Sqrt2
			}
		case "noise of the sum":
			for i := range s.Batch {
				s.Noise[j] += 0.05 * s.Contributions[i][j]
			}
		case "noise of the sum before":
			if t > 0 {
				s.Noise[j] += 0.05 * l.Steps[t-1].Sum[j]
			}
		}
	}
	if c.fault == "divisor drawn" {
		drawn := float64(max(1, len(s.Batch)))
		s.Divisor = &drawn
	}
}

// released returns the released values.
func (c trainer) released(s Step, l *Log, raw []float64) []float64 {
	out := make([]float64, c.coordinates)
	total := make([]float64, c.coordinates)
	for i, before := range l.Steps {
		if c.fault == "sums kept in an epoch" && i < len(l.Steps)/10*10 {
			continue
		}
		for j := range total {
			total[j] += before.Sum[j]
		}
	}
	last := Step{Sum: make([]float64, c.coordinates), Noise: make([]float64, c.coordinates),
		Released: make([]float64, c.coordinates)}
	if len(l.Steps) > 0 {
		last = l.Steps[len(l.Steps)-1]
	}
	for j := range out {
		sum, noise, divisor := s.Sum[j], s.Noise[j], s.Divisor
		switch c.fault {
		case "kept sum":
			sum += last.Sum[j]
		case "kept sums", "sums kept in an epoch":
			sum += total[j]
		case "kept noisy sums":
			sum += last.Released[j] * divisor
		case "another sum":
			sum = last.Sum[j]
		case "noise again":
			noise += last.Noise[j]
		case "double noise":
			noise *= 2
		case "half the noise added":
			noise /= 2
		case "noise after division":
			noise *= divisor
		case "no noise":
			noise = 0
		case "clipped batch, contributions logged before", "clipped batch":
			sum = raw[j] / math.Max(1, norm(raw))
		case "divided by drawn":
			divisor = float64(max(1, len(s.Batch)))
		case "another divisor":
			divisor *= 2
		}
		out[j] = c.round(c.round(sum+noise) / divisor)
	}
	return out
}

// evidence returns the evidence of a premise, and fails unless its stored statistics give the same evidence.
func evidence(t *testing.T, p Premise, alpha float64) verify.Evidence {
	t.Helper()
	s := verify.Settings{Alpha: alpha}
	trial, err := p.Check.Prepare(context.Background(), s)
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	e, err := trial.Judge(nil)
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	again, err := e.Statistics.Judge(s)
	if err != nil || again.Verdict != e.Verdict || again.Measured != e.Measured ||
		again.Counterexample != e.Counterexample || again.Attempt != e.Attempt || again.Needed != e.Needed ||
		again.Power != e.Power || !slices.Equal(again.Warnings, e.Warnings) {
		t.Fatalf("%s: recomputed as %+v, %v, not %+v", p.Name, again, err, e)
	}
	return e
}
