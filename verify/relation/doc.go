// Package relation checks a formula against a formula, point by point.
package relation
