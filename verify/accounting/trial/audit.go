package trial

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/empirical/confidence"
)

// Account returns lower and upper ends for the smallest δ of an event at ε ≥ 0.
type Account func(e event.Event, adj event.Adjacency, epsilon float64) (lower, upper float64, err error)

// Outcome is the result class of one audit.
type Outcome int

const (
	// Skipped: no ε has a δ in [0.05, 0.3], or too many samples are needed.
	Skipped Outcome = iota
	// OneSided: the upper end was not refuted, and the lower end is below 0.05 at every ε.
	OneSided
	// TwoSided: the upper end was not refuted, and the lower end minus the margin was refuted.
	TwoSided
	// UpperRefuted: (ε, upper δ) was refuted on a pair of neighbors.
	UpperRefuted
	// LowerMissed: (ε, lower δ − margin) was not refuted on any pair of neighbors.
	LowerMissed
	// Broken: the account, a simulator or the search returned an error.
	Broken
)

// Failed reports whether the account and the simulators disagree, or one of them returned an error.
func (o Outcome) Failed() bool { return o >= UpperRefuted }

func (o Outcome) String() string {
	return [...]string{"skipped", "one-sided", "two-sided", "upper end refuted", "lower end missed", "error"}[o]
}

// Result is the audit of one description.
type Result struct {
	Description  Description
	Outcome      Outcome
	Epsilon      float64
	Lower, Upper float64 // δ at Epsilon, by the account
	Seen         float64 // largest measured P(S) − e^ε·Q(S) of an event S
	Samples      int64   // of each input
	Reason       string  // of Skipped and Broken
}

// String summarizes the result in one line.
func (r Result) String() string {
	s := fmt.Sprintf("%s: %s", r.Description, r.Outcome)
	if r.Reason != "" {
		return s + ": " + r.Reason
	}
	return fmt.Sprintf("%s: δ(%.4g): accounted [%.5f, %.5f], measured %.5f with %d samples", s, r.Epsilon, r.Lower,
		r.Upper,
		r.Seen, r.Samples)
}

const (
	leastDelta, mostDelta = 0.05, 0.3
	margin                = 0.03
	mostSamples           = 1_000_000
	searchRows            = 10_000
	attempts              = 3 // attempts to refute a lower end minus the margin: each fails with probability 0.01
	leastEpsilon          = 0.05
	mostEpsilon           = 8
)

// Audit audits one description against the account. alpha is the probability that it rejects a true account at either
// end. In addition, the audit of a true lower end fails with probability 1e-6.
func Audit(account Account, d Description, alpha float64) Result {
	res := Result{Description: d}
	target := 0.08 + 0.19*rand.New(rand.NewPCG(d.Seed, 0xe)).Float64()
	a := auditor{account, d, alpha, &res}
	if err := a.judge(target); err != nil {
		res.Outcome, res.Reason = Broken, err.Error()
		if errors.Is(err, errSkipped) || errors.Is(err, event.ErrDomain) { // a domain is not a fault
			res.Outcome = Skipped
		}
	}
	return res
}

var errSkipped = errors.New("not audited")

type auditor struct {
	account Account
	Description
	alpha  float64
	result *Result
}

// judge audits both ends at the ε whose upper δ is the target. If the lower end is far from the upper end, judge audits
// it at another ε.
func (a auditor) judge(target float64) error {
	upper := func(_, u float64) float64 { return u }
	lower := func(l, _ float64) float64 { return l }
	if err := a.at(target, upper); err != nil {
		return err
	}
	res := a.result
	tight := res.Lower >= leastDelta && res.Upper-res.Lower < margin/2
	res.Outcome = OneSided
	if tight {
		res.Outcome = TwoSided
	}
	if err := a.certify(true, tight); err != nil || tight || res.Outcome.Failed() {
		return err
	}
	// If the lower end is too small at every ε, the result keeps the first ε.
	first := *res
	if err := a.at(target, lower); err != nil {
		*res = first
		if errors.Is(err, errSkipped) {
			return nil
		}
		return err
	}
	res.Outcome = TwoSided
	err := a.certify(false, true)
	if errors.Is(err, errSkipped) {
		*res, err = first, nil
	}
	return err
}

// at sets ε so that an end of the account is near the target.
func (a auditor) at(target float64, end func(lower, upper float64) float64) error {
	low, high := leastEpsilon, float64(mostEpsilon)
	atLow, atHigh := 1.0, 0.0
	for step := range 20 {
		epsilon := low
		if step > 0 { // false position, kept away from both ends
			share := math.Min(0.8, math.Max(0.2, (atLow-target)/(atLow-atHigh)))
			epsilon = low + (high-low)*share
		}
		l, u, err := a.account(a.Event, a.Adjacency, epsilon)
		if err != nil {
			return fmt.Errorf("account at ε = %.4g: %w", epsilon, err)
		}
		a.result.Epsilon, a.result.Lower, a.result.Upper = epsilon, l, u
		delta := end(l, u)
		switch {
		case step == 0 && delta < leastDelta:
			return fmt.Errorf("%w: δ is below %g at every ε", errSkipped, leastDelta)
		case math.Abs(delta-target) < 0.03 || step == 0 && delta <= target:
			return nil
		case delta > target:
			low, atLow = epsilon, delta
		default:
			high, atHigh = epsilon, delta
		}
	}
	if delta := end(a.result.Lower, a.result.Upper); delta < leastDelta || delta > mostDelta {
		return fmt.Errorf("%w: no δ in [%g, %g]", errSkipped, leastDelta, mostDelta)
	}
	return nil
}

