// Package chart draws: the points of a claim, the curves that its run measured, the panels of
// an experiment.
package chart
