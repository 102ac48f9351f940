package formula

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
)

func point(at string, measured, claimed float64) Point {
	return Point{Place: Placef("%s", at), Measured: measured, Claimed: claimed}
}

func relation(s verify.Sense, points ...Point) Check {
	return Check{Quantity: "q", Sense: s, Domain: "the points given", Points: ListedPoints(points...)}
}

// TestRelationSenses checks the verdict of a point for every sense.
func TestRelationSenses(t *testing.T) {
	inf, ulp := math.Inf(1), math.Nextafter(1, 2)
	cases := []struct {
		reason            string
		measured, claimed float64
		// verdicts of =, ≤, <, ≥, >
		want [5]verify.Verdict
	}{
		{"less", 1, 2, [5]verify.Verdict{verify.Refuted, verify.Holds, verify.Holds, verify.Refuted, verify.Refuted}},
		{"more", 2, 1, [5]verify.Verdict{verify.Refuted, verify.Refuted, verify.Refuted, verify.Holds, verify.Holds}},
		{"the same number", 1, 1, [5]verify.Verdict{verify.Holds, verify.Holds, verify.Inconclusive, verify.Holds,
			verify.Inconclusive}},
		{"within rounding", ulp, 1, [5]verify.Verdict{verify.Holds, verify.Holds, verify.Inconclusive, verify.Holds,
			verify.Inconclusive}},
		{"just beyond rounding", 1 + 2e-12, 1, [5]verify.Verdict{verify.Refuted, verify.Refuted, verify.Refuted,
			verify.Holds, verify.Holds}},
		{"just within rounding", 1 + 0.9e-12, 1, [5]verify.Verdict{verify.Holds, verify.Holds, verify.Inconclusive, verify.Holds,
			verify.Inconclusive}},
		{"slightly less", 1, 1 + 2e-12, [5]verify.Verdict{verify.Refuted, verify.Holds, verify.Holds, verify.Refuted,
			verify.Refuted}},
		{"negative sides", -2, -1, [5]verify.Verdict{verify.Refuted, verify.Holds, verify.Holds, verify.Refuted,
			verify.Refuted}},
		{"either side of zero", -1e-30, 1e-30, [5]verify.Verdict{verify.Refuted, verify.Holds, verify.Holds,
			verify.Refuted, verify.Refuted}},
		{"both zero", 0, math.Copysign(0, -1), [5]verify.Verdict{verify.Holds, verify.Holds, verify.Inconclusive,
			verify.Holds, verify.Inconclusive}},
		{"subnormal sides", 5e-324, 1e-323, [5]verify.Verdict{verify.Refuted, verify.Holds, verify.Holds, verify.Refuted,
			verify.Refuted}},
		{"huge sides whose difference overflows", 1.5e308, -1.5e308, [5]verify.Verdict{verify.Refuted, verify.Refuted,
			verify.Refuted, verify.Holds, verify.Holds}},
		{"an infinite claim", 1, inf, [5]verify.Verdict{verify.Refuted, verify.Holds, verify.Holds, verify.Refuted,
			verify.Refuted}},
		{"an infinite figure", inf, 1, [5]verify.Verdict{verify.Refuted, verify.Refuted, verify.Refuted, verify.Holds,
			verify.Holds}},
		{"both infinite", inf, inf, [5]verify.Verdict{verify.Holds, verify.Holds, verify.Inconclusive, verify.Holds,
			verify.Inconclusive}},
		{"infinities of both signs", -inf, inf, [5]verify.Verdict{verify.Refuted, verify.Holds, verify.Holds,
			verify.Refuted, verify.Refuted}},
	}
	for _, c := range cases {
		for i, sense := range []verify.Sense{verify.Equals, verify.AtMost, verify.Below, verify.AtLeast, verify.Above} {
			e := verifytest.EvidenceOf(t, relation(sense, point("x", c.measured, c.claimed)))
			if e.Verdict != c.want[i] {
				t.Errorf("%s: %v %s %v is %s, want %s", c.reason, c.measured, sense, c.claimed, e.Verdict, c.want[i])
			}
			if e.WorstCase != "x" || e.Measured != verify.Num(c.measured) || e.Claimed != verify.Num(c.claimed) || e.Sense != sense || !e.Exact {
				t.Errorf("%s: evidence %+v", c.reason, e)
			}
		}
	}
}

