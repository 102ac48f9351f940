package premises

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
)

// Judge returns the evidence on the membership. The kinds of tests have equal shares of alpha, and within a kind each
// tail of each test has an equal share. A violation of the claimed structure, such as a record twice in a batch,
// refutes the claim without sampling error. The claim is consistent if the log detects its main alternative.
func (f membershipStatistics) Judge(s verify.Settings) (verify.Evidence, error) {
	e := verify.Evidence{Quantity: "membership", Sense: verify.Equals, Exact: true, Verdict: verify.Holds,
		Method: fmt.Sprintf("structure of the batches of %s of %s", verify.Plural(f.Steps, "step"),
			verify.Plural(f.Records, "record"))}
	look := membershipLook{cases: int64(f.Steps)}
	switch {
	case f.Broken != nil:
		e.Verdict, look.worst = verify.Refuted, f.broken()
		look.choice = "the first such place in the log"
	case f.certain():
		look.worst = f.exact("smallest batch", float64(f.Records), float64(f.Sizes[0].Count))
		look.attempt = "each of the logged steps includes each record"
	case f.Sampling == Fixed:
		look.worst = f.exact("records that a batch does not share with the batch one epoch earlier", 0, 0)
		look.attempt = "the batches one epoch apart are equal"
		if two := 2 * f.Epochs.Length; f.Steps < two {
			e.Verdict = verify.Inconclusive
			look.needed = fmt.Sprintf("two epochs, %d steps, show the order; the log has %d", two, f.Steps)
		}
	default:
		f.sampled(&e, &look, s.Alpha)
	}
	if e.Exact {
		e.Quantity = f.counted(look.worst)
	}
	e.CopyWorst(look.worst)
	if len(e.Cells) == 0 {
		e.Cells = []verify.Cell{look.worst}
	}
	e.LookAgain(look)
	return e, nil
}

// counted returns the quantity of a case that is decided without tests.
func (f membershipStatistics) counted(worst verify.Cell) string {
	switch b := f.Broken; {
	case b == nil:
		return worst.Label
	case b.Kind == recordTwice:
		return "copies of a record in a batch"
	case b.Kind == twiceInAnEpoch:
		return "batches of an epoch with one record"
	case b.Kind == otherOrder:
		return "copies of the record in the batch one epoch later"
	}
	return "batch size"
}

func (f membershipStatistics) exact(label string, claimed, measured float64) verify.Cell {
	return verify.Cell{Label: label, Claimed: verify.Num(claimed), Measured: verify.Num(measured)}
}

// sampled judges the tests. The first cell of a Poisson claim is the sampling rate with its confidence limits.
func (f membershipStatistics) sampled(e *verify.Evidence, look *membershipLook, alpha float64) {
	list := f.findings()
	share := alpha / float64(len(list))
	refuted := make(map[testKind]finding)
	for i, x := range list {
		if x.kind == rateTest {
			all := int64(f.Records) * int64(f.Steps)
			lower, upper, err := confidence.ClopperPearson(f.Members, all, share)
			if err == nil {
				list[i].cell.Lower, list[i].cell.Upper = verify.Num(lower), verify.Num(upper)
			}
		}
		if x.p <= share {
			refuted[x.kind] = list[i]
		}
		e.Cells = append(e.Cells, list[i].cell)
	}
	worst := strongest(list)
	e.Exact, e.Samples = false, int64(f.Records)*int64(f.Steps)
	e.Method = fmt.Sprintf("%d kinds of tests with equal shares of alpha, on %s of %s", len(list),
		verify.Plural(f.Steps, "step"), verify.Plural(f.Records, "record"))
	look.sampled, look.cases, look.worst = true, int64(len(list)), worst.cell
	e.Quantity = string(worst.kind)
	if len(refuted) > 0 {
		e.Verdict = verify.Refuted
		if worst.kind == recordSpread && worst.high {
			look.worst = f.inclusions().cell // the record with the largest part of the spread
		}
		if name := f.diagnosis(refuted, share); name != "" {
			look.worst.Label = name
		}
		look.choice = fmt.Sprintf("%s: %.4g, expected %.4g; p-value %.2g, corrected for the tests of its kind, the "+
			"smallest of %d kinds",
			worst.cell.Label, worst.cell.Measured.X, worst.cell.Claimed.X, worst.p, len(list))
		return
	}
	others := f.alternatives(share)
	e.Power = power(others)
	if missing := missed(others, true); missing != "" {
		e.Verdict = verify.Inconclusive
		look.needed = f.needed(missing, share)
		return
	}
	e.Verdict = verify.Consistent
	if list[0].kind == rateTest { // it says more about the batches than the smallest p-value
		e.Quantity, look.worst = string(rateTest), list[0].cell
	}
	if f.Epochs == nil {
		if _, high := recordRates(int64(f.Steps), f.rate(), share/float64(2*f.Records)); high < 1 {
			e.Detects = verify.Detects{Effect: high/f.rate() - 1, Relative: true, Probability: verify.TargetPower}
		}
	}
	look.attempt = fmt.Sprintf("%d kinds of tests; the smallest corrected p-value is %.2g, for %s (%.4g, expected %.4g)",
		len(list), worst.p, worst.cell.Label, worst.cell.Measured.X, worst.cell.Claimed.X)
}

