package privacy

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/algorithms/broken"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/internal/verifytest"
	"github.com/dpverify/dpverify/verify/outputs"
)

// judged returns the evidence of a check. Only a refuted check must have a diagnosis.
func judged(t *testing.T, check verify.Check, want verify.Verdict) verify.Evidence {
	t.Helper()
	e := verifytest.JudgeAt(t, check, 1)
	if e.Verdict != want || (e.Diagnosis != nil) != (want == verify.Refuted) {
		t.Fatalf("%s, diagnosis %+v, want %s", e.Verdict, e.Diagnosis, want)
	}
	return e
}

var whyPairs = []inputs.Pair[float64]{{Name: "0 and 1", A: 0, B: 1}, {Name: "0 and 0.5", A: 0, B: 0.5}}

// TestWhy checks the diagnosis of a refuted claim: the event, example outputs, the loss by distance, and the likely
// cause.
func TestWhy(t *testing.T) {
	half, err := broken.NewHalfScaleLaplace(1, 1)
	if err != nil {
		t.Fatal(err)
	}
	audit := Audit[float64, float64]{Mechanism: half, Guarantee: ApproximateDP(1, 0), Samples: 30_000, Pairs: whyPairs}
	e := judged(t, audit, verify.Refuted)
	w := e.Diagnosis
	if !strings.HasPrefix(w.Event, "the number is at ") || w.Pair != "0 and 1" || w.Likelier == "" || len(w.Outputs) == 0 {
		t.Errorf("%+v", w)
	}
	if c := w.LikelyCause; c == nil || c.Fault != verify.FaultInsufficientNoise ||
		!strings.HasSuffix(c.Evidence, "; the inputs differ by 1") {
		t.Errorf("looks like %+v", c)
	}
	// The loss is twice the claim at distance 1 and equal to it at distance 0.5, both certified with error 1e-6.
	g := w.Growth
	if g == nil || len(g.Points) != 2 || !(g.Points[0].Distance == 0.5 && g.Points[0].Lower < 1 && g.Points[0].Lower > 0.5) ||
		!(g.Points[1].Lower > 1.5 && g.Points[1].Lower < 2) {
		t.Errorf("growth %+v", g)
	}
	audit.Anytime, audit.Samples = true, 4000
	e = judged(t, audit, verify.Refuted)
	if e.Diagnosis.Event == "" || e.Diagnosis.Rate <= e.Diagnosis.Other || e.Diagnosis.Growth == nil {
		t.Errorf("sequential: %+v", e.Diagnosis)
	}
	audit.Guarantee = ApproximateDP(2, 0)
	judged(t, audit, verify.Inconclusive)

	records := RecordedAudit{A: outputs.Recording{Name: "a"}, B: outputs.Recording{Name: "b"}, Guarantee: ApproximateDP(1, 0)}
	for input, into := range []*outputs.Recording{&records.A, &records.B} {
		r := rand.New(rand.NewPCG(1, uint64(input)))
		for range 20_000 {
			x, err := half.Release(r, float64(input))
			if err != nil {
				t.Fatal(err)
			}
			into.Outputs = append(into.Outputs, x)
		}
	}
	e = judged(t, records, verify.Refuted)
	if l := e.Diagnosis.LikelyCause; l == nil || l.Fault != verify.FaultInsufficientNoise || e.Diagnosis.Growth != nil {
		t.Errorf("recorded outputs with unknown inputs: %+v", e.Diagnosis)
	}
}

// TestWhyPrecision checks that the precision check reports low-order bits as the likely cause.
func TestWhyPrecision(t *testing.T) {
	naive, err := broken.NewNaiveLaplace(0.1, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := judged(t, FloatingPoint[float64, float64]{Mechanism: naive, Guarantee: ApproximateDP(0.1, 0), Samples: 20_000,
		Pairs: whyPairs[:1]}, verify.Refuted)
	if l := e.Diagnosis.LikelyCause; l == nil || l.Fault != verify.FaultLowBits || !strings.Contains(e.Diagnosis.Event, "of value 1") {
		t.Errorf("%+v", e.Diagnosis)
	}
}

// TestWhyStrings checks that strings are explained by example outputs.
func TestWhyStrings(t *testing.T) {
	m := names(func(r *rand.Rand, input int) string {
		if r.IntN(4) < 1+2*input {
			return "carol ≥ 3"
		}
		return []string{"alice", "bob"}[r.IntN(2)]
	})
	e := judged(t, Audit[int, string]{Mechanism: m, Guarantee: ApproximateDP(0.5, 0), Samples: 4000,
		Pairs: []inputs.Pair[int]{{Name: "0 and 1", A: 0, B: 1}}}, verify.Refuted)
	carol := []string{`"carol ≥ 3"`}
	if w := e.Diagnosis; !slices.Equal(w.Outputs, carol) && !slices.Equal(w.Outputs, []string{`"alice"`, `"bob"`}) &&
		!slices.Equal(w.Outputs, []string{`"bob"`, `"alice"`}) || w.LikelyCause != nil {
		t.Errorf("%+v", w)
	}
}

type names func(r *rand.Rand, input int) string

func (m names) Release(r *rand.Rand, input int) (string, error) { return m(r, input), nil }

// nestedLists releases a list of lists of noise. The second list of its last list has as many numbers as there are records.
type nestedLists struct{ lists int }

func (n nestedLists) Release(r *rand.Rand, records float64) (any, error) {
	noise := func(n int) []any {
		list := make([]any, n)
		for i := range list {
			list[i] = r.ExpFloat64()
		}
		return list
	}
	var all []any
	for range n.lists - 1 {
		all = append(all, noise(5)) // more than an example shows
	}
	return append(all, []any{noise(1), noise(int(records))}), nil
}

// TestWhyNestedLength checks that an event about the length of a nested list names that list throughout the evidence and
// its recomputation.
func TestWhyNestedLength(t *testing.T) {
	for _, lists := range []int{1, 3} {
		list := "the second list of the " + []string{"first", "", "third"}[lists-1] + " list"
		for _, anytime := range []bool{false, true} {
			e := judged(t, Audit[float64, any]{Mechanism: nestedLists{lists}, Guarantee: ApproximateDP(1, 0), Samples: 4000,
				Pairs: []inputs.Pair[float64]{{Name: "2 and 1", A: 2, B: 1}}, Anytime: anytime}, verify.Refuted)
			atMost, atLeast := list+" has at most 1 item", list+" has at least 2 items"
			if e.Diagnosis.Event != atMost && e.Diagnosis.Event != atLeast {
				t.Errorf("%d lists: the event is %q, want %q", lists, e.Diagnosis.Event, atMost)
			}
			if !strings.Contains(e.WorstCase, "event "+e.Diagnosis.Event) || len(e.Events) == 0 || e.Events[0].Event != e.Diagnosis.Event {
				t.Errorf("%d lists: found at %q, events %v, want %q", lists, e.WorstCase, e.Events, e.Diagnosis.Event)
			}
			if l := e.Diagnosis.LikelyCause; !anytime && (l == nil || l.Fault != verify.FaultImpossibleOutput ||
				!strings.HasPrefix(l.Evidence, list+" has 2 items, in ")) {
				t.Errorf("%d lists: looks like %+v", lists, l)
			}
		}
	}
}
