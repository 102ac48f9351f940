package reports

import (
	"encoding/xml"
	"io"
	"strings"

	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// These types are the XML form of test reports. It has no times, so the same run gives the same bytes.
type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    shown    `xml:"name,attr"`
		junitCounts
		Suites []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name shown `xml:"name,attr"`
		junitCounts
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	junitProperty struct {
		Name  shown `xml:"name,attr"`
		Value shown `xml:"value,attr"`
	}
	junitCase struct {
		Name      shown       `xml:"name,attr"`
		Class     shown       `xml:"classname,attr"`
		File      shown       `xml:"file,attr,omitempty"`
		Line      int         `xml:"line,attr,omitempty"`
		Failure   *junitFault `xml:"failure"`
		Error     *junitFault `xml:"error"`
		Skipped   *junitFault `xml:"skipped"`
		SystemOut shown       `xml:"system-out,omitempty"`
	}
	junitFault struct {
		Message shown `xml:"message,attr"`
		Type    shown `xml:"type,attr,omitempty"`
		Text    shown `xml:",chardata"`
	}
)

// JUnit writes a run as JUnit XML: a paper is a suite, a claim a case. Refuted and contradictory claims are failures,
// and claims that could not be judged are errors. Undecided and untestable claims are skipped, as are excused
// findings. A claim that is true but empty passes, with the finding as output.
func JUnit(w io.Writer, d Document) error {
	all := junitSuites{Name: shown(format.OneLine(d.Title))}
	for _, g := range d.groups() {
		s := junitSuite{Name: shown(g.ID), Properties: []junitProperty{
			{"command", shown(format.OneLine(d.Command))}, {"version", shown(format.OneLine(d.Version))},
			{"budget", shown(d.Run.Options.Budget)},
		}}
		for _, r := range g.results {
			c := d.junitCase(r)
			s.count(c)
			all.count(c)
			s.Cases = append(s.Cases, c)
		}
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (n *junitCounts) count(c junitCase) {
	n.Tests++
	switch {
	case c.Failure != nil:
		n.Failures++
	case c.Error != nil:
		n.Errors++
	case c.Skipped != nil:
		n.Skipped++
	}
}

func (d Document) junitCase(r verify.Result) junitCase {
	at := d.place(r.Claim)
	c := junitCase{Name: shown(r.Claim.ID), Class: shown(r.Claim.Paper), File: shown(at.File), Line: at.Line}
	fault := &junitFault{Message: shown(headline(r)), Type: shown(r.Verdict), Text: shown(strings.Join(d.details(r),
		"\n"))}
	excuse, excused := d.Excused[r.Claim.ID]
	switch {
	case format.IsWrong(r.Verdict) && excused:
		word := "Warning: "
		if excuse.Known {
			word = "Known: "
		}
		c.Skipped = &junitFault{Message: shown(format.OneLine(word + excuse.Reason)),
			Text: fault.Message + "\n" + fault.Text}
	case format.IsWrong(r.Verdict):
		c.Failure = fault
	case r.Verdict == verify.Error:
		c.Error = fault
	case format.IsSupported(r.Verdict), r.Verdict == verify.Vacuous:
		c.SystemOut = fault.Message
		if look := secondLook(r.Evidence); look != nil {
			c.SystemOut += shown("\n" + look.Line())
		}
	default:
		c.Skipped = &junitFault{Message: fault.Message, Text: fault.Text}
	}
	return c
}
