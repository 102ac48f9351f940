package reports

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// The kinds of curves: ε as a function of δ, δ as a function of ε, and the type II error of tests as a function of
// their type I error.
const (
	EpsilonCurve  = "epsilon"
	DeltaCurve    = "delta"
	TradeOffCurve = "tradeoff"
)

// Curve is a whole privacy curve of an event, with the figures that follow from it.
type Curve struct {
	Kind                  string // EpsilonCurve, DeltaCurve or TradeOffCurve
	Points                []accountant.Point
	Gaussian              accountant.Gaussian
	Attacks               accountant.Attacks
	Assumptions, Warnings []string
}

// axis names the argument of the curve and the bracketed quantity.
func (c *Curve) axis() (argument, quantity string) {
	switch c.Kind {
	case EpsilonCurve:
		return "δ", "ε"
	case DeltaCurve:
		return "ε", "δ"
	}
	return "type I error", "type II error"
}

func (c *Curve) title() string {
	if c.Kind == TradeOffCurve {
		return "The trade-off function: the smallest type II error of a test for each type I error"
	}
	argument, quantity := c.axis()
	return fmt.Sprintf("The curve %s(%s)", quantity, argument)
}

// bracketColumns returns a table with two columns for the brackets of each account.
func bracketColumns(first string, all []Account) *grid {
	list := []format.Column{format.Left(first)}
	for i := range all {
		for _, end := range []string{"lower", "upper"} {
			if len(all) > 1 {
				end = accountLetter(i) + " " + end
			}
			list = append(list, format.Right(end))
		}
	}
	return &grid{Columns: list}
}

// accountLetter names the i-th of the compared events: A, B, and so on.
func accountLetter(i int) string { return string(rune('A' + i)) }

// curveSheet returns a table of the curves of all accounts, and the figures that follow from them.
func curveSheet(all []Account) Sheet {
	first := all[0].Curve
	argument, _ := first.axis()
	s := accountSection(first.title(), all)
	t := bracketColumns(argument, all)
	for i, point := range first.Points {
		at := func(c *Curve) accountant.Bracket { return c.Points[i].Bracket }
		t.Row(bracketRow(format.Shortest(roundCoordinate(point.At)), all, at)...)
	}
	s.Add(t, attackSection(all), gaussianSection(all))
	for i, a := range all {
		r := []accountant.Result{{Method: accountLetter(i), Assumptions: a.Curve.Assumptions, Warnings: a.Curve.Warnings}}
		of := ""
		if len(all) > 1 {
			of = " of " + accountLetter(i)
		}
		attachRemarks(&s, warningsTitle+of, r, func(r accountant.Result) []string { return r.Warnings })
		attachRemarks(&s, "Assumptions"+of, r, func(r accountant.Result) []string { return r.Assumptions })
	}
	return Sheet{Title: first.title(), Body: s}
}

func attackSection(all []Account) section {
	s := section{Level: 2, Title: words("What an attacker can do")}
	s.Say("The attacker knows the release and all records but one. No attack exceeds an upper end.")
	for i, a := range all {
		if len(all) > 1 {
			s.Say(accountLetter(i) + ":")
		}
		s.Add(attackSentences(a.Curve.Attacks))
	}
	s.Add(attackTable(all))
	return s
}

func gaussianSection(all []Account) section {
	s := section{Level: 2, Title: words("Gaussian privacy")}
	for i, a := range all {
		of := ""
		if len(all) > 1 {
			of = accountLetter(i) + ": "
		}
		s.Say(of + gaussianSentence(a.Curve.Gaussian))
	}
	return s
}

// roundCoordinate rounds a coordinate to six digits, to drop the rounding error of its computation.
func roundCoordinate(x float64) float64 {
	if x == 0 {
		return 0
	}
	scale := math.Pow(10, 5-math.Floor(math.Log10(x)))
	return math.Round(x*scale) / scale
}

func bracketRow(name string, all []Account, of func(*Curve) accountant.Bracket) []inline {
	cells := []inline{words(name)}
	for _, a := range all {
		lower, _, upper := Bracket(of(a.Curve))
		cells = append(cells, words(lower), words(upper))
	}
	return cells
}

