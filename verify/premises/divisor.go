package premises

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
)

// divisor returns the premise that every step divides by the claimed number, up to the tolerance. If there is a log of
// a neighboring run, both logs are checked, and the divisors of each step are compared.
func divisor(l, neighbor *Log, t Training) Premise {
	statement := fmt.Sprintf("every step divides the noisy sum by %.6g", t.Divisor)
	if neighbor != nil {
		statement += fmt.Sprintf(", on %d and on %d records", l.Records, neighbor.Records)
	}
	return Premise{"divisor", statement, divisorStatistics(l, neighbor, t).check()}
}

func divisorStatistics(l, neighbor *Log, t Training) computed {
	f := computed{Quantity: "divisor", Sense: verify.Equals, Claimed: t.Divisor, Tolerance: t.Tolerance,
		Note: "one log cannot show whether the divisor depends on the number of records: two logs on neighboring data can"}
	allowed := t.Divisor * (t.Tolerance + verify.DefaultRelativeError)
	drawn := 0
	for i, s := range l.Steps {
		f.see(s.Divisor, math.Abs(s.Divisor-t.Divisor)/allowed, func() string { return fmt.Sprintf("step %d", i+1) })
		if math.Abs(s.Divisor-float64(max(1, len(s.Batch)))) <= allowed {
			drawn++
		}
	}
	switch {
	case f.Broken > 0 && drawn == len(l.Steps):
		f.Cause = "the divisor is the number of records in the batch"
	case f.Broken > 0 && drawn > 0:
		f.Cause = fmt.Sprintf("in %s, the divisor is the number of records in the batch", verify.Plural(drawn, "step"))
	}
	if neighbor != nil {
		f.compare(l, neighbor, allowed)
	}
	return f
}

// compare adds the divisors of the neighboring run. If the divisors of a step differ, at least one of them differs from
// the claimed number, so the difference refutes the premise unless both are within the tolerance. Then the tolerance
// may hide a divisor that depends on the data, and the premise is left open.
func (f *computed) compare(l, neighbor *Log, allowed float64) {
	f.Note = ""
	differ, records, first := 0, 0, ""
	for i, s := range neighbor.Steps {
		own := l.Steps[i].Divisor
		f.see(s.Divisor, math.Abs(s.Divisor-f.Claimed)/allowed, func() string {
			return fmt.Sprintf("step %d on %s", i+1, verify.Plural(neighbor.Records, "record"))
		})
		if !(math.Abs(s.Divisor-own) <= verify.DefaultRelativeError*math.Max(s.Divisor, own)) {
			if differ++; differ == 1 {
				first = fmt.Sprintf("step %d divides by %.10g on %s and by %.10g on %s", i+1, own,
					verify.Plural(l.Records, "record"), s.Divisor, verify.Plural(neighbor.Records, "record"))
			}
		}
		if near(own, l.Records) && near(s.Divisor, neighbor.Records) {
			records++
		}
	}
	switch {
	case differ == 0:
	case f.Broken == 0:
		f.Needed = "a smaller tolerance: it allows two divisors, but " + first
	case records == len(l.Steps):
		f.Cause = "the noisy sum is divided by the number of records: " + first
	case f.Cause == "":
		f.Cause = "the divisor depends on the data: " + first
	default:
		f.Cause += "; " + first
	}
}

// near reports whether a divisor is a number of records, up to the rounding to float32.
func near(divisor float64, records int) bool {
	return math.Abs(divisor-float64(records)) <= math.Ldexp(float64(records), -22)
}

// neighbors returns an error unless the two logs have the same number of steps on data sets that differ by one record.
func neighbors(l, neighbor *Log) error {
	switch err := neighbor.check(); {
	case err != nil:
		return fmt.Errorf("the log of the neighboring run: %w", err)
	case l.Records-neighbor.Records != 1 && neighbor.Records-l.Records != 1:
		return fmt.Errorf("the logs have %s and %s: want runs on data sets that differ by one record",
			verify.Plural(l.Records, "record"), verify.Plural(neighbor.Records, "record"))
	case len(l.Steps) != len(neighbor.Steps):
		return fmt.Errorf("the logs have %s and %s: want the same number of steps", verify.Plural(len(l.Steps), "step"),
			verify.Plural(len(neighbor.Steps), "step"))
	}
	return nil
}
