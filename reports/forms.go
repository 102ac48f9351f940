package reports

import "io"

// reportFile is the Markdown in a directory of results.
const reportFile = "report.md"

// FileNames are those that [Files] can give to a report on some papers, the one to begin with first.
func FileNames(papers []Paper) []string {
	names := []string{reportFile}
	for _, p := range papers {
		names = append(names, pictureFile(p))
	}
	return names
}

// Files is the Markdown with its pictures, by the names of files for one directory: a picture for each
// paper with a finding that one can show.
func Files(d Document) (map[string][]byte, error) { return compose(d).Files(reportFile) }

// Markdown writes what a reader of the papers must know, and, where the document is full, every
// claim with its evidence after it. A report of few claims is these claims alone.
func Markdown(w io.Writer, d Document) error { return compose(d).Markdown(w) }

// HTML writes the full document as one page that stands alone, with pictures of the points of
// each claim.
func HTML(w io.Writer, d Document) error {
	d.Full = true
	return compose(d).HTML(w)
}
