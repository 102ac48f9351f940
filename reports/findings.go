package reports

import (
	"fmt"
	"strings"

	"github.com/dpverify/dpverify/verify"
)

// claim is the section of one claim: what is said, what was found, where, how,
// and the command that finds it again.
func (l *lookup) claim(r verify.Result) section {
	s := section{Anchor: anchor(r.Claim.ID), Level: 4, Tone: string(r.Verdict)}
	s.Title = words(r.Verdict.Symbol()+" ", mono(r.Claim.ID), ", "+r.Claim.Source)
	s.add(quotation(words(sentence(r.Claim.Statement))))
	s.say(verdictSentence(r)...)
	if look := secondLook(r.Evidence); look != nil {
		s.say(look)
	}
	if len(r.Cells) > 1 {
		if c := newChart(r); c != nil {
			s.add(c)
		}
		if p, ok := planeOf(r.Evidence); ok {
			s.add(planeGrid(p, r.Evidence))
		} else if !stands(r.Verdict) {
			l.cells(&s, r)
		}
	}
	for _, warning := range r.Warnings {
		s.say("Note: " + sentence(warning))
	}
	if r.Claim.Corrected != "" {
		s.say(l.corrected(r.Claim.Corrected)...)
	}
	s.series(r)
	var notes listing
	for _, n := range l.notes(r) {
		notes = append(notes, item{Head: n})
	}
	s.add(notes)
	s.add(command(l.again(r)))
	return s
}

// again is the command that judges a claim again; one that lacked its data gets it.
func (l *lookup) again(r verify.Result) string {
	line := l.repeat(r.Claim.ID)
	if r.Verdict == verify.NotRun && !l.Whole && !strings.HasSuffix(line, dataFlag) {
		line += dataFlag
	}
	return line
}

// notes tell how a claim was measured, and of its other readings.
func (l *lookup) notes(r verify.Result) []inline {
	var list []inline
	add := func(title, s string) {
		if s != "" {
			list = append(list, words(label(title), " "+s))
		}
	}
	kind := "Kind: " + string(r.Claim.Kind) + "."
	if r.Quantity != "" { // a formula, which a full stop would spoil
		list = append(list, words(label(kind), " Quantity: "+r.Quantity))
	} else {
		list = append(list, words(label(kind)))
	}
	add("Method:", stopped(r.Method))
	if r.Delta.Set {
		add("Certified δ at the claimed ε:", fmt.Sprintf("at least %s, with a hundredth of the error probability.", Figure(r.Delta)))
	}
	add("Power:", stopped(r.Power))
	if r.Samples > 0 {
		add(capital(drawnNoun(r.Claim.Kind))+"s:", fmt.Sprintf("%s in all, error probability %s.", whole(r.Samples), probability(r.Alpha)))
	}
	if r.Verdict != verify.NotRun || len(r.Warnings) == 0 { // which tell of the file
		add("Data:", stopped(r.Data))
	}
	if experiments := l.experimentsOf(r); len(experiments) > 0 {
		list = append(list, drawing(experiments))
	}
	if of := l.corrects[r.Claim.ID]; len(of) > 0 {
		list = append(list, words(label("Corrects:"), " ", l.named(of), "."))
	}
	if others := l.readings(r); len(others) > 0 {
		list = append(list, words(label("Under the same statement:"), " ", l.named(others), "."))
	}
	return list
}

// readings are the other claims under the same statement, but for corrections.
func (l *lookup) readings(r verify.Result) []string {
	var ids []string
	for _, o := range l.Run.Results {
		if o.Claim.ID != r.Claim.ID && o.Claim.Corrected != r.Claim.ID && len(l.corrects[o.Claim.ID]) == 0 && l.root(o.Claim.ID) == l.root(r.Claim.ID) {
			ids = append(ids, o.Claim.ID)
		}
	}
	return ids
}

// named lists claims with their verdicts.
func (l *lookup) named(ids []string) inline {
	var all inline
	for i, id := range ids {
		if i > 0 {
			all = words(all, ", ")
		}
		all = words(all, claimLink(id), " (", verdictSpan(l.results[id].Verdict), ")")
	}
	return all
}

// verdictSentence says what was found at the worst point, and how sure that is.
func verdictSentence(r verify.Result) []any {
	parts := []any{span{Style: bold, Text: capital(r.Verdict), Tone: string(r.Verdict)}}
	measured := r.Measured.Set || r.Lower.Set || r.Upper.Set
	if r.Verdict == verify.Vacuous {
		parts = append(parts, " ("+r.Verdict.Meaning()+")")
	}
	switch {
	case !measured && !wrong(r.Verdict) && r.Verdict != verify.Vacuous:
		return append(parts, ": "+r.Verdict.Meaning()+".")
	case r.Witness != "" && stands(r.Verdict):
		parts = append(parts, "; its worst point is ", mono(r.Witness))
	case r.Witness != "":
		parts = append(parts, " at ", mono(r.Witness))
	}
	if measured {
		c := comparison(r.Evidence)
		s := fmt.Sprintf(". The claim says %s; %s %s", c.claimed, lower(c.verb), c.found)
		if r.Ratio.Set {
			s += ", ratio " + c.ratio
		}
		parts = append(parts, s)
	}
	return append(parts, ". "+certainty(r))
}

