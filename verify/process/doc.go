// Package process runs a program in any language as a mechanism. The program reads one request per line from its
// standard input and writes one reply per line to its standard output; see [Process] for the format. [Check] audits
// such a mechanism and ends its processes, [Replayer] records and replays its calls of noise primitives.
//
// The package detects what makes an audit of a program meaningless: outputs of two kinds, ignored seeds, equal replies
// and noise that a process keeps as long as it runs. Each is an error of the claim, with the command and the request.
package process
