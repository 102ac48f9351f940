// Package smooth fits log density ratios that are counted in rings of values, or on symbols,
// by empirical Bayes: a level or a slope that walks from ring to ring, ratios that are drawn
// together.
package smooth
