package verify

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// evidenceOf takes a check that samples nothing to its evidence.
func evidenceOf(t testing.TB, c Check) Evidence {
	t.Helper()
	e, err := Judge(context.Background(), c, Settings{Budget: Standard, Alpha: 0.01}, testPool, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// failureOf is the error of a check that must fail.
func failureOf(t testing.TB, c Check) error {
	t.Helper()
	e, err := Judge(context.Background(), c, Settings{Budget: Standard, Alpha: 0.01}, testPool, nil)
	if err == nil {
		t.Fatalf("no error; verdict %s", e.Verdict)
	}
	return err
}

func point(at string, measured, claimed float64) Point {
	return Point{At: At("%s", at), Measured: measured, Claimed: claimed}
}

func relation(s Sense, points ...Point) Relation {
	return Relation{Quantity: "q", Sense: s, Domain: "the points given", Points: slices.Values(points)}
}

// Which side of the claim a point lies on, for every sense.
func TestRelationSenses(t *testing.T) {
	inf, ulp := math.Inf(1), math.Nextafter(1, 2)
	cases := []struct {
		reason            string
		measured, claimed float64
		// verdicts of =, ≤, <, ≥, >
		want [5]Verdict
	}{
		{"less", 1, 2, [5]Verdict{Refuted, Holds, Holds, Refuted, Refuted}},
		{"more", 2, 1, [5]Verdict{Refuted, Refuted, Refuted, Holds, Holds}},
		{"the same number", 1, 1, [5]Verdict{Holds, Holds, Inconclusive, Holds, Inconclusive}},
		{"within rounding", ulp, 1, [5]Verdict{Holds, Holds, Inconclusive, Holds, Inconclusive}},
		{"just beyond rounding", 1 + 2e-12, 1, [5]Verdict{Refuted, Refuted, Refuted, Holds, Holds}},
		{"just within it", 1 + 0.9e-12, 1, [5]Verdict{Holds, Holds, Inconclusive, Holds, Inconclusive}},
		{"less by little", 1, 1 + 2e-12, [5]Verdict{Refuted, Holds, Holds, Refuted, Refuted}},
		{"negative sides", -2, -1, [5]Verdict{Refuted, Holds, Holds, Refuted, Refuted}},
		{"either side of zero", -1e-30, 1e-30, [5]Verdict{Refuted, Holds, Holds, Refuted, Refuted}},
		{"both zero", 0, math.Copysign(0, -1), [5]Verdict{Holds, Holds, Inconclusive, Holds, Inconclusive}},
		{"subnormal sides", 5e-324, 1e-323, [5]Verdict{Refuted, Holds, Holds, Refuted, Refuted}},
		{"huge sides whose difference overflows", 1.5e308, -1.5e308, [5]Verdict{Refuted, Refuted, Refuted, Holds, Holds}},
		{"an infinite claim", 1, inf, [5]Verdict{Refuted, Holds, Holds, Refuted, Refuted}},
		{"an infinite figure", inf, 1, [5]Verdict{Refuted, Refuted, Refuted, Holds, Holds}},
		{"both infinite", inf, inf, [5]Verdict{Holds, Holds, Inconclusive, Holds, Inconclusive}},
		{"infinities of both signs", -inf, inf, [5]Verdict{Refuted, Holds, Holds, Refuted, Refuted}},
	}
	for _, c := range cases {
		for i, sense := range []Sense{Equals, AtMost, Below, AtLeast, Above} {
			e := evidenceOf(t, relation(sense, point("x", c.measured, c.claimed)))
			if e.Verdict != c.want[i] {
				t.Errorf("%s: %v %s %v is %s, want %s", c.reason, c.measured, sense, c.claimed, e.Verdict, c.want[i])
			}
			if e.Witness != "x" || e.Measured != Num(c.measured) || e.Claimed != Num(c.claimed) || e.Sense != sense || !e.Exact {
				t.Errorf("%s: evidence %+v", c.reason, e)
			}
		}
	}
}

// The error is relative to the larger side.
func TestRelationErrors(t *testing.T) {
	cases := []struct {
		reason                   string
		sense                    Sense
		measured, claimed, error float64
		want                     Verdict
	}{
		{"half of the error of the larger side", AtMost, 100, 99.5, 0.01, Holds},
		{"1 is 0.99 % of the larger side", AtMost, 101, 100, 0.01, Holds},
		{"1.02 is 1.01 % of the larger side", AtMost, 101.02, 100, 0.01, Refuted},
		{"the larger side may be the claimed one", AtLeast, 100, 101, 0.01, Holds},
		{"and may be the negative one", AtMost, 0.5, -100, 0.01, Refuted},
		{"an error of the sides says nothing of their difference", Equals, 1e-17, 0, 1e-6, Refuted},
		{"a wider error leaves more undecided", Below, 1, 1.005, 0.01, Inconclusive},
		{"an error smaller than the last bit", Equals, math.Nextafter(0.3, 1), 0.3, 1e-300, Refuted},
	}
	for _, c := range cases {
		p := point("x", c.measured, c.claimed)
		p.Error = c.error
		if e := evidenceOf(t, relation(c.sense, p)); e.Verdict != c.want {
			t.Errorf("%s: %s, want %s", c.reason, e.Verdict, c.want)
		}
	}
}

// Equality by algebra decides what the last bits cannot.
func TestRelationTies(t *testing.T) {
	a, b := 0.1, 0.2 // variables: the compiler adds constants exactly
	for sense, want := range map[Sense]Verdict{Equals: Holds, AtMost: Holds, AtLeast: Holds, Below: Refuted, Above: Refuted} {
		p := point("x", a+b, 0.3)
		p.Tie = true
		if e := evidenceOf(t, relation(sense, p)); e.Verdict != want {
			t.Errorf("a tie under %s: %s, want %s", sense, e.Verdict, want)
		}
	}
	far := point("x", 2, 1)
	far.Tie = true
	if err := failureOf(t, relation(AtMost, far)); !strings.Contains(err.Error(), "equal") {
		t.Errorf("sides said to be equal that are not: %v", err)
	}
}

// Sides that agree in ten digits are still told apart: nothing is lost by
// subtracting large numbers.
func TestRelationCancellation(t *testing.T) {
	for _, scale := range []float64{1e-300, 1, 1e300} {
		if e := evidenceOf(t, relation(AtMost, point("x", scale*(1+1e-11), scale))); e.Verdict != Refuted {
			t.Errorf("off by 1e-11 at %g: %s", scale, e.Verdict)
		}
		if e := evidenceOf(t, relation(Equals, point("x", scale*(1+1e-14), scale))); e.Verdict != Holds {
			t.Errorf("off by 1e-14 at %g: %s", scale, e.Verdict)
		}
	}
}

func TestRelationVerdictAndWorstPoint(t *testing.T) {
	coarse := func(p Point, e float64) Point { p.Error = e; return p }
	tie := func(p Point) Point { p.Tie = true; return p }
	cases := []struct {
		reason  string
		check   Relation
		want    Verdict
		witness string
	}{
		{"the largest excess", relation(AtMost, point("a", 2, 1), point("b", 3, 1), point("c", 2.5, 1)), Refuted, "b"},
		{"relative, not absolute", relation(AtMost, point("a", 1010, 1000), point("b", 2, 1)), Refuted, "b"},
		{"the closest where all hold", relation(AtMost, point("a", 1, 10), point("b", 9, 10), point("c", 2, 10)), Holds, "b"},
		{"the other way round for ≥", relation(AtLeast, point("a", 1, 2), point("b", 1, 4)), Refuted, "b"},
		{"either way for =", relation(Equals, point("a", 1, 1.1), point("b", 1, 0.5)), Refuted, "b"},
		{"one undecided point leaves all undecided", relation(Below, point("a", 1, 2), point("b", 1, 1)), Inconclusive, "b"},
		{"a broken point outranks an undecided one before it", relation(Below, point("a", 1, 1), point("b", 2, 1)), Refuted, "b"},
		{"and one after it", relation(Below, point("b", 2, 1), point("a", 1, 1)), Refuted, "b"},
		{"a broken tie outranks a point that is right", relation(Below, point("a", 1, 2), tie(point("b", 1, 1))), Refuted, "b"},
		{"a broken tie outranks an undecided point", relation(Below, point("a", 1+5e-13, 1), tie(point("b", 1, 1))), Refuted, "b"},
		{"the witness is a counterexample, not a point within its error",
			relation(AtMost, coarse(point("a", 1.05, 1), 0.1), point("b", 1.01, 1)), Refuted, "b"},
		{"the first of equals", relation(AtMost, point("a", 2, 1), point("b", 4, 2)), Refuted, "a"},
		{"infinitely far on the right side", relation(AtMost, point("a", 1, math.Inf(1)), point("b", 1, math.Inf(1))), Holds, "a"},
		{"huge sides of both signs are not infinitely far", relation(AtMost, point("a", 1.5e308, -1.5e308), point("b", math.Inf(1), 1)), Refuted, "b"},
		{"an infinite excess", relation(AtMost, point("a", 9, 1), point("b", math.Inf(1), 1)), Refuted, "b"},
	}
	for _, c := range cases {
		e := evidenceOf(t, c.check)
		if e.Verdict != c.want || e.Witness != c.witness {
			t.Errorf("%s: %s at %s, want %s at %s", c.reason, e.Verdict, e.Witness, c.want, c.witness)
		}
		c.check.Contradiction = true
		if c.want == Refuted {
			c.want = Inconsistent
		}
		if e := evidenceOf(t, c.check); e.Verdict != c.want {
			t.Errorf("%s, within the paper: %s, want %s", c.reason, e.Verdict, c.want)
		}
	}
}

func TestRelationErrorsOfPoints(t *testing.T) {
	nan := math.NaN()
	bad := func(e float64) Point { p := point("x=7", 1, 2); p.Error = e; return p }
	cases := []struct {
		reason string
		check  Relation
		names  string // what the message must name
	}{
		{"no points", relation(AtMost), "the points given"},
		{"no sequence of points", Relation{Sense: AtMost, Domain: "nowhere"}, "nowhere"},
		{"NaN measured", relation(AtMost, point("a", 1, 2), point("x=7", nan, 1)), "x=7"},
		{"NaN claimed", relation(AtLeast, point("x=7", 1, nan)), "x=7"},
		{"NaN on both sides", relation(Equals, point("x=7", nan, nan)), "x=7"},
		{"NaN in a tie", relation(Equals, Point{At: At("x=7"), Measured: nan, Claimed: nan, Tie: true}), "x=7"},
		{"NaN after a counterexample", relation(AtMost, point("a", 2, 1), point("x=7", nan, 1)), "x=7"},
		{"a NaN error would let all pass", relation(AtLeast, bad(nan)), "x=7"},
		{"an infinite error too", relation(AtLeast, bad(math.Inf(1))), "x=7"},
		{"a negative error", relation(AtLeast, bad(-1e-12)), "x=7"},
		{"an error as large as the sides", relation(AtLeast, bad(1)), "x=7"},
		{"no sense", relation("", point("x=7", 1, 2)), "sense"},
		{"an unknown sense", relation("≈", point("x=7", 1, 2)), "≈"},
	}
	for _, c := range cases {
		if err := failureOf(t, c.check); !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: %q does not name %q", c.reason, err, c.names)
		}
	}
}

func TestRelationCells(t *testing.T) {
	var points []Point
	for i := range 2 * maxCells {
		p := point("x", float64(i), 1000)
		p.Show = i%2 == 1
		points = append(points, p)
	}
	e := evidenceOf(t, relation(AtMost, points...))
	if len(e.Cells) != maxCells || e.Cells[0].Measured != Num(1) {
		t.Errorf("%d cells, the first %+v", len(e.Cells), e.Cells[0])
	}
	// The worst point is shown where it stands, whether it asked for it or not.
	shown := func(at string, measured float64) Point {
		p := point(at, measured, 10)
		p.Show = true
		return p
	}
	e = evidenceOf(t, relation(AtMost, shown("a", 1), point("b", 20, 10), shown("c", 2)))
	if len(e.Cells) != 3 || e.Cells[1].At != "b" || e.Witness != "b" || e.Cells[2].At != "c" {
		t.Errorf("the worst point is missing, or out of place: %+v", e.Cells)
	}
	if e := evidenceOf(t, relation(AtMost, shown("a", 1), shown("b", 20))); len(e.Cells) != 2 {
		t.Errorf("the worst point is there twice: %+v", e.Cells)
	}
	if e := evidenceOf(t, relation(AtMost, point("x", 1, 2))); len(e.Cells) != 0 || e.Witness != "x" {
		t.Errorf("a point that is not shown: %+v", e)
	}
	r := relation(AtMost, point("x", 1, 2))
	if m := evidenceOf(t, r).Method; !strings.Contains(m, "on this grid") {
		t.Errorf("without a proof: %q", m)
	}
	r.Proof = "it is monotone"
	if m := evidenceOf(t, r).Method; strings.Contains(m, "on this grid") || !strings.Contains(m, r.Proof) {
		t.Errorf("with a proof: %q", m)
	}
}

func TestRelationStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	r := Relation{Sense: AtMost, Domain: "endless", Points: func(yield func(Point) bool) {
		for i := 0; yield(point("x", 1, 2)); i++ {
			if i == 10_000 {
				cancel(why)
			}
		}
	}}
	if _, err := r.Prepare(ctx, Settings{}); !errors.Is(err, why) {
		t.Errorf("error %v, want the cause", err)
	}
}

