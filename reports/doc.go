// Package reports renders what was found. Its functions are pure: they write to
// an [io.Writer], read no clock and no environment, and give the same bytes for
// the same input.
//
// A [Document] is a run of claims with what a reader needs to know around it.
// [Markdown] writes it for people, [JSON] for machines, [ReadJSON] reads it back.
//
//	document.go    Document, Paper, and the command that repeats a claim
//	format.go      the one rounding rule for figures
//	text.go        words, code spans and paragraphs of Markdown
//	table.go       aligned Markdown tables
//	markdown.go    a run: summary, one table a paper, method notes
//	findings.go    a run: what was refuted, what was not decided
//	cells.go       which points of a claim are shown
//	json.go        a run as dpverify/report/v1
//	list.go        the claims of a ledger, the experiments
//	explain.go     one claim before it is run
//	experiment.go  the series of an experiment
//	benchmark.go   the tables of power and of calibration
//	account.go     brackets of an accountant, method by method
package reports
