package reports

import (
	"fmt"
	"io"
	"time"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// PlanSchema names the JSON form of a plan. New versions only add fields.
const PlanSchema = "dpverify/plan/v1"

// Plan is the cost of a run of audits. Values under a key "measured" or "suggested" depend on times and differ from run
// to run. All others follow from the claims, the seed and the outputs of the mechanisms.
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
	Memory  int64         `json:"memory_bytes"` // approximate, of dpverify in each part, without its mechanisms
	Times   PlanTimes     `json:"measured"`
	Wall    *PlanWall     `json:"suggested,omitempty"`
}

// PlanClaim is a claim with its cost.
type PlanClaim struct {
	ID     string `json:"id"`
	Source string `json:"source"`
	Work   string `json:"work"`             // how it uses its mechanism
	Why    string `json:"why,omitempty"`    // why nothing is sampled, or the count is a maximum
	Failed string `json:"failed,omitempty"` // the error of the mechanism or of the claim

	Samples  int64     `json:"samples"` // of each input of each pair, search and certification together
	Pairs    int       `json:"pairs"`
	Of       int       `json:"of"`       // distinct inputs
	AtMost   bool      `json:"at_most"`  // it can stop earlier, or need fewer
	Prepared int       `json:"prepared"` // how often it is prepared: by each part, and once more when they are merged
	Part     PlanDraws `json:"draws"`    // of a run in one part
	Sees     *PlanSees `json:"sees,omitempty"`
	Memory   int64     `json:"memory_bytes"`

	Times     *PlanClaimTimes `json:"measured,omitempty"`
	Suggested *PlanSuggested  `json:"suggested,omitempty"`
}

// PlanDraws holds numbers of outputs of mechanisms; an output of a training run is a training.
type PlanDraws struct {
	Search  int64 `json:"search"` // before certification; each part of a run, and the merge of several, repeats it
	Least   int64 `json:"certify_least"`
	Most    int64 `json:"certify_most"`
	Repeats int64 `json:"repeats"` // maximum of the outputs that only test whether the seed determines the reply
}

// Add returns the sum.
func (d PlanDraws) Add(e PlanDraws) PlanDraws {
	return PlanDraws{d.Search + e.Search, d.Least + e.Least, d.Most + e.Most, d.Repeats + e.Repeats}
}

// Total returns the maximum number of outputs.
func (d PlanDraws) Total() int64 { return d.Search + d.Most + d.Repeats }

// In returns the outputs of a run that is prepared this many times.
func (d PlanDraws) In(prepared int) PlanDraws {
	d.Search, d.Repeats = d.Search*int64(prepared), d.Repeats*int64(prepared)
	return d
}

// PlanSees is the violation that the audit detects with a probability, in the families of events that it searches.
type PlanSees struct {
	Near        verify.Number `json:"near"` // smallest parameter, for an event of the probability NearMass; absent if none
	NearDelta   float64       `json:"near_delta"`
	NearMass    float64       `json:"near_mass"`
	GrossMass   verify.Number `json:"gross_mass"` // smallest probability of an event for which ε + 1 is detected
	Probability float64       `json:"probability"`
	Effect      verify.Number `json:"effect"` // of a statement, in its own unit, instead of all of these
}

// PlanClaimTimes holds measured times.
type PlanClaimTimes struct {
	Start       float64 `json:"start_seconds"`      // of the mechanism, once per worker
	Output      float64 `json:"seconds_per_output"` // of the mechanism and of dpverify, on one processor
	Outputs     int64   `json:"outputs_measured"`
	CoreSeconds float64 `json:"core_seconds"` // of the maximum number of outputs, in all parts
}

// PlanTimes holds the times of the run.
type PlanTimes struct {
	CoreSeconds float64 `json:"core_seconds"` // of all parts
	CoreHours   float64 `json:"core_hours"`
	Wall        float64 `json:"wall_seconds"` // of one part, if its workers are always busy
}

// PlanWall is the run that a wall time allows.
type PlanWall struct {
	Given       float64 `json:"given_seconds"`
	Wall        float64 `json:"wall_seconds"` // expected
	CoreSeconds float64 `json:"core_seconds"`
	Factor      float64 `json:"factor"` // of the samples of the claims
}

// PlanSuggested is a claim with the samples that the wall time allows.
type PlanSuggested struct {
	Samples     int64     `json:"samples"` // as the claim gives them, at the standard budget
	CoreSeconds float64   `json:"core_seconds"`
	Sees        *PlanSees `json:"sees,omitempty"`
}

