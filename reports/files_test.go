package reports

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dpverify/dpverify/reports/chart"
	"github.com/dpverify/dpverify/verify"
)

// A directory holds the same Markdown as elsewhere, plus links to a picture of each paper with a text alternative.
func TestFilesBelongTogether(t *testing.T) {
	hostileRemark := spoiled()
	hostileRemark.Remarks[0].Title, hostileRemark.Remarks[0].Caption = hostile, hostile
	hostileRemark.Remarks[0].Picture = hostileRemark.Remarks[0].ID
	short := example()
	short.Run.Results = short.Run.Results[:3]
	short.Papers = nil
	for name, c := range map[string]struct {
		Document
		pictures int
	}{
		"example": {example(), 1}, "hostile": {hostileRemark, 1}, "empty": {Document{}, 0}, "without remarks": {short, 0},
	} {
		files, err := Files(c.Document)
		if err != nil {
			t.Fatal(err)
		}
		text := string(files[reportFile])
		var rest []string
		led := []string{reportFile}
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "![") {
				rest = append(rest, line)
				continue
			}
			rest = rest[:len(rest)-1] // the empty line before it
			m := regexp.MustCompile(`^!\[(.{20,})\]\(([-a-z0-9.]+)\)\n$`).FindStringSubmatch(line)
			if m == nil || strings.ContainsAny(m[1], "[]") {
				t.Fatalf("%s: no picture with a text alternative: %q", name, line)
			}
			led = append(led, m[2])
			parse(t, files[m[2]]) // as XML
		}
		plain := string(render(t, func(b *bytes.Buffer) error { return Markdown(b, c.Document) }))
		if diff := cmp.Diff(plain, strings.Join(rest, "")); diff != "" {
			t.Errorf("%s: without the pictures the text differs (-want +got):\n%s", name, diff)
		}
		if len(led) != len(files) || len(led) != c.pictures+1 {
			t.Errorf("%s: links to %q, and there are %d files; want %d pictures", name, led, len(files), c.pictures)
		}
		for _, file := range led {
			if !slices.Contains(FileNames(append(c.Papers, Paper{ID: "other"})), file) || files[file] == nil {
				t.Errorf("%s: %s is missing, or FileNames does not name it", name, file)
			}
		}
	}
}

// A paper's picture shows the gravest finding that names a claim, if the run has this claim, else the gravest
// finding.
func TestPictureOfAPaper(t *testing.T) {
	var d Document
	for i, measured := range []float64{2, 3, 4} {
		id := fmt.Sprintf("p/%c", 'a'+i)
		d.Run.Results = append(d.Run.Results, verify.Result{Claim: verify.Claim{ID: id, Paper: "p", Kind: verify.Rate},
			Evidence: verify.Evidence{Verdict: verify.Refuted, Quantity: "ratio of " + id, Sense: verify.AtMost, Exact: true, Cells: []verify.Cell{
				{Label: "d=1, of " + id, Claimed: num(1), Measured: num(measured)}, {Label: "d=2, of " + id, Claimed: num(1), Measured: num(measured)}}}})
		d.Remarks = append(d.Remarks, verify.ReviewerNote{ID: id, Impact: verify.ImpactTheorem, Title: "Title of " + id, Reason: "so"})
	}
	shown := func() string {
		l := newLookup(d)
		p := l.picture(group{Paper: Paper{ID: "p"}, results: d.Run.Results}, l.findings(d.Run.Results))
		if p == nil {
			return ""
		}
		return p.claimID + ": " + p.Title + ": " + p.Caption
	}
	const bars = ", divided by the claimed value at each point: 1 is the claim. The claim rules out the shaded side."
	for _, c := range []struct {
		change func()
		want   string
	}{
		{func() {}, "p/a: Title of p/a: Ratio of p/a" + bars},
		{func() { d.Remarks[1].Picture, d.Remarks[1].Caption = "p/c", "what is seen" }, "p/b: Title of p/b: What is seen. Ratio of p/c" + bars},
		{func() { d.Run.Results = d.Run.Results[:2] }, "p/b: Title of p/b: Ratio of p/b" + bars},
		{func() { d.Run.Results[0].Cells, d.Run.Results[1].Cells = nil, nil }, ""},
	} {
		c.change()
		if got := shown(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// Curves along the last variable contain the points with a place on the axes, and their claimed values.
func TestDrawnAlongAVariable(t *testing.T) {
	r := verify.Result{Evidence: verify.Evidence{Verdict: verify.Refuted, Quantity: "loss", Sense: verify.AtMost, Exact: true}}
	for _, d := range []int{1, 2} {
		for _, x := range []string{"0", "1e-6", "0.001", "0.1", "10"} {
			c := verify.Cell{Label: fmt.Sprintf("d=%d, t=%s", d, x), Claimed: num(1), Measured: num(2)}
			if x == "0" {
				c.Measured = num(inf)
			}
			r.Cells = append(r.Cells, c)
		}
	}
	c := chart.Draw(r)
	var names []string
	for _, s := range c.Shapes {
		if s.Class == "name" {
			names = append(names, s.Text)
		}
	}
	if got := strings.Join(names, " | "); got != "loss | t | d=1 | d=2 | claimed" && !strings.HasSuffix(got, "d=1 | d=2 | claimed") {
		t.Errorf("the curves are %s", got)
	}
	if want := "Loss along t, computed, and its claimed value."; c.Caption != want {
		t.Errorf("%q, want %q", c.Caption, want)
	}
}
