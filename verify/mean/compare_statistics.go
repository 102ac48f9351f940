package mean

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// CompareMethod is the name of the statistics of [Compare] in a report.
var CompareMethod = verify.RegisterStatistics[compareStatistics]("mean/compare")

// compareStatistics holds the sufficient statistics of [Compare].
type compareStatistics struct {
	Quantity   string                `json:"quantity"`
	Names      []string              `json:"names"`
	Replicates int64                 `json:"replicates"`
	Orders     []orderStatistics     `json:"orders"`
	Note       string                `json:"note,omitempty"`
	Moments    []*confidence.Moments `json:"moments,omitempty"` // one per name; absent in older reports
}

// orderStatistics is an order of two names, by index from 0, with the number of replicates in which it held.
type orderStatistics struct {
	Less        int   `json:"less"`
	More        int   `json:"more"`
	Below       int64 `json:"below"`
	BelowOrLike int64 `json:"below_or_equal"`
}

func (f compareStatistics) Check() error {
	if f.Replicates < 1 || len(f.Orders) == 0 {
		return fmt.Errorf("%d replicates of %d orders: want at least one of each", f.Replicates, len(f.Orders))
	}
	for _, o := range f.Orders {
		if !(o.Below >= 0 && o.Below <= o.BelowOrLike && o.BelowOrLike <= f.Replicates) || o.Less == o.More ||
			min(o.Less, o.More) < 0 || max(o.Less, o.More) >= len(f.Names) {
			return fmt.Errorf("order %+v: want two of the %d names, and 0 ≤ below ≤ below_or_equal ≤ %d replicates", o,
				len(f.Names), f.Replicates)
		}
	}
	if f.Moments != nil && len(f.Moments) != len(f.Names) {
		return fmt.Errorf("moments of %d names: want moments of all %d", len(f.Moments), len(f.Names))
	}
	for i, m := range f.Moments {
		if m == nil || m.N() != f.Replicates {
			return fmt.Errorf("moments of %q: want moments of %d replicates", f.Names[i], f.Replicates)
		}
	}
	return nil
}

// compareJudge judges the statistics with an error of at most alpha.
type compareJudge struct {
	compareStatistics
	alpha float64
}

// share returns the error probability of one limit. Each order has two limits.
func (t compareJudge) share() float64 { return t.alpha / float64(2*len(t.Orders)) }

// Judge computes both limits for every order and returns the verdict.
func (f compareStatistics) Judge(s verify.Settings) (verify.Evidence, error) {
	if f.Moments == nil {
		for range f.Names {
			f.Moments = append(f.Moments, &confidence.Moments{})
		}
	}
	t := compareJudge{f, s.Alpha}
	n := f.Replicates
	e := verify.Evidence{
		Verdict: verify.Consistent, Quantity: "share of the runs in which the " + t.Quantity + " is in the claimed order",
		Sense: verify.AtLeast, Samples: n,
	}
	look := compareLook{judge: t, cases: verify.Cases[verify.Cell]{Noun: "order", Ordered: "as they are claimed"}}
	worst := math.Inf(1)
	for _, o := range t.Orders {
		less, lessOrEqual := o.Below, o.BelowOrLike
		lower, err := confidence.BinomialLower(less, n, t.share())
		if err != nil {
			return e, fmt.Errorf("compare: %w", err)
		}
		above, err := confidence.BinomialLower(n-lessOrEqual, n, t.share())
		if err != nil {
			return e, fmt.Errorf("compare: %w", err)
		}
		upper := 1 - above
		cell := verify.Cell{Label: t.Names[o.Less] + " < " + t.Names[o.More], Claimed: verify.Num(0.5),
			Measured: verify.Num(float64(less) / float64(n)), Lower: verify.Num(lower), Upper: verify.Num(upper), Samples: n}
		e.Cells = append(e.Cells, cell)
		v := verify.Inconclusive
		switch {
		case upper < 0.5:
			v = verify.Refuted
		case lower > 0.5:
			v = verify.Consistent
		}
		e.Verdict = e.Verdict.Worse(v)
		look.cases.See(cell, v == verify.Refuted)
		if look.nearest.Samples == 0 || lower < look.nearest.Lower.X {
			look.nearest = cell
		}
		if upper < worst {
			worst = upper
			e.CopyWorst(cell)
		}
	}
	e.Method = t.how()
	e.Curves = t.series()
	e.Power = t.power(e)
	if effect, ok := t.seen(); ok && e.Verdict == verify.Consistent {
		e.Detects = verify.Detects{Effect: effect, Probability: verify.TargetPower}
	}
	look.need = t.needed(e)
	e.LookAgain(&look)
	return e, nil
}

// compareLook describes the attempt, the counterexample and the missing evidence for orders.
type compareLook struct {
	judge   compareJudge
	cases   verify.Cases[verify.Cell]
	nearest verify.Cell // the order with the smallest lower limit
	need    int64       // number of runs to settle the open orders; 0 if unknown
}