func (f membershipStatistics) needed(missing string, share float64) string {
	text := fmt.Sprintf("the log of %s does not detect %s", verify.Plural(f.Steps, "step"), missing)
	if steps := f.sufficient(share); steps > 0 {
		return text + fmt.Sprintf("; about %d steps would", steps)
	}
	return text
}

// broken returns the violation with its place and the alternative that fits.
func (f membershipStatistics) broken() verify.Cell {
	b := f.Broken
	switch b.Kind {
	case recordTwice:
		return f.exact(fmt.Sprintf("with replacement: step %d contains record %d twice", b.Step, b.Record), 1, 2)
	case twiceInAnEpoch:
		return f.exact(fmt.Sprintf("independent batches: steps %d and %d of one epoch both contain record %d", b.Other,
			b.Step, b.Record), 1, 2)
	case otherOrder:
		return f.exact(fmt.Sprintf("batches change between epochs: record %d is in step %d, but not in step %d", b.Record,
			b.Other, b.Step), 1, 0)
	}
	label := fmt.Sprintf("batches of another size: step %d has %d records", b.Step, b.Size)
	if f.Sizes[1].Count > int64(b.Want) && f.Sizes[0].Count < f.Sizes[1].Count {
		label = fmt.Sprintf("batch sizes that vary from %d to %d, as in Poisson sampling: step %d has %d records",
			f.Sizes[0].Count, f.Sizes[1].Count, b.Step, b.Size)
	}
	return f.exact(label, float64(b.Want), float64(b.Size))
}

// diagnosis names the alternatives that fit the refuting tests, or is empty.
func (f membershipStatistics) diagnosis(refuted map[testKind]finding, share float64) string {
	if f.Epochs != nil {
		return f.Epochs.diagnosis(refuted, f.Batch)
	}
	same := f.Sizes[0].Count == f.Sizes[1].Count
	if o := f.Overlaps[1]; same && o.Lag == 1 && o.Common == o.Trials && f.repeats(o, share) {
		return fmt.Sprintf("one batch repeated in each step, as if one sampling key were used: all %d steps have the same "+
			"%s", f.Steps, verify.Plural(int(f.Sizes[0].Count), "record"))
	}
	var out []string
	if x, ok := refuted[rateTest]; ok {
		out = append(out, fmt.Sprintf("another sampling rate, %.4g (%.4g to %.4g)", x.cell.Measured.X, x.cell.Lower.X,
			x.cell.Upper.X))
		refuted = f.atObservedRate(share)
	}
	if x, ok := refuted[neighborTest]; ok && f.contiguous(x.cell.Claimed.X) {
		out = append(out, "batches of contiguous positions")
	}
	windows, unseen := refuted[windowTest]
	common, shared := refuted[overlapTest]
	switch most := f.Overlaps[1]; {
	case f.repeats(most, share):
		out = append(out, fmt.Sprintf("fixed batches in the same order: steps at a distance of %d have %d of %d "+
			"records in common", most.Lag, most.Common, most.Trials))
	case unseen && !windows.high || shared && !common.high:
		out = append(out, f.withinEpoch())
	default:
		out = append(out, f.otherRates(refuted, share)...)
	}
	return strings.Join(out, "; ")
}

// atObservedRate repeats, at the observed rate, the tests whose counts do not depend on the claimed rate, and returns
// those that still refute. It adds the spread of the batch sizes if there are at least 10 steps and all sizes are
// equal.
func (f membershipStatistics) atObservedRate(share float64) map[testKind]finding {
	refuted := make(map[testKind]finding)
	f.Rate = float64(f.Members) / (float64(f.Records) * float64(f.Steps))
	for _, x := range []finding{f.sizes(), f.inclusions(), f.overlaps(), f.neighbors()} {
		if x.p <= share {
			refuted[x.kind] = x
		}
	}
	if f.Steps >= 10 && f.Sizes[0].Count == f.Sizes[1].Count {
		refuted[sizeSpread] = finding{kind: sizeSpread}
	}
	return refuted
}

// contiguous reports whether the excess of neighbor pairs is at least 40 % of the excess in contiguous batches. In
// these, about half of the members are at an odd position and follow a member. Weights that change slowly with the
// position have a smaller effect.
func (f membershipStatistics) contiguous(mean float64) bool {
	return float64(f.Neighbors)-mean >= 0.4*(float64(f.Members)/2-mean)
}

