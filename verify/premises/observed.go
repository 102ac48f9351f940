package premises

import (
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// Observed holds the numbers of a training as its log shows them. A number whose premise is not refuted has its claimed
// value.
type Observed struct {
	Sampling Sampling
	Rate     Limits // of Poisson sampling
	Batch    int    // of the other ways of sampling
	Records  int
	Epoch    int // steps in an epoch, for shuffled and fixed batches
	// Multiplier is the standard deviation of the noise divided by the claimed clipping norm.
	Multiplier Limits
	Steps      int
	Longer     bool    // the training has more steps than the log, by its claim
	Beyond     *Beyond // contributions above the clipping norm; nil if none was logged
	Resampled  bool    // the claimed sampling is refuted
	// Alpha is the sum of the error probabilities of the limits.
	Alpha float64
	// Undecided lists the premises that the log neither supports nor refutes.
	Undecided []string
	// Reason says why the log does not determine a training with an account, or is empty.
	Reason string
}

// Limits are confidence limits of a number, or three times its claimed value if its premise is not refuted.
type Limits struct {
	Low, Value, High float64
	Refuted          bool
}

func nominal(x float64) Limits { return Limits{Low: x, Value: x, High: x} }

// Judge returns the observed training, at the alpha of the premises. The limits of the rate are those of Clopper and
// Pearson at the share of alpha of one kind of membership test, and the limits of the noise are those of its test of
// scale. So they hold at the same error probability as the premises. The identified sampling has no error probability.
func (o Observation) Judge(alpha float64) (x Observed, err error) {
	t := o.Claimed
	x = Observed{Sampling: t.Sampling, Rate: nominal(t.Rate), Batch: t.Batch, Records: o.Membership.Records,
		Multiplier: nominal(t.NoiseMultiplier), Steps: o.Steps, Longer: o.Steps < t.Steps, Beyond: o.Beyond}
	if c := o.Membership.Epochs; c != nil {
		x.Epoch = c.Length
	}
	s := verify.Settings{Alpha: alpha}
	for _, premise := range []struct {
		name    string
		f       verify.Statistics
		refuted func(cause string)
	}{
		{"update", o.Update, func(cause string) { x.Reason = "update: " + cause }},
		{"divisor", o.Divisor, func(cause string) {
			if !o.Constant {
				x.Reason = "divisor: " + cause
			}
		}},
		{"noise", o.Noise, func(cause string) { o.noise(&x, cause, s) }},
		{"membership", o.Membership, func(cause string) { o.sampling(&x, cause, s) }},
		{"norms", o.Norms, func(cause string) {
			if o.Beyond == nil {
				x.Undecided = append(x.Undecided, "norms")
			}
		}},
	} {
		e, err := premise.f.Judge(s)
		if err != nil {
			return x, err
		}
		switch e.Verdict {
		case verify.Refuted:
			premise.refuted(e.Counterexample.Label)
		case verify.Inconclusive:
			x.Undecided = append(x.Undecided, premise.name)
		}
		if x.Reason != "" {
			return x, nil
		}
	}
	if o.Divisor.Note != "" {
		x.Undecided = append(x.Undecided, "whether the divisor depends on the number of records")
	}
	return x, nil
}

// noise sets the limits of the noise multiplier. They need normal noise, so every other test of the noise must support
// the premise at the observed scale.
func (o Observation) noise(x *Observed, cause string, s verify.Settings) {
	share := s.Alpha / noiseTests
	x.Reason = "noise: " + cause
	if o.Scaled == nil || !(o.Noise.scale().p <= share) {
		return
	}
	if e, err := o.Scaled.Judge(s); err != nil || e.Verdict != verify.Consistent {
		return
	}
	low, high := o.Noise.interval(share)
	if !(low.Set && low.X > 0 && high.X <= math.MaxFloat64) {
		return
	}
	sigma := o.Claimed.NoiseMultiplier
	x.Multiplier = Limits{Low: low.X * sigma, Value: o.Noise.ratio() * sigma, High: high.X * sigma, Refuted: true}
	x.Alpha += share
	x.Reason = ""
}

// sampling sets the identified way of sampling.
func (o Observation) sampling(x *Observed, cause string, s verify.Settings) {
	x.Reason = "membership: " + cause
	if o.Identified == nil {
		return
	}
	f := *o.Identified
	if e, err := f.Judge(s); err != nil || !supported(e) {
		return
	}
	x.Sampling, x.Rate, x.Batch, x.Epoch, x.Resampled = f.Sampling, nominal(f.Rate), f.Batch, 0, true
	if f.Epochs != nil {
		x.Epoch = f.Epochs.Length
	}
	if f.Sampling == Poisson && f.Rate < 1 {
		share := s.Alpha / float64(len(f.findings()))
		low, high, err := confidence.ClopperPearson(f.Members, int64(f.Records)*int64(f.Steps), share)
		if err != nil {
			return
		}
		x.Rate = Limits{Low: low, Value: f.Rate, High: high, Refuted: true}
		x.Alpha += share
	}
	x.Reason = ""
}
