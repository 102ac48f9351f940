// Package calibration measures the checks. It measures power, the part of the true ε that a check certifies from a
// given number of samples, and calibration, the rate of wrong verdicts.
//
// The mechanisms, their inputs and their parameters are from the published comparisons of StatDP (Ding et al. 2018),
// DP-Sniper (Bichsel et al. 2021) and DP-Auditorium (Kong et al. 2023). Sparse vector follows Lyu, Su & Li 2017.
// Further subjects have other noise, samples of records, choices, sets, counts, gradients and a record, so that no
// search is tuned to one list. Every subject is audited as a black box. Its density is used only to compute the best
// possible result.
//
// The calibration cases are checks of every kind on claims that are true or false by construction. Checks that
// compute exactly get a new instance in every run. CALIBRATION.md has 1000 runs of each case.
//
//	subjects.go     the published mechanisms with their neighboring inputs; subjects_*.go the others
//	subject.go      a subject, its true ε, and the oracle
//	power.go        the table mechanism, n, reachable, certified, oracle, seconds
//	calibration.go  rates of wrong and of required verdicts
//	cases.go        the kinds of checks, with a description of their cases
//	cases_*.go      true claims in the worst case, and known faults, of each kind
//	cases_hidden*.go leaks of known probability and loss that audits promise to detect
//	stopping*.go    samples that a sequential audit draws until it refutes a false claim
//	gross*.go       samples until an audit refutes a gross fault in a rare combination
//	training*.go    canaries, or training runs, that refute the account of a faulty training algorithm
package calibration

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
)

// Case is a check on a claim that is known to be true or false, and the verdicts that are counted.
type Case struct {
	Kind   string // of check, one of Kinds
	About  string // description of the cases of the kind, in a sentence
	Name   string // unique within the kind
	isTrue bool   // the claim holds, with equality if possible, which is the worst case of a test
	// event is the group of verdicts that is counted, by default Refuted.
	event results.Event
	// exact means that the check computes and must never err. Other checks may err with probability alpha.
	exact bool
	// faults makes a Go error from the check count as a refutation instead of ending the measurement. It is set for
	// checks that return an error if a sampler contradicts its formula.
	faults bool
	// hidden is the probability of the large violation in a false claim. A confirmation is wrong if its evidence
	// states that a violation of this probability would have been detected. If hidden is 0, every confirmation is
	// wrong.
	hidden float64
	// fewer divides the number of runs, for numerous or slow cases; 0 means 1.
	fewer int
	check verify.Check
}

// wrong reports whether the counted event is an error: a true claim refuted, or a false claim confirmed.
func (c Case) wrong() bool { return c.isTrue == (c.event != results.Confirmed) }

// promised reports whether the evidence states that the hidden violation would have been detected.
func (c Case) promised(e verify.Evidence) bool {
	return c.hidden == 0 || seenFrom(e) <= c.hidden
}

// seenFrom returns the smallest probability of a large violation that would have been detected, or +Inf.
func seenFrom(e verify.Evidence) float64 {
	if m := e.Sizes.LargeProbability; m.Set {
		return m.X
	}
	return math.Inf(1)
}

// expect sets the limit of the rate of a row.
func expect(r *results.CalibrationRow, c Case) {
	r.AtMost = c.wrong()
	switch {
	case !r.AtMost:
		r.Limit, r.Expected = results.Detected, "at least 99 %"
	case c.exact:
		r.Limit, r.Expected = 0, "never"
	case c.hidden > 0:
		r.Limit, r.Expected = results.Overlooked, "at most 1 %"
	default:
		r.Limit, r.Expected = r.Alpha, "at most alpha"
	}
}

// Options are the options of all tables.
type Options struct {
	Alpha    float64 // error probability of each run, in (0, 1)
	Runs     int     // of each row, at least 1
	Seed     empirical.Seed
	Pool     *empirical.Pool
	Progress func(done, total int) // may be nil
}

