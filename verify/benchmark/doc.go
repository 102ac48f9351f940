// Package benchmark measures the auditor itself: how much of a mechanism's true
// privacy loss it certifies from a given number of samples (power), and how often
// it errs (calibration).
//
// The mechanisms, their inputs and their parameters are those on which StatDP
// (Ding et al. 2018), DP-Sniper (Bichsel et al. 2021) and DP-Auditorium (Kong et
// al. 2023) have been compared; sparse vector follows Lyu, Su & Li 2017. To these come
// further noise, samples of records, choices, sets, counts, gradients and a record, so that
// no search is tuned to one list. Every
// subject is audited as a black box. Its density is used to compute what could be
// reached at best, and for nothing else.
//
// The cases of the calibration are checks of every kind on claims whose truth is known by
// construction. What is exact is drawn anew in every run, so that a thousand runs are a
// thousand instances. CALIBRATION.md has a thousand runs of each.
//
//	subjects.go     the published mechanisms with their neighbouring inputs; subjects_*.go the others
//	subject.go      a subject, what is reachable on its inputs, and the oracle
//	power.go        the table mechanism, n, reachable, certified, oracle, seconds
//	calibration.go  how often a check says what it must not, or must
//	cases.go        the kinds of checks, and what their cases are
//	cases_*.go      true claims at their worst, and known faults, of each kind
//	cases_hidden*.go leaks of known mass and loss that audits promise to see
package benchmark
