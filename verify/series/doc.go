// Package series collects the curves that a check measures on its way. No verdict rests
// on them.
package series
