// Package recheck judges the claims of a report again, from what the report stores: with no mechanism and no sample.
//
//	recheck.go   the claims of a report
//	compare.go   stored evidence against evidence that is recomputed
//	figures.go   a verdict against its own figures, where nothing is counted
//
// What it shows is that verdicts, intervals and powers follow from the counts. That the counts are those of the
// mechanism, it cannot show: whoever doubts it runs the claim again.
package recheck

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/basis"
	"github.com/dpverify/dpverify/verify/canary"
	"github.com/dpverify/dpverify/verify/found"
	"github.com/dpverify/dpverify/verify/law"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/runs"
)

// Standing is what became of a claim.
type Standing string

const (
	Recomputed Standing = "recomputed" // all that decides follows from its counts
	Computed   Standing = "computed"   // nothing was sampled: its verdict is that of its figures
	Unmeasured Standing = "unmeasured" // there are no figures: untestable, not run, or failed
	Open       Standing = "open"       // the report has no counts that it follows from
	Broken     Standing = "broken"     // something stored does not follow
)

// Standings lists all, in the order in which they are counted.
var Standings = []Standing{Broken, Recomputed, Computed, Open, Unmeasured}

// Meaning says in one clause what a standing tells.
func (s Standing) Meaning() string {
	switch s {
	case Recomputed:
		return "verdict, interval and power follow from the stored counts"
	case Computed:
		return "by formula, nothing sampled: the verdict is that of the stored figures"
	case Unmeasured:
		return "no figures: untestable, not run, or failed"
	case Open:
		return "not recomputable: the report has no counts that it follows from"
	case Broken:
		return "something stored does not follow from the rest"
	}
	return "unknown"
}

// Difference is a place at which a report contradicts itself.
type Difference struct {
	Field      string `json:"field"`
	Stored     string `json:"stored"`
	Recomputed string `json:"recomputed"`
}

// Claim is what became of one.
type Claim struct {
	ID          string       `json:"id"`
	Verdict     string       `json:"verdict"` // as stored
	Standing    Standing     `json:"standing"`
	Method      string       `json:"method,omitempty"` // by which it was judged again
	Why         string       `json:"why,omitempty"`    // of one that is open
	Differences []Difference `json:"differences,omitempty"`
	// Unchecked are cells and figures beside the verdict that follow from no counts.
	Unchecked []string `json:"unchecked,omitempty"`
}

// methods judge facts again.
var methods = map[string]func(basis.Basis, verify.Settings) (verify.Evidence, error){
	privacy.AuditBasis:   privacy.Recompute,
	privacy.SampledBasis: privacy.RecomputeSampled,
	mean.RateBasis:       mean.RecomputeRate,
	mean.UnbiasedBasis:   mean.RecomputeUnbiased,
	mean.StatedBasis:     mean.RecomputeStated,
	mean.CompareBasis:    mean.RecomputeCompare,
	law.Basis:            law.Recompute,
	canary.Basis:         canary.Recompute,
	runs.Basis:           runs.Recompute,
	found.Basis:          found.Recompute,
}

// Of is what becomes of a claim of a run with the options. Texts are compared where the report is of the version that
// judges it again.
func Of(r verify.Result, o verify.Options, texts bool) (c Claim) {
	c = Claim{ID: r.Claim.ID, Verdict: string(r.Verdict)}
	defer func() {
		if len(c.Differences) > 0 {
			c.Standing = Broken
		}
	}()
	if r.Alpha == 0 && r.Verdict == verify.Error {
		c.Standing = Unmeasured
		return c
	}
	if !(r.Alpha > 0 && r.Alpha <= o.Alpha*(1+rounding)) {
		c.differ("alpha", fmt.Sprint(r.Alpha), fmt.Sprintf("a share of %v", o.Alpha))
		return c
	}
	c.figures(r.Evidence)
	switch b := r.Basis; {
	case b != nil && b.Why == "":
		c.again(r, *b, o, texts)
	case b != nil:
		c.Standing, c.Why = Open, b.Why
	case r.Exact:
		c.Standing = Computed
		c.computed(r.Evidence)
	case r.Verdict == verify.Untestable || r.Verdict == verify.NotRun || r.Verdict == verify.Error:
		c.Standing = Unmeasured
	case r.Samples == 0:
		c.Standing, c.Why = Open, "no counts were certified: the search alone decided, or a computed enclosure that "+
			"is a model"
	default:
		c.Standing, c.Why = Open, "the check writes no counts into the report, or an older version wrote it"
	}
	return c
}

// again judges the facts.
func (c *Claim) again(r verify.Result, b basis.Basis, o verify.Options, texts bool) {
	c.Standing, c.Method = Recomputed, b.Method
	judge, known := methods[b.Method]
	if !known {
		c.Standing, c.Why = Open, fmt.Sprintf("this version has no method %q", b.Method)
		return
	}
	share := b.Share
	if share == 0 {
		share = 1
	}
	if !(share > 0 && share <= 1) {
		c.differ("basis.share", fmt.Sprint(b.Share), "a share in (0, 1]")
		return
	}
	e, err := judge(b, verify.Settings{Alpha: r.Alpha * share, Budget: o.Budget})
	if err != nil {
		c.differ("basis", "facts", err.Error())
		return
	}
	c.compare(r.Evidence, e, texts)
}

func (c *Claim) differ(field, stored, recomputed string) {
	c.Differences = append(c.Differences, Difference{field, stored, recomputed})
}

// Run is what becomes of all claims, and what is wrong with the report as a whole.
func Run(run verify.Run, texts bool) (claims []Claim, whole []Difference) {
	sum := 0.0
	for _, r := range run.Results {
		claims = append(claims, Of(r, run.Options, texts))
		sum += r.Alpha
	}
	if !(sum <= run.Options.Alpha*(1+rounding)) {
		whole = append(whole, Difference{"alpha", fmt.Sprint(run.Options.Alpha),
			fmt.Sprintf("%v, the sum of the claims' shares", sum)})
	}
	return claims, whole
}

// rounding is what another machine may make of a figure, relative to it.
const rounding = 1e-9

// Same tells whether two figures are equal but for rounding.
func Same(a, b float64) bool {
	switch {
	case a == b || math.IsNaN(a) && math.IsNaN(b):
		return true
	case math.IsInf(a, 0) || math.IsInf(b, 0):
		return false
	}
	return math.Abs(a-b) <= rounding*math.Max(math.Abs(a), math.Abs(b))+1e-15
}
