package privacy

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
)

// sampledLook describes the strongest attempt of a [Sampled] check to refute its claim.
type sampledLook struct {
	judge   sampledJudge
	cases   verify.Cases[verify.Cell]
	nearest verify.Cell // over all pairs, with its event
	rarest  float64     // share of the samples in the rarest event that occurred
}

// see records the cell of a pair, its event, and the counts of all its events.
func (l *sampledLook) see(c verify.Cell, event string, events []givenStatistics) {
	c.Label += ", event " + event
	l.cases.See(c, c.Lower.X > c.Claimed.X)
	for _, e := range events {
		for _, k := range []int64{e.A, e.B} {
			if k > 0 {
				l.rarest = math.Min(l.rarest, float64(k)/float64(l.judge.Samples))
			}
		}
	}
}

func (l *sampledLook) Tried() verify.Tried { return l.cases.Tried(verify.Cell.Place, l.nearest) }

func (l *sampledLook) Attempt() string {
	t := l.judge
	text := fmt.Sprintf("%s and directions of %s; the closest to a violation, %s: claimed ε ≤ %.4g, measured %.4g "+
		"[%.4g, %.4g]",
		verify.Plural(t.tests, "event"), verify.Plural(len(t.Cells), "pair"), l.nearest.Label, l.nearest.Claimed.X,
		l.nearest.Measured.X, l.nearest.Lower.X, l.nearest.Upper.X)
	if !math.IsInf(l.rarest, 1) {
		text += fmt.Sprintf("; the rarest event that occurred has frequency %.2g", l.rarest)
	}
	probability := 0.0
	for _, c := range t.Cells {
		probability = math.Max(probability, confidence.MinEventShare(t.Samples, t.Samples, c.Epsilon, c.Delta, t.share()))
	}
	return fmt.Sprintf("%s; an event of probability below about %.2g could not have refuted the claim", text, probability)
}

func (l *sampledLook) Counterexample() verify.Counterexample {
	return l.cases.Simplest(verify.Cell.Itself)
}

// Needed returns the number of samples at which the small and the large violation would be detected on every pair.
func (l *sampledLook) Needed() string {
	t := l.judge
	var need int64
	for i, c := range t.Cells {
		if t.sizes[i].Enough() {
			continue
		}
		n := verify.SmallestSize(t.Samples, t.power[i].Enough)
		if n == 0 {
			return fmt.Sprintf("other events: those at %s may be so rare, after %d pilot releases, that 10¹² samples would "+
				"not suffice", c.At, pilotReleases)
		}
		need = max(need, n)
	}
	return sampleSize(need, t.Samples)
}

// sampleSize returns the text for a required number of samples per input, which is larger than the run's.
func sampleSize(need, have int64) string {
	return fmt.Sprintf("about %d samples of each input; this run had %d", roundedSize(need, have), have)
}

// roundedSize rounds a required size up to two digits. The result is larger than the run's size.
func roundedSize(need, have int64) int64 { return verify.RoundedSize(max(need, have+1)) }

// auditLook describes the strongest attempt of an audit to refute its claim.
type auditLook[D, O any] struct {
	trial *auditTrial[D, O]
	view  view
	near  smallViolation
	cell  verify.Cell

	violated *verify.CurveViolation
}

func (l *auditLook[D, O]) Tried() verify.Tried {
	return verify.Tried{Cases: int64(len(l.trial.Pairs)), Case: "pair", Nearest: l.cell}
}

func (l *auditLook[D, O]) Attempt() string {
	t, g := l.trial, l.trial.Guarantee
	p, _ := l.view.masses()
	text := fmt.Sprintf("%s searched for the most distinguishing event; the closest to a violation, %s, of probability "+
		"%.2g: claimed %s ≤ %.4g, measured %.4g [%.4g, %.4g]",
		verify.Plural(len(t.Pairs), "pair"), l.cell.Label, p, g.Quantity(), g.Value(), l.cell.Measured.X, l.cell.Lower.X,
		l.cell.Upper.X)
	if g.IsApproximate() {
		n := t.n(l.view)
		text += fmt.Sprintf("; an event of probability below about %.2g could not have refuted the claim",
			confidence.MinEventShare(n[0], n[1], g.Value(), g.Delta(), t.alpha))
	}
	return text
}

func (l *auditLook[D, O]) Counterexample() verify.Counterexample {
	choice := "the pair and the event, chosen before they were certified"
	if n := len(l.trial.Pairs); n > 1 {
		choice = fmt.Sprintf("%s of %d pairs, chosen with the event before they were certified",
			verify.Plural(len(l.view.chosen), "pair"), n)
	}
	if at := l.violated; at != nil {
		choice += fmt.Sprintf("; it violates the claimed curve at (ε, δ) = (%.3g, %.3g): the counts have δ = %.3g",
			at.Epsilon, at.Delta, at.Measured)
	}
	return verify.Counterexample{Cell: l.cell, Choice: choice}
}

// Needed returns the number of samples at which an audit would detect small and large violations.
func (l *auditLook[D, O]) Needed() string {
	t := l.trial
	if t.sight.Scores == distinguisher.NotCovered {
		return "shorter outputs: these have more values than the search covers; audit parts of them as separate claims"
	}
	near := verify.SmallestSize(t.total, func(total int64) bool { return t.detectsSmall(t.rarest(l.near, total), total) })
	gross := verify.SmallestSize(t.total, func(total int64) bool { return t.sight.DetectsFrom(t.wanted(), total) })
	switch {
	case t.design == runsDesign && (near == 0 || gross == 0) && t.most < choosers*keptRows:
		return fmt.Sprintf("more outputs that choose the event: %d of each input chose it. Later runs use up to %d earlier "+
			"runs, and up to %d outputs of each", t.most, choosers, keptRows)
	case near == 0 && l.near.pairs == 0:
		return fmt.Sprintf("a larger claim or effect: the maximum number of search rows does not show a small violation "+
			"at event probability %.2g", l.near.mass)
	case near == 0:
		return fmt.Sprintf("another pair or event: at this one, of probability %.2g, 10¹² samples would not detect a small "+
			"violation", l.near.mass)
	}
	if gross == 0 {
		return largerMass(t.wanted(), t.sight.MinProbability(1e12))
	}
	switch t.design {
	case runsDesign:
		total := max(near, gross)
		return fmt.Sprintf("further runs: about %d counted samples of each input in all runs of this version; so far there "+
			"are %d", roundedSize(t.sight.Certifying(total), t.n(l.view)[0]), t.n(l.view)[0])
	case recordedDesign:
		return fmt.Sprintf("about %d recorded outputs of each input, or a larger mass; this run had %d",
			roundedSize(max(near, gross), t.total), t.total)
	}
	return sampleSize(max(near, gross), t.total)
}

// largerMass returns the text for a wanted event probability at which no number of samples suffices. The probability
// least suffices; it is unset if none does.
func largerMass(wanted float64, least verify.Number) string {
	text := fmt.Sprintf("at event probability %.2g no number of samples detects a large violation", wanted)
	if !least.Set || least.X > 0.99 {
		return "another claim: " + text
	}
	return fmt.Sprintf("a larger event probability: %s; set mass to %.2f", text, math.Ceil(100*least.X)/100)
}
