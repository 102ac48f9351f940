// Package mean checks claims about means: that a mechanism is unbiased ([Unbiased]), that an
// error falls at a rate or stays below a bound along a grid ([Rate]), that one mean is less
// than another ([Compare]).
package mean
