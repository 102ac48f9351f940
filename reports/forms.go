package reports

import "io"

// Markdown writes a run as a document: how it was made, a summary by verdict,
// and for each paper what its user must know, a table of theory beside
// measurement, and every claim with its evidence.
func Markdown(w io.Writer, d Document) error { return compose(d).Markdown(w) }

// HTML writes a run as one page that stands alone: what [Markdown] writes, with
// pictures of the points of each claim.
func HTML(w io.Writer, d Document) error { return compose(d).HTML(w) }
