package reports

import (
	"fmt"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// addAssumed adds a table of the lower limits under other assumptions.
func addAssumed(s *section, e verify.Evidence) {
	if len(e.Assumed) == 0 {
		return
	}
	s.Say(fmt.Sprintf("Lower limits of ε under other assumptions, each with error probability %s; the verdict does not "+
		"depend on them:", format.Probability(e.Assumed[0].Alpha)))
	t := &grid{Columns: []format.Column{format.Left("name"), format.Left("assumption"), format.Right("δ"),
		format.Right("ε is at least")}}
	for _, l := range e.Assumed {
		t.Row(words(l.Name), words(l.Assumption), words(format.Shortest(l.Delta)), words(assumedWords(l)))
	}
	s.Add(t)
}

// assumedWords writes a limit, rounded down, and the Γ from which on it shows nothing.
func assumedWords(l verify.AssumedLimit) string {
	text := roundedDown(l.Lower)
	switch {
	case !l.GammaZero.Set:
		return text
	case text == "0":
		return "0 for every Γ"
	}
	text += " − ln Γ: above 0 if Γ < " + roundedDown(l.GammaZero)
	if l.GammaClaim.Set {
		text += ", above the claim if Γ < " + roundedDown(l.GammaClaim)
	}
	return text
}

// roundedDown writes a number of at least 0 with three significant digits.
func roundedDown(n verify.Number) string {
	if !n.Set || n.X == 0 {
		return format.ToDigits(n, 3)
	}
	return format.TrimZeros(format.Outward(n, format.Exponent(n.X)-2, format.Scientific(n.X), false))
}

// assumedLine writes all limits in a line.
func assumedLine(e verify.Evidence) (line string) {
	for i, l := range e.Assumed {
		switch {
		case i == 0:
			line = fmt.Sprintf("at δ = %s and error %s: ", format.Shortest(l.Delta), format.Probability(l.Alpha))
		case l.GammaZero.Set:
			line += "; "
		default:
			line += ", "
		}
		line += l.Name + " ε ≥ " + assumedWords(l)
	}
	return line
}
