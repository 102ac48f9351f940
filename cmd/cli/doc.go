// Package cli implements the command dpverify. [Main] runs it on a given claim set.
//
// A subcommand has a file of its name, and files that begin with it:
//
//	app.go, flags.go    the root command, its exit codes; flags that commands share
//	account*.go         account: what accountants answer; event_*.go: events as flags
//	audit*.go           audit, verify and report: claims are judged; judge.go
//	plan*.go            plan: what an audit is going to take
//	recheck*.go         recompute: a report against its recomputed fields
//	init*.go            init: files to start from; they are in _files
//	shard*.go           runs in parts; merge.go, watch.go
//	progress*.go        progress on a terminal; event_log.go: as JSON
//	help.go             help: groups of commands and flags
//	manual.go           topics of the manual, whose text is in manual; man.go: man pages
//	ledger_help.go      help for another set of claims
//	mistakes.go         what is wrong with a command line; strict_flags.go: numbers in flags
//	version*.go         what this binary was built from
//	signals.go          signals; open_files_*.go: the limit on open files
package cli
