package reports

import "io"

// Markdown writes what a reader of the papers must know, and, where the document is full, every
// claim with its evidence after it. A report of few claims is these claims alone.
func Markdown(w io.Writer, d Document) error { return compose(d).Markdown(w) }

// HTML writes the full document as one page that stands alone, with pictures of the points of
// each claim.
func HTML(w io.Writer, d Document) error {
	d.Full = true
	return compose(d).HTML(w)
}
