package calibration

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/sequential"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
	"github.com/dpverify/dpverify/verify/eprocess"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

const (
	nightSamples = 2000 // samples of each input in a night
	// nightsPlanned is the number of nights among which a union bound divides alpha.
	nightsPlanned = 200
	unionAudits   = 200 // audits that estimate the power of one night under a union bound
)

// nightsCase is a project that claims ε-DP for Laplace noise. After some nights, the true ε is larger by a factor.
type nightsCase struct {
	claim, factor float64
	before        int  // sound nights, in which the claim holds with equality
	versioned     bool // the violation begins with a new version
}

func nightsCases() []nightsCase {
	return []nightsCase{
		{1, 1.05, 0, false}, {1, 1.1, 0, false}, {0.1, 1.25, 0, false},
		{1, 1.1, 10, false}, {1, 1.1, 10, true}, {1, 1.1, 100, false}, {1, 1.1, 100, true},
		{1, 1.1, 1000, false}, {1, 1.1, 1000, true},
	}
}

// Nights measures how many nights an audit with an evidence file needs to refute a false claim, next to nightly audits
// that share alpha by a union bound, and to one audit of all the samples.
func Nights(ctx context.Context, o Options) ([]results.NightsRow, error) {
	if o.Runs < 1 {
		return nil, fmt.Errorf("%d runs: want at least one", o.Runs)
	}
	all := nightsCases()
	var rows []results.NightsRow
	for i, c := range all {
		row, err := c.measure(ctx, o)
		if err != nil {
			return nil, fmt.Errorf("claim %g, factor %g: %w", c.claim, c.factor, err)
		}
		rows = append(rows, row)
		if o.Progress != nil {
			o.Progress(i+1, len(all))
		}
	}
	return rows, nil
}

func (c nightsCase) measure(ctx context.Context, o Options) (results.NightsRow, error) {
	rate := c.growth() * nightSamples
	row := results.NightsRow{Claim: c.claim, Factor: c.factor, Before: c.before, Versioned: c.versioned,
		Runs: o.Runs, Alpha: o.Alpha,
		Oracle: verify.Num(-math.Log(o.Alpha) / rate),
		Bound:  verify.Num(-math.Log(o.Alpha*eprocess.Stake(1, c.before+1)) / rate)}
	nights := make([]float64, row.Runs)
	_, err := empirical.Each(ctx, o.Pool, row.Runs, func(ctx context.Context, run int) (err error) {
		seed := o.Seed.Derive("nights", fmt.Sprint(c.claim, c.factor, c.before, c.versioned), strconv.Itoa(run))
		nights[run], err = c.project(ctx, o, seed)
		return err
	})
	if err != nil {
		return row, err
	}
	slices.Sort(nights)
	row.Median, row.Min, row.Max = verify.Num(results.Median(nights)), verify.Num(nights[0]),
		verify.Num(nights[len(nights)-1])
	if c.before > 0 {
		return row, nil
	}
	union, err := c.refutations(ctx, o, "union", nightSamples, o.Alpha/nightsPlanned, unionAudits)
	if err != nil {
		return row, err
	}
	row.Union = verify.Num(math.Inf(1))
	if p := float64(union) / unionAudits; p > 0 {
		row.Union = verify.Num(math.Max(1, math.Ceil(math.Log(0.5)/math.Log1p(-p))))
	}
	if math.IsInf(row.Median.X, 1) {
		return row, nil
	}
	row.Single, err = c.refutations(ctx, o, "single", int64(row.Median.X*nightSamples), o.Alpha, o.Runs)
	return row, err
}

// project returns the number of nights after the sound ones until the claim is refuted, or infinity if 800 nights do
// not refute it. Without a new version, a refutation in the sound nights counts as one in the first night after them.
func (c nightsCase) project(ctx context.Context, o Options, seed empirical.Seed) (float64, error) {
	p := &project[float64, float64]{tries: 1, decides: evidenceFile{start: 1},
		settings: verify.Settings{Budget: verify.Standard, Alpha: o.Alpha, Seed: seed, Pool: o.Pool}}
	for n := range c.before + 4*nightsPlanned {
		epsilon := c.claim
		if n >= c.before {
			epsilon *= c.factor
		}
		if n == c.before && c.versioned {
			p.version++
		}
		p.audit = c.audit(epsilon, nightSamples)
		if err := p.add(ctx, &p.decides, strconv.Itoa(n+1), false); err != nil {
			return 0, err
		}
		if n >= c.before && p.refutes() {
			return float64(n - c.before + 1), nil
		}
	}
	return math.Inf(1), nil
}

func (c nightsCase) audit(epsilon float64, samples int64) privacy.Audit[float64, float64] {
	return privacy.Audit[float64, float64]{Guarantee: privacy.ApproximateDP(c.claim, 0), Samples: samples,
		Pairs: []inputs.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}}, Mechanism: must(mechanism.NewLaplace(1 / epsilon))}
}

// refutations returns the number of fixed-size audits that refute the claim.
func (c nightsCase) refutations(ctx context.Context, o Options, label string, samples int64, alpha float64,
	runs int) (int, error) {
	refuted := make([]bool, runs)
	_, err := empirical.Each(ctx, o.Pool, runs, func(ctx context.Context, run int) error {
		e, err := verify.Judge(ctx, c.audit(c.claim*c.factor, samples), verify.Settings{Budget: verify.Standard, Alpha: alpha,
			Seed: o.Seed.Derive("nights", label, fmt.Sprint(c.claim, c.factor), strconv.Itoa(run)), Pool: o.Pool}, o.Pool, nil)
		refuted[run] = e.Verdict == verify.Refuted
		return err
	})
	n := 0
	for _, r := range refuted {
		if r {
			n++
		}
	}
	return n, err
}

// growth returns the growth of the log wealth per pair of samples, in nats, of a bettor who knows the best event:
// output at most 0, of probability 1/2 for one input and e^−ε/2 for the other.
func (c nightsCase) growth() float64 {
	p, q := 0.5, 0.5*math.Exp(-c.claim*c.factor)
	return sequential.ApproximateDP(c.claim, 0).Growth([]float64{p, 1 - p}, []float64{q, 1 - q})
}