// repeats reports whether the steps at a lag have almost all records in common.
func (f membershipStatistics) repeats(o overlap, share float64) bool {
	return o.Lag > 0 && float64(o.Common) >= 0.9*float64(o.Trials) &&
		o.finding(overlapTest, "", int64(f.lags())).p <= share
}

// withinEpoch names sampling without replacement within an epoch.
func (f membershipStatistics) withinEpoch() string {
	if length, _ := f.window(); f.Steps < 2*length {
		return "without replacement within an epoch, shuffled or in a fixed order (two epochs would distinguish them)"
	}
	return "shuffled once per epoch: successive batches avoid the records of the batches before"
}

// otherRates names differences between records, steps, or the sampling and the claimed rate.
func (f membershipStatistics) otherRates(refuted map[testKind]finding, share float64) (out []string) {
	if x, ok := refuted[sizeSpread]; ok && !x.high {
		out = append(out, fmt.Sprintf("drawn without replacement, of fixed size: the batches have %d to %d records",
			f.Sizes[0].Count, f.Sizes[1].Count))
	}
	one, extreme := refuted[inclusionTest]
	spread, uneven := refuted[recordSpread]
	switch {
	case uneven && !spread.high:
		out = append(out, "balanced: the inclusions of the records differ too little")
	case extreme || uneven:
		kind := "weighted" // unless the inclusions of the other records vary as claimed
		if f.Sampling == Poisson && !f.restUneven(share) {
			kind = "a record treated differently"
		}
		if !extreme {
			one = f.inclusions()
		}
		record := f.Inclusions[0]
		if one.high {
			record = f.Inclusions[1]
		}
		out = append(out, fmt.Sprintf("%s: record %d is in %d of %d steps, and rate %.4g gives %.4g on average", kind,
			record.At, record.Count, f.Steps, f.rate(), one.cell.Claimed.X))
	}
	_, extremeSize := refuted[sizeTest]
	if x, ok := refuted[sizeSpread]; ok && x.high || extremeSize {
		out = append(out, fmt.Sprintf("a rate that varies between steps: batches have %d to %d records", f.Sizes[0].Count,
			f.Sizes[1].Count))
	}
	if x, ok := refuted[overlapTest]; ok && x.high && len(out) == 0 {
		out = append(out, fmt.Sprintf("dependent steps: %s are %.4g, expected %.4g", x.cell.Label, x.cell.Measured.X,
			x.cell.Claimed.X))
	}
	return out
}

// restUneven reports whether the inclusions vary too much without the two extreme records.
func (f membershipStatistics) restUneven(share float64) bool {
	s := f.recordSquares()
	rest := f.RecordSpread - s.of(f.Inclusions[0].Count) - s.of(f.Inclusions[1].Count)
	return 2*s.tails(rest, max(1, int64(f.Records)-2)).Greater <= share
}

// diagnosis names the dependence between epochs.
func (c epochCounts) diagnosis(refuted map[testKind]finding, batch int) string {
	_, batches := refuted[batchTest]
	same := c.Common == int64(batch)
	shown, halves := refuted[halfTest]
	if !halves {
		shown = refuted[batchTest]
	}
	switch {
	case same && c.Step-c.Other == c.Length && (batches || halves):
		return fmt.Sprintf("fixed batches in the same order: steps %d and %d have the same records", c.Other, c.Step)
	case halves && c.Halves.Common == c.Halves.Trials:
		return "shuffled within parts of the data: the first halves of all epochs have the same records"
	case batches && same:
		return fmt.Sprintf("the same batches in another order: steps %d and %d have the same records", c.Other, c.Step)
	case halves || batches:
		return fmt.Sprintf("epochs depend on each other: %s are %.4g, expected %.4g", shown.cell.Label,
			shown.cell.Measured.X,
			shown.cell.Claimed.X)
	}
	return "batches depend on the positions: neighbors are in the same half of an epoch too often or too rarely"
}

// membershipLook holds the texts of the second look.
type membershipLook struct {
	sampled                 bool
	cases                   int64
	worst                   verify.Cell
	attempt, choice, needed string
}

// Tried returns the worst case. If the claim was sampled and not refuted, it returns no figures, because an observed
// count differs from its mean in a sound log.
func (m membershipLook) Tried() verify.Tried {
	nearest := m.worst
	if m.sampled && m.choice == "" {
		nearest = verify.Cell{Label: nearest.Label}
	}
	unit := "step"
	if m.sampled {
		unit = "kind of test"
	}
	return verify.Tried{Cases: m.cases, Case: unit, Nearest: nearest}
}

func (m membershipLook) Attempt() string { return m.attempt }
func (m membershipLook) Counterexample() verify.Counterexample {
	return verify.Counterexample{Cell: m.worst, Choice: m.choice}
}
func (m membershipLook) Needed() string { return m.needed }
