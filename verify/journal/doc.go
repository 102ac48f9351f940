// Package journal keeps the tallies of a run in a file, so that a run that was killed goes
// on where it was and a run can be divided over machines.
package journal
