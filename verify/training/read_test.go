package training_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/training"
)

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, text, reason string }{
		{"a.csv", "score,included\n0.5,1\n-1e3,0\n", "only the two columns"},
		{"a.csv", "\uFEFFid,Included, Score\nx,true,0.5\ny,False,-1000\n", "another order, upper case, a byte order " +
			"mark and ids"},
		{"a.csv", "score,included,id,loss\n0.5,1,,3\n-1000,0,,nan\n", "another column, empty ids"},
		{"a.jsonl", "{\"score\": 0.5, \"included\": true}\n{\"score\": -1000, \"included\": 0}\n", "one object a line"},
		{"a.json", " [{\"included\": 1, \"score\": 0.5},\n {\"score\": -1000, \"included\": false, \"id\": 7}]\n",
			"an array"},
	} {
		s, err := training.ReadScores(c.name, strings.NewReader(c.text))
		if err != nil {
			t.Errorf("%s: %v", c.reason, err)
			continue
		}
		want, err := training.NewScores("b", []float64{0.5, -1000}, []bool{true, false})
		if err != nil || s.Digest() != want.Digest() || s.Len() != 2 {
			t.Errorf("%s: %+v, want %+v (%v)", c.reason, s, want, err)
		}
	}
}

// Errors name the file and the line.
func TestReadRefuses(t *testing.T) {
	const head = "score,included\n"
	for _, c := range []struct{ name, text, want, reason string }{
		{"a.csv", head + "1,1\nNaN,0\n", `a.csv:3: score NaN: want a finite number`, "NaN"},
		{"a.csv", head + "1,1\ninf,0\n", `a.csv:3: score inf: want a finite number`, "an infinite score"},
		{"a.csv", head + "1,1\n\n,0\n", `a.csv:4: score "" is not a number`, "an empty field after an empty line"},
		{"a.csv", head + "\"1,5\",1\n", `a.csv:2: score "1,5" is not a number`, "a decimal comma"},
		{"a.csv", head + "1,2\n", `a.csv:2: included is "2": want 1`, "an invalid coin"},
		{"a.csv", head + "1,yes\n", `a.csv:2: included is "yes": want 1`, "a word as coin"},
		{"a.csv", head + "1,1\n1\n", `a.csv:3: 1 fields, but the first row has 2`, "a short row"},
		{"a.csv", head + "1,1\n1,0,3\n", `a.csv:3: 3 fields, but the first row has 2`, "a long row"},
		{"a.csv", "0.3,1\n0.2,0\n", `a.csv:1: no column is called score`, "no header"},
		{"a.csv", "score,member\n0.2,0\n", `a.csv:1: no column is called included`, "no column called included"},
		{"a.csv", "score,score,included\n0.2,0,1\n", `a.csv:1: two columns are called score`, "two score columns"},
		{"a.csv", "", `a.csv:1: the file is empty`, "an empty CSV file"},
		{"a.csv", head, `a.csv: there are no canaries`, "no rows"},
		{"a.csv", head + "1,1\n2,1\n", `a.csv: all of the 2 canaries were included`, "only included canaries"},
		{"a.csv", head + "1,0\n2,0\n", `a.csv: none of the 2 canaries was included`, "only excluded canaries"},
		{"a.csv", head + "1,0\n1,1\n", `a.csv: all 2 scores are equal to 1`, "equal scores"},
		{"a.csv", "score,included,id\n1,0,a\n2,1,b\n3,1,a\n", `a.csv:4: canary "a" already has a row in line 2`,
			"two rows for one canary"},
		{"a.csv", head + "1,\"1\n", `a.csv:`, "an unterminated quote"},
		{"a.json", "", `a.json:1: the file is empty`, "an empty JSON file"},
		{"a.json", "[{\"score\": 1, \"included\": 1},\n{\"score\": 1}]", `a.json:2: the object has no included`,
			"a row without a coin"},
		{"a.json", "{\"score\": 1, \"included\": 1}\n{\"score\": null, \"included\": 1}",
			`a.json:2: score "<nil>" is not a number`,
			"a null score"},
		{"a.json", "{\"score\": 1, \"included\": 1}\n[1, 0]", `a.json:`, "an array as row"},
		{"a.json", "[{\"score\": 1, \"included\": 1}", `a.json:1: the array does not end`, "an array without an end"},
		{"a.json", "[{\"score\": 1, \"included\": 1}] 3", `a.json:1: text follows the end`, "text after the array"},
		{"a.jsonl", "{\"score\": 1, \"included\": 1}\n{\"score\": 2, \"included\": 0}\n]\n{\"score\": 3, \"included\": " +
			"0}\n",
			`a.jsonl:3: want an object for each canary`, "an unmatched bracket"},
		{"a.json", "score", `a.json:1:`, "not JSON"},
		{"a.json", "{\"score\": 1e999, \"included\": 1}", `a.json:1: score`, "beyond the range of a double"},
	} {
		_, err := training.ReadScores(c.name, strings.NewReader(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "goroutine") {
			t.Errorf("%s: %v, want %s", c.reason, err, c.want)
		}
	}
}

// Files with clearly dependent coins give no verdict; others give a warning or none.
func TestCoinsThatAreNone(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	scores := func(m int, coin func(i int) bool, score func(i int, in bool) float64) *training.Scores {
		i := -1
		return drawn(t, m, func() (float64, bool) {
			i++
			in := coin(i)
			return score(i, in), in
		})
	}
	fair := func(int) bool { return r.IntN(2) == 1 }
	known := func(_ int, in bool) float64 { // an attack that is always right
		if in {
			return 2 + r.Float64()
		}
		return r.Float64()
	}
	for _, c := range []struct {
		s      *training.Scores
		chance float64
		warns  string
		open   bool
		reason string
	}{
		{scores(1001, fair, known), 0, "", false, "fair coins"},
		{scores(1000, func(i int) bool { return i%2 == 0 }, known), 0, "next to each other was included", true,
			"opposite coins in pairs"},
		{scores(1000, func(i int) bool { return i < 500 }, known), 0, "", false, "included canaries first"},
		{scores(1000, func(int) bool { return r.Float64() < 0.7 }, known), 0, "do not look as stated", true,
			"unfair coins"},
		{scores(1000, func(int) bool { return r.Float64() < 0.7 }, known), 0.7, "", false, "unfair coins with the " +
			"stated probability"},
		{scores(1001, fair, func(_ int, in bool) float64 { return math.Round(2 * known(0, in)) }), 0, "", false,
			"many ties that are not repeats"},
	} {
		e := judged(t, training.OneRunAudit{Scores: c.s, Guarantee: privacy.ApproximateDP(0.5, 0), Chance: c.chance},
			0.001)
		text := strings.Join(e.Warnings, "\n")
		if (e.Verdict == verify.Inconclusive) != c.open || !c.open && e.Verdict != verify.Refuted ||
			(c.warns == "") != (text == "") || !strings.Contains(text, c.warns) {
			t.Errorf("%s: %s, with %q; want %q", c.reason, e.Verdict, text, c.warns)
		}
	}
	once := drawn(t, 300, func() (float64, bool) { in := fair(0); return known(0, in), in })
	var text strings.Builder
	text.WriteString("score,included\n")
	for range 2 {
		r := rand.New(rand.NewPCG(3, 3))
		for range once.Len() {
			fmt.Fprintf(&text, "%v,%d\n", r.NormFloat64(), r.IntN(2))
		}
	}
	s, err := training.ReadScores("twice.csv", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	if e := judged(t, training.OneRunAudit{Scores: s, Guarantee: privacy.ApproximateDP(0.5, 0)},
		0.001); len(e.Warnings) == 0 ||
		e.Verdict != verify.Inconclusive {
		t.Errorf("rows that come twice: %s, with %v", e.Verdict, e.Warnings)
	}
}