func attackTable(all []Account) *grid {
	a := all[0].Curve.Attacks
	t := bracketColumns("figure", all)
	row := func(name string, of func(accountant.Attacks) accountant.Bracket) {
		t.Row(bracketRow(name, all, func(c *Curve) accountant.Bracket { return of(c.Attacks) })...)
	}
	row("membership advantage", func(a accountant.Attacks) accountant.Bracket { return a.Advantage })
	for i, r := range a.Rates {
		row("true-positive rate at a false-positive rate of "+format.Shortest(r.At),
			func(a accountant.Attacks) accountant.Bracket { return a.Rates[i].Bracket })
	}
	prior := format.Shortest(a.Prior)
	row("right guess of membership, prior "+prior, func(a accountant.Attacks) accountant.Bracket { return a.Guess })
	row("reconstruction, prior "+prior, func(a accountant.Attacks) accountant.Bracket { return a.Reconstruction })
	return t
}

// percent writes the upper end of a probability, rounded up to three digits, or to more if it would else be 100 %.
func percent(b accountant.Bracket) string {
	x := 100 * b.Upper
	last := format.Exponent(x) - 2
	if x > 99 && b.Upper < 1 {
		last = min(last, format.Exponent(100-x)-1)
	}
	return format.TrimZeros(format.Outward(verify.Num(x), last, format.Scientific(x), true)) + " %"
}

// exactFigure writes a probability that the user gave.
func exactFigure(x float64) string { return format.Shortest(roundCoordinate(100*x)) + " %" }

// attackSentences explains the upper ends in sentences without ε.
func attackSentences(a accountant.Attacks) (list listing) {
	blind := accountant.Bracket{Upper: math.Max(a.Prior, 1-a.Prior)}
	sentences := []string{
		fmt.Sprintf("An attacker with a prior probability of %s that a record is in the data guesses its membership right "+
			"with probability at most %s. Without the release: %s.", exactFigure(a.Prior),
			percent(a.Guess),
			exactFigure(blind.Upper)),
	}
	for _, r := range a.Rates {
		sentences = append(sentences, fmt.Sprintf("A membership test with a false-positive rate of at most %s has a "+
			"true-positive rate of at most %s. Without the release: %s.", exactFigure(r.At),
			percent(r.Bracket), exactFigure(r.At)))
	}
	sentences = append(sentences,
		fmt.Sprintf("The true-positive rate of a test exceeds its false-positive rate by at most %s.",
			strings.Replace(percent(a.Advantage), "%", "percentage points", 1)),
		fmt.Sprintf("A secret in a record that can be guessed with probability %s without the release is guessed with "+
			"probability at most %s with it.", exactFigure(a.Prior), percent(a.Reconstruction)))
	for _, s := range sentences {
		list = append(list, item{Head: words(s)})
	}
	return list
}

func gaussianSentence(g accountant.Gaussian) string {
	low, _, high := Bracket(g.Mu)
	from, _, to := Bracket(g.Regret)
	_, _, delta := Bracket(accountant.Bracket{Upper: g.Delta})
	s := fmt.Sprintf("The smallest μ such that the curve is at most the curve of μ-GDP, at every ε from 0 to %s (there "+
		"δ ≤ %s): between %s and %s.",
		format.Shortest(roundCoordinate(g.End)), delta, low, high)
	if math.IsInf(g.Mu.Upper, 1) {
		return s + " No finite μ was proven."
	}
	return s + fmt.Sprintf(" Its regret, the maximum distance of its trade-off curve below the mechanism's, is between "+
		"%s and %s.", from, to)
}

