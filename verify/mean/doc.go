// Package mean checks claims about means. [Unbiased] checks that a mechanism is unbiased. [Stated] checks that a
// mean equals a stated value. [Rate] checks that an error decreases at a rate, or stays below a bound, over a
// grid. [Compare] checks that one mean is less than another.
package mean