// The error is relative to the larger side.
func TestRelationErrors(t *testing.T) {
	cases := []struct {
		reason                   string
		sense                    verify.Sense
		measured, claimed, error float64
		want                     verify.Verdict
	}{
		{"half of the error of the larger side", verify.AtMost, 100, 99.5, 0.01, verify.Holds},
		{"1 is 0.99 % of the larger side", verify.AtMost, 101, 100, 0.01, verify.Holds},
		{"1.02 is 1.01 % of the larger side", verify.AtMost, 101.02, 100, 0.01, verify.Refuted},
		{"the larger side may be the claimed one", verify.AtLeast, 100, 101, 0.01, verify.Holds},
		{"the larger side may be the negative one", verify.AtMost, 0.5, -100, 0.01, verify.Refuted},
		{"the error of the sides does not bound their difference", verify.Equals, 1e-17, 0, 1e-6, verify.Refuted},
		{"a wider error leaves more undecided", verify.Below, 1, 1.005, 0.01, verify.Inconclusive},
		{"an error smaller than the last bit", verify.Equals, math.Nextafter(0.3, 1), 0.3, 1e-300, verify.Refuted},
	}
	for _, c := range cases {
		p := point("x", c.measured, c.claimed)
		p.Error = c.error
		if e := verifytest.EvidenceOf(t, relation(c.sense, p)); e.Verdict != c.want {
			t.Errorf("%s: %s, want %s", c.reason, e.Verdict, c.want)
		}
	}
}

// For algebraically equal sides, the last bits do not matter.
func TestRelationTies(t *testing.T) {
	a, b := 0.1, 0.2 // variables: the compiler adds constants exactly
	for sense, want := range map[verify.Sense]verify.Verdict{verify.Equals: verify.Holds, verify.AtMost: verify.Holds,
		verify.AtLeast: verify.Holds, verify.Below: verify.Refuted, verify.Above: verify.Refuted} {
		p := point("x", a+b, 0.3)
		p.Tie = true
		if e := verifytest.EvidenceOf(t, relation(sense, p)); e.Verdict != want {
			t.Errorf("a tie under %s: %s, want %s", sense, e.Verdict, want)
		}
	}
	far := point("x", 2, 1)
	far.Tie = true
	if err := verifytest.FailureOf(t, relation(verify.AtMost, far)); !strings.Contains(err.Error(), "equal") {
		t.Errorf("sides said to be equal that are not: %v", err)
	}
}

// Sides that agree in ten digits are distinguished, although subtracting large numbers loses digits.
func TestRelationCancellation(t *testing.T) {
	for _, scale := range []float64{1e-300, 1, 1e300} {
		if e := verifytest.EvidenceOf(t, relation(verify.AtMost, point("x", scale*(1+1e-11),
			scale))); e.Verdict != verify.Refuted {
			t.Errorf("off by 1e-11 at %g: %s", scale, e.Verdict)
		}
		if e := verifytest.EvidenceOf(t, relation(verify.Equals, point("x", scale*(1+1e-14),
			scale))); e.Verdict != verify.Holds {
			t.Errorf("off by 1e-14 at %g: %s", scale, e.Verdict)
		}
	}
}

func TestRelationVerdictAndWorstPoint(t *testing.T) {
	coarse := func(p Point, e float64) Point { p.Error = e; return p }
	tie := func(p Point) Point { p.Tie = true; return p }
	cases := []struct {
		reason  string
		check   Check
		want    verify.Verdict
		witness string
	}{
		{"the largest excess", relation(verify.AtMost, point("a", 2, 1), point("b", 3, 1), point("c", 2.5, 1)),
			verify.Refuted, "b"},
		{"relative, not absolute", relation(verify.AtMost, point("a", 1010, 1000), point("b", 2, 1)), verify.Refuted, "b"},
		{"the closest point if all hold", relation(verify.AtMost, point("a", 1, 10), point("b", 9, 10), point("c", 2, 10)),
			verify.Holds, "b"},
		{"reversed for ≥", relation(verify.AtLeast, point("a", 1, 2), point("b", 1, 4)), verify.Refuted, "b"},
		{"both directions for =", relation(verify.Equals, point("a", 1, 1.1), point("b", 1, 0.5)), verify.Refuted, "b"},
		{"one undecided point leaves all undecided", relation(verify.Below, point("a", 1, 2), point("b", 1, 1)),
			verify.Inconclusive, "b"},
		{"a broken point outranks an undecided one before it", relation(verify.Below, point("a", 1, 1), point("b", 2, 1)),
			verify.Refuted, "b"},
		{"a broken point outranks an undecided one after it", relation(verify.Below, point("b", 2, 1), point("a", 1, 1)), verify.Refuted, "b"},
		{"a broken tie outranks a point that is right", relation(verify.Below, point("a", 1, 2), tie(point("b", 1, 1))),
			verify.Refuted, "b"},
		{"a broken tie outranks an undecided point", relation(verify.Below, point("a", 1+5e-13, 1), tie(point("b", 1, 1))),
			verify.Refuted, "b"},
		{"the worst case is a counterexample, not a point within its error",
			relation(verify.AtMost, coarse(point("a", 1.05, 1), 0.1), point("b", 1.01, 1)), verify.Refuted, "b"},
		{"the first of equals", relation(verify.AtMost, point("a", 2, 1), point("b", 4, 2)), verify.Refuted, "a"},
		{"infinitely far on the right side", relation(verify.AtMost, point("a", 1, math.Inf(1)), point("b", 1,
			math.Inf(1))), verify.Holds, "a"},
		{"huge sides of both signs are not infinitely far", relation(verify.AtMost, point("a", 1.5e308, -1.5e308),
			point("b", math.Inf(1), 1)), verify.Refuted, "b"},
		{"an infinite excess", relation(verify.AtMost, point("a", 9, 1), point("b", math.Inf(1), 1)), verify.Refuted, "b"},
	}
	for _, c := range cases {
		e := verifytest.EvidenceOf(t, c.check)
		if e.Verdict != c.want || e.WorstCase != c.witness {
			t.Errorf("%s: %s at %s, want %s at %s", c.reason, e.Verdict, e.WorstCase, c.want, c.witness)
		}
		c.check.Contradiction = true
		if c.want == verify.Refuted {
			c.want = verify.Contradictory
		}
		if e := verifytest.EvidenceOf(t, c.check); e.Verdict != c.want {
			t.Errorf("%s, within the paper: %s, want %s", c.reason, e.Verdict, c.want)
		}
	}
}

