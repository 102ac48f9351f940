package external

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Accountant answers a line by a line.
type Accountant interface {
	// Exchange returns the reply to a line. After an error, the next line goes to a new process.
	Exchange(line []byte) ([]byte, error)
	// Restart lets the next line go to a new process.
	Restart()
}

const (
	// Tolerance is the relative amount by which an upper bound may be below the certified lower end.
	Tolerance = 1e-9
	// Agreement is the largest relative distance of the second back end's upper end from the certified bracket. The
	// largest distance over the corpus was measured as 1.4e-4.
	Agreement = 5e-4
	// rounding is the relative rounding error of the second back end.
	rounding = 1e-6
	// DefaultFactor is the default factor above the certified upper end from which an answer is loose.
	DefaultFactor = 1.1
	// maxFailures is the number of failures in a row after which a trial ends.
	maxFailures = 10
)

// Verdict is the result class of one question.
type Verdict string

const (
	// Within: the answer is at least the lower end, and not loose.
	Within Verdict = "within"
	// NotUpper: an answer that is meant as an upper bound is below the lower end.
	NotUpper Verdict = "not an upper bound"
	// Low: an estimate is below the lower end.
	Low Verdict = "below"
	// Loose: the answer is above the upper end by more than the factor.
	Loose Verdict = "loose"
	// Unsupported: the accountant does not cover the event.
	Unsupported Verdict = "unsupported"
	// Failed: no usable reply.
	Failed Verdict = "error"
	// Unconfirmed: the answer is below the lower end, but the second back end does not confirm the bracket.
	Unconfirmed Verdict = "unconfirmed"
)

// Verdicts lists all verdicts in the order of reports.
func Verdicts() []Verdict {
	return []Verdict{Within, NotUpper, Low, Loose, Unsupported, Failed, Unconfirmed}
}

// Row is the result of one question.
type Row struct {
	Case
	Number  int64 // of the request
	Reply   Reply // zero for Failed
	Verdict Verdict
	Reason  string // of Unsupported, Failed and Unconfirmed
}

// Ratio returns the answer divided by the violated end, or 1 if it is within the bracket. It is NaN without an answer.
func (r Row) Ratio() float64 {
	switch x := r.Reply.Value; {
	case r.Verdict == Failed || r.Verdict == Unsupported:
		return math.NaN()
	case x < r.Bracket.Lower:
		return x / r.Bracket.Lower
	case x > r.Bracket.Upper:
		return x / r.Bracket.Upper
	}
	return 1
}

// Options are the parameters of a trial.
type Options struct {
	Seed   uint64
	Trees  int     // at least 1
	Factor float64 // above 1; see DefaultFactor
}

// Check returns an error for options outside their domain.
func (o Options) Check() error {
	if !(o.Trees >= 1) {
		return fmt.Errorf("%d trees: want at least 1", o.Trees)
	}
	if !(o.Factor > 1 && !math.IsInf(o.Factor, 1)) {
		return fmt.Errorf("factor %v: want a finite number above 1", o.Factor)
	}
	return nil
}

// Result is a trial.
type Result struct {
	Options
	Rows     []Row
	Smallest []Row  // for each kind of fault, the smallest question that shows it
	Stopped  string // why the trial asked fewer questions; "" if it asked all
}

// Count returns the number of rows with a verdict.
func (r Result) Count(v Verdict) (n int) {
	for _, row := range r.Rows {
		if row.Verdict == v {
			n++
		}
	}
	return n
}

// Answers returns the number of answered questions and the median ratio of an answer to its certified upper end. The
// median is NaN if there is no answer.
func (r Result) Answers() (n int, median float64) {
	var ratios []float64
	for _, row := range r.Rows {
		if row.Reply.Bound != "" {
			ratios = append(ratios, row.Reply.Value/row.Bracket.Upper)
		}
	}
	if n = len(ratios); n == 0 {
		return 0, math.NaN()
	}
	slices.Sort(ratios)
	return n, (ratios[(n-1)/2] + ratios[n/2]) / 2
}

