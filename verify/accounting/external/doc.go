// Package external tests an accountant of another library, which answers one JSON request per line with one JSON reply
// per line; see [Request] and [Reply].
//
// Run generates questions from a seed. Each asks for ε at a δ, or for δ at an ε, of a tree of dp_accounting's event
// classes. The certified bracket of package accountant contains the true answer. A reply below the lower end by more
// than [Tolerance] is not an upper bound. A reply above the upper end by more than a factor is loose. For each kind of
// fault, the smallest tree with that fault is shrunk: smaller trees are asked as long as the fault remains.
//
// The verdict “not an upper bound” needs a second opinion. [Second] computes the same quantity from the JSON tree. It
// shares no code with package accountant or its event reader: it divides the privacy loss of each mechanism into
// cells, rounds each loss by connect-the-dots and composes by a Fourier transform without tilting. If both do not agree
// to within [Agreement], the verdict is “unconfirmed”. A question enters the corpus, testdata/accountant-corpus.json,
// only if both agree (corpus_test.go). Composed randomized response and approximate DP are also compared with an
// enumeration of all outputs (second_test.go).
//
//	tree.go      trees of events, their size and their JSON
//	generate.go  random questions
//	protocol.go  requests and replies
//	second.go    the second back end: composition and inversion
//	losses.go    privacy losses of single mechanisms, for the second back end
//	run.go       questions, verdicts and counts
//	shrink.go    smaller questions with the same fault
//	record.go    rows of reports
package external
