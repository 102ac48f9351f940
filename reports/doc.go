// Package reports renders what was found. Its functions are pure: they write to
// an [io.Writer], read no clock and no environment, and give the same bytes for
// the same input.
//
// A [Document] is a run of claims with what a reader needs to know around it.
// [Markdown] and [HTML] write it for people, [JSON] for machines, [ReadJSON] reads
// it back. What the first two say is composed once, as sections of blocks, so that
// they cannot differ.
//
//	document.go     Document, Paper, and the command that repeats a claim
//	article.go      the whole: summary, papers, tables
//	consequence.go  what a user of a paper must know, the gravest first
//	settings.go     what follows at the settings of a paper's own experiments
//	findings.go     one claim with its evidence
//	series.go       the curves that a claim's run measured
//	forms.go        the report as Markdown and as a page
//	json.go         a run as dpverify/report/v1
//	junit.go        a run as JUnit XML
//	sarif.go        a run as SARIF 2.1.0
//	plaintext.go    headlines and reasons without markup
//	summary.go      the summary of a step of a pipeline, and annotations
//	baseline.go     findings that are known, and what is news against them
//	diff.go         two reports compared
//	schema/         the JSON Schemas of all that is read or written
//	explain.go      one claim before it is run
//	erratum.go      what could be sent to a paper's authors
//	terminal.go     a run on a screen
//	readable.go     what a reader of the papers must know
//	items.go        what the paper numbers, and its names
//
// Package chart draws, measured has the series of experiments, tables has those of the ledger, of the
// experiments, of the accountant and of the benchmark.
package reports
