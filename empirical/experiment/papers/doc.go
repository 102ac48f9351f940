// Package papers has the papers' experiments, in one table.
package papers
