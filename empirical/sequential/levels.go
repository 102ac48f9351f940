package sequential

import "math"

// Levels holds the error probabilities for which Passed records when a test rejects.
var Levels = [...]float64{0.05, 1e-2, 1e-3, 1e-6}

// Passed records when the wealth against a claim reaches each level.
type Passed struct {
	Family  int                // number of tests that share the error
	Samples [len(Levels)]int64 // number of samples at which each level was reached; 0 if not reached
	peak    float64            // largest log wealth
}

// See records the log wealth after the given number of samples of each input.
func (p *Passed) See(logWealth float64, samples int64) {
	p.peak = math.Max(p.peak, logWealth)
	for i, alpha := range Levels {
		if p.Samples[i] == 0 && logWealth >= math.Log(float64(p.Family)/alpha) {
			p.Samples[i] = samples
		}
	}
}

// PValue returns an anytime-valid p-value: under the claim it is at most p at any time with probability at most p
// (Ville 1939).
func (p *Passed) PValue() float64 { return math.Min(1, float64(p.Family)*math.Exp(-p.peak)) }

// List returns each level with the number of samples of each input at which it was reached.
func (p *Passed) List() []struct {
	Alpha   float64 `json:"alpha"`
	Samples int64   `json:"samples"`
} {
	out := make([]struct {
		Alpha   float64 `json:"alpha"`
		Samples int64   `json:"samples"`
	}, len(Levels))
	for i, alpha := range Levels {
		out[i].Alpha, out[i].Samples = alpha, p.Samples[i]
	}
	return out
}
