package reports

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/verify"
)

// differing returns the example with a change of each class.
func differing() Document {
	d := example()
	d.Run.Options.Seed, d.Version = 2, "v0.2.0"
	r := d.Run.Results
	r[0].Cells = append([]verify.Cell(nil), r[0].Cells...)
	r[0].Cells[0].Measured, r[0].Cells[0].Lower, r[0].Cells[0].Upper = num(0.9), num(0.899), num(0.901)
	r[1].Measured, r[1].Lower = num(1.0005), num(0.999) // noise
	r[2].Verdict, r[2].Measured, r[2].Lower, r[2].Upper, r[2].Ratio = verify.Refuted, num(0.6), num(0.6), num(0.6), num(2)
	r[3].Verdict = verify.Error
	r[3].Warnings = []string{"preparing: no convergence"}
	r[4].Verdict = verify.Holds
	r[5].Verdict = verify.Inconclusive
	r[6].Claim.ID = "example/fig-2"
	return d
}

func TestCompareReports(t *testing.T) {
	c, err := Compare(example(), differing())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range c.Changes {
		got = append(got, fmt.Sprintf("%s %s", x.Class, x.ID))
	}
	want := []string{
		"broken example/prop-2", "failed example/thm-1", "new example/fig-2", "mended example/table-1",
		"changed example/remark-3", "moved example/lemma-7", "gone example/fig-1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if worse := c.Worse(); !cmp.Equal(worse, []string{"example/prop-2"}) {
		t.Errorf("worse claims: %v", worse)
	}
	golden(t, "diff.md", render(t, func(b *bytes.Buffer) error { return c.Sheet().Markdown(b) }))
	golden(t, "diff.json", render(t, func(b *bytes.Buffer) error { return DiffJSON(b, c) }))
	same, err := Compare(example(), example())
	if err != nil || len(same.Changes) > 0 {
		t.Errorf("a report differs from itself: %v, %v", same.Changes, err)
	}
	added := example()
	added.Run.Results = added.Run.Results[1:]
	if c, err := Compare(added, example()); err != nil || !cmp.Equal(c.Worse(), []string{"example/lemma-7"}) {
		t.Errorf("a new claim that is refuted: worse claims %v, %v", c.Worse(), err)
	}
	contradictory := example()
	contradictory.Run.Results[2].Verdict = verify.Contradictory
	if c, err := Compare(example(), contradictory); err != nil || !cmp.Equal(c.Worse(), []string{"example/prop-2"}) {
		t.Errorf("a claim that becomes contradictory: worse claims %v, %v", c.Worse(), err)
	}
}

func TestDisjoint(t *testing.T) {
	interval := func(l, u float64) ends { return ends{num(l), num(u)} }
	cases := []struct {
		reason string
		a, b   ends
		want   bool
	}{
		{"apart", interval(0, 1), interval(2, 3), true},
		{"apart in the other order", interval(2, 3), interval(0, 1), true},
		{"overlapping", interval(0, 1), interval(0.9, 3), false},
		{"touching", interval(0, 1), interval(1, 2), false},
		{"the rounding error of a computation", interval(1, 1), interval(1+1e-15, 1+1e-15), false},
		{"computed values that differ", interval(1, 1), interval(1.001, 1.001), true},
		{"both infinite", interval(math.Inf(1), math.Inf(1)), interval(math.Inf(1), math.Inf(1)), false},
		{"one infinite", interval(1, 1), interval(math.Inf(1), math.Inf(1)), true},
		{"not a number", interval(math.NaN(), math.NaN()), interval(2, 3), false},
		{"no interval", ends{}, interval(2, 3), false},
	}
	for _, c := range cases {
		if got := disjoint(c.a, c.b); got != c.want {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	cases := []struct {
		reason string
		change func(*Document)
		want   string
	}{
		{"another budget", func(d *Document) { d.Run.Options.Budget = verify.Quick }, "the old report has budget standard, the new one quick"},
		{"another alpha", func(d *Document) { d.Run.Options.Alpha = 0.05 }, "the old report has alpha 1e-6, the new one 0.05"},
		{"interrupted", func(d *Document) { d.Run.Interrupted = true }, "the run of the new report was interrupted"},
		{"other claims", func(d *Document) {
			d.Run.Results = d.Run.Results[:1]
			d.Run.Results[0].Claim.ID = "another/claim"
		}, "no claim in common"},
	}
	for _, c := range cases {
		d := example()
		c.change(&d)
		if _, err := Compare(example(), d); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.reason, err, c.want)
		}
	}
}
