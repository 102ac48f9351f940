// Package tables writes the tables of the ledger, of the experiments, of the accountant and of the benchmark.
package tables
