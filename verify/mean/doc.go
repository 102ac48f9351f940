// Package mean checks claims about means: that a mechanism is unbiased ([Unbiased]), that a
// mean is the one that is stated ([Stated]), that an error falls at a rate or stays below a
// bound along a grid ([Rate]), that one mean is less than another ([Compare]).
package mean
