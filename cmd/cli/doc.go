// Package cli implements the command dpverify. [Main] runs it on a given claim set.
//
// A subcommand has a file of its name, and files that begin with it:
//
//	app.go, flags.go    root command and exit codes; shared flags
//	account*.go         account: brackets and curves of accountants; event_*.go: events as flags
//	audit*.go           audit; judge.go: verify and report
//	dry_run*.go         audit --dry-run: the cost of an audit
//	experiment.go       experiment; benchmark.go and canary.go: measurements of dpverify itself
//	recheck*.go         recompute: compares a report with its recomputed fields
//	init*.go            init: templates from _files
//	shard*.go           shards; merge.go and watch.go
//	progress*.go        progress on a terminal; event_log.go: progress as JSON
//	help.go             help: groups of commands and flags
//	manual.go           topics of the manual, from the directory manual; man.go: man pages
//	ledger_help.go      help for another claim set
//	mistakes.go         mistakes in a command line; strict_flags.go: numbers in flags
//	version*.go         version of this binary
//	signals.go          signals; open_files_*.go: the limit on open files
package cli