// compared is a comparison in words.
type compared struct {
	claimed     string // "privacy loss ε ≤ 2"
	verb, found string // "Measured", "2.5 [2.4, 2.6], computed 2.51"
	ratio       string
}

func comparison(e verify.Evidence) compared {
	quantity, _, _ := strings.Cut(oneLine(e.Quantity), "; ") // what follows is the setting
	if quantity == "" {
		quantity = "the figure"
	}
	sense := e.Sense
	if sense == "" {
		sense = verify.Equals
	}
	f := compare(e.Claimed, e.Measured, e.Lower, e.Upper, e.Ratio, sameAs(e.Verdict))
	c := compared{claimed: fmt.Sprintf("%s %s %s", quantity, sense, f.Claimed), verb: "Measured", found: f.Measured, ratio: f.Ratio}
	if !e.Claimed.Set {
		c.claimed = "nothing of " + quantity
	}
	if e.Exact {
		c.verb = "Computed"
	}
	if i := worstCell(e); i >= 0 && e.Cells[i].Samples > 0 && e.Cells[i].ExactValue.Set {
		c.found += ", computed " + Figure(e.Cells[i].ExactValue)
	}
	return c
}

// certainty says how sure the verdict is.
func certainty(r verify.Result) string {
	switch {
	case r.Exact:
		return "Computed: there is no error probability."
	case r.Samples > 0:
		return fmt.Sprintf("From %s in all; error probability at most %s.", sampled(r), probability(r.Alpha))
	}
	return fmt.Sprintf("Error probability at most %s.", probability(r.Alpha))
}

// drawnNoun is what is counted: outputs of a mechanism, or runs of an algorithm.
func drawnNoun(k verify.Kind) string {
	if k == verify.Privacy || k == verify.Unbiasedness {
		return "sample"
	}
	return "run"
}

func sampled(r verify.Result) string { return whole(r.Samples) + " " + drawnNoun(r.Claim.Kind) + "s" }

// cells shows the points of a claim; the columns that would be empty are left out.
func (l *lookup) cells(s *section, r verify.Result) {
	e := r.Evidence
	worst, chosen := worstCell(e), chooseCells(e)
	var claimed, exact, sampled, interval bool
	for _, i := range chosen {
		c := e.Cells[i]
		interval = interval || measurement{value: c.Measured, lower: c.Lower, upper: c.Upper}.interval()
		claimed = claimed || c.Claimed.Set
		exact = exact || c.ExactValue.Set && c.Samples > 0
		sampled = sampled || c.Samples > 0
	}
	t := &grid{Columns: []column{left("at")}}
	if claimed {
		t.Columns = append(t.Columns, right("theory"))
	}
	if interval {
		t.Columns = append(t.Columns, right("measured [interval]"))
	} else {
		t.Columns = append(t.Columns, right("measured"))
	}
	if exact {
		t.Columns = append(t.Columns, right("computed"))
	}
	if sampled {
		t.Columns = append(t.Columns, right(drawnNoun(r.Claim.Kind)+"s"))
	}
	for _, i := range chosen {
		c := e.Cells[i]
		f := compareCell(e.Sense, c)
		at := words(c.At)
		if i == worst {
			at = words(strong(c.At))
		}
		row := []inline{at}
		if claimed {
			row = append(row, words(f.Claimed))
		}
		row = append(row, words(f.Measured))
		if exact {
			row = append(row, words(Figure(c.ExactValue)))
		}
		if sampled && c.Samples > 0 {
			row = append(row, words(whole(c.Samples)))
		} else if sampled {
			row = append(row, words(absent))
		}
		t.row(row...)
	}
	s.add(t)
	if len(chosen) < len(e.Cells) && worst >= 0 {
		s.say(fmt.Sprintf("The worst of %s points, the worst of all in bold; ", whole(int64(len(e.Cells)))), mono("--format json"), " has the others.")
	}
}

// corrected quotes the corrected statement, with its figures at its worst point.
func (l *lookup) corrected(id string) []any {
	r, ok := l.results[id]
	if !ok {
		return []any{l.repair(id)}
	}
	parts := []any{strong("Corrected"), " as ", claimLink(id), " (", verdictSpan(r.Verdict), "): " + sentence(r.Claim.Statement)}
	if r.Measured.Set && r.Witness != "" {
		c := comparison(r.Evidence)
		s := fmt.Sprintf(", it says %s; %s %s", c.claimed, lower(c.verb), c.found)
		if r.Ratio.Set {
			s += ", ratio " + c.ratio
		}
		parts = append(parts, " At its worst point, ", mono(r.Witness), s+".")
	}
	return parts
}
