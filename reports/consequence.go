package reports

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpverify/dpverify/internal/ties"
	"github.com/dpverify/dpverify/reports/internal/article"
	"github.com/dpverify/dpverify/reports/internal/figures"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/verify"
)

// consequence is a sort of finding. A user of the paper cares most about the first.
type consequence struct {
	title string
	of    func(verify.Result) bool
}

// consequences, the gravest first. They follow from kind, verdict and sense, and
// each finding belongs to the first that takes it.
var consequences = []consequence{
	{"Privacy is weaker than claimed", func(r verify.Result) bool {
		return r.Verdict == verify.Refuted && r.Claim.Kind == verify.Privacy && figures.Bounded(r.Sense)
	}},
	{"Another statement about privacy is wrong", func(r verify.Result) bool {
		return figures.Wrong(r.Verdict) && r.Claim.Kind == verify.Privacy
	}},
	{"True but empty: a bound is void, or nothing is done",
		func(r verify.Result) bool { return r.Verdict == verify.Vacuous }},
	{"The paper contradicts itself", func(r verify.Result) bool {
		return r.Verdict == verify.Inconsistent && r.Claim.Kind != verify.Experiment
	}},
	{"A sensitivity, on which the noise rests, is not what it is said to be", refutedKind(verify.Sensitivity)},
	{"An estimate said to be unbiased is not", refutedKind(verify.Unbiasedness)},
	{"An output is not distributed as it is said to be", refutedKind(verify.Law)},
	{"A convergence bound or its premise fails", refutedKind(verify.Rate)},
	{"A formula does not hold", refutedKind(verify.Identity)},
	{"A conclusion does not follow from the paper's own figures", refutedKind(verify.Consistency)},
	{"An experiment does not show what is reported", func(r verify.Result) bool {
		return figures.Wrong(r.Verdict) && r.Claim.Kind == verify.Experiment
	}},
}

func refutedKind(k verify.Kind) func(verify.Result) bool {
	return func(r verify.Result) bool { return r.Verdict == verify.Refuted && r.Claim.Kind == k }
}

// finding is what one statement comes to: its worst reading, then the others
// that fail in the same sort of way.
type finding struct {
	worst  verify.Result
	others []verify.Result
}

// findingClass is the findings of one consequence, the largest violation first.
type findingClass struct {
	title    string
	findings []finding
}

// digest ranks what failed. Readings of one statement are one finding.
func (l *lookup) digest(results []verify.Result) []findingClass {
	var classes []findingClass
	taken := make(map[string]bool)
	for _, c := range consequences {
		byStatement := make(map[string][]verify.Result)
		var order []string
		for _, r := range results {
			// A failure of a reading that is ours alone is no finding about the paper.
			if taken[r.Claim.ID] || !c.of(r) || r.Claim.Origin == verify.Reading {
				continue
			}
			taken[r.Claim.ID] = true
			root := l.root(r.Claim.ID)
			if byStatement[root] == nil {
				order = append(order, root)
			}
			byStatement[root] = append(byStatement[root], r)
		}
		if len(order) == 0 {
			continue
		}
		class := findingClass{title: c.title}
		for _, root := range order {
			readings := byStatement[root]
			slices.SortStableFunc(readings, graver)
			class.findings = append(class.findings, finding{readings[0], readings[1:]})
		}
		slices.SortStableFunc(class.findings, func(a, b finding) int { return graver(a.worst, b.worst) })
		classes = append(classes, class)
	}
	return classes
}

