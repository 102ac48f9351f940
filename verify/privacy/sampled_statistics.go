package privacy

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy/internal/diagnosis"
)

// SampledMethod is the method of the statistics of [Sampled].
var SampledMethod = verify.RegisterStatistics[sampledStatistics]("privacy/events")

// sampledStatistics holds the sufficient statistics of [Sampled].
type sampledStatistics struct {
	Effect  float64          `json:"effect"`
	Samples int64            `json:"samples"` // per input of each cell
	Cells   []cellStatistics `json:"cells"`
}

// cellStatistics holds the claim and the counts at two inputs.
type cellStatistics struct {
	At      string            `json:"at"`
	Epsilon float64           `json:"epsilon"`
	Delta   float64           `json:"delta"`
	Events  []givenStatistics `json:"events"`
}

// givenStatistics holds an event, its counts under A and B, and the pilot's lower limit on its probability.
type givenStatistics struct {
	Name       string  `json:"name"`
	A          int64   `json:"a"`
	B          int64   `json:"b"`
	Mass       float64 `json:"pilot_mass"`
	NearlySure bool    `json:"nearly_sure,omitempty"`
}

func (f sampledStatistics) Check() error {
	if f.Samples < 1 || f.Samples%privacyShards != 0 || !(f.Effect > 1 && f.Effect <= math.MaxFloat64) ||
		len(f.Cells) == 0 {
		return fmt.Errorf("%d samples of %d cells, effect %v: want a multiple of %d, at least one, and a "+
			"finite factor above 1", f.Samples, len(f.Cells), f.Effect, privacyShards)
	}
	for _, c := range f.Cells {
		if err := c.check(f.Samples); err != nil {
			return fmt.Errorf("at %s: %w", c.At, err)
		}
	}
	return nil
}

func (c cellStatistics) check(samples int64) error {
	if len(c.Events) == 0 {
		return errors.New("there is no event")
	}
	for _, e := range c.Events {
		if !(min(e.A, e.B) >= 0 && max(e.A, e.B) <= samples) || !(e.Mass >= 0 && e.Mass <= 1) {
			return fmt.Errorf("event %s: %d and %d of %d samples, mass %v: want counts of them and a probability",
				e.Name, e.A, e.B, samples, e.Mass)
		}
	}
	return checkClaim(c.Epsilon, c.Delta)
}

// sampledJudge judges the statistics at the alpha of the settings.
type sampledJudge struct {
	sampledStatistics
	settings verify.Settings
	tests    int            // number of events and directions over all cells
	power    []givenPower   // power at each cell
	sizes    []verify.Sizes // detectable sizes at each cell
}

func (f sampledStatistics) judge(s verify.Settings) sampledJudge {
	t := sampledJudge{sampledStatistics: f, settings: s}
	for _, c := range f.Cells {
		t.tests += 2 * len(c.Events)
	}
	for _, c := range f.Cells {
		power := t.powerOf(c)
		t.power, t.sizes = append(t.power, power), append(t.sizes, power.Sizes(t.Samples))
	}
	return t
}

// share returns the error probability of each test. Half of alpha is divided among the lower limits, which refute,
// and half among the upper limits.
func (t sampledJudge) share() float64 { return t.settings.Alpha / float64(2*t.tests) }

// powerOf returns the power at a cell. A large violation is one on an event at least as probable as the rarest given
// event, so rarer events need not be detected.
func (t sampledJudge) powerOf(c cellStatistics) givenPower {
	g := ApproximateDP(c.Epsilon, c.Delta)
	all := func(total int64) int64 { return total }
	p := givenPower{Effect: t.Effect, Wanted: 1, searchPower: &searchPower{Guarantee: g, Rows: all,
		Certifying: all,
		Refutes: func(_, _ float64, x, y, n int64) bool {
			return confidence.Exceeds(x, n, y, n, c.Epsilon, c.Delta, t.share())
		}}}
	for _, e := range c.Events {
		p.Events = append(p.Events, likelyEvent{e.Mass, e.NearlySure})
		p.Wanted = math.Min(p.Wanted, e.Mass)
	}
	p.Wanted = math.Max(p.Wanted, g.WantedProbability())
	return p
}

// Judge certifies ε on every event in both directions.
func (f sampledStatistics) Judge(s verify.Settings) (verify.Evidence, error) {
	t := f.judge(s)
	e := verify.Evidence{Quantity: "privacy loss ε", Sense: verify.AtMost, Verdict: verify.Consistent,
		Samples: 2 * t.Samples * int64(len(t.Cells))}
	look := sampledLook{judge: t, cases: verify.Cases[verify.Cell]{Noun: "pair"}, rarest: math.Inf(1)}
	worst := math.Inf(-1)
	for i, c := range t.Cells {
		cell, event, err := t.cell(c)
		if err != nil {
			return e, fmt.Errorf("at %s: %w", c.At, err)
		}
		e.Cells = append(e.Cells, cell)
		look.see(cell, event, c.Events)
		switch {
		case cell.Lower.X > c.Epsilon:
			e.Verdict = verify.Refuted
		case !t.sizes[i].Enough():
			e.Verdict = e.Verdict.Worse(verify.Inconclusive)
		}
		if excess := (cell.Lower.X - c.Epsilon) / math.Max(c.Epsilon, 1e-300); excess > worst {
			worst = excess
			e.CopyWorst(cell)
			e.WorstCase = cell.Label + ", event " + event
			look.nearest = cell
			look.nearest.Label = e.WorstCase
		}
	}
	e.Method = fmt.Sprintf("joint test of p ≤ min(1, e^ε q + δ) on %d events and directions of %s, joint error %.2g; "+
		"other pairs and events were not tested",
		t.tests, verify.Plural(len(t.Cells), "pair"), t.settings.Alpha)
	e.Sizes = weakestSizes(t.sizes)
	if e.Verdict != verify.Refuted || e.Sizes.Enough() {
		e.Power = e.Sizes.Words("on any one of the pairs, at one of the given events")
	}
	e.LookAgain(&look)
	return e, nil
}

// cell returns the event and direction with the largest certified ε.
func (t sampledJudge) cell(c cellStatistics) (verify.Cell, string, error) {
	n := t.Samples
	best := verify.Cell{Label: c.At, Claimed: verify.Num(c.Epsilon), Lower: verify.Num(math.Inf(-1)),
		Upper:   verify.Num(0),
		Samples: 2 * n}
	var name string
	for _, event := range c.Events {
		for _, side := range []struct {
			x, y int64
			name string
		}{{event.A, event.B, event.Name}, {event.B, event.A, event.Name + " (B against A)"}} {
			lower := confidence.EpsilonLower(side.x, n, side.y, n, c.Delta, t.share())
			upper, err := diagnosis.EpsilonUpper(side.x, side.y, n, c.Delta, t.share())
			if err != nil {
				return best, "", err
			}
			best.Upper = verify.Num(math.Max(best.Upper.X, upper))
			if name == "" || lower > best.Lower.X {
				best.Lower, name = verify.Num(lower), side.name
				best.Measured = verify.Num(diagnosis.PlugIn(side.x, side.y, n, c.Delta))
			}
		}
	}
	best.Lower = verify.Num(math.Max(best.Lower.X, 0))
	best.Upper = verify.Num(math.Max(best.Upper.X, best.Lower.X))
	return best, name, nil
}
