// Package sensitivity checks claims about the sensitivity of a function, the largest distance between its values on
// neighboring inputs. It searches for the worst pair of neighbors: [Check] searches datasets of points, and [Pairs]
// searches inputs of any type. A search gives a lower bound, so that it can refute a claim. Holds also needs a proof or
// a domain that is searched completely.
//
// The sensitivity of F in a norm is sup ‖F(A) − F(B)‖ over neighboring A and B (Dwork, McSherry, Nissim and Smith,
// 2006). Nothing is sampled: the only error is the rounding of the map, for which every difference has a stated bound.
// See [Check] for an example.
package sensitivity
