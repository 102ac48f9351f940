// Package wording says events of scores in the words of the output.
package wording

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/internal/decimal"
)

const (
	// NoWhole is the label of the class of what is no whole number.
	NoWhole = "no whole number"
	// LowestBitOf begins the name of a division by the lowest set bit of a number.
	LowestBitOf = "lowest set bit of "
	// ZeroSignOf begins the name of the sign of a number that is zero: −1 of −0, 1 of +0, 0 of other numbers.
	ZeroSignOf = "sign of zero of "
)

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// whole tells a whole number that a float64 holds exactly.
func whole(x float64) bool { return x == math.Trunc(x) && math.Abs(x) <= decimal.ExactWhole }

// Feature says that a feature is at least, at most or just a number.
func Feature(name, how, at string) string {
	subject := "the " + name
	if of, ok := strings.CutPrefix(name, ZeroSignOf); ok {
		return zeroSign(Numbered(of), trimmed(how+" "), at)
	}
	switch rest, ok := strings.CutPrefix(name, "length of the string "); {
	case ok:
		return "the string " + rest + " has " + trimmed(how+" ") + counted(at, "character")
	case name == "length":
		return "the list has " + trimmed(how+" ") + counted(at, "item")
	case strings.Contains(name, " − "):
		first, second, _ := strings.Cut(name, " − ")
		subject = "number " + first + " less number " + second
	case strings.HasPrefix(name, "position of "):
		subject += ", counted from 0,"
	case name == "output":
		subject = "the number"
	case strings.HasPrefix(name, "output["):
		subject = "number " + name
	}
	return subject + " is " + trimmed(how+" ") + at
}

// zeroSign says of a number that its sign of zero is at least, at most or just −1, 0 or 1.
func zeroSign(subject, how, at string) string {
	switch how + at {
	case "at most -1", "-1":
		return subject + " is −0"
	case "at least 1", "1":
		return subject + " is +0"
	case "at most 0":
		return subject + " is not +0"
	case "at least 0":
		return subject + " is not −0"
	}
	return subject + " is not zero"
}

// trimmed is how a figure bounds, without the word for one that is met.
func trimmed(how string) string { return strings.TrimPrefix(how, "just ") }

func counted(n, noun string) string {
	if n == "1" {
		return "1 " + noun
	}
	return n + " " + noun + "s"
}

