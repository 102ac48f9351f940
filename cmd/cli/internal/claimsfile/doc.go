// Package claimsfile parses the claims and training runs that a user wants to audit, from a claims file or from
// flags. It also finds two names of one file, tests that outputs can be written, and writes them.
//
//	config.go           the file; typed.go, words.go: its values and their errors
//	subject.go          one claim; parts.go: what it asks of its mechanism
//	account*.go         claims about descriptions; canaries.go, runs.go: about training runs; recorded.go: about outputs
//	inputs.go           pairs of inputs, and spaces that are searched
//	statement*.go       claims other than privacy: means, distributions, rates, sensitivities
//	training*.go        the description of a training, its account, and the process that an audit asks for trainings
//	files*.go           the files of a command: compared, tried before it runs, and written whole
//	program_digest.go   tells this program from every other
package claimsfile