// Laws of a single decided point.
func TestRelationLaws(t *testing.T) {
	verdict := func(t *rapid.T, s Sense, m, c float64) Verdict {
		trial, err := relation(s, point("x", m, c)).Prepare(context.Background(), Settings{})
		if err != nil {
			t.Fatal(err)
		}
		return trial.(Decided).Verdict
	}
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1, 1 + 1e-12, 1 - 1e-13, 5e-324, math.MaxFloat64, math.Inf(1), math.Inf(-1)}))
		m, c := number.Draw(t, "measured"), number.Draw(t, "claimed")
		mirrored := map[Sense]Sense{Equals: Equals, AtMost: AtLeast, AtLeast: AtMost, Below: Above, Above: Below}
		v := make(map[Sense]Verdict)
		for s, other := range mirrored {
			v[s] = verdict(t, s, m, c)
			if swapped := verdict(t, other, c, m); v[s] != swapped {
				t.Errorf("%v %s %v is %s, the other way round %s", m, s, c, v[s], swapped)
			}
		}
		if (v[Equals] == Holds) != (v[AtMost] == Holds && v[AtLeast] == Holds) {
			t.Errorf("= is %s, ≤ %s, ≥ %s", v[Equals], v[AtMost], v[AtLeast])
		}
		if v[AtMost] == Refuted && v[Below] != Refuted || v[Below] == Holds && v[AtMost] != Holds {
			t.Errorf("≤ is %s, < is %s", v[AtMost], v[Below])
		}
		if v[AtMost] == Refuted && v[AtLeast] == Refuted {
			t.Error("neither ≤ nor ≥")
		}
	})
}
