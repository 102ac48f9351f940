package chart

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

func TestTicks(t *testing.T) {
	cases := []struct {
		low, high float64
		log       bool
		want      string
	}{
		{0, 1, false, "0 0.2 0.4 0.6 0.8 1"},
		{0.13, 0.58, false, "0.2 0.3 0.4 0.5"},
		{-3, 12, false, "-2 0 2 4 6 8 10 12"},
		{0.1, 1000, true, "0.1 1 10 100 1000"},
		{0.9, 12, true, "1 2 5 10"},
	}
	for _, c := range cases {
		var labels []string
		for _, tick := range (scale{c.low, c.high, c.log}).ticks() {
			if tick.label != "" {
				labels = append(labels, tick.label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}

// Ticks without a label show that an axis is logarithmic. A linear axis has none.
func TestTicksBetween(t *testing.T) {
	if _, at := (axis{scale{1, 100, true}, 0, 300, false}).marks(); len(at) != 12 || at[0] != 3 {
		t.Errorf("from 1 to 100: %v, want 3, 4, 6, 7, 8, 9 and ten times these values", at)
	}
	if _, at := (axis{scale{1, 100, false}, 0, 300, false}).marks(); at != nil {
		t.Errorf("a linear axis has small ticks at %v", at)
	}
}

// No two of the first 49 series look alike, and no two of the first 7 share a marker.
func TestSeriesLookDifferent(t *testing.T) {
	seen, shapes := map[string]int{}, map[string]int{}
	for k := range seriesLooks * seriesLooks {
		var c Chart
		c.marker("mark "+lookOf(k), k, spot{}, 3)
		s := c.Shapes[0]
		if before, twice := seen[s.Class+s.Path]; twice {
			t.Errorf("series %d and %d look alike", before, k)
		}
		seen[s.Class+s.Path] = k
		if before, twice := shapes[s.Path]; twice && k < seriesLooks {
			t.Errorf("series %d and %d have the same marker", before, k)
		}
		shapes[s.Path] = k
	}
}

// A line ends before a point without a place on the axes, and a new line begins after it.
func TestGapsStayOpen(t *testing.T) {
	s := verify.Curve{Name: "a", Variable: "x", Quantity: "y"}
	for x, y := range []float64{1, 2, math.NaN(), 4, 5, math.Inf(1), 7} {
		s.Points = append(s.Points, verify.CurvePoint{X: verify.Num(float64(x + 1)), Mean: verify.Num(y)})
	}
	p := Pictures([]verify.Curve{s})[0]
	lines := 0
	for _, shape := range p.Draw().Shapes {
		if shape.Class == "line series s0" {
			lines++
		}
	}
	if lines != 3 { // two pieces with two points, and the legend's line
		t.Errorf("%d lines, want 3", lines)
	}
}

// A long curve has a line through all its points and few markers. The markers of several curves do not coincide.
func TestCrowdedCurvesHaveFewMarkers(t *testing.T) {
	var all []verify.Curve
	for k := range 3 {
		s := verify.Curve{Name: fmt.Sprint(k), Variable: "x", Quantity: "y"}
		for x := range 400 {
			s.Points = append(s.Points, verify.CurvePoint{X: verify.Num(float64(x)), Mean: verify.Num(float64(k))})
		}
		all = append(all, s)
	}
	p := Pictures(all)[0]
	marks, steps := map[string]int{}, 0
	for _, shape := range p.Draw().Shapes {
		if strings.HasPrefix(shape.Class, "mark series") {
			marks[shape.Class]++
		}
		if shape.Class == "line series s0" {
			steps = max(steps, strings.Count(shape.Path, "H"))
		}
	}
	for class, n := range marks {
		if n > crowded+1 {
			t.Errorf("%d shapes are %q, want at most %d and one in the legend", n, class, crowded)
		}
	}
	if len(marks) != 3 || steps != 399 {
		t.Errorf("%d series have markers, a line has %d steps", len(marks), steps)
	}
}

// Every color of the rules has a value, in a page and in a file.
func TestStylesAreWhole(t *testing.T) {
	used := useOf.FindAllStringSubmatch(rules, -1)
	if len(used) < len(colors) {
		t.Fatalf("the rules use %d colors of %d", len(used), len(colors))
	}
	page := PageStyle()
	for _, u := range used {
		if n := strings.Count(page, "--"+u[1]+": "); n != 3 {
			t.Errorf("--%s has %d values, want one each for light, dark and paper", u[1], n)
		}
	}
	if s := fileStyle(); strings.Contains(s, "var(") || !strings.Contains(s, colors[0].dark) {
		t.Errorf("a file's style has variables, or no dark half:\n%s", s)
	}
}

// A value outside the axis is an arrow at its end. Only an interval's end on the axis has a cap.
func TestPointBeyondTheAxis(t *testing.T) {
	for _, c := range []struct {
		y, lower, upper float64
		upright         bool
		want            string
	}{
		{0.5, 0.25, 0.75, false, "whisker M25 0H75, whisker M25 -3.5V3.5, whisker M75 -3.5V3.5, mark M47 0a"},
		{0.5, 0.25, 2, false, "whisker M25 0H100, whisker M25 -3.5V3.5, mark M47 0a"},
		{2, 0.25, math.Inf(1), false, "whisker M25 0H100, whisker M25 -3.5V3.5, mark M105 0L"},
		{2, math.NaN(), 3, true, "mark M0 -5L"},
		{-1, math.NaN(), math.NaN(), true, "mark M0 105L"},
	} {
		a := axis{scale{0, 1, false}, 0, 100, c.upright}
		if c.upright {
			a.from, a.to = 100, 0
		}
		p := newPoint("", verify.Number{}, verify.Num(c.y))
		p.lower, p.upper = c.lower, c.upper
		var chart Chart
		chart.point("", 0, a, p, 0)
		var got []string
		for _, s := range chart.Shapes {
			got = append(got, s.Class+s.Path)
		}
		if all := strings.Join(got, ", "); !strings.HasPrefix(all, c.want) {
			t.Errorf("%v [%v, %v]: %s, want %s", c.y, c.lower, c.upper, all, c.want)
		}
	}
}

// An axis with many powers of ten has no small ticks, which would merge into a line.
func TestManyPowersHaveNoSmallTicks(t *testing.T) {
	for low, want := range map[float64]bool{1e-7: true, 1e-12: false} {
		named, between := axis{scale{low, 1, true}, 0, 300, false}.marks()
		if len(named) < 2 || len(between) > 0 != want {
			t.Errorf("from %v: %d labels, %d small ticks", low, len(named), len(between))
		}
	}
}

// An end of an interval stretches a logarithmic axis only near its point.
func TestFarEndsDoNotStretchAnAxis(t *testing.T) {
	near, far := newPoint("", verify.Number{}, verify.Num(1)), newPoint("", verify.Number{}, verify.Num(1))
	near.lower, near.upper, far.lower, far.upper = 0.5, 20, 1e-9, 1e9
	for _, c := range []struct {
		log      bool
		min, max float64
	}{{true, 0.5, 20}, {false, 1e-9, 1e9}} {
		a := spanning(c.log, 1)
		if a.stretch([]CurvePoint{near, far}); a.min != c.min || a.max != c.max {
			t.Errorf("log %v: from %v to %v, want %v to %v", c.log, a.min, a.max, c.min, c.max)
		}
	}
}