// Shown is a number to the digits that rows keep; −0 is 0, and so are their comparisons.
func Shown(x float64) string {
	switch {
	case math.IsInf(x, 0):
		return map[bool]string{true: "+∞", false: "−∞"}[x > 0]
	case x == 0:
		return "0"
	case whole(x):
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return fmt.Sprintf("%.12g", x)
}

// Shortest is the number of the fewest digits from one number on that does not reach another: of the sample that has
// no value between them, as many values are beyond it.
func Shortest(from, to float64) string {
	if !finite(from) || !finite(to) || whole(from) {
		return Shown(from)
	}
	for digits := 1; digits < 12; digits++ {
		text := strconv.FormatFloat(from, 'g', digits, 64)
		at, err := strconv.ParseFloat(text, 64)
		if err == nil && (from <= at && at < to || to < at && at <= from) {
			return Shown(at)
		}
	}
	return Shown(from)
}

// Between says that a feature lies in an interval, both ends included; below and above are the next values that
// do not.
func Between(name string, low, high, below, above float64) string {
	if low == high {
		return Feature(name, "just", Shown(low))
	}
	return Feature(name, "between", Shortest(low, below)+" and "+Shortest(high, above))
}

var (
	residueName = regexp.MustCompile(`^(.*) mod (\d+)$`)
	bitName     = regexp.MustCompile(`^bit of (.*) at 2\^(\d+)$`)
	digitName   = regexp.MustCompile(`^decimal digit of (.*) at 10\^(\d+)$`)
	orderName   = regexp.MustCompile(`^the order of (.*) and (.*)$`)
)

// Classes says that a division puts the output in one of some classes, or in none of them.
func Classes(name string, labels []string, others bool) string {
	is := map[bool]string{false: "is ", true: "is not "}[others]
	one := Listed(labels)
	if m := residueName.FindStringSubmatch(name); m != nil {
		if m[2] == "2" && len(labels) == 1 && labels[0] != NoWhole {
			return Numbered(m[1]) + " " + is + map[string]string{"0": "even", "1": "odd"}[labels[0]]
		}
		return "what is left of " + Numbered(m[1]) + " divided by " + m[2] + " " + is + one
	}
	if m := bitName.FindStringSubmatch(name); m != nil {
		return "the binary digit of " + Numbered(m[1]) + " that stands for 2^" + m[2] + " " + is + one
	}
	if m := digitName.FindStringSubmatch(name); m != nil {
		which := "the decimal digit that stands for 10^" + m[2]
		if m[2] == "0" {
			which = "the last decimal digit"
		}
		return which + " of " + Numbered(m[1]) + " " + is + one
	}
	if of, ok := strings.CutPrefix(name, LowestBitOf); ok {
		return "the lowest binary digit of " + Numbered(of) + " that is not zero " + is + one
	}
	if m := orderName.FindStringSubmatch(name); m != nil && len(labels) == 1 && orderWords[labels[0]] != "" {
		return Numbered(m[1]) + " " + is + orderWords[labels[0]] + " " + Numbered(m[2])
	}
	return "the " + strings.TrimPrefix(name, "the ") + " " + is + one
}

// orderWords of the classes of a pair of values.
var orderWords = map[string]string{"less first": "less than", "equal": "equal to", "greater first": "greater than"}

// Numbered is a source of whole numbers as a subject.
func Numbered(name string) string {
	switch {
	case name == "output":
		return "the number"
	case name == "length":
		return "the number of items"
	case strings.HasPrefix(name, "output["):
		return "number " + name
	}
	return "the " + name
}

const Most = 16

// Listed are some labels, each by itself if they are few.
func Listed(labels []string) string {
	switch last := len(labels) - 1; {
	case last < 0:
		return "none"
	case last == 0:
		return labels[0]
	case last < Most:
		return strings.Join(labels[:last], ", ") + " or " + labels[last]
	}
	return fmt.Sprintf("one of %d, from %s to %s", len(labels), labels[0], labels[len(labels)-1])
}

// Some says that the classes of some labels are in the event, and those of others that occur are not.
func Some(name string, in, out []string) string {
	of, ok := strings.CutPrefix(name, LowestBitOf)
	if !ok {
		return Classes(name, in, false)
	}
	least := func(labels []string) (low, high int) {
		low, high = 65, -1
		for _, label := range labels {
			bit := 64 // of zero, all bits of which are
			if k, isPower := strings.CutPrefix(label, "2^"); isPower {
				bit, _ = strconv.Atoi(k)
			} else if label == NoWhole {
				bit = -1
			}
			low, high = min(low, bit), max(high, bit)
		}
		return low, high
	}
	low, _ := least(in)
	if _, high := least(out); low > high && low > 0 && low < 64 {
		if low == 1 {
			return Numbered(of) + " is even"
		}
		return fmt.Sprintf("the last %d bits of %s are zero", low, Numbered(of))
	}
	return Classes(name, in, false)
}

// Threshold is an event of a score.
type Threshold struct {
	Name       string
	In, Out    []string // labels of the classes that are in it, and of the others; none of a score without classes
	At, Beyond float64  // the threshold, and the next value that is not in the event, NaN where it is not known
	Below      bool
	Tie        float64 // share of what is just at the threshold that counts
	Learned    bool    // from outputs
	Abstract   bool    // no number of the output
}

// ByFrequency is the name of the score by how often outputs occurred.
const ByFrequency = "log ratio of the output's frequencies"

// BySymbols is the name of the score by a model of sequences.
const BySymbols = "modelled log-likelihood ratio of the output's symbols"

// Event names the score and the threshold.
func (t Threshold) Event() string {
	sign := "≥"
	if t.Below {
		sign = "≤"
	}
	threshold := fmt.Sprintf("%.6g", t.At)
	if whole(t.At) {
		threshold = strconv.FormatFloat(t.At, 'f', 0, 64)
	}
	text := fmt.Sprintf("%s %s %s", t.Name, sign, threshold)
	if len(t.In) > 0 {
		text = t.Name + " = " + Listed(t.In)
		if len(t.In) > Most {
			text = t.Name + " is " + Listed(t.In)
		}
	}
	if t.Tie < 1 {
		text += fmt.Sprintf(" (ties counted with probability %g)", t.Tie)
	}
	return text
}

// Said is the event in the words of the output.
func (t Threshold) Said() string {
	at, more := Shown(t.At), ""
	if t.Tie >= 1 {
		at = Shortest(t.At, t.Beyond)
	} else {
		more = fmt.Sprintf(", of those that are just so a share of %g", t.Tie)
	}
	if t.Abstract {
		at = fmt.Sprintf("%.4g", t.At)
	}
	how := "at least"
	if t.Below {
		how = "at most"
	}
	switch {
	case len(t.In) > 0:
		return Some(t.Name, t.In, t.Out) + more
	case strings.HasPrefix(t.Name, "whether the string "):
		verb := map[bool]string{false: "is", true: "is not"}[t.Below]
		return strings.TrimSuffix(strings.TrimPrefix(t.Name, "whether "), "is a number") + verb + " a number" + more
	case strings.HasPrefix(t.Name, "whether ") && strings.HasSuffix(t.Name, " is a list"):
		value := strings.TrimSuffix(strings.TrimPrefix(t.Name, "whether "), " is a list")
		return value + map[bool]string{false: " is a list", true: " is not a list"}[t.Below] + more
	case t.Name == ByFrequency:
		return "the output is one of those that were commoner under this input in the samples of the search" + more
	case t.Learned:
		return "the " + t.Name + ", a score of the whole output, is " + how + " " + at + more
	}
	return Feature(t.Name, how, at) + more
}

// Ordinal of a place from the second on: 2nd, 3rd, 4th.
func Ordinal(n int) string {
	switch n {
	case 2:
		return "2nd"
	case 3:
		return "3rd"
	}
	return fmt.Sprintf("%dth", n)
}
