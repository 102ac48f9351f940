package claims

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	experiments "github.com/dpverify/dpverify/empirical/study/papers"
	"github.com/dpverify/dpverify/reports"
	"github.com/dpverify/dpverify/verify"
)

// The whole ledger, judged once for all tests, is a report in every form: each claim is in it,
// each finding in SARIF, no figure is missing, and what a machine reads is well-formed.
func TestReport(t *testing.T) {
	j := judgedOnce(t)
	d := reports.Document{Title: "dpverify report", Run: j.run, Command: "dpverify report", Experiments: experiments.Abouts()}
	for _, paper := range Papers() {
		d.Papers = append(d.Papers, reports.Paper(paper))
	}
	for _, form := range []struct {
		name  string
		write func(io.Writer, reports.Document) error
		read  func([]byte) error
		wants []string
	}{
		{"markdown", reports.Markdown, nil, []string{"\n## Summary\n", "\n### What a user of this paper must know\n"}},
		{"html", reports.HTML, nil, []string{"<section id="}},
		{"json", reports.JSON, readReport, []string{`"schema": "dpverify/report/v1"`}},
		{"junit", reports.JUnit, readXML, []string{"<testsuite "}},
		{"sarif", reports.SARIF, readJSON, []string{`"version": "2.1.0"`}},
	} {
		t.Run(form.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := form.write(&b, d); err != nil {
				t.Fatal(err)
			}
			if form.read != nil {
				if err := form.read(b.Bytes()); err != nil {
					t.Error(err)
				}
			}
			for _, want := range form.wants {
				if !strings.Contains(b.String(), want) {
					t.Errorf("the report has no %q", want)
				}
			}
			for _, r := range j.run.Results {
				if finding := r.Verdict == verify.Refuted || r.Verdict == verify.Inconsistent; form.name == "sarif" && !finding {
					continue
				}
				if !strings.Contains(b.String(), r.Claim.ID) {
					t.Errorf("%s is not in the report", r.Claim.ID)
				}
			}
			for _, line := range strings.Split(b.String(), "\n") {
				if strings.Contains(line, "%!") || strings.Contains(line, "NaN") {
					t.Errorf("a figure is missing in %q", line)
				}
			}
		})
	}
}

func readReport(text []byte) error {
	_, err := reports.ReadJSON(bytes.NewReader(text))
	return err
}

func readJSON(text []byte) error {
	var object map[string]json.RawMessage
	return json.Unmarshal(text, &object)
}

func readXML(text []byte) error {
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
