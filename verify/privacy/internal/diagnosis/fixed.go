package diagnosis

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
)

// mostOthers is the probability of other outputs below which an output is called always the same.
const mostOthers = 0.01

// leastSame is in how many outputs of the part that bears out all must be the same: if others had the probability
// mostOthers, that would happen with probability CauseLevel.
func leastSame() int { return int(math.Ceil(math.Log(CauseLevel) / math.Log1p(-mostOthers))) }

// othersIn bounds the probability of other outputs where none was seen in n.
func othersIn(n int) string {
	most := -math.Expm1(math.Log(CauseLevel) / float64(n))
	return fmt.Sprintf("others have a probability below %.2g, with error %g", most, CauseLevel)
}

// fixed looks for a value that is always the same under one input and another one under the other.
func (o *outputs) fixed() *verify.LikelyCause {
	n := min(o.rows(1, 0), o.rows(1, 1))
	if n < leastSame() {
		return nil
	}
	for k := range o.columns {
		var always [2]bool
		var at [2]float64
		for input := range 2 {
			chosen, borne := o.values[0][input][k], o.values[1][input][k]
			at[input] = chosen[0]
			always[input] = constant(chosen) && constant(borne) && floatBits(borne[0]) == floatBits(chosen[0])
		}
		if floatBits(at[0]) == floatBits(at[1]) && always[0] && always[1] {
			continue
		}
		switch {
		case always[0] && always[1]:
			return o.withoutNoise(k, at, n)
		case always[0] && o.spread(1, k, at[0]):
			return o.halfWithoutNoise(k, at[0], "A", n)
		case always[1] && o.spread(0, k, at[1]):
			return o.halfWithoutNoise(k, at[1], "B", n)
		}
	}
	return nil
}

// withoutNoise is of a column that is always one value under A and another under B. The length of a list, and the
// kind of an object, tell what is in it: that is no number without noise.
func (o *outputs) withoutNoise(k int, at [2]float64, n int) *verify.LikelyCause {
	l := &verify.LikelyCause{Fault: verify.FaultNoNoise, Level: CauseLevel,
		Words: "a release without noise, or with the same noise every time"}
	switch {
	case o.length(k) && finite(at[0]) && finite(at[1]):
		l.Fault, l.Words = verify.FaultImpossibleOutput, "a list whose length no threshold and no noise hides"
		l.Evidence = o.says(k, fmt.Sprintf(" is always %g under A and %g under B", at[0], at[1]))
	case !o.scalar && (k == 0 || floatBits(at[0]) == floatBits(distinguisher.Absent) ||
		floatBits(at[1]) == floatBits(distinguisher.Absent)):
		l.Fault, l.Words = verify.FaultImpossibleOutput, "a set of keys or items that no threshold hides"
		l.Evidence = "one input always gives some that the other never gives"
	case !o.scalar && distinguisher.IsSymbol(o.values[0][0][0][0]) && distinguisher.IsSymbol(at[0]): // an object
		l.Fault, l.Words = verify.FaultImpossibleOutput, "a set of keys or items that no threshold hides"
		l.Evidence = "one input always gives one that the other never gives"
	case distinguisher.IsSymbol(at[0]) || distinguisher.IsSymbol(at[1]):
		l.Evidence = fmt.Sprintf("%s is always one and the same under A and always another under B", o.value(k))
	default:
		l.Evidence = o.says(k, fmt.Sprintf(" is always %.6g under A and always %.6g under B", at[0], at[1]))
	}
	l.Evidence += fmt.Sprintf(", in all %d held-out outputs of each; %s", n, othersIn(n))
	return l
}

func (o *outputs) value(k int) string {
	if o.scalar {
		return "the output"
	}
	return verify.EventInWords("value output["+strconv.Itoa(k-1)+"]", o.names)
}

// spread reports whether a column has many values under an input, and a certain one never.
func (o *outputs) spread(input, k int, never float64) bool {
	seen := make(map[uint64]bool)
	for part := range 2 {
		for _, v := range o.values[part][input][k] {
			if !finite(v) || floatBits(v) == floatBits(never) {
				return false
			}
			if len(seen) < leastRows {
				seen[floatBits(v)] = true
			}
		}
	}
	return len(seen) >= leastRows/4
}

func (o *outputs) halfWithoutNoise(k int, at float64, input string, n int) *verify.LikelyCause {
	if !finite(at) || o.length(k) {
		return nil
	}
	return &verify.LikelyCause{Fault: verify.FaultNoNoise, Level: CauseLevel,
		Words: "a release without noise under one input",
		Evidence: fmt.Sprintf("%s is always %.6g under %s, in all %d held-out outputs, and never that under the other; %s",
			o.name(k), at, input, n, othersIn(n))}
}

// reused looks for two numbers whose difference, or sum, is always one under A and another under B, though they
// are spread themselves.
func (o *outputs) reused() *verify.LikelyCause {
	n := min(o.rows(1, 0), o.rows(1, 1))
	if n < leastSame() {
		return nil
	}
	for i := 1; i < o.columns; i++ {
		if !o.spreads(i) {
			continue
		}
		for j := i + 1; j < o.columns; j++ {
			for _, sign := range []float64{-1, 1} {
				a, ok := o.together(0, i, j, sign)
				if !ok {
					continue
				}
				b, ok := o.together(1, i, j, sign)
				if !ok || math.Abs(a.at-b.at) <= 4*(a.error+b.error) || !o.spreads(j) {
					continue
				}
				what := map[float64]string{-1: "difference", 1: "sum"}[sign]
				return &verify.LikelyCause{Fault: verify.FaultReusedNoise, Level: CauseLevel,
					Words: "the same noise on several numbers",
					Evidence: fmt.Sprintf("the %s of %s and %s is always %.6g under A and always %.6g under B, in all %d held-out "+
						"outputs of each, though either has noise; %s", what, o.name(j), o.name(i), a.at, b.at, n, othersIn(n))}
			}
		}
	}
	return nil
}

// spreads reports whether a column has many values under both inputs.
func (o *outputs) spreads(k int) bool {
	return o.spread(0, k, math.NaN()) && o.spread(1, k, math.NaN())
}

// rounding is the relative error of the numbers in rows.
const rounding = 1.0 / (1 << 38)

// always is a number that is always the same, up to an error of rounding.
type always struct{ at, error float64 }

// together is the number that one column plus sign times another always is, under an input.
func (o *outputs) together(input, i, j int, sign float64) (always, bool) {
	var out always
	low, high := math.Inf(1), math.Inf(-1)
	for part := range 2 {
		second := o.values[part][input][j]
		for row, u := range o.values[part][input][i] {
			v := second[row]
			if !finite(u) || !finite(v) {
				return out, false
			}
			out.error = math.Max(out.error, rounding*(math.Abs(u)+math.Abs(v)))
			d := v + sign*u
			if !finite(d) {
				return out, false
			}
			low, high = math.Min(low, d), math.Max(high, d)
			if high-low > 2*out.error {
				return out, false
			}
		}
	}
	out.at = low + (high-low)/2
	return out, true
}
