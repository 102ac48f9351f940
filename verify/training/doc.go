// Package training audits training runs. It tests a privacy claim with the scores of a membership-inference attack: can
// the attack distinguish records used in training from other records better than the claim allows?
//
// # Audits
//
// A [OneRunAudit] uses one run with canaries. A canary is a record that an independent coin included or excluded. The
// attack gives each canary a score from the released model. A [MultiRunAudit] uses many runs with one score each, some
// trained with a record and the others without it. A [TrainedAudit] also runs the training for each score.
//
// # Bounds
//
// For one run, the number of right guesses about the coins has the upper tail of [confidence.Guesses] (Steinke et al.
// 2023). This bound holds for any scores and any dependence among them, under three assumptions that every report
// states: an independent coin with the stated probability included each canary; the scores depend on the coins only
// through the released model; each row is one canary. For example, 900 right guesses of 1000 refute ε = 1, under which
// at most about 731 are expected.
//
// Many runs are independent. Their bounds follow from two counts ([confidence.Attack]) or from sequential tests
// ([sequential.Stream]). A refutation has error probability at most alpha.
//
// # Files
//
//	read.go        reads scores and inclusion coins from CSV or JSON
//	scores.go      scores, and tests of independent coins
//	score.go       stated distributions of scores
//	figures.go     an attacker's success rates and ROC curve; no verdict uses them
//	one_run*.go    the audit of one run: guesses, power, evidence, limits under other assumptions
//	multi_run*.go  the audit of many runs: events, sequential tests, evidence
package training
