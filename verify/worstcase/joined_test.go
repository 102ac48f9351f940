package worstcase

import "testing"

// TestNeededOfSearch checks that the setting leaves the needed samples to the certificate, and that other needs keep
// their text.
func TestNeededOfSearch(t *testing.T) {
	got := neededOfSearch("about 80000 samples of each input; this run had 60264")
	if want := "about 80000 samples of each input after the search; this run had 60264: set samples to 200000, because the " +
		"search uses up to 60 % of them"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if other := "a stronger claim"; neededOfSearch(other) != other {
		t.Errorf("%q, want %q", neededOfSearch(other), other)
	}
}
