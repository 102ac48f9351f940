package sensitivity

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// sensitivityLook holds the findings that describe attempts and counterexamples.
type sensitivityLook struct {
	evaluations int64 // number of evaluated pairs in a searched cell
	findings    []sensitivityFinding
	worst       sensitivityFinding
}

func (l *sensitivityLook) Tried() verify.Tried {
	return verify.Tried{
		Cases: int64(len(l.findings)), Case: "cell", Nearest: l.worst.row(),
		From: l.findings[0].cell.Place, To: l.findings[len(l.findings)-1].cell.Place,
	}
}

// Attempt describes the cell whose largest difference is the largest share of the claim.
func (l *sensitivityLook) Attempt() string {
	searched := 0
	for _, f := range l.findings {
		if !f.all {
			searched++
		}
	}
	text := fmt.Sprintf("every pair in %s", verify.Plural(len(l.findings)-searched, "cell"))
	switch {
	case searched == len(l.findings):
		text = fmt.Sprintf("a search of %d pairs in each of %s", l.evaluations, verify.Plural(searched, "cell"))
	case searched > 0:
		text = fmt.Sprintf("a search of %d pairs in each of %s, and %s", l.evaluations, verify.Plural(searched, "cell"), text)
	}
	w := l.worst
	text += fmt.Sprintf("; the worst pair, at %s, differs by %.4g of the claimed %.4g", w.cell.Place, w.value,
		w.cell.Claimed)
	if w.cell.Tight.Set {
		text += fmt.Sprintf("; the derived supremum is %.4g", w.cell.Tight.X)
	}
	return text
}

// Counterexample returns the worst pair of the smallest cell: fewest records, then fewest dimensions.
func (l *sensitivityLook) Counterexample() verify.Counterexample {
	sorted := slices.Clone(l.findings)
	slices.SortStableFunc(sorted, func(a, b sensitivityFinding) int {
		return cmp.Or(cmp.Compare(a.cell.N, b.cell.N), cmp.Compare(a.cell.Records.Dim, b.cell.Records.Dim))
	})
	cases := verify.Cases[sensitivityFinding]{Noun: "cell", Ordered: "by the number of records and their dimension"}
	for _, f := range sorted {
		cases.See(f, f.verdict == verify.Refuted)
	}
	x := cases.Simplest(sensitivityFinding.row)
	x.Label += ", " + cases.First().witness
	return x
}

// Needed describes what would decide the claim: a search cannot show that no pair is worse.
func (l *sensitivityLook) Needed() string {
	w := l.worst
	found := fmt.Sprintf("; the %d pairs of this run differ by at most %.4g", l.evaluations, w.value)
	if !w.cell.Tight.Set {
		return fmt.Sprintf("a derived supremum, or a pair that differs by more than %.4g: a search cannot show that no "+
			"pair does", w.cell.Claimed) + found
	}
	if w.cell.Tight.X > w.cell.Claimed {
		return fmt.Sprintf("a longer search, for a pair that differs by more than %.4g and by at most the derived %.4g",
			w.cell.Claimed, w.cell.Tight.X) + found
	}
	return fmt.Sprintf("a longer search, for a pair that differs by %.2g of the derived %.4g", attained, w.cell.Tight.X) +
		found
}
