// Package sizes has what the checks agree on about sizes: of samples, of tables, of margins.
package sizes