func TestRelationErrorsOfPoints(t *testing.T) {
	nan := math.NaN()
	bad := func(e float64) Point { p := point("x=7", 1, 2); p.Error = e; return p }
	cases := []struct {
		reason string
		check  Check
		names  string // what the message must name
	}{
		{"no points", relation(verify.AtMost), "the points given"},
		{"no sequence of points", Check{Sense: verify.AtMost, Domain: "nowhere"}, "nowhere"},
		{"NaN measured", relation(verify.AtMost, point("a", 1, 2), point("x=7", nan, 1)), "x=7"},
		{"NaN claimed", relation(verify.AtLeast, point("x=7", 1, nan)), "x=7"},
		{"NaN on both sides", relation(verify.Equals, point("x=7", nan, nan)), "x=7"},
		{"NaN in a tie", relation(verify.Equals, Point{Place: Placef("x=7"), Measured: nan, Claimed: nan, Tie: true}),
			"x=7"},
		{"NaN after a counterexample", relation(verify.AtMost, point("a", 2, 1), point("x=7", nan, 1)), "x=7"},
		{"a NaN error would let all pass", relation(verify.AtLeast, bad(nan)), "x=7"},
		{"an infinite error", relation(verify.AtLeast, bad(math.Inf(1))), "x=7"},
		{"a negative error", relation(verify.AtLeast, bad(-1e-12)), "x=7"},
		{"an error as large as the sides", relation(verify.AtLeast, bad(1)), "x=7"},
		{"no sense", relation("", point("x=7", 1, 2)), "sense"},
		{"an unknown sense", relation("≈", point("x=7", 1, 2)), "≈"},
	}
	for _, c := range cases {
		if err := verifytest.FailureOf(t, c.check); !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: %q does not name %q", c.reason, err, c.names)
		}
	}
}