// Calibrate runs every case and returns a row for each, with the count of its event. A run depends only on the seed,
// the kind and name of the case, and its number. A selection of kinds therefore gives the same rows.
func Calibrate(ctx context.Context, cases []Case, o Options) ([]results.CalibrationRow, error) {
	var rows []results.CalibrationRow
	done := 0
	var mu sync.Mutex
	total := 0
	for _, c := range cases {
		total += c.runs(o.Runs)
	}
	step := func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; o.Progress != nil {
			o.Progress(done, total)
		}
	}
	for _, c := range cases {
		row, err := calibrate(ctx, c, o, step)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", c.Kind, c.Name, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// runs returns the number of runs of a case: limit divided by fewer, but at least 2 if limit permits.
func (c Case) runs(limit int) int { return max(min(limit, 2), limit/max(c.fewer, 1)) }

// judge performs run i ≥ 0 of a case.
func (c Case) judge(ctx context.Context, o Options, i int) (verify.Evidence, error) {
	settings := verify.Settings{Budget: verify.Standard, Alpha: o.Alpha,
		Seed: o.Seed.Derive("calibration", c.Kind, c.Name, strconv.Itoa(i))}
	return verify.Judge(ctx, c.check, settings, o.Pool, nil)
}

// counts returns the event that is counted.
func (c Case) counts() results.Event { return cmp.Or(c.event, results.Refuted) }

// counted reports whether a run counts.
func (c Case) counted(e verify.Evidence) bool { return c.counts().Counts(e.Verdict) && c.promised(e) }

func calibrate(ctx context.Context, c Case, o Options, step func()) (results.CalibrationRow, error) {
	o.Runs = c.runs(o.Runs)
	row := results.CalibrationRow{Kind: c.Kind, About: c.About, Name: c.Name, True: c.isTrue, Counted: c.counts(),
		Alpha: o.Alpha, Runs: int64(o.Runs), Verdicts: map[verify.Verdict]int64{}}
	found := make([]verify.Verdict, o.Runs)
	counted := make([]bool, o.Runs)
	errs := make([]error, o.Runs)
	var runs sync.WaitGroup
	slots := make(chan struct{}, o.Pool.Size())
	for i := range o.Runs {
		slots <- struct{}{}
		runs.Go(func() {
			defer func() { <-slots }()
			e, err := c.judge(ctx, o, i)
			found[i], errs[i] = e.Verdict, err
			counted[i] = c.counted(e)
			step()
		})
	}
	runs.Wait()
	for i, err := range errs {
		if err != nil && (!c.faults || ctx.Err() != nil) {
			return row, fmt.Errorf("run %d: %w", i, err)
		}
		if err != nil {
			found[i] = verify.Error
		}
		row.Verdicts[found[i]]++
		if results.Refuted.Counts(found[i]) {
			row.Refuted++
		}
		if counted[i] || found[i] == verify.Error {
			row.Count++
		}
	}
	lower, upper, err := confidence.ClopperPearson(row.Count, row.Runs, results.IntervalError)
	row.Lower, row.Upper = verify.Num(lower), verify.Num(upper)
	expect(&row, c)
	return row, err
}

// Kinds returns the kinds of checks, in the order of the table.
func Kinds() []string {
	var kinds []string
	for _, g := range groups {
		kinds = append(kinds, g.kind)
	}
	return kinds
}

// Cases returns the cases of the given kinds, in the order of Kinds. Without arguments it returns all cases. An
// unknown kind is an error.
func Cases(kinds ...string) ([]Case, error) {
	for _, kind := range kinds {
		if !slices.Contains(Kinds(), kind) {
			return nil, fmt.Errorf("%s: no such kind of check; there are %s", kind, strings.Join(Kinds(), ", "))
		}
	}
	var out []Case
	for _, g := range groups {
		if len(kinds) > 0 && !slices.Contains(kinds, g.kind) {
			continue
		}
		for _, c := range g.cases() {
			c.Kind, c.About = g.kind, g.about
			out = append(out, c)
		}
	}
	return out, nil
}
