package sequential

import "math"

// Levels are the error probabilities of which it is told when a test passed them.
var Levels = [...]float64{0.05, 1e-2, 1e-3, 1e-6}

// Passed follows the wealth against a claim.
type Passed struct {
	Family  int                // tests that share the error
	Samples [len(Levels)]int64 // after which each level was passed; 0 if it was not
	peak    float64            // of the log wealth
}

// See takes the log wealth after so many samples of each input.
func (p *Passed) See(logWealth float64, samples int64) {
	p.peak = math.Max(p.peak, logWealth)
	for i, alpha := range Levels {
		if p.Samples[i] == 0 && logWealth >= math.Log(float64(p.Family)/alpha) {
			p.Samples[i] = samples
		}
	}
}

// PValue holds at any time to stop: under the claim it is ever at most p with probability at
// most p (Ville 1939).
func (p *Passed) PValue() float64 { return math.Min(1, float64(p.Family)*math.Exp(-p.peak)) }

// List has each level with the samples of each input after which it was passed.
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
