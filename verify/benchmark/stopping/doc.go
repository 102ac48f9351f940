// Package stopping measures how many samples an anytime audit draws until it refutes a false
// claim, and how many would do if the densities were known.
package stopping