func (l *compareLook) Tried() verify.Tried {
	nearest := l.nearest
	if l.cases.Broken() > 0 {
		nearest = l.cases.First()
	}
	return l.cases.Tried(verify.Cell.Place, nearest)
}

func (l *compareLook) Attempt() string {
	c := l.nearest
	return fmt.Sprintf("%s in %d runs; the nearest to breaking, %s, holds in %.4g %% of them, with lower limit %.4g %%; "+
		"at least 50 %% is claimed", verify.Plural(len(l.judge.Orders), "order"), c.Samples, c.Label, 100*c.Measured.X,
		100*c.Lower.X)
}

func (l *compareLook) Counterexample() verify.Counterexample {
	return l.cases.Simplest(verify.Cell.Itself)
}

func (l *compareLook) Needed() string {
	if l.need == 0 {
		return fmt.Sprintf("a number of runs that cannot be predicted: an order holds in exactly half of the %d runs",
			l.judge.Replicates)
	}
	return fmt.Sprintf("about %d runs; this run had %d", l.need, l.judge.Replicates)
}

// how describes the method and shows the means. The verdict does not depend on the means.
func (t compareJudge) how() string {
	means := make([]string, len(t.Names))
	for i, name := range t.Names {
		m := t.Moments[i]
		means[i] = fmt.Sprintf("%s %.4f±%.4f", name, m.Mean(), m.StdDev())
	}
	return verify.JoinSentences(t.Note,
		fmt.Sprintf("%d independent runs of each, in pairs; exact binomial limits, joint error %.2g; mean±standard "+
			"deviation: %s",
			t.Replicates, t.alpha, strings.Join(means, ", ")))
}

// series returns a curve with the mean of each name.
func (t compareJudge) series() []verify.Curve {
	s := verify.Curve{Name: "mean over the runs", Quantity: t.Quantity}
	for i, name := range t.Names {
		p := verify.NewCurvePoint(t.Moments[i])
		if p.Label = name; p.Lower == p.Upper { // a fixed value
			p.Lower, p.Upper, p.Runs = verify.Number{}, verify.Number{}, 0
		}
		s.Points = append(s.Points, p)
	}
	return []verify.Curve{s}
}

func (t compareJudge) power(e verify.Evidence) string {
	if e.Verdict == verify.Refuted {
		return ""
	}
	effect, ok := t.seen()
	if e.Verdict == verify.Inconclusive {
		need := t.needed(e)
		if need == 0 {
			return "the order is not settled, and the number of runs to settle it cannot be predicted"
		}
		return fmt.Sprintf("too few runs to settle the order: need ≥ %d", need)
	}
	if !ok {
		return ""
	}
	if effect >= 0.5 {
		return "only an order that never holds would certainly have been refuted"
	}
	return fmt.Sprintf("an order that holds in fewer than %.2g %% of the runs would have been refuted with probability "+
		"%.2g", 100*(0.5-effect), verify.TargetPower)
}

// needed returns the number of runs after which the limits of all open orders would exclude 1/2 if the shares stay the
// same. It returns 0 if a share is 1/2.
func (t compareJudge) needed(e verify.Evidence) int64 {
	need := int64(0)
	for _, c := range e.Cells {
		if c.Lower.X > 0.5 || c.Upper.X < 0.5 {
			continue
		}
		if c.Measured.X == 0.5 {
			return 0
		}
		need = max(need, RunsToSettle(c.Measured.X, t.share()))
	}
	return max(need, t.Replicates+1)
}

// RunsToSettle returns the number of runs, to two digits, after which an exact limit with error alpha in (0, 1)
// distinguishes a share from 1/2. It assumes that the share, in [0, 1] and not 1/2, stays the same.
func RunsToSettle(share, alpha float64) int64 {
	minimum := int64(math.Ceil(-math.Log2(alpha))) // if all runs agree
	// By Chernoff's bound, a limit excludes 1/2 if n times the divergence of the share from 1/2 exceeds log(1/alpha).
	return max(minimum, verify.ScaledSize(1, math.Sqrt(-math.Log(alpha)/fromHalf(share))))
}

// fromHalf returns the Kullback–Leibler divergence between Bernoulli(p) and Bernoulli(1/2).
func fromHalf(p float64) float64 {
	d := math.Ln2
	for _, q := range []float64{p, 1 - p} {
		if q > 0 {
			d += q * math.Log(q)
		}
	}
	return d
}

// seen returns the smallest deviation from 1/2 that is refuted with the target power. It returns false if no share is
// refuted.
func (t compareJudge) seen() (effect float64, ok bool) {
	n := t.Replicates
	k := int64(-1) // maximum number of runs in the claimed order that still refutes
	for k+1 <= n/2 {
		above, err := confidence.BinomialLower(n-k-1, n, t.share())
		if err != nil || !(above > 0.5) {
			break
		}
		k++
	}
	if k < 0 {
		return 0, false
	}
	for e := 0.01; e < 0.5; e += 0.01 {
		if (distuv.Binomial{N: float64(n), P: 0.5 - e}).CDF(float64(k)) >= verify.TargetPower {
			return e, true
		}
	}
	return 0.5, true // only an order that never holds
}
