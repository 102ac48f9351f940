package premises

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
)

// Observation holds the statistics of a log from which the numbers of the observed training follow. They are compared
// with the claimed ones, at the same alpha as the premises.
type Observation struct {
	Claimed    Training             `json:"claimed"`
	Steps      int                  `json:"steps"`
	Membership membershipStatistics `json:"membership"`
	// Identified holds the statistics under another sampling, which the log supports.
	Identified *membershipStatistics `json:"identified,omitempty"`
	Noise      noiseStatistics       `json:"noise"`
	// Scaled holds the statistics of the noise in units of its observed standard deviation.
	Scaled  *noiseStatistics `json:"scaled,omitempty"`
	Norms   computed         `json:"norms"`
	Beyond  *Beyond          `json:"beyond,omitempty"`
	Divisor computed         `json:"divisor"`
	// Constant reports whether all logged divisors are equal and not the number of records.
	Constant bool     `json:"constant"`
	Update   computed `json:"update"`
}

// Beyond describes the contributions above the clipping norm.
type Beyond struct {
	Steps int `json:"steps"` // steps with such a contribution
	// Smallest and Largest bound the largest norms of these steps from below, in units of the clipping norm.
	Smallest float64 `json:"smallest"`
	Largest  float64 `json:"largest"`
}

// Observe returns the observation of a log. The neighboring log is nil if there is none.
func Observe(l, neighbor *Log, t Training, alpha float64) (o Observation, err error) {
	if _, err := Premises(l, neighbor, t); err != nil {
		return o, err
	}
	s := verify.Settings{Alpha: alpha}
	o = Observation{Claimed: t, Steps: len(l.Steps), Membership: collectMembership(l, t),
		Noise: newNoiseStatistics(l, t.NoiseMultiplier*t.ClippingNorm), Norms: normStatistics(l, t),
		Divisor: divisorStatistics(l, neighbor, t), Constant: constantDivisor(l, neighbor), Update: updateStatistics(l, t)}
	e, err := o.Membership.Judge(s)
	if err == nil && e.Verdict == verify.Refuted {
		o.Identified, err = identified(l, s)
	}
	if err != nil {
		return o, err
	}
	if e, err = o.Noise.Judge(s); err != nil {
		return o, err
	}
	if scale := o.Noise.Deviation * o.Noise.ratio(); e.Verdict == verify.Refuted && positive(scale) {
		scaled := newNoiseStatistics(l, scale)
		o.Scaled = &scaled
	}
	if o.Norms.Broken > 0 {
		o.Beyond = beyond(l, t)
	}
	return o, o.Check()
}

// identified returns the statistics of the first way of sampling that the log supports, or nil: full batches, fixed,
// shuffled, without replacement, or Poisson sampling with the observed rate. A log of one of them does not support the
// others that come before it, because its tests have the power to refute them.
func identified(l *Log, s verify.Settings) (*membershipStatistics, error) {
	members, batch := 0, len(l.Steps[0].Batch)
	for _, step := range l.Steps {
		members += len(step.Batch)
	}
	rate := float64(members) / (float64(l.Records) * float64(len(l.Steps)))
	var list []Training
	if rate == 1 {
		list = append(list, Training{Sampling: Poisson, Rate: 1})
	} else if batch >= 1 && batch <= l.Records {
		list = append(list, Training{Sampling: Fixed, Batch: batch}, Training{Sampling: Shuffled, Batch: batch},
			Training{Sampling: WithoutReplacement, Batch: batch})
	}
	if rate > 0 && rate < 1 {
		list = append(list, Training{Sampling: Poisson, Rate: rate})
	}
	for _, t := range list {
		f := collectMembership(l, t)
		e, err := f.Judge(s)
		if err != nil {
			return nil, err
		}
		if supported(e) {
			return &f, nil
		}
	}
	return nil, nil
}

func supported(e verify.Evidence) bool {
	return e.Verdict == verify.Holds || e.Verdict == verify.Consistent
}

// constantDivisor reports whether all steps, of both logs if there are two, divide by one number that is not the number
// of records.
func constantDivisor(l, neighbor *Log) bool {
	first := l.Steps[0].Divisor
	steps := l.Steps
	if neighbor != nil {
		steps = append(steps[:len(steps):len(steps)], neighbor.Steps...)
	}
	for _, s := range steps {
		if !(math.Abs(s.Divisor-first) <= verify.DefaultRelativeError*first) {
			return false
		}
	}
	return !near(first, l.Records)
}

// beyond returns the norms above the clipping norm. They are reduced by the tolerance and by the rounding of the logged
// contributions.
func beyond(l *Log, t Training) *Beyond {
	r, limit := contributionRounding(l.Steps), normLimit(t)
	b := &Beyond{Smallest: math.MaxFloat64}
	for _, s := range l.Steps {
		part := (s.Part - r.grid*math.Sqrt(float64(l.Coordinates))) / (1 + r.relative())
		if norm := math.Max(s.Norm, part) / limit; norm > 1 {
			b.Steps++
			b.Smallest, b.Largest = math.Min(b.Smallest, norm), math.Min(math.MaxFloat64, math.Max(b.Largest, norm))
		}
	}
	if b.Steps == 0 { // rounding to the last digit
		return nil
	}
	return b
}

// Check returns an error for statistics that no log has.
func (o Observation) Check() error {
	if err := o.Claimed.Check(); err != nil {
		return err
	}
	list := []verify.Statistics{o.Membership, o.Noise, o.Norms, o.Divisor, o.Update}
	same := o.Membership.Steps == o.Steps && o.Noise.Steps == o.Steps
	if o.Identified != nil {
		list = append(list, *o.Identified)
		same = same && o.Identified.Steps == o.Steps && o.Identified.Records == o.Membership.Records
	}
	if o.Scaled != nil {
		list = append(list, *o.Scaled)
		same = same && o.Scaled.Steps == o.Steps && o.Scaled.Coordinates == o.Noise.Coordinates
	}
	for _, f := range list {
		if err := f.Check(); err != nil {
			return err
		}
	}
	b := o.Beyond
	switch {
	case !same || o.Steps < 1:
		return errors.New("the statistics of the observation: want those of one log")
	case o.Membership.Sampling != o.Claimed.Sampling || o.Membership.Rate != o.Claimed.Rate ||
		o.Membership.Batch != o.Claimed.Batch || o.Noise.Deviation != o.Claimed.NoiseMultiplier*o.Claimed.ClippingNorm:
		return errors.New("the statistics of the observation: want those of the claimed training")
	case b != nil && !(b.Steps >= 1 && b.Steps <= o.Steps && b.Smallest > 1 && b.Smallest <= b.Largest &&
		b.Largest <= math.MaxFloat64):
		return fmt.Errorf("norms %+v in %d steps: want norms above 1", *b, o.Steps)
	}
	return nil
}
