// Package sensitivity checks claims about the sensitivity of a function, the largest distance between its values on
// neighboring inputs. It searches for the worst pair of neighbors: [Check] searches datasets of points, and [Pairs]
// searches inputs of any type. A search gives a lower bound, so that it can refute a claim; Holds also needs a proof or
// a domain that is searched completely.
package sensitivity
