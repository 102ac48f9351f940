package distinguisher

import (
	"math"
	"testing"
)

func TestSaid(t *testing.T) {
	at := func(name string, threshold float64, below bool, tie, beyond float64) string {
		return thresholdEvent{Name: name, At: threshold, Beyond: beyond, Below: below, Tie: tie}.Said()
	}
	nan := math.NaN()
	for _, c := range []struct{ got, want, reason string }{
		{at("output", 4.2171, false, 1, 4.13), "the number is at least 4.2", "the fewest digits that no other value of the sample reaches"},
		{at("output", 4.2171, true, 1, 4.218), "the number is at most 4.2171", "4.217 is not in the event"},
		{at("output", -4.2171, false, 1, -4.3), "the number is at least -4.22", "rounded into the gap"},
		{at("output", 1000000.25, false, 1, 1000000.125), "the number is at least 1000000.2", "six digits would hold both"},
		{at("output", 1000000.25, false, 1, nan), "the number is at least 1000000.25", "the neighbour is not known"},
		{at("output", 1e300, false, 1, 0), "the number is at least 1e+300", "huge"},
		{at("output", 1<<53, false, 1, 1), "the number is at least 9007199254740992", "whole, to the digit"},
		{at("output", math.Copysign(0, -1), true, 1, 1), "the number is at most 0", "−0 is 0"},
		{at("output", math.Inf(1), false, 1, 7), "the number is at least +∞", "infinite"},
		{at("output", 3, false, 0.5, 2), "the number is at least 3 (ties counted with probability 0.5)", "ties"},
		{at("output", 0.1234567, true, 0.5, 3), "the number is at most 0.1234567 (ties counted with probability 0.5)", "a tie is at exactly this value"},
		{at("length", 7, false, 1, 6), "the list has at least 7 items", "a length"},
		{at("length", 1, true, 1, 2), "the list has at most 1 item", "one"},
		{betweenText("length", 7, 7, 6, 8), "the list has 7 items", "just one"},
		{betweenText("output[2]", 1, 2.34567, 0, 2.4), "number output[2] is between 1 and 2.35", "an interval"},
		{at("output[3] − output[2]", 0, true, 1, 1), "number output[3] minus number output[2] is at most 0", "adjacent numbers"},
		{at("length of the string output[1]", 3, false, 1, 2), "the string output[1] has at least 3 characters", "a string's"},
		{at("whether the string output is a number", 1, false, 1, 0), "the string output is a number", "it is"},
		{at("whether the string output is a number", 0, true, 1, 1), "the string output is not a number", "it is not"},
		{at("position of the largest value", 2, false, 1, 1), "the position of the largest value, counted from 0, is at least 2", "places"},
		{at("gap between the two largest values", 2, false, 1, 1), "the gap between the two largest values is at least 2", "another feature"},
		{classesText("output mod 2", []string{"1"}, false), "the number is odd", "a residue"},
		{classesText("output mod 2", []string{"1"}, true), "the number is not odd", "what is no whole number is neither"},
		{classesText("output mod 2", []string{noWholeNumber}, false), "the remainder of the number divided by 2 is no whole number", "not an integer"},
		{classesText("output[0] mod 5", []string{"1", "3"}, false), "the remainder of number output[0] divided by 5 is 1 or 3", "residues"},
		{classesText("decimal digit of output at 10^0", []string{"7"}, false), "the last decimal digit of the number is 7", "a digit"},
		{classesText("decimal digit of sum at 10^2", []string{"7"}, true), "the decimal digit 10^2 of the sum is not 7", "a digit"},
		{classesText("bit of output at 2^3", []string{"1"}, false), "the binary digit 2^3 of the number is 1", "a bit"},
		{someClasses("lowest set bit of output", []string{"2^12", "2^13", "none"}, []string{"2^0", "2^11"}), "the last 12 bits of the number are zero", "all from 12 on"},
		{someClasses("lowest set bit of output", []string{"2^12", "none"}, []string{"2^0", "2^13"}), "the lowest binary digit of the number that is not zero is 2^12 or none", "not 13"},
		{someClasses("lowest set bit of output", []string{"2^1", "2^2"}, []string{"2^0"}), "the number is even", "one bit"},
		{someClasses("lowest set bit of output", []string{"2^1", noWholeNumber}, []string{"2^0"}), "the lowest binary digit of the number that is not zero is 2^1 or " + noWholeNumber, "not whole, not even"},
		{classesText("first character of the string output", []string{`"≥ 3 = "`}, false), `the first character of the string output is "≥ 3 = "`, "signs in a character"},
		{classesText("the order of output[0] and output[3]", []string{"less first"}, false), "number output[0] is less than number output[3]", "an order"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q: %s", c.got, c.want, c.reason)
		}
	}
}
