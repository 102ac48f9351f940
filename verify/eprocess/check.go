package eprocess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
)

// Bets connects a check that bets with the runs before it. The check reads Earlier and Collects, and sets the other
// fields before it is judged.
type Bets struct {
	Earlier  []Outcome // of the same version, in order
	Collects bool      // see [Check]; the check then does not show its evidence
	// LogFactors holds the natural logarithm of the factor of each bet. It is nil if the check made no bets.
	LogFactors []float64
	State      json.RawMessage // see [Outcome]
	Rows       json.RawMessage
}

// Check adds a run of another check to the earlier runs, and decides by the wealth of all of them.
type Check struct {
	Check   verify.Check
	Claim   string
	Version string
	Weight  float64 // share of the claim among the weights of all claims of the run
	RunID   string
	Start   int
	// Collects reports whether the run only adds its factors.
	Collects bool
	Data     []Recording     // of the recorded outputs that the check judges
	Runs     []Run           // earlier runs, in order
	Bets     *Bets           // of the check if it bets; else nil
	Add      func(n Outcome) // receives the outcome of the run; may be called concurrently with those of other checks
}

// After sets b.Earlier to the outcomes of this version of the claim.
func (b *Bets) After(runs []Run, claim, version string) {
	for _, r := range runs {
		if n, ok := r.Claims[claim]; ok && n.Version == version && len(n.State) > 0 {
			b.Earlier = append(b.Earlier, n)
		}
	}
}

// Prepare prepares the other check.
func (c Check) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	if c.Bets != nil {
		c.Bets.Collects = c.Collects
	}
	t, err := c.Check.Prepare(ctx, s)
	if err != nil {
		return nil, err
	}
	return trial{Trial: t, check: c, settings: s}, nil
}

// AllRuns returns the earlier runs and the present run, in order. The outcome is the present run's entry for the claim.
func (c Check) AllRuns(outcome Outcome) []Run {
	present := next(c.Runs, c.Start, c.RunID, c.Collects)
	present.Claims = map[string]Outcome{c.Claim: outcome}
	runs := append(slices.Clone(c.Runs), present)
	inOrder(runs)
	return runs
}

type trial struct {
	verify.Trial
	check    Check
	settings verify.Settings
}

// Done forwards to the trial if it can stop early.
func (t trial) Done(merged empirical.Tally) bool {
	s, ok := t.Trial.(empirical.Stopper)
	return ok && s.Done(merged)
}

// Judge judges the run, adds its factors to those of the earlier runs, and decides by the wealth. Verdicts without
// samples stay as they are.
func (t trial) Judge(merged empirical.Tally) (verify.Evidence, error) {
	e, err := t.Trial.Judge(merged)
	if err != nil || e.Exact {
		return e, err
	}
	if e.Statistics == nil || e.Statistics.Method == "" {
		if refutes(e.Verdict) {
			undecide(&e, "this check stores no counts, so its runs cannot be added up", "an audit without an evidence file")
		}
		return e, nil
	}
	c := t.check
	outcome := Outcome{Version: c.Version, Weight: c.Weight, Data: c.Data, Upper: figure(math.NaN()),
		Rarest: figure(math.NaN())}
	if c.Bets != nil && c.Bets.LogFactors != nil {
		outcome.LogFactors, outcome.State, outcome.Rows = c.Bets.LogFactors, c.Bets.State, c.Bets.Rows
		outcome.Upper, outcome.Rarest = figureOf(e.Upper), figureOf(e.Sizes.LargeProbability)
	} else {
		factor, err := ladderFactor(*e.Statistics, t.settings)
		if err != nil {
			return e, err
		}
		outcome.LogFactors = []float64{factor}
	}
	runs := c.AllRuns(outcome)
	if c.Add != nil {
		c.Add(outcome)
	}
	f := statistics{Run: *e.Statistics, Version: c.Version, Collects: c.Collects, Forks: Forks(runs),
		Earlier: entriesOf(runs, c.Claim, c.Weight)}
	f.addTo(&e, t.settings)
	e.Statistics = verify.NewStatistics(Method, f)
	return e, nil
}

func figureOf(n verify.Number) figure {
	if !n.Set {
		return figure(math.NaN())
	}
	return figure(n.X)
}

// Method is the method of the statistics of a [Check].
var Method = verify.RegisterStatistics[statistics]("eprocess/runs")

// statistics holds the statistics of one run and the factors of all runs.
type statistics struct {
	Run      verify.SufficientStatistics `json:"run"`
	Version  string                      `json:"version"`
	Collects bool                        `json:"collects,omitempty"`
	Forks    []string                    `json:"forks,omitempty"`
	Earlier  []entry                     `json:"runs"` // all runs of the claim, including this one, in order
}

// Check returns an error for statistics outside their domain.
func (f statistics) Check() error {
	if !slices.ContainsFunc(f.Earlier, func(e entry) bool { return e.Version == f.Version }) {
		return fmt.Errorf("no run of version %s: want at least this one", f.Version)
	}
	for _, e := range f.Earlier {
		if e.Start < 1 || e.Number < 1 || !(e.Share > 0 && e.Share <= math.MaxFloat64) || len(e.LogFactors) == 0 ||
			slices.ContainsFunc(e.LogFactors, func(x float64) bool { return !(math.Abs(x) <= math.MaxFloat64) }) {
			return fmt.Errorf("run %s: want a start and a number from 1, a positive share and finite factors", e.ID)
		}
	}
	if f.Run.Method == Method {
		return errors.New("the statistics of a run are those of many runs: want the statistics of one check")
	}
	return nil
}

