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
	// noWholeNumber is the label of the class of what is no whole number.
	noWholeNumber = "no whole number"
	// lowestBitPrefix begins the name of a division by the lowest set bit of a number.
	lowestBitPrefix = "lowest set bit of "
	// zeroSignPrefix begins the name of the sign of a number that is zero: −1 of −0, 1 of +0, 0 of other numbers.
	zeroSignPrefix = "sign of zero of "
)

// wholeForm tells a wholeForm number that a float64 holds exactly.
func wholeForm(x float64) bool { return x == math.Trunc(x) && math.Abs(x) <= decimal.ExactWhole }

// featureText says that a feature is at least, at most or just a number.
func featureText(name, how, at string) string {
	subject := "the " + name
	if of, ok := strings.CutPrefix(name, zeroSignPrefix); ok {
		return zeroSign(numberedSubject(of), trimmed(how+" "), at)
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

func countedForm(n, noun string) string {
	if n == "1" {
		return "1 " + noun
	}
	return n + " " + noun + "s"
}

// shownNumber is a number to the digits that rows keep; −0 is 0, and so are their comparisons.
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

// shortestBetween is the number of the fewest digits from one number on that does not reach another: of the sample that
// has
// no value between them, as many values are beyond it.
func shortestBetween(from, to float64) string {
	if !finite(from) || !finite(to) || wholeForm(from) {
		return shownNumber(from)
	}
	for digits := 1; digits < 12; digits++ {
		text := strconv.FormatFloat(from, 'g', digits, 64)
		at, err := strconv.ParseFloat(text, 64)
		if err == nil && (from <= at && at < to || to < at && at <= from) {
			return shownNumber(at)
		}
	}
	return shownNumber(from)
}

// betweenText says that a feature lies in an interval, both ends included; below and above are the next values that
// do not.
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

// classesText says that a division puts the output in one of some classes, or in none of them.
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
	if of, ok := strings.CutPrefix(name, lowestBitPrefix); ok {
		return "the lowest binary digit of " + numberedSubject(of) + " that is not zero " + is + one
	}
	if m := orderName.FindStringSubmatch(name); m != nil && len(labels) == 1 && orderWords[labels[0]] != "" {
		return numberedSubject(m[1]) + " " + is + orderWords[labels[0]] + " " + numberedSubject(m[2])
	}
	return "the " + strings.TrimPrefix(name, "the ") + " " + is + one
}

// orderWords of the classes of a pair of values.
var orderWords = map[string]string{"less first": "less than", "equal": "equal to", "greater first": "greater than"}

// numberedSubject is a source of whole numbers as a subject.
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

const mostListed = 16

// listedLabels are some labels, each by itself if they are few.
func listedLabels(labels []string) string {
	switch last := len(labels) - 1; {
	case last < 0:
		return "none"
	case last == 0:
		return labels[0]
	case last < mostListed:
		return strings.Join(labels[:last], ", ") + " or " + labels[last]
	}
	return fmt.Sprintf("one of %d, from %s to %s", len(labels), labels[0], labels[len(labels)-1])
}

// someClasses says that the classes of some labels are in the event, and those of others that occur are not.
func someClasses(name string, in, out []string) string {
	of, ok := strings.CutPrefix(name, lowestBitPrefix)
	if !ok {
		return classesText(name, in, false)
	}
	least := func(labels []string) (low, high int) {
		low, high = 65, -1
		for _, label := range labels {
			bit := 64 // of zero, all bits of which are
			if k, isPower := strings.CutPrefix(label, "2^"); isPower {
				bit, _ = strconv.Atoi(k)
			} else if label == noWholeNumber {
				bit = -1
			}
			low, high = min(low, bit), max(high, bit)
		}
		return low, high
	}
	low, _ := least(in)
	if _, high := least(out); low > high && low > 0 && low < 64 {
		if low == 1 {
			return numberedSubject(of) + " is even"
		}
		return fmt.Sprintf("the last %d bits of %s are zero", low, numberedSubject(of))
	}
	return classesText(name, in, false)
}

// thresholdEvent is an event of a score.
type thresholdEvent struct {
	Name       string
	In, Out    []string // labels of the classes that are in it, and of the others; none of a score without classes
	At, Beyond float64  // the threshold, and the next value that is not in the event, NaN where it is not known
	Below      bool
	Tie        float64 // share of what is just at the threshold that counts
	Learned    bool    // from outputs
	Abstract   bool    // no number of the output
}

// frequencyScoreName is the name of the score by how often outputs occurred.
const frequencyScoreName = "log ratio of the output's frequencies"

// symbolsScoreName is the name of the score by a model of sequences.
const symbolsScoreName = "modelled log-likelihood ratio of the output's symbols"

// Event names the score and the threshold.
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
		if len(t.In) > mostListed {
			text = t.Name + " is " + listedLabels(t.In)
		}
	}
	if t.Tie < 1 {
		text += fmt.Sprintf(" (ties counted with probability %g)", t.Tie)
	}
	return text
}

// Said returns the event in the words of the output.
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

// ordinalText of a place from the second on: 2nd, 3rd, 4th.
func ordinalText(n int) string {
	switch n {
	case 2:
		return "2nd"
	case 3:
		return "3rd"
	}
	return fmt.Sprintf("%dth", n)
}

// An event has two texts. Event names the score and the threshold, to six digits; Said says the same of the output, for
// a reader: "the number is at least 4.2". In Said a value of a list is "number output[2]", or string, or value;
// verify.EventInWords makes "the third number" of it.

// nameIt says the event of a threshold.
func (w *Event) nameIt() {
	t := thresholdEvent{Name: w.name, At: w.threshold, Beyond: w.beyond, Below: w.below,
		Tie: w.tie, Learned: w.complexity == learned, Abstract: w.complexity == learned || w.signed}
	if w.classes != nil {
		t.In, t.Out = w.classes(w)
	}
	w.Event, w.Text = t.Event(), t.Said()
}

// beyond is the value before, or after, a threshold among ascending ones; NaN where there is none.
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
