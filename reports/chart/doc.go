// Package chart draws SVG charts: the points of a claim, the curves that a run measured, and the panels of an
// experiment. A [Chart] is a list of shapes with CSS classes, and [PageStyle] styles these classes. Its size fits
// a phone. A chart in a file of its own is twice as large.
//
//	chart.go       Chart, and what it is put together from
//	axes.go        axes, points with their intervals, plots and rows
//	scale.go       ranges of axes, and their ticks
//	style.go       colours on light, dark and paper; style.css: the classes
//	drawn.go       a claim drawn for those who see no table
//	bars.go        a bar for each point of a claim
//	plane.go       a map of two variables
//	lines.go       measured against claimed, rates with their slopes
//	series.go      the points and the curves of a claim or of a panel
//	curves.go      how they are drawn
//	experiment.go  panels in a file of their own
//	cells.go       which points of a claim are shown
package chart
