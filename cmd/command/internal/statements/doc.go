// Package statements has claims about what a process gives, other than its privacy: the mean of its
// outputs, their law, how their mean goes with a parameter, and how far a map without noise moves.
package statements
