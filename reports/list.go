package reports

import (
	"io"

	"github.com/dpverify/dpverify/empirical/study"
	"github.com/dpverify/dpverify/verify"
)

// List writes a table of claims.
func List(w io.Writer, claims []verify.Claim) error {
	t := newTable(left("claim"), left("where"), left("kind"), left("statement"))
	for _, c := range claims {
		t.row(code(c.ID), text(c.Source), text(string(c.Kind)), text(c.Statement))
	}
	return t.write(w)
}

// ListJSON writes claims as dpverify/claims/v1.
func ListJSON(w io.Writer, claims []verify.Claim) error {
	type entry struct {
		ID        string      `json:"id"`
		Paper     string      `json:"paper"`
		Source    string      `json:"source"`
		Kind      verify.Kind `json:"kind"`
		Statement string      `json:"statement"`
		Corrected string      `json:"corrected"`
	}
	list := struct {
		Schema string  `json:"schema"`
		Claims []entry `json:"claims"`
	}{Schema: "dpverify/claims/v1", Claims: []entry{}}
	for _, c := range claims {
		list.Claims = append(list.Claims, entry{c.ID, c.Paper, c.Source, c.Kind, c.Statement, c.Corrected})
	}
	return writeJSON(w, list)
}

// ListExperiments writes a table of experiments.
func ListExperiments(w io.Writer, experiments []study.About) error {
	t := newTable(left("experiment"), left("where"), left("what it shows"), left("data"))
	for _, e := range experiments {
		t.row(code(e.Name), text(e.Source), text(e.Title), text(e.Data))
	}
	return t.write(w)
}

// ListExperimentsJSON writes experiments as dpverify/experiments/v1.
func ListExperimentsJSON(w io.Writer, experiments []study.About) error {
	type entry struct {
		Name   string `json:"name"`
		Source string `json:"source"`
		Title  string `json:"title"`
		Data   string `json:"data"`
	}
	list := struct {
		Schema      string  `json:"schema"`
		Experiments []entry `json:"experiments"`
	}{Schema: "dpverify/experiments/v1", Experiments: []entry{}}
	for _, e := range experiments {
		list.Experiments = append(list.Experiments, entry{e.Name, e.Source, e.Title, e.Data})
	}
	return writeJSON(w, list)
}

func (t *table) write(w io.Writer) error {
	s, err := t.render()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, s)
	return err
}
