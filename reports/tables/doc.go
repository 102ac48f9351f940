// Package tables writes the tables of the accountant and of the benchmark.
package tables
