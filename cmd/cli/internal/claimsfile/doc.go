// Package claimsfile parses the claims and training runs that a user wants to audit, from a claims file or from
// flags. It also detects two paths to the same file, checks that outputs can be written, and writes them.
//
//	config.go           the claims file; typed.go, words.go: types of its values, error texts; not_claims.go: other
//	                    files that are given instead
//	subject.go          one claim of the file; parts.go: the claims of the report that it yields
//	account*.go         claims about accounts
//	canaries.go         one-run audits; runs.go: multi-run audits; recorded.go: recorded outputs
//	training_log.go     premises of a training, checked in the log of one run
//	training_account.go the account of the training that the log shows
//	inputs.go           input search; input.go: pairs of inputs
//	statement*.go       claims other than privacy: means, distributions, rates, sensitivities
//	training*.go        other files: the training file, its account, and a process that trains on request
//	files*.go           input and output files of a command: checked before it runs, written atomically
//	program_digest.go   SHA-256 of this program
package claimsfile
