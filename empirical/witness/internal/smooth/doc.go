// Package smooth fits log density ratios that are counted in rings of values, or on symbols,
// by empirical Bayes: the local level and the local linear trend model of structural time
// series (Harvey 1989) along the rings, and ratios shrunk towards a common mean. It fits
// exponential tails of scores, too.
package smooth
