// Package reports renders results to an [io.Writer]. Its output depends only on its input, not on the clock or the
// environment.
//
// A [Document] is a run of claims with its context. [Markdown] and [HTML] write it for people, [JSON] for machines,
// and [ReadJSON] reads it back. A [Sheet] is composed once, as sections of blocks. It is then written as Markdown, as
// a page or for a terminal, so these forms have the same words and figures.
//
// A run of claims:
//
//	document.go     Document, Paper, and the command that repeats a claim
//	compose.go      the report: summary, papers, tables; as Markdown and as a page
//	overview.go     the summary, and how to read the report
//	severity.go     the severity of a finding, computed from its figures
//	readable.go     findings, tested claims that hold, errata
//	undecided.go    claims without an answer
//	decided.go      verdicts that the figures of a row do not imply
//	settings.go     observations at the settings of a paper's own experiments
//	findings.go     one claim with its evidence
//	second_look.go  the likely cause of a refutation, and the strongest attempt
//	items.go        the numbered items of a paper, and their names
//	origins.go      counts of claims by their origin
//	picture.go      the picture of a paper's finding
//	series.go       the experiments whose figures a claim is about
//	claim_curves.go pictures and tables of the curves that a run measured
//	explain.go      a claim before its run
//	erratum.go      the erratum for a paper's authors
//	summary.go      the summary of a step in a pipeline, and annotations
//	terminal.go     a run on a terminal; terminal_audit.go: an audit
//	warning.go      the word and the mark of a warning
//
// Machine-readable forms:
//
//	json.go         a run as dpverify/report/v1
//	junit.go        a run as JUnit XML
//	sarif.go        a run as SARIF 2.1.0
//	plaintext.go    headlines and reasons without markup
//	baseline.go     known findings, and the differences from them
//	diff.go         comparison of two reports
//	schemas.go      the JSON Schemas of all forms that are read or written
//
// Tables of other results:
//
//	account.go      answers of accountants; account_curve.go: whole curves
//	calibration.go  power, calibration and stopping times of the checks
//	experiment.go   the series of an experiment; experiment_json.go: as dpverify/experiment/v1
//	list.go         claims and experiments
//	dry_run.go      the cost of an audit
//	training.go     audits of training runs with faults
//
// The document model:
//
//	sheet.go        Sheet, sections, blocks, spans
//	sheet_markdown.go, sheet_html.go, sheet_terminal.go: its forms
//
// Package chart draws.
package reports
