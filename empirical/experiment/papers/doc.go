// Package papers defines the experiments of the papers and lists them in one table.
package papers