// CurveSVG draws the curves of an account, and of those it is compared with, with their brackets as bands. It returns
// [chart.ErrNothingToDraw] if no point has a place on the axes.
func CurveSVG(w io.Writer, a Account) error {
	argument, quantity := a.Curve.axis()
	p := chart.Picture{Title: a.Curve.title(), Variable: argument, Quantity: quantity,
		LogX: a.Curve.Kind == EpsilonCurve, LogY: a.Curve.Kind == DeltaCurve,
		Tight: true, Note: "Bands are certified brackets. An invisible band is narrower than the line."}
	for i, each := range a.all() {
		s := verify.Curve{Name: each.Event}
		if a.Beside != nil {
			s.Name = accountLetter(i) + ": " + each.Event
		}
		for _, at := range each.Curve.Points {
			s.Points = append(s.Points, verify.CurvePoint{X: verify.Num(at.At),
				Mean:  verify.Num(bracketMiddle(at.Bracket, p.LogY)),
				Lower: verify.Num(at.Lower), Upper: verify.Num(at.Upper)})
		}
		p.Add(s)
	}
	return p.SVG(w)
}

// bracketMiddle returns the height of the line in a band. The estimate would jump between methods, so the middle of
// the bracket is used if it has a lower end.
func bracketMiddle(b accountant.Bracket, log bool) float64 {
	switch {
	case !(b.Lower > 0): // there is no lower end
		return b.Estimate
	case log:
		return math.Sqrt(b.Lower) * math.Sqrt(b.Upper)
	}
	return (b.Lower + b.Upper) / 2
}

// curveJSON is a curve in dpverify/account/v1.
type curveJSON struct {
	Kind        string        `json:"kind"`
	Points      []bracketJSON `json:"points"`
	Gaussian    gaussianJSON  `json:"gaussian"`
	Attacks     attacksJSON   `json:"attacks"`
	Assumptions []string      `json:"assumptions"`
	Warnings    []string      `json:"warnings"`
}

type bracketJSON struct {
	At       *verify.Number `json:"at,omitempty"`
	Lower    verify.Number  `json:"lower"`
	Estimate verify.Number  `json:"estimate"`
	Upper    verify.Number  `json:"upper"`
}

type gaussianJSON struct {
	Mu     bracketJSON   `json:"mu"`
	End    verify.Number `json:"epsilon_to"`
	Delta  verify.Number `json:"delta_there"`
	Regret bracketJSON   `json:"regret"`
}

type attacksJSON struct {
	Prior          verify.Number `json:"prior"`
	Advantage      bracketJSON   `json:"advantage"`
	Guess          bracketJSON   `json:"guess"`
	Reconstruction bracketJSON   `json:"reconstruction"`
	Rates          []bracketJSON `json:"rates"`
}

func bracketToJSON(b accountant.Bracket) bracketJSON {
	return bracketJSON{Lower: verify.Num(b.Lower), Estimate: verify.Num(b.Estimate), Upper: verify.Num(b.Upper)}
}

func jsonPoints(points []accountant.Point) []bracketJSON {
	out := []bracketJSON{}
	for _, p := range points {
		b, at := bracketToJSON(p.Bracket), verify.Num(p.At)
		b.At = &at
		out = append(out, b)
	}
	return out
}

func (c *Curve) json() *curveJSON {
	if c == nil {
		return nil
	}
	g, a := c.Gaussian, c.Attacks
	list := func(s []string) []string { return append([]string{}, s...) }
	return &curveJSON{c.Kind, jsonPoints(c.Points),
		gaussianJSON{bracketToJSON(g.Mu), verify.Num(g.End), verify.Num(g.Delta), bracketToJSON(g.Regret)},
		attacksJSON{verify.Num(a.Prior), bracketToJSON(a.Advantage), bracketToJSON(a.Guess),
			bracketToJSON(a.Reconstruction), jsonPoints(a.Rates)},
		list(c.Assumptions), list(c.Warnings)}
}

// accountSection begins a sheet on accounts: it names the events and their adjacency.
func accountSection(title string, all []Account) section {
	s := section{Level: 1, Title: words(title)}
	var names inline
	for i, a := range all {
		if i > 0 {
			names = words(names, "; ")
		}
		if len(all) > 1 {
			names = words(names, accountLetter(i)+" is ")
		}
		names = words(names, mono(a.Event), " under "+a.Adjacency.String())
	}
	s.Say(names, ". The true value is between lower and upper, which are rounded outward.")
	return s
}