// Run asks an accountant the questions of a seed, and shrinks one question for each kind of fault.
func Run(ctx context.Context, ask Accountant, o Options) (Result, error) {
	res := Result{Options: o}
	if err := o.Check(); err != nil {
		return res, err
	}
	t := trial{ask: ask, factor: o.Factor}
	failures := 0
	for i := range o.Trees {
		if err := ctx.Err(); err != nil {
			return res, err
		}
		c, err := Generate(o.Seed, uint64(i))
		if err != nil {
			return res, err
		}
		row := t.judge(c)
		res.Rows = append(res.Rows, row)
		if failures++; row.Verdict != Failed {
			failures = 0
		}
		if failures == maxFailures {
			res.Stopped = fmt.Sprintf("%d questions in a row got no usable reply", failures)
			break
		}
	}
	for _, v := range []Verdict{NotUpper, Low, Loose, Failed} {
		if row, found := fewestNodes(res.Rows, v); found {
			shrunk, err := t.shrink(ctx, row)
			if err != nil {
				return res, err
			}
			res.Smallest = append(res.Smallest, shrunk)
		}
	}
	return res, nil
}

// fewestNodes returns the first row with a verdict and the smallest tree.
func fewestNodes(rows []Row, v Verdict) (best Row, found bool) {
	for _, r := range rows {
		if r.Verdict == v && (!found || r.Tree.Nodes() < best.Tree.Nodes()) {
			best, found = r, true
		}
	}
	return best, found
}

// trial asks one accountant.
type trial struct {
	ask    Accountant
	factor float64
	sent   int64
}

// judge asks a question and compares the answer with the certified bracket.
func (t *trial) judge(c Case) Row {
	row := Row{Case: c, Number: t.sent}
	t.sent++
	failed := func(err error) Row {
		row.Verdict, row.Reason = Failed, err.Error()
		return row
	}
	line, err := c.Line(row.Number)
	if err != nil {
		return failed(err)
	}
	answer := func() (Reply, error) {
		text, err := t.ask.Exchange(line)
		if err != nil {
			return Reply{}, err
		}
		return ParseReply(c.Question, row.Number, text)
	}
	if row.Reply, err = answer(); err != nil {
		return failed(err)
	}
	x := row.Reply.Value
	switch {
	case row.Reply.Unsupported != "":
		row.Verdict, row.Reason = Unsupported, row.Reply.Unsupported
	case c.below(row.Reply):
		// A late line in reply to an earlier question must not be judged as the answer to this one. So the same question
		// is asked again. All replies may be late by a line, so a reply without the id is compared with a new process.
		if !row.Reply.Matched {
			t.ask.Restart()
		}
		again, err := answer()
		if err == nil && !c.below(again) {
			err = fmt.Errorf("the accountant answers %v, and %s if it is asked the same question again", x, again)
		}
		if err != nil {
			row.Reply = Reply{}
			return failed(err)
		}
		row.Verdict = Low
		if row.Reply.Bound == BoundUpper {
			row.Verdict = NotUpper
		}
		if err := Confirm(c); err != nil {
			row.Verdict, row.Reason = Unconfirmed, err.Error()
		}
	case x <= c.Bracket.Upper*t.factor:
		row.Verdict = Within
	default:
		row.Verdict = Loose
	}
	return row
}

// below reports whether an answer is below the certified lower end.
func (c Case) below(r Reply) bool {
	return r.Unsupported == "" && r.Value < c.Bracket.Lower*(1-Tolerance)
}

// Confirm returns an error if the second back end does not agree with the certified bracket.
func Confirm(c Case) error {
	lower, upper, err := Second(c.Question)
	if err != nil {
		return fmt.Errorf("the second back end: %w", err)
	}
	b := c.Bracket
	if !(lower <= b.Upper*(1+rounding) && upper >= b.Lower*(1-rounding) && upper <= b.Upper*(1+Agreement)) {
		return fmt.Errorf("the second back end computes [%.6g, %.6g], certified [%.6g, %.6g]", lower, upper, b.Lower, b.Upper)
	}
	return nil
}