// graver puts the larger violation first; of two equal ones that which was
// computed, which has no error probability.
func graver(a, b verify.Result) int {
	exact := func(r verify.Result) int {
		if r.Exact {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(violation(b.Evidence), violation(a.Evidence)), cmp.Compare(exact(a), exact(b)))
}

// violation is by how many orders the measured value is off, either way; 0 where
// no factor says it. An infinite loss is the largest.
func violation(e verify.Evidence) float64 {
	switch {
	case !e.Ratio.Set || math.IsNaN(e.Ratio.X):
		return 0
	case e.Ratio.X == 0:
		return math.MaxFloat64
	}
	return ties.Rounded(math.Abs(math.Log(math.Abs(e.Ratio.X))))
}

// mustKnow is the digest of a paper: each finding with its number in a sentence,
// what repairs it, and what stands beside it.
func (g group) mustKnow(l *lookup) article.Section {
	s := article.Section{Anchor: g.anchor("must-know"), Level: 3, Title: article.Words("What a user of this paper must know")}
	classes := l.digest(g.results)
	if !slices.ContainsFunc(g.results,
		func(r verify.Result) bool { return figures.Stands(r.Verdict) || len(classes) > 0 }) {
		s.Say("No claim of this run was decided.")
		return s
	}
	if len(classes) == 0 {
		s.Say("No claim of this run was refuted, none is empty, and the paper does not contradict itself in any of them.")
		return s
	}
	for _, c := range classes {
		s.Say(article.Strong(c.title + "."))
		list := make(article.Listing, 0, len(c.findings))
		for _, f := range c.findings {
			list = append(list, l.digestItem(f))
		}
		s.Add(list)
	}
	return s
}

func (l *lookup) digestItem(f finding) article.Item {
	r := f.worst
	it := article.Item{Head: article.Words(article.ClaimLink(r.Claim.ID), ", "+r.Claim.Source+": "+markdown.Sentence(r.Claim.Statement)+" ",
		inNumbers(r))}
	if r.Verdict == verify.Vacuous {
		for _, warning := range r.Warnings {
			it.Notes = append(it.Notes, article.Words(markdown.Sentence(warning)))
		}
	}
	for _, o := range f.others {
		it.Notes = append(it.Notes, article.Words("Also ", article.ClaimLink(o.Claim.ID), ": "+markdown.Sentence(o.Claim.Statement)+" ",
			inNumbers(o)))
	}
	repairs := make(map[string]bool)
	for _, o := range append([]verify.Result{r}, f.others...) {
		if c := o.Claim.Corrected; c != "" && !repairs[c] {
			repairs[c] = true
			it.Notes = append(it.Notes, l.repair(c))
		}
	}
	if others := l.survivors(r); len(others) > 0 {
		it.Notes = append(it.Notes, article.Words("Not refuted under the same statement: ", l.named(others), "."))
	}
	return it
}

// inNumbers is "**Claimed:** ε ≤ 1; **computed:** 2.5 at `d=1`."
func inNumbers(r verify.Result) article.Inline {
	if !r.Claimed.Set && !r.Measured.Set {
		return article.Words(article.Strong(article.Capital(r.Verdict) + "."))
	}
	at := article.Words(".")
	if r.Witness != "" {
		at = article.Words(" at ", article.Mono(r.Witness), ".")
	}
	c := comparison(r.Evidence)
	return article.Words(article.Strong("Claimed:"), " "+c.claimed+"; ", article.Strong(lower(c.verb)+":"), " "+c.found, at)
}

// repair names the corrected statement of a claim, and whether it is true.
func (l *lookup) repair(id string) article.Inline {
	r, ok := l.results[id]
	switch {
	case !ok:
		return article.Words("A corrected statement is ", article.Mono(id), ", which is not part of this run.")
	case figures.Stands(r.Verdict):
		return article.Words("It holds when corrected, as ", article.ClaimLink(id), " (", article.VerdictSpan(r.Verdict),
			"): "+markdown.Sentence(r.Claim.Statement))
	}
	return article.Words("Its corrected statement, ", article.ClaimLink(id),
		", is "+string(r.Verdict)+": "+markdown.Sentence(r.Claim.Statement))
}

// survivors are the other readings of a statement that were not refuted: claims
// of the same kind under the same id that correct nothing.
func (l *lookup) survivors(r verify.Result) []string {
	var ids []string
	for _, o := range l.Run.Results {
		if o.Claim.Kind == r.Claim.Kind && figures.Stands(o.Verdict) && l.root(o.Claim.ID) == l.root(r.Claim.ID) &&
			len(l.corrects[o.Claim.ID]) == 0 {
			ids = append(ids, o.Claim.ID)
		}
	}
	return ids
}

// undecided lists what has no answer, with the first reason of each; claims with
// the same reason are one item.
func (g group) undecided() article.Section {
	s := article.Section{Anchor: g.anchor("undecided"), Level: 3, Title: article.Words("Not decided")}
	var list article.Listing
	for _, v := range []verify.Verdict{verify.Error, verify.Inconclusive, verify.NotRun, verify.Untestable} {
		var reasons []string
		claims := make(map[string]article.Inline)
		for _, r := range g.results {
			if r.Verdict != v {
				continue
			}
			why := reason(r)
			if claims[why] == nil {
				reasons = append(reasons, why)
			} else {
				claims[why] = article.Words(claims[why], ", ")
			}
			claims[why] = article.Words(claims[why], article.ClaimLink(r.Claim.ID))
		}
		for _, why := range reasons {
			list = append(list, article.Item{Head: article.Words(claims[why], " (", article.VerdictSpan(v), "): "+markdown.Sentence(why))})
		}
	}
	if len(list) > 0 {
		s.Add(list)
	}
	return s
}

// reason says why a claim has no answer.
func reason(r verify.Result) string {
	warning := ""
	if len(r.Warnings) > 0 {
		warning = r.Warnings[0]
	}
	switch {
	case r.Verdict == verify.Inconclusive:
		return cmp.Or(r.Power, warning, r.Verdict.Meaning())
	case r.Verdict == verify.NotRun && warning == "" && r.Data != "":
		return "Data: " + r.Data
	}
	return cmp.Or(warning, r.Method, r.Verdict.Meaning())
}
