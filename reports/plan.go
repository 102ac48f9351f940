package reports

import (
	"fmt"
	"io"
	"time"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// PlanSchema names the JSON form of a plan; it only ever gains fields.
const PlanSchema = "dpverify/plan/v1"

// Plan is what a run of audits is going to take. What is under a key “measured” or “suggested” rests on times, and
// differs from run to run; all else follows from the claims, the seed and what the mechanisms give.
type Plan struct {
	Schema  string        `json:"schema"`
	Version string        `json:"version"`
	Seed    string        `json:"seed"`
	Budget  verify.Budget `json:"budget"`
	Alpha   float64       `json:"alpha"`
	Workers int           `json:"workers"`
	Shards  int           `json:"shards"` // parts of the run
	Claims  []PlanClaim   `json:"claims"`
	Draws   PlanDraws     `json:"draws"`        // of all claims, in all parts
	Memory  int64         `json:"memory_bytes"` // of dpverify in each part, without its mechanisms; about
	Times   *PlanTimes    `json:"measured,omitempty"`
	Wall    *PlanWall     `json:"suggested,omitempty"`
}

// PlanClaim is a claim with what it takes.
type PlanClaim struct {
	ID     string `json:"id"`
	Source string `json:"source"`
	Work   string `json:"work"`             // what it asks of its mechanism
	Why    string `json:"why,omitempty"`    // nothing is drawn, or not all is known
	Failed string `json:"failed,omitempty"` // the mechanism did, or the claim cannot be read

	Samples  int64       `json:"samples"` // of each input of each pair, search and certification together
	Pairs    int         `json:"pairs"`
	Inputs   []PlanInput `json:"inputs"`   // distinct ones, the first so many
	Of       int         `json:"of"`       // so many in all
	AtMost   bool        `json:"at_most"`  // it can stop earlier, or need fewer
	Prepared int         `json:"prepared"` // so often in all parts: each of them prepares, and so does their merge
	Part     PlanDraws   `json:"draws"`    // of a run in one part
	Sees     *PlanSees   `json:"sees,omitempty"`
	Memory   int64       `json:"memory_bytes"`

	Times     *PlanClaimTimes `json:"measured,omitempty"`
	Suggested *PlanSuggested  `json:"suggested,omitempty"`
}

// PlanInput is what is drawn of an input.
type PlanInput struct {
	Pair    int   `json:"pair"` // the first that has it, from 1
	Side    Side  `json:"side"`
	Uses    int64 `json:"uses"`    // pairs that have it
	Search  int64 `json:"search"`  // chooses events
	Certify int64 `json:"certify"` // if a pair that has it is chosen
}

// Side is the place of an input in a pair.
type Side string

// PlanDraws are outputs that are asked of mechanisms: of a training, trainings.
type PlanDraws struct {
	Search  int64 `json:"search"` // before anything is certified; each part of a run, and the merge of several, repeats it
	Least   int64 `json:"certify_least"`
	Most    int64 `json:"certify_most"`
	Repeats int64 `json:"repeats"` // the first request at each input is repeated, to see whether the seed decides
}

// Add is the sum.
func (d PlanDraws) Add(e PlanDraws) PlanDraws {
	return PlanDraws{d.Search + e.Search, d.Least + e.Least, d.Most + e.Most, d.Repeats + e.Repeats}
}

// Total are the most.
func (d PlanDraws) Total() int64 { return d.Search + d.Most + d.Repeats }

// In is what a run asks for that is prepared so often.
func (d PlanDraws) In(prepared int) PlanDraws {
	d.Search, d.Repeats = d.Search*int64(prepared), d.Repeats*int64(prepared)
	return d
}

// PlanSees is the violation that is seen with a probability, in the families of events that are searched.
type PlanSees struct {
	Near        verify.Number `json:"near"` // the least parameter, at an event of the mass; absent where none is
	NearDelta   float64       `json:"near_delta"`
	NearMass    float64       `json:"near_mass"`
	GrossMass   verify.Number `json:"gross_mass"` // from which a loss of a nat more than is claimed is
	Probability float64       `json:"probability"`
	Effect      verify.Number `json:"effect"` // of a statement, in its own unit, in the place of all of these
}

// PlanClaimTimes are measured.
type PlanClaimTimes struct {
	Start     float64 `json:"start_seconds"`      // of the mechanism, once a worker
	Output    float64 `json:"seconds_per_output"` // of the mechanism, on one processor
	Outputs   int64   `json:"outputs_measured"`
	Expected  int64   `json:"expected_draws"` // in all parts
	Mechanism float64 `json:"mechanism_core_seconds"`
	Judging   float64 `json:"judging_core_seconds"`
}

// CoreSeconds is the sum.
func (t *PlanClaimTimes) CoreSeconds() float64 {
	if t == nil {
		return 0
	}
	return t.Mechanism + t.Judging
}

// PlanTimes are those of the run.
type PlanTimes struct {
	CoreSeconds float64 `json:"core_seconds"` // of all parts
	CoreHours   float64 `json:"core_hours"`
	Wall        float64 `json:"wall_seconds"` // of the longest part, with its workers
}

// PlanWall is what a wall time buys.
type PlanWall struct {
	Given       float64 `json:"given_seconds"`
	Wall        float64 `json:"wall_seconds"` // that is expected
	CoreSeconds float64 `json:"core_seconds"`
	Factor      float64 `json:"factor"` // of the samples of the claims
}

// PlanSuggested is a claim at the samples that the wall time allows.
type PlanSuggested struct {
	Samples     int64     `json:"samples"` // as the claim gives them, at the standard budget
	CoreSeconds float64   `json:"core_seconds"`
	Sees        *PlanSees `json:"sees,omitempty"`
}

// WriteJSON writes a value that has the form of its schema already, such as a [Plan] of dpverify/plan/v1.
func WriteJSON(w io.Writer, v any) error { return format.WriteJSON(w, v) }

// Sheet is a table of the claims, with what they take, and what a wall time buys.
func (p Plan) Sheet() Sheet {
	s := section{}
	parts := fmt.Sprintf("in one part with %s", countedNoun(p.Workers, "worker"))
	if p.Shards > 1 {
		parts = fmt.Sprintf("in %d parts with %s each", p.Shards, countedNoun(p.Workers, "worker"))
	}
	s.Say(fmt.Sprintf("At the %s budget, %s. Nothing is judged.", p.Budget, parts))
	t := &grid{Wide: true, Columns: []format.Column{format.Left("claim"), format.Left("asks for"),
		format.Right("samples of each input"), format.Right("inputs"), format.Right("search"),
		format.Right("certify"), format.Right("repeats"), format.Left("sees")}}
	for _, c := range p.Claims {
		t.Row(words(mono(c.ID)), words(c.Work), words(countText(c.Samples)),
			words(countText(int64(c.Of))), words(c.most()+countText(c.Part.Search)),
			words(c.certify()), words(countText(c.Part.Repeats)), words(c.Sees.words()))
	}
	s.Add(t)
	s.Say(fmt.Sprintf("In all at most %s outputs are asked of mechanisms; dpverify itself takes about %s of "+
		"memory in each part.", format.Count(p.Draws.Total()), memoryText(p.Memory)))
	p.inputs(&s)
	p.times(&s)
	p.buys(&s)
	p.notes(&s)
	return Sheet{Title: "What the audit is going to take", Body: s}
}

// inputs of claims that have several pairs.
func (p Plan) inputs(s *section) {
	t := &grid{Columns: []format.Column{format.Left("claim"), format.Left("input"), format.Right("pairs"),
		format.Right("search"), format.Right("certify, if chosen")}}
	for _, c := range p.Claims {
		if c.Pairs < 2 {
			continue
		}
		for _, in := range c.Inputs {
			t.Row(words(mono(c.ID)), words(fmt.Sprintf("%s of pair %d", in.Side, in.Pair)),
				words(format.Count(in.Uses)), words(format.Count(in.Search)),
				words(format.Count(in.Certify)))
		}
		if more := c.Of - len(c.Inputs); more > 0 && len(c.Inputs) > 0 {
			t.Row(words(mono(c.ID)),
				words(fmt.Sprintf("and %s", countedNoun(more, "more input"))), words("–"),
				words("–"), words("–"))
		}
	}
	if len(t.Rows) > 0 {
		section := section{Level: 2, Title: words("Inputs")}
		section.Add(t)
		s.Add(section)
	}
}

// times that were measured.
func (p Plan) times(s *section) {
	if p.Times == nil {
		return
	}
	section := section{Level: 2, Title: words("Time")}
	t := &grid{Columns: []format.Column{format.Left("claim"), format.Right("an output"),
		format.Right("start"), format.Right("mechanism"), format.Right("judging")}}
	for _, c := range p.Claims {
		if c.Times == nil {
			continue
		}
		t.Row(words(mono(c.ID)), words(secondsText(c.Times.Output)),
			words(secondsText(c.Times.Start)), words(secondsText(c.Times.Mechanism)),
			words(secondsText(c.Times.Judging)))
	}
	section.Add(t)
	section.Say(fmt.Sprintf("Measured on this machine, and different from run to run: about %s core-hours in all, %s by "+
		"the clock.", format.Shortest(twoDigits(p.Times.CoreHours)), secondsText(p.Times.Wall)))
	s.Add(section)
}

// buys is what a wall time buys.
func (p Plan) buys(s *section) {
	if p.Wall == nil {
		return
	}
	section := section{Level: 2, Title: words("In " + secondsText(p.Wall.Given))}
	t := &grid{Columns: []format.Column{format.Left("claim"), format.Right("samples"),
		format.Right("core time"), format.Left("sees")}}
	for _, c := range p.Claims {
		if c.Suggested != nil {
			t.Row(words(mono(c.ID)), words(format.Count(c.Suggested.Samples)),
				words(secondsText(c.Suggested.CoreSeconds)), words(c.Suggested.Sees.words()))
		}
	}
	section.Add(t)
	section.Say(fmt.Sprintf("All samples are scaled alike, by %s: expected are %s by the clock.",
		format.Shortest(twoDigits(p.Wall.Factor)), secondsText(p.Wall.Wall)))
	s.Add(section)
}

// notes say what is not planned, and why.
func (p Plan) notes(s *section) {
	var items listing
	for _, c := range p.Claims {
		for _, word := range []string{c.Why, c.Failed} {
			if word != "" {
				items = append(items, item{Head: words(mono(c.ID), ": "+word)})
			}
		}
	}
	if len(items) > 0 {
		section := section{Level: 2, Title: words("Notes")}
		section.Add(items)
		s.Add(section)
	}
}

func (c PlanClaim) most() string {
	if c.AtMost && c.Part.Search > 0 {
		return "≤ "
	}
	return ""
}

func (c PlanClaim) certify() string {
	switch d := c.Part; {
	case c.AtMost && d.Most > 0:
		return "≤ " + format.Count(d.Most)
	case d.Least != d.Most:
		return format.Count(d.Least) + " to " + format.Count(d.Most)
	}
	return countText(c.Part.Most)
}

func (s *PlanSees) words() string {
	if s == nil {
		return "–"
	}
	if s.Effect.Set {
		return fmt.Sprintf("an effect of %.2g", s.Effect.X)
	}
	near := "no near violation"
	switch {
	case s.Near.Set && s.Near.X == 0:
		near = fmt.Sprintf("δ = %.2g at mass %.2g", s.NearDelta, s.NearMass)
	case s.Near.Set && s.NearDelta > 0:
		near = fmt.Sprintf("%.4g (δ = %.2g) at mass %.2g", s.Near.X, s.NearDelta, s.NearMass)
	case s.Near.Set:
		near = fmt.Sprintf("%.4g at mass %.2g", s.Near.X, s.NearMass)
	}
	if s.GrossMass.Set {
		return near + fmt.Sprintf("; a nat more from mass %.2g", s.GrossMass.X)
	}
	return near
}

// countText is a number of which there is any.
func countText(n int64) string {
	if n == 0 {
		return "–"
	}
	return format.Count(n)
}

func countedNoun(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func memoryText(n int64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%d MiB", (n+1<<20-1)>>20)
}

// secondsText is a time to two digits.
func secondsText(s float64) string {
	if s <= 0 {
		return "–"
	}
	const long = 1e9
	if s > long {
		return fmt.Sprintf("%.2g hours", s/3600)
	}
	d := time.Duration(s * 1e9)
	for unit := time.Nanosecond; unit <= time.Hour*1_000_000; unit *= 10 {
		if d < 100*unit {
			return d.Round(unit).String()
		}
	}
	return d.String()
}

func twoDigits(x float64) float64 {
	var y float64
	if _, err := fmt.Sscan(fmt.Sprintf("%.2g", x), &y); err != nil {
		return x
	}
	return y
}
