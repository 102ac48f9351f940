package reports

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// notCovered says what the account of an observed training does not cover.
const notCovered = "It does not cover a deployed training that differs from the logged run, and what was not logged."

// addObserved adds a table of the claimed and the observed training, with the account of both.
func addObserved(s *section, e verify.Evidence) {
	a := e.Observed
	if a == nil {
		return
	}
	s.Say(fmt.Sprintf("The training in the log, at δ = %s. A refuted premise is not a refuted ε: the verdict does not "+
		"depend on this account. %s", format.Shortest(a.Delta), notCovered))
	t := &grid{Columns: []format.Column{format.Left("quantity"), format.Right("claimed"), format.Right("observed")}}
	t.Row(words("sampling"), words(a.Claimed), words(orDash(a.Observed)))
	for _, n := range a.Numbers {
		t.Row(words(n.Quantity), words(claimedNumber(n)), words(observedNumber(n, a.Reason)))
	}
	s.Add(t)
	if a.Reason != "" {
		s.Say("No account of the observed training: " + format.Sentence(a.Reason))
	}
	if a.Alpha > 0 {
		s.Say(fmt.Sprintf("The confidence limits of the observed numbers err together with probability at most %s.",
			format.Probability(a.Alpha)))
	}
	for _, c := range a.Conditions {
		s.Say("Condition: " + format.Sentence(c))
	}
}

func orDash(s string) string {
	if s == "" {
		return "—"
	}
	return s
}

// isEpsilon reports whether the number is ε of a training.
func isEpsilon(n verify.ObservedNumber) bool {
	return n.Quantity == verify.ClaimedEpsilon || n.Quantity == verify.ObservedEpsilon
}

func claimedNumber(n verify.ObservedNumber) string {
	switch {
	case n.Quantity == verify.ClaimedEpsilon:
		return epsilonEnds(n)
	case n.Quantity == verify.ObservedEpsilon || !n.Claimed.Set:
		return "—"
	}
	return format.Shortest(n.Claimed.X)
}

// observedNumber writes an observed number with its limits, or the ends of ε, rounded outwards.
func observedNumber(n verify.ObservedNumber, reason string) string {
	switch {
	case n.Quantity == verify.ClaimedEpsilon:
		return "—"
	case n.Quantity == verify.ObservedEpsilon:
		return epsilonEnds(n)
	case !n.Observed.Set && reason != "":
		return "—"
	case !n.Observed.Set:
		return "as claimed"
	case !n.Lower.Set:
		return format.ToDigits(n.Observed, 4)
	}
	return fmt.Sprintf("%s [%s, %s]", format.ToDigits(n.Observed, 4), outwardDigits(n.Lower, false),
		outwardDigits(n.Upper, true))
}

func epsilonEnds(n verify.ObservedNumber) string {
	switch {
	case n.Lower.Set && n.Upper.Set:
		return fmt.Sprintf("[%s, %s]", outwardDigits(n.Lower, false), outwardDigits(n.Upper, true))
	case n.Lower.Set:
		return "costs at least " + outwardDigits(n.Lower, false)
	case n.Upper.Set:
		return "costs at most " + outwardDigits(n.Upper, true)
	}
	return "—"
}

// outwardDigits writes a number of at least 0 with four significant digits, rounded up or down.
func outwardDigits(n verify.Number, up bool) string {
	if n.X == 0 || !format.Finite(n.X) {
		return format.ToDigits(n, 4)
	}
	return format.TrimZeros(format.Outward(n, format.Exponent(n.X)-3, format.Scientific(n.X), up))
}

// observedLine writes the account in a line.
func observedLine(e verify.Evidence) string {
	a := e.Observed
	if a == nil {
		return ""
	}
	if a.Reason != "" {
		return "no account of the training in the log: " + a.Reason
	}
	parts := []string{"sampling " + a.Observed}
	for _, n := range a.Numbers {
		switch {
		case !isEpsilon(n):
			parts = append(parts, n.Quantity+" "+observedNumber(n, ""))
		case n.Quantity == verify.ObservedEpsilon:
			parts = append(parts, fmt.Sprintf("%s at δ = %s: %s", n.Quantity, format.Shortest(a.Delta), epsilonEnds(n)))
		}
	}
	return strings.Join(parts, "; ") + "; the verdict does not depend on this account"
}
