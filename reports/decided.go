package reports

import (
	"math"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// decidedMark follows a verdict that the figures of its row do not imply; a note after the table names what decided.
const decidedMark = " †"

// decidedBy returns what decided a verdict that the claimed and the measured figure do not imply: a violated point of a
// curve, a resolution, or a count of cases. It returns "" if the figures imply the verdict or there are none.
func decidedBy(r verify.Result) string {
	if !r.Claimed.Set || !(r.Measured.Set || r.Lower.Set || r.Upper.Set) {
		return ""
	}
	breaks := breaksClaim(r.Evidence)
	switch r.Verdict {
	case verify.Refuted, verify.Contradictory:
		if breaks {
			return ""
		}
	case verify.Holds, verify.Consistent, verify.Inconclusive:
		if !breaks || r.Verdict == verify.Holds && explainedByRounding(r.Evidence) {
			return ""
		}
	default:
		return ""
	}
	switch {
	case r.Verdict == verify.Inconclusive:
		return reason(r)
	case len(r.Warnings) > 0:
		return r.Warnings[0]
	case r.Method != "":
		return r.Method
	}
	return reason(r)
}

// breaksClaim reports whether the interval of a claim's figure, or the figure itself if it was computed, is on the
// wrong side of the claimed value.
func breaksClaim(e verify.Evidence) bool {
	lower, upper := math.Inf(-1), math.Inf(1)
	if e.Exact && e.Measured.Set {
		lower, upper = e.Measured.X, e.Measured.X
	}
	if e.Lower.Set {
		lower = e.Lower.X
	}
	if e.Upper.Set {
		upper = e.Upper.X
	}
	switch c := e.Claimed.X; e.Sense {
	case verify.AtMost:
		return lower > c || format.Excludes(e)
	case verify.Below:
		return lower >= c
	case verify.AtLeast:
		return upper < c
	case verify.Above:
		return upper <= c
	default:
		return lower > c || upper < c
	}
}

// explainedByRounding reports whether a computed figure is the claimed one, but for the rounding of either.
func explainedByRounding(e verify.Evidence) bool {
	c, x := e.Claimed.X, e.Measured.X
	if !e.Exact || math.Abs(x-c) <= format.SameValue*math.Max(math.Abs(c), math.Abs(x)) {
		return e.Exact
	}
	_, decimals, _ := strings.Cut(strconv.FormatFloat(c, 'f', -1, 64), ".")
	return e.Sense == verify.Equals && math.Abs(x-c) <= 0.5*math.Pow(10, -float64(len(decimals)))*(1+format.SameValue)
}

// tableNotes follow a table of claims: the confidence of its intervals, and what decided the marked verdicts.
func tableNotes(results []verify.Result) (notes []block) {
	if said := confidenceOf(results); said != "" {
		notes = append(notes, paragraph(words(said)))
	}
	var list listing
	for _, r := range results {
		if by := decidedBy(r); by != "" {
			list = append(list, item{Head: words(strings.TrimSpace(decidedMark)+" ", mono(r.Claim.ID),
				": the figures of the row do not decide. "+format.Sentence(by))})
		}
	}
	if len(list) > 0 {
		notes = append(notes, list)
	}
	return notes
}

// confidenceOf returns a sentence about the confidence that each sampled interval of the results has; "" if there is
// none.
func confidenceOf(results []verify.Result) string {
	said, least := "", math.Inf(1)
	for _, r := range results {
		figures := format.Measurement{Value: r.Measured, Lower: r.Lower, Upper: r.Upper}
		if c := confidencePercent(r); c != "" && r.Samples > 0 && figures.Interval() {
			if x := format.ParseFigure(strings.TrimSuffix(c, " %")); x < least {
				said, least = c, x
			}
		}
	}
	if said == "" {
		return ""
	}
	return "Each sampled interval has a confidence of at least " + said + "."
}