// WriteJSON writes a value that has the form of its schema already, such as a [Plan] of dpverify/plan/v1.
func WriteJSON(w io.Writer, v any) error { return format.WriteJSON(w, v) }

// Sheet returns a table of the claims, the sums, the suggested samples and the notes.
func (p Plan) Sheet() Sheet {
	s := section{}
	s.Say(fmt.Sprintf("Dry run at the %s budget, parts: %d, workers: %d. No claim was judged.", p.Budget, p.Shards,
		p.Workers))
	t := &grid{Wide: true, Columns: []format.Column{format.Left("claim"), format.Left("work"),
		format.Right("samples per input"), format.Right("inputs"), format.Right("outputs"),
		format.Right("time per output"), format.Right("core time"), format.Right("memory"), format.Left("detects")}}
	suggested := &grid{Columns: []format.Column{format.Left("claim"), format.Right("samples"),
		format.Right("core time"), format.Left("detects")}}
	var notes listing
	for _, c := range p.Claims {
		times := PlanClaimTimes{}
		if c.Times != nil {
			times = *c.Times
		}
		t.Row(words(mono(c.ID)), words(c.Work), words(countText(c.Samples)), words(countText(int64(c.Of))),
			words(c.outputs()), words(secondsText(times.Output)), words(secondsText(times.CoreSeconds)),
			words(memoryText(c.Memory)), words(c.Sees.words()))
		if n := c.Suggested; n != nil {
			suggested.Row(words(mono(c.ID)), words(format.Count(n.Samples)), words(secondsText(n.CoreSeconds)),
				words(n.Sees.words()))
		}
		if word := c.Why + c.Failed; word != "" {
			notes = append(notes, item{Head: words(mono(c.ID), ": "+word)})
		}
	}
	s.Add(t)
	s.Say(fmt.Sprintf("The run needs at most about %s outputs, up to %s of them to test whether the seed determines "+
		"the replies. dpverify needs about %s of memory in each part.", format.Count(p.Draws.Total()),
		format.Count(p.Draws.Repeats), memoryText(p.Memory)))
	s.Say(fmt.Sprintf("Times were measured on this machine and differ from run to run: at most about %.2g core-hours, "+
		"%s by the clock if all workers are always busy.", p.Times.CoreHours, secondsText(p.Times.Wall)))
	if p.Wall != nil {
		in := section{Level: 2, Title: words("Samples in " + secondsText(p.Wall.Given))}
		in.Add(suggested)
		in.Say(fmt.Sprintf("The samples of all claims are multiplied by %.2g. Expected time by the clock: %s.",
			p.Wall.Factor, secondsText(p.Wall.Wall)))
		s.Add(in)
	}
	if len(notes) > 0 {
		s.Add(section{Level: 2, Title: words("Notes"), Blocks: []block{notes}})
	}
	return Sheet{Title: "Dry run of the audit", Body: s}
}

// outputs returns the number of outputs, without those that only repeat a request.
func (c PlanClaim) outputs() string {
	least, most := c.Part.Search+c.Part.Least, c.Part.Search+c.Part.Most
	switch {
	case c.AtMost && most > 0:
		return "≤ " + format.Count(most)
	case least != most:
		return format.Count(least) + " to " + format.Count(most)
	}
	return countText(most)
}

func (s *PlanSees) words() string {
	if s == nil {
		return "–"
	}
	if s.Effect.Set {
		return fmt.Sprintf("an effect of %.2g", s.Effect.X)
	}
	near := "no small violation"
	if s.Near.Set {
		near = fmt.Sprintf("%.4g at probability %.2g", s.Near.X, s.NearMass)
		if s.NearDelta > 0 {
			near = fmt.Sprintf("%.4g (δ = %.2g) at probability %.2g", s.Near.X, s.NearDelta, s.NearMass)
		}
	}
	if s.GrossMass.Set {
		near += fmt.Sprintf("; ε + 1 from probability %.2g", s.GrossMass.X)
	}
	return near
}

// countText returns a count, a dash for 0.
func countText(n int64) string {
	if n == 0 {
		return "–"
	}
	return format.Count(n)
}

func memoryText(n int64) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%d MiB", (n+1<<20-1)>>20)
}

// secondsText returns a time of at most 285 years with two digits.
func secondsText(s float64) string {
	if s <= 0 {
		return "–"
	}
	d, unit := time.Duration(min(s, 9e9)*1e9), time.Nanosecond
	for ; d >= 100*unit; unit *= 10 {
	}
	return d.Round(unit).String()
}
