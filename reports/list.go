package reports

import (
	"io"

	"github.com/dpverify/dpverify/empirical/experiment/result"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// ListClaims returns a table of claims.
func ListClaims(claims []verify.Claim) Sheet {
	t := &grid{Columns: []format.Column{format.Left("claim"), format.Left("source"), format.Left("origin"),
		format.Left("place"), format.Left("kind"), format.Left("statement")}}
	for _, c := range claims {
		t.Row(words(mono(c.ID)), words(c.Source), words(string(c.Origin)),
			words(c.Place), words(string(c.Kind)), words(c.Statement))
	}
	return sheetOf(t)
}

// ListClaimsJSON writes claims as dpverify/claims/v1.
func ListClaimsJSON(w io.Writer, claims []verify.Claim) error {
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
	return format.WriteJSON(w, list)
}

// ListExperiments returns a table of experiments.
func ListExperiments(experiments []result.About) Sheet {
	t := &grid{Columns: []format.Column{format.Left("experiment"), format.Left("source"),
		format.Left("subject"), format.Left("data")}}
	for _, e := range experiments {
		t.Row(words(mono(e.Name)), words(e.Source), words(e.Title), words(e.Data))
	}
	return sheetOf(t)
}

// ListExperimentsJSON writes experiments as dpverify/experiments/v1.
func ListExperimentsJSON(w io.Writer, experiments []result.About) error {
	return format.WriteJSON(w, struct {
		Schema      string         `json:"schema"`
		Experiments []result.About `json:"experiments"`
	}{"dpverify/experiments/v1", append([]result.About{}, experiments...)})
}
