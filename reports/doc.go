// Package reports renders results to an [io.Writer]. Its output depends only on its input, not on the clock or the
// environment.
//
// A [Document] is a run of claims with what a reader needs to know around it. [Markdown] and [HTML] write it for
// people, [JSON] for machines, [ReadJSON] reads it back. A [Sheet] is composed once, as sections of blocks, and then
// written as Markdown, as a page or for a screen, so that these forms cannot differ.
//
// A run of claims:
//
//	document.go     Document, Paper, and the command that repeats a claim
//	compose.go      the whole: summary, how to read it, papers, tables; as Markdown and as a page
//	severity.go     how grave a finding is, computed from its figures
//	readable.go     findings, what stands, errata
//	undecided.go    claims without an answer
//	settings.go     what follows at the settings of a paper's own experiments
//	findings.go     one claim with its evidence
//	items.go        what the paper numbers, and its names
//	series.go       the curves that a claim's run measured
//	claim_curves.go their pictures and tables
//	explain.go      one claim before it is run
//	erratum.go      what could be sent to a paper's authors
//	summary.go      the summary of a step of a pipeline, and annotations
//	terminal.go     a run on a screen
//
// Machines read:
//
//	json.go         a run as dpverify/report/v1
//	junit.go        a run as JUnit XML
//	sarif.go        a run as SARIF 2.1.0
//	plaintext.go    headlines and reasons without markup
//	baseline.go     known findings, and what differs from them
//	diff.go         two reports compared
//	schemas.go      the JSON Schemas of schema/, of all that is read or written
//
// Tables of other results:
//
//	account.go      what accountants answer; account_curve.go: whole curves
//	calibration.go  power, calibration and stopping times of the checks
//	experiment.go   the series of an experiment; experiment_json.go: as dpverify/experiment/v1
//	list.go         claims and experiments
//	plan.go         what an audit is going to take
//	training.go     audits of trainings with faults
//
// The document model:
//
//	sheet.go        Sheet, sections, blocks, spans; sheet_markdown.go, sheet_html.go, sheet_terminal.go: its forms
//
// Package chart draws.
package reports