// A side that could not be computed ends the claim with its cause, whatever its figures are.
func TestRelationTellsWhyASideIsMissing(t *testing.T) {
	_, cause := accountant.GDP{Mu: 2}.Epsilon(2)
	if cause == nil {
		t.Fatal("the accountant takes a δ of 2")
	}
	after := false
	check := Check{Sense: verify.AtMost, Domain: "μ", Points: func(add func(Point)) {
		for i, mu := range []float64{1, 2, 3} {
			least, err := accountant.GDP{Mu: mu}.Epsilon([]float64{0.1, 2, 0.1}[i])
			add(Point{Place: Placef("μ=%g", mu), Measured: least.Upper, Claimed: 100, Tie: err != nil, Err: err})
			after = after || i > 0
		}
	}}
	if err := verifytest.FailureOf(t, check); !strings.Contains(err.Error(),
		cause.Error()) || !strings.Contains(err.Error(), "μ=2") {
		t.Errorf("%q, want the place and the cause %q", err, cause)
	}
	if after {
		t.Error("points are evaluated after one that failed")
	}
	l := verifytest.LedgerOf(t, verifytest.ClaimWith("p/bound", check))
	run, err := l.Run(t.Context(), l.Claims(), verify.Options{Alpha: 0.1, Budget: verify.Quick, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if r := run.Results[0]; r.Verdict != verify.Error || !strings.Contains(strings.Join(r.Warnings, " "), cause.Error()) {
		t.Errorf("verdict %s with %q, want an error with the cause %q", r.Verdict, r.Warnings, cause)
	}
	broken := Check{Sense: verify.AtMost, Domain: "none", Points: func(func(Point)) { panic("burst") }}
	if err := verifytest.FailureOf(t, broken); !strings.Contains(err.Error(), "panic: burst") {
		t.Errorf("%q, want the panic of the points themselves", err)
	}
}

func TestRelationCells(t *testing.T) {
	var points []Point
	for i := range 2 * verify.MaxCells {
		p := point("x", float64(i), 1000)
		p.Show = i%2 == 1
		points = append(points, p)
	}
	e := verifytest.EvidenceOf(t, relation(verify.AtMost, points...))
	if len(e.Cells) != verify.MaxCells || e.Cells[0].Measured != verify.Num(1) {
		t.Errorf("%d cells, the first %+v", len(e.Cells), e.Cells[0])
	}
	// The worst point is shown at its position, with or without Show.
	shown := func(at string, measured float64) Point {
		p := point(at, measured, 10)
		p.Show = true
		return p
	}
	e = verifytest.EvidenceOf(t, relation(verify.AtMost, shown("a", 1), point("b", 20, 10), shown("c", 2)))
	if len(e.Cells) != 3 || e.Cells[1].Label != "b" || e.WorstCase != "b" || e.Cells[2].Label != "c" {
		t.Errorf("the worst point is missing, or out of place: %+v", e.Cells)
	}
	if e := verifytest.EvidenceOf(t, relation(verify.AtMost, shown("a", 1), shown("b", 20))); len(e.Cells) != 2 {
		t.Errorf("the worst point is there twice: %+v", e.Cells)
	}
	if e := verifytest.EvidenceOf(t, relation(verify.AtMost, point("x", 1, 2))); len(e.Cells) != 0 || e.WorstCase != "x" {
		t.Errorf("a point that is not shown: %+v", e)
	}
	r := relation(verify.AtMost, point("x", 1, 2))
	if m := verifytest.EvidenceOf(t, r).Method; !strings.Contains(m, "on this grid") {
		t.Errorf("without a proof: %q", m)
	}
	r.Proof = "it is monotone"
	if m := verifytest.EvidenceOf(t, r).Method; strings.Contains(m, "on this grid") || !strings.Contains(m, r.Proof) {
		t.Errorf("with a proof: %q", m)
	}
}

func TestRelationStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	r := Check{Sense: verify.AtMost, Domain: "endless", Points: func(add func(Point)) {
		for i := 0; ; i++ {
			add(point("x", 1, 2))
			if i == 10_000 {
				cancel(why)
			}
		}
	}}
	if _, err := r.Prepare(ctx, verify.Settings{}); !errors.Is(err, why) {
		t.Errorf("error %v, want the cause", err)
	}
}

// Laws of a single decided point.
func TestRelationLaws(t *testing.T) {
	verdict := func(t *rapid.T, s verify.Sense, m, c float64) verify.Verdict {
		trial, err := relation(s, point("x", m, c)).Prepare(context.Background(), verify.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		return trial.(verify.Decided).Verdict
	}
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, 1, 1 + 1e-12, 1 - 1e-13, 5e-324,
			math.MaxFloat64, math.Inf(1), math.Inf(-1)}))
		m, c := number.Draw(t, "measured"), number.Draw(t, "claimed")
		mirrored := map[verify.Sense]verify.Sense{verify.Equals: verify.Equals, verify.AtMost: verify.AtLeast,
			verify.AtLeast: verify.AtMost, verify.Below: verify.Above, verify.Above: verify.Below}
		v := make(map[verify.Sense]verify.Verdict)
		for s, other := range mirrored {
			v[s] = verdict(t, s, m, c)
			if swapped := verdict(t, other, c, m); v[s] != swapped {
				t.Errorf("%v %s %v is %s, the other way round %s", m, s, c, v[s], swapped)
			}
		}
		if (v[verify.Equals] == verify.Holds) != (v[verify.AtMost] == verify.Holds && v[verify.AtLeast] == verify.Holds) {
			t.Errorf("= is %s, ≤ %s, ≥ %s", v[verify.Equals], v[verify.AtMost], v[verify.AtLeast])
		}
		if v[verify.AtMost] == verify.Refuted && v[verify.Below] != verify.Refuted || v[verify.Below] == verify.Holds && v[verify.AtMost] != verify.Holds {
			t.Errorf("≤ is %s, < is %s", v[verify.AtMost], v[verify.Below])
		}
		if v[verify.AtMost] == verify.Refuted && v[verify.AtLeast] == verify.Refuted {
			t.Error("neither ≤ nor ≥")
		}
	})
}
