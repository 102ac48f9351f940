package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/accounting"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

// Every field in the schema of a report has a class, and every class has a field.
func TestEveryFieldHasAClass(t *testing.T) {
	text, err := reports.SchemaText("report")
	if err != nil {
		t.Fatal(err)
	}
	var whole map[string]any
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	var paths []string
	var walk func(path string, node map[string]any)
	walk = func(path string, node map[string]any) {
		if ref, ok := node["$ref"].(string); ok {
			walk(path, whole["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any))
			return
		}
		for _, of := range []string{"anyOf", "allOf"} {
			all, _ := node[of].([]any)
			for _, a := range all {
				walk(path, a.(map[string]any))
			}
		}
		if items, ok := node["items"].(map[string]any); ok {
			walk(path+"[]", items)
		}
		properties, _ := node["properties"].(map[string]any)
		for key, v := range properties {
			below := strings.TrimPrefix(path+"."+key, ".")
			paths = append(paths, below)
			walk(below, v.(map[string]any))
		}
	}
	walk("", whole)
	for _, p := range paths {
		if _, known := fieldClasses[p]; !known {
			t.Errorf("%s has no class", p)
		}
	}
	for p := range fieldClasses {
		if !slices.Contains(paths, p) {
			t.Errorf("%s is no field of the schema", p)
		}
	}
}

// otherKinds returns kinds of checks that the other tests omit: no samples, sequential tests, low-order bits.
func otherKinds() map[string]recheckKind {
	release := accounting.Release{Event: event.Gaussian(2)}
	bets := privacy.Audit[int, float64]{Mechanism: flip{0.2, 0.6}, Guarantee: privacy.ApproximateDP(0.5, 0), Samples: 8000,
		Anytime: true, Pairs: []inputs.Pair[int]{{Name: "0 and 1", A: 0, B: 1}}}
	weak := withChange(bets, func(a *privacy.Audit[int, float64]) { a.Guarantee = privacy.ApproximateDP(700, 0) })
	square := sensitivity.Pairs[float64]{Quantity: "the square", Norm: sensitivity.L1, Claimed: 1,
		Map:   func(x float64) ([]float64, error) { return []float64{x * x}, nil },
		Given: []inputs.Pair[float64]{{A: 0, B: 1}, {A: 1, B: 2}}}
	return map[string]recheckKind{
		"an account that holds":         {release.AtMost(accounting.EpsilonAt(1e-5), 3), accounting.Method, verify.Holds},
		"an account that does not hold": {release.AtMost(accounting.EpsilonAt(1e-5), 1), accounting.Method, verify.Refuted},
		"a printed number":              {release.Equals(accounting.Mu(), accounting.Reported{Text: "0.50"}), accounting.Method, verify.Holds},
		"an audit against an account": {release.Audited(accounting.Mu(), func(g privacy.Guarantee) verify.Check {
			return flipAudit(flip{0.2, 0.6}, g, false)
		}), accounting.AgainstMethod, verify.Refuted},
		"an audit that bets":     {bets, privacy.AnytimeMethod, verify.Refuted},
		"bets on a weak claim":   {weak, privacy.UntestedMethod, verify.Inconclusive},
		"a sensitivity":          {square, sensitivity.PairsMethod, verify.Refuted},
		"a sensitivity that may": {withChange(square, func(s *sensitivity.Pairs[float64]) { s.Claimed = 9 }), sensitivity.PairsMethod, verify.Inconclusive},
		"low-order bits": {privacy.FloatingPoint[int, float64]{Mechanism: coarse{}, Guarantee: privacy.ApproximateDP(1, 0), Samples: 2000,
			Pairs: []inputs.Pair[int]{{Name: "0 and 1", A: 0, B: 1}}}, privacy.AuditMethod, ""},
	}
}

// coarse rounds its noise to another grid for each input.
type coarse struct{}

func (coarse) Release(r *rand.Rand, input int) (float64, error) {
	return float64(int(1e3*r.ExpFloat64())) / 1024 * float64(1+2*input), nil
}

// Fields of every kind of claim are changed, one after the other. A changed derived field is reported, or was listed as
// unchecked. The other fields are listed as quoted or as inputs: each is changed for one kind of claim, and the
// statistics for every kind. The long form changes every field.
func TestEveryChangedFieldIsReported(t *testing.T) {
	names := slices.Sorted(maps.Keys(otherKinds()))
	names = append(names, "canaries and an account", "runs that refute", "bets on runs", "a pair that is found",
		"an audit that refutes", "given events", "a rate", "an order", "a mean in a range", "a discrete law", "a factor")
	listed := make(map[string]bool)
	for _, name := range names {
		k := allKinds()[name]
		t.Run(name, func(t *testing.T) {
			report := reportOfKind(t, name)
			r, err := recheckBytes(report, knownClaims{})
			if err != nil {
				t.Fatal(err)
			}
			c := r.Claims[0]
			if c.Standing != standingRecomputed || c.Method != k.method || r.Err() != nil || r.Open() != nil {
				t.Fatalf("unchanged: %+v %v", c, r.Whole)
			}
			if k.want != "" && c.Verdict != string(k.want) {
				t.Errorf("the verdict is %s, want %s", c.Verdict, k.want)
			}
			for i, m := range mutatedReports(t, report) {
				_, field, inClaim := strings.Cut(m.path, "].")
				derives := classOf(m.path) == derivedClass
				every := 60 // one field in 60 of cells, curves and the like, and one in eight of the claim itself
				if strings.Count(m.path, ".") < 2 {
					every = 8
				}
				quoted := quotedField(listIndex.ReplaceAllString(field, ""))
				if quoted == "basis.facts" {
					quoted = name
				}
				switch {
				case testutil.Asked():
				case derives && i%every != len(name)%every && !strings.HasSuffix(m.path, ".verdict"):
					continue
				case !derives && (!inClaim || listed[quoted]):
					continue
				}
				after, err := recheckBytes(m.report(), knownClaims{})
				if err != nil || after.Err() != nil {
					continue
				}
				switch {
				case derives && after.Open() == nil:
					t.Errorf("%s: changed by hand, nothing is reported", m.path)
				case !derives && inClaim && !isListed(after.Claims[0], field):
					t.Errorf("%s: neither reported nor listed", m.path)
				case !derives:
					listed[quoted] = true
				}
			}
		})
	}
}

// isListed reports whether a field is listed as not compared.
func isListed(c recheckedClaim, field string) bool {
	field, _, _ = strings.Cut(field, "[")
	return slices.ContainsFunc(append(slices.Clone(c.Quoted), c.Inputs...), func(f string) bool {
		return f == quotedField(field) || strings.HasPrefix(field, f+".")
	}) || strings.HasPrefix(field, "why.likeness") || strings.HasPrefix(field, "why.growth")
}

// mutatedReports returns the changes of one value.
func mutatedReports(t *testing.T, report []byte) (out []reportChange) {
	t.Helper()
	v, err := decodeExact(report)
	if err != nil {
		t.Fatal(err)
	}
	emit := func(path string, set func(any), before, after any) {
		out = append(out, reportChange{path, func() []byte {
			set(after)
			defer set(before)
			var b bytes.Buffer
			if err := json.NewEncoder(&b).Encode(v); err != nil {
				t.Fatal(err)
			}
			return b.Bytes()
		}})
	}
	var walk func(path string, node any, set func(any))
	walk = func(path string, node any, set func(any)) {
		other := any(json.Number("7"))
		switch n := node.(type) {
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(n)) {
				walk(strings.TrimPrefix(path+"."+key, "."), n[key], func(x any) { n[key] = x })
			}
			return
		case []any:
			for i, v := range n {
				walk(fmt.Sprintf("%s[%d]", path, i), v, func(x any) { n[i] = x })
			}
			if len(n) > 0 && classOf(path) == derivedClass {
				emit(path, set, n, n[1:])
			}
			return
		case json.Number:
			x, _ := n.Float64()
			other = json.Number(fmt.Sprint(x*1.01 + 0.001))
			if !strings.ContainsAny(n.String(), ".e") {
				other = json.Number(fmt.Sprint(int64(x) + 1))
			}
		case string:
			other = n + " or so"
			switch path[strings.LastIndex(path, ".")+1:] {
			case "verdict":
				other = map[bool]string{true: "inconclusive", false: "refuted"}[n == "refuted"]
			case "sense":
				other = map[bool]string{true: "≥", false: "≤"}[n == "≤"]
			case "kind", "schema", "budget", "seed":
				return
			}
		case bool:
			other = !n
		}
		emit(path, set, node, other)
	}
	walk("", v, nil)
	return out
}

// A computed verdict has no share of alpha, and a stored share of a sampled one is listed as quoted.
func TestSharesOfAlpha(t *testing.T) {
	for name, k := range otherKinds() {
		report := changedReport(t, reportOfKind(t, name), func(_, claim map[string]any) {
			basis := claim["basis"].(map[string]any)
			if basis["share"] == nil {
				basis["share"] = 1
			}
		})
		if c := rechecked(t, report); c.Standing != standingBroken && !slices.Contains(c.Quoted, "basis.share") {
			t.Errorf("%s: %+v", name, c)
		}
		exact := k.method == accounting.Method || k.method == sensitivity.PairsMethod
		if exact != isBroken(report) {
			t.Errorf("%s with a share of 1: a difference is %v, want %v", name, !exact, exact)
		}
	}
}

// A verdict from samples is not confirmed without its statistics, even under another verdict.
func TestNothingIsConfirmedWithoutItsStatistics(t *testing.T) {
	for name := range otherKinds() {
		report := reportOfKind(t, name)
		for _, v := range verify.Verdicts {
			r, err := recheckBytes(changedReport(t, report, func(_, claim map[string]any) {
				delete(claim, "basis")
				claim["verdict"], claim["exact"] = v, true
			}), knownClaims{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Err() == nil && r.Open() == nil {
				t.Errorf("%s, %s without its basis: %+v", name, v, r.Claims[0])
			}
		}
	}
}