// Judge decides by the wealth. All other figures come from the present run.
func (f statistics) Judge(s verify.Settings) (verify.Evidence, error) {
	e, err := f.Run.Judge(s)
	if err == nil {
		e.Statistics = nil
		f.addTo(&e, s)
	}
	return e, err
}

// addTo adds what all runs show to the evidence of the present run, and sets its verdict.
func (f statistics) addTo(e *verify.Evidence, s verify.Settings) {
	all := accumulate(f.Earlier)
	i := slices.IndexFunc(all, func(w Wealth) bool { return w.Version == f.Version })
	w, need := all[i], -math.Log(s.Alpha)
	f.addCurves(e)
	e.Method = verify.JoinSentences(e.Method, fmt.Sprintf("the evidence of all runs decides, with error "+
		"probability at most %.2g over all runs of a start", s.Alpha))
	for _, other := range all {
		if run := other.Reached(need); other.Version != f.Version && run != "" {
			e.Warnings = append(e.Warnings, fmt.Sprintf("another version, %s, was refuted by run %s", other.Short(), run))
		}
	}
	if len(f.Forks) > 0 {
		e.Warnings = append(e.Warnings, fmt.Sprintf("the runs %s decided on separate branches, so alpha applies "+
			"to each branch, and once more to the merged runs", strings.Join(f.Forks, ", ")))
	}
	f.decide(e, w, need)
}

// decide sets the verdict.
func (f statistics) decide(e *verify.Evidence, w Wealth, need float64) {
	state := fmt.Sprintf("evidence against version %s: %s after %s (first run %s), maximum %s, needed %s", w.Short(),
		amount(w.Log[len(w.Log)-1]), verify.Plural(len(w.Runs), "run"), w.Runs[0], amount(w.Peak()), amount(need))
	reached := w.Reached(need)
	switch {
	case f.Collects:
		undecide(e, "this run only collects, and its evidence is not shown. Merge on a schedule: alpha does not hold if the "+
			"time of a merge depends on the samples of this run", "a decision after merging: dpverify evidence FILE…")
	case reached != "":
		if !refutes(e.Verdict) {
			*e = refuted(*e, reached)
		}
		e.Warnings = append(e.Warnings, fmt.Sprintf("refuted by run %s; %s", reached, state))
	case refutes(e.Verdict):
		undecide(e, state+"; this run alone would refute the claim", "further runs")
	case e.Verdict == verify.Inconclusive:
		e.Power = verify.JoinSentences(state, e.Power)
	default:
		e.Attempt = verify.JoinSentences(e.Attempt, state)
	}
}

// amount returns e^x for a report, or a lower bound for huge x.
func amount(x float64) string {
	if x > 700 {
		return "over 1e304"
	}
	return fmt.Sprintf("%.3g", math.Exp(x))
}

// undecide makes the verdict inconclusive.
func undecide(e *verify.Evidence, power, needed string) {
	e.Verdict, e.Attempt, e.Counterexample, e.Diagnosis, e.Violated = verify.Inconclusive, "",
		verify.Counterexample{}, nil, nil
	e.Detects, e.Power, e.Needed = verify.Detects{}, power, needed
}

// refuted returns the evidence of a claim that earlier runs refute and this run alone does not.
func refuted(e verify.Evidence, run string) verify.Evidence {
	e.Verdict, e.Attempt, e.Needed, e.Power, e.Detects = verify.Refuted, "", "", "", verify.Detects{}
	e.Counterexample = verify.Counterexample{Choice: "the evidence of all runs up to run " + run + " refutes the " +
		"claim; the figures are from the last run",
		Cell: verify.Cell{Label: e.WorstCase, Claimed: e.Claimed, Measured: e.Measured, Lower: e.Lower, Upper: e.Upper,
			Samples: e.Samples}}
	return e
}

// addCurves adds the limits after each run of the version.
func (f statistics) addCurves(e *verify.Evidence) {
	upper := verify.Curve{Name: "upper limit at the event", Variable: "run", Quantity: e.Quantity}
	rarest := verify.Curve{Name: "rarest event with power", Variable: "run", Quantity: "event probability"}
	n := 0.0
	for _, r := range f.Earlier {
		if r.Version != f.Version {
			continue
		}
		n++
		for _, c := range []struct {
			to *verify.Curve
			y  figure
		}{{&upper, r.Upper}, {&rarest, r.Rarest}} {
			if y := float64(c.y); math.Abs(y) <= math.MaxFloat64 {
				c.to.Points = append(c.to.Points, verify.CurvePoint{X: verify.Num(n), Mean: verify.Num(y)})
			}
		}
	}
	for _, c := range []verify.Curve{upper, rarest} {
		if len(c.Points) > 1 {
			e.Curves = append(e.Curves, c)
		}
	}
}