// certify tests the ends on every pair of neighbors.
func (a auditor) certify(upper, lower bool) error {
	pairs, err := Simulate(a.Event, a.Adjacency, a.result.Epsilon)
	if err != nil {
		return err
	}
	res, share := a.result, a.alpha/float64(2*len(pairs))
	refuted, enough := false, false
	res.Seen = math.Inf(-1)
	for i, p := range pairs {
		for attempt := range attempts {
			r := rand.New(rand.NewPCG(a.Seed, uint64(attempt<<8|i)))
			e := a.search(p, r)
			n := a.samples(e, share, lower)
			if n > mostSamples {
				break
			}
			enough = true
			res.Samples = max(res.Samples, n)
			x, y := count(p, e, r, n)
			res.Seen = math.Max(res.Seen, (float64(x)-math.Exp(res.Epsilon)*float64(y))/float64(n))
			if attempt == 0 && upper && confidence.Exceeds(x, n, y, n, res.Epsilon, res.Upper, share) {
				res.Outcome = UpperRefuted
				return nil
			}
			if !lower || refuted {
				break
			}
			refuted = confidence.Exceeds(x, n, y, n, res.Epsilon, res.Lower-margin, share)
		}
	}
	switch {
	case !enough:
		return fmt.Errorf("%w: more than %d samples are needed", errSkipped, mostSamples)
	case lower && !refuted:
		res.Outcome = LowerMissed
	}
	return nil
}

// tailEvent is the set of outputs whose score is above a threshold, or, if swapped, whose negative score is. A swapped
// event is likelier on the second data set.
type tailEvent struct {
	threshold float64
	swapped   bool
	p         float64 // fraction of the search's outputs from the likelier data set that are in the event
}

func (e tailEvent) holds(score float64) bool {
	if e.swapped {
		score = -score
	}
	return score > e.threshold
}

// search returns the event that shows the largest δ at ε. For a log-likelihood ratio it is the event of ratios above ε
// (Neyman–Pearson lemma), for another score the best of some thresholds.
func (a auditor) search(p Pair, r *rand.Rand) (best tailEvent) {
	var scores [2][]float64
	var out []float64
	for side, draw := range [2]func(*rand.Rand, []float64) []float64{p.DrawA, p.DrawB} {
		for range searchRows {
			out = draw(r, out[:0])
			scores[side] = append(scores[side], p.Score(out))
		}
	}
	most := math.Inf(-1)
	for _, swapped := range []bool{false, true} {
		likelier, less, thresholds := scores[0], scores[1], []float64{a.result.Epsilon}
		if swapped {
			likelier, less = less, likelier
		}
		if p.ordered {
			thresholds = nil
			for i := range 50 {
				thresholds = append(thresholds, likelier[i]*map[bool]float64{false: 1, true: -1}[swapped])
			}
		}
		for _, threshold := range thresholds {
			e := tailEvent{threshold: threshold, swapped: swapped}
			x, y := 0, 0
			for i := range searchRows {
				if e.holds(likelier[i]) {
					x++
				}
				if e.holds(less[i]) {
					y++
				}
			}
			e.p = float64(x) / searchRows
			if d := e.p - math.Exp(a.result.Epsilon)*float64(y)/searchRows; d > most {
				most, best = d, e
			}
		}
	}
	return best
}

// samples returns the number of samples of each input that certifies an event with probability 0.99. The event is as
// likely under its likelier input as the one found. Its δ is the lower end, or exceeds the upper end by the margin.
// Above mostSamples the number is approximate.
func (a auditor) samples(e tailEvent, share float64, lower bool) int64 {
	t, tested := math.Exp(a.result.Epsilon), a.result.Upper
	if lower {
		tested = a.result.Lower - margin
	}
	delta := tested + margin
	p := math.Min(1, math.Max(e.p, delta))
	q := (p - delta) / t
	enough := func(n int64) bool {
		x, y := confidence.Unlucky(n, p, q, t, 0.01)
		return confidence.Exceeds(x, n, y, n, a.result.Epsilon, tested, share)
	}
	z := confidence.NormalUpperQuantile(share) + confidence.NormalUpperQuantile(0.01)
	n := 500 + int64(z*z*(p*(1-p)+t*t*q*(1-q))/(margin*margin))
	for n <= mostSamples && !enough(n) {
		n += n / 16
	}
	return n
}

// count returns the event's count in n outputs under its likelier input, and in n outputs under the other input.
func count(p Pair, e tailEvent, r *rand.Rand, n int64) (x, y int64) {
	likelier, less := p.DrawA, p.DrawB
	if e.swapped {
		likelier, less = less, likelier
	}
	var out []float64
	hits := func(draw func(*rand.Rand, []float64) []float64) (hits int64) {
		for range n {
			out = draw(r, out[:0])
			if e.holds(p.Score(out)) {
				hits++
			}
		}
		return hits
	}
	return hits(likelier), hits(less)
}
