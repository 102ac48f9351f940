package distinguisher

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/internal/decimal"
)

const (
	// noWholeNumber is the label of the class of values that are not integers.
	noWholeNumber = "no whole number"
	// lowestBitPrefix begins the name of a division by the lowest nonzero bit of a number.
	lowestBitPrefix = "lowest set bit of "
	// zeroSignPrefix begins the name of the sign of zero of a number: −1 for −0, 1 for +0, 0 for other numbers.
	zeroSignPrefix = "sign of zero of "
)

// wholeForm reports whether x is an integer that a float64 holds exactly.
func wholeForm(x float64) bool { return x == math.Trunc(x) && math.Abs(x) <= decimal.ExactWhole }

// featureText returns the text of a condition on a feature. how is "at least", "at most", "between" or "just".
func featureText(name, how, at string) string {
	subject := "the " + name
	if number, ok := strings.CutPrefix(name, zeroSignPrefix); ok {
		return zeroSign(numberedSubject(number), trimmed(how+" "), at)
	}
	switch rest, ok := strings.CutPrefix(name, "length of the string "); {
	case ok:
		return "the string " + rest + " has " + trimmed(how+" ") + countedForm(at, "character")
	case name == "length":
		return "the list has " + trimmed(how+" ") + countedForm(at, "item")
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

// zeroSign returns the text of a condition on the sign of zero, which is −1, 0 or 1.
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

// trimmed returns the qualifier without the word "just".
func trimmed(how string) string { return strings.TrimPrefix(how, "just ") }

func countedForm(n, noun string) string {
	if n == "1" {
		return "1 " + noun
	}
	return n + " " + noun + "s"
}

// shownNumber formats a number to the digits that rows keep. −0 is formatted as 0, because it compares equal.
func shownNumber(x float64) string {
	switch {
	case math.IsInf(x, 0):
		return map[bool]string{true: "+∞", false: "−∞"}[x > 0]
	case x == 0:
		return "0"
	case wholeForm(x):
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return fmt.Sprintf("%.12g", x)
}

// shortestBetween returns the number with the fewest digits in [from, to). The sample has no value between from and
// to, so the same values are beyond it.
func shortestBetween(from, to float64) string {
	if !finite(from) || !finite(to) || wholeForm(from) {
		return shownNumber(from)
	}
	for digits := 1; digits < 12; digits++ {
		text := strconv.FormatFloat(from, 'g', digits, 64)
		short, err := strconv.ParseFloat(text, 64)
		if err == nil && (from <= short && short < to || to < short && short <= from) {
			return shownNumber(short)
		}
	}
	return shownNumber(from)
}

// betweenText returns the text of the condition low ≤ feature ≤ high. below and above are the next values outside.
func betweenText(name string, low, high, below, above float64) string {
	if low == high {
		return featureText(name, "just", shownNumber(low))
	}
	return featureText(name, "between", shortestBetween(low, below)+" and "+shortestBetween(high, above))
}

var (
	residueName = regexp.MustCompile(`^(.*) mod (\d+)$`)
	bitName     = regexp.MustCompile(`^bit of (.*) at 2\^(\d+)$`)
	digitName   = regexp.MustCompile(`^decimal digit of (.*) at 10\^(\d+)$`)
	orderName   = regexp.MustCompile(`^the order of (.*) and (.*)$`)
)

// classesText returns the text of the event that an output is in one of the classes, or in none of them if others
// is set.
func classesText(name string, labels []string, others bool) string {
	is := map[bool]string{false: "is ", true: "is not "}[others]
	one := listedLabels(labels)
	if m := residueName.FindStringSubmatch(name); m != nil {
		if m[2] == "2" && len(labels) == 1 && labels[0] != noWholeNumber {
			return numberedSubject(m[1]) + " " + is + map[string]string{"0": "even", "1": "odd"}[labels[0]]
		}
		return "what is left of " + numberedSubject(m[1]) + " divided by " + m[2] + " " + is + one
	}
	if m := bitName.FindStringSubmatch(name); m != nil {
		return "the binary digit of " + numberedSubject(m[1]) + " that stands for 2^" + m[2] + " " + is + one
	}
	if m := digitName.FindStringSubmatch(name); m != nil {
		which := "the decimal digit that stands for 10^" + m[2]
		if m[2] == "0" {
			which = "the last decimal digit"
		}
		return which + " of " + numberedSubject(m[1]) + " " + is + one
	}
	if number, ok := strings.CutPrefix(name, lowestBitPrefix); ok {
		return "the lowest binary digit of " + numberedSubject(number) + " that is not zero " + is + one
	}
	if m := orderName.FindStringSubmatch(name); m != nil && len(labels) == 1 && orderWords[labels[0]] != "" {
		return numberedSubject(m[1]) + " " + is + orderWords[labels[0]] + " " + numberedSubject(m[2])
	}
	return "the " + strings.TrimPrefix(name, "the ") + " " + is + one
}

// orderWords holds the words for the classes of a pair of values.
var orderWords = map[string]string{"less first": "less than", "equal": "equal to", "greater first": "greater than"}

// numberedSubject returns the subject of a sentence about a source of integers.
func numberedSubject(name string) string {
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

const maxListed = 16

// listedLabels lists labels, or summarizes them if there are many.
func listedLabels(labels []string) string {
	switch last := len(labels) - 1; {
	case last < 0:
		return "none"
	case last == 0:
		return labels[0]
	case last < maxListed:
		return strings.Join(labels[:last], ", ") + " or " + labels[last]
	}
	return fmt.Sprintf("one of %d, from %s to %s", len(labels), labels[0], labels[len(labels)-1])
}

// someClasses returns the text of the event that contains the classes in and not the classes out.
func someClasses(name string, in, out []string) string {
	number, ok := strings.CutPrefix(name, lowestBitPrefix)
	if !ok {
		return classesText(name, in, false)
	}
	bitRange := func(labels []string) (low, high int) {
		low, high = 65, -1
		for _, label := range labels {
			bit := 64 // zero, whose bits are all 0
			if k, isPower := strings.CutPrefix(label, "2^"); isPower {
				bit, _ = strconv.Atoi(k)
			} else if label == noWholeNumber {
				bit = -1
			}
			low, high = min(low, bit), max(high, bit)
		}
		return low, high
	}
	low, _ := bitRange(in)
	if _, high := bitRange(out); low > high && low > 0 && low < 64 {
		if low == 1 {
			return numberedSubject(number) + " is even"
		}
		return fmt.Sprintf("the last %d bits of %s are zero", low, numberedSubject(number))
	}
	return classesText(name, in, false)
}

// thresholdEvent holds the parts of an event's text.
type thresholdEvent struct {
	Name       string
	In, Out    []string // labels of the classes inside and outside the event; empty for a score without classes
	At, Beyond float64  // threshold, and the next value outside the event, NaN if unknown
	Below      bool
	Tie        float64 // share of the outputs at the threshold that count
	Learned    bool    // the score was learned from outputs
	Abstract   bool    // the score is not a number of the output
}

// frequencyScoreName is the name of the score by output frequencies.
const frequencyScoreName = "log ratio of the output's frequencies"

// symbolsScoreName is the name of the score by a model of sequences.
const symbolsScoreName = "modelled log-likelihood ratio of the output's symbols"

// Event returns the score and the threshold.
func (t thresholdEvent) Event() string {
	sign := "≥"
	if t.Below {
		sign = "≤"
	}
	threshold := fmt.Sprintf("%.6g", t.At)
	if wholeForm(t.At) {
		threshold = strconv.FormatFloat(t.At, 'f', 0, 64)
	}
	text := fmt.Sprintf("%s %s %s", t.Name, sign, threshold)
	if len(t.In) > 0 {
		text = t.Name + " = " + listedLabels(t.In)
		if len(t.In) > maxListed {
			text = t.Name + " is " + listedLabels(t.In)
		}
	}
	if t.Tie < 1 {
		text += fmt.Sprintf(" (ties counted with probability %g)", t.Tie)
	}
	return text
}

// Said returns the event in words that describe the output.
func (t thresholdEvent) Said() string {
	at, more := shownNumber(t.At), ""
	if t.Tie >= 1 {
		at = shortestBetween(t.At, t.Beyond)
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
		return someClasses(t.Name, t.In, t.Out) + more
	case strings.HasPrefix(t.Name, "whether the string "):
		verb := map[bool]string{false: "is", true: "is not"}[t.Below]
		return strings.TrimSuffix(strings.TrimPrefix(t.Name, "whether "), "is a number") + verb + " a number" + more
	case strings.HasPrefix(t.Name, "whether ") && strings.HasSuffix(t.Name, " is a list"):
		value := strings.TrimSuffix(strings.TrimPrefix(t.Name, "whether "), " is a list")
		return value + map[bool]string{false: " is a list", true: " is not a list"}[t.Below] + more
	case t.Name == frequencyScoreName:
		return "the output is one of those that were commoner under this input in the samples of the search" + more
	case t.Learned:
		return "the " + t.Name + ", a score of the whole output, is " + how + " " + at + more
	}
	return featureText(t.Name, how, at) + more
}

// ordinalText returns the ordinal of n ≥ 2: 2nd, 3rd, 4th.
func ordinalText(n int) string {
	switch n {
	case 2:
		return "2nd"
	case 3:
		return "3rd"
	}
	return fmt.Sprintf("%dth", n)
}

// An event has two texts. Event contains the score and the threshold to six digits. Said describes the output to a
// reader: "the number is at least 4.2". In Said an item of a list is "number output[2]", "string output[2]" or
// "value output[2]". verify.EventInWords turns it into "the third number".

// nameIt sets the texts of a threshold event.
func (w *Event) nameIt() {
	t := thresholdEvent{Name: w.name, At: w.threshold, Beyond: w.beyond, Below: w.below,
		Tie: w.tie, Learned: w.complexity == learned, Abstract: w.complexity == learned || w.signed}
	if w.classes != nil {
		t.In, t.Out = w.classes(w)
	}
	w.Event, w.Text = t.Event(), t.Said()
}

// beyond returns the value before or after a threshold in an ascending list, or NaN if there is none.
func beyond(values []valued, at float64, after bool) float64 {
	i, met := slices.BinarySearchFunc(values, at, func(v valued, at float64) int { return cmp.Compare(v.v, at) })
	if !after {
		i--
	} else if met {
		for i < len(values) && values[i].v == at {
			i++
		}
	}
	if i < 0 || i >= len(values) {
		return math.NaN()
	}
	return values[i].v
}
