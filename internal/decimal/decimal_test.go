package decimal

import (
	"strings"
	"testing"
	"time"
)

// notNumbers are texts that some parsers read as one number, and others as another number or as a word.
var notNumbers = []string{"", " ", "010", "-010", "00", "0x10", "0X1p4", "0b1", "0o7", "1_000", "1_0.5", "+1", "+0.5", " 1", "1 ",
	"1.", "-", ".", "1e", "e5", "1e5.5", "inf", "-Inf", "nan", "Infinity", "1,5", "١", "--1", "1e_5", "0x1p-2", "1e400x"}

func TestRejectsOtherForms(t *testing.T) {
	for _, text := range notNumbers {
		if x, err := Float(text); err == nil {
			t.Errorf("Float(%q) = %v", text, x)
		}
		if n, err := Int(text); err == nil {
			t.Errorf("Int(%q) = %v", text, n)
		}
		if n, err := Uint(text); err == nil {
			t.Errorf("Uint(%q) = %v", text, n)
		}
		if d, err := Duration(text + "s"); err == nil {
			t.Errorf("Duration(%q) = %v", text+"s", d)
		}
	}
	for text, want := range map[string]float64{"0": 0, "-0": 0, "10": 10, "-1.5": -1.5, ".5": 0.5, "1e-5": 1e-5, "1E+2": 100, "0e-400": 0,
		"5e-324": 5e-324, "0.0": 0} {
		if got, err := Float(text); err != nil || got != want {
			t.Errorf("Float(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

// Numbers beyond the range of their type are errors, and do not become infinite, 0 or another number.
func TestRanges(t *testing.T) {
	for _, text := range []string{"1e400", "-1e400", "1e-400", "1e999999999999"} {
		if x, err := Float(text); err == nil || !strings.Contains(err.Error(), "beyond the range of a double") {
			t.Errorf("Float(%q) = %v, %v", text, x, err)
		}
	}
	for _, text := range []string{"9223372036854775808", "1.0", "1e2"} {
		if n, err := Int(text); err == nil {
			t.Errorf("Int(%q) = %v", text, n)
		}
	}
	if n, err := Int("-9223372036854775808"); err != nil || n != -1<<63 {
		t.Errorf("%v, %v", n, err)
	}
	for _, text := range []string{"-1", "18446744073709551616"} {
		if n, err := Uint(text); err == nil {
			t.Errorf("Uint(%q) = %v", text, n)
		}
	}
	for _, text := range []string{"-1s", "1", "1e2s", "300000000h", "1d"} {
		if d, err := Duration(text); err == nil {
			t.Errorf("Duration(%q) = %v", text, d)
		}
	}
	if d, err := Duration("1h30m.5s"); err != nil || d != 90*time.Minute+500*time.Millisecond {
		t.Errorf("%v, %v", d, err)
	}
}

// The error says what to write.
func TestInstead(t *testing.T) {
	for text, want := range map[string]string{"010": "write 10 ", "+1": "write 1 ", "1_000": "write 1000 ", "1.": "write 1 ",
		" 1": "write 1 ", "-007.5": "write -7.5 ", "00": "write 0 ", "0x10": "want a decimal number", "": "want a decimal number"} {
		if _, err := Float(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Float(%q): %v, want %q", text, err, want)
		}
	}
}

func TestNear(t *testing.T) {
	for _, c := range []struct {
		text   string
		ok     bool
		reason string
	}{
		{"1.5", true, "a number"}, {"-1e308", true, "a large number"}, {"5e-324", true, "the smallest positive double"},
		{"0", true, "0"}, {"-0.00e-500", true, "0 with a sign, digits and an exponent"},
		{"1e-400", false, "underflow to 0"}, {"-0.01e-323", false, "underflow to −0"}, {"1e400", false, "overflow"},
		{"", false, "an empty text"}, {"x", false, "a word"},
	} {
		if x, ok := Near(c.text); ok != c.ok {
			t.Errorf("%s: %q is %v, %v", c.reason, c.text, x, ok)
		}
	}
}
