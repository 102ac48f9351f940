package verify

import "testing"

func TestSpoken(t *testing.T) {
	names := []string{"Count", "Name"}
	for _, c := range []struct {
		said  string
		names []string
		want  string
	}{
		{"number output[2] is at least 4.2", nil, "the third number is at least 4.2"},
		{"the string output[0] has at most 3 characters", nil, "the first string has at most 3 characters"},
		{"the shape of the string output[1] is a certain one", names, "the shape of Name is a certain one"},
		{"number output[0] less number output[1] is at most 0", names, "Count less Name is at most 0"},
		{"number output[20] is 1", names, "the 21st number is 1"},
		{"number output[10] is 1", nil, "the 11th number is 1"},
		{"number output[110] is 1", nil, "the 111th number is 1"},
		{"the last 12 bits of number output[3] are zero", nil, "the last 12 bits of the fourth number are zero"},
		{"the number is at least 4.2", names, "the number is at least 4.2"},
	} {
		if got := EventInWords(c.said, c.names); got != c.want {
			t.Errorf("%q is spoken %q, want %q", c.said, got, c.want)
		}
	}
}

func TestLines(t *testing.T) {
	w := Diagnosis{Event: "the number is 3", Rate: 1, Other: 0, Likelier: "B", Outputs: []string{"3"},
		Growth:      &LossGrowth{Quantity: "privacy loss ε", Points: []GrowthPoint{{1, 0.5, 1}, {2, 1.25, 3}}},
		LikelyCause: &LikelyCause{Words: "a fault", Evidence: "its figures"}}
	want := []string{"the number is 3, in all of the outputs under B and none under A; for example 3",
		"privacy loss ε is at least 0.5 at distance 1, 1.25 at distance 2",
		"looks like a fault: its figures; no verdict rests on that"}
	got := w.Lines()
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	for share, want := range map[float64]string{0.99999: "more than 99.9 %", 1e-9: "1e-07 %", 0.5: "50 %"} {
		if got := percentOfOutputs(share); got != want {
			t.Errorf("%v is %q, want %q", share, got, want)
		}
	}
}

// TestSpokenLength checks that the length of a list is described by its items in every comparison.
func TestSpokenLength(t *testing.T) {
	names := []string{"the length of Xs", "the length of output.Ys", "Z"}
	for said, want := range map[string]string{
		"number output[0] is at most 1":                          "Xs has at most 1 item",
		"number output[1] is between 0 and 12":                   "output.Ys has between 0 and 12 items",
		"number output[0] is always 2 under A and 1 under B":     "Xs always has 2 items under A and 1 under B",
		"number output[0] is above 3, as it should be":           "Xs has more than 3 items, as it should be",
		"number output[0] is below 1.5e+06":                      "Xs has fewer than 1.5e+06 items",
		"number output[0] is just 1.":                            "Xs has 1 item.",
		"number output[0] is 0; or number output[2] is 2.5":      "Xs has 0 items; or Z is 2.5",
		"number output[0] less number output[1] is at most 1":    "the length of Xs less the length of output.Ys is at most 1",
		"number output[0] is less than number output[1]":         "the length of Xs is less than the length of output.Ys",
		"value output[0] is 2":                                   "the length of Xs is 2",
		"the last decimal digit of number output[0] is 3":        "the last decimal digit of the length of Xs is 3",
		"number output[3] is at most 1":                          "the fourth number is at most 1",
		"the last 3 bits of number output[0] are zero":           "the last 3 bits of the length of Xs are zero",
		"number output[0] is at most 1, of those a share of 0.5": "Xs has at most 1 item, of those a share of 0.5",
	} {
		if got := EventInWords(said, names); got != want {
			t.Errorf("%q is spoken %q, want %q", said, got, want)
		}
	}
}
