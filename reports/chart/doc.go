// Package chart draws SVG charts: the points of a claim, the curves that a run measured, and the panels of an
// experiment. A [Chart] is a list of shapes with CSS classes, and [PageStyle] styles these classes. Its size fits a
// phone. A chart in a file of its own is twice as large.
//
//	chart.go       Chart and its shapes
//	axes.go        axes, points with their intervals, plots and rows
//	scale.go       ranges of axes, and their ticks
//	style.go       colors on light pages, dark pages and paper; style.css: the classes
//	drawn.go       the picture of a claim outside its section
//	bars.go        a bar for each point of a claim
//	plane.go       a map of two variables
//	lines.go       measured against claimed privacy, rates with their slopes
//	series.go      Picture: curves that share their axes
//	curves.go      the drawing of a Picture
//	experiment.go  SVG files
//	cells.go       the choice of the points to show
package chart
