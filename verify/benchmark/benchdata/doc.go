// Package benchdata has the rows of the benchmark: plain results, for whoever renders them.
package benchdata
