package tables

import (
	"io"

	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/reports/internal/article"
	"github.com/dpverify/dpverify/reports/internal/markdown"
	"github.com/dpverify/dpverify/verify"
)

// List is a table of claims.
func List(claims []verify.Claim) Sheet {
	t := &article.Grid{Columns: []markdown.Column{markdown.Left("claim"), markdown.Left("of"), markdown.Left("origin"),
		markdown.Left("place"), markdown.Left("kind"), markdown.Left("statement")}}
	for _, c := range claims {
		t.Row(article.Words(article.Mono(c.ID)), article.Words(c.Source), article.Words(string(c.Origin)),
			article.Words(c.Place), article.Words(string(c.Kind)), article.Words(c.Statement))
	}
	return sheetOf(t)
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

		Origin   verify.Origin `json:"origin"`
		Place    string        `json:"place"`
		Formerly []string      `json:"formerly,omitempty"`
	}
	list := struct {
		Schema string  `json:"schema"`
		Claims []entry `json:"claims"`
	}{Schema: "dpverify/claims/v1", Claims: []entry{}}
	for _, c := range claims {
		list.Claims = append(list.Claims, entry{c.ID, c.Paper, c.Source, c.Kind, c.Statement, c.Corrected,
			c.Origin, c.Place, c.Formerly})
	}
	return markdown.WriteJSON(w, list)
}

// ListExperiments is a table of experiments.
func ListExperiments(experiments []result.About) Sheet {
	t := &article.Grid{Columns: []markdown.Column{markdown.Left("experiment"), markdown.Left("where"),
		markdown.Left("what it shows"), markdown.Left("data")}}
	for _, e := range experiments {
		t.Row(article.Words(article.Mono(e.Name)), article.Words(e.Source), article.Words(e.Title), article.Words(e.Data))
	}
	return sheetOf(t)
}

// ListExperimentsJSON writes experiments as dpverify/experiments/v1.
func ListExperimentsJSON(w io.Writer, experiments []result.About) error {
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
	return markdown.WriteJSON(w, list)
}
