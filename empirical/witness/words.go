package witness

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An event has two texts. Event names the score and the threshold, to the digit; Said says the same of
// the output, for a reader: "the number is at least 4.2". In Said a value of a list is "number output[2]", or
// string, or value; why.Spoken makes "the third number" of it.

// said is the event of a threshold in the words of the output; beyond is the next value of the score that is not in
// it, NaN where that is not known.
func (w *Witness) said(beyond float64) string {
	at, more := shown(w.threshold), ""
	if w.tie >= 1 {
		at = shortest(w.threshold, beyond)
	}
	if w.name == scoreOfKnown || w.learned || w.signed {
		at = fmt.Sprintf("%.4g", w.threshold)
	}
	if w.tie < 1 {
		more = fmt.Sprintf(", of those that are just so a share of %g", w.tie)
	}
	how := "at least"
	if w.below {
		how = "at most"
	}
	switch {
	case w.classes != nil:
		in, out := w.classes(w)
		return saidOfSome(w.name, in, out) + more
	case strings.HasPrefix(w.name, "whether the string "):
		verb := map[bool]string{false: "is", true: "is not"}[w.below]
		return strings.TrimSuffix(strings.TrimPrefix(w.name, "whether "), "is a number") + verb + " a number" + more
	case w.name == nameOfFrequencies:
		return "the output is one of those that were commoner under this input in the samples of the search" + more
	}
	if w.learned {
		return "the " + w.name + ", a score of the whole output, is " + how + " " + at + more
	}
	return saidOf(w.name, how, at) + more
}

// saidOf says that a feature is at least, at most or just a number.
func saidOf(name, how, at string) string {
	subject := "the " + name
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

// trimmed is how a figure bounds, without the word for one that is met.
func trimmed(how string) string { return strings.TrimPrefix(how, "just ") }

func counted(n, noun string) string {
	if n == "1" {
		return "1 " + noun
	}
	return n + " " + noun + "s"
}

const (
	scoreOfKnown      = "log-likelihood ratio"
	lowestBitOf       = "lowest set bit of "
	nameOfFrequencies = "log ratio of the output's frequencies"
)

// shown is a number to the digits that rows keep; −0 is 0, and so are their comparisons.
func shown(x float64) string {
	switch {
	case math.IsInf(x, 0):
		return map[bool]string{true: "+∞", false: "−∞"}[x > 0]
	case x == 0:
		return "0"
	case isWhole(x):
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return fmt.Sprintf("%.12g", x)
}

// shortest is the number of the fewest digits from one number on that does not reach another: of the sample that has
// no value between them, as many values are beyond it.
func shortest(from, to float64) string {
	if !finite(from) || !finite(to) || isWhole(from) {
		return shown(from)
	}
	for digits := 1; digits < 12; digits++ {
		text := strconv.FormatFloat(from, 'g', digits, 64)
		at, err := strconv.ParseFloat(text, 64)
		if err == nil && (from <= at && at < to || to < at && at <= from) {
			return shown(at)
		}
	}
	return shown(from)
}

// saidBetween says that a feature lies in an interval, both ends included; below and above are the next values that
// do not.
func saidBetween(name string, low, high, below, above float64) string {
	if low == high {
		return saidOf(name, "just", shown(low))
	}
	return saidOf(name, "between", shortest(low, below)+" and "+shortest(high, above))
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

var (
	residueName = regexp.MustCompile(`^(.*) mod (\d+)$`)
	bitName     = regexp.MustCompile(`^bit of (.*) at 2\^(\d+)$`)
	digitName   = regexp.MustCompile(`^decimal digit of (.*) at 10\^(\d+)$`)
	orderName   = regexp.MustCompile(`^the order of (.*) and (.*)$`)
)

// saidOfClasses says that a division puts the output in one of some classes, or in none of them.
func saidOfClasses(name string, labels []string, others bool) string {
	is := map[bool]string{false: "is ", true: "is not "}[others]
	one := listed(labels)
	if m := residueName.FindStringSubmatch(name); m != nil {
		if m[2] == "2" && len(labels) == 1 && labels[0] != noWhole {
			return numbered(m[1]) + " " + is + map[string]string{"0": "even", "1": "odd"}[labels[0]]
		}
		return "what is left of " + numbered(m[1]) + " divided by " + m[2] + " " + is + one
	}
	if m := bitName.FindStringSubmatch(name); m != nil {
		return "the binary digit of " + numbered(m[1]) + " that stands for 2^" + m[2] + " " + is + one
	}
	if m := digitName.FindStringSubmatch(name); m != nil {
		which := "the decimal digit that stands for 10^" + m[2]
		if m[2] == "0" {
			which = "the last decimal digit"
		}
		return which + " of " + numbered(m[1]) + " " + is + one
	}
	if of, ok := strings.CutPrefix(name, lowestBitOf); ok {
		return "the lowest binary digit of " + numbered(of) + " that is not zero " + is + one
	}
	if m := orderName.FindStringSubmatch(name); m != nil && len(labels) == 1 && orderWords[labels[0]] != "" {
		return numbered(m[1]) + " " + is + orderWords[labels[0]] + " " + numbered(m[2])
	}
	return "the " + strings.TrimPrefix(name, "the ") + " " + is + one
}

// orderWords of the classes of a pair of values.
var orderWords = map[string]string{"less first": "less than", "equal": "equal to", "greater first": "greater than"}

// numbered is a source of whole numbers as a subject.
func numbered(name string) string {
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

// listed are some labels, each by itself if they are few.
func listed(labels []string) string {
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

// saidOfSome says that the classes of some labels are in the event, and those of others that occur are not.
func saidOfSome(name string, in, out []string) string {
	of, ok := strings.CutPrefix(name, lowestBitOf)
	if !ok {
		return saidOfClasses(name, in, false)
	}
	least := func(labels []string) (low, high int) {
		low, high = 65, -1
		for _, label := range labels {
			bit := 64 // of zero, all bits of which are
			if k, isPower := strings.CutPrefix(label, "2^"); isPower {
				bit, _ = strconv.Atoi(k)
			} else if label == noWhole {
				bit = -1
			}
			low, high = min(low, bit), max(high, bit)
		}
		return low, high
	}
	low, _ := least(in)
	if _, high := least(out); low > high && low > 0 && low < 64 {
		if low == 1 {
			return numbered(of) + " is even"
		}
		return fmt.Sprintf("the last %d bits of %s are zero", low, numbered(of))
	}
	return saidOfClasses(name, in, false)
}
