// Package calibration measures the checks. It measures power, the part of the true ε that a check certifies from a
// given number of samples, and calibration, the rate of wrong verdicts.
//
// The mechanisms, their inputs and their parameters are those on which StatDP
// (Ding et al. 2018), DP-Sniper (Bichsel et al. 2021) and DP-Auditorium (Kong et
// al. 2023) have been compared; sparse vector follows Lyu, Su & Li 2017. To these come
// further noise, samples of records, choices, sets, counts, gradients and a record, so that
// no search is tuned to one list. Every
// subject is audited as a black box. Its density is used to compute what could be
// reached at best, and for nothing else.
//
// The cases of the calibration are checks of every kind on claims whose truth is known by
// construction. What is exact is drawn anew in every run, so that a thousand runs are a
// thousand instances. CALIBRATION.md has a thousand runs of each.
//
//	subjects.go     the published mechanisms with their neighbouring inputs; subjects_*.go the others
//	subject.go      a subject, what is reachable on its inputs, and the oracle
//	power.go        the table mechanism, n, reachable, certified, oracle, seconds
//	calibration.go  how often a check says what it must not, or must
//	cases.go        the kinds of checks, and what their cases are
//	cases_*.go      true claims at their worst, and known faults, of each kind
//	cases_hidden*.go leaks of known mass and loss that audits promise to see
//	stopping*.go    how many samples an anytime audit draws until it refutes a false claim
//	training*.go    how many canaries, or trainings, show that a training is not what its account says
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

// Case is a check on a claim whose truth is known, and the verdicts that are counted.
type Case struct {
	Kind   string // of check, one of Kinds
	About  string // what the cases of the kind are, in a sentence
	Name   string // of its own among those of a kind
	isTrue bool   // the claim holds, with equality where it can: the worst case of a test
	// event is what is counted, Refuted unless told.
	event results.Event
	// exact marks a check that computes and must never err; others may, with
	// probability alpha.
	exact bool
	// faults counts an error of the check as a refutation: that of a sampler which is
	// held against its formula.
	faults bool
	// hidden is the mass of the gross violation in a false claim. A confirmation is wrong
	// if it says that one of this mass would have been seen; 0: any confirmation is.
	hidden float64
	// fewer divides the number of runs, for rows that are many or slow; 0 means 1.
	fewer int
	check verify.Check
}

// wrong tells whether what is counted are errors: true claims refuted, or false ones
// confirmed.
func (c Case) wrong() bool { return c.isTrue == (c.event != results.Confirmed) }

// promised tells whether evidence says that the hidden violation would have been seen.
func (c Case) promised(e verify.Evidence) bool {
	return c.hidden == 0 || seenFrom(e) <= c.hidden
}

// seenFrom is the mass from which on gross violations would have been seen.
// Infinite where none would.
func seenFrom(e verify.Evidence) float64 {
	if m := e.Sizes.LargeProbability; m.Set {
		return m.X
	}
	return math.Inf(1)
}

// expect fills in what the rate of a row is held against.
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

// Options are what the tables have in common.
type Options struct {
	Alpha    float64 // error probability of each run, in (0, 1)
	Runs     int     // of each row, at least 1
	Seed     empirical.Seed
	Pool     *empirical.Pool
	Progress func(done, of int) // may be nil
}

// Calibrate runs every case and counts. A run depends on the seed, the case's kind and
// name, and its number alone, so that a kind calibrated by itself gives the same rows.
func Calibrate(ctx context.Context, cases []Case, o Options) ([]results.CalibrationRow, error) {
	var rows []results.CalibrationRow
	done := 0
	var mu sync.Mutex
	all := 0
	for _, c := range cases {
		all += c.runs(o.Runs)
	}
	step := func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; o.Progress != nil {
			o.Progress(done, all)
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

// runs of a case where every case has so many, or fewer.
func (c Case) runs(most int) int { return max(min(most, 2), most/max(c.fewer, 1)) }

// judge is run i of a calibration, counted from 0.
func (c Case) judge(ctx context.Context, o Options, i int) (verify.Evidence, error) {
	settings := verify.Settings{Budget: verify.Standard, Alpha: o.Alpha,
		Seed: o.Seed.Derive("calibration", c.Kind, c.Name, strconv.Itoa(i))}
	return verify.Judge(ctx, c.check, settings, o.Pool, nil)
}

// counts is the event whose runs are counted.
func (c Case) counts() results.Event { return cmp.Or(c.event, results.Refuted) }

// counted tells whether a run counts.
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

// Kinds are the kinds of checks, in the order of the table.
func Kinds() []string {
	var kinds []string
	for _, g := range groups {
		kinds = append(kinds, g.kind)
	}
	return kinds
}

// Cases are the cases of the given kinds, of all without any, in the order of Kinds.
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
