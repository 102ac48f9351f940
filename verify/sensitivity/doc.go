// Package sensitivity checks claims about the sensitivity of a function. It searches for the pair of neighbouring
// inputs whose values differ most. [Check] searches datasets of points, and [Pairs] searches inputs of any type.
package sensitivity
